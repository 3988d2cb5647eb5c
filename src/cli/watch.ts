// Watching for questions at a terminal: each is shown whole and answered with one key, after the passphrase, once.

import { spawn } from 'node:child_process';
import { excerptOf, shortened } from '../core/action-text.ts';
import { type PermissionTerms, reaches, usualPermissionMs, visible } from '../core/index.ts';
import {
  AlreadyAnswered,
  type Approval,
  ApprovalExpired,
  type Ledger,
  type Signer,
} from '../ledger/index.ts';
import { isProgram } from './hosts.ts';
import type { Io } from './io.ts';
import { moreAfter, pagesOf } from './pager.ts';
import { linesOf, permittedBy } from './permitted.ts';
import { indent, questionLines, spanWords } from './show.ts';
import type { Terminal } from './terminal.ts';

export interface WatchParts {
  readonly ledger: Pick<Ledger, 'approvals' | 'approveForGood'>;
  readonly terminal: Terminal;
  readonly signer: Signer;
  /** Who answers. */
  readonly by: string;
  readonly now: () => number;
  readonly paint: Io['paint'];
  /** Tells a person who looks elsewhere that something waits. */
  readonly notify: () => void;
}

/** How often new questions are looked for, in milliseconds. */
const lookEvery = 500;

/** Shows and answers questions until the person quits. */
export async function watch(parts: WatchParts): Promise<void> {
  const { ledger, terminal, now } = parts;
  const later = new Set<string>();
  const shown = new Map<string, number>();
  let chosen: string | null = null;
  let idle = false;
  for (;;) {
    const pending = await ledger.approvals.pending({}, now());
    const next: Approval | undefined =
      pending.find(({ id }) => id === chosen) ??
      nextInTurn(
        pending.filter(({ id }) => !later.has(id)),
        shown,
      );
    chosen = null;
    if (next === undefined) {
      if (!idle) terminal.write('\nWaiting for questions. q quits.\n');
      idle = true;
      if ((await terminal.key(lookEvery)) === 'q') return;
      continue;
    }
    idle = false;
    parts.notify();
    shown.set(ownerOf(next), (shown.get(ownerOf(next)) ?? 0) + 1);
    const listed = pending.length > 1 ? pending.slice(0, mostListed) : [];
    const answer = await ask(parts, next, listed);
    if (answer === 'quit') return;
    if (answer === 'later') later.add(next.id);
    if (isChoice(answer)) chosen = listed[Number(answer) - 1]?.id ?? null;
    if (answer === 'approve' || answer === 'deny' || isReach(answer)) await give(parts, next.id, answer);
  }
}

/** The oldest question of those who had the fewest shown, so that one who asks much does not keep the others waiting. */
function nextInTurn(pending: readonly Approval[], shown: ReadonlyMap<string, number>): Approval | undefined {
  const turn = (approval: Approval) => shown.get(ownerOf(approval)) ?? 0;
  const least = Math.min(...pending.map(turn));
  return pending.find((approval) => turn(approval) === least);
}

function ownerOf({ tenant, user, agent, question }: Approval): string {
  return JSON.stringify([tenant, user, agent, question?.context.session ?? '']);
}

/** Questions that are listed, each with the digit that shows it. */
const mostListed = 9;
const digits = ['1', '2', '3', '4', '5', '6', '7', '8', '9'] as const;
type Digit = (typeof digits)[number];

type Key = 'approve' | 'deny' | 'later' | 'quit' | 'over' | Reach;
type Reach = PermissionTerms['reach'];

function isReach(key: Key | Digit): key is Reach {
  return reaches.some((reach) => reach === key);
}

function isChoice(key: Key | Digit): key is Digit {
  return digits.some((digit) => digit === key);
}

/** All that wait in short, so that the person can take another first. */
function listLines(paint: Io['paint'], listed: readonly Approval[], at: string): readonly string[] {
  if (listed.length === 0) return [];
  const lines = listed.map(({ id, agent, question }, index) => {
    const what = question === null ? '' : visible(shortened(excerptOf({ ...question.action })), 90);
    return `  ${index + 1}  ${id === at ? paint('bold', id) : id}  ${visible(agent, 20)}  ${what}`;
  });
  return [
    `${listed.length === mostListed ? 'The oldest that wait' : `${listed.length} wait`}:`,
    ...lines,
    '',
  ];
}

