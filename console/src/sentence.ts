// What would happen, in one sentence: what is done, to what, and why that is asked about.

import { flaggedIn, stringAt } from '../../src/core/action-text.ts';
import { isJsonObject } from '../../src/core/json.ts';
import type { Action, Finding } from './question.ts';

/** A piece of a sentence: words, or something that the agent wrote. */
export type Piece = string | { readonly code: string };

const longestCode = 64;

/** A message without what the card shows already: the pattern, the path, the rule, the agent's reason and the workspace. */
export function reasonOf({ rule, message }: Pick<Finding, 'rule' | 'message'>, workspace = ''): string {
  const frame = `'${rule}': `;
  const at = message.indexOf(frame);
  const reason = (at < 0 ? message : message.slice(at + frame.length))
    .replace(/\. The model's stated reason: .*$/s, '')
    .replace(/\.$/, '')
    .replace(/^it /, '');
  return workspace === '' ? reason : reason.replaceAll(`${workspace}/`, '');
}

/** The reasons of those findings that ask or block, each once. */
export function reasonsOf(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Set<string>();
  return findings.filter((finding) => {
    const reason = reasonOf(finding);
    const isNew = !seen.has(reason);
    seen.add(reason);
    return isNew;
  });
}

function code(text: string): Piece {
  const line = text.trim().replace(/\s+/g, ' ');
  return { code: line.length > longestCode ? `${line.slice(0, longestCode)}…` : line };
}

const stringIn = (value: unknown, name: string): string | undefined => {
  const found = isJsonObject(value) ? value[name] : undefined;
  return typeof found === 'string' ? found : undefined;
};

/** The first of some members of an action, or of the arguments of its tool, that is a text. */
function memberOf(action: Action, names: readonly string[]): string | undefined {
  for (const name of names) {
    const found = stringIn(action, name) ?? stringIn(action['arguments'], name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The arguments that hold a command, and those that hold the path of a file. */
export const commandNames: readonly string[] = ['command', 'cmd', 'script'];
export const pathNames: readonly string[] = ['file_path', 'filePath', 'path', 'notebook_path'];

/** A path as the project names it. */
export function inWorkspace(path: string, workspace: string): string {
  return workspace !== '' && path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path;
}

/** What is done, without why it is asked about. */
function deedOf(action: Action, findings: readonly Finding[], workspace: string): readonly Piece[] {
  const { kind } = action;
  const command = memberOf(action, commandNames);
  if (kind === 'shell' || (kind === 'tool' && command !== undefined)) {
    const [flagged] = flaggedIn(action, findings);
    return ['Run ', code(flagged ?? command ?? '')];
  }
  const url = memberOf(action, ['url', 'uri']);
  if (kind === 'fetch' || (kind === 'tool' && url !== undefined))
    return [`Send a ${stringAt(action, '/method') ?? 'GET'} request to `, code(hostOf(url ?? ''))];
  const path = memberOf(action, pathNames);
  const file = path === undefined ? [] : [code(inWorkspace(path, workspace))];
  if (kind === 'tool') return toolDeed(action, file);
  if (kind === 'write' && path === undefined) return ['Change ', ...changed(action['changes'])];
  if (kind === 'query') return [`${queryWord(action)} `, code(String(action['target']))];
  const [verb, ...known] = deeds[kind] ?? [`Do this (${kind})`];
  const object = [...known, ...file];
  return object.length === 0 ? [verb] : [`${verb} `, ...object];
}

const deeds: Readonly<Record<string, readonly [string, ...Piece[]]>> = {
  write: ['Write'],
  read: ['Read'],
  python: ['Run', 'a Python program'],
  code: ['Run', 'code that calls tools'],
};

/** What a query does, as far as its first word says. */
function queryWord({ language, text }: Action): string {
  const [first = ''] = /[a-z]+/i.exec(String(text)) ?? [];
  if (language === 'sql') return `Run a SQL ${first.toUpperCase()} on`;
  return language === 'graphql' && first === 'mutation' ? 'Run a GraphQL mutation on' : 'Query';
}

const writtenNames = ['content', 'file_text', 'new_source'] as const;
const replacedNames = ['new_string', 'newString', 'new_str', 'edits'] as const;
/** Who gets a message. */
const receiverNames = ['to', 'recipient', 'recipients', 'channel'] as const;

function toolDeed(action: Action, file: readonly Piece[]): readonly Piece[] {
  const { server } = action;
  const input = isJsonObject(action['arguments']) ? action['arguments'] : {};
  const has = (names: readonly string[]) => names.some((name) => input[name] !== undefined);
  // A host's own tools are known by what they do, those of servers by their names.
  const isHosts = typeof server !== 'string' || server.startsWith('host:');
  if (isHosts && file.length > 0) {
    if (has(replacedNames)) return ['Edit ', ...file];
    if (has(writtenNames)) return ['Write ', ...file];
  }
  const tool = code(String(action['tool']));
  const to = receiverNames.map((name) => input[name]).find((value) => value !== undefined);
  return [
    'Call the tool ',
    tool,
    ...(isHosts ? [] : [' of ', code(String(server))]),
    ...(isHosts && file.length > 0 ? [' with ', ...file] : []),
    ...(to === undefined ? [] : [', to ', code(Array.isArray(to) ? to.join(', ') : String(to))]),
  ];
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}

/** Files that change together: one by its name, several by their number; all are named below. */
function changed(changes: unknown): readonly Piece[] {
  const paths = Array.isArray(changes) ? changes.map((change) => stringIn(change, 'path') ?? '') : [];
  const [only = ''] = paths;
  return paths.length === 1 ? [code(only)] : [`${paths.length} files`];
}

const definitionForm = /^The definition of "([^"]*)"(?: of the server "[^"]*")? /;

/** How messages of guards begin that name what the sentence has just named. */
const subjects: readonly RegExp[] = [
  /^The (?:file|content for) '([^']*)' /,
  definitionForm,
  /^The tool "([^"]*)"(?: of the MCP server "[^"]*"| of \S+)?(?: in \S+)? /,
  /^"([^"]*)" /,
  /^(\S+) (?=is |has |may |was )/,
];

