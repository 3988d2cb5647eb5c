// Verdicts, approvals and entries in plain words. Whatever an agent wrote is shown with its tricks made visible.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type ActionText,
  actionTexts,
  flaggedIn,
  rowsIn,
  shownTexts,
  stringAt,
} from '../core/action-text.ts';
import {
  type Action,
  type CommandView,
  type Decision,
  type ExitCode,
  exitCodes,
  type Finding,
  type JsonObject,
  type Unchecked,
  uncheckedWords,
  type Verdict,
  visible,
} from '../core/index.ts';
import { grouped, shownWhole } from '../core/text.ts';
import { plainMessage } from '../guards/command/error.ts';
import type { Approval } from '../ledger/index.ts';
import { lineDiff } from './diff.ts';
import type { Colour, Io } from './io.ts';
import { permittedBy, whatOf } from './permitted.ts';

const colours: Readonly<Record<Finding['decision'], Colour>> = {
  pass: 'green',
  redact: 'yellow',
  approve: 'yellow',
  block: 'red',
  warn: 'dim',
};

const longestLine = 200;
const longestText = 2000;

/** The exit code of a decision. */
export function exitCodeOf(decision: Decision): ExitCode {
  if (decision === 'block') return exitCodes.failed;
  return decision === 'approve' ? exitCodes.waiting : exitCodes.pass;
}

/** A decision word in its colour. */
export function decisionWord(io: Io, decision: Finding['decision']): string {
  return io.paint(colours[decision], decision.toUpperCase());
}

/** The piece of a command that a finding is about; undefined where it is about something else. */
export function segmentOf({ action }: Verdict, { pointer, span }: Finding): string | undefined {
  if (span === undefined || (action.kind !== 'shell' && action.kind !== 'python')) return undefined;
  return stringAt(action, pointer ?? '')?.slice(...span);
}

/** A verdict for a person. */
export function showVerdict(io: Io, verdict: Verdict): void {
  const because = verdict.explanation.replace(/^(?:Blocked|Needs approval|Passed)(?:: |\. ?)/, '');
  io.print(`${decisionWord(io, verdict.decision)}${because === '' ? '' : `  ${visible(because)}`}`);
  for (const finding of verdict.findings) {
    const { layer, contract } = finding;
    const notes = [
      ...(layer === undefined ? [] : [`layer ${layer}`]),
      ...(contract === undefined ? [] : [contract]),
    ];
    const shown = notes.length === 0 ? '' : ` (${notes.join(', ')})`;
    const segment = segmentOf(verdict, finding);
    const where = segment === undefined ? '' : `  ← ${visible(segment, longestLine)}`;
    io.print(`  ${decisionWord(io, finding.decision)} ${finding.guard}/${finding.rule}${shown}${where}`);
  }
  showUnchecked(io, verdict.unchecked ?? []);
  const { action, decision } = verdict;
  if (decision === 'redact' && action.kind === 'prompt' && action.text !== undefined) {
    io.print(`  as it goes on: ${visible(action.text, longestText)}`);
  }
}

/** Files whose references were not looked up, each with the reason. */
export function showUnchecked(io: Io, unchecked: readonly Unchecked[]): void {
  for (const { path, why } of unchecked)
    io.print(`${io.paint('dim', 'UNCHECKED')} ${visible(path)}: ${uncheckedWords[why]}.`);
}

/** What was read in a command, step by step. */
export function showCommand(io: Io, { parsed, effects, flows, unknowns, errors }: CommandView): void {
  const part = (title: string, lines: readonly string[]): void => {
    if (lines.length === 0) return;
    io.print(io.paint('bold', title));
    for (const line of lines) io.print(`  ${line}`);
  };
  const width = Math.max(0, ...effects.map(({ kind }) => kind.length));
  part(
    'commands',
    parsed.map(({ program, arguments: words, through }) => {
      const command = [program ?? '…', ...words].map(quoted).join(' ');
      return `${visible(command, longestLine)}${through.length === 0 ? '' : `  (through ${through.join(', ')})`}`;
    }),
  );
  part(
    'effects',
    effects.map(({ kind, target, detail, zone, recursive, force, reversible, text }) => {
      const notes = [
        ...(detail === undefined ? [] : [detail]),
        ...(zone === undefined ? [] : [zone.replace('_', ' ')]),
        ...(recursive ? ['recursive'] : []),
        ...(force ? ['forced'] : []),
        ...(reversible ? ['can be had again'] : []),
      ];
      const what = `${kind.padEnd(width)}  ${target === null ? '' : `${visible(target, longestLine)}  `}`;
      return `${what}${notes.length === 0 ? '' : `(${visible(notes.join(', '), longestLine)})  `}← ${visible(text, longestLine)}`;
    }),
  );
  part(
    'flows',
    flows.map(({ from, sources, to, target, program }) => {
      const begin = sources.length === 0 ? from : `${from} (${sources.join(', ')})`;
      return visible(`${begin} → ${to}${target === null ? '' : ` (${target})`} by ${program}`, longestLine);
    }),
  );
  part('not known', [
    ...unknowns.map(({ what, text }) => visible(`${what} ← ${text}`, longestLine)),
    ...errors.map((error) => visible(error, longestLine)),
  ]);
}

