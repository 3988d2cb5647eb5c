// Policies in the store: each change is a version that a user signed, and an unsigned one decides nothing.

import { describe, expect, it } from 'vitest';
import { engines, impostor, newStore, person, type StorePlace } from '../../tests/support/ledger.ts';
import type { Editor } from '../policy/keeper.ts';
import { Ledger, NotVouchedFor } from './index.ts';

const now = 1_700_000_000_000;
const ann: Editor = { user: 'ann', tenant: 'local', sign: person.sign, now };
const forbid = (tool: string) => `forbid (principal, action, resource == Tool::"${tool}");`;

const texts = async (ledger: Ledger) => (await ledger.policies.sources()).map(({ id, text }) => [id, text]);

describe.each(engines)('policies on %s', (engine) => {
  it('are made, changed and taken away, each time as another version', async () => {
    const { policies, audit } = await (await newStore(engine)).openEnrolled();
    expect(await policies.list()).toEqual({ version: '0', signed: true, policies: [] });
    const made = await policies.create('no_mail', forbid('mail'), ann);
    expect(made).toEqual({
      id: 'no_mail',
      text: forbid('mail'),
      version: '1',
      updatedAt: now,
      updatedBy: 'ann',
    });
    await policies.create(undefined, `@id("no_bash") ${forbid('Bash')}`, ann);
    const changed = await policies.update('no_mail', forbid('send'), '1', ann);
    expect(changed.version).toBe('3');
    const { version, policies: kept } = await policies.list();
    expect([version, kept.map(({ id, version: own }) => [id, own])]).toEqual([
      '3',
      [
        ['no_bash', '2'],
        ['no_mail', '3'],
      ],
    ]);
    await policies.remove('no_bash', '2', ann);
    await policies.remove('no_mail', '3', ann);
    expect(await policies.list()).toEqual({ version: '5', signed: true, policies: [] });
    const entries = await audit.list({ eventType: 'policy_changed' });
    expect(entries.map(({ details }) => [details['change'], details['policy']]).reverse()).toEqual([
      ['created', 'no_mail'],
      ['created', 'no_bash'],
      ['updated', 'no_mail'],
      ['deleted', 'no_bash'],
      ['deleted', 'no_mail'],
    ]);
    expect(entries[0]).toMatchObject({ user: 'ann', details: { engine: 'cedar', version: '5' } });
  });

  it('count at once on every ledger of the store, and are one list while nothing changes', async () => {
    const place = await newStore(engine);
    const [here, there] = [await place.openEnrolled('a'), await place.openEnrolled('b')];
    expect(await texts(there)).toEqual([]);
    await here.policies.create('no_mail', forbid('mail'), ann);
    const sources = await there.policies.sources();
    expect(sources).toEqual([
      { name: 'kept/no_mail', id: 'no_mail', text: forbid('mail'), workspace: false },
    ]);
    expect(await there.policies.sources()).toBe(sources);
    await there.policies.remove('no_mail', '1', ann);
    expect(await texts(here)).toEqual([]);
  });

  it('are changed by who has seen them as they are', async () => {
    const { policies } = await (await newStore(engine)).openEnrolled();
    await policies.create('no_mail', forbid('mail'), ann);
    const refused = async (work: Promise<unknown>) =>
      await work.then(
        () => 'done',
        (error: Error) => error.name,
      );
    expect(await refused(policies.create('no_mail', forbid('x'), ann))).toBe('PolicyExists');
    expect(await refused(policies.update('none', forbid('x'), '1', ann))).toBe('UnknownPolicy');
    expect(await refused(policies.update('no_mail', forbid('x'), '2', ann))).toBe('PolicyChanged');
    expect(await refused(policies.remove('no_mail', '0', ann))).toBe('PolicyChanged');
    const both = await Promise.all(
      ['x', 'y'].map((tool) => refused(policies.update('no_mail', forbid(tool), '1', ann))),
    );
    expect(both.sort()).toEqual(['PolicyChanged', 'done']);
  });

  it.each<[string, (place: StorePlace) => Promise<void>]>([
    ['the text', (place) => place.tamper("UPDATE policy_sets SET body = replace(body, 'mail', 'nail')")],
    ['the version', (place) => place.tamper('UPDATE policy_sets SET version = 9 WHERE version = 2')],
    [
      'an older set in the place of the newest',
      (place) =>
        place.tamper(
          'UPDATE policy_sets SET body = (SELECT body FROM policy_sets WHERE version = 1), signature = (SELECT signature FROM policy_sets WHERE version = 1) WHERE version = 2',
        ),
    ],
    ['all of them', (place) => place.tamper("UPDATE policy_sets SET body = '[]'")],
  ])('that were changed past us decide nothing: %s', async (_, tamper) => {
    const place = await newStore(engine);
    const { policies } = await place.openEnrolled('a');
    await policies.create('no_mail', forbid('mail'), ann);
    await policies.create('no_bash', forbid('Bash'), ann);
    await tamper(place);
    const other = await place.openEnrolled('b');
    await expect(other.policies.sources()).rejects.toThrow('not as a person signed them');
    expect(await other.policies.list()).toMatchObject({ signed: false });
    // The user reviews and accepts them.
    const { version, policies: kept } = await other.policies.list();
    await other.policies.create('no_post', forbid('post'), ann);
    expect(await texts(other)).toHaveLength(kept.length + 1);
    expect((await other.policies.list()).version).toBe(String(Number(version) + 1));
  });

  it('that were taken away past a running daemon are missed', async () => {
    const place = await newStore(engine);
    const { policies } = await place.openEnrolled();
    await policies.create('no_mail', forbid('mail'), ann);
    await policies.sources();
    await place.tamper('DELETE FROM policy_sets');
    await expect(policies.sources()).rejects.toThrow('are gone');
    // And by the next one, which knows the log.
    const next = await place.open('b');
    await expect(next.policies.sources()).rejects.toThrow('are gone');
  });

  it('count only with a person’s signature', async () => {
    const place = await newStore(engine);
    const { policies } = await place.openEnrolled();
    const liar = { ...ann, sign: impostor.sign };
    await expect(policies.create('no_mail', forbid('mail'), liar)).rejects.toThrow(NotVouchedFor);
    expect(await policies.list()).toMatchObject({ version: '0', policies: [] });
    // Nor past our checks, by an attacker whose own program accepts any signature.
    const past = await Ledger.open({ ...place.options, chain: 'liar', check: () => true });
    await past.policies.create('no_mail', forbid('mail'), liar);
    await past.close();
    await expect(policies.sources()).rejects.toThrow('not as a person signed them');
  });

  it('that cannot be read refuse', async () => {
    const place = await newStore(engine);
    const { policies } = await place.openEnrolled();
    await policies.create('no_mail', forbid('mail'), ann);
    await place.tamper("UPDATE policy_sets SET body = 'nonsense', version = 2");
    await expect(policies.sources()).rejects.toThrow('cannot be read');
  });
});

describe('what is no policy', () => {
  it.each([
    ['a', 'forbid (', '1:9: '],
    ['a', 'forbid (principal, action, resource) when { context.hosst == "a" };', 'did you mean `host`?'],
    ['a', `${forbid('a')}\n${forbid('b')}`, 'each policy is kept by itself'],
    ['a', `@id("b") ${forbid('a')}`, 'calls itself "b"'],
    ['irreversible_asks', forbid('a'), 'stands in built in too'],
    ['server/shop/reads', `@id("server/shop/reads") ${forbid('a')}`, 'of the sources'],
    ['a b', forbid('a'), 'letters, digits'],
    ['a', `${forbid('a')}${' '.repeat(10_001)}`, 'at most 10000 characters'],
    [undefined, forbid('a'), 'a policy has an id'],
    ['a', '', 'there is no policy in it'],
  ])('is not kept: %s %s', async (id, text, message) => {
    const { policies } = await (await newStore('sqlite')).openEnrolled();
    await expect(policies.create(id, text, ann)).rejects.toThrow(message);
    expect(await policies.list()).toMatchObject({ version: '0' });
  });
});
