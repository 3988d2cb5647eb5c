// The texts of an action for display: the main one first, each with the JSON Pointer that findings use.

import { isJsonObject, jsonPointer } from './json.ts';
import { shellWord } from './text.ts';
import type { Finding } from './verdict.ts';

/** An action as a record of its members; the console has it from the wire. */
type Members = { readonly kind: string } & { readonly [name: string]: unknown };

/** The part of a finding with its position. */
interface Pointing {
  readonly decision: string;
  readonly pointer?: string;
  readonly span?: readonly [number, number];
}

/** One text of an action. */
export interface ActionText {
  readonly pointer: string;
  /** Its label for the agent. */
  readonly name: string;
  readonly text: string;
  /** It is the very string that the pointer names, so that offsets point into it; JSON and joined words are not. */
  readonly exact: boolean;
}

/** The members that say what would happen, the most telling first, as kinds and the tools of hosts name them. */
const mainNames = [
  ...['command', 'cmd', 'script', 'source', 'code', 'query', 'sql', 'url', 'uri', 'text'],
  ...['file_path', 'filePath', 'path', 'patch', 'content', 'input', 'prompt'],
];

/** The members of a tool's arguments that a record may name: queries and texts hold values. */
const recordedNames = ['command', 'cmd', 'script', 'url', 'uri', 'file_path', 'filePath', 'path'];

/** The most of an action that is read for an excerpt: a secret that begins in it is read to its end. */
const longestRead = 600;

/** The subject of an action in one line, for a record; the writer removes what must not be stored. */
export function excerptOf(action: Members): string {
  const { kind, tool, server, arguments: input } = action;
  const named = (members: unknown, names: readonly string[]): string => {
    if (!isJsonObject(members)) return '';
    const value = names.map((name) => members[name]).find((one) => typeof one === 'string');
    return typeof value === 'string' ? value : '';
  };
  const text = (() => {
    switch (kind) {
      case 'tool': {
        const name = server === undefined ? String(tool) : `${String(server)}/${String(tool)}`;
        return `${name} ${named(input, recordedNames)}`;
      }
      case 'fetch':
        return `${named(action, ['method']) || 'GET'} ${named(action, ['url'])}`;
      case 'write':
        return named(action, ['path']) || pathsOf(action['changes']);
      case 'query':
        return named(action, ['target']);
      default:
        return named(action, ['command', 'source', 'path']);
    }
  })();
  return withoutQueries(text.trim().slice(0, longestRead));
}

