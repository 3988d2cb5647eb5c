// Proofs as an auditor meets them: heads kept elsewhere, proofs checked without the log, and every lie found.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { cli, jsonLines, newPlace, type Place } from '../support/cli.ts';

async function decide(place: Place, count: number): Promise<string[]> {
  const input = `${'{"kind":"fetch","url":"http://10.0.0.1/"}\n'.repeat(count)}`;
  return jsonLines((await cli(place, ['decide', '--jsonl'], { input })).stdout).map(({ decisionId }) =>
    String(decisionId),
  );
}

/** Saves what a command prints. */
async function save(place: Place, name: string, args: readonly string[]): Promise<string> {
  const { stdout, status, stderr } = await cli(place, args);
  expect([stderr, status]).toEqual(['', 0]);
  const file = join(place.workspace, name);
  writeFileSync(file, stdout);
  return file;
}

function tamper(place: Place, ...statements: readonly string[]): void {
  const database = new DatabaseSync(join(place.home, 'ledger.db'));
  for (const trigger of ['audit_is_never_changed', 'audit_is_never_deleted'])
    database.exec(`DROP TRIGGER ${trigger}`);
  for (const statement of statements) database.exec(statement);
  database.close();
}

describe('an auditor with a head and the public keys', () => {
  it('checks that a decision stands in the log, without the log', async () => {
    const place = newPlace();
    const [, second = ''] = await decide(place, 5);
    const keys = await save(place, 'keys.json', ['log', 'keys']);
    const proof = await save(place, 'proof.json', ['log', 'prove', second]);
    const elsewhere = { ...newPlace(), workspace: place.workspace };
    const checked = await cli(elsewhere, ['log', 'check', proof, '--keys', keys]);
    expect(checked).toMatchObject({ status: 0, stdout: expect.stringContaining('valid') });
    const foreign = await save(newPlace(), 'keys.json', ['log', 'keys']);
    expect((await cli(elsewhere, ['log', 'check', proof, '--keys', foreign])).status).toBe(1);
  });

  it('checks that the log only grew since', async () => {
    const place = newPlace();
    await decide(place, 3);
    const keys = await save(place, 'keys.json', ['log', 'keys']);
    const head = await save(place, 'head.json', ['log', 'head']);
    await decide(place, 4);
    const proof = await save(place, 'proof.json', ['log', 'prove', '--head', head]);
    expect((await cli(place, ['log', 'check', proof, '--keys', keys])).status).toBe(0);
    expect((await cli(place, ['log', 'verify', '--head', head])).status).toBe(0);
  });

  it.each<[string, readonly string[], string]>([
    [
      'a cut that was covered up',
      [
        'DELETE FROM audit WHERE seq > 2',
        'DELETE FROM heads',
        'UPDATE chains SET size = 2, hash = (SELECT hash FROM audit WHERE seq = 2)',
      ],
      'covers are gone',
    ],
    [
      'a log that was emptied',
      ['DELETE FROM audit', 'DELETE FROM heads', 'DELETE FROM chains'],
      'covers are gone',
    ],
  ])('finds %s', async (_, statements, problem) => {
    const place = newPlace();
    await decide(place, 5);
    const head = await save(place, 'head.json', ['log', 'head']);
    tamper(place, ...statements);
    const verified = await cli(place, ['log', 'verify', '--head', head]);
    expect(verified.status).toBe(1);
    expect(verified.stdout).toContain(problem);
  });

  it.each<[string, string, string]>([
    ['missing', 'no-such-file.json', 'cannot be read'],
    ['empty', 'empty.json', 'holds no head'],
    ['not a head', 'nonsense.json', 'line 1'],
  ])('is told when the head file is %s', async (_, name, message) => {
    const place = newPlace();
    writeFileSync(join(place.workspace, 'empty.json'), '\n');
    writeFileSync(join(place.workspace, 'nonsense.json'), '{"version":1}\n');
    const refused = await cli(place, ['log', 'verify', '--head', name]);
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining(message) });
  });

  it('is told when the head is of another log', async () => {
    const other = newPlace();
    await decide(other, 2);
    const place = { ...newPlace(), workspace: other.workspace };
    await decide(place, 2);
    const head = await save(other, 'head.json', ['log', 'head']);
    const verified = await cli(place, ['log', 'verify', '--head', head]);
    expect(verified.status).toBe(1);
    expect(verified.stdout).toContain('unknown key');
  });
});
