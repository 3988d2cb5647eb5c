// Positions in a TOML text: from a path of keys to its line and column. The text has already been accepted by the
// parser, so this only has to scan it, and it runs only when there is a problem to show.

import type { Path } from '../core/shape.ts';

/** A place in a text; both count from 1, columns in UTF-16 units. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

interface Node {
  /** Offset of the key or array element that brought it about. */
  readonly at: number;
  readonly members: Map<string | number, Node>;
}

/** Gives the place of a path in a valid TOML text; a path that is not there has its nearest ancestor's place. */
export function locator(toml: string): (path: Path) => Place {
  const root = new Walker(toml).document();
  return (path) => {
    let node = root;
    for (const part of path) {
      const next = node.members.get(part);
      if (next === undefined) break;
      node = next;
    }
    return placeOf(toml, node.at);
  };
}

function placeOf(text: string, at: number): Place {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', start)) {
    line++;
    start = end + 1;
  }
  return { line, column: at - start + 1 };
}

const blank = /(?:[ \t\r\n]|#[^\n]*)*/y;
const spaces = /[ \t]*/y;
const bareKey = /[A-Za-z0-9_-]+/y;
const scalar = /[^,\]}\r\n#]*/y;
const basicString = /"(?:[^"\\]|\\.)*"/y;
const literalString = /'[^']*'/y;
// Up to two quotes may precede the closing three.
const longBasicString = /"""(?:[^"\\]|\\[\s\S]|"(?!""))*"{3,5}/y;
const longLiteralString = /'''(?:[^']|'(?!''))*'{3,5}/y;

interface Key {
  readonly name: string;
  readonly at: number;
}

class Walker {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): Node {
    const root = node(0);
    let table = root;
    for (this.#match(blank); this.#at < this.#text.length; this.#match(blank)) {
      const before = this.#at;
      if (this.#take('[')) table = this.#header(root);
      else this.#pair(table);
      // INVARIANT: each round takes something, so that even a text that is no TOML ends.
      if (this.#at === before) break;
    }
    return root;
  }

  #header(root: Node): Node {
    const isElement = this.#take('[');
    const keys = this.#keys();
    this.#take(']');
    if (isElement) this.#take(']');
    const last = keys.at(-1);
    if (last === undefined) return root;
    const parent = this.#descend(root, keys.slice(0, -1));
    const table = member(parent, last.name, last.at);
    if (!isElement) return table;
    const element = node(last.at);
    table.members.set(table.members.size, element);
    return element;
  }

  #pair(table: Node): void {
    const keys = this.#keys();
    const last = keys.at(-1);
    this.#match(spaces);
    this.#take('=');
    this.#match(spaces);
    const parent = this.#descend(table, keys.slice(0, -1));
    this.#value(last === undefined ? parent : member(parent, last.name, last.at));
  }

  #descend(from: Node, keys: readonly Key[]): Node {
    return keys.reduce((table, key) => lastElement(member(table, key.name, key.at)), from);
  }

  #keys(): Key[] {
    const keys: Key[] = [];
    do {
      this.#match(spaces);
      const at = this.#at;
      const name = this.#keyName();
      if (this.#at === at) break;
      keys.push({ name, at });
      this.#match(spaces);
    } while (this.#take('.'));
    return keys;
  }

  #keyName(): string {
    const character = this.#text[this.#at];
    if (character === '"') return unescaped(this.#match(basicString).slice(1, -1));
    if (character === "'") return this.#match(literalString).slice(1, -1);
    return this.#match(bareKey);
  }

  /** INVARIANT: the parser has capped how deep values nest before this runs. */
  #value(into: Node): void {
    const ahead = this.#text.slice(this.#at, this.#at + 3);
    if (ahead === '"""') this.#match(longBasicString);
    else if (ahead === "'''") this.#match(longLiteralString);
    else if (ahead.startsWith('"')) this.#match(basicString);
    else if (ahead.startsWith("'")) this.#match(literalString);
    else if (this.#take('[')) this.#array(into);
    else if (this.#take('{')) this.#inlineTable(into);
    else this.#match(scalar);
  }

  #array(into: Node): void {
    for (;;) {
      this.#match(blank);
      if (this.#take(']') || this.#at >= this.#text.length) return;
      const element = node(this.#at);
      into.members.set(into.members.size, element);
      this.#value(element);
      this.#match(blank);
      if (!this.#take(',')) {
        this.#take(']');
        return;
      }
    }
  }

  #inlineTable(into: Node): void {
    for (;;) {
      this.#match(blank);
      if (this.#take('}') || this.#at >= this.#text.length) return;
      this.#pair(into);
      this.#match(blank);
      if (!this.#take(',')) {
        this.#take('}');
        return;
      }
    }
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }
}

function node(at: number): Node {
  return { at, members: new Map() };
}

function member(parent: Node, name: string, at: number): Node {
  const found = parent.members.get(name);
  if (found !== undefined) return found;
  const created = node(at);
  parent.members.set(name, created);
  return created;
}

/** A header below an array of tables refers to its last element. */
function lastElement(table: Node): Node {
  return table.members.get(table.members.size - 1) ?? table;
}

const simpleEscapes: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  e: '\u001b',
};

function unescaped(text: string): string {
  return text.replace(
    /\\(?:x(..)|u(.{4})|U(.{8})|(.))/g,
    (_, x?: string, u?: string, long?: string, c = '') => {
      const digits = x ?? u ?? long;
      return digits === undefined
        ? (simpleEscapes[c] ?? c)
        : String.fromCodePoint(Number.parseInt(digits, 16));
    },
  );
}
