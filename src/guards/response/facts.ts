// Reads a response into facts: the secrets in it, in whatever way they are written, and the guidelines that it breaks.

import { builtin, createRuleset, type Ruleset, Scanner } from '../../detect/index.ts';
import {
  createReader,
  type Find,
  type Reader,
  type Reading,
  type Unpack,
  type Way,
} from '../../detect/reader/index.ts';

let literal: Ruleset | undefined;

/**
 * Rules whose secret tells by its own letters what it is. Only these read a text that was put together again: a name
 * and a value that stand in two lines, or two cells of a table, are no assignment.
 */
export function literalRules(): Ruleset {
  literal ??= createRuleset(
    builtin('secrets').rules.filter(
      ({ opens, assigned, near, gate, search }) =>
        opens === true && assigned !== true && near === undefined && gate === undefined && search !== true,
    ),
  );
  return literal;
}

/** Opens a reader for secrets by these rules, and for whatever else is to be read for. */
export function openReader(secrets: Ruleset, others: readonly Reading[], unpack?: Unpack): Reader {
  return createReader(
    [
      { open: () => new Scanner(secrets), ways: ['plain', 'base64', 'hex', 'gzip'] },
      { open: () => new Scanner(literalRules()), ways: ['unmarked', 'joined', 'spelled'] },
      ...others,
    ],
    unpack,
  );
}

/** What was found in one place, read in one way or in several. */
export interface Found extends Pick<Find, 'rule' | 'kind' | 'start' | 'end'> {
  readonly way: Way;
}

/** Finds that overlap are one; the first of them names it. */
export function merged(finds: readonly Find[]): readonly Found[] {
  const all: { -readonly [K in keyof Found]: Found[K] }[] = [];
  for (const { rule, kind, way, start, end } of finds) {
    const last = all.at(-1);
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else all.push({ rule, kind, way, start, end });
  }
  return all;
}
