// A person's day: what was asked at night is answered in the morning, and what need not be asked again is allowed.

import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, newPlace, type Place } from '../support/cli.ts';
import { atTerminal, chose, noTerminals, passphrase } from '../support/terminal.ts';

interface Said {
  readonly decision: string;
  readonly approval: { readonly id: string } | null;
  readonly findings: readonly { readonly rule: string; readonly message: string }[];
}

/** The verdict about a command of an agent, in a session of its own. */
async function run(place: Place, command: string, session = 'night'): Promise<Said> {
  const action = { kind: 'shell', command, context: { agent: 'claude', session } };
  return JSON.parse((await cli(place, ['decide', JSON.stringify(action)])).stdout);
}

function commit(place: Place, text: string): void {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', place.workspace, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);
  git('init', '-q', '-b', 'main');
  writeFileSync(join(place.workspace, 'a.txt'), text);
  git('add', 'a.txt');
  git('commit', '-q', '-m', text);
}

describe.skipIf(noTerminals)('allow', () => {
  it('makes a permission for a command as it is typed, for any later session and agent', async () => {
    const place = newPlace();
    await chose(place);
    expect((await run(place, 'cat .env')).decision).toBe('approve');
    const allowed = await atTerminal(place, ['allow', 'cat .env', '--for', '30d'], [passphrase]);
    expect(allowed).toMatchObject({ status: 0, unasked: 0 });
    expect(allowed.stdout).toContain('commands that read ');
    expect((await run(place, 'cat .env', 'next day')).decision).toBe('pass');
    expect((await run(place, 'head -2 .env')).decision).toBe('pass');
    expect((await run(place, 'cat .env.production')).decision).toBe('approve');
    expect((await run(place, 'cat .env .env.production')).decision).toBe('approve');
    expect((await run(place, 'cat .env && git push')).decision).toBe('approve');
  });

  it('covers this exact command where a question names no effect, and a rule where one is named', async () => {
    const place = newPlace();
    await chose(place);
    await atTerminal(place, ['allow', 'kill 12345', '--uses', '1'], [passphrase]);
    expect((await run(place, 'kill 12346')).decision).toBe('approve');
    expect((await run(place, 'kill 12345')).decision).toBe('pass');
    expect((await run(place, 'kill 12345')).decision).toBe('approve');
    await atTerminal(place, ['allow', '--rule', 'process_signal', '--always', '--for', '90d'], [passphrase]);
    expect((await run(place, 'kill 12346')).decision).toBe('pass');
    const listed = (await cli(place, ['permissions'])).stdout;
    expect(listed).toContain('whatever rule process_signal asks about');
    expect(listed).toContain('in every project, for every agent');
  });

  it('answers every question for ten minutes that is not of the agent contract', async () => {
    const place = newPlace();
    await chose(place);
    await atTerminal(place, ['allow', '--all', '10m'], [passphrase]);
    expect((await run(place, 'kill 12345; cat .env')).decision).toBe('pass');
    expect((await run(place, 'git push origin main')).decision).toBe('approve');
    expect((await run(place, 'rm -rf ~')).decision).toBe('block');
  });

  it('marks a file or a folder of made-up secrets once', async () => {
    const place = newPlace();
    await chose(place);
    mkdirSync(join(place.workspace, 'tests/fixtures'), { recursive: true });
    const text = `const token = 'ghp_${'x7Qm2LzVb9Rk4TnWc8Jd5Hf3Gs6Yp1Aw0EuN'}';`; // sallyport:allow
    const write = async (path: string) => {
      const action = { kind: 'write', path, content: text, context: { agent: 'claude', mode: 'auto' } };
      return JSON.parse((await cli(place, ['decide', JSON.stringify(action)])).stdout).decision;
    };
    expect(await write('tests/fixtures/a.ts')).toBe('approve');
    await atTerminal(place, ['allow', '--fixture', 'tests/fixtures', '--for', '366d'], [passphrase]);
    expect(await write('tests/fixtures/a.ts')).toBe('pass');
    expect(await write('tests/fixtures/deep/b.ts')).toBe('pass');
    expect(await write('tests/fixtures-other/a.ts')).toBe('approve');
    expect(await write('src/a.ts')).toBe('approve');
    symlinkSync('../../src', join(place.workspace, 'tests/fixtures/out'));
    mkdirSync(join(place.workspace, 'src'));
    expect(await write('tests/fixtures/out/a.ts')).not.toBe('pass');
    await atTerminal(place, ['allow', '--fixture', 'b.ts'], [passphrase]);
    expect(await write('b.ts')).toBe('pass');
    expect(await write('c.ts')).toBe('approve');
  });

  it('accepts what a file holds now', async () => {
    const place = newPlace();
    await chose(place);
    writeFileSync(join(place.workspace, 'release.sh'), 'git push origin main\n');
    const allowed = await atTerminal(place, ['allow', '--content', 'release.sh'], [passphrase]);
    expect(allowed).toMatchObject({ status: 0, unasked: 0 });
    expect((await cli(place, ['permissions'])).stdout).toContain('run release.sh as it is now');
  });

  it.each([
    [['--content', 'nothing.sh'], 'is no file that can be read as text'],
    [['--content', '.'], '. is no file that can be read as text'],
    [[], 'ID or COMMAND is missing'],
    [['--content', 'a.sh', '--uses', '2'], '--content and --uses do not mix'],
    [['--fixture', '.'], '--fixture names a file or a folder inside'],
    [['--fixture', '../else'], '--fixture names a file or a folder inside'],
    [['--fixture', 'tests', '--always'], 'is of one project'],
    [['--rule', 'git_push'], 'asks every time (AG-TOOL-3 of the agent contract)'],
    [['--rule', 'proces_signal'], 'did you mean "process_signal"?'],
    [['git push origin main'], 'asks every time (AG-TOOL-3 of the agent contract)'],
    [['rm -rf /'], 'no permission lifts a block'],
    [['ls'], 'it passes already'],
    [['--all', '2h'], 'a time such as 90s or 10m, at most 60m'],
    [['--all', '5m', '--rule', 'process_signal'], 'do not mix'],
    [['--effect', '**'], 'must name more'],
  ])('refuses %j, with the reason and before the passphrase', async (args, reason) => {
    const place = newPlace();
    await chose(place);
    const refused = await cli(place, ['allow', ...args]);
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toContain(reason);
  });
});

