// What is around a node of a tree, parentheses and optional chains aside.

import type { JavascriptNode } from '../../core/index.ts';
import { isNode, type Tree } from './tree.ts';

/** The node itself, out of parentheses and optional chains. */
export function bare(node: unknown): JavascriptNode | null {
  let current = node;
  while (isNode(current) && wrappers.has(current.type)) current = current['expression'];
  return isNode(current) ? current : null;
}

const wrappers: ReadonlySet<string> = new Set(['ParenthesizedExpression', 'ChainExpression']);

/** The node around a node, and the node as that one holds it. */
export function around(
  node: JavascriptNode,
  tree: Tree,
): readonly [JavascriptNode | undefined, JavascriptNode] {
  let inner = node;
  let outer = tree.parentOf(node);
  while (outer !== undefined && wrappers.has(outer.type)) {
    inner = outer;
    outer = tree.parentOf(outer);
  }
  return [outer, inner];
}

export function isAssigned(node: JavascriptNode, tree: Tree): boolean {
  const [outer, inner] = around(node, tree);
  if (outer === undefined) return false;
  if (outer.type === 'AssignmentExpression') return outer['left'] === inner;
  return (
    outer.type === 'UpdateExpression' || (outer.type === 'UnaryExpression' && outer['operator'] === 'delete')
  );
}
