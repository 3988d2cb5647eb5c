// Reads code as the body of a function: its tree is that function and nothing else, so that no text breaks out of it.

import type { JavascriptNode, ReadCode } from '../../core/index.ts';
import { isTooDeep } from '../../core/nesting.ts';
import { applyEdits, type Edit, type Edited, whiteSpaceFor } from './edits.ts';
import { stripTypes } from './strip.ts';
import { childrenOf, isFunction, isNode, nodesIn } from './tree.ts';

/** What stands around the code while it is read and run; the code starts on the second line. */
export const opening = '(async () => {\n';
export const closing = '\n})';

/** Code that was read. */
interface CodeTree {
  /** The code as it would run, without types; every line is where it was. */
  readonly text: string;
  /** The function whose body is the code; places in it are behind `opening`. */
  readonly root: JavascriptNode;
  /** The first thing that is wrong with the text; a tree is there all the same. */
  readonly problem: CodeProblem | null;
  /** The place in the source that a place in the tree comes from. */
  before(place: number): number;
}

/** Why code cannot be read, or not run, and where. */
export interface CodeProblem {
  readonly what: string;
  readonly start: number;
  readonly end: number;
  /** Whether it is an import in the words of TypeScript. */
  readonly isImport?: boolean;
}

/** Code, or the problem with it where there is no tree. */
type Read = { readonly code: CodeTree } | { readonly problem: CodeProblem };

/** Reads code; a problem where there is no tree. */
export function readCode(source: string, language: 'js' | 'ts', read: ReadCode): Read {
  if (isTooDeep(source)) return { problem: nestedTooDeeply };
  const inside = withoutProse(source);
  const first = readPlain(inside, language, read);
  return inside === source || isRead(first) ? first : readPlain(source, language, read);
}

function readPlain(source: string, language: 'js' | 'ts', read: ReadCode): Read {
  const { text, language: named = language } = unfenced(source);
  return returning(readBody(text, named, read), read);
}

function isRead(result: Read): boolean {
  return 'code' in result && result.code.problem === null;
}

function readBody(source: string, language: 'js' | 'ts', read: ReadCode): Read {
  const whole = `${opening}${source}${closing}`;
  const first = read(whole, language);
  const problem = problemOf(first.errors, source);
  const root = functionOf(first.program, whole.length);
  if (root === null) return { problem: problem ?? brokenOut };
  const before = (place: number) => place;
  if (language === 'js') return { code: { text: source, root, problem, before } };
  const stripped = stripTypes(whole, root);
  if ('refused' in stripped) return { problem: refusedBy(stripped.refused) };
  if (stripped.text === whole) return { code: { text: source, root, problem, before } };
  return readAgain(stripped, read);
}

/** What runs is what is judged: a text that was changed is read again, as JavaScript. */
function readAgain(edited: Edited, read: ReadCode): Read {
  const again = readBody(edited.text.slice(opening.length, -closing.length), 'js', read);
  if ('problem' in again) {
    const { problem } = again;
    const [start, end] = [edited.before(problem.start), edited.before(problem.end)];
    return { problem: { ...problem, start, end } };
  }
  const { code } = again;
  return { code: { ...code, before: (place) => edited.before(code.before(place)) } };
}

const fence = /^(\s*(`{3,}|~{3,})[^\S\n]*(\w*)[^\n]*\n)([\s\S]*?)(\n?[^\S\n]*\2\s*)$/;

/** The one Markdown fence of a text with white space for what is around it; the text where it has none, or several. */
function withoutProse(source: string): string {
  const lines = source.split('\n');
  const marks = lines.flatMap((line, place) => (/^\s*(?:`{3,}|~{3,})/.test(line) ? [place] : []));
  const [first = 0, last = 0] = marks;
  // In code, such a line can only be part of a comment.
  if (marks.length !== 2 || lines.slice(0, first).some((line) => line.includes('/*'))) return source;
  return lines.map((line, place) => (place < first || place > last ? whiteSpaceFor(line) : line)).join('\n');
}

/** The code in a Markdown fence, if the source is one; the fence becomes white space, so that every place stays. */
function unfenced(source: string): { readonly text: string; readonly language?: 'ts' } {
  const [, open = '', , named = '', code = '', close = ''] = fence.exec(source) ?? [];
  if (open === '') return { text: source };
  const text = whiteSpaceFor(open) + code + whiteSpaceFor(close);
  return /^(?:ts|tsx|typescript)$/i.test(named) ? { text, language: 'ts' } : { text };
}

/**
 * Code that returns nothing at its own level returns its last expression, as in a console; a function that is all it
 * ends in is called.
 */
function returning(result: Read, read: ReadCode): Read {
  if ('problem' in result || result.code.problem !== null) return result;
  const { text, root, before } = result.code;
  const { body } = root;
  const statements = isNode(body) ? nodesIn(body['body']) : [];
  const expression = statements.at(-1)?.['expression'];
  if (!isNode(expression) || idle.has(expression.type) || statements.some(returns)) return result;
  const { start, end } = expression;
  const called = isFunction(bareOf(expression));
  const edits: Edit[] = [{ start, end: start, text: called ? 'return (' : 'return ' }];
  if (called) edits.push({ start: end, end, text: ')()' });
  const again = readAgain(applyEdits(`${opening}${text}${closing}`, edits), read);
  // What cannot be read with the change runs without it.
  if ('problem' in again || again.code.problem !== null) return result;
  const { code } = again;
  return { code: { ...code, before: (place) => before(code.before(place)) } };
}

/** Expressions that are written for what they do. */
const idle: ReadonlySet<string> = new Set([
  'AssignmentExpression',
  'UpdateExpression',
  'UnaryExpression',
  'Literal',
]);

function bareOf(node: JavascriptNode): JavascriptNode {
  const inner = node['expression'];
  return node.type === 'ParenthesizedExpression' && isNode(inner) ? bareOf(inner) : node;
}

/** Whether a statement returns from the function that it is in. */
function returns(node: JavascriptNode): boolean {
  if (node.type === 'ReturnStatement') return true;
  return !isFunction(node) && childrenOf(node).some(returns);
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

/** Parts of TypeScript that have no form in JavaScript, by what a person calls them. */
const formless: ReadonlyMap<string, string> = new Map([
  ['TSModuleDeclaration', 'a namespace'],
  ['TSExportAssignment', 'export ='],
  ['TSNamespaceExportDeclaration', 'export as namespace'],
  ['MethodDefinition', 'a parameter property in a constructor without super() at its own level'],
]);

function refusedBy({ type, start, end }: JavascriptNode): CodeProblem {
  if (type === 'TSImportEqualsDeclaration') return { what: 'import', start, end, isImport: true };
  const named = formless.get(type) ?? 'this part of TypeScript';
  return { what: `${named} has no form in JavaScript`, start, end };
}
