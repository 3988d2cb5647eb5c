// npm run eval [name…] [-- --save]: runs evaluations and prints how often ours and the peers are right, in one run.
// With --save the figures are kept, for npm run report; --misses lists what was wrong; --explanations prints queries
// beside what a person reads of them and the rows that they gave.

import { agentTraces } from './agent-traces.ts';
import { auditAccuracy } from './audit-accuracy.ts';
import { cardsAccuracy } from './cards.ts';
import { changesAccuracy } from './changes-accuracy.ts';
import { commandsAccuracy } from './commands-accuracy.ts';
import { detectAccuracy } from './detect-accuracy.ts';
import { fetchAccuracy } from './fetch.ts';
import { guidelinesAccuracy } from './guidelines.ts';
import { poisonedTools } from './poisoned-tools.ts';
import { promptAccuracy } from './prompt.ts';
import { provenanceAccuracy } from './provenance.ts';
import { queryAccuracy } from './query-accuracy.ts';
import { queryDifferential } from './query-differential.ts';
import { queryExplanations } from './query-explanations.ts';
import { queryMeaning } from './query-meaning.ts';
import { takeAll } from './results.ts';
import { scriptsAccuracy } from './scripts.ts';
import { shellAccuracy } from './shell.ts';
import { toolSearch } from './tool-search.ts';
import { undoAccuracy } from './undo.ts';
import { unseenCommands } from './unseen.ts';

type Evaluation = (progress: (text: string) => void) => Promise<boolean>;

const evaluations: Readonly<Record<string, Evaluation>> = {
  fetch: fetchAccuracy,
  tools: toolSearch,
  poison: poisonedTools,
  detect: detectAccuracy,
  commands: async (progress) => {
    const corpora = await commandsAccuracy(progress);
    const unseen = await unseenCommands(progress);
    return (await agentTraces(progress)) && unseen && corpora;
  },
  traces: agentTraces,
  unseen: unseenCommands,
  scripts: scriptsAccuracy,
  cards: cardsAccuracy,
  changes: changesAccuracy,
  prompt: promptAccuracy,
  guidelines: guidelinesAccuracy,
  provenance: provenanceAccuracy,
  audit: auditAccuracy,
  undo: undoAccuracy,
  shell: shellAccuracy,
  explanations: queryExplanations,
  query: async (progress) => {
    const right = await queryAccuracy(progress);
    const harmless = await queryDifferential(progress);
    return (await queryMeaning(progress)) && harmless && right;
  },
};

await takeAll('eval', evaluations);
