// Reads the nodes of oxc: their children and texts, by name.

import type { JavascriptNode } from '../../../core/index.ts';

export type Node = JavascriptNode;

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

export function child(node: Node | null, key: string): Node | null {
  const value = node?.[key];
  return isNode(value) ? value : null;
}

export function children(node: Node | null, key: string): readonly Node[] {
  const value = node?.[key];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

export function text(node: Node | null, key: string): string {
  const value = node?.[key];
  return typeof value === 'string' ? value : '';
}

/** What only the compiler reads around a value. */
export const wrappers: ReadonlySet<string> = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
  'ParenthesizedExpression',
]);
