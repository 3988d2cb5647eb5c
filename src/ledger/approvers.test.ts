// Whose approval is valid: the first key, keys that were vouched for, how they end, and what an attacker with the
// store's keys and write access cannot change.

import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Engine, engines, newStore, type StorePlace } from '../../tests/support/ledger.ts';
import {
  type ApproverKind,
  type ApproverStatement,
  answerPayload,
  approverPayload,
  endingPayload,
  type JsonObject,
  type Payload,
  purposes,
  signedText,
} from '../core/index.ts';
import type { SignatureCheck } from './approver-history.ts';
import type { ApproverSigner } from './approvers.ts';
import { type EventType, type HeadPinOptions, Ledger, type LedgerOptions } from './index.ts';
import { StoreLocked } from './store.ts';

const start = 1_700_000_000_000;
const hour = 60 * 60 * 1000;
const day = 24 * hour;
const actor = { user: 'owner', tenant: 'local' };
const forbid = 'forbid (principal, action, resource == Tool::"mail");';

/** A key whose signature is its name and the signed text; no test forges a signature. */
function keyOf(name: string): ApproverSigner {
  const publicKey = `key of ${name}`;
  return { publicKey, sign: (payload) => signature(publicKey, payload) };
}

function signature(publicKey: string, payload: Payload): string {
  return `${publicKey} signed ${signedText(payload)}`;
}

const check: SignatureCheck = (publicKey, payload, given) => given === signature(publicKey, payload);

const owner = keyOf('the owner');
const mallory = keyOf('mallory');

interface Given {
  readonly kind: ApproverKind;
  readonly name?: string;
  readonly role?: string;
  readonly tenant?: string | null;
  readonly home?: string;
  readonly replaces?: string;
}

async function openStore(engine: Engine) {
  const place = await newStore(engine);
  const clock = { now: start };
  const open = async (chain = 'home', more: Partial<LedgerOptions> = {}) => {
    const ledger = await Ledger.open({ ...place.options, chain, check, now: () => clock.now, ...more });
    onTestFinished(() =>
      ledger.close().catch((error) => expect(ledger.refused(), String(error)).not.toBeNull()),
    );
    return ledger;
  };
  return { place, clock, open };
}

/** A store with its first key. */
async function withOwner(engine: Engine) {
  const opened = await openStore(engine);
  const ledger = await opened.open();
  await ledger.enrolOwner(owner, actor);
  return { ...opened, ledger, ...toolsOf(ledger, opened.clock) };
}

function toolsOf(ledger: Ledger, clock: { now: number }) {
  const { approvers } = ledger;
  const statement = (key: string, given: Given): ApproverStatement => {
    const { kind, name = 'owner', role = 'owner', ...more } = given;
    return approvers.statement(kind, { key, name, role, ...more });
  };
  /** Vouches for the key of a name; returns whether that succeeds. */
  const vouch = async (by: ApproverSigner, key: string, given: Given): Promise<boolean> =>
    await approvers.add(statement(keyOf(key).publicKey, given), by, actor).then(
      () => true,
      (error: Error) => {
        expect(error.name).toBe('NotVouchedFor');
        return false;
      },
    );
  const counts = (
    by: ApproverSigner,
    payload: Payload,
    tenant: string | null = 'local',
    signed = by.sign(payload),
  ) => ledger.store.read((sql) => approvers.verify(sql, payload, signed, tenant));
  /** Whether an answer that a key signs is valid. */
  const answers = (by: ApproverSigner, tenant = 'local') => counts(by, answer(), tenant);
  const states = async () =>
    Object.fromEntries(
      (await approvers.list()).map(({ key, state }) => [key.slice('key of '.length), state]),
    );
  const append = async (type: EventType, details: JsonObject, time = clock.now, by = ledger) =>
    await by.audit.append({ time, event_type: type, user: 'x', tenant: 'local', agent: '', details });
  /** Writes a statement to the log past all checks. */
  const forge = async (
    type: EventType,
    said: ApproverStatement,
    by: ApproverSigner,
    time = clock.now,
    log = ledger,
  ) => {
    const signed = by.sign(approverPayload(said));
    await append(type, { ...said, by: by.publicKey, signature: signed, policies_until: 99 }, time, log);
  };
  const later = (ms: number) => {
    clock.now += ms;
  };
  return { statement, vouch, counts, answers, states, append, forge, later, approvers };
}

const answer = (grants: readonly unknown[] = []): Payload => {
  const said = { id: 'a', bound: 'b', shown: 's', at: start, until: start + hour, permissions: [] };
  return [...answerPayload(said).slice(0, 6), grants] as unknown as Payload;
};

const policies = (version: number, body = '[]'): Payload => [purposes.policies, version, body];

