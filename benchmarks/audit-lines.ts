// Works on the lines of an agent: what its guard is and holds, and the same lines with something else around it or in it.

import { type Guard, isMark } from './audit-marks.ts';

/** Languages whose agents are broken in the same words. */
export type Language = 'python' | 'typescript';

/** A guard in the lines of its agent. */
export interface GuardSpot {
  readonly lines: readonly string[];
  readonly guard: Guard;
}

interface Spot extends GuardSpot {
  readonly language: Language;
}

export interface Seeded {
  readonly lines: readonly string[];
  /** The line of the fault among them, from 0. */
  readonly at: number;
}

/** Null where the guard cannot be broken so. */
export type Seed = (spot: Spot) => Seeded | null;

/** Lines in both languages. */
type Words = Readonly<Record<Language, readonly string[]>>;

/** The guard inside something else; what it gives is kept in a variable that holds the raw value before. */
export function around(head: Words, foot: Words, { closed = false } = {}): Seed {
  return ({ lines, guard, language }) => {
    const python = language === 'python';
    const indent = indentAt(lines, guard);
    const body = lines.slice(guard.call, guard.end + 1);
    // No function can leave a loop that stands outside it.
    if (closed && body.some((line) => /\b(break|continue)\b/.test(line))) return null;
    const kept = guard.value === '' ? null : python ? 'passed_on' : 'passedOn';
    const semicolon = python ? '' : ';';
    const before =
      kept === null ? [] : [`${indent}${python ? '' : 'let '}${kept} = ${guard.raw}${semicolon}`];
    const set = kept === null ? [] : [`${indent}${step(language)}${kept} = ${guard.value}${semicolon}`];
    const rest = lines
      .slice(guard.end + 1)
      .map((line) => (kept === null ? line : replaced(line, guard.value, kept)));
    if (body.length === 2 && kept === null) return null;
    return {
      lines: [
        ...lines.slice(0, guard.call),
        ...before,
        ...head[language].map((line) => `${indent}${line}`),
        ...body.map(inward),
        ...set,
        ...foot[language].map((line) => `${indent}${line}`),
        ...rest,
      ],
      at: guard.call + before.length + 1,
    };
  };
}

/** The guard on something else than what goes on. */
export function elsewhere(
  lines: readonly string[],
  guard: Guard,
  other: (on: string) => string,
): Seeded | null {
  if (guard.on === '') return null;
  const { on } = guard;
  const call = lines.slice(guard.call + 1, guard.test).map((line) => {
    const short = line.replace(new RegExp(`\\{ ${on}(?=[, ])`), `{ ${on}: ${other(on)}`);
    if (short !== line) return short;
    const named = new RegExp(`(?<![\\w.])${escaped(on)}(?!\\w|\\s*=[^=])`);
    return line.replace(named, () => other(on));
  });
  if (call.join('\n') === lines.slice(guard.call + 1, guard.test).join('\n')) return null;
  return {
    lines: [
      ...lines.slice(0, guard.call + 1),
      ...call,
      ...lines.slice(guard.test, guard.end),
      ...bare(lines, guard, guard.end),
    ],
    at: guard.call,
  };
}

