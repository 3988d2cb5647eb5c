// JSON in one place: strict reading, and the canonical form of RFC 8785 that everything signed or bound uses.

import { InputError } from './errors.ts';

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export type JsonObject = { readonly [key: string]: JsonValue };

/** Deepest nesting that is read. */
export const maxJsonDepth = 64;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes bytes that must be UTF-8; a byte order mark is preserved, and so refused by the reader. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new InputError('the text is not valid UTF-8', { cause: error });
  }
}

/**
 * Reads one JSON text, refusing whatever two readers could understand differently:
 * duplicate keys, `__proto__`, integers beyond 2^53 - 1, numbers that overflow, lone surrogates, deep nesting.
 */
export function parseJson(text: string): JsonValue {
  const plain = plainJson(text);
  if (plain !== undefined) return plain;
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

/**
 * The engine's result for a text that it would have serialized identically: nothing in that is duplicated or ambiguous.
 * Undefined for any other text, which is read character by character.
 */
function plainJson(text: string): JsonValue | undefined {
  if (!isShallow(text)) return undefined;
  try {
    const value: JsonValue = JSON.parse(text);
    return isReadable(value) && JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether brackets outside of strings are nested within the limit. Strings are skipped. */
function isShallow(text: string): boolean {
  let open = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) {
      at = endOfString(text, at);
      if (at < 0) return false;
    } else if (unit === 0x5b || unit === 0x7b) {
      if (++open > maxJsonDepth) return false;
    } else if (unit === 0x5d || unit === 0x7d) open--;
  }
  return true;
}

/** The closing quote of the string that begins at a quote; -1 if there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return -1;
}

/** Whether nothing is refused in a value that the engine read from a text that it would have written itself. */
function isReadable(value: JsonValue): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isReadable);
  for (const [key, member] of Object.entries(value)) {
    if (key === '__proto__' || !key.isWellFormed() || !isReadable(member)) return false;
  }
  return true;
}

