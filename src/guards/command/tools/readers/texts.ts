// Programs that read texts: show, search, sort, compare, sum up, edit as they flow.

import type { Effect } from '../../effects.ts';
import {
  beginningOf,
  effect,
  hostOf,
  hostTarget,
  inert,
  literal,
  nameTarget,
  options,
  orInert,
  read,
  type Tool,
  type Tools,
  textOf,
  write,
} from '../tool.ts';
import { reader } from './reader.ts';

const awkOptions = options(
  'F/field-separator= v/assign= f/file= e/source= E/exec= i/include= l/load= o? p? d? D? L? b c C g h I k M n N O P r S s t V',
);
const awk: Tool = (call) => {
  const given = awkOptions(call.args);
  const named = given.has('file', 'source', 'exec');
  const scripts = named ? given.all('source') : given.operands.slice(0, 1);
  const files = (named ? given.operands : given.operands.slice(1)).filter(
    (operand) => !/^[A-Za-z_]\w*=/.test(beginningOf(operand)),
  );
  const effects: Effect[] = given.all('file', 'exec', 'include').flatMap((path) => read(call, path));
  for (const script of scripts) {
    const text = beginningOf(script);
    for (const found of text.matchAll(/print[^;}\n]{0,200}?>>?\s*"([^"]+)"/g))
      effects.push(...write(call, literal(found[1] ?? ''), { detail: 'overwrite' }));
    for (const found of text.matchAll(/getline[^;}\n<]{0,200}<\s*"([^"]+)"/g))
      effects.push(...read(call, literal(found[1] ?? '')));
    for (const found of text.matchAll(/"\/inet[46]?\/(?:tcp|udp)\/[^/]*\/([^/"]+)/g))
      effects.push(
        effect(call, 'connect', { detail: 'tcp', target: hostTarget(hostOf(literal(found[1] ?? ''))) }),
      );
  }
  if (given.all('file', 'exec').some((path) => textOf(path) === '-'))
    effects.push(effect(call, 'run', { detail: 'stdin', origins: call.io.stdinOrigins }));
  if (given.has('load'))
    effects.push(effect(call, 'run', { detail: 'library', target: nameTarget(given.last('load')) }));
  const inPlace = given.all('include').some((library) => textOf(library) === 'inplace');
  return orInert(call, [
    ...effects,
    ...files.flatMap((path) => [
      ...read(call, path),
      ...(inPlace ? write(call, path, { detail: 'edit' }) : []),
    ]),
  ]);
};

/** cat, grep and their kin. */
export const textTools: Tools = {
  ts: (call) => inert(call),
  less: reader('p= P= o= O= b= h= j= k= t= T= x= y= z= D= lesskey-src= N S R X F i I M m q n e E', {
    outputs: ['o', 'O'],
  }),
  more: reader('n= d f l p c s u'),
  most: reader(),
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  logsave: (call) =>
    orInert(
      call,
      call.args.slice(0, 1).flatMap((path) => write(call, path, { detail: 'overwrite' })),
    ),
};
