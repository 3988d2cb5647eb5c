// Python's pure functions and the methods of its texts, lists and dictionaries, as far as constants fold through them.

import { callThing } from '../script/calls.ts';
import {
  fromBase32,
  fromBase64,
  fromBase85,
  fromHex,
  fromPercent,
  fromUtf8,
  rot13,
  toBase64,
  toHex,
  toPercent,
  toUtf8,
} from '../script/decode.ts';
import type { Call, Operation } from '../script/machine.ts';
import { getItem, itemsOf, keysOf, setItem, setRow } from '../script/objects.ts';
import {
  bytesOf,
  concat,
  handle,
  hole,
  joinAll,
  list,
  literal,
  literals,
  map,
  mapTexts,
  merge,
  none,
  number,
  originsOf,
  restKey,
  rowOf,
  type TextThing,
  type Thing,
  text,
  texts,
  textsOf,
  truth,
  unknown,
  unknownFrom,
} from '../script/things.ts';

type Operations = Record<string, Operation>;

/** A text of which nothing is known but where it came from. */
function some(things: readonly (Thing | undefined)[], form: TextThing['form'] = 'string'): TextThing {
  return text(hole, { form, origins: merge(...things.map((thing) => originsOf(thing))) });
}

/** A decoder or the like: from a literal to a literal. */
function folds(apply: (literal: string, call: Call) => string | null, form?: TextThing['form']): Operation {
  return (call) => {
    const [given] = call.args;
    call.machine.spend(textsOf(given).reduce((sum, { length }) => sum + length / 16, 0));
    return mapTexts(given, (source) => apply(source, call), form ? { form } : {}) ?? some(call.args, form);
  };
}

/** The same for a method, on every part that is known where a hole does no harm. */
function method(apply: (literal: string, call: Call) => string | null, form?: TextThing['form']): Operation {
  return (call) => {
    const { receiver } = call;
    call.machine.spend(textsOf(receiver).reduce((sum, { length }) => sum + length / 16, 0));
    return (
      mapTexts(receiver, (source) => apply(source, call), form ? { form } : {}) ??
      some([receiver, ...call.args], form ?? (receiver.kind === 'text' ? receiver.form : 'string'))
    );
  };
}

/** A method that holes pass through unharmed. */
function through(apply: (given: string, call: Call) => string): Operation {
  return (call) => {
    const { receiver } = call;
    if (receiver.kind !== 'text') return some([receiver, ...call.args]);
    call.machine.spend(receiver.texts.reduce((sum, { length }) => sum + length / 16, 0));
    return texts(
      receiver.texts.map((given) => apply(given, call)),
      {
        form: receiver.form,
        origins: merge(receiver.origins, ...call.args.map((argument) => originsOf(argument))),
        many: receiver.many,
      },
    );
  };
}

function asks(apply: (literal: string, other: string) => boolean): Operation {
  return ({ receiver, args }) => {
    const left = literal(receiver);
    const right = literal(args[0]);
    return left === null || right === null ? unknown : truth(apply(left, right));
  };
}

const numberAt = ({ args }: Call, index: number): number | null => {
  const given = args[index];
  return given?.kind === 'number' ? given.value : null;
};

/** A text without the given letters at its ends. */
function strip(
  given: string,
  set: Thing | undefined,
  { start, end }: { start: boolean; end: boolean },
): string {
  const letters = literal(set) ?? ' \t\n\r\f\v';
  let from = 0;
  let to = given.length;
  while (start && from < to && letters.includes(given.charAt(from))) from++;
  while (end && to > from && letters.includes(given.charAt(to - 1))) to--;
  return given.slice(from, to);
}

function replace(call: Call): Thing {
  const { receiver, machine } = call;
  const from = literal(call.args[0]);
  if (receiver.kind !== 'text' || from === null || from === '') return some([receiver, ...call.args]);
  const to = textsOf(call.args[1]);
  machine.spend(receiver.texts.reduce((sum, { length }) => sum + length / 8, 0));
  return texts(
    receiver.texts.flatMap((given) => to.map((other) => given.replaceAll(from, () => other))),
    { form: receiver.form, origins: merge(receiver.origins, originsOf(call.args[1])), many: receiver.many },
  );
}

