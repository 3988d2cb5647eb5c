// Homes that older versions made: their owner goes on, and their log and receipts hold. Each release adds one.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readApprover } from '../../src/config/index.ts';
import { cli, jsonLines, newPlace, type Place } from '../support/cli.ts';
import { atTerminal, noTerminals, passphrase } from '../support/terminal.ts';

const archives = join(import.meta.dirname, '../fixtures/homes');

/** A home with a passphrase that was chosen, an approval and a receipt, as the version with this schema left it. */
function olderHome(schema: number): Place {
  const place = newPlace();
  execFileSync('tar', ['xzf', join(archives, `schema-${schema}.tar.gz`), '-C', dirname(place.home)]);
  return place;
}

const asking = '{"kind":"fetch","url":"https://example.org/"}';

async function decide(place: Place) {
  const { stdout } = await cli(place, ['decide', asking]);
  return JSON.parse(stdout);
}

it('are kept of each release', () => {
  expect(readdirSync(archives).toSorted()).toEqual(['schema-11.tar.gz', 'schema-7.tar.gz']);
});

it('with a permission keeps that, and says so in the log', async () => {
  const types = jsonLines((await cli(olderHome(11), ['log', '--json'])).stdout).map(
    (line) => line['event_type'],
  );
  expect(types).toContain('grant_made');
});

describe.each([7, 11])('a home of schema %i', (schema) => {
  it('keeps its owner, its log and its receipts', async () => {
    const place = olderHome(schema);
    const key = readApprover(place.home)?.publicKey;
    const { approvers } = JSON.parse((await cli(place, ['approvers', '--json'])).stdout);
    expect(approvers[0]).toMatchObject({ key, kind: 'owner', state: 'counts', vouchedBy: null });
    expect(approvers.filter(({ kind }: { kind: string }) => kind === 'owner')).toHaveLength(1);
    expect((await cli(place, ['log', 'verify'])).stdout).toMatch(/^clean: \d+ entries/);
    expect((await cli(place, ['receipts', 'verify'])).status).toBe(0);
    const types = jsonLines((await cli(place, ['log', '--json'])).stdout).map(({ event_type: type }) => type);
    expect(types.filter((type) => type === 'approver_added')).toHaveLength(approvers.length);
  });

  it.skipIf(noTerminals)('takes the approval of its owner, whose key then signs in as well', async () => {
    const place = olderHome(schema);
    if (schema === 7) expect(readApprover(place.home)?.login).toBe(null);
    const { approval } = await decide(place);
    const answered = await atTerminal(place, ['approve', approval.id], [passphrase]);
    expect(answered.stdout).toContain(`Approved: ${approval.id}`);
    expect((await decide(place)).decision).toBe('pass');
    expect(readApprover(place.home)?.login).toMatch(/^[\w-]{43}$/);
    expect(readFileSync(join(place.home, 'keys', 'head.json'), 'utf8')).toContain('"root"');
  });

  it.skipIf(noTerminals)('makes nobody else an approver', async () => {
    const place = olderHome(schema);
    execFileSync('rm', [join(place.home, 'approver.json')]);
    const other = 'another passphrase';
    const chosen = await atTerminal(place, ['passphrase'], [other, other]);
    expect(chosen.stdout).toContain('It does not count on this store yet');
    const { approval } = await decide(place);
    const answered = await atTerminal(place, ['approve', approval.id], [other]);
    expect(answered.stdout).toContain('no approver vouched for the key of this home');
    expect((await decide(place)).decision).toBe('approve');
  });
});
