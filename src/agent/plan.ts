// The plan of a model: one program, as models really give it. INVARIANT: what the model says is run only as the code of a
// plan, never as the text that it is.

import {
  InputError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  messageOf,
  parseJson,
} from '../core/index.ts';
import { describe, list, object, optional, text } from '../core/shape.ts';
import type { Offer, Turn } from './model.ts';

/** A program, or why the turn holds none. */
export type Plan = { readonly code: string } | { readonly problem: string };

const shape = object({
  code: describe('The body of an async function in TypeScript; what it returns is the result.', text()),
  reasoning: describe('Why this solves the task.', optional(text())),
});

/** The tool that a model gives its program to, where its endpoint knows tools. */
export const planTool: Offer = {
  name: 'run_program',
  description: 'Runs the program that solves the task.',
  inputSchema: shape.schema(),
};

/** The tool that a model asks with what other tools take. */
export const describeOffer: Offer = {
  name: 'describe_tools',
  description: 'Tells what some of the tools do, with the TypeScript that declares them.',
  inputSchema: object({
    names: describe('Names as they stand in code.', list(text({ min: 1, max: 512 }), { max: 50 })),
  }).schema(),
};

/** The tools that a turn asks about; none where it asks about none. */
export function askedAbout({ calls }: Pick<Turn, 'calls'>): readonly string[] {
  return calls
    .filter(({ tool }) => tool === describeOffer.name)
    .flatMap(({ arguments: given }) => {
      const asked = objectIn(given);
      const names = isJsonObject(asked) ? asked['names'] : undefined;
      return Array.isArray(names) ? names.filter((name) => typeof name === 'string').slice(0, mostAsked) : [];
    });
}

const mostAsked = 50;

/** Texts that are looked at for a plan, and places in them. */
const mostCandidates = 64;

/** The plan in a turn: a call, or the last JSON object of its text that has code, whatever is around it. */
export function planIn({ calls, text: said }: Pick<Turn, 'calls' | 'text'>): Plan {
  const called = calls
    .map(({ arguments: given }) => codeIn(objectIn(given)))
    .findLast((code) => code !== undefined);
  if (called !== undefined) return { code: called };
  let problem = 'there is no JSON object with "code" in it';
  for (const candidate of candidatesIn(said)) {
    const read = readLoosely(candidate);
    if (typeof read === 'string') problem = read;
    else {
      const code = codeIn(read);
      if (code !== undefined) return { code };
      problem = 'the JSON object has no "code" that is a text';
    }
  }
  return { problem };
}

function objectIn(given: JsonValue): JsonValue {
  if (typeof given !== 'string') return given;
  const read = readLoosely(given);
  return typeof read === 'string' ? null : read;
}

/** The code of a plan: a text, or a list of lines; a plan may be inside of another object. */
function codeIn(value: JsonValue, depth = 0): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const { code } = value;
  if (typeof code === 'string' && (depth === 0 || code.trim() !== '')) return code;
  if (Array.isArray(code) && code.length > 0 && code.every((line) => typeof line === 'string'))
    return code.join('\n');
  if (depth > 0) return undefined;
  return Object.values(value)
    .map((inner) => codeIn(inner, depth + 1))
    .find((found) => found !== undefined);
}

/** Parts of a text that may be a plan, the likeliest first: all of it, what is in fences, and objects from the last on. */
function candidatesIn(said: string): readonly string[] {
  const fenced = [...said.matchAll(/(`{3,}|~{3,})[^\n]*\n([\s\S]*?)\n[^\S\n]*\1/g)].map(
    ([, , inner = '']) => inner,
  );
  const opened = [...said.matchAll(/\{/g)].slice(0, mostCandidates).map(({ index }) => objectAt(said, index));
  const all = [said.trim(), ...fenced.toReversed(), ...outermost(opened).toReversed()];
  return all.filter((candidate) => candidate.startsWith('{'));
}

/** The objects that no other one holds. */
function outermost(found: readonly (string | undefined)[]): readonly string[] {
  const objects = found.filter((one) => one !== undefined);
  return objects.filter((one, index) => !objects.slice(0, index).some((before) => before.includes(one)));
}

/** The text from an opening brace to the one that closes it. */
function objectAt(said: string, start: number): string | undefined {
  let depth = 0;
  let isText = false;
  for (let at = start; at < said.length; at++) {
    const sign = said[at];
    if (isText) {
      if (sign === '\\') at++;
      else if (sign === '"') isText = false;
    } else if (sign === '"') isText = true;
    else if (sign === '{') depth++;
    else if (sign === '}' && --depth === 0) return said.slice(start, at + 1);
  }
  return undefined;
}

/** An object as JSON, or as models write JSON, which is nearly JavaScript. A text says what is wrong. */
function readLoosely(source: string): JsonObject | string {
  let problem = '';
  for (const text of [source, mended(source)]) {
    try {
      const value = parseJson(text);
      return isJsonObject(value) ? value : 'the JSON is no object';
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      problem ||= messageOf(error);
    }
  }
  return problem;
}

const control: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Texts in any quotes, comments, names of members without quotes, and commas at the end. */
const loose =
  /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|`(?:[^`\\]|\\[\s\S])*`|“[^”]*”|\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?<![\w$])[A-Za-z_$][\w$]*(?=\s*:)|,(?=(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*[}\]])/g;

function mended(source: string): string {
  return source.replace(loose, (part) => {
    if (/^[,/]/.test(part)) return '';
    return /^["'`“]/.test(part) ? quoted(part.slice(1, -1)) : `"${part}"`;
  });
}

/** The inside of a text, in the quotes of JSON and with no escape that JSON does not have. */
function quoted(inside: string): string {
  const text = inside.replace(/\\[\s\S]|["\n\r\t]/g, (sign) => {
    if (sign === '"') return '\\"';
    if (sign === '\\\n') return '\\n';
    return control[sign] ?? (/^\\["\\/bfnrtu]$/.test(sign) ? sign : sign.slice(1));
  });
  return `"${text}"`;
}
