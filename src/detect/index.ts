// What a text contains: secrets and personal data, in one piece or as it flows.

import type { Where } from './checks/check.ts';
import { createRedactor, placeholderOf, type RedactorOptions } from './redactor.ts';
import type { Match } from './rule.ts';
import type { Ruleset } from './ruleset.ts';
import { Scanner } from './scanner.ts';

export { builtin } from './builtin.ts';
export type { Where } from './checks/check.ts';
export { isGitleaks, readGitleaks } from './gitleaks.ts';
export { compilePack, packProblems, readPack } from './pack.ts';
export { compilePhrases, PhraseScanner } from './phrases.ts';
export {
  createReader,
  type Find,
  type Reader,
  type Reading,
  type Way,
} from './reader/index.ts';
export type { CompiledRule, Match, RuleSource } from './rule.ts';
export { createRuleset, type Ruleset } from './ruleset.ts';
export { Scanner, type Sink } from './scanner.ts';
export { createRedactor, placeholderOf, type RedactorOptions };

/** Everything that the rules find in a text, in order; what overlaps is one find. */
export function scan(text: string, ruleset: Ruleset, where: Where = {}): Match[] {
  const matches: Match[] = [];
  new Scanner(ruleset, where).push(text, true, {
    text: () => {},
    match: (match) => matches.push(match),
  });
  return matches;
}

/** The text with a placeholder for everything that the rules find. */
export function redact(
  text: string,
  ruleset: Ruleset,
  options: Omit<RedactorOptions, 'mode'> = {},
): { readonly text: string; readonly matches: readonly Match[] } {
  const redactor = createRedactor(ruleset, options);
  const redacted = redactor.push(text) + redactor.flush();
  return { text: redacted, matches: redactor.matches };
}
