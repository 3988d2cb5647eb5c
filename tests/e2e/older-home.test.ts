// A home that an older version made, before approver keys vouched for one another: its owner goes on, and its log holds.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readApprover } from '../../src/config/index.ts';
import { cli, jsonLines, newPlace, type Place } from '../support/cli.ts';
import { atTerminal, noTerminals, passphrase } from '../support/terminal.ts';

/** Schema 7, with a passphrase that was chosen, an approval, a grant and a receipt. */
const archive = join(import.meta.dirname, '../fixtures/homes/schema-7.tar.gz');

function olderHome(): Place {
  const place = newPlace();
  execFileSync('tar', ['xzf', archive, '-C', dirname(place.home)]);
  return place;
}

const asking = '{"kind":"fetch","url":"https://example.org/"}';

async function decide(place: Place) {
  const { stdout } = await cli(place, ['decide', asking]);
  return JSON.parse(stdout);
}

describe('a home of an older version', () => {
  it('keeps its owner, its log and its receipts', async () => {
    const place = olderHome();
    const key = readApprover(place.home)?.publicKey;
    const { approvers } = JSON.parse((await cli(place, ['approvers', '--json'])).stdout);
    expect(approvers).toMatchObject([{ key, kind: 'owner', state: 'counts', vouchedBy: null }]);
    expect((await cli(place, ['log', 'verify'])).stdout).toMatch(/^clean: \d+ entries/);
    expect((await cli(place, ['receipts', 'verify'])).status).toBe(0);
    const types = jsonLines((await cli(place, ['log', '--json'])).stdout).map(({ event_type: type }) => type);
    expect(types.filter((type) => type === 'approver_added')).toHaveLength(1);
  });

  it.skipIf(noTerminals)('takes the approval of its owner, whose key then signs in as well', async () => {
    const place = olderHome();
    expect(readApprover(place.home)?.login).toBe(null);
    const { approval } = await decide(place);
    const answered = await atTerminal(place, ['approve', approval.id], [passphrase]);
    expect(answered.stdout).toContain(`Approved: ${approval.id}`);
    expect((await decide(place)).decision).toBe('pass');
    expect(readApprover(place.home)?.login).toMatch(/^[\w-]{43}$/);
    expect(readFileSync(join(place.home, 'keys', 'head.json'), 'utf8')).toContain('"root"');
  });

  it.skipIf(noTerminals)('makes nobody else an approver', async () => {
    const place = olderHome();
    execFileSync('rm', [join(place.home, 'approver.json')]);
    const other = 'another passphrase';
    const chosen = await atTerminal(place, ['passphrase'], [other, other]);
    expect(chosen.stdout).toContain('It does not count on this store yet');
    const { approval } = await decide(place);
    const answered = await atTerminal(place, ['approve', approval.id], [other]);
    expect(answered.stdout).toContain('nobody vouched for the key of this home');
    expect((await decide(place)).decision).toBe('approve');
  });
});
