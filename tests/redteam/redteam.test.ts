// A part of the red team with every run of the tests: one attempt or a few of each kind, and the trace of the daemon.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundleFolder } from '../support/bundle.ts';
import { temporaryFolder } from '../support/ledger.ts';
import { roundsOf } from './groups.ts';
import { attack, root } from './sandbox.ts';
import { formsOf, search, traceDaemon, traceMissing } from './trace.ts';

const sandboxMissing =
  spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-net', 'true']).status === 0
    ? null
    : 'the red team needs bubblewrap (bwrap)';
for (const missing of [sandboxMissing, traceMissing]) {
  if (missing !== null) process.stderr.write(`Skipped: ${missing}.\n`);
}

describe.skipIf(sandboxMissing !== null)('a process of the same user', () => {
  it('has no effect with any attempt of the quick part', async () => {
    const target = { source: root, program: bundleFolder() };
    const [round] = roundsOf({ groups: [], quick: true, only: '' });
    if (round === undefined) throw new Error('there is no quick part');
    const rows = await attack(round, target);
    expect(rows.length).toBeGreaterThanOrEqual(14);
    const wrong = rows.filter(({ outcome }) => outcome !== 'stopped');
    expect(
      wrong.map(({ group, name, outcome, detail }) => `${outcome}: ${group}: ${name} (${detail})`),
    ).toEqual([]);
  }, 300_000);
});

describe.skipIf(traceMissing !== null)('the daemon', () => {
  it('comes across neither passphrase nor key while the owner signs in and approves', async () => {
    const { secrets, holdsAnswers } = await traceDaemon({ source: root, program: bundleFolder() });
    expect(holdsAnswers).toBe(true);
    expect(secrets).toEqual([]);
  });
});

describe('searching a trace', () => {
  const secret = Buffer.from('\u0001a secret, 32 bytes long, here!\u00ff', 'latin1');
  const line = (bytes: Buffer) =>
    `4711  read(23, "${[...bytes].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}", 65536) = ${bytes.length}`;
  const found = async (...lines: readonly string[]) => {
    const file = join(temporaryFolder(), 'trace');
    writeFileSync(file, `${lines.join('\n')}\n`);
    return (await search(file, new Map(formsOf(secret)), ['q1'])).secrets;
  };

  it.each([
    ['raw', secret],
    ['hex', Buffer.from(`key=${secret.toString('hex')}`)],
    ['HEX', Buffer.from(secret.toString('hex').toUpperCase())],
    ['base64 at 0', Buffer.from(`"${secret.toString('base64')}"`)],
    [
      'base64 at 1',
      Buffer.from(Buffer.concat([Buffer.from('x'), secret, Buffer.from('yz')]).toString('base64')),
    ],
    ['base64url at 2', Buffer.from(Buffer.concat([Buffer.from('xx'), secret]).toString('base64url'))],
  ])('finds a secret that is %s', async (form, bytes) => {
    expect(await found(line(bytes))).toContain(form);
  });

  it('finds a secret that two reads split', async () => {
    expect(await found(line(secret.subarray(0, 10)), line(secret.subarray(10)))).toEqual(['raw']);
  });

  it('finds nothing in what is not the secret', async () => {
    expect(await found(line(Buffer.from('another text')), line(secret.subarray(1)))).toEqual([]);
  });
});
