// What JavaScript starts: programs, shells, code in texts, modules.

import { effects, rows, shells, starts } from '../script/actions.ts';
import { callThing } from '../script/calls.ts';
import { fromPercent } from '../script/decode.ts';
import type { Call, Operation } from '../script/machine.ts';
import { runCode } from '../script/run.ts';
import {
  concat,
  dynamic,
  handle,
  joinAll,
  list,
  literals,
  mapTexts,
  member,
  merge,
  none,
  originsOf,
  type Thing,
  text,
  textsOf,
  truthOf,
  unknown,
  unknownFrom,
} from '../script/things.ts';
import { library } from './names.ts';
import { callBack, option } from './operation.ts';

export function processOf(output: Thing): Thing {
  return handle('process', { stdout: output, stderr: output, stdin: handle('stdin') });
}

export const inShell: Operation = (call) => {
  const output = shells(call, call.args[0]);
  callBack(call, [none, output, output]);
  return call.name.endsWith('Sync') ? output : processOf(output);
};

export const program: Operation = (call) => {
  const [command, given] = call.args;
  const shell = option(call, 'shell');
  const args = given?.kind === 'list' ? rows(given) : [];
  const input = option(call, 'input');
  let output: Thing;
  if (shell && truthOf(shell) !== false) {
    const line = concat([textsOf(command), ...args.flatMap((argument) => [[' '], textsOf(argument)])], {
      origins: merge(originsOf(command), originsOf(given)),
    });
    output = shells(call, line, input);
  } else output = starts(call, list([command ?? unknown, ...args]), input);
  callBack(call, [none, output, output]);
  return processOf(output);
};

export const forksFile: Operation = (call) => {
  starts(
    call,
    list([
      text('node'),
      call.args[0] ?? unknown,
      ...rows(call.args[1]?.kind === 'list' ? call.args[1] : undefined),
    ]),
  );
  return processOf(unknown);
};

export function runs(call: Call, code: Thing | undefined): Thing {
  const source = code?.kind === 'handle' && code.type === 'code' ? code.fields.get('source') : code;
  const known = literals(source);
  if (known) return joinAll(known.map((given) => runCode(call.machine, given, call.span)));
  const origins = originsOf(source);
  effects(call, 'run', { origins: origins.length > 0 ? origins : ['unknown'] });
  call.machine.record.unknown('code that is not known', call.span);
  return unknownFrom(origins);
}

export const runsFirst: Operation = (call) => runs(call, call.args[0]);

/** Code that sees names of its own: the parameters of a function, or a context. */
export function runsWith(
  call: Call,
  code: Thing | undefined,
  names: Iterable<readonly [string, Thing]>,
): Thing {
  const { machine } = call;
  for (const [name, value] of names) machine.set(machine.frame.scope.names, name, value);
  return runs(call, code);
}

export const runsInContext: Operation = (call) => {
  const receives = call.receiver.kind === 'handle';
  const [code, context] = receives ? [call.receiver, call.args[0]] : call.args;
  return runsWith(call, code, context?.kind === 'map' ? context.entries : []);
};

const calledWith =
  (first: number): Operation =>
  (call) => {
    const [given] = call.args;
    if (given?.kind === 'text') return runs(call, given);
    if (given) callThing(call.machine, given, call.args.slice(first), new Map(), call.span);
    return unknown;
  };
/** Behind the function stands how long it waits. */
export const later = calledWith(2);
export const soon = calledWith(1);

export function required(call: Call): Thing {
  const names = literals(call.args[0]);
  if (!names)
    return {
      ...dynamic,
      origins: originsOf(call.args[0]).length > 0 ? originsOf(call.args[0]) : ['unknown'],
    };
  return joinAll(
    names.map((name) => {
      const [, coded, body] = /^data:[^,]*?(;base64)?,(.*)$/is.exec(name) ?? [];
      if (body !== undefined)
        return runs(call, coded === undefined ? text(fromPercent(body) ?? body) : unknown);
      const full = library(name);
      call.machine.dialect.imported(full, call.span, call.machine);
      return member(full);
    }),
  );
}

export function outputOf(thing: Thing): Thing {
  return (thing.kind === 'handle' && thing.fields.get('stdout')) || unknown;
}

/** The body of `new Function('…')` may begin with `return`, which only a function may. */
export function functionBody(code: Thing | undefined): Thing | undefined {
  return mapTexts(code, (given) => given.replace(/^\s*return\b/, '')) ?? code;
}
