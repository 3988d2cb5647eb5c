// The daemon's own rounds: sign the log, carry heads out of reach, witness other daemons, close what dead ones left.

import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import type { LedgerConfig } from '../../config/index.ts';
import { SallyportError } from '../../core/index.ts';
import type { Ledger, SignedHead } from '../../ledger/index.ts';
import type { Log } from './log.ts';

/** A head did not reach the place where it should be kept. */
export class HeadNotStored extends SallyportError {}

export interface KeeperOptions {
  readonly ledger: Ledger;
  readonly config: LedgerConfig;
  readonly owner: { readonly user: string; readonly tenant: string };
  readonly now: () => number;
  readonly log: Log;
  /** How many entries the chain had before this daemon took its first call. */
  readonly sizeBefore: number;
}

const roundEvery = 1000;
const beatEvery = 10_000;
const sweepEvery = 60_000;
const exportTimeout = 10_000;

export class Keeper {
  readonly #options: KeeperOptions;
  readonly #seen = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();
  #signedAt: number;
  #signedSize = 0;
  #kept = 0;
  #beatAt = 0;
  #sweptAt = 0;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#signedAt = performance.now();
  }

  /** Starts the rounds. */
  start(): void {
    this.#timer = setInterval(() => {
      this.#round = this.#round.then(() => this.#once(false));
    }, roundEvery);
  }

  /** Ends the rounds with a last one, so that the newest entries are signed too. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#round;
    await this.#once(true);
  }

  /** INVARIANT: never throws; what fails is logged and tried again with the next round. */
  async #once(last: boolean): Promise<void> {
    const elapsed = performance.now();
    await this.#try('beat_failed', async () => {
      if (elapsed - this.#beatAt < beatEvery) return;
      await this.#options.ledger.work.beat(this.#options.now());
      this.#beatAt = elapsed;
    });
    await this.#try('sign_failed', () => this.#sign(elapsed, last));
    await this.#try('sweep_failed', async () => {
      if (elapsed - this.#sweptAt < sweepEvery && this.#sweptAt !== 0) return;
      await this.#options.ledger.approvals.sweep(this.#options.now());
      await this.#options.ledger.changes.sweep(this.#options.now());
      await this.#options.ledger.runs.sweep(this.#options.now());
      await this.#options.ledger.sessionTexts?.sweep(this.#options.now());
      await this.#options.ledger.work.closeOrphans(this.#options.now(), this.#options.sizeBefore);
      this.#sweptAt = elapsed;
    });
  }

  async #try(event: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.log('error', event, { name: error instanceof Error ? error.name : 'unknown' });
    }
  }

  async #sign(elapsed: number, last: boolean): Promise<void> {
    const { ledger, config } = this.#options;
    const size = await ledger.audit.size();
    const due =
      last ||
      size - this.#signedSize >= config.headEveryEntries ||
      elapsed - this.#signedAt >= config.headEverySeconds * 1000;
    if (!due) return;
    this.#signedAt = elapsed;
    if (!last) await this.#witness();
    const head = await ledger.heads.sign();
    if (head === null) return;
    this.#signedSize = head.size;
    if (head.size > this.#kept && config.headsTo.length > 0) {
      await keepHead(config.headsTo, head);
      this.#kept = head.size;
    }
  }

  /** Records the heads of other daemons in the own chain: an attacker who cuts one chain must cut them all. */
  async #witness(): Promise<void> {
    const { ledger, owner, now } = this.#options;
    const others = (await ledger.heads.newest()).filter(({ chain }) => chain !== ledger.audit.chain);
    // One more entry is the other's word about us; answering that would never end.
    const grown = others.filter(({ chain, size }) => size > (this.#seen.get(chain) ?? -1) + 1);
    if (grown.length === 0) return;
    const heads = grown.map(({ chain, size, root }) => ({ chain, size, root }));
    await ledger.audit.append({
      time: now(),
      event_type: 'heads_seen',
      ...owner,
      agent: '',
      details: { heads },
    });
    for (const { chain, size } of grown) this.#seen.set(chain, size);
  }
}

/** Carries a head to a file, a program or an address outside of the store. */
export async function keepHead(target: readonly string[], head: SignedHead): Promise<void> {
  const [first = '', ...rest] = target;
  const line = `${JSON.stringify(head)}\n`;
  if (rest.length === 0 && first.startsWith('file:')) {
    appendFileSync(first.slice('file:'.length), line, { mode: 0o600 });
  } else if (rest.length === 0 && /^https?:\/\//.test(first)) {
    const answer = await fetch(first, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: line,
      redirect: 'error',
      signal: AbortSignal.timeout(exportTimeout),
    });
    if (!answer.ok) throw new HeadNotStored(`the address answered ${answer.status}`);
  } else {
    await runProgram(first, rest, line);
  }
}

function runProgram(program: string, args: readonly string[], input: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'], timeout: exportTimeout });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new HeadNotStored(`${program} ended with ${code ?? 'a signal'}`));
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
