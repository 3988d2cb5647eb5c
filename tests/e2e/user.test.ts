// The passphrase of a user of the console: asked for at a terminal without being shown, or read from a pipe.

import { describe, expect, it } from 'vitest';
import { readVerifier } from '../../src/config/users.ts';
import { cli, newPlace } from '../support/cli.ts';
import { atTerminal, noTerminals, passphrase } from '../support/terminal.ts';

const line = /passphrase = "(scrypt:[^"]+)"/;

describe('sallyport user hash', () => {
  it.skipIf(noTerminals)('asks twice at a terminal, and shows nothing of what is typed', async () => {
    const made = await atTerminal(newPlace(), ['user', 'hash'], [passphrase, passphrase]);
    expect(readVerifier(line.exec(made.stdout)?.[1] ?? '')).toBeDefined();
    expect(made.stdout).not.toContain(passphrase);
    const twoWays = [passphrase, `${passphrase}!`];
    const again = await atTerminal(newPlace(), ['user', 'hash'], [...twoWays, passphrase, passphrase]);
    expect(again.stdout).toContain('Not taken: the two do not match.');
    expect(again.stdout).toMatch(line);
    const never = await atTerminal(newPlace(), ['user', 'hash'], [...twoWays, ...twoWays, ...twoWays]);
    expect(never).toMatchObject({ status: 2, unasked: 0 });
    expect(never.stdout).not.toMatch(line);
  });

  it('reads the first line of a pipe', async () => {
    const { status, stdout } = await cli(newPlace(), ['user', 'hash', '--json'], {
      input: `${passphrase}\r\nmore\n`,
    });
    expect(status).toBe(0);
    expect(readVerifier(JSON.parse(stdout).passphrase)).toBeDefined();
  });

  it.each([
    [['user', 'hash'], '', 2, 'has no passphrase'],
    [['user', 'hash'], 'short\n', 1, 'at least 8 characters'],
    [['user', 'hash'], `${'x'.repeat(5000)}\n`, 2, 'longer than 4096 bytes'],
    [['user'], 'a good passphrase\n', 2, 'hash is missing'],
    [['user', 'add'], 'a good passphrase\n', 2, 'unknown word "add"'],
  ] as const)('refuses %j with %j', async (args, input, status, says) => {
    const ended = await cli(newPlace(), args, { input });
    expect([ended.status, ended.stdout]).toEqual([status, '']);
    expect(ended.stderr).toContain(says);
  });
});