/** Addresses without their query strings, which are values. */
function withoutQueries(text: string): string {
  return text.replace(/(\bhttps?:\/\/[^\s?#'"]+)\?[^\s#'"]*/gi, '$1?…');
}

/** The paths of a change set, the first few. */
function pathsOf(changes: unknown): string {
  if (!Array.isArray(changes)) return '';
  const paths = changes.map((change: unknown) => (isJsonObject(change) ? String(change['path']) : ''));
  return `${paths.slice(0, 3).join(', ')}${paths.length > 3 ? ` and ${paths.length - 3} more` : ''}`;
}

/** An excerpt in its stored form: one short line. */
export function shortened(excerpt: string): string {
  const line = excerpt.replace(/\s+/g, ' ').trim();
  return line.length <= longestExcerpt ? line : `${line.slice(0, longestExcerpt)}…`;
}

const longestExcerpt = 160;

/** The members with the destination and the identity of a request: they precede all others. */
const addressNames = ['method', 'url', 'uri'];

/** A text that pushes what follows it out of sight. */
function isLong({ text }: ActionText): boolean {
  return text.length > 200 || text.split('\n', 7).length > 6;
}

/**
 * Everything in an action beside its kind and its justification, with nothing omitted: the main text first, then the
 * short ones, then the long ones, each in the order of the action. The name and the server of a tool are in its title,
 * and a starting folder that equals the workspace is shown as such.
 */
export function actionTexts(
  action: Members,
  findings: readonly Pointing[] = [],
  workspace?: string,
): readonly ActionText[] {
  const { kind, justification: _, cwd, ...plain } = action;
  const members = cwd === undefined || cwd === workspace ? plain : { ...plain, cwd };
  const { tool: __, server: ___, arguments: input, ...others } = members;
  const texts =
    kind === 'tool'
      ? [...membersOf(others, [], findings), ...membersOf(input, ['arguments'], findings)]
      : membersOf(members, [], findings);
  const main =
    mainNames.map((name) => texts.find((text) => text.name === name)).find((text) => text !== undefined) ??
    texts.find(({ pointer }) => findings.some((finding) => asks(finding) && finding.pointer === pointer)) ??
    texts.find(({ exact }) => exact);
  const rank = (text: ActionText): number => {
    if (text === main) return 0;
    if (addressNames.includes(text.name)) return 1;
    return isLong(text) ? 3 : 2;
  };
  return texts.toSorted((a, b) => rank(a) - rank(b));
}

function asks({ decision }: Pointing): boolean {
  return decision === 'approve' || decision === 'block';
}

type Steps = readonly (string | number)[];

function membersOf(value: unknown, steps: Steps, findings: readonly Pointing[]): readonly ActionText[] {
  if (value === undefined) return [];
  if (!isJsonObject(value)) return textsAt(value, steps, findings);
  return Object.entries(value).flatMap(([name, member]) =>
    member === undefined ? [] : textsAt(member, [...steps, name], findings),
  );
}

/** One text for a value, or one for each member if findings or lines need them separately. */
function textsAt(value: unknown, steps: Steps, findings: readonly Pointing[]): readonly ActionText[] {
  const pointer = jsonPointer(steps);
  const name = steps.slice(steps[0] === 'arguments' ? 1 : 0).join('/');
  if (typeof value === 'string') return [{ pointer, name, text: value, exact: true }];
  // Files that change together are read file by file.
  const inside =
    steps[0] === 'changes' || findings.some((finding) => finding.pointer?.startsWith(`${pointer}/`) === true);
  if (!inside && Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string'))
    return [{ pointer, name, text: value.map(shellWord).join(' '), exact: false }];
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value ?? {});
  if ((inside || hasLines(value)) && members.length > 0)
    return members.flatMap(([step, member]) => textsAt(member, [...steps, step], findings));
  return [{ pointer, name, text: JSON.stringify(value), exact: false }];
}

/** Whether a value contains a text of several lines. */
function hasLines(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\n');
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLines);
}

/** Texts that findings show beside an action: the approver must have seen them, too. */
export function shownTexts(findings: readonly { readonly shows?: string }[]): readonly ActionText[] {
  return findings.flatMap(({ shows }, index) =>
    shows === undefined
      ? []
      : [{ pointer: `/findings/${index}`, name: 'what was changed', text: shows, exact: false }],
  );
}

/**
 * The ranges that findings mark in a text, in order and without overlaps; a finding about another text marks nothing.
 */
export function marksIn(
  { pointer, text, exact }: ActionText,
  findings: readonly Pointing[],
): readonly (readonly [number, number])[] {
  if (!exact) return [];
  const spans = findings
    .flatMap(({ pointer: at, span }) => (at === pointer && span !== undefined ? [span] : []))
    .filter(([start, end]) => 0 <= start && start < end && end <= text.length)
    .sort(([a], [b]) => a - b);
  const marks: [number, number][] = [];
  for (const [start, end] of spans) {
    const last = marks.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else marks.push([start, end]);
  }
  return marks;
}

/** The positions of the asking findings in an action, in their order and each once. */
export function flaggedIn(action: unknown, findings: readonly Pointing[]): readonly string[] {
  const spans = findings.filter(asks).flatMap(({ pointer = '', span }) => {
    const text = span === undefined ? undefined : stringAt(action, pointer)?.slice(...span);
    return text === undefined || text === '' ? [] : [text];
  });
  return [...new Set(spans)];
}

/** How many rows a text fills, about, where a row holds so many characters. */
export function rowsIn(text: string, columns: number): number {
  return text.split('\n').reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / columns)), 0);
}

/** The string that a JSON Pointer names; undefined if it names none. */
export function stringAt(value: unknown, pointer: string): string | undefined {
  let at: unknown = value;
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined;
    at = Reflect.get(at, name);
  }
  return typeof at === 'string' ? at : undefined;
}

/** Findings of an action for its rewritten form: a span is valid only if the string is the one that it was found in. */
export function findingsFor(
  findings: readonly Finding[],
  before: unknown,
  after: unknown,
): readonly Finding[] {
  if (before === after) return findings;
  return findings.map((finding) => {
    const { span, ...rest } = finding;
    const pointer = finding.pointer ?? '';
    return span === undefined || stringAt(before, pointer) === stringAt(after, pointer) ? finding : rest;
  });
}
