// What the prompt guard does to ordinary texts and to attacks, on the one path with its defaults: how many are blocked, told
// of, and changed. The detector alone is measured by `npm run eval detect`.

import { corpus, hasCorpus, type Text } from '../scripts/injection/corpus.ts';
import { settingsFrom } from '../src/config/index.ts';
import { ownTexts, profileOf } from './injection.ts';
import { context, deciderFor } from './parts.ts';
import { printColumns, printNote } from './table.ts';

/** Texts about attacks, which read like attacks; their share is shown and has no goal. */
const aboutAttacks = /^(?:security-docs|prompt-docs|docs)/;

interface Counted {
  readonly texts: number;
  readonly blocked: number;
  readonly warned: number;
  readonly redacted: number;
}

const decider = deciderFor(settingsFrom({}));

/** Prints what becomes of every source; gives whether ordinary texts go on as they are. */
export async function promptAccuracy(progress: (text: string) => void): Promise<boolean> {
  const sets = new Map<string, Text[]>();
  for (const text of [...(hasCorpus() ? corpus() : []), ...ownTexts()]) {
    const name = `${text.source}, ${text.kind.replace(/:.*/, '')}`;
    sets.set(name, [...(sets.get(name) ?? []), text]);
  }
  if (!hasCorpus()) progress('the corpora are not at ../shared/corpora: own sets alone');
  const rows: string[][] = [];
  let ordinary = 0;
  let stopped = 0;
  for (const [name, texts] of sets) {
    progress(name);
    const counted = await count(texts);
    const harmless = texts[0]?.attack === false;
    if (harmless && !aboutAttacks.test(texts[0]?.kind ?? '')) {
      ordinary += counted.texts;
      stopped += counted.blocked;
    }
    const share = (part: number) => `${((100 * part) / counted.texts).toFixed(1)} %`;
    rows.push([
      name,
      harmless ? 'harmless' : 'attacks',
      String(counted.texts),
      share(counted.blocked),
      share(counted.warned),
      harmless ? share(counted.redacted) : '-',
    ]);
  }
  printColumns(['source', 'are', 'texts', 'blocked', 'warned of', 'redacted'], rows);
  const share = stopped / Math.max(1, ordinary);
  const met = ordinary > 0 && share <= 0.002;
  printNote(
    `ordinary texts blocked: ${stopped} of ${ordinary}, ${(100 * share).toFixed(2)} % (goal: at most 0.2 %) ${met ? 'met' : 'MISSED'}`,
  );
  return met;
}

async function count(texts: readonly Text[]): Promise<Counted> {
  let [blocked, warned, redacted] = [0, 0, 0];
  for (const text of texts) {
    const origin = profileOf(text);
    const { verdict } = await decider.decide({ kind: 'prompt', text: text.text, origin }, context);
    if (verdict.decision === 'block') blocked++;
    if (verdict.decision === 'redact') redacted++;
    if (verdict.findings.some(({ rule }) => rule === 'prompt_injection_suspected')) warned++;
  }
  return { texts: texts.length, blocked, warned, redacted };
}
