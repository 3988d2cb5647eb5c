// A ledger for tests, on either engine, and a person whose signature counts there.

import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { onTestFinished, vi } from 'vitest';
import { canonicalJson, type Payload } from '../../src/core/index.ts';
import {
  type ApproverSigner,
  Ledger,
  type NewEntry,
  type SignatureCheck,
  type Signer,
} from '../../src/ledger/index.ts';
import { PostgresStore } from '../../src/ledger/postgres.ts';
import { SqliteStore } from '../../src/ledger/sqlite.ts';
import type { Store } from '../../src/ledger/store.ts';
import { postgresMissing, type SharedDatabase, sharedPostgres } from './postgres.ts';

/** A folder that is gone when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function signature(publicKey: string, payload: Payload): string {
  return createHmac('sha256', publicKey).update(canonicalJson(payload)).digest('base64url');
}

/** A key by its name; that of a person counts on the stores of tests. */
export function keyNamed(publicKey: string): Signer & ApproverSigner {
  return { publicKey, sign: (payload) => signature(publicKey, payload) };
}

export const person = keyNamed('the person');
export const isPerson: SignatureCheck = (publicKey, payload, signed) =>
  signature(publicKey, payload) === signed;
export const impostor: Signer = { sign: () => 'bm90IHRoZSBwZXJzb24' };

/** Makes the person's approval count, unless somebody's does. */
export async function enrolPerson(ledger: Ledger): Promise<void> {
  if ((await ledger.approvers.first()) === null)
    await ledger.enrolOwner(person, { user: 'owner', tenant: 'local' });
}

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
  /** The same, and makes the person's approval count there, which is an entry of the log. */
  openEnrolled(chain?: string): Promise<Ledger>;
  /** Runs SQL past all of our code, as somebody with the database in their hands would. */
  tamper(...statements: readonly string[]): Promise<void>;
  rows(query: string): Promise<readonly Record<string, unknown>[]>;
}

/** An empty store of an engine; one that nobody has opened yet has no tables either. */
export async function newStore(
  engine: Engine,
  state: 'empty' | 'never opened' = 'empty',
): Promise<StorePlace> {
  const folder = temporaryFolder();
  const file = join(folder, 'ledger.db');
  const newDatabase = state === 'empty' ? emptyPostgres : sharedPostgres;
  const database = engine === 'postgres' ? await newDatabase() : null;
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
      return await work(async (text) => {
        if (/^(?:ALTER|CREATE|DROP) /i.test(text)) changed.add(database);
        return (await client.query(text)).rows;
      });
    } finally {
      await client.end();
    }
  }

  async function open(chain = 'a'): Promise<Ledger> {
    const ledger = await Ledger.open({ ...options, chain });
    // One whose store was taken away says so once more.
    onTestFinished(() => ledger.close().catch((error) => expectLoss(ledger, error)));
    return ledger;
  }

  return {
    engine,
    folder,
    options,
    open,
    async openEnrolled(chain) {
      const ledger = await open(chain);
      await enrolPerson(ledger);
      return ledger;
    },
    async tamper(...statements) {
      const unguard =
        database === null
          ? ['DROP TRIGGER IF EXISTS audit_is_never_changed', 'DROP TRIGGER IF EXISTS audit_is_never_deleted']
          : ['SET session_replication_role = replica'];
      await direct(async (run) => {
        for (const statement of [...unguard, ...statements]) await run(statement);
      });
      // Another process does it, so that this one hears of nothing else before its next event.
      await new Promise((resolve) => setImmediate(resolve));
    },
    rows: (query) => direct((run) => run(query)),
  };
}

/** A ledger that was refused its store may fail to close; any other may not. */
function expectLoss(ledger: Ledger, error: unknown): void {
  if (ledger.refused() === null) throw error;
}

/** Databases that a test is done with, the oldest first; and those whose tables are no longer what they were. */
const used: SharedDatabase[] = [];
const changed = new WeakSet<SharedDatabase>();

/**
 * A database that holds nothing, for this test: one that an earlier test is done with where there is one, whose tables
 * still stand. Making a database and its tables takes longer than most tests do.
 */
export async function emptyPostgres(): Promise<SharedDatabase> {
  const database = used.shift() ?? (await sharedPostgres());
  onTestFinished(() => void (changed.has(database) || used.push(database)));
  await emptied(database);
  return database;
}

/** Takes away every connection and every row of a database, and lets it count anew. */
async function emptied({ name, server }: SharedDatabase): Promise<void> {
  const client = new pg.Client(server.superuserUrl(name));
  await client.connect();
  try {
    // Triggers that keep rows from being deleted do not fire for a replica.
    await client.query(`SET session_replication_role = replica;
      DO $$
      DECLARE one text;
      BEGIN
        PERFORM pg_terminate_backend(pid, 5000) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid();
        FOR one IN SELECT quote_ident(tablename) FROM pg_tables
          WHERE schemaname = 'public' AND tablename <> 'schema_version' LOOP
          EXECUTE 'DELETE FROM ' || one;
        END LOOP;
        FOR one IN SELECT quote_ident(sequencename) FROM pg_sequences WHERE schemaname = 'public' LOOP
          EXECUTE 'ALTER SEQUENCE ' || one || ' RESTART';
        END LOOP;
      END $$`);
  } finally {
    await client.end();
  }
}

/** Opens an embedded ledger in a place of its own; it is closed when the test is over. */
export async function openTestLedger(): Promise<Ledger> {
  return await (await newStore('sqlite')).open();
}

/** The same, with a person whose approval counts. */
export async function openEnrolledLedger(): Promise<Ledger> {
  return await (await newStore('sqlite')).openEnrolled();
}

/** Lets the clock of this process run ten times as fast, so that nobody has to wait for the patience of a store. */
export function hurry(): void {
  const now = performance.now.bind(performance);
  const start = now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => start + 10 * (now() - start));
  onTestFinished(() => clock.mockRestore());
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

/** The engine itself on a place, closed when the test is over. */
export async function openStore({ options }: StorePlace): Promise<Store> {
  const where = options.store;
  const store = 'file' in where ? await SqliteStore.open(where.file) : await PostgresStore.open(where);
  onTestFinished(() => store.close());
  return store;
}

/** A statement that changes a store. */
export const addToken = (number: number) =>
  `INSERT INTO tokens (id, expires_at) VALUES ('${number}', ${number})`;
