// Answers questions of a system daemon as the account whose agents it guards: the store is closed to that account, so the
// person signs in to the daemon. INVARIANT: the passphrase and the key stay in this process, and only what was shown is signed.

import { existsSync, readFileSync } from 'node:fs';
import { type SystemDaemon, systemPlaces } from '../../config/index.ts';
import {
  answerPayload,
  canonicalJson,
  clockSlackMs,
  type ExitCode,
  exitCodes,
  isJsonObject,
  type JsonObject,
  NotAllowed,
  parseJson,
  SallyportError,
} from '../../core/index.ts';
import { type Approval, digestOf, type Question } from '../../ledger/index.ts';
import type { Call } from '../command.ts';
import { readWhole } from '../pager.ts';
import { type AskPersonsDaemon, accepted, daemonOver, type Needed, PersonSession } from '../person.ts';
import { askSecret } from '../secret.ts';
import { indent, questionLines } from '../show.ts';
import { Cancelled, openTerminal, yesOrNo } from '../terminal.ts';
import { waitingId } from '../waiting.ts';
import { findAccount } from './accounts.ts';
import { listenerOf } from './boundary.ts';

/** The daemon asks for a signature over something else than was shown. Nothing is signed. */
export class NotAsShown extends SallyportError {}

/** The longest that an answer counts: `[approvals] expiry_seconds` is at most seven days. */
const longestAnswerMs = 7 * 24 * 3_600_000;

/** A question as it is shown, with the text whose digest is signed. */
export interface Asked {
  readonly id: string;
  readonly bound: string;
  readonly text: string;
  readonly question: Question;
}

/** Signs the person in, has the question read to its end, and signs a yes to it. */
export async function approveThere(call: Call, daemon: SystemDaemon, given: string): Promise<ExitCode> {
  const id = waitingId(call, given, await approvalsThere(daemon));
  await withPerson(daemon, async (person) => {
    const waiting = approvalIn(await person.call(pathOf(id)));
    if (waiting.state !== 'pending') {
      throw new NotAllowed(`approval ${id} is ${waiting.state} already`, {
        hint: "see 'sallyport approvals'",
      });
    }
    const asked = askedIn(waiting.text, id);
    if (!call.flag('json')) await agreeAtTerminal(call, { ...waiting, question: asked.question });
    const body = { answer: 'approve' };
    await person.call(`${pathOf(id)}/answer`, { body }, (needed) =>
      requireAsShown(needed, asked, Date.now()),
    );
  });
  if (call.flag('json')) call.io.json({ id, answer: 'approve' });
  else call.io.print(`Approved: ${id}. The agent may try again.`);
  return exitCodes.pass;
}

/** Signs the person in and says no. */
export async function denyThere(call: Call, daemon: SystemDaemon, given: string): Promise<ExitCode> {
  const id = waitingId(call, given, await approvalsThere(daemon));
  await withPerson(daemon, (person) => person.call(`${pathOf(id)}/answer`, { body: { answer: 'deny' } }));
  if (call.flag('json')) call.io.json({ id, answer: 'deny' });
  else call.io.print(`Denied: ${id}.`);
  return exitCodes.pass;
}

/** What waits, by the credential that may ask. */
export async function approvalsThere(daemon: SystemDaemon): Promise<readonly Approval[]> {
  const { clients } = systemPlaces(daemon.user);
  const token = readFileSync(`${clients}/decide.token`, 'utf8').trim();
  const { approvals } = accepted(await askingOf(daemon)('/v1/approvals', { token }));
  return Array.isArray(approvals) ? approvals.filter(isJsonObject).map(approvalIn) : [];
}

async function withPerson(
  daemon: SystemDaemon,
  work: (person: PersonSession) => Promise<unknown>,
): Promise<void> {
  const ask = askingOf(daemon);
  const person = await PersonSession.open(ask, await askSecret('Passphrase'));
  try {
    await work(person);
  } finally {
    await person.close();
  }
}

/** How the daemon is called; throws `NotAllowed` where another account holds its port. */
function askingOf({ port, as }: SystemDaemon): AskPersonsDaemon {
  const uid = existsSync('/proc/net/tcp') ? listenerOf(port) : null;
  if (uid === null || uid !== findAccount(as)?.uid) {
    const who = uid === null ? 'nothing listens there' : `the user id ${uid} listens there, not ${as}`;
    throw new NotAllowed(`127.0.0.1:${port} is not the daemon's: ${who}`, { hint: "see 'sallyport doctor'" });
  }
  return daemonOver(`http://127.0.0.1:${port}`);
}

function pathOf(id: string): string {
  return `/v1/approvals/${encodeURIComponent(id)}`;
}

/** An approval as the daemon sends it. */
function approvalIn(sent: JsonObject): Approval & { readonly text: string | null } {
  const { createdAt, expiresAt, text } = sent;
  return {
    ...(sent as unknown as Approval),
    createdAt: Date.parse(String(createdAt)),
    expiresAt: Date.parse(String(expiresAt)),
    text: typeof text === 'string' ? text : null,
  };
}

/** The question that a text holds; throws `NotAsShown` where it is not one of this id in its only spelling. */
export function askedIn(text: string | null, id: string): Asked {
  const value = text === null ? null : parseJson(text);
  if (text === null || !isJsonObject(value) || canonicalJson(value) !== text) throw notAsShown('no question');
  const { id: named, bound, action, context, findings } = value;
  const isWhole =
    named === id &&
    typeof bound === 'string' &&
    isJsonObject(action) &&
    isJsonObject(context) &&
    Array.isArray(findings);
  if (!isWhole) throw notAsShown('another question');
  return { id, bound, text, question: { action, context, findings } as unknown as Question };
}

/** INVARIANT: what is signed is a yes to what was shown, now, once, with no permission beside it. */
export function requireAsShown({ payload, text }: Needed, asked: Asked, now: number): void {
  const [, , , , at, until] = payload;
  if (typeof at !== 'number' || Math.abs(at - now) > clockSlackMs) {
    throw notAsShown('another time than now; check the clock of this machine');
  }
  if (typeof until !== 'number' || until <= at || until - at > longestAnswerMs) {
    throw notAsShown('an answer that counts for longer than one may');
  }
  const { id, bound } = asked;
  const right = answerPayload({ id, bound, shown: digestOf(asked.text), at, until, permissions: [] });
  if (text !== asked.text || canonicalJson(payload) !== canonicalJson(right)) {
    throw notAsShown('something else than was shown');
  }
}

function notAsShown(what: string): NotAsShown {
  return new NotAsShown(`nothing was signed: the daemon sent ${what}`, {
    hint: "see 'sallyport doctor'",
  });
}

/** The question, whole, and then a yes or no: the passphrase was typed before it could be shown. */
async function agreeAtTerminal(call: Call, approval: Approval): Promise<void> {
  const { head, what, tail } = questionLines(call.io.paint, approval, Date.now());
  const terminal = openTerminal('questions are answered at a terminal');
  try {
    const isRead = await readWhole(terminal, [...head, ...what, ...tail], indent);
    if (isRead && (await yesOrNo(terminal, 'Approve it?'))) return;
  } finally {
    terminal.close();
  }
  throw new Cancelled('nothing was approved');
}
