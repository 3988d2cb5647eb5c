// Lowers TypeScript and JavaScript, as oxc reads them.

import type { ModuleReader } from '../../../core/index.ts';
import type { Counter, Module } from '../../ir.ts';
import { Lowering } from '../lowering.ts';
import { lowerStatements } from './lower.ts';
import { children } from './nodes.ts';

export function lowerTypescript(
  path: string,
  source: string,
  reader: Pick<ModuleReader, 'read'>,
  counter: Counter,
): Module {
  const { program, errors, comments } = reader.read(source, path);
  const broken = errors.length > 0 ? [{ message: 'this cannot be read', at: 0 }] : [];
  const notes = comments.map(({ value, start }) => ({ text: value, at: start }));
  const lowering = new Lowering({ path, language: 'typescript', source, comments: notes, broken }, counter);
  lowering.body.push(...lowerStatements(lowering, children(program, 'body')));
  return lowering.module;
}
