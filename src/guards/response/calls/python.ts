// Reads a list of calls as Python writes them, `[f(x=1), g()]`: names, keywords and plain values, nothing else.

import type { JsonValue } from '../../../core/index.ts';
import type { Written } from './shapes.ts';

/** The calls of a line; null if it is anything else. */
export function pythonCalls(line: string): readonly Written[] | null {
  const reader = new Reader(line.trim());
  try {
    const calls = reader.calls();
    return reader.done ? calls : null;
  } catch {
    return null;
  }
}

const deepest = 16;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get done(): boolean {
    return this.#at === this.#text.length;
  }

  calls(): readonly Written[] {
    const calls: Written[] = [];
    this.#expect('[');
    do calls.push(this.#call());
    while (this.#take(','));
    this.#expect(']');
    return calls;
  }

  #call(): Written {
    const tool = this.#match(/[A-Za-z_][\w.]{0,127}/y);
    this.#expect('(');
    const given: [string, JsonValue][] = [];
    while (!this.#take(')')) {
      if (given.length > 0) this.#expect(',');
      const name = this.#match(/[A-Za-z_]\w{0,127}/y);
      this.#expect('=');
      given.push([name, this.#value(0)]);
    }
    return { tool, arguments: Object.fromEntries(given) };
  }

  #value(depth: number): JsonValue {
    if (depth > deepest) throw new Error('too deep');
    this.#space();
    const first = this.#text[this.#at];
    if (first === '"' || first === "'") return this.#string();
    if (first === '[' || first === '(') return this.#list(first === '[' ? ']' : ')', depth);
    if (first === '{') return this.#dict(depth);
    const word = this.#match(/True|False|None|[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y);
    if (word === 'None') return null;
    return word === 'True' ? true : word === 'False' ? false : Number(word);
  }

  #list(end: string, depth: number): JsonValue {
    this.#at++;
    const items: JsonValue[] = [];
    while (!this.#take(end)) {
      if (items.length > 0) this.#expect(',');
      if (this.#take(end)) break;
      items.push(this.#value(depth + 1));
    }
    return items;
  }

  #dict(depth: number): JsonValue {
    this.#at++;
    const entries: [string, JsonValue][] = [];
    while (!this.#take('}')) {
      if (entries.length > 0) this.#expect(',');
      this.#space();
      const key = this.#string();
      this.#expect(':');
      entries.push([key, this.#value(depth + 1)]);
    }
    return Object.fromEntries(entries);
  }

  #string(): string {
    const written = this.#match(/"(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\\\n]|\\[^\n])*'/y);
    return written.slice(1, -1).replace(/\\(.)/g, (_, sign: string) => escapes[sign] ?? sign);
  }

  #match(pattern: RegExp): string {
    this.#space();
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) throw new Error('it is something else');
    this.#at += found.length;
    return found;
  }

  #take(sign: string): boolean {
    this.#space();
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  #expect(sign: string): void {
    if (!this.#take(sign)) throw new Error(`no ${sign}`);
  }

  #space(): void {
    while (this.#text[this.#at] === ' ' || this.#text[this.#at] === '\t') this.#at++;
  }
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
