// Python's texts and numbers: their pure functions and methods, as far as constants fold through them.

import type { Call } from '../script/machine.ts';
import { itemsOf } from '../script/objects.ts';
import {
  concat,
  handle,
  hole,
  list,
  literal,
  map,
  mapTexts,
  merge,
  none,
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
import { decodeBytes } from './codings.ts';
import {
  asks,
  folds,
  identity,
  method,
  numberAt,
  type Operations,
  receiverItself,
  through,
} from './folding.ts';

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

/** Texts and numbers. */
export const textOperations: Operations = {
  'builtins.str': textFrom,
  'builtins.unicode': textFrom,
  'builtins.repr': textFrom,
  'builtins.memoryview': identity,
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
  'builtins.print': () => none,
  'builtins.id': () => unknown,
  'builtins.isinstance': () => unknown,
  'builtins.hasattr': () => unknown,
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
  'functools.partial': ({ args: [callee = unknown, ...args], keywords }) => ({
    kind: 'partial',
    callee,
    args,
    keywords,
  }),
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
};
