// Reads a TOML text into plain JSON values: dates, odd numbers and deep nesting are problems with a place,
// and `${VAR}` is filled in where the file may have it.

import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonPointer,
  messageOf,
  visible,
} from '../core/index.ts';
import type { Path, Problem } from '../core/shape.ts';
import type { ConfigProblem } from './errors.ts';
import type { Environment } from './home.ts';
import { locator } from './locate.ts';

/** Turns a TOML text into values, or throws. */
export type TomlParser = (text: string) => unknown;

let loaded: TomlParser | null = null;

/** The parser if it is in memory already. */
export function tomlParser(): TomlParser | null {
  return loaded;
}

/** Loads the parser; only a machine that has a configuration file pays for it. */
export async function loadTomlParser(): Promise<TomlParser> {
  const { parse } = await import('smol-toml');
  loaded = (text) => parse(text, { maxDepth: maxDepth, unsafeKeyBehaviour: 'keep' });
  return loaded;
}

const maxDepth = 16;
const maxShownProblems = 20;

/** A document that was read; its values count only if there are no problems. */
export interface TomlDocument {
  readonly value: JsonObject;
  readonly problems: readonly Problem[];
  /** Which variables the values at these JSON Pointers came from. Those values are never shown. */
  readonly borrowed: ReadonlyMap<string, readonly string[]>;
}

/** The environment for `${VAR}`; null for a file that may not use it. */
export type Variables = Environment | null;

/** Reads a text; a syntax error is given as a problem with its place. */
export function readToml(
  parse: TomlParser,
  text: string,
  variables: Variables,
): TomlDocument | ConfigProblem {
  let parsed: unknown;
  try {
    parsed = parse(text);
  } catch (error) {
    return syntaxProblem(error);
  }
  const problems: Problem[] = [];
  const borrowed = new Map<string, readonly string[]>();
  const value = plain(parsed, [], { variables, borrowed, report: (problem) => problems.push(problem) });
  return { value: isJsonObject(value) ? value : {}, problems, borrowed };
}

/** The parser's own message ends with lines of the file, which are removed. */
function syntaxProblem(error: unknown): ConfigProblem {
  const [first = ''] = messageOf(error).split('\n');
  const message = `not readable as TOML: ${first.replace('Invalid TOML document: ', '')}`;
  const place = { line: 1, column: 1 };
  if (error instanceof Error) {
    if ('line' in error && typeof error.line === 'number') place.line = error.line;
    if ('column' in error && typeof error.column === 'number') place.column = error.column;
  }
  return { ...place, message };
}

interface Walk {
  readonly variables: Variables;
  readonly borrowed: Map<string, readonly string[]>;
  readonly report: (problem: Problem) => void;
}

function plain(value: unknown, path: Path, walk: Walk): JsonValue {
  const refuse = (message: string): null => {
    walk.report({ path, message });
    return null;
  };
  if (path.length > maxDepth) return refuse(`nested deeper than ${maxDepth}`);
  if (typeof value === 'string') return interpolated(value, path, walk);
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number')
    return Number.isFinite(value) ? value + 0 : refuse('must be a finite number');
  if (value instanceof Date) return refuse('must not be a date; write it as text in quotes');
  if (Array.isArray(value)) return value.map((member, index) => plain(member, [...path, index], walk));
  if (!isJsonObject(value)) return refuse('must not be this kind of value');
  const result: Record<string, JsonValue> = {};
  for (const key of Object.keys(value)) {
    const at = [...path, key];
    if (key === '__proto__') walk.report({ path: at, message: 'the key "__proto__" is refused' });
    else result[key] = plain(value[key], at, walk);
  }
  return result;
}

const opening = '${';
const reference = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{/g;
const wholeReference = /^env:([A-Za-z_][A-Za-z0-9_]*)$/;

function interpolated(text: string, path: Path, walk: Walk): string {
  if (!text.includes(opening) && !text.startsWith('env:')) return text;
  const { variables } = walk;
  if (variables === null) {
    const message = `must not use "${opening}" or "env:" in a workspace file that is not trusted`;
    walk.report({ path, message });
    return text;
  }
  const names: string[] = [];
  const lookUp = (name: string): string => {
    names.push(name);
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined) walk.report({ path, message: `the environment variable "${name}" is not set` });
    return value ?? '';
  };
  const whole = wholeReference.exec(text)?.[1];
  const result =
    whole !== undefined
      ? lookUp(whole)
      : text.replace(reference, (found, name?: string) => {
          if (name !== undefined) return lookUp(name);
          if (found === opening) {
            walk.report({
              path,
              message: `"${opening}" must be followed by a name and "}"; write "$${opening}" for a plain one`,
            });
          }
          return opening;
        });
  if (names.length > 0) walk.borrowed.set(jsonPointer(path), names);
  return result;
}

/** Converts the paths of problems to positions, without problems that only follow from another at the same value. */
export function placeProblems(
  text: string,
  document: TomlDocument,
  found: readonly Problem[],
): readonly ConfigProblem[] {
  if (document.problems.length + found.length === 0) return [];
  const known = new Set(document.problems.map((problem) => jsonPointer(problem.path)));
  const all = [...document.problems, ...found.filter((problem) => !known.has(jsonPointer(problem.path)))];
  const place = locator(text);
  const shown = all.slice(0, maxShownProblems).map(({ path, message }): ConfigProblem => {
    const names = document.borrowed.get(jsonPointer(path));
    const said = names === undefined || known.has(jsonPointer(path)) ? message : misfit(names, message);
    return { ...place(path), message: said.startsWith('must ') ? `${keyName(path)} ${said}` : said };
  });
  const left = all.length - shown.length;
  const last = shown.at(-1);
  return left === 0 || last === undefined
    ? shown
    : [...shown, { ...last, message: `… and ${left} more problems` }];
}

/** A path as it would be written in the file. */
function keyName(path: Path): string {
  const parts = path.map((part, index) => {
    if (typeof part === 'number') return `[${part + 1}]`;
    const name = /^[A-Za-z0-9_-]+$/.test(part) ? part : `"${visible(part, 100)}"`;
    return index === 0 ? name : `.${name}`;
  });
  return parts.join('');
}

/** INVARIANT: a message that quotes anything may quote the value, and is left out. */
function misfit(names: readonly string[], message: string): string {
  const list = [...new Set(names)].map((name) => visible(name, 60)).join(', ');
  const wanted = /^must (?:be|have) [^"'`,]+$/.test(message) ? `: it ${message}` : '';
  return `the value that the environment gives (${list}) does not fit here${wanted}`;
}
