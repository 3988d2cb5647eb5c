// A ledger that is taken away, as those meet it who use the daemon and the command line.

import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sendCall } from '../../src/cli/client.ts';
import { paths, prepareHome } from '../../src/config/index.ts';
import { chainIn, Ledger, operatorKeyIn } from '../../src/ledger/index.ts';
import { cli, jsonLines, type Place } from '../support/cli.ts';
import { call, newUser, up, writeClients } from '../support/hosts.ts';
import { atTerminal, chose, noTerminals, passphrase } from '../support/terminal.ts';

const harmless = '{"kind":"fetch","url":"https://example.com/"}';
const forbidden = '{"kind":"fetch","url":"http://169.254.169.254/"}';

function remove({ home }: Place): void {
  for (const name of readdirSync(home)) if (name.startsWith('ledger.db')) rmSync(join(home, name));
}

async function decide(place: Place, action: string) {
  return await cli(place, ['decide', action, '--json']);
}

async function verified(place: Place) {
  const { status, stdout, stderr } = await cli(place, ['log', 'verify', '--json']);
  return { status, says: stdout + stderr };
}

describe('a ledger that is removed under the daemon', () => {
  it('makes every verdict a block, and every surface says so', async () => {
    const place = newUser();
    await writeClients(place, 'claude');
    await up(place);
    const { socket, token } = paths(place.home);
    const credential = readFileSync(token, 'utf8').trim();
    const ask = (path: string, body?: object) =>
      sendCall(socket, path, { token: credential, ...(body === undefined ? {} : { body }) });
    expect(await ask('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    remove(place);
    const context = { workspace: place.workspace };
    for (const action of [
      { kind: 'shell', command: 'ls', cwd: '.', context },
      { kind: 'read', path: 'a.txt', context },
      { kind: 'prompt', text: 'hello', origin: 'user', context },
      { ...JSON.parse(forbidden), context },
    ]) {
      expect(await ask('/v1/decide', action)).toMatchObject({
        status: 200,
        body: {
          decision: 'block',
          findings: expect.arrayContaining([
            expect.objectContaining({
              rule: 'record_failed',
              message: expect.stringContaining('was removed'),
            }),
          ]),
        },
      });
    }
    const refusal = { name: 'StoreReplaced', error: expect.stringContaining('was removed') };
    expect(await ask('/healthz')).toMatchObject({ status: 503, body: { status: 'refused', ...refusal } });
    expect(await ask('/livez')).toMatchObject({ status: 200 });
    for (const path of ['/v1/log', '/v1/approvals', '/v1/changes']) {
      expect(await ask(path)).toMatchObject({ status: 503, body: refusal });
    }
    const hook = await call(place, 'claude');
    expect(hook.stdout + hook.stderr).toMatch(/was removed while Sallyport was running/);
    const status = await cli(place, ['status']);
    expect([status.status, status.stdout]).toEqual([
      1,
      expect.stringMatching(/blocks everything: .*was removed/),
    ]);
    const { status: bad, says } = await verified(place);
    expect([bad, says]).toEqual([1, expect.stringContaining('was removed, or replaced by an empty one')]);
    const doctor = await cli(place, ['doctor']);
    expect(doctor.status).toBe(1);
    expect(doctor.stdout).toMatch(/fail {2}ledger .*was removed/);
    expect(doctor.stdout).toMatch(/fail {2}daemon .*blocks everything/);
    expect(await cli(place, ['down'])).toMatchObject({ status: 0, stdout: 'Stopped.\n' });
    expect(existsSync(paths(place.home).ledger)).toBe(false);
    for (const args of [['up'], ['undo'], ['approvals'], ['decide', harmless]]) {
      const refused = await cli(place, args);
      expect([args, refused.status, refused.stderr]).toEqual([
        args,
        1,
        expect.stringContaining('was removed'),
      ]);
    }
    expect(existsSync(paths(place.home).ledger)).toBe(false);
  });
});

describe('a ledger that was changed while nothing ran', () => {
  it('is shown and verified as cut, and nothing is decided', async () => {
    const place = newUser();
    const { ledger } = paths(place.home);
    await decide(place, forbidden);
    copyFileSync(ledger, `${ledger}.older`);
    await decide(place, forbidden);
    copyFileSync(`${ledger}.older`, ledger);
    const { status, says } = await verified(place);
    expect([status, JSON.parse(says)]).toMatchObject([1, { clean: false, entries: 1 }]);
    expect((await cli(place, ['log', 'verify'])).stdout).toMatch(
      /the last 1 of its 2 entries are missing[\s\S]*damaged/,
    );
    expect(jsonLines((await cli(place, ['log', '--json'])).stdout)).toHaveLength(1);
    expect((await decide(place, harmless)).status).toBe(1);
    expect((await cli(place, ['receipts', 'verify'])).status).toBe(1);
  });

  it.skipIf(noTerminals)(
    'is used again once a person accepts the loss, and the log says what is lost',
    async () => {
      const place = newUser();
      await chose(place);
      await decide(place, forbidden);
      await decide(place, forbidden);
      remove(place);
      expect((await cli(place, ['store', 'accept-loss'])).stderr).toContain('terminal');
      const wrong = await atTerminal(place, ['store', 'accept-loss'], ['not the passphrase']);
      expect(wrong.status).not.toBe(0);
      expect(existsSync(paths(place.home).ledger)).toBe(false);
      const accepted = await atTerminal(place, ['store', 'accept-loss'], [passphrase]);
      expect(accepted.stdout).toContain('Recorded as chain_restarted');
      const [restarted] = jsonLines(
        (await cli(place, ['log', '--type', 'chain_restarted', '--json'])).stdout,
      );
      expect(restarted).toMatchObject({ details: { lost_head: { seq: 3, place: 'embedded' } } });
      await decide(place, forbidden);
      expect(await verified(place)).toMatchObject({ status: 0 });
    },
  );

  it('is found missing by the name of the chain alone, and by the credential', async () => {
    const place = newUser();
    await up(place);
    await cli(place, ['down']);
    remove(place);
    rmSync(join(paths(place.home).keys, 'head.json'));
    expect((await verified(place)).says).toContain('was removed');
    rmSync(join(paths(place.home).keys, 'chain.id'));
    expect((await verified(place)).says).toContain('was removed');
  });

  it('is refused without the name of its chain, and without its head', async () => {
    const place = newUser();
    await decide(place, forbidden);
    rmSync(join(paths(place.home).keys, 'chain.id'));
    rmSync(join(paths(place.home).keys, 'head.json'));
    expect(await verified(place)).toMatchObject({ status: 1, says: expect.stringContaining('head.json') });
    expect(await verified(place)).toMatchObject({ status: 1 });
    expect((await decide(place, harmless)).status).toBe(1);
  });
});

describe('a home that is new', () => {
  it('may have died at any step of its first start', async () => {
    const place = newUser();
    const { keys, ledger } = paths(place.home);
    const steps: (() => void)[] = [
      () => undefined,
      // The key is there, and no store.
      () => {
        remove(place);
        rmSync(join(keys, 'chain.id'));
        rmSync(join(keys, 'head.json'));
      },
    ];
    for (const step of steps) {
      step();
      expect((await decide(place, forbidden)).status).toBe(1);
      expect(await verified(place)).toMatchObject({ status: 0 });
    }
    expect(existsSync(ledger)).toBe(true);
    // The store and the name are there, and no head yet, as in a home of an earlier version.
    const old = newUser();
    prepareHome(old.home);
    const first = await Ledger.open({
      store: { file: paths(old.home).ledger },
      operatorKey: operatorKeyIn(paths(old.home).keys),
      chain: chainIn(paths(old.home).keys),
      check: () => false,
      now: Date.now,
    });
    await first.close();
    await decide(old, forbidden);
    expect(existsSync(join(paths(old.home).keys, 'head.json'))).toBe(true);
    expect(await verified(old)).toMatchObject({ status: 0 });
  });
});
