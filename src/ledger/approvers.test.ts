// Whose yes counts: the owner's for anything, a user's as far as the role goes and no longer than the user is there.

import { describe, expect, it, onTestFinished } from 'vitest';
import { type Engine, engines, newStore } from '../../tests/support/ledger.ts';
import type { Person } from './approvers.ts';
import { Ledger } from './index.ts';

const now = 1_700_000_000_000;
const home = { home: 'a', owner: { user: 'owner', tenant: 'local' }, now };
const purposes = ['sallyport.approval.v1', 'sallyport.grant.v1', 'sallyport.policies.v1'] as const;
const person = (name: string, role: string): Person => ({ name, role, publicKey: `key of ${name}` });
const forbid = 'forbid (principal, action, resource == Tool::"mail");';

async function openStore(engine: Engine) {
  const store = await newStore(engine);
  const open = async () => {
    // A signature is the name of the key that made it.
    const check = (key: string, _: unknown, signature: string) => key === signature;
    const ledger = await Ledger.open({ ...store.options, check });
    onTestFinished(() => ledger.close());
    return ledger;
  };
  const ledger = await open();
  const counts = (name: string, payload: readonly (string | number)[]) =>
    ledger.store.read((sql) => ledger.approvers.verify(sql, payload, `key of ${name}`));
  const countsFor = async (name: string) => {
    const found = await Promise.all(purposes.map((purpose) => counts(name, [purpose, 1])));
    return purposes.filter((_, at) => found[at]);
  };
  return { store, ledger, counts, countsFor };
}

describe.each(engines)('users on %s', (engine) => {
  it('say yes to what their roles allow', async () => {
    const { ledger, countsFor } = await openStore(engine);
    await ledger.approvers.setUsers(
      [person('vic', 'viewer'), person('ann', 'approver'), person('eve', 'admin')],
      home,
    );
    expect(await countsFor('vic')).toEqual([]);
    expect(await countsFor('ann')).toEqual(['sallyport.approval.v1']);
    expect(await countsFor('eve')).toEqual(purposes);
    expect(await countsFor('mallory')).toEqual([]);
  });

  it('count no longer once they are gone, have another role or another passphrase', async () => {
    const { ledger, countsFor } = await openStore(engine);
    await ledger.approvers.setUsers([person('ann', 'approver'), person('eve', 'admin')], home);
    await ledger.approvers.setUsers([person('eve', 'approver')], home);
    expect(await countsFor('ann')).toEqual([]);
    expect(await countsFor('eve')).toEqual(['sallyport.approval.v1']);
    await ledger.approvers.setUsers([{ ...person('eve', 'approver'), publicKey: 'another key' }], home);
    expect(await countsFor('eve')).toEqual([]);
    const entries = await ledger.audit.list({ eventType: 'users_changed' });
    expect(entries.map(({ details }) => details).reverse()).toEqual([
      {
        added: [
          { name: 'ann', role: 'approver' },
          { name: 'eve', role: 'admin' },
        ],
        removed: [],
      },
      {
        added: [{ name: 'eve', role: 'approver' }],
        removed: expect.arrayContaining([{ name: 'eve', role: 'admin' }]),
      },
      { added: [{ name: 'eve', role: 'approver' }], removed: [{ name: 'eve', role: 'approver' }] },
    ]);
  });

  it('are on record only where something changed', async () => {
    const { ledger } = await openStore(engine);
    await ledger.approvers.setUsers([], home);
    await ledger.approvers.setUsers([person('ann', 'viewer')], home);
    await ledger.approvers.setUsers([person('ann', 'viewer')], home);
    expect(await ledger.audit.list({ eventType: 'users_changed' })).toHaveLength(1);
  });

  it('who are gone leave the policies that they kept, and can keep no other', async () => {
    const { ledger, counts, countsFor } = await openStore(engine);
    const eve = person('eve', 'admin');
    const by = { user: 'eve', tenant: 'local', sign: () => 'key of eve', now };
    await ledger.approvers.setUsers([eve], home);
    await ledger.policies.create('no_mail', forbid, by);
    await ledger.approvers.setUsers([], home);
    expect(await ledger.policies.list()).toMatchObject({ signed: true, version: '1' });
    expect(await ledger.policies.sources()).toHaveLength(1);
    expect(await countsFor('eve')).toEqual(['sallyport.policies.v1']);
    expect(await counts('eve', ['sallyport.policies.v1', 2])).toBe(false);
    await ledger.policies.remove('no_mail', '1', by);
    await expect(ledger.policies.sources()).rejects.toThrow('not as a person signed them');
    await ledger.approvers.setUsers([eve], home);
    expect(await ledger.policies.sources()).toEqual([]);
  });

  it('of one home are not those of another', async () => {
    const { ledger, countsFor } = await openStore(engine);
    await ledger.approvers.setUsers([person('ann', 'approver')], home);
    await ledger.approvers.setUsers([person('ann', 'approver')], { ...home, home: 'b' });
    await ledger.approvers.setUsers([], home);
    expect(await countsFor('ann')).toEqual(['sallyport.approval.v1']);
    await ledger.approvers.setUsers([], { ...home, home: 'b' });
    expect(await countsFor('ann')).toEqual([]);
  });

  it.each([
    ['made up', "UPDATE people SET mac = 'x'"],
    ['raised', "UPDATE people SET role = 'admin'"],
    ['given another key', "UPDATE people SET public_key = 'key of mallory'"],
    ['moved', "UPDATE people SET home = 'b'"],
    ['kept on', 'UPDATE people SET policies_until = 9'],
  ])('count for nothing where the store was changed by hand: %s', async (_, sql) => {
    const { store, ledger, countsFor } = await openStore(engine);
    await ledger.approvers.setUsers([person('ann', 'approver')], home);
    await store.tamper(sql);
    expect(await countsFor('ann')).toEqual([]);
    expect(await countsFor('mallory')).toEqual([]);
  });
});
