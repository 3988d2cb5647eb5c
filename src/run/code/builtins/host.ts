// Computations for the built-ins of a VM: pure functions of text, and random numbers. Only JSON is passed, and nothing
// here depends on the code that calls.

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { isJsonObject, type JsonValue } from '../../../core/index.ts';

type Worked = (...given: readonly JsonValue[]) => unknown;

/** Code runs with one language and one time zone, unless it names others. */
const defaultLocale = 'en-US';
const defaultZone = 'UTC';
/** Maximum number of cached formatters. */
const mostFormatters = 64;

/** The answer to a built-in as JSON: a value, or the name and the message of an error. INVARIANT: it never throws. */
export function answerBuiltin(name: string, json: string): string {
  try {
    const given: unknown = JSON.parse(json);
    const work = Array.isArray(given) ? workings.get(name) : undefined;
    if (work === undefined || !Array.isArray(given)) throw new TypeError('there is no such function');
    return JSON.stringify([work(...given) ?? null]);
  } catch (error) {
    const known = error instanceof Error ? error : new Error('it failed');
    return JSON.stringify([null, known.name, known.message]);
  }
}

const workings: ReadonlyMap<string, Worked> = new Map(
  Object.entries<Worked>({
    url: (url, base) => partsOf(new URL(String(url), base === null ? undefined : String(base))),
    url_with: (href, part, value) => {
      const url = new URL(String(href));
      const named = settable.find((one) => one === part);
      if (named !== undefined) url[named] = String(value);
      return partsOf(url);
    },
    params: (query) => [...new URLSearchParams(String(query))],
    query: (pairs) => new URLSearchParams(pairsIn(pairs)).toString(),
    encode: (text) => Buffer.from(String(text), 'utf8').toString('latin1'),
    decode: (bytes, label, fatal, ignoreBOM) => {
      const decoder = new TextDecoder(String(label), {
        fatal: fatal === true,
        ignoreBOM: ignoreBOM === true,
      });
      return decoder.decode(Buffer.from(String(bytes), 'latin1'));
    },
    encoding: (label) => new TextDecoder(String(label)).encoding,
    digest: (name, bytes) => {
      const algorithm = digests.get(String(name).toUpperCase());
      if (algorithm === undefined) throw new TypeError('Unrecognized algorithm name');
      return createHash(algorithm)
        .update(Buffer.from(String(bytes), 'latin1'))
        .digest()
        .toString('latin1');
    },
    uuid: () => randomUUID(),
    random: (count) => randomBytes(Math.min(Number(count), 65_536)).toString('latin1'),
    intl: (kind, locales, options, method, given) =>
      formatted(String(kind), locales, options, String(method), Array.isArray(given) ? given : []),
    supported: (kind, locales) => supportedOf(String(kind), localesIn(locales)),
    canonical: (locales) => Intl.getCanonicalLocales(localesIn(locales)),
    values: (key) => Intl.supportedValuesOf(String(key) as Parameters<typeof Intl.supportedValuesOf>[0]),
    locale: (tag, options) => localeOf(new Intl.Locale(String(tag), objectIn(options))),
    locale_to: (tag, method) => {
      const locale = new Intl.Locale(String(tag));
      return localeOf(method === 'maximize' ? locale.maximize() : locale.minimize());
    },
    number: (value, locales, options) => {
      const number = valueIn(value);
      const how = objectIn(options);
      return (typeof number === 'bigint' ? number : Number(number)).toLocaleString(localesIn(locales), how);
    },
    date: (method, time, locales, options) => dateIn(String(method), time, locales, options),
    upper: (text, locales) => String(text).toLocaleUpperCase(localesIn(locales)),
    lower: (text, locales) => String(text).toLocaleLowerCase(localesIn(locales)),
  }),
);

const digests: ReadonlyMap<string, string> = new Map([
  ['SHA-1', 'sha1'],
  ['SHA-256', 'sha256'],
  ['SHA-384', 'sha384'],
  ['SHA-512', 'sha512'],
]);

