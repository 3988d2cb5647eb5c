// The egress guard: what goes to a browser, to a model or into our own records carries no secrets and no paths that
// tell about this machine. It counts what it took out and keeps none of it.

import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';
import {
  builtin,
  type CompiledRule,
  createRedactor,
  createRuleset,
  type Match,
  type Ruleset,
  redact,
  scan,
  type Where,
} from '../../detect/index.ts';

/** How many of each kind were taken out. */
export type Redactions = Readonly<Record<string, number>>;

export interface Egress {
  text(text: string): { readonly text: string; readonly redactions: Redactions };
  /** The value with every text in it redacted; a key's name tells what its text may be. */
  value(value: JsonObject): { readonly value: JsonObject; readonly redactions: Redactions };
  stream(): EgressStream;
}

export interface EgressStream {
  /** Takes a piece; gives what may go out now. */
  push(piece: string | Uint8Array): string;
  end(): string;
  readonly redactions: Redactions;
  /** Nothing goes out any more: a secret began that does not end. */
  readonly blocked: boolean;
}

export interface EgressOptions {
  /** Real path of the folder that may be spoken of; empty: none. */
  readonly workspace: string;
  /** Other folders that may be, such as those that a server was started for. */
  readonly folders?: readonly string[];
  /** From `egressRules`, made once. */
  readonly ruleset?: Ruleset;
}

/** What stands in place of everything that is taken out. */
function placeholder({ kind }: Match): string {
  return `[REDACTED:${kind}]`;
}

/** The rules for texts that leave: the user's own first, so that theirs name what both find. */
export function egressRules(own: readonly CompiledRule[] = []): Ruleset {
  return own.length === 0
    ? builtin('secrets', 'paths')
    : createRuleset([...own, ...builtin('secrets', 'paths').rules]);
}

/** Makes the guard for one workspace. */
export function createEgress({ workspace, folders = [], ruleset = egressRules() }: EgressOptions): Egress {
  const where = { workspace, folders };
  const known = cleanFor(ruleset, [workspace, ...folders].join('\n'));
  return {
    text(text) {
      const { text: redacted, matches } = redact(text, ruleset, { placeholder, where });
      return { text: redacted, redactions: countKinds(matches) };
    },
    value(value) {
      const matches: Match[] = [];
      const redacted = redactObject(value, (key, text) => {
        if (known.has(key, text)) return text;
        const named = key === '' ? text : `${key}: ${text}`;
        const found = scanNamed(named, named.length - text.length, ruleset, where);
        if (found.length === 0) known.add(key, text);
        for (const match of found) matches.push(match);
        return found.length === 0 ? text : replaced(text, found);
      });
      return { value: redacted, redactions: countKinds(matches) };
    },
    stream() {
      const redactor = createRedactor(ruleset, { placeholder, where });
      return {
        push: (piece) => redactor.push(piece),
        end: () => redactor.flush(),
        get redactions() {
          return countKinds(redactor.matches);
        },
        get blocked() {
          return redactor.blocked;
        },
      };
    },
  };
}

function countKinds(matches: readonly Match[]): Redactions {
  const counts: Record<string, number> = {};
  for (const { kind } of matches) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** What a text contains, read after its name, which has so many units; the places are those in the text. */
function scanNamed(named: string, before: number, ruleset: Ruleset, where: Where): readonly Match[] {
  return scan(named, ruleset, where)
    .map((match) => ({ ...match, start: match.start - before, end: match.end - before }))
    .filter(({ end }) => end > 0)
    .map((match) => ({ ...match, start: Math.max(0, match.start) }));
}

/** Folders, names and texts that are known to hold nothing to redact. */
const mostFolders = 64;
const cacheLimit = 4096;
const longestCached = 256;

/**
 * Short texts with nothing in them to take out, by the name that they were read after: records are made of names and
 * sentences of ours that come again and again.
 */
class CleanTexts {
  readonly #byName = new Map<string, Set<string>>();
  #size = 0;

  has(name: string, text: string): boolean {
    return this.#byName.get(name)?.has(text) === true;
  }

  add(name: string, text: string): void {
    if (name.length + text.length > longestCached) return;
    if (this.#size >= cacheLimit) {
      this.#byName.clear();
      this.#size = 0;
    }
    const texts = this.#byName.get(name) ?? new Set<string>();
    this.#byName.set(name, texts.add(text));
    this.#size++;
  }
}

/** By the rules and the folder that they were read for. */
const clean = new WeakMap<Ruleset, Map<string, CleanTexts>>();

function cleanFor(ruleset: Ruleset, workspace: string): CleanTexts {
  const folders = clean.get(ruleset) ?? new Map<string, CleanTexts>();
  clean.set(ruleset, folders);
  let texts = folders.get(workspace);
  if (texts === undefined) {
    texts = new CleanTexts();
    if (folders.size >= mostFolders) folders.clear();
    folders.set(workspace, texts);
  }
  return texts;
}

function replaced(text: string, matches: readonly Match[]): string {
  let result = '';
  let at = 0;
  for (const match of matches) {
    result += text.slice(at, match.start) + placeholder(match);
    at = match.end;
  }
  return result + text.slice(at);
}

type Replace = (key: string, text: string) => string;

/** INVARIANT: a value in which nothing was removed is given back as it is, and most are. */
function redactObject(value: JsonObject, replace: Replace): JsonObject {
  const names = Object.keys(value);
  let changed: [string, JsonValue][] | undefined;
  let at = 0;
  for (const name of names) {
    const member = value[name] as JsonValue;
    const newName = replace('', name);
    const redacted = redactValue(name, member, replace);
    if (newName !== name || redacted !== member) {
      changed ??= names.slice(0, at).map((before) => [before, value[before] as JsonValue]);
    }
    changed?.push([newName, redacted]);
    at++;
  }
  return changed === undefined ? value : Object.fromEntries(changed);
}

function redactValue(key: string, value: JsonValue, replace: Replace): JsonValue {
  if (typeof value === 'string') return replace(key, value);
  if (!Array.isArray(value)) return isJsonObject(value) ? redactObject(value, replace) : value;
  let changed: JsonValue[] | undefined;
  let at = 0;
  for (const member of value as readonly JsonValue[]) {
    const redacted = redactValue(key, member, replace);
    if (redacted !== member) changed ??= value.slice(0, at);
    changed?.push(redacted);
    at++;
  }
  return changed ?? value;
}