/** From so many units on, a string is read by the engine. */
const longString = 256;
const stringRun = /[^"\\\u0000-\u001f]*/y;
const numberToken = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const whitespace = /[ \t\n\r]*/y;
const hexDigits = /^[0-9a-fA-F]{4}$/;
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): JsonValue {
    if (depth > maxJsonDepth) throw this.#error(`nested deeper than ${maxJsonDepth}`);
    this.#skip();
    const character = this.#text[this.#at];
    switch (character) {
      case '{':
        return this.#object(depth);
      case '[':
        return this.#array(depth);
      case '"':
        return this.#string();
      case 't':
        return this.#word('true', true);
      case 'f':
        return this.#word('false', false);
      case 'n':
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  end(): void {
    this.#skip();
    if (this.#at < this.#text.length) throw this.#error('unexpected text after the value');
  }

  #object(depth: number): JsonObject {
    const result: Record<string, JsonValue> = {};
    this.#at++;
    this.#skip();
    if (this.#take('}')) return result;
    do {
      this.#skip();
      if (this.#text[this.#at] !== '"') throw this.#error('expected a key in double quotes');
      const keyAt = this.#at;
      const key = this.#string();
      if (key === '__proto__') throw this.#error('the key "__proto__" is refused', keyAt);
      if (Object.hasOwn(result, key)) throw this.#error(`the key ${JSON.stringify(key)} stands twice`, keyAt);
      this.#skip();
      if (!this.#take(':')) throw this.#error('expected ":"');
      result[key] = this.value(depth + 1);
      this.#skip();
    } while (this.#take(','));
    if (!this.#take('}')) throw this.#error('expected "," or "}"');
    return result;
  }

  #array(depth: number): JsonValue[] {
    const result: JsonValue[] = [];
    this.#at++;
    this.#skip();
    if (this.#take(']')) return result;
    do {
      result.push(this.value(depth + 1));
      this.#skip();
    } while (this.#take(','));
    if (!this.#take(']')) throw this.#error('expected "," or "]"');
    return result;
  }

  #string(): string {
    const start = this.#at;
    const whole = this.#longString();
    if (whole !== undefined) return whole;
    this.#at++;
    let result = '';
    for (;;) {
      result += this.#match(stringRun);
      const character = this.#text[this.#at];
      if (character === '"') break;
      if (character !== '\\') {
        throw this.#error(
          character === undefined ? 'the string does not end' : 'a control character in a string',
        );
      }
      result += this.#escape();
    }
    this.#at++;
    if (!result.isWellFormed()) throw this.#error('a lone surrogate in a string', start);
    return result;
  }

  /** A long string, as the engine reads it at once; undefined for a short one, and for one that is refused. */
  #longString(): string | undefined {
    const end = endOfString(this.#text, this.#at);
    if (end - this.#at < longString) return undefined;
    try {
      const result: unknown = JSON.parse(this.#text.slice(this.#at, end + 1));
      if (typeof result !== 'string' || !result.isWellFormed()) return undefined;
      this.#at = end + 1;
      return result;
    } catch {
      return undefined;
    }
  }

  #escape(): string {
    const character = this.#text[this.#at + 1] ?? '';
    const simple = escapes[character];
    if (simple !== undefined) {
      this.#at += 2;
      return simple;
    }
    const digits = this.#text.slice(this.#at + 2, this.#at + 6);
    if (character !== 'u' || !hexDigits.test(digits)) throw this.#error('an unknown escape in a string');
    this.#at += 6;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  #number(): number {
    const start = this.#at;
    const token = this.#match(numberToken);
    if (token === '') {
      throw this.#error(start >= this.#text.length ? 'the text ends too early' : 'unexpected character');
    }
    const value = Number(token);
    if (!Number.isFinite(value)) throw this.#error('a number out of range', start);
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      throw this.#error('an integer beyond 2^53 - 1; write it as a string', start);
    }
    return value === 0 ? 0 : value;
  }

  #word<T extends JsonValue>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) throw this.#error('unexpected character');
    this.#at += word.length;
    return value;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  #skip(): void {
    this.#match(whitespace);
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #error(what: string, at = this.#at): InputError {
    return new InputError(`not readable as JSON: ${what} (at character ${at + 1})`);
  }
}

/** Whether a value is a plain object as in JSON. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The canonical form of RFC 8785: keys sorted by UTF-16 units, no white space, ECMAScript numbers.
 * INVARIANT: two values have the same canonical form only if they are the same JSON value.
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      if (value.length < longString && !escaped.test(value)) return `"${value}"`;
      if (!value.isWellFormed()) throw new InputError('a lone surrogate has no canonical form');
      return JSON.stringify(value);
    case 'number':
      if (!Number.isFinite(value)) throw new InputError('a number that is not finite has no canonical form');
      return `${value}`;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      break;
    default:
      throw new InputError(`a value of type ${typeof value} has no canonical form`);
  }
  if (value === null) return 'null';
  if (Array.isArray(value)) {
    let items = '';
    // By number, so that a hole is met and refused.
    for (let index = 0; index < value.length; index++) {
      items += index === 0 ? canonicalJson(value[index]) : `,${canonicalJson(value[index])}`;
    }
    return `[${items}]`;
  }
  if (!isPlain(value)) throw new InputError('an object that is not plain data has no canonical form');
  const object = value as Record<string, unknown>;
  let text = '{';
  for (const key of sorted(Object.keys(object))) {
    const member = object[key];
    if (member === undefined) continue;
    if (text.length > 1) text += ',';
    text += quotedKey(key);
    text += canonicalJson(member);
  }
  return `${text}}`;
}

/** The longest list that is sorted by hand: the engine makes copies for each. */
const shortList = 24;

/** Sorts keys by UTF-16 units, in place. */
function sorted(keys: string[]): readonly string[] {
  if (keys.length > shortList) return keys.sort();
  for (let next = 1; next < keys.length; next++) {
    const key = keys[next] ?? '';
    let at = next;
    for (; at > 0 && (keys[at - 1] ?? '') > key; at--) keys[at] = keys[at - 1] ?? '';
    keys[at] = key;
  }
  return keys;
}

/** Characters of a string that must be escaped, or are not permitted. */
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Keys with their quotes and colon; the same few come again and again. */
const quotedKeys = new Map<string, string>();
const mostQuotedKeys = 1000;

function quotedKey(key: string): string {
  let quoted = quotedKeys.get(key);
  if (quoted === undefined) {
    quoted = `${canonicalJson(key)}:`;
    if (quotedKeys.size < mostQuotedKeys && key.length < 64) quotedKeys.set(key, quoted);
  }
  return quoted;
}

/** Whether an object is data and no Date, Map or instance of a class, which would all look empty. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** A JSON Pointer (RFC 6901) from its parts. */
export function jsonPointer(path: readonly (string | number)[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
