// A passphrase that is chosen, lost and replaced, as the owner meets it at a terminal.

import { describe, expect, it } from 'vitest';
import { cli, newPlace, type Place } from '../support/cli.ts';
import { newUser } from '../support/hosts.ts';
import { atTerminal, noTerminals, passphrase } from '../support/terminal.ts';

const other = 'another passphrase';
const asking = '{"kind":"fetch","url":"https://example.org/"}';
const destructive = '{"kind":"shell","command":"git push --force origin main"}';

async function decide(place: Place, action = asking) {
  return JSON.parse((await cli(place, ['decide', action])).stdout);
}

/** Chooses a passphrase and gives the recovery code that the terminal showed. */
async function chosen(place: Place): Promise<string> {
  const { stdout } = await atTerminal(place, ['passphrase'], [passphrase, passphrase]);
  const [, code = ''] = /Recovery code: ([\w-]+)/.exec(stdout) ?? [];
  expect(code).toMatch(/^(?:[0-9a-z]{4}-){7}[0-9a-z]{4}$/);
  return code;
}

async function states(place: Place) {
  const { approvers } = JSON.parse((await cli(place, ['approvers', '--json'])).stdout);
  return approvers.map(({ kind, state }: { kind: string; state: string }) => `${kind} ${state}`);
}

async function answers(place: Place, id: string, secret: string): Promise<string> {
  return (await atTerminal(place, ['approve', id], [secret])).stdout;
}

describe.skipIf(noTerminals)('the passphrase', () => {
  it('is replaced with the recovery code, and open answers end', async () => {
    const place = newPlace();
    const code = await chosen(place);
    const { approval } = await decide(place);
    expect(await answers(place, approval.id, passphrase)).toContain('Approved');
    const wrong = await atTerminal(place, ['passphrase', '--reset'], [`${code.slice(0, -1)}`, other, other]);
    expect(wrong.stdout).toContain('this is no recovery code');
    const replaced = await atTerminal(place, ['passphrase', '--reset'], [code.toUpperCase(), other, other]);
    expect(replaced.stdout).toContain('The passphrase is replaced.');
    expect(await states(place)).toEqual(['owner ended', 'recovery ended', 'owner counts', 'recovery counts']);
    const again = await decide(place);
    expect(again.decision).toBe('approve');
    expect(await answers(place, again.approval.id, passphrase)).toContain('the passphrase is wrong');
    expect(await answers(place, again.approval.id, other)).toContain('Approved');
    expect((await decide(place)).decision).toBe('pass');
    const spent = await atTerminal(place, ['passphrase', '--reset'], [code, passphrase, passphrase]);
    expect(spent.stdout).toContain('this recovery code does not count');
  });

  it('is refused for its length before it is typed a second time', async () => {
    const place = newPlace();
    const refused = await atTerminal(place, ['passphrase'], ['short', 'shorter', 'brief', passphrase]);
    expect(refused.stdout).toContain('Not taken: a passphrase has at least 8 characters.');
    expect(refused.stdout).not.toContain('Once more');
    expect(refused).toMatchObject({ status: 1, unasked: 1 });
  });

  it('is typed after Enter alone, an arrow, and a line that was erased', async () => {
    const place = newPlace();
    const typed = `\r\u001b[Aother words\u0015${passphrase}`;
    const chosen = await atTerminal(place, ['passphrase'], [typed, passphrase]);
    expect(chosen.stdout).toContain('The passphrase is set.');
  });

  it('waits a day without the code: nothing destructive passes, and the old one stops it', async () => {
    const place = newPlace();
    await chosen(place);
    const asked = await atTerminal(place, ['passphrase', '--reset', '--without-code'], [other, other]);
    expect(asked.stdout).toContain('The new passphrase counts from ');
    const blocked = await decide(place, destructive);
    expect(blocked.findings.map(({ rule }: { rule: string }) => rule)).toContain('approver_reset');
    expect(blocked.decision).toBe('block');
    const harmless = await decide(place);
    expect(harmless.explanation).toContain('a reset of the approver passphrase waits');
    expect(await answers(place, harmless.approval.id, other)).toContain('the passphrase is wrong');
    expect((await cli(place, ['doctor'])).stdout).toMatch(
      /fail +passphrase +a reset of the passphrase waits/,
    );
    expect((await atTerminal(place, ['approvers', 'veto'], [passphrase])).stdout).toContain('is stopped');
    expect((await decide(place, destructive)).decision).toBe('approve');
    expect(await states(place)).toEqual(['owner counts', 'recovery counts']);
  });

  it('that is the first after a host was connected counts after a day', async () => {
    const place = newUser();
    const { stdout } = await cli(place, ['init', 'claude', '--yes']);
    expect(stdout).toContain('No approver yet');
    const late = await atTerminal(place, ['passphrase'], [passphrase, passphrase]);
    expect(late.stdout).toContain('A host was connected before, so it counts from ');
    expect(await states(place)).toEqual(['owner waits']);
    const { approval } = await decide(place);
    expect(await answers(place, approval.id, passphrase)).toContain(
      'no approver vouched for the key of this home',
    );
  });

  it('is asked for by init, before the host is connected', async () => {
    const place = newUser();
    const { stdout } = await atTerminal(place, ['init', 'claude'], [passphrase, passphrase, 'y']);
    expect(stdout).toMatch(/First choose the passphrase[\s\S]*Recovery code[\s\S]*is connected/);
    expect(await states(place)).toEqual(['owner counts', 'recovery counts']);
  });
});