/** A word as a shell would want it written. */
function quoted(word: string): string {
  return /^[\w@%+=:,./~…|*?{}[\]-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A question in lines, whole: who asks, what would happen, where, why, and what the agent says to it. */
export interface QuestionLines {
  readonly head: readonly string[];
  /** The texts of the action, and all of them. */
  readonly what: readonly string[];
  readonly tail: readonly string[];
}

const spans = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
] as const;

/** A span of time in the largest unit that it holds twice. */
export function spanWords(ms: number): string {
  const [unit, name] = spans.find(([one]) => ms >= 2 * one) ?? [1000, 's'];
  return `${Math.round(ms / unit)} ${name}`;
}

/** A pending approval for the person who must answer it. */
export function questionLines(paint: Io['paint'], approval: Approval, now: number): QuestionLines {
  const left = spanWords(Math.max(0, approval.expiresAt - now));
  const head = `${paint('bold', approval.id)}  ${visible(approval.agent)} asks, ${left} left`;
  if (approval.question === null) return { head: [head], what: [], tail: [] };
  const { action, context, findings } = approval.question;
  const [title = '', ...own] = actionLines(action, findings, context.workspace);
  const lines = [...own, ...shownTexts(findings).flatMap(namedLines)];
  const why = countedLines(
    findings.map((finding) => {
      const label = finding.decision === 'approve' ? 'why      ' : finding.decision.padEnd(9);
      return `  ${label}  ${visible(plainMessage(finding))}${finding.layer === undefined ? ` [${finding.guard}/${finding.rule}]` : ''}`;
    }),
  );
  const { justification } = action;
  const permitted = permittedBy(approval, now).map((one) => visible(whatOf(one), longestLine));
  const longer = `  longer     sallyport allow ${approval.id}: ${permitted.join('; ')}`;
  return {
    head: [head, `  what       ${title}`, ...(isLong(lines) ? flaggedLines(action, findings) : [])],
    what: lines.map((line) => `${indent}${line}`),
    tail: [
      `  where      ${visible(context.workspace)} (session ${visible(context.session)}, mode ${context.mode})`,
      ...why,
      `  it says    ${justification === undefined ? 'none given' : visible(justification, 500)}`,
      ...(permitted.length === 0 ? [] : [longer]),
    ],
  };
}

/** Lines, each once, with how often it came. */
function countedLines(lines: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return [...counts].map(([line, count]) => (count === 1 ? line : `${line} (${count} times)`));
}

/** What stands before each line of an action. */
export const indent = ' '.repeat(13);

/** Lines that fill half a screen: what the findings point at is then shown before them too. */
function isLong(lines: readonly string[]): boolean {
  return rowsIn(lines.join('\n'), 80) > 12;
}

const mostFlagged = 10;
const longestFlagged = 300;

/** What the findings that ask point at. */
function flaggedLines(action: Action, findings: readonly Finding[]): readonly string[] {
  const flagged = flaggedIn(action, findings);
  const more = flagged.length - mostFlagged;
  return [
    ...flagged.slice(0, mostFlagged).map((span) => {
      const text = shownWhole(span).replaceAll('\n', '\\n');
      return `  asks for   ${text.length > longestFlagged ? `${text.slice(0, longestFlagged)}…` : text}`;
    }),
    ...(more > 0 ? [`  asks for   ${more} more places, below`] : []),
  ];
}

/** Most characters of an action that a list shows: there nothing is answered. */
const mostListed = 2000;

/** A pending approval in a list; what is left out is counted, and shown before an answer is taken. */
export function listApproval(io: Pick<Io, 'print' | 'paint'>, approval: Approval, now: number): void {
  const { head, what, tail } = questionLines(io.paint, approval, now);
  let room = mostListed;
  let lines = 40;
  const shown: string[] = [];
  for (const line of what) {
    if (room <= 0 || lines-- <= 0) break;
    shown.push(line.slice(0, indent.length + room));
    room -= line.length - indent.length;
  }
  const rest = charactersOf(what) - charactersOf(shown);
  const more = `${indent}… ${grouped(rest)} characters more; sallyport approve ${approval.id} shows them`;
  for (const line of [...head, ...shown, ...(rest > 0 ? [more] : []), ...tail]) io.print(line);
}

/** How many characters lines of an action hold. */
function charactersOf(lines: readonly string[]): number {
  return lines.reduce((count, line) => count + line.length - indent.length, 0);
}

/** What an action is, then all of its texts, the main one first: as it would run or be written, line by line. */
function actionLines(action: Action, findings: readonly Finding[], workspace: string): readonly string[] {
  const texts = actionTexts(action, findings, workspace);
  const but = (...names: readonly string[]) =>
    texts.filter(({ name }) => !names.includes(name)).flatMap(namedLines);
  switch (action.kind) {
    case 'shell':
      return ['shell', ...textLines(action.command, '$ '), ...but('command')];
    case 'python':
    case 'code':
      return [action.kind, ...textLines(action.source, '| '), ...but('source')];
    case 'write': {
      const { path, content } = action;
      if (path === undefined || content === undefined) return ['write', ...but()];
      const change = changeLines(currentText(workspace, path), content);
      return [`write ${visible(path)}`, ...but('path', 'content'), ...change];
    }
    case 'tool': {
      const { tool, server, arguments: input = {} } = action;
      const of = server === undefined ? '' : ` of ${visible(server)}`;
      return [`tool ${visible(tool)}${of}`, ...inputLines(texts, input)];
    }
    default:
      return [action.kind, ...but()];
  }
}

/** The arguments of a tool, the main one first: an edit as a difference, texts of several lines as such. */
function inputLines(texts: readonly ActionText[], input: JsonObject): readonly string[] {
  const edits = [
    ['old_string', 'new_string'],
    ['oldString', 'newString'],
    ['old_str', 'new_str'],
  ] as const;
  const edit = edits.find(
    ([old, fresh]) => typeof input[old] === 'string' && typeof input[fresh] === 'string',
  );
  const others = texts.filter(({ name }) => !edit?.some((member) => member === name));
  return [
    ...others.flatMap(namedLines),
    ...(edit === undefined ? [] : changeLines(String(input[edit[0]]), String(input[edit[1]]))),
  ];
}

function namedLines({ name, text }: ActionText): readonly string[] {
  if (text.includes('\n')) return [`${visible(name)}:`, ...textLines(text, '| ')];
  return [`${visible(name)}: ${shownWhole(text)}`];
}

function textLines(text: string, before: string): readonly string[] {
  return shownWhole(text)
    .split('\n')
    .map((line) => `${before}${line}`);
}

/** A line of a difference with nothing on it to be seen. */
const emptyChange = /^([+-]) (?:\s|\\t|⟨[\d,]+ blanks⟩)*$/;

/** A difference, with many empty lines in a row as their count. */
function changeLines(before: string, after: string): readonly string[] {
  const lines = shownWhole(lineDiff(before, after).join('\n')).split('\n');
  const shown: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const mark = emptyChange.exec(lines[at] ?? '')?.[1];
    let end = at + 1;
    while (mark !== undefined && emptyChange.exec(lines[end] ?? '')?.[1] === mark) end++;
    if (end - at > 3) shown.push(`${mark} ⟨${grouped(end - at)} empty lines⟩`);
    else shown.push(...lines.slice(at, end));
    at = end;
  }
  return shown;
}

/** What stands in the file now; nothing if it is not there or cannot be read. */
function currentText(workspace: string, path: string): string {
  try {
    return readFileSync(resolve(workspace, path), 'utf8');
  } catch {
    return '';
  }
}
