// What a tree of tree-sitter says of its source as a whole.

import type { TreeNode } from '../../core/index.ts';
import type { Module } from '../ir.ts';

/** Comments, and what could not be read. */
export function survey(root: TreeNode): Pick<Module, 'comments' | 'broken'> {
  const comments: { text: string; at: number }[] = [];
  const broken: { message: string; at: number }[] = [];
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.type === 'comment') comments.push({ text: node.text, at: node.start });
    if (node.type === 'ERROR') broken.push({ message: 'this cannot be read', at: node.start });
    open.push(...node.children);
  }
  return { comments, broken };
}
