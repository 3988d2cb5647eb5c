// Lowers Python, as tree-sitter reads it.

import type { ParsePython } from '../../../core/index.ts';
import type { Counter, Module } from '../../ir.ts';
import { Lowering } from '../lowering.ts';
import { survey } from '../survey.ts';
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
