// Approving as a person does it: at a terminal, with the passphrase, and in no other way.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, jsonLines, newPlace, type Place } from '../support/cli.ts';
import { atTerminal, choose, chose, noTerminals, passphrase } from '../support/terminal.ts';

const action = '{"kind":"fetch","url":"https://example.com/"}';

async function ask(place: Place): Promise<string> {
  return JSON.parse((await cli(place, ['decide', action])).stdout).approval.id;
}

async function decision(place: Place): Promise<string> {
  return JSON.parse((await cli(place, ['decide', action])).stdout).decision;
}

describe.skipIf(noTerminals)('at a terminal', () => {
  it('approve shows what is asked, takes the passphrase, and the action passes once', async () => {
    const place = newPlace();
    await choose(place);
    const id = await ask(place);
    const approved = await atTerminal(place, ['approve', id.slice(0, 4)], [passphrase]);
    expect(approved.status).toBe(0);
    expect(approved.stdout).toContain('https://example.com/');
    expect(approved.stdout).toContain(`Approved: ${id}`);
    expect(approved.stdout).not.toContain(passphrase);
    const again = await atTerminal(place, ['approve', id], [passphrase]);
    expect(again).toMatchObject({ status: 1, unasked: 1 });
    expect(again.stdout).toContain('is approved already');
    expect(await decision(place)).toBe('pass');
    expect(await decision(place)).toBe('approve');
    const { stdout } = await cli(place, ['log', '--type', 'passphrase_chosen', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ event_type: 'passphrase_chosen' });
  });

  it('a long question is approved only once all of it was shown', async () => {
    const place = newPlace();
    await chose(place);
    const command = `frobnicate --safe${' '.repeat(6000)}; frobnicate --wipe-prod\n${'true\n'.repeat(60)}frobnicate end`;
    const asked = JSON.parse(
      (await cli(place, ['decide', JSON.stringify({ kind: 'shell', command })])).stdout,
    );
    const { id } = asked.approval;
    const left = await atTerminal(place, ['approve', id], ['q', passphrase]);
    expect(left).toMatchObject({ status: 1, unasked: 1 });
    expect(left.stdout).toContain('frobnicate --safe⟨6,000 blanks⟩; frobnicate --wipe-prod');
    expect(left.stdout).toMatch(/[\d,]+ characters more: Enter shows them/);
    expect(left.stdout).not.toContain('$ frobnicate end');
    const whole = await atTerminal(place, ['approve', id], ['\r', '\r', '\r', passphrase]);
    expect(whole).toMatchObject({ status: 0, unasked: 0 });
    expect(whole.stdout).toContain('$ frobnicate end');
  });

  it('a wrong passphrase approves nothing', async () => {
    const place = newPlace();
    await chose(place);
    const id = await ask(place);
    const refused = await atTerminal(place, ['approve', id], ['wrong wrong wrong']);
    expect(refused.status).toBe(1);
    expect(await decision(place)).toBe('approve');
    await atTerminal(place, ['passphrase'], ['wrong wrong wrong', 'another phrase', 'another phrase']);
    await atTerminal(place, ['approve', id], [passphrase]);
    const log = (await cli(place, ['log', '--json'])).stdout;
    const uses = jsonLines(log).filter(({ event_type: type }) => /^passphrase_[ar]/.test(String(type)));
    expect(uses.map(({ event_type: type, details }) => [type, details])).toEqual([
      ['passphrase_accepted', { surface: 'terminal', command: 'approve' }],
      ['passphrase_refused', { surface: 'terminal', command: 'passphrase' }],
      ['passphrase_refused', { surface: 'terminal', command: 'approve' }],
    ]);
    expect(log).not.toMatch(/wrong wrong|correct horse|another phrase/);
  });

  it('Ctrl-C approves nothing', async () => {
    const place = newPlace();
    await chose(place);
    const id = await ask(place);
    expect((await atTerminal(place, ['approve', id], ['\u0003'])).status).toBe(1);
    expect(await decision(place)).toBe('approve');
  });

  it('a permission holds for the host in this workspace, until it is revoked', async () => {
    const place = newPlace();
    await chose(place);
    const approved = await atTerminal(place, ['allow', await ask(place), '--for', '1h'], [passphrase]);
    expect(approved.status).toBe(0);
    expect([await decision(place), await decision(place)]).toEqual(['pass', 'pass']);
    const [permission] = JSON.parse((await cli(place, ['permissions', '--json'])).stdout);
    expect(permission).toMatchObject({ effect: 'fetch https://example.com:443', workspace: place.workspace });
    expect((await cli(place, ['permissions', 'revoke', permission.id.slice(0, 6)])).status).toBe(0);
    expect(await decision(place)).toBe('approve');
  });

  it('watching asks for the passphrase once and answers with a key', async () => {
    const place = newPlace();
    await chose(place);
    const id = await ask(place);
    const watched = await atTerminal(place, ['approvals', '--watch'], [passphrase, 'y', 'q']);
    expect(watched.stdout).toContain(id);
    expect(watched.stdout).toContain('default asks');
    expect(watched).toMatchObject({ status: 0 });
    expect(await decision(place)).toBe('pass');
    const wrong = await atTerminal(place, ['approvals', '--watch'], ['wrong wrong wrong']);
    expect(wrong.status).toBe(1);
  });

  it('init writes after a yes, and nothing after a no', async () => {
    const place = newPlace();
    await chose(place);
    const no = await atTerminal(place, ['init', 'gemini'], ['n']);
    expect(no).toMatchObject({ status: 1, stdout: expect.stringContaining('nothing was written') });
    expect(existsSync(join(place.home, '.gemini/settings.json'))).toBe(false);
    expect((await atTerminal(place, ['init', 'gemini'], ['y'])).status).toBe(0);
    expect(existsSync(join(place.home, '.gemini/settings.json'))).toBe(true);
  });

  it('the passphrase is changed with the old one, and only then', async () => {
    const place = newPlace();
    await chose(place);
    const next = 'another horse battery';
    const twoWays = [next, 'different'];
    expect((await atTerminal(place, ['passphrase'], ['wrong wrong', next, next])).status).toBe(1);
    expect(
      (await atTerminal(place, ['passphrase'], [passphrase, ...twoWays, ...twoWays, ...twoWays])).status,
    ).toBe(2);
    expect((await atTerminal(place, ['passphrase'], [passphrase, next, next])).status).toBe(0);
    expect((await atTerminal(place, ['approve', await ask(place)], [passphrase])).status).toBe(1);
    expect((await atTerminal(place, ['approve', await ask(place)], [next])).status).toBe(0);
  });

  it('trusts a workspace file as it is, and no longer once it changed', async () => {
    const place = newPlace();
    await chose(place);
    const file = join(place.workspace, 'sallyport.toml');
    const listing = '[agents.default]\negress_allowlist = ["127.0.0.1:8080"]\n';
    const decide = async () =>
      JSON.parse((await cli(place, ['decide', '{"kind":"fetch","url":"http://127.0.0.1:8080/"}'])).stdout)
        .decision;
    writeFileSync(file, listing);
    expect(await decide()).toBe('block');
    expect((await atTerminal(place, ['config', 'trust', file], ['wrong wrong'])).status).toBe(1);
    expect(await decide()).toBe('block');
    expect((await atTerminal(place, ['config', 'trust', file], [passphrase])).status).toBe(0);
    expect(await decide()).toBe('pass');
    expect((await cli(place, ['config', 'trust'])).stdout).toContain(file);
    expect((await cli(place, ['log', '--type', 'file_trusted'])).stdout).toContain('file trusted');
    writeFileSync(file, `${listing}# changed\n`);
    expect(await decide()).toBe('block');
  });

  it('an administrator credential is made with the passphrase only', async () => {
    const place = newPlace();
    await chose(place);
    const add = ['credentials', 'add', '--scope', 'admin', '--json'];
    expect((await atTerminal(place, add, ['wrong wrong'])).status).toBe(1);
    expect((await atTerminal(place, add, [passphrase])).status).toBe(0);
    expect(JSON.parse((await cli(place, ['credentials', '--json'])).stdout)).toHaveLength(1);
  });
});

