// What would happen, in one sentence: what is done, to what, and why that is asked about.

import { flaggedIn, stringAt } from '../../src/core/action-text.ts';
import { isJsonObject } from '../../src/core/json.ts';
import type { Action, Finding } from './question.ts';

/** A piece of a sentence: words, or something that the agent wrote. */
export type Piece = string | { readonly code: string };

const longestCode = 90;

/** A message without what the card shows already: the pattern, the path, the name of the rule and the workspace. */
export function reasonOf({ rule, message }: Pick<Finding, 'rule' | 'message'>, workspace = ''): string {
  const frame = `'${rule}': `;
  const at = message.indexOf(frame);
  const reason = (at < 0 ? message : message.slice(at + frame.length)).replace(/\.$/, '').replace(/^it /, '');
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

export const commandNames = ['command', 'cmd', 'script'] as const;
const pathNames = ['file_path', 'filePath', 'path', 'notebook_path'] as const;

/** What is done, without why it is asked about. */
function deedOf(action: Action, findings: readonly Finding[]): readonly Piece[] {
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
  if (kind === 'write' && path !== undefined) return ['Write ', code(path)];
  if (kind === 'write') return ['Change ', code(pathsOf(action['changes']))];
  if (kind === 'read') return ['Read ', code(path ?? '')];
  if (kind === 'query') return ['Query ', code(String(action['target']))];
  if (kind === 'python') return ['Run a Python program'];
  if (kind === 'code') return ['Run code that calls tools'];
  if (kind === 'tool') return toolDeed(action, path);
  return [`Do this (${kind})`];
}

function toolDeed(action: Action, path: string | undefined): readonly Piece[] {
  const server = stringIn(action, 'server');
  const tool = String(action['tool']);
  const writes = ['content', 'new_string', 'newString', 'new_source'].some(
    (name) => stringIn(action['arguments'], name) !== undefined,
  );
  if (server === undefined && writes && path !== undefined) return ['Write ', code(path)];
  return ['Call the tool ', code(tool), ...(server === undefined ? [] : [' of ', code(server)])];
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}

function pathsOf(changes: unknown): string {
  const paths = Array.isArray(changes) ? changes.map((change) => stringIn(change, 'path') ?? '') : [];
  return `${paths.slice(0, 3).join(', ')}${paths.length > 3 ? ` and ${paths.length - 3} more` : ''}`;
}

/** The sentence: "Run `git push --force origin main`: replaces or deletes commits that others see". */
export function sentenceOf(action: Action, findings: readonly Finding[], workspace = ''): readonly Piece[] {
  const asking = findings.filter(({ decision }) => decision === 'approve' || decision === 'block');
  const [first] = asking;
  const deed = deedOf(action, asking);
  if (first === undefined) return deed;
  const reason = reasonOf(first, workspace);
  const last = deed.at(-1);
  const named = typeof last === 'object' ? last.code : '';
  for (const subject of [`The file '${named}' `, `${named} `])
    if (named !== '' && reason.startsWith(subject))
      return [...deed, `, which ${reason.slice(subject.length)}`];
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
