// The nodes of a syntax tree of Python, and the way through them: how deep it has come, and what could not be read.

import type { Span } from '../script/program.ts';
import type { PythonNode } from './tree.ts';

/** Nodes within nodes. */
const deepest = 400;

/** How far one program was read. */
export class Way {
  readonly #errors: string[] = [];
  #depth = 0;

  /** What could not be read. */
  get errors(): readonly string[] {
    return this.#errors;
  }

  error(what: string): void {
    if (this.#errors.length < 10) this.#errors.push(what);
  }

  /** Goes one node deeper; false where that is too deep. */
  enter(what: string): boolean {
    if (this.#depth >= deepest) {
      this.error(`${what} are nested too deeply`);
      return false;
    }
    this.#depth++;
    return true;
  }

  leave(): void {
    this.#depth--;
  }
}

/** Without tokens and comments. */
export function parts(node: PythonNode): readonly PythonNode[] {
  return node.children.filter(isPart);
}

function isPart({ type, children }: PythonNode): boolean {
  // Most tokens are one sign, which need not be looked up.
  if (type.length < 2) return false;
  let named = namedTypes.get(type);
  if (named === undefined) {
    named = type !== 'comment' && type !== 'line_continuation' && /^[a-z_]+$/i.test(type);
    namedTypes.set(type, named);
  }
  return named && !(children.length === 0 && keywords.has(type));
}

/** Whether a type looks like that of a node, and not of a sign or a comment; a grammar has only so many. */
const namedTypes = new Map<string, boolean>();

/** Tokens whose type looks like that of a node. */
const keywords = new Set(
  'if else elif for in as and or not is def class return import from with while try except finally lambda yield await async global nonlocal del raise assert match case pass break continue print exec'.split(
    ' ',
  ),
);

/** Where a node stands. */
export function span({ start, end }: PythonNode): Span {
  return [start, end];
}
