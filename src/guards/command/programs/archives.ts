// What programs that pack and unpack have in common: names on the standard input, and paths below another folder.

import type { Effect, Origin, Value } from '../effects.ts';
import { type Call, literal, mapValue, read, textOf } from '../tools/tool.ts';

/** Names that are read, each a line. */
const mostNames = 64;

export function linesOfInput(call: Call): readonly Value[] {
  const names = (textOf(call.io.stdin) ?? '').split('\n').filter((name) => name !== '');
  return names.slice(0, mostNames).map((name) => literal(name));
}

/** The files whose names come in are read. */
export function namedOnInput(call: Call): readonly Effect[] {
  return linesOfInput(call).flatMap((name) => read(call, name));
}

/** A path as it is below another folder. */
export function belowRoot(path: Value): Value {
  return mapValue(path, (text) => text.replace(/^[~/]+/, ''));
}

/** Where what is packed comes from. */
export function packedOrigins(members: readonly Effect[]): readonly Origin[] {
  return members.some(({ kind }) => kind === 'secret') ? ['secret'] : [];
}
