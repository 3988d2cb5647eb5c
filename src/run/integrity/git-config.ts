// The settings in a configuration file of git, as git itself reads them, and the same file with the previous values of
// those that start programs. Pure: texts in, texts out.

import { settingRuns } from '../../guards/command/programs/cards/git/settings.ts';

/** One setting of a file. */
export interface GitSetting {
  /** Section, subsection and name, joined by dots; all but the subsection in lower case. */
  readonly key: string;
  readonly value: string;
  /** Its range in the text, with its line break unless its section header precedes it on the line. */
  readonly start: number;
  readonly end: number;
}

/** Every setting of a text in order; null where git would refuse the text. */
export function readGitSettings(text: string): readonly GitSetting[] | null {
  return new Reader(text).settings();
}

/** The settings of a text that start programs, or that load other settings. */
export function runningSettings(text: string): readonly GitSetting[] {
  return (readGitSettings(text) ?? []).filter(isRunning);
}

function isRunning({ key, value }: GitSetting): boolean {
  return settingRuns(key, { kind: 'literal', text: value });
}

/** A setting as one text, by which it is known again. */
export function settingText({ key, value }: Pick<GitSetting, 'key' | 'value'>): string {
  return `${key}=${value}`;
}

/** A file whose settings start more than they did. */
export interface Loosened {
  /** The settings that are new, by their names. */
  readonly keys: readonly string[];
  /** The text with those as they were, and everything else as it is. */
  readonly right: string;
}

/**
 * What a file starts that it did not start before, and the text without that; null if it starts no more. A setting
 * that another file had before is `known`. A text that git would refuse is put back whole.
 */
export function loosenedSettings(before: string, after: string, known: ReadonlySet<string>): Loosened | null {
  const now = readGitSettings(after);
  const old = runningSettings(before);
  const had = new Set([...old.map(settingText), ...known]);
  if (now === null) return readGitSettings(before) === null ? null : { keys: ['everything'], right: before };
  const added = now.filter((setting) => isRunning(setting) && !had.has(settingText(setting)));
  if (added.length === 0) return null;
  const stays = new Set(now.map(settingText));
  const lost = old.filter((setting) => !stays.has(settingText(setting)));
  let right = '';
  let at = 0;
  for (const { key, start, end } of added) {
    const former = lost.findIndex((setting) => setting.key === key);
    const [found] = former === -1 ? [] : lost.splice(former, 1);
    right +=
      after.slice(at, start) + (found === undefined ? '' : lineOf(before, found, after.slice(start, end)));
    at = end;
  }
  right += after.slice(at);
  const keys = [...new Set(added.map(({ key }) => key))];
  const holds = runningSettings(right).every((setting) => had.has(settingText(setting)));
  return { keys, right: holds && readGitSettings(right) !== null ? right : before };
}

/** The line of a setting, to replace another. */
function lineOf(text: string, { start, end }: GitSetting, place: string): string {
  const line = text.slice(start, end).replace(/^[ \t]*|\r?\n$/g, '');
  const indent = /^[ \t]*/.exec(place)?.[0] ?? '';
  return `${indent}${line}${place.endsWith('\n') ? '\n' : ''}`;
}

const escapes: Readonly<Record<string, string>> = { t: '\t', b: '\b', n: '\n', '\\': '\\', '"': '"' };

/** Reads as `config.c` of git does: one character at a time, and refuses what that refuses. */
class Reader {
  readonly #text: string;
  #at: number;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.startsWith('\uFEFF') ? 1 : 0;
  }

  settings(): readonly GitSetting[] | null {
    const found: GitSetting[] = [];
    let section = '';
    let lineStart = this.#at;
    let isPlain = true;
    while (this.#at < this.#text.length) {
      const here = this.#at;
      const character = this.#next();
      if (character === '\n') {
        lineStart = this.#at;
        isPlain = true;
      } else if (character === '#' || character === ';') {
        while (this.#at < this.#text.length && this.#peek() !== '\n') this.#next();
      } else if (character === '[') {
        const name = this.#section();
        if (name === null) return null;
        section = name;
        isPlain = false;
      } else if (/[a-z]/i.test(character)) {
        const setting = this.#setting(character);
        if (setting === null) return null;
        // The line break of a line that begins with a section's name is left to that.
        const end = isPlain || this.#text[this.#at - 1] !== '\n' ? this.#at : this.#at - 1;
        const key = section === '' ? setting.key : `${section}.${setting.key}`;
        found.push({ ...setting, key, start: isPlain ? lineStart : here, end });
        lineStart = this.#at;
        isPlain = true;
      } else if (!/[ \t\r]/.test(character)) return null;
    }
    return found;
  }

  #peek(): string {
    const character = this.#text[this.#at] ?? '\n';
    return character === '\r' && this.#text[this.#at + 1] === '\n' ? '\n' : character;
  }

  /** The next character; the end of the text is the end of its line. */
  #next(): string {
    const character = this.#peek();
    this.#at += character === '\n' && this.#text[this.#at] === '\r' ? 2 : 1;
    return character;
  }

  /** The name between brackets; null where git would refuse it. */
  #section(): string | null {
    let name = '';
    while (this.#at < this.#text.length) {
      const character = this.#next();
      if (character === ']') return name === '' ? null : name;
      if (/[ \t\r\n]/.test(character)) return character === '\n' ? null : this.#subsection(name);
      if (!/[a-z0-9.-]/i.test(character)) return null;
      name += character.toLowerCase();
    }
    return null;
  }

  #subsection(section: string): string | null {
    while (/[ \t\r]/.test(this.#peek())) this.#next();
    if (this.#next() !== '"') return null;
    let name = '';
    while (this.#at < this.#text.length) {
      let character = this.#next();
      if (character === '"') return this.#next() === ']' ? `${section}.${name}` : null;
      if (character === '\\') character = this.#next();
      if (character === '\n') return null;
      name += character;
    }
    return null;
  }

  #setting(first: string): Pick<GitSetting, 'key' | 'value'> | null {
    let key = first;
    while (this.#at < this.#text.length && /[a-z0-9-]/i.test(this.#peek())) key += this.#next();
    while (this.#at < this.#text.length && /[ \t]/.test(this.#peek())) this.#next();
    key = key.toLowerCase();
    const character = this.#at < this.#text.length ? this.#next() : '\n';
    if (character === '\n') return { key, value: 'true' };
    const value = character === '=' ? this.#value() : null;
    return value === null ? null : { key, value };
  }

  #value(): string | null {
    let value = '';
    /** How long the value is without the blanks at its end. */
    let length = 0;
    let isQuoted = false;
    for (;;) {
      const isOver = this.#at >= this.#text.length;
      const character = isOver ? '\n' : this.#next();
      if (character === '\n') return isQuoted ? null : value.slice(0, length);
      if (!isQuoted && (character === '#' || character === ';')) {
        while (this.#at < this.#text.length && this.#next() !== '\n') {}
        return value.slice(0, length);
      }
      if (!isQuoted && /[ \t\r]/.test(character)) {
        if (length > 0) value += character;
        continue;
      }
      if (character === '"') {
        isQuoted = !isQuoted;
        length = value.length;
        continue;
      }
      if (character === '\\') {
        const escaped = this.#next();
        if (escaped === '\n') continue;
        const meant = escapes[escaped];
        if (meant === undefined) return null;
        value += meant;
      } else value += character;
      length = value.length;
    }
  }
}
