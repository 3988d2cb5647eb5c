// The common behaviour of both stores, and the additions of a shared one.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  addToken,
  type Engine,
  emptyPostgres,
  engines,
  entry,
  isPerson,
  newStore,
  openStore,
  type StorePlace,
} from '../../tests/support/ledger.ts';
import {
  type PostgresServer,
  postgresMissing,
  postgresTlsMissing,
  sharedPostgres,
  startPostgres,
} from '../../tests/support/postgres.ts';
import {
  KeyError,
  Ledger,
  StoreError,
  StoreLocked,
  StoreNewer,
  StoreReadOnly,
  StoreUnreachable,
} from './index.ts';
import { PostgresStore } from './postgres.ts';
import { schemaVersion } from './schema.ts';
import type { Store } from './store.ts';
import { verifyStore } from './verify.ts';

const isReported = (error: unknown) => error;

describe.each(engines)('the store on %s', (engine) => {
  it('undoes a transaction that throws, and gives the error itself', async () => {
    const store = await openStore(await newStore(engine));
    const refusal = new TypeError('no');
    const refused = store.write(async (sql) => {
      await sql.run(addToken(1));
      throw refusal;
    });
    expect(await refused.catch(isReported)).toBe(refusal);
    expect(await store.read((sql) => sql.all('SELECT * FROM tokens'))).toEqual([]);
  });

  it('writes lightly, all or nothing too', async () => {
    const store = await openStore(await newStore(engine));
    await store.writeDeferred((sql) => sql.run(addToken(1)));
    const refused = store.writeDeferred(async (sql) => {
      await sql.run(addToken(2));
      throw new TypeError('no');
    });
    await expect(refused).rejects.toThrow(TypeError);
    expect(await store.read((sql) => sql.all('SELECT id FROM tokens'))).toEqual([{ id: '1' }]);
  });

  it('goes on after a statement that fails', async () => {
    const store = await openStore(await newStore(engine));
    await expect(store.write((sql) => sql.run('INSERT INTO nothing VALUES (1)'))).rejects.toThrow(StoreError);
    await expect(store.read((sql) => sql.all('this is not SQL'))).rejects.toThrow(StoreError);
    await store.write((sql) => sql.run(addToken(1)));
    const twice = store.write(async (sql) => {
      await sql.run(addToken(2));
      await sql.run(addToken(1));
    });
    await expect(twice).rejects.toThrow(StoreError);
    expect(await store.read((sql) => sql.all('SELECT id FROM tokens'))).toEqual([{ id: '1' }]);
  });

  it('counts what it changed, and keeps numbers, text and nothing as they are', async () => {
    const store = await openStore(await newStore(engine));
    const text = "a 'quoted' ? \\ % 🙂 line\nand more";
    const largest = Number.MAX_SAFE_INTEGER;
    await store.write(async (sql) => {
      const columns = ['id', 'purpose', 'created_at', 'retired_at', 'public_key', 'wrapped'];
      const row = (id: string) => [id, 'test', largest, null, text, ''];
      await sql.insert('keys', columns, [row('a'), row('b')]);
      await sql.insert('keys', columns, []);
      expect(await sql.run("UPDATE keys SET wrapped = ? WHERE purpose = 'test'", 'x')).toBe(2);
      expect(await sql.run('DELETE FROM keys WHERE id = ?', 'nobody')).toBe(0);
    });
    const find = 'SELECT created_at, retired_at, public_key FROM keys WHERE id = ?';
    expect(await store.read((sql) => sql.all(find, 'a'))).toEqual([
      { created_at: largest, retired_at: null, public_key: text },
    ]);
  });

  it('reads one state, whatever others write meanwhile', async () => {
    const place = await newStore(engine);
    const [reader, writer] = [await openStore(place), await openStore(place)];
    const counts = await reader.read(async (sql) => {
      const count = async () => (await sql.all('SELECT id FROM tokens')).length;
      const before = await count();
      await writer.write((other) => other.run(addToken(1)));
      return [before, await count()];
    });
    expect(counts).toEqual([0, 0]);
  });

  it('never recalls what anybody has changed', async () => {
    const place = await newStore(engine);
    const [ours, others] = [await openStore(place), await openStore(place)];
    const recalled = async () =>
      (await ours.recall('tokens', (sql) => sql.all('SELECT id FROM tokens ORDER BY id'))).map(
        ({ id }) => id,
      );
    expect(await recalled()).toEqual([]);
    await ours.write((sql) => sql.run(addToken(1)));
    expect(await recalled()).toEqual(['1']);
    await others.write((sql) => sql.run(addToken(2)));
    expect(await recalled()).toEqual(['1', '2']);
    await ours.writeDeferred((sql) => sql.insert('tokens', ['id', 'expires_at'], [['3', 3]]));
    expect(await recalled()).toEqual(['1', '2', '3']);
    await place.tamper("DELETE FROM tokens WHERE id = '2'");
    expect(await recalled()).toEqual(['1', '3']);
    await expect(
      ours.write(async (sql) => {
        await sql.run(addToken(4));
        throw new TypeError('no');
      }),
    ).rejects.toThrow(TypeError);
    expect(await recalled()).toEqual(['1', '3']);
  });

  it('recalls nothing of the time at which a transaction of its own began', async () => {
    const place = await newStore(engine);
    const [ours, others] = [await openStore(place), await openStore(place)];
    const recalled = () => ours.recall('tokens', (sql) => sql.all('SELECT id FROM tokens'));
    expect(await recalled()).toEqual([]);
    let asked: unknown;
    await ours.read(async (sql) => {
      await sql.all('SELECT id FROM tokens');
      await others.write((other) => other.run(addToken(1)));
      asked = recalled();
    });
    expect(await asked).toEqual([{ id: '1' }]);
  });

  it('refuses the schema of a newer Sallyport and leaves it as it is', async () => {
    const place = await newStore(engine, 'never opened');
    await (await openStore(place)).close();
    await place.rows('INSERT INTO schema_version (version) VALUES (99)');
    await expect(Ledger.open(place.options)).rejects.toThrow(StoreNewer);
    await expect(Ledger.open(place.options)).rejects.toThrow('has schema 99');
    expect(await place.rows('SELECT max(version) AS version FROM schema_version')).toEqual([{ version: 99 }]);
    expect(await place.rows('SELECT id FROM keys')).toEqual([]);
  });

  it('opens with the key that it was made with and with no other', async () => {
    const place = await newStore(engine);
    const ledger = await place.open();
    const fingerprint = ledger.fingerprint('a', () => 'b');
    const wrong = { ...place.options, operatorKey: Buffer.alloc(32, 8) };
    await expect(Ledger.open(wrong)).rejects.toThrow(KeyError);
    const again = await place.open('b');
    expect(again.fingerprint('a', () => 'b')).toBe(fingerprint);
    expect(again.fingerprint('b', () => 'b')).not.toBe(fingerprint);
  });

  it.each(['mac', 'sealing'])('refuses a %s key that somebody else put there', async (purpose) => {
    const place = await newStore(engine);
    await (await place.open()).close();
    await place.tamper(
      `UPDATE keys SET wrapped = (SELECT wrapped FROM keys WHERE purpose = 'signing') WHERE purpose = '${purpose}'`,
    );
    await expect(Ledger.open(place.options)).rejects.toThrow(KeyError);
  });

  it('is made once by two that open it at the same moment, and they share its keys', async () => {
    const place = await newStore(engine, 'never opened');
    const fingerprints = await Promise.all([fingerprintOf(place), fingerprintOf(place)]);
    expect(fingerprints[0]).toMatch(/^[\w-]{43}$/);
    expect(fingerprints[1]).toBe(fingerprints[0]);
    expect(await place.rows('SELECT max(version) AS version FROM schema_version')).toEqual([
      { version: schemaVersion },
    ]);
    expect(await place.rows('SELECT purpose FROM keys ORDER BY purpose')).toEqual([
      { purpose: 'mac' },
      { purpose: 'sealing' },
      { purpose: 'signing' },
    ]);
  });

  it('has one signing key after two daemons rotated it at the same moment', async () => {
    const place = await newStore(engine);
    const who = { user: 'ann', tenant: 'acme' };
    const ledgers = [await place.open('a'), await place.open('b')];
    await settled(engine, ledgers, (ledger) => ledger.rotateKey(who, 1_700_000_000_001));
    expect(
      await place.rows("SELECT id FROM keys WHERE purpose = 'signing' AND retired_at IS NULL"),
    ).toHaveLength(1);
    for (const ledger of ledgers) await ledger.audit.append(entry(1));
    for (const ledger of ledgers) await ledger.heads.sign();
    expect((await ledgers[0]!.verify()).problems).toEqual([]);
  });

  it('verifies while others write to it', async () => {
    const place = await newStore(engine);
    const [writer, store] = [await place.open(), await openStore(place)];
    await writer.audit.append(entry(0));
    const busy: Store = {
      engine,
      place: store.place,
      read: async (work, tenant) => {
        const result = await store.read(work, tenant);
        await writer.audit.append(entry(1));
        return result;
      },
      recall: (name, work) => store.recall(name, work),
      write: (work, ...others) => store.write(work, ...others),
      writeDeferred: (work) => store.writeDeferred(work),
      refused: () => store.refused(),
      disturbed: () => store.disturbed(),
      refuse: (reason) => store.refuse(reason),
      outside: (work) => store.outside(work),
      notify: (channel, text) => store.notify(channel, text),
      listen: (channel, heard) => store.listen(channel, heard),
      close: () => store.close(),
    };
    expect((await verifyStore(busy, { keys: new Map() })).problems).toEqual([]);
  });

  it('shows a rule that somebody hid from the search', async () => {
    const place = await newStore(engine);
    const ledger = await place.open();
    await ledger.audit.append(entry(1, { details: { findings: [{ guard: 'fetch', rule: 'url_invalid' }] } }));
    await place.tamper("UPDATE audit SET rules = ''");
    expect((await ledger.verify()).problems).toMatchObject([{ seq: 1 }]);
  });

  it('finds the newest entries of a rule, however many people met it', async () => {
    const ledger = await (await newStore(engine)).open();
    const people = 600;
    const met = { details: { findings: [{ guard: 'fetch', rule: 'url_invalid' }] } };
    await Promise.all(
      Array.from({ length: people }, (_, number) =>
        ledger.audit.append(entry(number, { ...met, user: `user ${number}` })),
      ),
    );
    const found = await ledger.audit.list({ rule: 'url_invalid', limit: 1000 });
    expect(found).toHaveLength(people);
    const [newest] = await ledger.audit.list({ guard: 'fetch', limit: 1 });
    expect(newest?.user).toBe(`user ${people - 1}`);
  });

  it('is closed twice without harm', async () => {
    const ledger = await (await newStore(engine)).open();
    await ledger.close();
    await ledger.close();
  });
});

