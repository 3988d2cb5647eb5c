// Keeping the store from the command line, as an operator does it.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contentHash, linkHash } from '../../src/ledger/audit.ts';
import { schemaVersion } from '../../src/ledger/schema.ts';
import { cli, ended, jsonLines, newPlace, type Place, startCli } from '../support/cli.ts';
import { ownerOf } from '../support/person.ts';
import { postgresMissing, sharedPostgres } from '../support/postgres.ts';

const { username } = userInfo();
const action = '{"kind":"fetch","url":"http://169.254.169.254/"}';

async function decide(place: Place, times = 1): Promise<void> {
  const input = Array.from({ length: times }, () => action).join('\n');
  const { status, stderr } = await cli(place, ['decide', '--jsonl'], { input: `${input}\n` });
  expect([status, stderr]).toEqual([0, '']);
}

async function json(place: Place, ...args: string[]) {
  const { status, stdout, stderr } = await cli(place, [...args, '--json']);
  return { status, stderr, body: stdout === '' ? null : JSON.parse(stdout) };
}

async function clean(place: Place): Promise<boolean> {
  return (await json(place, 'log', 'verify')).body.clean;
}

/** A daemon that runs until the test is over. */
async function daemon(place: Place): Promise<void> {
  const child = startCli(place, ['up', '--port', '0', '--json']);
  await new Promise((resolve) => child.stdout?.once('data', resolve));
}