const early: Readonly<Record<string, Key | 'next'>> = {
  ...{ n: 'deny', l: 'later', q: 'quit', '\r': 'next', '\n': 'next', ' ': 'next' },
};
const keys: Readonly<Record<string, Key>> = { y: 'approve', n: 'deny', l: 'later', q: 'quit' };
/** The keys of a yes that lasts, where the question takes one. */
const lasting: Readonly<Record<string, Key>> = { s: 'session', p: 'project', a: 'always' };

/** Shows one question, page by page, and waits for its key, or until the question is over. A yes counts at the end. */
async function ask(parts: WatchParts, approval: Approval, listed: readonly Approval[]): Promise<Key | Digit> {
  const { terminal, now, paint } = parts;
  const { head, what, tail } = questionLines(paint, approval, now());
  terminal.write('\n');
  for (const line of listLines(paint, listed, approval.id)) terminal.write(`${line}\n`);
  const others = Object.fromEntries(digits.slice(0, listed.length).map((digit) => [digit, digit]));
  const other = listed.length === 0 ? '' : `   1-${listed.length} another`;
  const canLast = permittedBy(approval, now()).length > 0;
  const allowed = canLast ? `   ${spanWords(usualPermissionMs)}: s session, p project, a always` : '';
  const answers = { ...keys, ...(canLast ? lasting : {}), ...others };
  for (const page of pagesOf([...head, ...what, ...tail], terminal.size(), indent)) {
    terminal.write(page.text);
    const last = page.left === 0;
    // What was typed before the question stood there is no answer to it.
    while ((await terminal.key(0)) !== null) {}
    terminal.write(
      last
        ? `  y yes, once${allowed}   n no   l later${other}   q quit: `
        : `${moreAfter(page)}   n no   l later${other}   q quit: `,
    );
    const key = await pressed(parts, approval.id, last ? answers : { ...early, ...others });
    if (key !== 'next') return key;
  }
  return 'over';
}

/** Waits for one of the keys, or until the question is over. */
async function pressed<K extends string>(
  { ledger, terminal, now }: WatchParts,
  id: string,
  meanings: Readonly<Record<string, K>>,
): Promise<K | 'over'> {
  for (;;) {
    const key = await terminal.key(lookEvery);
    const answer = key === null ? undefined : meanings[key.toLowerCase()];
    if (answer !== undefined) {
      terminal.write(answer === 'next' ? '\n' : `${answer}\n`);
      return answer;
    }
    const { state } = await ledger.approvals.show(id, {}, now());
    if (state !== 'pending') {
      terminal.write(`it is ${state} already\n`);
      return 'over';
    }
  }
}

async function give(
  { ledger, terminal, signer, by, now }: WatchParts,
  id: string,
  answer: 'approve' | 'deny' | Reach,
): Promise<void> {
  try {
    if (isReach(answer)) {
      const terms = { reach: answer, lifeMs: usualPermissionMs, uses: null };
      const { permissions } = await ledger.approveForGood(id, by, signer, {}, terms, now());
      for (const line of permissions.flatMap(linesOf)) terminal.write(`  ${line}\n`);
      return;
    }
    await ledger.approvals.answer(id, answer, by, answer === 'approve' ? signer : null, {}, now());
  } catch (error) {
    if (!(error instanceof AlreadyAnswered) && !(error instanceof ApprovalExpired)) throw error;
    terminal.write(`  ${error.message}\n`);
  }
}

/** Programs that show a note on a desktop, by their absolute paths, with a note that tells nothing. */
const notifiers: readonly (readonly string[])[] = [
  ['/usr/bin/notify-send', '--app-name=Sallyport', 'Sallyport', 'A question waits for you.'],
  ['/usr/bin/osascript', '-e', 'display notification "A question waits for you." with title "Sallyport"'],
];

/** A note on the desktop, where there is one; what cannot be shown is no fault. */
export function notifyDesktop(environment: Io['environment'], programs = notifiers): void {
  const [program, ...args] = programs.find(([path = '']) => isProgram(path)) ?? [];
  if (program === undefined) return;
  const { DISPLAY, WAYLAND_DISPLAY, DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR } = environment;
  const child = spawn(program, args, {
    stdio: 'ignore',
    timeout: 5000,
    env: { DISPLAY, WAYLAND_DISPLAY, DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR },
  });
  child.once('error', () => undefined);
  child.unref();
}