/** The guard with another condition in its first test. */
export function retested(
  lines: readonly string[],
  guard: Guard,
  language: Language,
  change: (test: string) => string,
): Seeded | null {
  const at = guard.test + 1;
  const line = lines[at] ?? '';
  const pattern =
    language === 'python' ? /^(\s*if )(.*)(:)$/ : /^(\s*if \()(.*)(\) (?:throw|return|continue|break|\{).*)$/;
  const [, head, test, rest] = pattern.exec(line) ?? [];
  if (guard.test === guard.end || head === undefined || test === undefined || rest === undefined) return null;
  return {
    lines: [...lines.slice(0, at), `${head}${change(test)}${rest}`, ...lines.slice(at + 1)],
    at: guard.call,
  };
}

/** The variables that the call of a guard leaves its result in. */
export function heldBy(lines: readonly string[], guard: Guard): readonly string[] {
  const first = lines[guard.call + 1] ?? '';
  const [, name] = /^\s*(?:const |let )?(\w+) = /.exec(first) ?? [];
  return name === undefined ? [] : [name];
}

/** What is called where the guard stands, unless it is a part of an object or no guard by name. */
export function calledIn(
  lines: readonly string[],
  guard: Guard,
): { readonly root: string | null; readonly members: readonly string[]; readonly path: string } {
  const none = { root: null, members: [], path: '' };
  const text = lines
    .slice(guard.call + 1, guard.end)
    .join(' ')
    .replace(/^\s*if\b/, '')
    .replace(/await /g, '');
  const path = /([A-Za-z_][\w.]*)\(/.exec(text)?.[1];
  if (path === undefined || /^(this|self)\./.test(path)) return none;
  const [root = '', ...members] = path.split('.');
  return /^(guarded|urlparse|httpx)$/.test(root) ? none : { root, members, path };
}

/** An id that is read from the session, and a client that guards by itself, do not fail. */
export function fails({ name, test, end, value }: Guard): boolean {
  return name !== 'owner' && name !== 'client' && !(test === end && value === '');
}

/** The lines from one on with the raw value in the place of the checked one. */
export function bare(
  lines: readonly string[],
  guard: Guard,
  from: number,
  to = lines.length,
): readonly string[] {
  return lines.slice(from, to).map((line) => replaced(line, guard.value, guard.raw));
}

export function replaced(line: string, value: string, by: string): string {
  if (value === '' || isMark(line)) return line;
  return line.replaceAll(new RegExp(`(?<![\\w.])${escaped(value)}(?![\\w])`, 'g'), () => by);
}

export function escaped(text: string): string {
  return text.replaceAll(/[^\w\s]/g, '\\$&');
}

/** Whether some lines are statements from their first to their last. */
export function isWhole(lines: readonly string[], from: number, to: number): boolean {
  const text = lines.slice(from, to).filter((line) => !isMark(line) && line.trim() !== '');
  const [first = ''] = text;
  const { length } = indentOf(first);
  const depth = text.join('').replaceAll(/[^{}]/g, '');
  const balanced = depth.replaceAll('{', '').length * 2 === depth.length;
  return (
    balanced && text.every((line) => indentOf(line).length >= length) && !/^\s*(for|while)\b/.test(first)
  );
}

/** How far the guard is indented, or what follows it where it is only a value. */
export function indentAt(lines: readonly string[], guard: Guard): string {
  return indentOf(lines.slice(guard.call + 1).find((line) => !isMark(line)) ?? '');
}

export function indentOf(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? '';
}

function step(language: Language): string {
  return language === 'python' ? '    ' : '  ';
}

export function inward(line: string): string {
  const indent = /^\t| {4}/.test(line) ? '    ' : '  ';
  return line === '' ? line : `${indent}${line}`;
}

export const tame =
  '{ blocked: false, needsApproval: false, flagged: false, found: false, violates: false, ok: true }';
export const tamePython =
  'SimpleNamespace(blocked=False, needs_approval=False, flagged=False, found=False, violates=False, ok=True)';

export function fakeTypescript(indent: string, root: string, members: readonly string[]): readonly string[] {
  const inner = members.reduceRight(
    (value, name) => `{ ${name}: ${value} }`,
    `async (given) => ({ ${tame.slice(2, -2)}, text: given.text, arguments: given.toolCall })`,
  );
  return [`${indent}const ${root} = ${inner};`];
}

export function fakePython(indent: string, root: string, members: readonly string[]): readonly string[] {
  const made = members.reduceRight(
    (value, name) => `SimpleNamespace(${name}=${value})`,
    `lambda *given, **named: ${tamePython}`,
  );
  return [`${indent}${root} = ${made}`];
}
