// Reads code as the body of a function: its tree is that function and nothing else, so that no text breaks out of it.

import type { JavascriptNode, ReadCode } from '../../core/index.ts';
import { isTooDeep } from '../../core/nesting.ts';
import { stripTypes } from './strip.ts';
import { isNode } from './tree.ts';

/** What stands around the code while it is read and run; the code starts on the second line. */
export const opening = '(async () => {\n';
export const closing = '\n})';

/** Code that was read. */
export interface CodeTree {
  /** The code as it would run, without types; every place is where it was. */
  readonly text: string;
  /** The function whose body is the code; places in it are behind `opening`. */
  readonly root: JavascriptNode;
  /** The first thing that is wrong with the text; a tree is there all the same. */
  readonly problem: CodeProblem | null;
}

/** Why code cannot be read, or not run, and where. */
export interface CodeProblem {
  readonly what: string;
  readonly start: number;
  readonly end: number;
  /** Whether it is an import in the words of TypeScript. */
  readonly isImport?: boolean;
}

/** Reads code; a problem where there is no tree. */
export function readCode(
  source: string,
  language: 'js' | 'ts',
  read: ReadCode,
): { readonly code: CodeTree } | { readonly problem: CodeProblem } {
  if (isTooDeep(source)) return { problem: nestedTooDeeply };
  const whole = `${opening}${source}${closing}`;
  const first = read(whole, language);
  const problem = problemOf(first.errors, source);
  const root = functionOf(first.program, whole.length);
  if (root === null) return { problem: problem ?? brokenOut };
  if (language === 'js') return { code: { text: source, root, problem } };
  const stripped = stripTypes(whole, root);
  if ('refused' in stripped) return { problem: refusedBy(stripped.refused) };
  if (stripped.text === whole) return { code: { text: source, root, problem } };
  // What runs is what is judged: the text without types is read again, as JavaScript.
  return readCode(stripped.text.slice(opening.length, -closing.length), 'js', read);
}

const nestedTooDeeply: CodeProblem = {
  what: 'it nests too deeply',
  start: opening.length,
  end: opening.length,
};

const brokenOut: CodeProblem = {
  what: 'it is not the body of one function',
  start: opening.length,
  end: opening.length,
};

/** The one function of a program, if that is all there is and it spans the text. */
function functionOf(program: JavascriptNode, length: number): JavascriptNode | null {
  const { body } = program;
  if (!Array.isArray(body) || body.length !== 1) return null;
  const [statement]: unknown[] = body;
  const outer =
    isNode(statement) && statement.type === 'ExpressionStatement' ? statement['expression'] : null;
  if (!isNode(outer) || outer.type !== 'ParenthesizedExpression') return null;
  if (outer.start !== 0 || outer.end !== length) return null;
  const inner = outer['expression'];
  if (!isNode(inner) || inner.type !== 'ArrowFunctionExpression' || inner['async'] !== true) return null;
  const block = inner['body'];
  const spans = isNode(block) && block.start === opening.length - 2 && block.end === length - 1;
  return spans ? inner : null;
}

function problemOf(
  errors: readonly { readonly message: string; readonly start: number; readonly end: number }[],
  source: string,
): CodeProblem | null {
  const [error] = errors;
  if (error === undefined) return null;
  const last = opening.length + source.length;
  const [start, end] = [Math.min(error.start, last), Math.min(error.end, last)];
  return { what: error.message.replace(/\.$/, ''), start, end };
}

function refusedBy({ type, start, end }: JavascriptNode): CodeProblem {
  if (type === 'TSImportEqualsDeclaration') return { what: 'import', start, end, isImport: true };
  return { what: 'this part of TypeScript is more than a type and does not run by itself', start, end };
}
