// Reads the nodes of tree-sitter for Go.

import type { TreeNode } from '../../../core/index.ts';

/** The children that are no tokens and no comments. */
export function named(node: TreeNode | null): readonly TreeNode[] {
  if (node === null) return [];
  return node.children.filter((child) => child.type !== 'comment' && !isToken(child));
}

/** Names and values that are one letter or word are no tokens. */
const values =
  /^(nil|true|false|iota|identifier|blank_identifier|type_identifier|field_identifier|package_identifier|break_statement|continue_statement|fallthrough_statement|return_statement|dot)$/;

function isToken({ type, text, children }: TreeNode): boolean {
  return children.length === 0 && (type === text || type === '\n') && !values.test(type);
}

/** The children of one kind. */
export function ofType(node: TreeNode | null, type: string): readonly TreeNode[] {
  return node?.children.filter((child) => child.type === type) ?? [];
}

/** The parts of a list of expressions, or the one that there is. */
export function listed(node: TreeNode | null): readonly TreeNode[] {
  return node === null ? [] : node.type === 'expression_list' ? named(node) : [node];
}

/** The statements of a block, which a list may hold. */
export function statementsOf(node: TreeNode | null): readonly TreeNode[] {
  return named(node).flatMap((child) => (child.type === 'statement_list' ? named(child) : [child]));
}

/** A node without the parentheses around it. */
export function unwrapped(given: TreeNode | null): TreeNode | null {
  let node = given;
  while (node?.type === 'parenthesized_expression' || node?.type === 'parenthesized_type')
    node = named(node)[0] ?? null;
  return node;
}

/** The first name of a chain such as `a.b.c`; empty where it begins with something else. */
export function rootOf(given: TreeNode | null): string {
  let node = unwrapped(given);
  while (
    node?.type === 'selector_expression' ||
    node?.type === 'index_expression' ||
    node?.type === 'unary_expression'
  )
    node = unwrapped(node.field('operand'));
  return node?.type === 'identifier' ? node.text : '';
}