describe('sallyport store', () => {
  it('check and migrate say what there is', async () => {
    const place = newPlace();
    await decide(place, 3);
    const { status, body } = await json(place, 'store', 'check');
    expect(status).toBe(0);
    expect(body).toMatchObject({ engine: 'sqlite', entries: 3, erased: 0, chains: 1, warnings: [] });
    expect(body.bytes).toBeGreaterThan(0);
    const shown = await cli(place, ['store', 'check']);
    expect(shown.stdout).toMatch(/^entries {2}3$/m);
    expect(shown.stdout).toContain(join(place.home, 'ledger.db'));
    expect((await json(place, 'store', 'migrate')).body).toMatchObject({
      engine: 'sqlite',
      schema: schemaVersion,
    });
    expect((await cli(place, ['store', 'migrate'])).stdout).toContain(`has schema ${schemaVersion}`);
  });

  it('export hands out what a reader can verify', async () => {
    const place = newPlace();
    await decide(place, 3);
    const { status, stdout } = await cli(place, ['store', 'export']);
    expect(status).toBe(0);
    const lines = jsonLines(stdout);
    expect(lines).toHaveLength(3);
    for (const { chain, seq, salt, body, content, previous, hash } of lines) {
      expect(contentHash(String(salt), String(body))).toBe(content);
      expect(linkHash(String(chain), Number(seq), String(previous), String(content))).toBe(hash);
    }
    const csv = await cli(place, ['store', 'export', '--format', 'csv']);
    expect(csv.stdout.split('\r\n')).toHaveLength(5);
    expect(csv.stdout).toMatch(/^place,chain,seq,time,/);
    expect((await cli(place, ['store', 'export', '--tenant', 'nobody'])).stdout).toBe('');
    expect((await cli(place, ['store', 'export', '--since', '2999-01-01'])).stdout).toBe('');
    expect(jsonLines((await cli(place, ['store', 'export', '--until', '2999-01-01'])).stdout)).toHaveLength(
      3,
    );
  });

  it('export ends quietly when its reader goes away', async () => {
    const place = newPlace();
    await decide(place, 300);
    const child = startCli(place, ['store', 'export'], { wrapper: ['sh', '-c', '"$0" "$@" | head -n 2'] });
    const { stdout, stderr } = await ended(child);
    expect([jsonLines(stdout).length, stderr]).toEqual([2, '']);
  });

  it('erase takes a person out, and the log stays clean', async () => {
    const place = newPlace();
    await decide(place, 3);
    const { status, body } = await json(place, 'store', 'erase', '--user', username);
    expect(status).toBe(0);
    expect(body).toMatchObject({ entries: 3, settled: true });
    expect(await clean(place)).toBe(true);
    expect((await json(place, 'store', 'check')).body).toMatchObject({ entries: 4, erased: 3 });
    const log = await cli(place, ['log', '--json']);
    expect(jsonLines(log.stdout)).toMatchObject([{ event_type: 'erased', details: { entries: 3 } }]);
    expect(log.stdout).not.toContain(`"${username}"`);
    const again = await cli(place, ['store', 'erase', '--user', 'nobody']);
    expect(again).toMatchObject({ status: 0, stdout: 'There was nothing to erase.\n' });
  });

  it('retain keeps what is young', async () => {
    const place = newPlace();
    await decide(place);
    expect((await json(place, 'store', 'retain', '--days', '1')).body).toMatchObject({ entries: 0 });
    expect((await cli(place, ['store', 'check'])).stdout).not.toContain('erased');
  });

  it('backup and restore, also while the daemon runs and not while it runs', async () => {
    const place = newPlace();
    await decide(place, 2);
    await daemon(place);
    const made = await json(place, 'store', 'backup', 'copy.db');
    const file = join(place.workspace, 'copy.db');
    expect(made).toMatchObject({ status: 0, body: { file, clean: true } });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await cli(place, ['store', 'backup', 'copy.db'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('exists already'),
    });
    const refused = await cli(place, ['store', 'restore', 'copy.db', '--force']);
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('the daemon runs') });
    expect((await cli(place, ['down'])).status).toBe(0);
    const older = await cli(place, ['store', 'restore', 'copy.db']);
    expect(older).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/has \d+ entr.* backup does not/),
    });
    const restored = await cli(place, ['store', 'restore', 'copy.db', '--force']);
    expect(restored).toMatchObject({ status: 0, stdout: expect.stringContaining('is saved as') });
    expect(existsSync(join(place.home, 'ledger.db.before-restore'))).toBe(true);
    expect(await clean(place)).toBe(true);
    await decide(place);
    expect(await clean(place)).toBe(true);
  });

  it('tidy rewrites the file only where no daemon runs', async () => {
    const place = newPlace();
    await decide(place, 50);
    expect((await json(place, 'store', 'tidy')).body).toMatchObject({ whole: true, settled: true });
    await daemon(place);
    expect((await json(place, 'store', 'tidy')).body).toMatchObject({ whole: false });
    expect((await json(place, 'store', 'tidy', '--force')).body).toMatchObject({ whole: true });
    expect(await clean(place)).toBe(true);
  });

  it('rotate-key makes a new key and keeps the old one', async () => {
    const place = newPlace();
    await decide(place);
    await cli(place, ['log', 'head']);
    const { body } = await json(place, 'store', 'rotate-key');
    const keys = JSON.parse((await cli(place, ['log', 'keys'])).stdout);
    expect(Object.keys(keys)).toHaveLength(2);
    expect(keys[body.key]).toBeDefined();
    await cli(place, ['log', 'head']);
    expect(await clean(place)).toBe(true);
  });

  it.each([
    [['store']],
    [['store', 'polish']],
    [['store', 'constructor']],
    [['store', 'export', '--format', 'xml']],
    [['store', 'export', '--since', 'the other day']],
    [['store', 'erase']],
    [['store', 'retain']],
    [['store', 'retain', '--days', '0']],
    [['store', 'backup']],
    [['store', 'restore']],
    [['store', 'move']],
    [['store', 'move', '--to', 'mysql://x']],
    [['store', 'move', '--to', 'sqlite']],
    [['store', 'move', '--to', 'postgres://x/y', '--to-key-env', 'NOT_SET_ANYWHERE']],
    [['store', 'check', 'twice']],
  ])('%j is wrong use', async (args) => {
    const { status, stderr } = await cli(newPlace(), args);
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^sallyport: /)]);
  });

  it('helps', async () => {
    const { status, stdout } = await cli(newPlace(), ['store', '--help']);
    expect(status).toBe(0);
    for (const verb of ['check', 'migrate', 'export', 'erase', 'retain', 'backup', 'restore', 'move']) {
      expect(stdout).toContain(`store ${verb}`);
    }
  });
});

