// Python's lists and dictionaries, and the functions that walk over them.

import { callThing } from '../script/calls.ts';
import type { Call, Operation } from '../script/machine.ts';
import { getItem, itemsOf, keysOf, setItem, setRow } from '../script/objects.ts';
import {
  handle,
  joinAll,
  list,
  literals,
  map,
  none,
  number,
  originsOf,
  restKey,
  rowOf,
  type Thing,
  text,
  unknown,
  unknownFrom,
} from '../script/things.ts';
import { identity, type Operations } from './folding.ts';

/** The items of an iterable as a list of its own. */
function listFrom(call: Call): Thing {
  const [given] = call.args;
  if (!given) return list([]);
  const { items, exact } = itemsOf(call.machine, given);
  return list(items, exact);
}

function range(call: Call): Thing {
  const bounds = call.args.flatMap((argument) => (argument.kind === 'number' ? [argument.value] : []));
  if (bounds.length !== call.args.length || bounds.length === 0) return list([unknown], false);
  const [first = 0, second, step = 1] = bounds;
  const [from, to] = second === undefined ? [0, first] : [first, second];
  if (step === 0) return list([], true);
  const count = Math.max(0, Math.ceil((to - from) / step));
  if (count > 1024)
    return count > 10_000_000 ? handle('endless', { items: list([unknown], false) }) : list([unknown], false);
  call.machine.spend(count / 8);
  return list(Array.from({ length: count }, (_, index) => ({ kind: 'number', value: from + index * step })));
}

function mapOver(call: Call): Thing {
  const [by = unknown, ...sources] = call.args;
  const { machine, span } = call;
  const all = sources.map((source) => itemsOf(machine, source));
  const exact = all.every((source) => source.exact) && machine.exact;
  const count = exact ? Math.min(...all.map(({ items }) => items.length)) : 1;
  if (!exact)
    return list(
      [
        callThing(
          machine,
          by,
          all.map(({ items }) => joinAll(items)),
          new Map(),
          span,
        ),
      ],
      false,
    );
  const results: Thing[] = [];
  for (let index = 0; index < Math.min(count, 1024); index++)
    results.push(
      callThing(
        machine,
        by,
        all.map(({ items }) => items[index] ?? unknown),
        new Map(),
        span,
      ),
    );
  return list(results, count <= 1024);
}

function zip(call: Call): Thing {
  const all = call.args.map((source) => itemsOf(call.machine, source));
  if (!all.every(({ exact }) => exact)) return list([list(all.map(({ items }) => joinAll(items)))], false);
  const count = Math.min(1024, ...all.map(({ items }) => items.length));
  return list(
    Array.from({ length: all.length === 0 ? 0 : count }, (_, index) =>
      list(all.map(({ items }) => items[index] ?? unknown)),
    ),
  );
}

function reversed(call: Call): Thing {
  const { items, exact } = itemsOf(call.machine, call.args[0] ?? unknown);
  return list(items.toReversed(), exact);
}

/** The values of a map beside its keys. */
function pairs(thing: Thing): Thing {
  if (thing.kind !== 'map')
    return list([list([unknownFrom(originsOf(thing)), unknownFrom(originsOf(thing))])], false);
  const exact = !thing.entries.has(restKey);
  return list(
    [...thing.entries].map(([key, value]) => list([key === restKey ? unknown : text(key), value])),
    exact,
  );
}

/** A method that changes the list it is called on. */
function changes(apply: (items: readonly Thing[], call: Call) => readonly Thing[] | null): Operation {
  return (call) => {
    const { receiver, machine } = call;
    if (receiver.kind !== 'list') return none;
    const { items, exact } = rowOf(receiver);
    const changed = apply(items, call);
    setRow(machine, receiver, changed ?? [...items, ...call.args], exact && changed !== null);
    return none;
  };
}

