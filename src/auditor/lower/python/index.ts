// Lowers Python, as tree-sitter reads it.

import type { ParsePython, PythonNode } from '../../../core/index.ts';
import type { Counter, Module } from '../../ir.ts';
import { Lowering } from '../lowering.ts';
import { declareIn } from './bindings.ts';
import { lowerBlock } from './lower.ts';

export function lowerPython(path: string, source: string, parse: ParsePython, counter: Counter): Module {
  const root = parse(source);
  const lowering = new Lowering({ path, language: 'python', source, ...survey(root) }, counter);
  declareIn(lowering, root);
  lowering.body.push(...lowerBlock(lowering, root));
  for (const [name, variable] of lowering.scope.names) lowering.offers.set(name, { variable });
  return lowering.module;
}

/** Comments, and what could not be read. */
function survey(root: PythonNode): Pick<Module, 'comments' | 'broken'> {
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
