// Reads the nodes of tree-sitter: without tokens and comments, and with a node in the place of none.

import type { PythonNode } from '../../../core/index.ts';

/** The children that are no tokens and no comments. */
export function named(node: PythonNode): PythonNode[] {
  return node.children.filter((child) => child.type !== 'comment' && !isToken(child));
}

function isToken(node: PythonNode): boolean {
  if (node.type === 'not in' || node.type === 'is not') return true;
  return node.children.length === 0 && node.type === node.text;
}

export const emptyNode: PythonNode = {
  type: '',
  text: ' ',
  start: 0,
  end: 0,
  children: [],
  field: () => null,
};

/** The names that a pattern of `case` binds. */
export function identifiers(node: PythonNode): PythonNode[] {
  if (node.type === 'identifier') return [node];
  if (node.type === 'dotted_name') {
    const parts = named(node);
    const [only] = parts;
    return parts.length === 1 && only !== undefined && only.text !== '_' ? [only] : [];
  }
  const skipped = node.type === 'class_pattern' || node.type === 'keyword_pattern' ? 1 : 0;
  return named(node).slice(skipped).flatMap(identifiers);
}
