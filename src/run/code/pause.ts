// Stores a paused run, and loads it again: as one text with all that it is bound to, which the ledger seals.

import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { type Context, SallyportError, type Verdict } from '../../core/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { PausedChain } from './sandbox.ts';

/** A run is resumed only for its owner: the same user, tenant, agent, session, workspace and mode. */
export class OtherContext extends SallyportError {}
/** The run was paused in an engine that this Sallyport does not have. */
export class OtherEngine extends SallyportError {}

/** The store of paused runs, and its clock. */
export interface Pausing {
  readonly ledger: Pick<Ledger, 'runs' | 'approvals' | 'fingerprint'>;
  readonly now: () => number;
}

/** The state that a resumed run continues with. */
export interface StoredRun {
  readonly context: Context;
  /** The verdict that let the code run. */
  readonly verdict: Verdict;
  readonly paused: PausedChain;
}

const compress = promisify(deflateRaw);
const expand = promisify(inflateRaw);

/** The run as bytes: a length, what is JSON, and the memory of the VM. */
export async function packRun({ context, verdict, paused }: StoredRun): Promise<Uint8Array> {
  const { memory, thread } = paused.standstill;
  const json = await compress(
    Buffer.from(JSON.stringify({ context, verdict, paused: { ...paused, standstill: { thread } } })),
    { level: 1 },
  );
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  return Buffer.concat([length, json, memory]);
}

/** The unpacked result of `packRun`. INVARIANT: the ledger opened it, so this store sealed it. */
export async function unpackRun(bytes: Uint8Array): Promise<StoredRun> {
  const whole = Buffer.from(bytes);
  const end = 4 + whole.readUInt32LE();
  const { context, verdict, paused } = JSON.parse((await expand(whole.subarray(4, end))).toString('utf8'));
  return {
    context,
    verdict,
    paused: { ...paused, standstill: { ...paused.standstill, memory: whole.subarray(end) } },
  };
}

/** Throws unless a run may resume here and for this caller. */
export function checkRun({ context, paused }: StoredRun, caller: Context, engine: string): void {
  const parts = ['user', 'tenant', 'agent', 'session', 'workspace', 'mode'] as const;
  const other = parts.find((part) => context[part] !== caller[part]);
  if (other !== undefined) {
    throw new OtherContext(`the run began with another ${other}`, { hint: 'go on where it began' });
  }
  if (paused.engine !== engine) {
    throw new OtherEngine('the run was paused by another version of the engine that runs code', {
      hint: 'run the code again',
    });
  }
}

/** Waits until one of these is answered; false after the timeout or on the abort signal. */
export async function waitForAny(
  { ledger, now }: Pausing,
  approvals: readonly string[],
  forMs: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const done = new AbortController();
  const stop = signal === undefined ? done.signal : AbortSignal.any([signal, done.signal]);
  try {
    const waits = approvals.map(async (id) => {
      if (!(await ledger.approvals.waitFor(id, forMs, stop, now))) throw new Error('no answer');
    });
    return await Promise.any(waits).then(
      () => true,
      () => false,
    );
  } finally {
    done.abort();
  }
}