describe('without a terminal', () => {
  // setsid takes the controlling terminal away, as a hook or a daemon has none.
  const wrapper = ['setsid', '-w'];

  it.each([
    [['passphrase']],
    [['approvals', '--watch']],
    [['credentials', 'add', '--scope', 'admin']],
    [['config', 'trust', 'sallyport.toml']],
  ])('%j is refused, whatever stands on standard input', async (args) => {
    const place = newPlace();
    writeFileSync(join(place.workspace, 'sallyport.toml'), '');
    const input = `${passphrase}\n${passphrase}\n${passphrase}\n`;
    const refused = await cli(place, args, { wrapper, input });
    expect(refused.status).toBe(1);
    expect(refused.stderr).toMatch(/at a terminal|no passphrase was chosen/);
  });

  it('approvals puts questions of the same kind together, and names what it does not show', async () => {
    const place = newPlace();
    for (const path of ['1', '2', '3', '4'])
      await cli(place, ['decide', `{"kind":"fetch","url":"https://example.com/${path}"}`]);
    const other = '{"kind":"shell","command":"frobnicate"}';
    const { id } = JSON.parse((await cli(place, ['decide', other])).stdout).approval;
    const pending = JSON.parse((await cli(place, ['approvals', '--json'])).stdout);
    const groups = pending.map(({ group }: { group: string }) => group);
    expect(new Set(groups.slice(0, 4)).size).toBe(1);
    expect(groups[4]).not.toBe(groups[0]);
    const { stdout } = await cli(place, ['approvals']);
    expect(stdout).toContain('https://example.com/3');
    expect(stdout).not.toContain('https://example.com/4');
    expect(stdout).toContain(`1 more of the same kind (${groups[0]}):\n  ${pending[3].id}\n`);
    expect(stdout.indexOf(id)).toBeGreaterThan(stdout.indexOf(pending[3].id));
  });

  it('approve is refused, deny is not', async () => {
    const place = newPlace();
    const id = await ask(place);
    const refused = await cli(place, ['approve', id], { wrapper, input: `${passphrase}\n` });
    expect(refused).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('no passphrase was chosen in this home'),
    });
    expect((await cli(place, ['deny', id])).status).toBe(0);
    expect(await decision(place)).toBe('block');
    expect(await cli(place, ['deny', id])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('denied already'),
    });
    expect(await cli(place, ['deny', 'nothing'])).toMatchObject({ status: 1 });
  });

  it.skipIf(noTerminals)('approve is refused even where a passphrase was chosen', async () => {
    const place = newPlace();
    await chose(place);
    const refused = await cli(place, ['approve', await ask(place)], { wrapper, input: `${passphrase}\n` });
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('at a terminal') });
    expect(await decision(place)).toBe('approve');
  });
});