describe.each(engines)('the first key on %s', (engine) => {
  it('counts at once, and no other becomes first', async () => {
    const { ledger, approvers, answers, states } = await withOwner(engine);
    expect(await approvers.list()).toEqual([
      {
        ...{ key: owner.publicKey, kind: 'owner', name: 'owner', role: 'owner', tenant: null, home: 'home' },
        ...{ credential: null, since: start, origin: 'first', vouchedBy: null, state: 'counts' },
        ...{ countsFrom: start, endedAt: null },
      },
    ]);
    expect(await approvers.first()).toBe(owner.publicKey);
    const before = await ledger.audit.size();
    await expect(ledger.enrolOwner(mallory, actor)).rejects.toThrow('does not count on this store');
    // A statement without an effect is not recorded.
    expect(await ledger.audit.size()).toBe(before);
    expect(await states()).toEqual({ 'the owner': 'counts' });
    expect([await answers(owner), await answers(mallory)]).toEqual([true, false]);
  });

  it.each<EventType>(['host_connected', 'chain_restarted'])(
    'waits for a day where it was made after %s',
    async (event) => {
      const { open, clock } = await openStore(engine);
      const ledger = await open();
      const { append, answers, later, states } = toolsOf(ledger, clock);
      await append(event, { host: 'claude' });
      const { state, countsFrom } = await ledger.enrolOwner(owner, actor);
      expect([state, countsFrom]).toEqual(['waits', start + day]);
      later(day - 1);
      expect([await answers(owner), await states()]).toEqual([false, { 'the owner': 'waits' }]);
      later(1);
      expect([await answers(owner), await states()]).toEqual([true, { 'the owner': 'counts' }]);
    },
  );

  it('does not wait for a host that is connected afterwards', async () => {
    const { append, answers, open } = await withOwner(engine);
    await append('host_connected', { host: 'claude' });
    expect(await answers(owner)).toBe(true);
    expect(await (await open('second')).approvers.list()).toMatchObject([{ state: 'counts' }]);
  });

  it('counts at once after a loss where it was the first before', async () => {
    const { open, clock } = await openStore(engine);
    const ledger = await open();
    const { append } = toolsOf(ledger, clock);
    await append('chain_restarted', { reason: 'x', lost_root: owner.publicKey });
    expect((await ledger.enrolOwner(owner, actor)).state).toBe('counts');
  });

  it('is an owner’s of this store, for all tenants, and signs for itself', async () => {
    const { open, clock } = await openStore(engine);
    const ledger = await open();
    const { statement, forge, approvers, answers } = toolsOf(ledger, clock);
    const fits = statement(mallory.publicKey, { kind: 'owner' });
    const others: readonly (readonly [string, ApproverStatement, ApproverSigner])[] = [
      ['a user', { ...fits, kind: 'user', role: 'admin' }, mallory],
      ['a passkey', { ...fits, kind: 'passkey' }, mallory],
      ['for one tenant', { ...fits, tenant: 'local' }, mallory],
      ['of another store', { ...fits, store: 'another' }, mallory],
      ['signed by another key', fits, keyOf('somebody')],
      ['without the role', { ...fits, role: 'admin' }, mallory],
      ['of a time to come', { ...fits, at: start + hour }, mallory],
      ['in the place of another', { ...fits, replaces: 'key of nobody' }, mallory],
    ];
    for (const [what, said, by] of others) {
      await forge('approver_added', said, by);
      expect([await approvers.first(), await answers(mallory)], what).toEqual([null, false]);
    }
    await ledger.enrolOwner(owner, actor);
    expect(await approvers.first()).toBe(owner.publicKey);
  });

  it('cannot be made to have waited already', async () => {
    const { open, clock } = await openStore(engine);
    const ledger = await open();
    const { append, statement, forge, approvers, answers } = toolsOf(ledger, clock);
    await append('host_connected', { host: 'claude' }, start - 2 * day);
    await append('decision', {});
    const evil = await open('evil');
    const { at: _, ...said } = statement(mallory.publicKey, { kind: 'owner' });
    await forge('approver_added', { ...said, at: start - day }, mallory, start - day, evil);
    expect([await approvers.first(), await answers(mallory)]).toEqual([null, false]);
  });
});

