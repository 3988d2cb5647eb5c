// npm run eval [name]: runs evaluations and prints one table each: how often ours and the peers are right, in one run.

import { auditAccuracy } from './audit-accuracy.ts';
import { changesAccuracy } from './changes-accuracy.ts';
import { commandsAccuracy } from './commands-accuracy.ts';
import { detectAccuracy } from './detect-accuracy.ts';
import { fetchAccuracy } from './fetch.ts';
import { promptAccuracy } from './prompt.ts';
import { provenanceAccuracy } from './provenance.ts';
import { queryAccuracy } from './query-accuracy.ts';
import { queryDifferential } from './query-differential.ts';

type Evaluation = (progress: (text: string) => void) => Promise<boolean>;

const evaluations: Readonly<Record<string, Evaluation>> = {
  fetch: fetchAccuracy,
  detect: detectAccuracy,
  commands: commandsAccuracy,
  changes: changesAccuracy,
  prompt: promptAccuracy,
  provenance: provenanceAccuracy,
  audit: auditAccuracy,
  query: async (progress) => {
    const right = await queryAccuracy(progress);
    return (await queryDifferential(progress)) && right;
  },
};

const wanted = process.argv.slice(2).filter((name) => name !== '--misses');
const unknown = wanted.filter((name) => !Object.hasOwn(evaluations, name));
if (unknown.length > 0 || wanted.includes('--help')) {
  process.stderr.write(
    `Usage: npm run eval [name…] [--misses]   names: ${Object.keys(evaluations).join(', ')}\n`,
  );
  process.exit(wanted.includes('--help') ? 0 : 2);
}
let good = true;
for (const [name, evaluate] of Object.entries(evaluations)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  process.stderr.write(`${name} …\n`);
  good = (await evaluate((text) => process.stderr.write(`  ${text}\n`))) && good;
}
process.exitCode = good ? 0 : 1;
