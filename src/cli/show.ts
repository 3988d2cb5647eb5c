// Verdicts, approvals and entries in plain words. Whatever an agent wrote is shown with its tricks made visible.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type ActionText, actionTexts, stringAt } from '../core/action-text.ts';
import {
  type Action,
  type CommandView,
  type Decision,
  type ExitCode,
  exitCodes,
  type Finding,
  type JsonObject,
  type Verdict,
  visible,
} from '../core/index.ts';
import type { Approval } from '../ledger/index.ts';
import { lineDiff } from './diff.ts';
import type { Colour, Io } from './io.ts';

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
  io.print(`${decisionWord(io, verdict.decision)}  ${visible(verdict.explanation)}`);
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
  const { action, decision } = verdict;
  if (decision === 'redact' && action.kind === 'prompt' && action.text !== undefined) {
    io.print(`  as it goes on: ${visible(action.text, longestText)}`);
  }
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

/** A pending approval for the person who must answer it. */
export function showApproval(io: Pick<Io, 'print' | 'paint'>, approval: Approval, now: number): void {
  const left = Math.max(0, Math.round((approval.expiresAt - now) / 1000));
  io.print(`${io.paint('bold', approval.id)}  ${visible(approval.agent)} asks, ${left} s left`);
  if (approval.question === null) return;
  const { action, context, findings } = approval.question;
  const [what, ...lines] = actionLines(action, context.workspace);
  io.print(`  what       ${what}`);
  for (const line of bounded(lines)) io.print(`             ${line}`);
  io.print(
    `  where      ${visible(context.workspace)} (session ${visible(context.session)}, mode ${context.mode})`,
  );
  for (const { rule, guard, message, decision } of findings) {
    io.print(
      `  ${decision === 'approve' ? 'why      ' : decision.padEnd(9)}  ${visible(message)} [${guard}/${rule}]`,
    );
  }
  const { justification } = action;
  io.print(`  it says    ${justification === undefined ? 'none given' : visible(justification, 500)}`);
}

/** Most lines of an action that are shown; the rest is counted, never hidden silently. */
const mostLines = 200;
const longestAsked = 2000;

function bounded(lines: readonly string[]): readonly string[] {
  if (lines.length <= mostLines) return lines;
  return [...lines.slice(0, mostLines), `… (${lines.length - mostLines} more lines that are not shown)`];
}

/** What an action is, then all of its texts, the main one first: as it would run or be written, line by line. */
function actionLines(action: Action, workspace: string): readonly string[] {
  const [main, ...rest] = actionTexts(action, [], workspace);
  const others = rest.flatMap(namedLines);
  switch (action.kind) {
    case 'shell':
      return ['shell', ...textLines(action.command, '$ '), ...others];
    case 'python':
    case 'code':
      return [action.kind, ...textLines(action.source, '| '), ...others];
    case 'write': {
      const { path, content, changes = [] } = action;
      if (path === undefined || content === undefined) return [jsonLine(action), ...changes.map(plain)];
      return [`write ${visible(path)}`, ...lineDiff(currentText(workspace, path), content).map(line)];
    }
    case 'tool': {
      const { tool, server, arguments: input = {} } = action;
      const of = server === undefined ? '' : ` of ${visible(server)}`;
      return [`tool ${visible(tool)}${of}`, ...inputLines(action, input)];
    }
    default:
      return [action.kind, ...(main === undefined ? [] : namedLines(main)), ...others];
  }
}

/** The arguments of a tool, the main one first: an edit as a difference, texts of several lines as such. */
function inputLines(action: Action, input: JsonObject): readonly string[] {
  const edits = [
    ['old_string', 'new_string'],
    ['oldString', 'newString'],
    ['old_str', 'new_str'],
  ] as const;
  const edit = edits.find(
    ([old, fresh]) => typeof input[old] === 'string' && typeof input[fresh] === 'string',
  );
  const others = actionTexts(action).filter(({ name }) => !edit?.some((member) => member === name));
  return [
    ...others.flatMap(namedLines),
    ...(edit === undefined ? [] : lineDiff(String(input[edit[0]]), String(input[edit[1]])).map(line)),
  ];
}

function namedLines({ name, text }: ActionText): readonly string[] {
  if (text.includes('\n')) return [`${visible(name)}:`, ...textLines(text, '| ')];
  return [`${visible(name)}: ${line(text)}`];
}

function textLines(text: string, before: string): readonly string[] {
  return text.split('\n').map((part) => `${before}${line(part)}`);
}

function line(text: string): string {
  return visible(text, longestAsked);
}

function plain(value: unknown): string {
  return line(JSON.stringify(value));
}

function jsonLine({ kind, justification: _, ...rest }: Action): string {
  return `${kind} ${visible(JSON.stringify(rest), longestAsked)}`;
}

/** What stands in the file now; nothing if it is not there or cannot be read. */
function currentText(workspace: string, path: string): string {
  try {
    return readFileSync(resolve(workspace, path), 'utf8');
  } catch {
    return '';
  }
}