/** Lists, dictionaries, and what walks over them. */
export const rowOperations: Operations = {
  'builtins.list': listFrom,
  'builtins.tuple': listFrom,
  'builtins.set': listFrom,
  'builtins.frozenset': listFrom,
  'builtins.iter': identity,
  'builtins.next': (call) => {
    const { items, exact } = itemsOf(call.machine, call.args[0] ?? unknown);
    return exact && items.length === 1 ? (items[0] ?? unknown) : joinAll([...items, ...call.args.slice(1)]);
  },
  'builtins.sorted': (call) => {
    const { items } = itemsOf(call.machine, call.args[0] ?? unknown);
    const key = call.keywords.get('key');
    if (key && key.kind !== 'none') callThing(call.machine, key, [joinAll(items)], new Map(), call.span);
    return list(items, false);
  },
  'builtins.reversed': reversed,
  'builtins.enumerate': (call) => {
    const { items, exact } = itemsOf(call.machine, call.args[0] ?? unknown);
    return list(
      items.map((item, index) => list([exact ? number(index) : unknown, item])),
      exact,
    );
  },
  'builtins.zip': zip,
  'builtins.map': mapOver,
  'builtins.filter': (call) => {
    const [by = unknown, source = unknown] = call.args;
    const { items } = itemsOf(call.machine, source);
    if (by.kind !== 'none') callThing(call.machine, by, [joinAll(items)], new Map(), call.span);
    return list(items, false);
  },
  'builtins.range': range,
  'builtins.xrange': range,
  'itertools.count': () => handle('endless', { items: list([unknown], false) }),
  'itertools.repeat': ({ args: [given = unknown, times] }) =>
    times ? list([given], false) : handle('endless', { items: list([given], false) }),
  'itertools.cycle': (call) =>
    handle('endless', { items: list(itemsOf(call.machine, call.args[0] ?? unknown).items, false) }),
  'itertools.chain': (call) => {
    const all = call.args.map((source) => itemsOf(call.machine, source));
    return list(
      all.flatMap(({ items }) => items),
      all.every(({ exact }) => exact),
    );
  },
  'itertools.chain.from_iterable': (call) => {
    const { items, exact } = itemsOf(call.machine, call.args[0] ?? unknown);
    const all = items.map((item) => itemsOf(call.machine, item));
    return list(
      all.flatMap((row) => row.items),
      exact && all.every((row) => row.exact),
    );
  },
  'itertools.starmap': (call) => {
    const [by = unknown, source = unknown] = call.args;
    const { items } = itemsOf(call.machine, source);
    return list(
      items.map((item) =>
        callThing(call.machine, by, itemsOf(call.machine, item).items, new Map(), call.span),
      ),
      false,
    );
  },
  'builtins.dict': (call) => {
    const [given] = call.args;
    const held = given?.kind === 'map' ? given.entries : [];
    const other =
      given && given.kind !== 'map' && given.kind !== 'list' ? unknownFrom(originsOf(given)) : undefined;
    const made = map([...held, ...call.keywords], other);
    if (given?.kind === 'list')
      for (const item of rowOf(given).items) {
        const [key, value] = itemsOf(call.machine, item).items;
        setItem(call.machine, made, key ?? unknown, value ?? unknown);
      }
    return made;
  },
  'builtins.sum': (call) => {
    const { items, exact } = itemsOf(call.machine, call.args[0] ?? unknown);
    if (exact && items.every((item) => item.kind === 'number'))
      return number(items.reduce((sum, item) => sum + (item.kind === 'number' ? item.value : 0), 0));
    return unknown;
  },
  'random.choice': (call) => joinAll(itemsOf(call.machine, call.args[0] ?? unknown).items),
  'random.sample': (call) => list(itemsOf(call.machine, call.args[0] ?? unknown).items, false),
  'functools.reduce': (call) => {
    const [by = unknown, source = unknown, first] = call.args;
    const { items, exact } = itemsOf(call.machine, source);
    if (!exact) return callThing(call.machine, by, [unknown, joinAll(items)], new Map(), call.span);
    const [start, ...others] = first ? [first, ...items] : items;
    return others.reduce(
      (held: Thing, item) => callThing(call.machine, by, [held, item], new Map(), call.span),
      start ?? unknown,
    );
  },

  '<list>.append': changes((items, { args }) => [...items, ...args]),
  '<list>.add': changes((items, { args }) => [...items, ...args]),
  '<list>.appendleft': changes((items, { args }) => [...args, ...items]),
  '<list>.extend': changes((items, { args: [given = unknown], machine }) => {
    const row = itemsOf(machine, given);
    return row.exact ? [...items, ...row.items] : null;
  }),
  '<list>.update': changes((items, { args: [given = unknown], machine }) => [
    ...items,
    ...itemsOf(machine, given).items,
  ]),
  '<list>.insert': changes((items, { args: [at, value = unknown] }) =>
    at?.kind === 'number' ? items.toSpliced(at.value, 0, value) : null,
  ),
  '<list>.reverse': changes((items) => items.toReversed()),
  '<list>.sort': changes(() => null),
  '<list>.clear': changes(() => []),
  '<list>.remove': changes((items) => (items.length === 1 ? [] : null)),
  '<list>.pop': (call) => {
    const { receiver, machine, args } = call;
    if (receiver.kind !== 'list') return unknown;
    const { items, exact } = rowOf(receiver);
    const index = args[0]?.kind === 'number' ? args[0].value : -1;
    const at = index < 0 ? items.length + index : index;
    if (!exact || (args[0] && args[0].kind !== 'number')) return joinAll(items);
    setRow(machine, receiver, items.toSpliced(at, 1), true);
    return items[at] ?? unknown;
  },
  '<list>.copy': ({ receiver }) =>
    receiver.kind === 'list' ? list(rowOf(receiver).items, rowOf(receiver).exact) : unknown,
  '<list>.index': () => unknown,
  '<list>.count': () => unknown,
  '<map>.get': ({ receiver, args: [key = unknown, fallback = none], machine }) => {
    const names = literals(key);
    if (receiver.kind === 'map' && names && !receiver.entries.has(restKey))
      return joinAll(names.map((name) => receiver.entries.get(name) ?? fallback));
    return getItem(machine, receiver, key);
  },
  '<map>.pop': ({ receiver, args: [key = unknown], machine }) => getItem(machine, receiver, key),
  '<map>.setdefault': ({ receiver, args: [key = unknown, value = none], machine }) => {
    const [name] = literals(key) ?? [];
    if (receiver.kind === 'map' && name !== undefined && !receiver.entries.has(name))
      setItem(machine, receiver, key, value);
    return getItem(machine, receiver, key);
  },
  '<map>.keys': ({ receiver }) => {
    const { items, exact } = keysOf(receiver);
    return list(items, exact);
  },
  '<map>.values': ({ receiver }) =>
    receiver.kind === 'map' ? list([...receiver.entries.values()], !receiver.entries.has(restKey)) : unknown,
  '<map>.items': ({ receiver }) => pairs(receiver),
  '<map>.copy': ({ receiver }) => (receiver.kind === 'map' ? map(receiver.entries) : unknown),
  '<map>.update': ({ receiver, args, keywords, machine }) => {
    for (const given of args)
      if (given.kind === 'map' && receiver.kind === 'map')
        for (const [key, value] of given.entries) machine.set(receiver.entries, key, value);
    if (receiver.kind === 'map')
      for (const [key, value] of keywords) machine.set(receiver.entries, key, value);
    return none;
  },
};
