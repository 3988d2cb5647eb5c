// Takes the types out of TypeScript. What is taken out becomes white space, so that every place stays where it was.

import type { JavascriptNode } from '../../core/index.ts';
import { childrenOf, isNode } from './tree.ts';

/** The text without its types, or the node that is more than a type and has no plain form. */
export type Stripped = { readonly text: string } | { readonly refused: JavascriptNode };

/** Declarations that are nothing once types are gone. */
const declarations: ReadonlySet<string> = new Set([
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSDeclareFunction',
]);

/** Parts that are nothing but types. */
const types: ReadonlySet<string> = new Set([
  'TSTypeAnnotation',
  'TSTypeParameterDeclaration',
  'TSTypeParameterInstantiation',
]);

/** Marks that only the compiler of TypeScript knows, and what can carry them beside its own kinds. */
const marks = ['accessibility', 'abstract', 'readonly', 'override', 'declare', 'definite'];
const marked: ReadonlySet<string> = new Set([
  'ClassDeclaration',
  'ClassExpression',
  'PropertyDefinition',
  'MethodDefinition',
  'AccessorProperty',
  'VariableDeclaration',
  'VariableDeclarator',
]);

/** Types behind an expression. */
const asserting: ReadonlySet<string> = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSInstantiationExpression',
]);

function hasNoPlainForm(node: JavascriptNode): boolean {
  const { type } = node;
  const hasMarks = marked.has(type) && marks.some((mark) => !isPlainMark(node[mark]));
  const hasInterfaces = Array.isArray(node['implements']) && node['implements'].length > 0;
  return type.startsWith('TS') || hasMarks || hasInterfaces;
}

/** Strips the tree that was read of a text. */
export function stripTypes(text: string, root: JavascriptNode): Stripped {
  const blanks: { start: number; end: number; ends: boolean }[] = [];
  let refused: JavascriptNode | undefined;

  /** Blanks a part; line ends stay. A semicolon goes where what follows could join what stands before. */
  function blank(start: number, end: number, ends = false): void {
    if (end > start) blanks.push({ start, end, ends });
  }

  /** The last node that starts a statement around the current one. */
  function visit(node: JavascriptNode, statementEnd: number): void {
    if (refused !== undefined) return;
    const { type, start, end } = node;
    if (declarations.has(type) || node['declare'] === true) {
      blank(start, end, true);
      return;
    }
    if (types.has(type)) {
      blank(start, end);
      return;
    }
    const { expression } = node;
    if (isNode(expression) && asserting.has(type)) {
      blank(expression.end, end, end === statementEnd);
      visit(expression, -1);
      return;
    }
    if (isNode(expression) && type === 'TSTypeAssertion') {
      blank(start, expression.start);
      visit(expression, statementEnd);
      return;
    }
    const isTyped = node['importKind'] === 'type' || node['exportKind'] === 'type';
    // An import is refused for what it is, whatever it is made of.
    if (isTyped && type.startsWith('Import')) return;
    if (hasNoPlainForm(node)) {
      refused = node;
      return;
    }
    if (node['optional'] === true && (type === 'Identifier' || type === 'PropertyDefinition')) {
      blankQuestion(node);
    }
    const last = statements.has(type) && text[end - 1] !== ';' ? end : statementEnd;
    for (const child of childrenOf(node)) visit(child, last);
  }

  /** The question mark of something optional stands behind its name. */
  function blankQuestion(node: JavascriptNode): void {
    const { key, name, typeAnnotation } = node;
    const from = isNode(key) ? key.end : node.start + (typeof name === 'string' ? name.length : 0);
    const to = isNode(typeAnnotation) ? typeAnnotation.start : node.end;
    const at = text.indexOf('?', from);
    if (at >= 0 && at < to) blank(at, at + 1);
  }

  visit(root, -1);
  return refused === undefined ? { text: withBlanks(text, blanks) } : { refused };
}

function isPlainMark(value: unknown): boolean {
  return value === undefined || value === false || value === null;
}

/** The text with white space in place of parts of it, which do not overlap. */
function withBlanks(
  text: string,
  blanks: readonly { readonly start: number; readonly end: number; readonly ends: boolean }[],
): string {
  let result = '';
  let last = 0;
  for (const { start, end, ends } of blanks.toSorted((a, b) => a.start - b.start)) {
    const white = text.slice(start, end).replace(/[^\n\r]/g, ' ');
    result += text.slice(last, start) + (ends ? `;${white.slice(1)}` : white);
    last = end;
  }
  return result + text.slice(last);
}

const statements: ReadonlySet<string> = new Set([
  'ExpressionStatement',
  'VariableDeclaration',
  'ReturnStatement',
  'ThrowStatement',
]);