describe.skipIf(noTerminals)('what was asked about at night', () => {
  const plan = (place: Place, byte: number) =>
    writeFileSync(join(place.workspace, 'plan.tfplan'), Buffer.from([0x50, 0x4b, 0xff, byte]));
  const script = (place: Place, name: string, text: string) => {
    mkdirSync(join(place.workspace, name, '..'), { recursive: true });
    writeFileSync(join(place.workspace, name), text);
  };

  it.each<[string, (place: Place, text: 'one' | 'two') => void, string]>([
    [
      'terraform apply plan.tfplan',
      (place, text) => plan(place, text === 'one' ? 1 : 2),
      'plan.tfplan changed',
    ],
    ['npm publish', (place, text) => script(place, 'dist/index.js', text), 'the tree changed'],
  ])('%s: passes once as it was, and asks again with what moved', async (command, put, moved) => {
    const place = newPlace();
    await chose(place);
    put(place, 'one');
    const asked = await run(place, command);
    expect(asked.decision).toBe('approve');
    await atTerminal(place, ['approve', asked.approval!.id], [passphrase]);
    put(place, 'two');
    const again = await run(place, command, 'morning');
    expect(again.decision).toBe('approve');
    expect(again.findings.find(({ rule }) => rule === 'state_moved')?.message).toContain(
      `${asked.approval!.id} was approved for another state: ${moved}`,
    );
    expect((await cli(place, ['approvals'])).stdout).toContain(moved);
    put(place, 'one');
    expect((await run(place, command, 'noon')).decision).toBe('pass');
    expect((await run(place, command, 'noon')).decision).toBe('approve');
  });

  it('is answered after the daemon was restarted', async () => {
    const place = newPlace();
    await chose(place);
    plan(place, 1);
    const up = () => cli(place, ['up', '--detach', '--port', '0']);
    const ask = () => run(place, 'terraform apply plan.tfplan');
    expect((await up()).status).toBe(0);
    const { approval } = await ask();
    expect((await atTerminal(place, ['down'], [passphrase])).status).toBe(0);
    expect((await up()).status).toBe(0);
    try {
      await atTerminal(place, ['approve', approval!.id], [passphrase]);
      expect((await ask()).decision).toBe('pass');
      plan(place, 2);
      expect((await ask()).decision).toBe('approve');
    } finally {
      await atTerminal(place, ['down'], [passphrase]);
    }
  });
});

describe.skipIf(noTerminals)('a push that was asked about at night', () => {
  it('passes once in the morning, in another session; not if there is another commit by then', async () => {
    const place = newPlace();
    await chose(place);
    mkdirSync(place.workspace, { recursive: true });
    commit(place, 'one');
    const asked = await run(place, 'git push origin main');
    expect(asked.findings.map(({ rule }) => rule)).toContain('git_push');
    await atTerminal(place, ['approve', asked.approval!.id], [passphrase]);
    commit(place, 'two');
    const moved = await run(place, 'git push origin main', 'morning');
    expect(moved.decision).toBe('approve');
    expect(moved.approval!.id).not.toBe(asked.approval!.id);
    await atTerminal(place, ['approve', moved.approval!.id], [passphrase]);
    expect((await run(place, 'git push origin main', 'noon')).decision).toBe('pass');
    expect((await run(place, 'git push origin main', 'noon')).decision).toBe('approve');
    const digest = (await cli(place, ['digest', '--since', '1h'])).stdout;
    expect(digest).toMatch(/claude in .* \(session night\)/);
    expect(digest).toContain('asked  shell: git push origin main  (git_push)');
    expect(digest).toContain('question waits for you: sallyport approvals');
  });
});
