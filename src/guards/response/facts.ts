// Reads a response into facts: the secrets in it, in whatever way they are written.

import {
  builtin,
  createReader,
  createRuleset,
  type Find,
  type Reader,
  type Ruleset,
  type Way,
} from '../../detect/index.ts';

/** What was found in one place, read in one way or in several. */
export interface Secret {
  readonly rule: string;
  readonly kind: string;
  readonly way: Way;
  readonly start: number;
  readonly end: number;
}

let literal: Ruleset | undefined;

/**
 * Rules whose secret tells by its own letters what it is. Only these read a text that was put together again: a name
 * and a value that stand in two lines, or two cells of a table, are no assignment.
 */
function literalRules(): Ruleset {
  literal ??= createRuleset(
    builtin('secrets').rules.filter(
      ({ opens, assigned, near, gate, search }) =>
        opens === true && assigned !== true && near === undefined && gate === undefined && search !== true,
    ),
  );
  return literal;
}

/** Opens a reader for the secrets in a text. */
export function readSecrets(): Reader {
  return createReader([
    { ruleset: builtin('secrets'), ways: ['plain', 'base64', 'hex'] },
    { ruleset: literalRules(), ways: ['unmarked', 'joined'] },
  ]);
}

/** Finds that overlap are one secret; the first of them names it. */
export function secretsOf(finds: readonly Find[]): readonly Secret[] {
  const secrets: { rule: string; kind: string; way: Way; start: number; end: number }[] = [];
  for (const { rule, kind, way, start, end } of finds) {
    const last = secrets.at(-1);
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else secrets.push({ rule, kind, way, start, end });
  }
  return secrets;
}

/** The name of a built-in rule, for people. */
export function nameOf(id: string): string {
  return builtin('secrets').rules.find((rule) => rule.id === id)?.name ?? id;
}