function split(call: Call): Thing {
  const { receiver } = call;
  const separator = call.at(0, 'sep');
  const by = separator === undefined || separator.kind === 'none' ? null : literal(separator);
  if (receiver.kind !== 'text' || receiver.texts.length !== 1 || (by === null && separator?.kind === 'text'))
    return list([some([receiver])], false);
  const [source = ''] = receiver.texts;
  call.machine.spend(source.length / 8);
  const form = { form: receiver.form, origins: receiver.origins };
  const parts = by === null ? source.trim().split(/\s+/) : by === '' ? [source] : source.split(by);
  return list(
    parts.slice(0, 2048).map((part) => text(part, form)),
    !source.includes(hole) && parts.length <= 2048,
  );
}

function joinTexts(call: Call): Thing {
  const { receiver, machine } = call;
  const { items, exact } = itemsOf(machine, call.args[0] ?? unknown);
  const form = receiver.kind === 'text' ? receiver.form : 'string';
  const origins = merge(originsOf(receiver), ...items.map((item) => originsOf(item)));
  if (items.length === 0) return text('', { form });
  machine.spend(items.length);
  const parts = items.flatMap((item, index) =>
    index === 0 ? [textsOf(item)] : [textsOf(receiver), textsOf(item)],
  );
  return concat(exact ? parts : [...parts, [hole]], { form, origins });
}

