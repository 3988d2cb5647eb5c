// What a text contains: secrets and personal data, in one piece or as it flows.

import type { Where } from './checks/check.ts';
import { paths } from './packs/paths.ts';
import { pii } from './packs/pii.ts';
import { secrets } from './packs/secrets.ts';
import { createRedactor, placeholderOf, type RedactorOptions } from './redactor.ts';
import type { CompiledRule, Match } from './rule.ts';
import { createRuleset, type Ruleset } from './ruleset.ts';
import { Scanner } from './scanner.ts';

// ── The packs that come with the product, prebuilt from rules/ by `npm run rules`.

export type BuiltinPack = 'secrets' | 'pii' | 'paths';

const packs: Readonly<Record<BuiltinPack, readonly CompiledRule[]>> = { secrets, pii, paths };
const ready = new Map<string, Ruleset>();

/** The built-in rules of one or more packs, made ready when first asked for. */
export function builtin(...names: readonly BuiltinPack[]): Ruleset {
  const key = names.join();
  let ruleset = ready.get(key);
  if (ruleset === undefined) {
    ruleset = createRuleset(names.flatMap((name) => packs[name]));
    ready.set(key, ruleset);
  }
  return ruleset;
}

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

// ── A text in one piece

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