const settable = [
  ...['href', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'],
] as const as readonly (keyof URL &
  (
    | 'href'
    | 'protocol'
    | 'username'
    | 'password'
    | 'host'
    | 'hostname'
    | 'port'
    | 'pathname'
    | 'search'
    | 'hash'
  ))[];

function partsOf(url: URL): Readonly<Record<string, string>> {
  const parts = Object.fromEntries(settable.map((part) => [part, url[part]]));
  return { ...parts, origin: url.origin };
}

function pairsIn(pairs: JsonValue | undefined): [string, string][] {
  return Array.isArray(pairs)
    ? pairs.flatMap((pair): [string, string][] =>
        Array.isArray(pair) ? [[String(pair[0]), String(pair[1])]] : [],
      )
    : [];
}

function localesIn(locales: JsonValue | undefined): string | string[] {
  if (Array.isArray(locales)) return locales.length === 0 ? defaultLocale : locales.map(String);
  return typeof locales === 'string' ? locales : defaultLocale;
}

function objectIn(options: JsonValue | undefined): Record<string, JsonValue> {
  return isJsonObject(options) ? { ...options } : {};
}

/** Numbers that JSON has no form for come as an object with their text. */
function valueIn(value: JsonValue | undefined): unknown {
  if (!isJsonObject(value)) return value;
  const { bigint, number } = value;
  if (typeof bigint === 'string') return BigInt(bigint);
  return typeof number === 'string' ? Number(number) : value;
}

const dateMethods = ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'] as const;

function dateIn(
  method: string,
  time: JsonValue | undefined,
  locales: JsonValue | undefined,
  options: JsonValue | undefined,
): string {
  const named = dateMethods.find((one) => one === method) ?? 'toLocaleString';
  const date = new Date(time === null ? Number.NaN : Number(time));
  return date[named](localesIn(locales), { timeZone: defaultZone, ...objectIn(options) });
}

/** A formatter, as far as the code of a VM may use it. */
type Formatter = Readonly<Record<string, (...given: unknown[]) => unknown>>;

const makers: ReadonlyMap<string, new (locales: string | string[], options: never) => object> = new Map(
  Object.entries({
    NumberFormat: Intl.NumberFormat,
    DateTimeFormat: Intl.DateTimeFormat,
    Collator: Intl.Collator,
    PluralRules: Intl.PluralRules,
    RelativeTimeFormat: Intl.RelativeTimeFormat,
    ListFormat: Intl.ListFormat,
    DisplayNames: Intl.DisplayNames,
    Segmenter: Intl.Segmenter,
  }) as never,
);

const methods: ReadonlySet<string> = new Set([
  ...['format', 'formatToParts', 'formatRange', 'formatRangeToParts', 'resolvedOptions'],
  ...['compare', 'select', 'selectRange', 'of', 'segment'],
]);

const formatters = new Map<string, Formatter>();

function formatterFor(
  kind: string,
  locales: JsonValue | undefined,
  options: JsonValue | undefined,
): Formatter {
  const key = JSON.stringify([kind, locales, options]);
  const known = formatters.get(key);
  if (known !== undefined) return known;
  const Maker = makers.get(kind);
  if (Maker === undefined) throw new TypeError(`Intl.${kind} is not available here`);
  const given = { ...(kind === 'DateTimeFormat' ? { timeZone: defaultZone } : {}), ...objectIn(options) };
  const made = new Maker(localesIn(locales), given as never) as unknown as Formatter;
  if (formatters.size >= mostFormatters) formatters.clear();
  formatters.set(key, made);
  return made;
}

function formatted(
  kind: string,
  locales: JsonValue | undefined,
  options: JsonValue | undefined,
  method: string,
  given: readonly JsonValue[],
): unknown {
  const formatter = formatterFor(kind, locales, options);
  if (method === '') return null;
  const work = methods.has(method) ? formatter[method] : undefined;
  if (work === undefined) throw new TypeError(`Intl.${kind} has no ${method}`);
  const answer = work.apply(formatter, given.map(valueIn));
  return kind === 'Segmenter' && method === 'segment' ? [...(answer as Iterable<object>)] : answer;
}

function supportedOf(kind: string, locales: string | string[]): readonly string[] {
  const Maker = makers.get(kind) as
    | { supportedLocalesOf?: (locales: string | string[]) => string[] }
    | undefined;
  return Maker?.supportedLocalesOf?.(locales) ?? [];
}

function localeOf(locale: Intl.Locale): Readonly<Record<string, unknown>> {
  const { baseName, language, script, region, calendar, collation, hourCycle, numberingSystem } = locale;
  const own = { baseName, language, script, region, calendar, collation, hourCycle, numberingSystem };
  return { ...own, numeric: locale.numeric === true, caseFirst: locale.caseFirst, text: locale.toString() };
}
