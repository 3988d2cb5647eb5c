// What a rule of the user's own is aimed at and what an effect reaches, as patterns that may or may not meet.

import { type Automaton, automatonOf } from '../../../detect/linear.ts';
import type { Node } from '../../../detect/pattern.ts';
import type { PathScope } from '../where.ts';

/** Enough for the longest path and all that may lie below it. */
const mostStates = 10_000;

const lastUnit = 0xffff;
const slash = 47;
const anyUnit: Node = { type: 'unit', units: [[0, lastUnit]] };
const inName: Node = {
  type: 'unit',
  units: [
    [0, slash - 1],
    [slash + 1, lastUnit],
  ],
};

const many = (node: Node): Node => ({
  type: 'repeat',
  node,
  min: 0,
  max: Number.POSITIVE_INFINITY,
  lazy: false,
});
const maybe = (node: Node): Node => ({ type: 'repeat', node, min: 0, max: 1, lazy: false });
const row = (...items: readonly Node[]): Node => ({ type: 'sequence', items });

function literal(text: string): Node {
  return row(
    ...text.split('').map((unit): Node => {
      const code = unit.charCodeAt(0);
      return { type: 'unit', units: [[code, code]] };
    }),
  );
}

const below = row(literal('/'), many(anyUnit));

/** A set of texts. */
export interface Reach extends Automaton {
  readonly node: Node;
}

function reach(node: Node): Reach {
  return { node, ...automatonOf(node, mostStates) };
}

/** Every text there is. */
export const anything = reach(many(anyUnit));

/** This text and no other. */
export function literalOf(text: string): Reach {
  return reach(literal(text));
}

/** Every text that begins with one of these. */
export function beginningWith({ node }: Reach): Reach {
  return reach(row(node, many(anyUnit)));
}

/** These paths and everything below them. */
export function orBelow({ node }: Reach): Reach {
  return reach(row(node, maybe(below)));
}

/**
 * The texts that a pattern of names describes: `*` and `?` stay in one name, `**` does not, and a set in brackets
 * stands for any character. With a path scope, a relative pattern starts in the workspace, and `~` is the home.
 */
export function globOf(pattern: string, pathScope: PathScope | null): Reach {
  if (pathScope === null) return reach(glob(pattern));
  if (pattern === '~' || pattern.startsWith('~/')) {
    const rest = glob(pattern.slice(1));
    // A home that is not known may be anywhere.
    return reach(row(pathScope.home === null ? many(anyUnit) : literal(pathScope.home), rest));
  }
  if (pattern.startsWith('/')) return reach(glob(pattern));
  const { workspace } = pathScope;
  return reach(
    row(literal(workspace === '/' ? '/' : `${workspace}/`), glob(pattern.replace(/^(?:\.\/)+/, ''))),
  );
}

function glob(pattern: string): Node {
  const items = pattern.split(/(\*\*\/|\/\*\*$|\*+|\?|\[[^\]/]*\])/).map((part): Node => {
    if (part === '**/') return maybe(row(many(anyUnit), literal('/')));
    if (part === '/**') return maybe(below);
    if (part.startsWith('**')) return many(anyUnit);
    if (part === '*') return many(inName);
    return part === '?' || /^\[.*\]$/s.test(part) ? inName : literal(part);
  });
  return row(...items);
}