describe('with a passphrase', () => {
  const terminals = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;

  it.skipIf(!terminals)('what erases, rotates or restores asks for it', async () => {
    const place = newPlace();
    await ownerOf(place, 'correct horse battery');
    await decide(place);
    expect((await cli(place, ['store', 'backup', 'copy.db'])).status).toBe(0);
    for (const args of [
      ['erase', '--user', username],
      ['retain', '--days', '1'],
      ['rotate-key'],
      ['restore', 'copy.db'],
    ]) {
      const refused = await cli(place, ['store', ...args], { wrapper: ['setsid', '-w'] });
      expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('at a terminal') });
    }
    expect((await json(place, 'store', 'check')).body).toMatchObject({ entries: 2, erased: 0 });
  });
});

describe.skipIf(postgresMissing !== null)('a move to a server', () => {
  it('takes everything along, and the home goes on there', async () => {
    const place = newPlace();
    const { url } = await sharedPostgres();
    await decide(place, 3);
    const { stdout: head } = await cli(place, ['log', 'head']);
    writeFileSync(join(place.workspace, 'head.json'), head);
    const environment = { NEW_KEY: 'ab'.repeat(32) };
    const args = ['store', 'move', '--to', url, '--to-key-env', 'NEW_KEY'];

    await daemon(place);
    expect(await cli(place, args, { environment })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('the daemon runs'),
    });
    expect((await cli(place, ['down'])).status).toBe(0);

    const before = readFileSync(join(place.home, 'ledger.db'));
    const moved = await cli(place, args, { environment });
    expect(moved).toMatchObject({ status: 0, stderr: '' });
    expect(moved.stdout).toContain('store = "postgres');
    expect(moved.stdout).toContain('key = "env:NEW_KEY"');
    expect(moved.stdout).toContain('clean: ');
    const { password } = new URL(url);
    if (password !== '') expect(moved.stdout).not.toContain(password);
    expect(readFileSync(join(place.home, 'ledger.db'))).toEqual(before);

    writeFileSync(
      join(place.home, 'sallyport.toml'),
      `store = ${JSON.stringify(url)}\n\n[ledger]\nkey = "env:NEW_KEY"\n`,
    );
    const there = (...words: string[]) => cli(place, words, { environment });
    expect((await there('decide', action)).status).toBe(1);
    expect(JSON.parse((await there('log', 'verify', '--head', 'head.json', '--json')).stdout)).toMatchObject({
      clean: true,
    });
    expect(JSON.parse((await there('store', 'check', '--json')).stdout)).toMatchObject({
      engine: 'postgres',
    });
    expect((await there('store', 'tidy')).status).toBe(0);
    expect((await there('store', 'migrate')).stdout).toContain('postgres store has schema');
    for (const verb of ['backup', 'restore']) {
      expect(await there('store', verb, 'file')).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(/pg_(dump|restore)/),
      });
    }
    expect(await there('store', 'move', '--to', url)).toMatchObject({ status: 1 });
    expect(await there('store', 'move', '--to', 'sqlite')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is not empty'),
    });
  });

  it('refuses one that is used, and one that is not there', async () => {
    const place = newPlace();
    const { url } = await sharedPostgres();
    await decide(place);
    expect((await cli(place, ['store', 'move', '--to', url])).status).toBe(0);
    expect(await json(place, 'store', 'move', '--to', url)).toMatchObject({
      status: 1,
      body: { name: 'NotEmpty' },
    });
    const nowhere = 'postgres://nobody@127.0.0.1:1/nothing';
    expect(await json(place, 'store', 'move', '--to', nowhere)).toMatchObject({
      status: 1,
      body: { name: 'StoreUnreachable' },
    });
    expect(await clean(place)).toBe(true);
  });
});
