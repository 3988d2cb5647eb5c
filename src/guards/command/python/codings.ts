// What turns a text into another form of it and back: encodings, JSON, the words of a shell.

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
import type { Call } from '../script/machine.ts';
import { itemsOf } from '../script/objects.ts';
import {
  bytesOf,
  concat,
  hole,
  list,
  literal,
  map,
  mapTexts,
  merge,
  none,
  number,
  originsOf,
  some,
  type TextThing,
  type Thing,
  text,
  texts,
  textsOf,
  truth,
  unknown,
  unknownFrom,
} from '../script/things.ts';
import { folds, method, type Operations } from './folding.ts';

/** The text that bytes are in an encoding. */
export function decodeBytes(given: Thing, encoding: string): Thing {
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

function bytesFrom(call: Call): Thing {
  const [given] = call.args;
  if (given?.kind === 'text') return codec(call, encoders, given, 'bytes');
  return bytesOf(given) ?? some(call.args, 'bytes');
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

/** Encodings, JSON and the words of a shell. */
export const codingOperations: Operations = {
  'builtins.bytes': bytesFrom,
  'builtins.bytearray': bytesFrom,
  'builtins.bytes.fromhex': folds(fromHex, 'bytes'),
  'builtins.bytearray.fromhex': folds(fromHex, 'bytes'),
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
  '<text>.encode': (call) =>
    codec({ ...call, at: (index, name) => call.at(index - 1, name) }, encoders, call.receiver, 'bytes'),
  '<bytes>.decode': (call) =>
    codec({ ...call, at: (index, name) => call.at(index - 1, name) }, codecs, call.receiver, 'string'),
  '<string>.decode': (call) =>
    codec({ ...call, at: (index, name) => call.at(index - 1, name) }, codecs, call.receiver, 'string'),
  '<bytes>.hex': method(toHex, 'string'),
};