/** The sentence: "Run `git push --force origin main`: replaces or deletes commits that others see". */
export function sentenceOf(action: Action, findings: readonly Finding[], workspace = ''): readonly Piece[] {
  const asking = findings.filter(({ decision }) => decision === 'approve' || decision === 'block');
  const [first] = asking;
  const deed = deedOf(action, asking, workspace);
  if (first === undefined) return deed;
  const [reason = ''] = reasonOf(first, workspace).split('; ');
  const codes = deed.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.code]));
  for (const form of subjects) {
    const found = form.exec(reason);
    if (found === null) continue;
    const [named, subject = ''] = found;
    const rest = reason.slice(named.length);
    if (codes.length === 0 && first.pointer?.startsWith('/changes/'))
      return [...deed, ', among them ', code(subject), `, which ${rest}`];
    if (!codes.includes(subject)) continue;
    if (form === definitionForm) return [...deed, `, whose definition ${rest}`];
    // "which" stands for what was named last.
    return [...deed, codes.at(-1) === subject ? `, which ${rest}` : `: ${subject} ${rest}`];
  }
  return [...deed, `: ${reason}`];
}

// ── what a write changes, line by line

/** A line of a text that replaces another; `from` and `to` are its place in that text, without its end. */
export interface DiffRow {
  readonly kind: 'keep' | 'remove' | 'add';
  readonly from: number;
  readonly to: number;
}

interface Line {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

function linesIn(text: string): readonly Line[] {
  if (text === '') return [];
  let at = 0;
  const lines = text.split('\n').map((line) => {
    const from = at;
    at += line.length + 1;
    return { text: line, from, to: from + line.length };
  });
  return text.endsWith('\n') ? lines.slice(0, -1) : lines;
}

/** Every line of both texts, once: what both begin and end with is kept. Places of removed lines are in the old text. */
export function diffRows(before: string, after: string): readonly DiffRow[] {
  const [old, now] = [linesIn(before), linesIn(after)];
  let top = 0;
  while (top < old.length && top < now.length && old[top]?.text === now[top]?.text) top++;
  let end = 0;
  while (
    end < old.length - top &&
    end < now.length - top &&
    old[old.length - 1 - end]?.text === now[now.length - 1 - end]?.text
  )
    end++;
  const as =
    (kind: DiffRow['kind']) =>
    ({ from, to }: Line) => ({ kind, from, to });
  return [
    ...now.slice(0, top).map(as('keep')),
    ...old.slice(top, old.length - end).map(as('remove')),
    ...now.slice(top, now.length - end).map(as('add')),
    ...now.slice(now.length - end).map(as('keep')),
  ];
}

/** The names of a text that is replaced and of the one that replaces it, as hosts call them. */
const replacements: readonly (readonly [old: string, fresh: string])[] = [
  ['old_string', 'new_string'],
  ['oldString', 'newString'],
  ['old', 'new'],
  ['old_str', 'new_str'],
];
const contents = ['content', 'file_text', 'new_source', 'contents'];

/** What stands before a text that is written: its old form, or nothing where it is new; undefined where it is not written. */
export function replacedBy(
  pointer: string,
  texts: ReadonlyMap<string, string>,
): { readonly pointer: string; readonly text: string } | null | undefined {
  const cut = pointer.lastIndexOf('/');
  const [place, name] = [pointer.slice(0, cut), pointer.slice(cut + 1)];
  const pair = replacements.find(([, fresh]) => fresh === name);
  if (pair !== undefined) {
    const old = `${place}/${pair[0]}`;
    const text = texts.get(old);
    return text === undefined ? undefined : { pointer: old, text };
  }
  return contents.includes(name) ? null : undefined;
}
