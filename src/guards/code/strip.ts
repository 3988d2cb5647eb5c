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

/** Marks of a class that only the compiler of TypeScript knows. */
const marks = ['accessibility', 'abstract', 'readonly', 'override', 'declare', 'definite'];

/** Strips the tree that was read of a text. */
export function stripTypes(text: string, root: JavascriptNode): Stripped {
  const units = text.split('');
  let refused: JavascriptNode | undefined;

  /** Blanks a part; line ends stay. A semicolon goes where what follows could join what stands before. */
  function blank(start: number, end: number, ends = false): void {
    for (let at = start; at < end; at++) {
      if (units[at] !== '\n' && units[at] !== '\r') units[at] = ' ';
    }
    if (ends && end > start) units[start] = ';';
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
    if (isNode(expression)) {
      if (type === 'TSAsExpression' || type === 'TSSatisfiesExpression' || type === 'TSNonNullExpression') {
        blank(expression.end, end, end === statementEnd);
        visit(expression, -1);
        return;
      }
      if (type === 'TSTypeAssertion') {
        blank(start, expression.start);
        visit(expression, statementEnd);
        return;
      }
      if (type === 'TSInstantiationExpression') {
        blank(expression.end, end, end === statementEnd);
        visit(expression, -1);
        return;
      }
    }
    const hasMarks = marks.some((mark) => node[mark] !== undefined && !isPlainMark(node[mark]));
    const hasInterfaces = Array.isArray(node['implements']) && node['implements'].length > 0;
    const isTyped = node['importKind'] === 'type' || node['exportKind'] === 'type';
    // An import is refused for what it is, whatever it is made of.
    if (isTyped && type.startsWith('Import')) return;
    if (type.startsWith('TS') || hasMarks || hasInterfaces) {
      refused = node;
      return;
    }
    if (node['optional'] === true && (type === 'Identifier' || type === 'PropertyDefinition')) {
      blankQuestion(node);
    }
    const last = statements.has(type) && units[end - 1] !== ';' ? end : statementEnd;
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
  return refused === undefined ? { text: units.join('') } : { refused };
}

function isPlainMark(value: unknown): boolean {
  return value === false || value === null;
}

const statements: ReadonlySet<string> = new Set([
  'ExpressionStatement',
  'VariableDeclaration',
  'ReturnStatement',
  'ThrowStatement',
]);