/** `'…{}…{name}'.format(…)`. */
function format(call: Call): Thing {
  const { receiver, args, keywords } = call;
  if (receiver.kind !== 'text' || receiver.texts.length !== 1) return some([receiver, ...args]);
  const [source = ''] = receiver.texts;
  const parts: (readonly string[])[] = [];
  const used: Thing[] = [];
  let next = 0;
  let last = 0;
  for (const found of source.matchAll(/\{\{|\}\}|\{([^{}]*)\}/g)) {
    parts.push([source.slice(last, found.index)]);
    last = found.index + found[0].length;
    const [whole, inner] = found;
    if (inner === undefined) {
      parts.push([whole.charAt(0)]);
      continue;
    }
    const colon = inner.indexOf(':');
    const specification = colon < 0 ? '' : inner.slice(colon + 1);
    const name = (colon < 0 ? inner : inner.slice(0, colon)).replace(/!.$/, '');
    const [head = ''] = name.split(/[.[]/, 1);
    let value: Thing | undefined =
      head === '' ? args[next++] : /^\d+$/.test(head) ? args[Number(head)] : keywords.get(head);
    if (head !== name) value = unknownFrom(originsOf(value));
    if (value) used.push(value);
    parts.push(specification === '' ? textsOf(value) : formatted(value, specification));
  }
  parts.push([source.slice(last)]);
  return concat(parts, {
    form: receiver.form,
    origins: merge(receiver.origins, ...used.map((thing) => originsOf(thing))),
  });
}

/** One value in a format specification such as `c`, `x` or `02d`. */
function formatted(value: Thing | undefined, specification: string): readonly string[] {
  const found = /^(?:(.)?([<>^]))?(0)?(\d+)?([a-z])?$/i.exec(specification);
  if (!found || !value) return [hole];
  const [, fill = ' ', align, zero, width, type] = found;
  const pad = (given: string): string => {
    const size = Number(width ?? 0);
    if (size > 1000) return hole;
    if (zero) return given.padStart(size, '0');
    return align === '>' || (align === undefined && value.kind === 'number')
      ? given.padStart(size, fill)
      : given.padEnd(size, fill);
  };
  if (value.kind === 'number') {
    if (type === 'c') return [String.fromCodePoint(Math.max(0, Math.min(value.value, 0x10ffff)))];
    const base = { x: 16, X: 16, o: 8, b: 2 }[type ?? ''] ?? 10;
    return [pad(value.value.toString(base))];
  }
  return textsOf(value).map((given) => (given.includes(hole) ? given : pad(given)));
}

/** `'…%s…' % values`. */
export function percent(left: TextThing, right: Thing): Thing {
  const [source = ''] = left.texts;
  if (left.texts.length !== 1) return some([left, right]);
  const values = right.kind === 'list' ? rowOf(right).items : [right];
  const parts: (readonly string[])[] = [];
  let next = 0;
  let last = 0;
  for (const found of source.matchAll(/%(?:\((\w+)\))?[-#0 +]*(?:\d+|\*)?(?:\.\d+)?([a-zA-Z%])/g)) {
    parts.push([source.slice(last, found.index)]);
    last = found.index + found[0].length;
    const [, key, type] = found;
    if (type === '%') parts.push(['%']);
    else {
      const value =
        key !== undefined ? (right.kind === 'map' ? right.entries.get(key) : undefined) : values[next++];
      if (type === 'c' && value?.kind === 'number') parts.push([String.fromCharCode(value.value)]);
      else if (/[xXo]/.test(type ?? '') && value?.kind === 'number')
        parts.push([value.value.toString(type === 'o' ? 8 : 16)]);
      else parts.push(textsOf(value));
    }
  }
  parts.push([source.slice(last)]);
  return concat(parts, { form: left.form, origins: merge(left.origins, originsOf(right)) });
}

function decodeBytes(given: Thing, encoding: string): Thing {
  const name = encoding.toLowerCase().replaceAll('-', '').replaceAll('_', '');
  const by = codecs[name];
  if (!by) return some([given]);
  return mapTexts(given, by, { form: 'string' }) ?? some([given]);
}

const codecs: Readonly<Record<string, (source: string) => string | null>> = {
  utf8: fromUtf8,
  ascii: (source) => source,
  latin1: (source) => source,
  iso88591: (source) => source,
  utf16le: (source) => source.replace(/([\s\S])\0/g, '$1'),
  utf16: (source) => source.replace(/^\xff\xfe/, '').replace(/([\s\S])\0/g, '$1'),
  hex: fromHex,
  hexcodec: fromHex,
  base64: fromBase64,
  base64codec: fromBase64,
  rot13: rot13,
  rot13codec: rot13,
  unicodeescape: (source) =>
    source.replace(
      /\\x([\da-f]{2})|\\u([\da-f]{4})|\\([0-7]{3})|\\n/gi,
      (whole, two?: string, four?: string, octal?: string) =>
        whole === '\\n'
          ? '\n'
          : String.fromCharCode(octal ? Number.parseInt(octal, 8) : Number.parseInt(two ?? four ?? '0', 16)),
    ),
};

const encoders: Readonly<Record<string, (source: string) => string | null>> = {
  utf8: toUtf8,
  ascii: (source) => source,
  latin1: (source) => source,
  hex: toHex,
  base64: toBase64,
  rot13: rot13,
};

function codec(call: Call, table: typeof codecs, given: Thing | undefined, form: TextThing['form']): Thing {
  const encoding = (literal(call.at(1, 'encoding')) ?? 'utf8').toLowerCase().replace(/[-_]/g, '');
  const by = table[encoding];
  return (by && mapTexts(given, by, { form })) ?? some([given], form);
}

function textFrom(call: Call): Thing {
  const [given, encoding] = call.args;
  if (!given) return text('');
  if (given.kind === 'text' && given.form === 'bytes' && (encoding ?? call.keywords.get('encoding')))
    return decodeBytes(given, literal(encoding ?? call.keywords.get('encoding')) ?? 'utf8');
  if (given.kind === 'text') return { ...given, form: 'string' };
  if (given.kind === 'number' || given.kind === 'either')
    return texts(textsOf(given), { origins: originsOf(given) });
  if (given.kind === 'truth') return text(given.value ? 'True' : 'False');
  return some([given]);
}

function bytesFrom(call: Call): Thing {
  const [given] = call.args;
  if (given?.kind === 'text') return codec(call, encoders, given, 'bytes');
  return bytesOf(given) ?? some(call.args, 'bytes');
}

function integerFrom(call: Call): Thing {
  const [given] = call.args;
  if (given?.kind === 'number') return number(Math.trunc(given.value));
  const known = literal(given);
  if (known === null) return unknownFrom(originsOf(given));
  const base = call.at(1, 'base');
  return number(
    Number.parseInt(known.trim().replace(/^0[xob]/i, ''), base?.kind === 'number' ? base.value || 10 : 10),
  );
}

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

function fromJson(value: unknown, depth = 8): Thing {
  if (depth === 0) return unknown;
  if (typeof value === 'string') return text(value);
  if (typeof value === 'number') return number(value);
  if (typeof value === 'boolean') return truth(value);
  if (value === null) return none;
  if (Array.isArray(value)) return list(value.slice(0, 1024).map((item) => fromJson(item, depth - 1)));
  if (typeof value === 'object')
    return map(Object.entries(value).map(([key, entry]) => [key, fromJson(entry, depth - 1)] as const));
  return unknown;
}

/** What a literal in JSON means. */
function json(call: Call): Thing {
  const [given] = call.args;
  const known = literal(given);
  if (known === null || known.length > 65_536) return unknownFrom(originsOf(given));
  try {
    return fromJson(JSON.parse(known));
  } catch {
    return unknown;
  }
}

const quoted = (given: string): string =>
  /^[\w@%+=:,./-]+$/.test(given) ? given : `'${given.replaceAll("'", `'"'"'`)}'`;

function shlexSplit(call: Call): Thing {
  const [given] = call.args;
  const [source] = given?.kind === 'text' && given.texts.length === 1 ? given.texts : [];
  if (source === undefined) return list([some(call.args)], false);
  const words: string[] = [];
  for (const found of source.matchAll(/(?:"(?:\\[\s\S]|[^"\\])*"|'[^']*'|\\[\s\S]|[^\s"'\\])+/g))
    words.push(
      found[0].replace(
        /"((?:\\[\s\S]|[^"\\])*)"|'([^']*)'|\\([\s\S])/g,
        (_, double?: string, single?: string, escaped?: string) =>
          double !== undefined ? double.replace(/\\(["\\$`])/g, '$1') : (single ?? escaped ?? ''),
      ),
    );
  return list(
    words.map((word) => text(word, { origins: originsOf(given) })),
    !source.includes(hole),
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

const alphabetLower = 'abcdefghijklmnopqrstuvwxyz';

/** Attributes of libraries that are plain values. */
export const values: Readonly<Record<string, Thing>> = {
  'string.ascii_lowercase': text(alphabetLower),
  'string.ascii_uppercase': text(alphabetLower.toUpperCase()),
  'string.ascii_letters': text(alphabetLower + alphabetLower.toUpperCase()),
  'string.digits': text('0123456789'),
  'string.hexdigits': text('0123456789abcdefABCDEF'),
  'string.punctuation': text('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'),
  'os.sep': text('/'),
  'os.linesep': text('\n'),
  'os.name': text('posix'),
  'os.curdir': text('.'),
  'os.pardir': text('..'),
  'os.devnull': text('/dev/null'),
  'sys.platform': text('linux'),
  'os.O_RDONLY': number(0),
  'os.O_WRONLY': number(1),
  'os.O_RDWR': number(2),
  'os.O_CREAT': number(64),
  'os.O_EXCL': number(128),
  'os.O_TRUNC': number(512),
  'os.O_APPEND': number(1024),
  'stat.S_IRWXU': number(0o700),
  'stat.S_IRUSR': number(0o400),
  'stat.S_IWUSR': number(0o200),
  'stat.S_IXUSR': number(0o100),
  'stat.S_IRWXG': number(0o070),
  'stat.S_IRGRP': number(0o040),
  'stat.S_IWGRP': number(0o020),
  'stat.S_IXGRP': number(0o010),
  'stat.S_IRWXO': number(0o007),
  'stat.S_IROTH': number(0o004),
  'stat.S_IWOTH': number(0o002),
  'stat.S_IXOTH': number(0o001),
  'stat.S_ISUID': number(0o4000),
  'stat.S_ISGID': number(0o2000),
  'sys.executable': text('python3'),
};

const identity: Operation = ({ args }) => args[0] ?? unknown;
const receiverItself: Operation = ({ receiver }) => receiver;

export const textOperations: Operations = {
  'builtins.str': textFrom,
  'builtins.unicode': textFrom,
  'builtins.repr': textFrom,
  'builtins.bytes': bytesFrom,
  'builtins.bytearray': bytesFrom,
  'builtins.memoryview': identity,
  'builtins.bytes.fromhex': folds(fromHex, 'bytes'),
  'builtins.bytearray.fromhex': folds(fromHex, 'bytes'),
  'builtins.str.join': (call) =>
    joinTexts({ ...call, receiver: call.args[0] ?? unknown, args: call.args.slice(1) }),
  'builtins.str.format': (call) =>
    format({ ...call, receiver: call.args[0] ?? unknown, args: call.args.slice(1) }),
  'builtins.str.replace': (call) =>
    replace({ ...call, receiver: call.args[0] ?? unknown, args: call.args.slice(1) }),
  'builtins.int': integerFrom,
  'builtins.float': identity,
  'builtins.bool': () => unknown,
  'builtins.chr': ({ args: [given] }) =>
    given?.kind === 'number' && given.value >= 0 && given.value <= 0x10ffff
      ? text(String.fromCodePoint(given.value))
      : some([given]),
  'builtins.ord': ({ args: [given] }) => {
    const known = literal(given);
    return known === null || known === '' ? unknownFrom(originsOf(given)) : number(known.codePointAt(0) ?? 0);
  },
  'builtins.hex': ({ args: [given] }) =>
    given?.kind === 'number' ? text(`0x${given.value.toString(16)}`) : some([given]),
  'builtins.oct': ({ args: [given] }) =>
    given?.kind === 'number' ? text(`0o${given.value.toString(8)}`) : some([given]),
  'builtins.len': ({ args: [given] }) => {
    const known = literal(given);
    if (known !== null) return number(known.length);
    if (given?.kind === 'list' && rowOf(given).exact) return number(rowOf(given).items.length);
    return unknown;
  },
  'builtins.format': ({ args }) => {
    const [value, specification] = args;
    const by = literal(specification) ?? (specification ? null : '');
    return by === null
      ? some(args)
      : texts(by === '' ? textsOf(value) : formatted(value, by), { origins: originsOf(value) });
  },
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
  'builtins.print': () => none,
  'builtins.id': () => unknown,
  'builtins.isinstance': () => unknown,
  'builtins.hasattr': () => unknown,
  'random.choice': (call) => joinAll(itemsOf(call.machine, call.args[0] ?? unknown).items),
  'random.sample': (call) => list(itemsOf(call.machine, call.args[0] ?? unknown).items, false),
  'copy.copy': identity,
  'copy.deepcopy': identity,
  'textwrap.dedent': folds((source) => {
    const indents = source
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => /^[ \t]*/.exec(line)?.[0] ?? '');
    const [first = ''] = indents.toSorted((one, other) => one.length - other.length);
    return source
      .split('\n')
      .map((line) => (line.startsWith(first) ? line.slice(first.length) : line))
      .join('\n');
  }),
  'base64.b64decode': folds(fromBase64, 'bytes'),
  'base64.urlsafe_b64decode': folds(fromBase64, 'bytes'),
  'base64.standard_b64decode': folds(fromBase64, 'bytes'),
  'base64.decodebytes': folds(fromBase64, 'bytes'),
  'base64.decodestring': folds(fromBase64, 'bytes'),
  'base64.b32decode': folds(fromBase32, 'bytes'),
  'base64.b16decode': folds(fromHex, 'bytes'),
  'base64.b85decode': folds((source) => fromBase85(source, 'rfc1924'), 'bytes'),
  'base64.a85decode': folds((source) => fromBase85(source, 'ascii'), 'bytes'),
  'base64.b64encode': folds(toBase64, 'bytes'),
  'binascii.a2b_base64': folds(fromBase64, 'bytes'),
  'binascii.unhexlify': folds(fromHex, 'bytes'),
  'binascii.a2b_hex': folds(fromHex, 'bytes'),
  'binascii.hexlify': folds(toHex, 'bytes'),
  'codecs.decode': (call) => codec(call, codecs, call.args[0], 'string'),
  'codecs.encode': (call) => codec(call, encoders, call.args[0], 'string'),
  'urllib.parse.unquote': folds((source) => fromPercent(source)),
  'urllib.parse.unquote_plus': folds((source) => fromPercent(source, true)),
  'urllib.parse.quote': folds((source) => toPercent(source)),
  'urllib.parse.quote_plus': folds((source) => toPercent(source, '')),
  'urllib.parse.urljoin': ({ args: [base, path] }) => {
    const known = literal(base);
    const end = literal(path);
    if (known === null || end === null)
      return texts(
        textsOf(base).map((given) => given + hole),
        { origins: merge(originsOf(base), originsOf(path)) },
      );
    if (/^[a-z]+:\/\//i.test(end)) return text(end);
    const root = /^[a-z]+:\/\/[^/]*/i.exec(known)?.[0] ?? known;
    return text(end.startsWith('/') ? root + end : `${known.replace(/[^/]*$/, '')}${end}`);
  },
  'json.loads': json,
  'ast.literal_eval': json,
  'json.dumps': ({ args }) => some(args),
  'shlex.split': shlexSplit,
  'shlex.quote': folds(quoted),
  'pipes.quote': folds(quoted),
  'shlex.join': (call) =>
    concat(
      itemsOf(call.machine, call.args[0] ?? unknown).items.flatMap((item, index) => [
        ...(index > 0 ? [[' ']] : []),
        textsOf(item).map((given) => (given.includes(hole) ? given : quoted(given))),
      ]),
    ),
  'functools.partial': ({ args: [callee = unknown, ...args], keywords }) => ({
    kind: 'partial',
    callee,
    args,
    keywords,
  }),
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
  'string.Template': ({ args: [given = unknown] }) => handle('template', { text: given }),
  '<template>.substitute': ({ receiver, keywords, args }) => {
    const source = receiver.kind === 'handle' ? receiver.fields.get('text') : undefined;
    const known = literal(source);
    if (known === null) return some([source, ...args]);
    const named = new Map([...(args[0]?.kind === 'map' ? args[0].entries : []), ...keywords]);
    const parts = known.split(/\$(?:\{(\w+)\}|(\w+))/g);
    return concat(
      parts.map((part, index) =>
        index % 3 === 0 ? [part] : part === undefined ? [''] : textsOf(named.get(part)),
      ),
    );
  },

  '<text>.join': joinTexts,
  '<text>.replace': replace,
  '<text>.split': split,
  '<text>.rsplit': split,
  '<text>.splitlines': (call) => split({ ...call, args: [text('\n')] }),
  '<text>.partition': (call) => {
    const known = literal(call.receiver);
    const by = literal(call.args[0]);
    if (known === null || by === null) return list([some([call.receiver]), unknown, some([call.receiver])]);
    const index = known.indexOf(by);
    return list(
      (index < 0 ? [known, '', ''] : [known.slice(0, index), by, known.slice(index + by.length)]).map(
        (part) => text(part),
      ),
    );
  },
  '<text>.strip': through((given, { args }) => strip(given, args[0], { start: true, end: true })),
  '<text>.lstrip': through((given, { args }) => strip(given, args[0], { start: true, end: false })),
  '<text>.rstrip': through((given, { args }) => strip(given, args[0], { start: false, end: true })),
  '<text>.upper': through((given) => given.toUpperCase()),
  '<text>.lower': through((given) => given.toLowerCase()),
  '<text>.casefold': through((given) => given.toLowerCase()),
  '<text>.capitalize': through((given) => given.charAt(0).toUpperCase() + given.slice(1).toLowerCase()),
  '<text>.title': through((given) =>
    given.toLowerCase().replace(/[a-z]+/g, (word) => word.charAt(0).toUpperCase() + word.slice(1)),
  ),
  '<text>.swapcase': through((given) =>
    Array.from(given, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    ).join(''),
  ),
  '<text>.removeprefix': method((given, call) => {
    const start = literal(call.args[0]);
    return start === null ? null : given.startsWith(start) ? given.slice(start.length) : given;
  }),
  '<text>.removesuffix': method((given, call) => {
    const end = literal(call.args[0]);
    return end === null ? null : given.endsWith(end) ? given.slice(0, given.length - end.length) : given;
  }),
  '<text>.zfill': method((given, call) => given.padStart(Math.min(numberAt(call, 0) ?? 0, 1000), '0')),
  '<text>.ljust': method((given, call) =>
    given.padEnd(Math.min(numberAt(call, 0) ?? 0, 1000), literal(call.args[1]) ?? ' '),
  ),
  '<text>.rjust': method((given, call) =>
    given.padStart(Math.min(numberAt(call, 0) ?? 0, 1000), literal(call.args[1]) ?? ' '),
  ),
  '<text>.expandtabs': receiverItself,
  '<text>.format': format,
  '<text>.format_map': (call) =>
    format({ ...call, keywords: call.args[0]?.kind === 'map' ? call.args[0].entries : new Map(), args: [] }),
  '<text>.encode': (call) =>
    codec({ ...call, at: (index, name) => call.at(index - 1, name) }, encoders, call.receiver, 'bytes'),
  '<bytes>.decode': (call) =>
    codec({ ...call, at: (index, name) => call.at(index - 1, name) }, codecs, call.receiver, 'string'),
  '<string>.decode': (call) =>
    codec({ ...call, at: (index, name) => call.at(index - 1, name) }, codecs, call.receiver, 'string'),
  '<bytes>.hex': method(toHex, 'string'),
  '<text>.translate': (call) => {
    const [table] = call.args;
    if (table?.kind !== 'map') return some([call.receiver]);
    return (
      mapTexts(call.receiver, (given) =>
        Array.from(given, (letter) => {
          const to = table.entries.get(String(letter.codePointAt(0))) ?? table.entries.get(letter);
          return to === undefined
            ? letter
            : to.kind === 'number'
              ? String.fromCodePoint(to.value)
              : to.kind === 'none'
                ? ''
                : (literal(to) ?? hole);
        }).join(''),
      ) ?? some([call.receiver])
    );
  },
  'builtins.str.maketrans': ({ args: [from, to] }) => {
    const [left, right] = [literal(from), literal(to)];
    if (from?.kind === 'map') return from;
    if (left === null || right === null) return unknown;
    return map([...left].map((letter, index) => [letter, text(right.charAt(index))] as const));
  },
  '<text>.startswith': asks((given, start) => given.startsWith(start)),
  '<text>.endswith': asks((given, end) => given.endsWith(end)),
  '<text>.find': ({ receiver, args }) => {
    const [left, right] = [literal(receiver), literal(args[0])];
    return left === null || right === null ? unknown : number(left.indexOf(right));
  },
  '<text>.index': ({ receiver, args }) => {
    const [left, right] = [literal(receiver), literal(args[0])];
    return left === null || right === null ? unknown : number(left.indexOf(right));
  },
  '<text>.count': () => unknown,

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
