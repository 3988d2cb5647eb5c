// A ledger for tests, on either engine, and a person whose signature counts there.

import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { canonicalJson } from '../../src/core/index.ts';
import { Ledger, type NewEntry, type SignatureCheck, type Signer } from '../../src/ledger/index.ts';
import { postgresMissing, sharedPostgres } from './postgres.ts';

/** A folder that is gone when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const sign = (payload: readonly (string | number)[]) =>
  createHmac('sha256', 'the person').update(canonicalJson(payload)).digest('base64url');

export const person: Signer = { sign };
export const isPerson: SignatureCheck = (publicKey, payload, signature) =>
  publicKey === 'the person' && sign(payload) === signature;
export const impostor: Signer = { sign: () => 'bm90IHRoZSBwZXJzb24' };

export type Engine = 'sqlite' | 'postgres';
export const engines: readonly Engine[] = postgresMissing === null ? ['sqlite', 'postgres'] : ['sqlite'];

/** One store that several ledgers open, and that a liar reaches directly. */
export interface StorePlace {
  readonly engine: Engine;
  /** The folder of an embedded store. */
  readonly folder: string;
  readonly options: Parameters<typeof Ledger.open>[0];
  /** Opens a ledger as the daemon of the given chain would. */
  open(chain?: string): Promise<Ledger>;
  /** Runs SQL past all of our code, as somebody with the database in their hands would. */
  tamper(...statements: readonly string[]): Promise<void>;
  rows(query: string): Promise<readonly Record<string, unknown>[]>;
}

/** A fresh store of an engine. */
export async function newStore(engine: Engine): Promise<StorePlace> {
  const folder = temporaryFolder();
  const file = join(folder, 'ledger.db');
  const database = engine === 'postgres' ? await sharedPostgres() : null;
  const common = {
    operatorKey: Buffer.alloc(32, 7),
    chain: 'a',
    check: isPerson,
    now: () => 1_700_000_000_000,
  };
  const options =
    database === null
      ? { ...common, store: { file } }
      : { ...common, store: { url: database.url, poolSize: 4, statementTimeoutMs: 10_000 } };

  async function direct<T>(
    work: (run: (text: string) => Promise<Record<string, unknown>[]>) => Promise<T>,
  ): Promise<T> {
    if (database === null) {
      const connection = new DatabaseSync(file, { timeout: 5000 });
      try {
        return await work(async (text) => connection.prepare(text).all());
      } finally {
        connection.close();
      }
    }
    const client = new pg.Client(database.server.superuserUrl(database.name));
    await client.connect();
    try {
      return await work(async (text) => (await client.query(text)).rows);
    } finally {
      await client.end();
    }
  }

  return {
    engine,
    folder,
    options,
    async open(chain = 'a') {
      const ledger = await Ledger.open({ ...options, chain });
      await ledger.approvers.set('home', 'the person', common.now());
      onTestFinished(() => ledger.close());
      return ledger;
    },
    async tamper(...statements) {
      const unguard =
        database === null
          ? ['DROP TRIGGER IF EXISTS audit_is_never_changed', 'DROP TRIGGER IF EXISTS audit_is_never_deleted']
          : ['DROP TRIGGER IF EXISTS audit_append_only ON audit'];
      await direct(async (run) => {
        for (const statement of [...unguard, ...statements]) await run(statement);
      });
      // Another process does it, so that this one hears of nothing else before its next event.
      await new Promise((resolve) => setImmediate(resolve));
    },
    rows: (query) => direct((run) => run(query)),
  };
}

/** Opens an embedded ledger in a place of its own; it is closed when the test is over. */
export async function openTestLedger(): Promise<Ledger> {
  return await (await newStore('sqlite')).open();
}

/** An entry with a number in it. */
export function entry(number: number, more: Partial<NewEntry> = {}): NewEntry {
  return {
    time: 1_700_000_000_000 + number,
    event_type: 'decision',
    user: 'ann',
    tenant: 'acme',
    agent: 'coder',
    decision_id: `decision-${number}`,
    decision: 'block',
    details: { number },
    ...more,
  };
}