describe.each(engines)('vouching on %s', (engine) => {
  /** One key of every kind and role, all vouched for by authorized keys. */
  async function withEverybody() {
    const store = await withOwner(engine);
    const { vouch } = store;
    const made = [
      await vouch(owner, 'recovery', { kind: 'recovery' }),
      await vouch(owner, 'passkey', { kind: 'passkey' }),
      await vouch(owner, 'peer', { kind: 'owner', name: 'peer', home: 'second' }),
      await vouch(owner, 'acme owner', { kind: 'owner', name: 'ao', home: 'third', tenant: 'acme' }),
      await vouch(owner, 'admin', { kind: 'user', name: 'eve', role: 'admin' }),
      await vouch(owner, 'acme admin', { kind: 'user', name: 'adam', role: 'admin', tenant: 'acme' }),
      await vouch(owner, 'approver', { kind: 'user', name: 'ann', role: 'approver' }),
      await vouch(owner, 'acme approver', { kind: 'user', name: 'abe', role: 'approver', tenant: 'acme' }),
      await vouch(owner, 'viewer', { kind: 'user', name: 'vic', role: 'viewer' }),
    ];
    expect(made).toEqual(made.map(() => true));
    return store;
  }

  it('gives nobody more than who vouches may do', async () => {
    const { vouch } = await withEverybody();
    const attempts: readonly (readonly [by: string, given: Given, fits: boolean])[] = [
      ['the owner', { kind: 'owner', name: 'other', home: 'fourth' }, true],
      ['the owner', { kind: 'user', role: 'admin' }, true],
      ['the owner', { kind: 'user', role: 'owner' }, false],
      ['the owner', { kind: 'user', role: 'root' }, false],
      ['the owner', { kind: 'owner', role: 'viewer', name: 'other', home: 'fifth' }, false],
      ['the owner', { kind: 'recovery', name: 'peer', home: 'second' }, false],
      ['the owner', { kind: 'passkey', name: 'eve', role: 'admin' }, false],
      ['passkey', { kind: 'user', role: 'admin' }, true],
      ['passkey', { kind: 'passkey' }, true],
      ['passkey', { kind: 'owner', replaces: 'key of the owner' }, false],
      ['passkey', { kind: 'owner', replaces: 'key of passkey' }, false],
      ['acme owner', { kind: 'user', role: 'admin', tenant: 'acme' }, true],
      ['acme owner', { kind: 'user', role: 'admin', tenant: 'other' }, false],
      ['acme owner', { kind: 'user', role: 'viewer' }, false],
      ['acme owner', { kind: 'owner', name: 'ao', home: 'third' }, false],
      ['admin', { kind: 'user', role: 'admin', name: 'new' }, true],
      ['admin', { kind: 'user', role: 'owner', name: 'new' }, false],
      ['admin', { kind: 'user', role: 'viewer', name: 'new', home: 'hidden' }, false],
      ['admin', { kind: 'owner', name: 'eve' }, false],
      ['admin', { kind: 'passkey' }, false],
      ['admin', { kind: 'recovery' }, false],
      ['admin', { kind: 'passkey', name: 'eve', role: 'admin' }, true],
      ['admin', { kind: 'passkey', name: 'ann', role: 'approver' }, false],
      ['acme admin', { kind: 'user', role: 'approver', tenant: 'acme' }, true],
      ['acme admin', { kind: 'user', role: 'approver', tenant: 'other' }, false],
      ['acme admin', { kind: 'user', role: 'approver' }, false],
      ['acme admin', { kind: 'passkey', name: 'adam', role: 'admin' }, false],
      ['acme admin', { kind: 'passkey', name: 'adam', role: 'admin', tenant: 'acme' }, true],
      ['approver', { kind: 'user', role: 'viewer', name: 'new' }, false],
      ['approver', { kind: 'passkey', name: 'ann', role: 'approver' }, true],
      ['approver', { kind: 'passkey', name: 'ann', role: 'admin' }, false],
      ['viewer', { kind: 'user', role: 'viewer', name: 'new' }, false],
      ['recovery', { kind: 'owner' }, false],
      ['recovery', { kind: 'passkey' }, false],
      ['recovery', { kind: 'recovery' }, false],
      ['recovery', { kind: 'user', role: 'viewer' }, false],
      ['recovery', { kind: 'owner', name: 'peer', home: 'second', replaces: 'key of peer' }, false],
      ['recovery', { kind: 'owner', replaces: 'key of peer' }, false],
      ['recovery', { kind: 'owner', tenant: 'acme', replaces: 'key of the owner' }, false],
      ['peer', { kind: 'owner', replaces: 'key of the owner' }, false],
      ['peer', { kind: 'user', replaces: 'key of admin', role: 'admin', name: 'eve' }, false],
      ['nobody', { kind: 'user', role: 'viewer' }, false],
    ];
    for (const [index, [by, given, fits]] of attempts.entries()) {
      expect(await vouch(keyOf(by), `new ${index}`, given), JSON.stringify([by, given])).toBe(fits);
    }
    expect(await vouch(keyOf('recovery'), 'next', { kind: 'owner', replaces: owner.publicKey })).toBe(true);
  });

  it('lets each sign what the role allows, for its own tenant', async () => {
    const { counts } = await withEverybody();
    const grant = ['g', 'effect', 'u', 't', 'a', 'w', 1, 2];
    const asked: Readonly<Record<string, Payload>> = {
      answer: answer(),
      'answer with a grant': answer([grant]),
      grant: [purposes.grant, ...grant],
      policies: policies(1),
    };
    const table: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
      await Promise.all(
        [
          'the owner',
          'passkey',
          'peer',
          'acme owner',
          'admin',
          'acme admin',
          'approver',
          'acme approver',
          'viewer',
        ]
          .concat('recovery', 'mallory')
          .map(async (name) => {
            const found: string[] = [];
            for (const [what, payload] of Object.entries(asked)) {
              const tenants = what === 'policies' ? [null] : ['local', 'acme'];
              for (const tenant of tenants)
                if (await counts(keyOf(name), payload, tenant)) found.push(`${what}, ${tenant}`);
            }
            return [name, found] as const;
          }),
      ),
    );
    const everything = Object.keys(asked).flatMap((what) =>
      what === 'policies' ? [`${what}, null`] : [`${what}, local`, `${what}, acme`],
    );
    const ofAcme = ['answer, acme', 'answer with a grant, acme', 'grant, acme'];
    expect(table).toEqual({
      ...{ 'the owner': everything, passkey: everything, peer: everything, admin: everything },
      ...{ 'acme owner': ofAcme, 'acme admin': ofAcme },
      ...{ approver: ['answer, local', 'answer, acme'], 'acme approver': ['answer, acme'] },
      ...{ viewer: [], recovery: [], mallory: [] },
    });
  });

  it('is asked for by the key itself, and by nobody in its name', async () => {
    const { approvers, statement, states, forge, answers, vouch } = await withOwner(engine);
    const second = keyOf('second');
    const proposed = statement(second.publicKey, { kind: 'owner', name: 'bob', home: 'second' });
    await forge('approver_added', { ...proposed, home: 'evil' }, mallory);
    expect(await states()).toEqual({ 'the owner': 'counts' });
    await approvers.propose(proposed, second, actor);
    expect(await approvers.list()).toMatchObject([
      {},
      { origin: 'proposed', state: 'not vouched for', home: 'second' },
    ]);
    expect(await answers(second)).toBe(false);
    expect(await vouch(owner, 'second', { kind: 'owner', name: 'bob', home: 'second' })).toBe(true);
    expect(await approvers.list()).toMatchObject([
      {},
      { key: second.publicKey, origin: 'vouched for', vouchedBy: owner.publicKey, state: 'counts' },
    ]);
    // A valid key does not become a proposal again.
    await approvers.propose(proposed, second, actor);
    expect(await states()).toEqual({ 'the owner': 'counts', second: 'counts' });
  });

  it('says so where the key counts already, and as something else', async () => {
    const { vouch } = await withOwner(engine);
    const ann = { kind: 'user', name: 'ann', role: 'approver' } as const;
    expect(await vouch(owner, 'ann', ann)).toBe(true);
    expect(await vouch(owner, 'ann', ann)).toBe(true);
    expect(await vouch(owner, 'ann', { ...ann, role: 'admin' })).toBe(false);
  });

  it('is the same answer inside a transaction that sees one tenant alone', async () => {
    const { ledger, approvers, vouch, open } = await withOwner(engine);
    expect(await vouch(owner, 'abe', { kind: 'user', name: 'abe', role: 'approver', tenant: 'acme' })).toBe(
      true,
    );
    // A key that a home of that tenant proposes is the first that the tenant sees, but not a first key.
    const second = await open('second');
    const proposed = second.approvers.statement('owner', {
      key: mallory.publicKey,
      name: 'm',
      role: 'owner',
    });
    await second.approvers.propose(proposed, mallory, { user: 'm', tenant: 'acme' });
    const inTenant = (by: ApproverSigner) =>
      ledger.store.write((sql) => approvers.verify(sql, answer(), by.sign(answer()), 'acme'), 'acme');
    expect([await inTenant(keyOf('abe')), await inTenant(owner), await inTenant(mallory)]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe.each(engines)('keys that ended on %s', (engine) => {
  const eve = keyOf('eve');
  const admin = { kind: 'user', name: 'eve', role: 'admin' } as const;

  it('do not count, and who may not end them does not', async () => {
    const { approvers, vouch, answers, states, later } = await withOwner(engine);
    await vouch(owner, 'eve', admin);
    await vouch(owner, 'ann', { kind: 'user', name: 'ann', role: 'approver' });
    await vouch(owner, 'adam', { ...admin, name: 'adam', tenant: 'acme' });
    await vouch(owner, 'recovery', { kind: 'recovery' });
    await vouch(owner, 'passkey', { kind: 'passkey' });
    const end = async (by: string, key: string) =>
      await approvers.end(keyOf(key).publicKey, keyOf(by), actor).then(
        () => true,
        (error: Error) => {
          expect(error.name).toBe('NotAllowed');
          return false;
        },
      );
    const refused = [
      ['ann', 'eve'],
      ['adam', 'ann'],
      ['eve', 'the owner'],
      ['eve', 'recovery'],
      ['eve', 'passkey'],
      ['eve', 'eve'],
      ['recovery', 'eve'],
      ['nobody', 'eve'],
    ] as const;
    for (const [by, key] of refused) expect(await end(by, key), `${by} ends ${key}`).toBe(false);
    later(hour);
    expect(await end('eve', 'ann')).toBe(true);
    expect(await end('the owner', 'eve')).toBe(true);
    expect([await answers(keyOf('ann')), await answers(eve)]).toEqual([false, false]);
    expect(await states()).toMatchObject({ ann: 'ended', eve: 'ended', adam: 'counts', recovery: 'counts' });
    expect((await approvers.list()).find(({ key }) => key === eve.publicKey)?.endedAt).toBe(start + hour);
  });

  it('leave the policies that they signed, and can sign no other', async () => {
    const { ledger, approvers, vouch, counts, place, open, later } = await withOwner(engine);
    await vouch(owner, 'eve', admin);
    const by = { user: 'eve', tenant: 'local', sign: eve.sign, now: start };
    await ledger.policies.create('no_mail', forbid, by);
    await ledger.policies.create('no_post', forbid, by);
    later(hour);
    await approvers.end(eve.publicKey, owner, actor);
    expect(await ledger.policies.list()).toMatchObject({ signed: true, version: '2' });
    expect(await ledger.policies.sources()).toHaveLength(2);
    expect(await ledger.policies.versions()).toMatchObject([{ signed: true }, { signed: true }]);
    await expect(ledger.policies.remove('no_mail', '1', by)).rejects.toThrow('may not keep policies');
    expect([
      await counts(eve, policies(1)),
      await counts(eve, policies(2)),
      await counts(eve, policies(3)),
    ]).toEqual([false, false, false]);
    // Another set in the place of the newest, signed by the key that ended.
    const forged = eve.sign(policies(2)).replaceAll("'", "''");
    await place.tamper(`UPDATE policy_sets SET body = '[]', signature = '${forged}' WHERE version = 2`);
    const other = await open('second');
    await expect(other.policies.sources()).rejects.toThrow('not as a person signed them');
    // Also without the newest, so that an older one that the key signs again is the newest.
    const older = eve.sign(policies(1)).replaceAll("'", "''");
    await place.tamper(
      'DELETE FROM policy_sets WHERE version = 2',
      `UPDATE policy_sets SET body = '[]', signature = '${older}' WHERE version = 1`,
    );
    const third = await open('third');
    await expect(third.policies.sources()).rejects.toThrow('are gone');
    // The owner of the store reviews them, and accepts them.
    await third.policies.create('no_fax', forbid, { ...by, sign: owner.sign });
    expect(await third.policies.sources()).toHaveLength(1);
  });

  it('do not come back by the signature that made them count', async () => {
    const { ledger, approvers, vouch, answers, statement, forge, later, open } = await withOwner(engine);
    await vouch(owner, 'eve', admin);
    const said = statement(eve.publicKey, admin);
    later(hour);
    await approvers.end(eve.publicKey, owner, actor);
    later(hour);
    await forge('approver_added', said, owner);
    expect(await answers(eve)).toBe(false);
    expect(await vouch(owner, 'eve', admin)).toBe(true);
    expect(await answers(eve)).toBe(true);
    expect(await (await open('second')).approvers.list()).toEqual(await ledger.approvers.list());
  });

  it('are ended once by one signature', async () => {
    const { ledger, approvers, vouch, answers, append, later } = await withOwner(engine);
    await vouch(owner, 'eve', admin);
    later(hour);
    await approvers.end(eve.publicKey, owner, actor);
    const [{ details } = { details: {} }] = await ledger.audit.list({ eventType: 'approver_ended' });
    later(hour);
    await vouch(owner, 'eve', admin);
    await append('approver_ended', details);
    expect(await answers(eve)).toBe(true);
  });

  it('take the passkeys and the recovery code of their person with them', async () => {
    const { approvers, vouch, states, answers, later } = await withOwner(engine);
    const peer = { kind: 'owner', name: 'peer', home: 'second' } as const;
    await vouch(owner, 'peer', peer);
    await vouch(keyOf('peer'), 'code', { ...peer, kind: 'recovery' });
    await vouch(keyOf('peer'), 'touch', { ...peer, kind: 'passkey' });
    await vouch(owner, 'eve', admin);
    await vouch(eve, "eve's touch", { ...admin, kind: 'passkey' });
    later(hour);
    await approvers.end('key of peer', owner, actor);
    await approvers.end(eve.publicKey, owner, actor);
    expect(await states()).toEqual({
      ...{ 'the owner': 'counts', peer: 'ended', code: 'ended', touch: 'ended' },
      ...{ eve: 'ended', "eve's touch": 'ended' },
    });
    // The code of a removed owner restores no approver.
    expect(await vouch(keyOf('code'), 'again', { ...peer, replaces: 'key of peer' })).toBe(false);
    expect(await answers(keyOf('again'))).toBe(false);
  });
});

describe.each(engines)('users of a configuration on %s', (engine) => {
  const user = (name: string, role: string, tenant: string | null = null) => ({
    ...{ key: keyOf(name).publicKey, name, role, tenant },
  });

  it('end where they are no longer there, or not as they were', async () => {
    const { ledger, approvers, vouch, states, later } = await withOwner(engine);
    const names = ['ann', 'abe', 'eve', 'fay', 'gus'];
    for (const name of names) await vouch(owner, name, { kind: 'user', name, role: 'approver' });
    await vouch(keyOf('ann'), 'touch', { kind: 'passkey', name: 'ann', role: 'approver' });
    await vouch(keyOf('abe'), 'press', { kind: 'passkey', name: 'abe', role: 'approver' });
    await vouch(owner, 'elsewhere', { kind: 'user', name: 'ann', role: 'approver', home: 'second' });
    const users = names.map((name) => user(name, 'approver'));
    await approvers.keepUsers(users, actor);
    expect(await ledger.audit.list({ eventType: 'approver_ended' })).toEqual([]);
    later(hour);
    await approvers.keepUsers(
      [
        user('ann', 'approver'),
        user('eve', 'admin'),
        user('fay', 'approver', 'acme'),
        { ...user('gus', 'approver'), key: 'another key' },
      ],
      actor,
    );
    expect(await states()).toEqual({
      ...{ 'the owner': 'counts', ann: 'counts', touch: 'counts', elsewhere: 'counts' },
      ...{ abe: 'ended', press: 'ended', eve: 'ended', fay: 'ended', gus: 'ended' },
    });
    // Nothing is recorded again if nothing changed.
    const before = await ledger.audit.size();
    await approvers.keepUsers([user('ann', 'approver')], actor);
    expect(await ledger.audit.size()).toBe(before);
  });

  it('cannot be made to have ended before they were vouched for', async () => {
    const { vouch, statement, append, forge, answers, approvers, later } = await withOwner(engine);
    const ann = { kind: 'user', name: 'ann', role: 'approver' } as const;
    later(hour);
    await vouch(owner, 'ann', ann);
    const said = statement('key of ann', ann);
    later(hour);
    // An earlier end, which needs no signature: then the old signature would be later than it.
    await append('approver_ended', { key: 'key of ann', at: start, by: null, signature: null }, start);
    await approvers.keepUsers([], actor);
    await forge('approver_added', said, owner);
    expect(await answers(keyOf('ann'))).toBe(false);
  });

  it('are all that ends without a signature', async () => {
    const { vouch, append, states } = await withOwner(engine);
    await vouch(owner, 'code', { kind: 'recovery' });
    await vouch(owner, 'touch', { kind: 'passkey' });
    await vouch(owner, 'peer', { kind: 'owner', name: 'peer', home: 'second' });
    for (const name of ['the owner', 'code', 'touch', 'peer'])
      await append('approver_ended', { key: `key of ${name}`, at: start, by: null, signature: null });
    expect(await states()).toEqual({
      'the owner': 'counts',
      code: 'counts',
      touch: 'counts',
      peer: 'counts',
    });
  });
});

describe.each(engines)('a recovery code on %s', (engine) => {
  it('replaces its owner’s key at once, and does nothing else', async () => {
    const { approvers, vouch, answers, states, statement, later } = await withOwner(engine);
    await vouch(owner, 'code', { kind: 'recovery' });
    await vouch(owner, 'touch', { kind: 'passkey' });
    await vouch(owner, 'ann', { kind: 'user', name: 'ann', role: 'approver' });
    const code = keyOf('code');
    expect(await answers(code)).toBe(false);
    const lost = statement(mallory.publicKey, { kind: 'owner', replaces: owner.publicKey });
    await approvers.requestReset(lost, mallory, actor);
    await expect(approvers.veto(mallory.publicKey, code, actor)).rejects.toThrow('does not count');
    later(hour);
    expect(await vouch(code, 'next', { kind: 'owner', replaces: owner.publicKey })).toBe(true);
    expect(await states()).toEqual({
      ...{ 'the owner': 'ended', code: 'ended', touch: 'ended', ann: 'counts', next: 'counts' },
    });
    // The pending reset has nothing to replace any more.
    expect(await approvers.pendingReset()).toBeNull();
    later(2 * day);
    expect([await answers(mallory), await answers(owner), await answers(keyOf('next'))]).toEqual([
      false,
      false,
      true,
    ]);
    // A code is valid once.
    expect(await vouch(code, 'more', { kind: 'owner', replaces: 'key of next' })).toBe(false);
  });
});

describe.each(engines)('a reset without the code on %s', (engine) => {
  const next = keyOf('next');
  const replacing = { kind: 'owner', replaces: owner.publicKey } as const;

  it('waits for a day, then puts the new key in the place of the old', async () => {
    const { ledger, approvers, statement, answers, states, vouch, later, open } = await withOwner(engine);
    await vouch(owner, 'code', { kind: 'recovery' });
    await ledger.policies.create('no_mail', forbid, { ...actor, sign: owner.sign, now: start });
    const reset = { key: next.publicKey, name: 'owner', countsFrom: start + day };
    expect(await approvers.requestReset(statement(next.publicKey, replacing), next, actor)).toEqual(reset);
    expect(await approvers.pendingReset()).toEqual(reset);
    later(day - 1);
    expect([await answers(owner), await answers(next), await approvers.pendingReset()]).toEqual([
      true,
      false,
      reset,
    ]);
    later(1);
    expect([await answers(owner), await answers(next), await approvers.pendingReset()]).toEqual([
      false,
      true,
      null,
    ]);
    expect(await states()).toEqual({ 'the owner': 'ended', code: 'ended', next: 'counts' });
    expect((await approvers.list()).at(-1)).toMatchObject({
      origin: 'reset',
      vouchedBy: null,
      since: start + day,
    });
    // The policies that the old key signed remain valid.
    expect(await (await open('second')).policies.sources()).toHaveLength(1);
    expect(await vouch(next, 'ann', { kind: 'user', name: 'ann', role: 'approver' })).toBe(true);
  });

  it('is stopped by the old key, and by no other', async () => {
    const { approvers, statement, answers, vouch, later, append, clock } = await withOwner(engine);
    await vouch(owner, 'eve', { kind: 'user', name: 'eve', role: 'admin' });
    await vouch(owner, 'ao', { kind: 'owner', name: 'ao', home: 'third', tenant: 'acme' });
    await approvers.requestReset(statement(next.publicKey, replacing), next, actor);
    for (const by of [next, mallory, keyOf('eve'), keyOf('ao')]) {
      await expect(approvers.veto(next.publicKey, by, actor)).rejects.toThrow('does not count');
    }
    // Not by a signature for another purpose, nor for another reset.
    const payload = endingPayload('ending', statement('x', replacing).store, next.publicKey, clock.now);
    const wrong = { key: next.publicKey, at: clock.now, by: owner.publicKey, signature: owner.sign(payload) };
    await append('approver_reset_vetoed', wrong);
    expect(await approvers.pendingReset()).not.toBeNull();
    await approvers.veto(next.publicKey, owner, actor);
    expect(await approvers.pendingReset()).toBeNull();
    later(2 * day);
    expect([await answers(owner), await answers(next)]).toEqual([true, false]);
  });

  it('cannot be stopped once it is over', async () => {
    const { approvers, statement, answers, later } = await withOwner(engine);
    await approvers.requestReset(statement(next.publicKey, replacing), next, actor);
    later(day);
    await approvers.veto(next.publicKey, owner, actor);
    expect([await answers(owner), await answers(next)]).toEqual([false, true]);
  });

  it('is only for the owner’s key, as it is', async () => {
    const { approvers, statement, vouch } = await withOwner(engine);
    await vouch(owner, 'ao', { kind: 'owner', name: 'ao', home: 'third', tenant: 'acme' });
    await vouch(owner, 'eve', { kind: 'user', name: 'eve', role: 'admin' });
    const acme = { kind: 'owner', name: 'ao', home: 'third', replaces: 'key of ao' } as const;
    const wrong: readonly (readonly [string, ApproverStatement, ApproverSigner])[] = [
      ['nothing to replace', statement(next.publicKey, { kind: 'owner' }), next],
      ['a user', statement(next.publicKey, { kind: 'owner', name: 'eve', replaces: 'key of eve' }), next],
      ['another name', statement(next.publicKey, { ...replacing, name: 'mallory' }), next],
      ['another home', statement(next.publicKey, { ...replacing, home: 'evil' }), next],
      ['more tenants', statement(next.publicKey, acme), next],
      ['no owner', statement(next.publicKey, { ...replacing, role: 'admin' }), next],
      ['another store', { ...statement(next.publicKey, replacing), store: 'another' }, next],
      ['somebody else signs', statement(next.publicKey, replacing), mallory],
      ['a key that counts already', statement('key of eve', replacing), keyOf('eve')],
    ];
    for (const [what, said, by] of wrong) {
      await expect(approvers.requestReset(said, by, actor), what).rejects.toThrow('not recorded');
    }
    expect(await approvers.pendingReset()).toBeNull();
    await approvers.requestReset(statement(next.publicKey, { ...acme, tenant: 'acme' }), next, actor);
    expect(await approvers.pendingReset()).toMatchObject({ name: 'ao' });
  });

  it('does not begin earlier than it was written', async () => {
    const { ledger, approvers, statement, answers, append, forge, open, later } = await withOwner(engine);
    later(3 * day);
    await append('decision', {});
    const now = start + 3 * day;
    const evil = await open('evil');
    const yesterday = { ...statement(next.publicKey, replacing), at: now - day };
    const forgeries: readonly (readonly [string, Ledger, readonly number[]])[] = [
      ['in the chain of the home', ledger, []],
      ['after an entry of yesterday', ledger, [now - day]],
      ['in a chain of its own', evil, []],
      ['in a chain of its own, after entries of yesterday', evil, [now - 2 * day, now - day]],
    ];
    for (const [what, log, before] of forgeries) {
      for (const time of before) await append('decision', {}, time, log);
      await forge('approver_reset_requested', yesterday, next, now - day, log);
      expect([await answers(next), await answers(owner), await approvers.pendingReset()], what).toEqual([
        ...[false, true, null],
      ]);
    }
    later(2 * day);
    expect([await answers(next), await answers(owner)]).toEqual([false, true]);
  });

  it('is not brought forward by an entry of a time to come', async () => {
    const { approvers, statement, answers, forge, append, open } = await withOwner(engine);
    await approvers.requestReset(statement(next.publicKey, replacing), next, actor);
    await append('approver_ended', { key: 'key of nobody', by: null }, start + 2 * day);
    await forge('approver_added', statement(mallory.publicKey, { kind: 'owner' }), next, start + 2 * day);
    expect([await answers(next), await answers(mallory), await answers(owner)]).toEqual([false, false, true]);
    expect(await approvers.pendingReset()).toMatchObject({ key: next.publicKey });
    expect(await (await open('second')).approvers.pendingReset()).toMatchObject({ countsFrom: start + day });
  });

  it('ends with the first of several', async () => {
    const { approvers, statement, answers, later } = await withOwner(engine);
    await approvers.requestReset(statement(next.publicKey, replacing), next, actor);
    later(hour);
    await approvers.requestReset(statement(mallory.publicKey, replacing), mallory, actor);
    later(day);
    expect([await answers(owner), await answers(next), await answers(mallory)]).toEqual([false, true, false]);
    expect(await approvers.pendingReset()).toBeNull();
  });

  it('has no effect where the key that it replaces ended meanwhile', async () => {
    const { approvers, statement, answers, vouch, later } = await withOwner(engine);
    await vouch(owner, 'peer', { kind: 'owner', name: 'peer', home: 'second' });
    await approvers.requestReset(statement(next.publicKey, replacing), next, actor);
    later(hour);
    await approvers.end(owner.publicKey, keyOf('peer'), actor);
    later(day);
    expect([await answers(owner), await answers(next), await answers(keyOf('peer'))]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('can be told from the first key by everybody who looks later', async () => {
    const { approvers, statement, open, later } = await withOwner(engine);
    await approvers.requestReset(statement(next.publicKey, replacing), next, actor);
    later(day);
    const other = await open('second');
    expect(await other.approvers.first()).toBe(owner.publicKey);
    expect(await other.approvers.list()).toEqual(await approvers.list());
  });
});

describe.each(engines)('a statement on %s', (engine) => {
  it('of another store says nothing', async () => {
    const { statement, forge, states } = await withOwner(engine);
    const said = statement('key of ann', { kind: 'user', name: 'ann', role: 'approver' });
    await forge('approver_added', { ...said, store: 'another' }, owner);
    expect(await states()).toEqual({ 'the owner': 'counts' });
  });

  it('counts with every field as it was signed', async () => {
    const { statement, append, states } = await withOwner(engine);
    const said = statement('key of ann', { kind: 'user', name: 'ann', role: 'viewer', tenant: 'acme' });
    const signed = { by: owner.publicKey, signature: owner.sign(approverPayload(said)) };
    const changes: readonly Partial<Record<keyof ApproverStatement, string | number | null>>[] = [
      { key: mallory.publicKey },
      { kind: 'passkey' },
      { name: 'mallory' },
      { role: 'admin' },
      { tenant: null },
      { home: 'evil' },
      { credential: 'x' },
      { at: start + 1 },
    ];
    for (const change of changes) await append('approver_added', { ...said, ...change, ...signed });
    expect(await states()).toEqual({ 'the owner': 'counts' });
    await append('approver_added', { ...said, ...signed });
    expect(await states()).toEqual({ 'the owner': 'counts', ann: 'counts' });
  });

  it('that cannot be read says nothing, and keeps nobody from approving', async () => {
    const { append, answers, states } = await withOwner(engine);
    const odd: readonly JsonObject[] = [
      {},
      { kind: 'owner' },
      { kind: 'nonsense', key: 'x', by: 'y' },
      { kind: 'owner', key: 7, name: [], role: {}, by: false },
      { adopted: true, by: null, kind: 'owner', key: mallory.publicKey, role: 'owner', name: 'x' },
    ];
    for (const details of odd)
      for (const type of [
        'approver_added',
        'approver_ended',
        'approver_reset_requested',
        'approver_reset_vetoed',
      ] as const)
        await append(type, details);
    expect([await answers(owner), await answers(mallory), await states()]).toEqual([
      true,
      false,
      { 'the owner': 'counts' },
    ]);
  });
});

/** Advances the monotonic clock of this process by a minute. */
function aMinutePasses(): void {
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_001);
  onTestFinished(() => clock.mockRestore());
}

/** Inserts the entries of a chain before all others, as an attacker with write access to the database could. */
async function putFirst(place: StorePlace, chain: string): Promise<void> {
  const columns =
    'seq, facet, time, event_type, user_id, tenant, agent, decision_id, decision, rules, salt, body, content, hash';
  const overriding = place.engine === 'postgres' ? 'OVERRIDING SYSTEM VALUE' : '';
  await place.tamper(
    `INSERT INTO audit (place, chain, ${columns}) ${overriding} SELECT -place, 'first', ${columns} FROM audit WHERE chain = '${chain}'`,
    `DELETE FROM audit WHERE chain = '${chain}'`,
  );
}

describe.each(engines)('rows that somebody changed on %s', (engine) => {
  const eve = keyOf('eve');

  async function withEnded() {
    const store = await withOwner(engine);
    const { vouch, later, approvers } = store;
    await vouch(owner, 'eve', { kind: 'user', name: 'eve', role: 'admin' });
    later(hour);
    await approvers.end(eve.publicKey, owner, actor);
    return store;
  }

  const changes: readonly (readonly [string, (place: StorePlace) => Promise<void>])[] = [
    [
      'the first key is gone',
      (place) => place.tamper("DELETE FROM audit WHERE seq = 1 AND event_type = 'approver_added'"),
    ],
    ['an end is gone', (place) => place.tamper("DELETE FROM audit WHERE event_type = 'approver_ended'")],
    ['all is gone', (place) => place.tamper("DELETE FROM audit WHERE event_type LIKE 'approver%'")],
    [
      'all is gone, with what it is found by',
      (place) => place.tamper("DELETE FROM facets WHERE event_type LIKE 'approver%'"),
    ],
    [
      'an end is not found',
      (place) => place.tamper("UPDATE facets SET event_type = 'logout' WHERE event_type = 'approver_ended'"),
    ],
    [
      'an end is erased',
      (place) =>
        place.tamper("UPDATE audit SET body = NULL, salt = NULL WHERE event_type = 'approver_ended'"),
    ],
    [
      'the first key is another',
      (place) =>
        place.tamper(
          `UPDATE audit SET body = replace(body, '${owner.publicKey}', '${mallory.publicKey}') WHERE seq = 1`,
        ),
    ],
    [
      'an end is of another key',
      (place) =>
        place.tamper(
          `UPDATE audit SET body = replace(body, '${eve.publicKey}', 'key of nobody') WHERE event_type = 'approver_ended'`,
        ),
    ],
  ];

  it.each(changes)('are refused by a process that knows them: %s', async (_, change) => {
    const { place, ledger, approvers, answers } = await withEnded();
    expect(await answers(owner)).toBe(true);
    await change(place);
    // A server may still show an older state to a transaction that began before: the state known to this process is
    // used.
    const early = await Promise.all([mallory, eve].map((by) => answers(by).catch(() => false)));
    expect(early).toEqual([false, false]);
    aMinutePasses();
    for (const by of [mallory, eve, owner])
      await expect(answers(by)).rejects.toThrow('no longer says whose approval counts');
    await expect(ledger.enrolOwner(mallory, actor)).rejects.toThrow('no longer says whose approval counts');
    await expect(approvers.list()).rejects.toThrow('no longer says whose approval counts');
    expect(ledger.refused()?.message).toContain('no longer says whose approval counts');
  });

  it.each(changes)('are refused by a home that wrote to them: %s', async (_, change) => {
    const { place, open } = await openStore(engine);
    const kept: HeadPinOptions = {
      ...{ file: join(place.folder, 'head.json'), place: 'here', used: false, loss: 'refuse' },
    };
    const ledger = await Ledger.open({ ...place.options, chain: 'home', check, now: () => start, kept });
    await ledger.enrolOwner(owner, actor);
    const ann = ledger.approvers.statement('user', { key: eve.publicKey, name: 'eve', role: 'admin' });
    await ledger.approvers.add(ann, owner, actor);
    await ledger.approvers.end(eve.publicKey, owner, actor);
    // The newest entry of the chain is another, and stays.
    await ledger.audit.append({ time: start, event_type: 'login', ...actor, agent: '', details: {} });
    await ledger.close();
    await change(place);
    await expect(open('home', { kept })).rejects.toThrow('no longer says whose approval counts');
    // A user who accepts the loss continues with the remaining entries, and is not asked again.
    const accepted = await open('home', { kept: { ...kept, loss: { acceptedBy: actor } } });
    expect(accepted.accepted?.message).toContain('no longer says whose approval counts');
    await accepted.close();
    expect((await open('home', { kept })).refused()).toBeNull();
  });

  it('that are put before all others are refused', async () => {
    const { place, open, answers, clock } = await withEnded();
    const evil = await open('evil');
    const { forge, statement } = toolsOf(evil, clock);
    await forge('approver_added', statement(mallory.publicKey, { kind: 'owner' }), mallory);
    await evil.close();
    await expect(answers(mallory)).resolves.toBe(false);
    await putFirst(place, 'evil');
    await expect(answers(mallory)).rejects.toThrow('no longer says whose approval counts');
  });

  it('that are put before others are refused, whoever signed them', async () => {
    const { place, open, answers, clock } = await withEnded();
    const evil = await open('evil');
    const { forge, statement } = toolsOf(evil, clock);
    await forge(
      'approver_added',
      statement('key of ann', { kind: 'user', name: 'ann', role: 'approver' }),
      eve,
    );
    await evil.close();
    await expect(answers(keyOf('ann'))).resolves.toBe(false);
    await putFirst(place, 'evil');
    await expect(answers(keyOf('ann'))).rejects.toThrow('no longer says whose approval counts');
  });

  it('do not come to count by their columns', async () => {
    const { place, answers } = await withEnded();
    await place.tamper(
      "UPDATE audit SET time = 1, event_type = 'approver_added', user_id = 'x' WHERE event_type = 'approver_ended'",
    );
    expect([await answers(eve), await answers(owner)]).toEqual([false, true]);
  });
});

/** Retries while another connection of this process holds the lock: it cannot proceed while this one waits. */
async function onceFree<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreLocked)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

describe.each(engines)('processes that change approvers at once on %s', (engine) => {
  it('see all of it, in one order', async () => {
    const { ledger, open } = await withOwner(engine);
    const others = await Promise.all(['b', 'c', 'd'].map((chain) => open(chain)));
    const all = [ledger, ...others];
    await Promise.all(
      all.flatMap((one, index) =>
        [1, 2, 3].map(async (number) => {
          const key = `key of ${index}.${number}`;
          const said = one.approvers.statement('user', { key, name: key, role: 'approver' });
          await onceFree(() => one.approvers.add(said, owner, actor));
          await onceFree(() => one.approvers.list());
        }),
      ),
    );
    const lists = await Promise.all(all.map((one) => one.approvers.list()));
    expect(lists[0]).toHaveLength(13);
    for (const list of lists) expect(list).toEqual(lists[0]);
    expect((await ledger.verify()).problems).toEqual([]);
  });
});

describe.each(engines)('a store of an older version on %s', (engine) => {
  const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

  /** Creates the data that an older version left: rows with the store's keyed hash, and entries about passphrases. */
  async function olderStore(
    chosen: readonly (readonly [chain: string, key: string])[],
    rows: readonly (readonly [key: string, home: string])[],
    more: (mac: (...parts: readonly string[]) => string) => readonly string[] = () => [],
  ) {
    const opened = await openStore(engine);
    for (const [chain, key] of chosen) {
      const ledger = await opened.open(chain);
      opened.clock.now += 1;
      await ledger.audit.append({
        ...{ time: opened.clock.now, event_type: 'passphrase_chosen', user: `user of ${chain}` },
        ...{ tenant: 'local', agent: '', details: { public_key: key } },
      });
      await ledger.close();
    }
    const ledger = await opened.open('x');
    const mac = (...parts: readonly string[]) => quoted(ledger.fingerprint('approver', () => parts));
    const statements = [
      ...rows.map(
        ([key, home]) =>
          `INSERT INTO approvers (public_key, name, created_at, mac) VALUES (${quoted(key)}, ${quoted(home)}, 1, ${mac(key, home)})`,
      ),
      ...more(mac),
    ];
    await ledger.close();
    await opened.place.tamper(...statements);
    return opened;
  }

  it('goes on with the key that the home which chose first chose last', async () => {
    const { open } = await olderStore(
      [
        ['home', 'key of the past'],
        ['second', 'key of mallory'],
        ['home', owner.publicKey],
        ['second', 'key of mallory'],
      ],
      [
        [owner.publicKey, 'home'],
        ['key of mallory', 'second'],
      ],
    );
    // The first process that opens it.
    const second = await open('second');
    expect(await second.approvers.list()).toMatchObject([
      { key: owner.publicKey, name: 'user of home', home: 'home', origin: 'first', state: 'counts' },
    ]);
    const ledger = await open('home');
    expect(await ledger.audit.list({ eventType: 'approver_added' })).toHaveLength(1);
    const counts = (by: ApproverSigner) =>
      ledger.store.read((sql) => ledger.approvers.verify(sql, answer(), by.sign(answer()), 'local'));
    expect([await counts(owner), await counts(mallory)]).toEqual([true, false]);
    expect((await ledger.verify()).problems).toEqual([]);
  });

  it.each<[string, readonly (readonly [string, string])[], readonly string[]]>([
    ['has no row', [], []],
    [
      'has a row that the store’s key does not vouch for',
      [],
      [`VALUES ('${owner.publicKey}', 'home', 1, 'x')`],
    ],
    ['is not the one of the row', [['key of mallory', 'home']], []],
  ])('has no first key where the key that was chosen %s', async (_, rows, forged) => {
    const { open } = await olderStore([['home', owner.publicKey]], rows, () =>
      forged.map((row) => `INSERT INTO approvers (public_key, name, created_at, mac) ${row}`),
    );
    const ledger = await open('home');
    expect(await ledger.approvers.list()).toEqual([]);
    expect((await ledger.enrolOwner(owner, actor)).state).toBe('counts');
  });

  it('is taken over once', async () => {
    const { open, place } = await olderStore([['home', owner.publicKey]], [[owner.publicKey, 'home']]);
    await open('home');
    await place.tamper(`UPDATE approvers SET public_key = '${mallory.publicKey}'`);
    const second = await open('second');
    expect(await second.approvers.list()).toMatchObject([{ key: owner.publicKey }]);
  });

  it('keeps the policies that its users signed, and no other', async () => {
    const eve = keyOf('eve');
    const body = JSON.stringify([
      { id: 'no_mail', text: forbid, updatedAt: 1, updatedBy: 'eve', version: '1' },
    ]);
    const { open, place } = await olderStore(
      [['home', owner.publicKey]],
      [[owner.publicKey, 'home']],
      (mac) => [
        `INSERT INTO people (home, public_key, role, name, policies_until, created_at, mac) VALUES ('home', '${eve.publicKey}', 'admin', 'eve', NULL, 1, ${mac(eve.publicKey, 'eve', 'home', 'admin', '')})`,
        `INSERT INTO policy_sets (version, made_at, made_by, body, signature) VALUES (1, 1, 'eve', ${quoted(body)}, ${quoted(eve.sign(policies(1, body)))})`,
      ],
    );
    const ledger = await open('home');
    expect(await ledger.policies.sources()).toHaveLength(1);
    expect(await ledger.approvers.list()).toHaveLength(1);
    await place.tamper(
      `UPDATE policy_sets SET body = '[]', signature = ${quoted(eve.sign(policies(1, '[]')))}`,
    );
    await expect((await open('second')).policies.sources()).rejects.toThrow('not as a person signed them');
  });

  it('takes no policies over that nobody signed', async () => {
    const { open } = await olderStore([['home', owner.publicKey]], [[owner.publicKey, 'home']], () => [
      `INSERT INTO policy_sets (version, made_at, made_by, body, signature) VALUES (1, 1, 'eve', '[]', ${quoted(mallory.sign(policies(1)))})`,
    ]);
    await expect((await open('home')).policies.sources()).rejects.toThrow('not as a person signed them');
  });
});
