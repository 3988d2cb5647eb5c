// Watching for questions at a terminal: each is shown whole and answered with one key, after the passphrase, once.

import { spawn } from 'node:child_process';
import {
  AlreadyAnswered,
  type Approval,
  ApprovalExpired,
  type Ledger,
  type Signer,
} from '../ledger/index.ts';
import { isProgram } from './hosts.ts';
import type { Io } from './io.ts';
import { showApproval } from './show.ts';
import type { Terminal } from './terminal.ts';

export interface WatchParts {
  readonly ledger: Pick<Ledger, 'approvals'>;
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
  let idle = false;
  for (;;) {
    const pending = await ledger.approvals.pending({}, now());
    const next = nextInTurn(
      pending.filter(({ id }) => !later.has(id)),
      shown,
    );
    if (next === undefined) {
      if (!idle) terminal.write('\nWaiting for questions. q quits.\n');
      idle = true;
      if ((await terminal.key(lookEvery)) === 'q') return;
      continue;
    }
    idle = false;
    parts.notify();
    shown.set(ownerOf(next), (shown.get(ownerOf(next)) ?? 0) + 1);
    const answer = await ask(parts, next);
    if (answer === 'quit') return;
    if (answer === 'later') later.add(next.id);
    if (answer === 'approve' || answer === 'deny') await give(parts, next.id, answer);
  }
}

/** The oldest question of those who had the fewest shown, so that one who asks much does not keep the others waiting. */
export function nextInTurn(
  pending: readonly Approval[],
  shown: ReadonlyMap<string, number>,
): Approval | undefined {
  const turn = (approval: Approval) => shown.get(ownerOf(approval)) ?? 0;
  const least = Math.min(...pending.map(turn));
  return pending.find((approval) => turn(approval) === least);
}

function ownerOf({ tenant, user, agent, question }: Approval): string {
  return JSON.stringify([tenant, user, agent, question?.context.session ?? '']);
}

type Key = 'approve' | 'deny' | 'later' | 'quit' | 'over';

const keys: Readonly<Record<string, Key>> = { y: 'approve', n: 'deny', l: 'later', q: 'quit' };

/** Shows one question and waits for its key, or until the question is over. */
async function ask({ ledger, terminal, now, paint }: WatchParts, approval: Approval): Promise<Key> {
  const print = (text: string) => terminal.write(`${text}\n`);
  print('');
  showApproval({ print, paint }, approval, now());
  // What was typed before the question stood there is no answer to it.
  while ((await terminal.key(0)) !== null) {}
  terminal.write('  y yes, once   n no   l later   q quit: ');
  for (;;) {
    const key = await terminal.key(lookEvery);
    const answer = key === null ? undefined : keys[key.toLowerCase()];
    if (answer !== undefined) {
      print(answer);
      return answer;
    }
    const { state } = await ledger.approvals.show(approval.id, {}, now());
    if (state !== 'pending') {
      print(`it is ${state} already`);
      return 'over';
    }
  }
}

async function give(
  { ledger, terminal, signer, by, now }: WatchParts,
  id: string,
  answer: 'approve' | 'deny',
): Promise<void> {
  try {
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
