// Texts, lists and bytes in JavaScript, as far as what they become can be known.

import { callThing } from '../script/calls.ts';
import { fromBase64, fromHex, fromUtf8, toBase64, toHex, toUtf8 } from '../script/decode.ts';
import type { Call, Operation } from '../script/machine.ts';
import { itemsOf, setRow } from '../script/objects.ts';
import {
  bytesOf,
  concat,
  hole,
  joinAll,
  list,
  literal,
  map,
  mapTexts,
  merge,
  number,
  originsOf,
  rowOf,
  some,
  type TextThing,
  type Thing,
  text,
  texts,
  textsOf,
  unknown,
  unknownFrom,
} from '../script/things.ts';

export const folds =
  (apply: (given: string, call: Call) => string | null, form: TextThing['form'] = 'string'): Operation =>
  (call) => {
    call.machine.spend(textsOf(call.args[0]).reduce((sum, { length }) => sum + length / 16, 0));
    return mapTexts(call.args[0], (given) => apply(given, call), { form }) ?? some(call.args, form);
  };

export const method =
  (apply: (given: string, call: Call) => string | null): Operation =>
  (call) => {
    call.machine.spend(textsOf(call.receiver).reduce((sum, { length }) => sum + length / 16, 0));
    return mapTexts(call.receiver, (given) => apply(given, call)) ?? some([call.receiver, ...call.args]);
  };

export const numberAt = ({ args }: Call, index: number): number | undefined => {
  const given = args[index];
  return given?.kind === 'number' ? given.value : undefined;
};

function decoded(given: Thing | undefined, encoding: string): Thing {
  const by: Readonly<Record<string, (source: string) => string | null>> = {
    base64: fromBase64,
    base64url: fromBase64,
    hex: fromHex,
    utf8: toUtf8,
    'utf-8': toUtf8,
    latin1: (source) => source,
    binary: (source) => source,
    ascii: (source) => source,
  };
  const apply = by[encoding];
  return (apply && mapTexts(given, apply, { form: 'bytes' })) ?? some([given], 'bytes');
}

export const buffer: Operation = (call) => {
  const [given, encoding] = call.args;
  return bytesOf(given) ?? decoded(given, encoding ? (literal(encoding) ?? '') : 'utf8');
};

export const shown: Operation = (call) => {
  const { receiver, args } = call;
  if (receiver.kind === 'number') return text(receiver.value.toString(numberAt(call, 0) ?? 10));
  if (receiver.kind !== 'text') return some([receiver]);
  if (receiver.form !== 'bytes') return receiver;
  const encoding = args[0] ? (literal(args[0]) ?? '') : 'utf8';
  const by: Readonly<Record<string, (source: string) => string>> = {
    base64: toBase64,
    hex: toHex,
    utf8: fromUtf8,
    'utf-8': fromUtf8,
    ascii: fromUtf8,
    latin1: (source) => source,
    binary: (source) => source,
  };
  const apply = by[encoding];
  return (apply && mapTexts(receiver, apply, { form: 'string' })) ?? some([receiver]);
};

export function eachItem(call: Call): Thing {
  const [by = unknown] = call.args;
  const { machine, span } = call;
  const { items, exact } = itemsOf(machine, call.receiver);
  if (!exact || !machine.exact || items.length > 1024)
    return list([callThing(machine, by, [joinAll(items), unknown], new Map(), span)], false);
  return list(items.map((item, index) => callThing(machine, by, [item, number(index)], new Map(), span)));
}

export const changes =
  (apply: (items: readonly Thing[], call: Call) => readonly Thing[]): Operation =>
  (call) => {
    if (call.receiver.kind !== 'list') return unknown;
    const { items, exact } = rowOf(call.receiver);
    setRow(call.machine, call.receiver, apply(items, call), exact);
    return call.receiver;
  };

export function joinItems(call: Call): Thing {
  const { items, exact } = itemsOf(call.machine, call.receiver);
  const by = call.args[0] ? textsOf(call.args[0]) : [','];
  call.machine.spend(items.length);
  const parts = items.flatMap((item, index) => (index === 0 ? [textsOf(item)] : [by, textsOf(item)]));
  return concat(exact ? parts : [...parts, [hole]], { origins: originsOf(call.receiver) });
}

export function split(call: Call): Thing {
  const { receiver, args } = call;
  const by = literal(args[0]);
  const [source] = receiver.kind === 'text' && receiver.texts.length === 1 ? receiver.texts : [];
  if (source === undefined || by === null) return list([some([receiver])], false);
  call.machine.spend(source.length / 8);
  const parts = source.split(by);
  return list(
    parts.slice(0, 1024).map((part) => text(part, { origins: originsOf(receiver) })),
    !source.includes(hole) && parts.length <= 1024,
  );
}

export const replace =
  (all: boolean): Operation =>
  (call) => {
    const { receiver, args } = call;
    const from = literal(args[0]);
    if (receiver.kind !== 'text' || from === null || from === '') return some([receiver, ...args]);
    const to = textsOf(args[1]);
    call.machine.spend(receiver.texts.reduce((sum, { length }) => sum + length / 8, 0));
    return texts(
      receiver.texts.flatMap((given) =>
        to.map((other) => (all ? given.replaceAll(from, () => other) : given.replace(from, () => other))),
      ),
      { form: receiver.form, origins: merge(receiver.origins, originsOf(args[1])) },
    );
  };

export function joinPaths(call: Call, root: string): Thing {
  const made = call.args.reduce<readonly string[]>(
    (held, part) =>
      held
        .flatMap((left) =>
          textsOf(part).map((right) =>
            right.startsWith('/') && root !== ''
              ? right
              : left === ''
                ? right
                : `${left.replace(/\/$/, '')}/${right.replace(/^\//, '')}`,
          ),
        )
        .slice(0, 64),
    [''],
  );
  const many = call.args.some((part) => part.kind === 'text' && part.many);
  return texts(made, { many, origins: merge(...call.args.map((part) => originsOf(part))) });
}

export function json(call: Call): Thing {
  const known = literal(call.args[0]);
  if (known === null) return unknownFrom(originsOf(call.args[0]));
  try {
    const value: unknown = JSON.parse(known);
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
      return list(value.map((item) => text(String(item))));
    if (typeof value === 'object' && value !== null)
      return map(
        Object.entries(value).map(
          ([key, entry]) => [key, typeof entry === 'string' ? text(entry) : unknown] as const,
        ),
      );
  } catch {
    return unknown;
  }
  return unknown;
}

export const thenDone: Operation = (call) => {
  const { receiver, args, machine, span } = call;
  const results = args.map((by) => callThing(machine, by, [receiver], new Map(), span));
  return results[0] ?? receiver;
};