/**
 * PostgreSQL runs both concurrently; two embedded stores of one process take turns, as their lock blocks the process.
 */
async function settled(
  engine: Engine,
  ledgers: readonly Ledger[],
  work: (ledger: Ledger) => Promise<unknown>,
) {
  if (engine === 'postgres') await Promise.all(ledgers.map(work));
  else for (const ledger of ledgers) await work(ledger);
}

/** Opens the ledger in a separate process, as a daemon does, and returns a keyed hash by its keys. */
async function fingerprintOf({ options }: StorePlace): Promise<string> {
  const script = `
    import { Ledger } from ${JSON.stringify(fileURLToPath(new URL('index.ts', import.meta.url)))};
    const ledger = await Ledger.open({
      store: ${JSON.stringify(options.store)},
      operatorKey: Buffer.alloc(32, 7), chain: 'a', check: () => false, now: Date.now,
    });
    process.stdout.write(ledger.fingerprint('a', () => 'b'));
    await ledger.close();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  await new Promise((resolve) => child.once('close', resolve));
  return output;
}

describe.skipIf(postgresMissing)('a shared store', () => {
  const patience = { poolSize: 2, statementTimeoutMs: 500 };

  it('names a wrong password, a wrong database and a server that is not there, without the password', async () => {
    const { url, server } = await emptyPostgres();
    const { username, password, port, pathname } = new URL(url);
    const at = (secret: string, place: string) => `postgres://${username}:${secret}@127.0.0.1:${place}`;
    for (const wrong of [
      at('wrong', `${port}${pathname}`),
      at(password, `${port}/nothing`),
      at(password, `1${pathname}`),
      url.replace('127.0.0.1', 'no-such-host.invalid'),
    ]) {
      const error = await PostgresStore.open({ ...patience, url: wrong }).catch(isReported);
      expect(error).toBeInstanceOf(StoreUnreachable);
      expect(String(error)).not.toContain(password);
    }
    expect(server.pid).toBeGreaterThan(0);
  });

  it('names a role that may not make tables', async () => {
    const { name, server } = await sharedPostgres();
    const url = await server.createRole(`stranger_of_${name}`, name);
    await expect(PostgresStore.open({ ...patience, url })).rejects.toThrow(StoreReadOnly);
  });

  it('names a role that may look but not write', async () => {
    const { url, name, server } = await sharedPostgres();
    await (await PostgresStore.open({ ...patience, url })).close();
    const role = `reader_of_${name}`;
    const readerUrl = await server.createRole(role, name);
    await asSuperuser(server.superuserUrl(name), [
      `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`,
      `GRANT CREATE ON SCHEMA public TO ${role}`,
    ]);
    const reader = await PostgresStore.open({ ...patience, url: readerUrl });
    onTestFinished(() => reader.close());
    expect(await reader.read((sql) => sql.all('SELECT id FROM tokens'))).toEqual([]);
    await expect(reader.write((sql) => sql.run(addToken(1)))).rejects.toThrow(StoreReadOnly);
  });

  it('names a server that takes no writes', async () => {
    const { url, name, server } = await sharedPostgres();
    const store = await PostgresStore.open({ ...patience, url });
    onTestFinished(() => store.close());
    await asSuperuser(server.superuserUrl(), [
      `ALTER DATABASE ${name} SET default_transaction_read_only = on`,
      terminate(name),
    ]);
    await expect(writeWhenBack(store)).rejects.toThrow(StoreReadOnly);
  });

  it('is used by a role that has rights to the rows and none to the schema', async () => {
    const { url, name, server } = await sharedPostgres();
    await (await PostgresStore.open({ ...patience, url })).close();
    const role = `worker_of_${name}`;
    const workerUrl = await server.createRole(role, name);
    await asSuperuser(server.superuserUrl(name), [
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`,
    ]);
    const worker = await PostgresStore.open({ ...patience, url: workerUrl });
    onTestFinished(() => worker.close());
    expect(await worker.write((sql) => sql.run(addToken(1)))).toBe(1);
  });

  it('takes a lock that stays for a lock and not for a server that is away', async () => {
    const { url, name, server } = await emptyPostgres();
    const store = await PostgresStore.open({ ...patience, url });
    onTestFinished(() => store.close());
    const holder = new pg.Client(server.superuserUrl(name));
    await holder.connect();
    onTestFinished(() => holder.end());
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE tokens');
    await expect(store.write((sql) => sql.run(addToken(1)))).rejects.toThrow(StoreLocked);
    await holder.query('ROLLBACK');
    expect(await store.write((sql) => sql.run(addToken(1)))).toBe(1);
  });

  it('names a statement that takes too long', async () => {
    const { url } = await emptyPostgres();
    const store = await PostgresStore.open({ ...patience, url });
    onTestFinished(() => store.close());
    await expect(store.read((sql) => sql.all('SELECT pg_sleep(20)'))).rejects.toThrow(StoreUnreachable);
    expect(await store.write((sql) => sql.run(addToken(1)))).toBe(1);
  });

  it('gives up on a server that hangs, and works again when it is back', async () => {
    const { url, server } = await emptyPostgres();
    const options = { operatorKey: Buffer.alloc(32, 7), chain: 'a', check: isPerson, now: Date.now };
    const ledger = await Ledger.open({ ...options, store: { ...patience, url } });
    onTestFinished(() => ledger.close());
    await ledger.audit.append(entry(1));
    await server.pause();
    try {
      await expect(ledger.audit.append(entry(2))).rejects.toThrow(StoreUnreachable);
      await expect(ledger.tokens.consume('token', 2, 1)).rejects.toThrow(StoreUnreachable);
      ledger.audit.appendLater(entry(3))?.catch(() => undefined);
    } finally {
      await server.resume();
    }
    await ledger.audit.append(entry(4));
    expect((await ledger.audit.list({})).map(({ details }) => details['number'])).toContain(4);
    expect((await ledger.verify()).problems).toEqual([]);
  });

  let restarted: Promise<PostgresServer> | undefined;
  afterAll(async () => (await restarted)?.stop());

  it.each(['fast', 'immediate', 'kill'] as const)(
    'survives a restart of the server under load, and keeps what it acknowledged: %s',
    async (how) => {
      // So that a server that crashes has written only synced commits.
      restarted ??= startPostgres({ settings: { wal_writer_delay: '10s' } });
      const server = await restarted;
      const options = { operatorKey: Buffer.alloc(32, 7), chain: 'a', check: isPerson, now: Date.now };
      const store = { poolSize: 4, statementTimeoutMs: 5000, url: await server.createDatabase(how) };
      const ledger = await Ledger.open({ ...options, store });
      onTestFinished(() => ledger.close());
      const kept: number[] = [];
      const errors: unknown[] = [];
      let writing = true;
      // A failed attempt waits, or all of them would use the time that the server needs to restart.
      const failed = async (error: unknown) => {
        errors.push(error);
        await pause(20);
      };
      const writers = Array.from({ length: 8 }, async (_, writer) => {
        for (let number = writer; writing; number += 8) {
          await ledger.audit.append(entry(number)).then(() => kept.push(number), failed);
          await ledger.tokens.consume(`${number}`, 2, 1).catch(failed);
        }
      });
      await until(() => kept.length > 100);
      await server.restart(how);
      const before = kept.length;
      await until(() => kept.length > before + 100);
      writing = false;
      await Promise.all(writers);
      expect(errors.filter((error) => !(error instanceof StoreUnreachable))).toEqual([]);
      const listed = await ledger.audit.list({ limit: 1_000_000 });
      const numbers = new Set(listed.map(({ details }) => details['number']));
      expect(kept.filter((number) => !numbers.has(number))).toEqual([]);
      expect((await ledger.verify()).problems).toEqual([]);
      await ledger.store.writeDeferred((sql) => sql.run(addToken(-1)));
      await server.restart(how);
      const after = await PostgresStore.open(store);
      onTestFinished(() => after.close());
      const light = await after.read((sql) => sql.all("SELECT id FROM tokens WHERE id = '-1'"));
      expect(light).toHaveLength(1);
    },
  );

  it('is left as it is by a transaction whose connection breaks', async () => {
    const { url, name, server } = await emptyPostgres();
    const store = await PostgresStore.open({ ...patience, url });
    onTestFinished(() => store.close());
    const broken = store.write(async (sql) => {
      await sql.run(addToken(1));
      await asSuperuser(server.superuserUrl(), [terminate(name)]);
      await sql.run(addToken(2));
    });
    await expect(broken).rejects.toThrow(StoreUnreachable);
    expect(await store.read((sql) => sql.all('SELECT id FROM tokens'))).toEqual([]);
  });

  it('has one migration when eight processes of a fleet start at once', async () => {
    const place = await newStore('postgres', 'never opened');
    const opened = await Promise.all(Array.from({ length: 8 }, () => Ledger.open(place.options)));
    const fingerprints = new Set(opened.map((ledger) => ledger.fingerprint('a', () => 'b')));
    await Promise.all(opened.map((ledger) => ledger.close()));
    expect(fingerprints.size).toBe(1);
    expect(await place.rows('SELECT version FROM schema_version')).toHaveLength(schemaVersion);
    expect(await place.rows('SELECT id FROM keys')).toHaveLength(3);
  });

  it('listens on one connection, and leaves none behind, even if it was lost in between', async () => {
    const { url, name, server } = await emptyPostgres();
    const store = await PostgresStore.open({ ...patience, url });
    onTestFinished(() => store.close());
    const observer = new pg.Client(server.superuserUrl());
    await observer.connect();
    onTestFinished(() => observer.end());
    const listening = `SELECT pid FROM pg_stat_activity WHERE datname = '${name}' AND query LIKE 'LISTEN%'`;
    const connections = async () => (await observer.query(listening)).rows.length;
    (await store.listen('channel', () => undefined))();
    while ((await connections()) === 0) await pause(10);
    expect(await connections()).toBe(1);
    // Not awaited: the wait would exceed the pause after which the store reconnects by itself.
    await observer.query(terminate(name).replace(', 5000', ''));
    // Another listener subscribes before the lost connection is reopened.
    await pause(20);
    const heard: string[] = [];
    await store.listen('channel', (text) => heard.push(text));
    await pause(500);
    expect(await connections()).toBe(1);
    await store.notify('channel', 'news');
    await until(() => heard.length > 0);
    expect(heard).toEqual(['news']);
    await store.close();
    await pause(100);
    expect(await connections()).toBe(0);
  });

  it('does not wait for ever to listen where the server hangs', async () => {
    const { url, server } = await emptyPostgres();
    const store = await PostgresStore.open({ ...patience, url });
    onTestFinished(() => store.close());
    await store.listen('channel', () => undefined);
    await server.pause();
    try {
      const listened = store
        .listen('channel', () => undefined)
        .then(
          () => 'settled',
          () => 'settled',
        );
      expect(await Promise.race([listened, pause(10_000)])).toBe('settled');
    } finally {
      await server.resume();
    }
  });

  it.skipIf(postgresTlsMissing)('demands TLS and the right certificate where one is named', async () => {
    const server = await startPostgres({ tls: true });
    onTestFinished(() => server.stop());
    const plain = await sharedPostgres();
    const ca = server.ca!;
    const store = await PostgresStore.open({ ...patience, url: server.url, ca });
    expect(await store.write((sql) => sql.run(addToken(1)))).toBe(1);
    await store.close();
    await expect(PostgresStore.open({ ...patience, url: server.url })).rejects.toThrow(StoreUnreachable);
    await expect(PostgresStore.open({ ...patience, url: plain.url, ca })).rejects.toThrow(StoreUnreachable);
    const impostor = await startPostgres({ tls: true });
    onTestFinished(() => impostor.stop());
    await expect(PostgresStore.open({ ...patience, url: impostor.url, ca })).rejects.toThrow(
      StoreUnreachable,
    );
  });
});

describe.skipIf(postgresMissing)('tenants of a shared store', () => {
  const patience = { poolSize: 2, statementTimeoutMs: 5000 };
  const tables = [
    ...['audit', 'facets', 'approvals', 'changes', 'runs', 'grants', 'credentials', 'logins', 'open_work'],
    'session_texts',
  ];

  /** A store with a row of each of two tenants in every table that belongs to tenants. */
  async function twoTenants() {
    const { url, name, server } = await emptyPostgres();
    const store = await PostgresStore.open({ ...patience, url });
    onTestFinished(() => store.close());
    for (const tenant of ['acme', 'other']) {
      await store.write(async (sql) => {
        for (const table of tables) await sql.run(rowOf(table, tenant));
      });
    }
    return { store, asked: (text: string) => asSuperuser(server.superuserUrl(name), [text]) };
  }

  function rowOf(table: string, tenant: string): string {
    const id = `'${tenant}'`;
    switch (table) {
      case 'audit':
        return `INSERT INTO audit (chain, seq, facet, time, event_type, user_id, tenant, agent, rules, content, hash)
          VALUES (${id}, 1, 1, 1, 'decision', 'u', ${id}, 'g', '', '', '')`;
      case 'facets':
        return `INSERT INTO facets (tenant, user_id, agent, event_type, decision, rules)
          VALUES (${id}, 'u', 'g', 'decision', '', '')`;
      case 'approvals':
        return `INSERT INTO approvals (id, binding, state, user_id, tenant, agent, decision_id, created_at, expires_at)
          VALUES (${id}, ${id}, 'pending', 'u', ${id}, 'g', 'd', 1, 2)`;
      case 'changes':
        return `INSERT INTO changes (id, state, user_id, tenant, agent, workspace, run, decision_id, created_at,
          expires_at, claimed_until, autonomous, files, bytes, cost_micros)
          VALUES (${id}, 'staged', 'u', ${id}, 'g', '/', 'r', 'd', 1, 2, 0, 0, 1, 1, 1)`;
      case 'runs':
        return `INSERT INTO runs (id, round, state, user_id, tenant, agent, code, approvals, decision_id, created_at,
          expires_at) VALUES (${id}, 1, 'waiting', 'u', ${id}, 'g', 'c', 'a', 'd', 1, 2)`;
      case 'grants':
        return `INSERT INTO grants (id, effect, user_id, tenant, agent, workspace, created_at, expires_at, signature)
          VALUES (${id}, 'e', 'u', ${id}, 'g', '/', 1, 2, 's')`;
      case 'credentials':
        return `INSERT INTO credentials (id, hash, scope, user_id, tenant, created_at)
          VALUES (${id}, ${id}, 'decide', 'u', ${id}, 1)`;
      case 'logins':
        return `INSERT INTO logins (server, url, user_id, tenant, mark, updated_at, claimed_until, sealed)
          VALUES (${id}, 'u', 'u', ${id}, 'm', 1, 0, 's')`;
      case 'session_texts':
        return `INSERT INTO session_texts (session, user_id, tenant, time, sealed)
          VALUES (${id}, 'u', ${id}, 1, 's')`;
      default:
        return `INSERT INTO open_work (decision_id, chain, user_id, tenant, agent, opened_at)
          VALUES (${id}, 'a', 'u', ${id}, 'g', 1)`;
    }
  }

  it.each(tables)('have no rows of each other in %s, whatever the statement', async (table) => {
    const { store, asked } = await twoTenants();
    const tenants = (tenant?: string) =>
      store.read((sql) => sql.all(`SELECT tenant FROM ${table} ORDER BY tenant`), tenant);
    expect(await tenants('acme')).toEqual([{ tenant: 'acme' }]);
    expect(await tenants('nobody')).toEqual([]);
    expect(await tenants('')).toEqual([]);
    expect(await tenants()).toHaveLength(2);
    const change = (text: string) => store.write((sql) => sql.run(text), 'acme');
    expect(await change(`UPDATE ${table} SET user_id = 'mine' WHERE tenant = 'other'`)).toBe(0);
    expect(await change(`DELETE FROM ${table} WHERE tenant = 'other'`)).toBe(0);
    if (table !== 'audit') {
      await expect(change(`UPDATE ${table} SET tenant = 'other'`)).rejects.toThrow(StoreError);
      expect(await change(`DELETE FROM ${table}`)).toBe(1);
    }
    await expect(change(rowOf(table, 'third'))).rejects.toThrow(StoreError);
    expect(await asked(`SELECT tenant FROM ${table} WHERE tenant <> 'acme'`)).toEqual([{ tenant: 'other' }]);
  });

  it('leave nothing of themselves on the connection that the next one gets', async () => {
    const { store } = await twoTenants();
    const tenants = (tenant?: string) => store.read((sql) => sql.all('SELECT tenant FROM grants'), tenant);
    for (let round = 0; round < 20; round++) {
      const [acme, other, all] = await Promise.all([tenants('acme'), tenants('other'), tenants()]);
      expect([acme.length, other.length, all.length]).toEqual([1, 1, 2]);
    }
    await store.read((sql) => sql.all('SELECT nonsense'), 'acme').catch(() => undefined);
    expect(await tenants()).toHaveLength(2);
  });

  it('see nothing at all on a connection that names none', async () => {
    const { url, name, server } = await sharedPostgres();
    const store = await PostgresStore.open({ ...patience, url });
    onTestFinished(() => store.close());
    await store.write((sql) => sql.run(rowOf('grants', 'acme')));
    const raw = new pg.Client(url);
    await raw.connect();
    onTestFinished(() => raw.end());
    expect((await raw.query('SELECT tenant FROM grants')).rows).toEqual([]);
    expect(await asSuperuser(server.superuserUrl(name), ['SELECT tenant FROM grants'])).toHaveLength(1);
  });
});

/** Runs statements without row-level security; returns the rows of the last one. */
async function asSuperuser(
  url: string,
  statements: readonly string[],
): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/** Terminates every connection to a database but the one that runs this. */
function terminate(database: string): string {
  return `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${database}' AND pid <> pg_backend_pid()`;
}

/** Writes on a connection that is opened after the old ones were terminated. */
async function writeWhenBack(store: Store): Promise<number> {
  const write = () => store.write((sql) => sql.run(addToken(1)));
  return await write().catch((error: unknown) => {
    if (error instanceof StoreUnreachable) return write();
    throw error;
  });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(10);
}
