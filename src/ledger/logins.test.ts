// Logins on both engines: bound to server and address, renewed by one caller at a time, unreadable without the keys.

import { describe, expect, it } from 'vitest';
import { engines, newStore } from '../../tests/support/ledger.ts';
import { StoreDamaged } from './index.ts';
import { erasePerson } from './maintenance.ts';

const start = 1_700_000_000_000;
const ann = { user: 'ann', tenant: 'acme' };
const tickets = { server: 'tickets', url: 'https://tickets.example/mcp' };
const content = { tokens: { access_token: 'first' } };

describe.each(engines)('a login on %s', (engine) => {
  it('is found for its server at its address alone, by every process, and stands in no row to be read', async () => {
    const place = await newStore(engine);
    const ledger = await place.open();
    await ledger.logins.save(tickets, ann, content, start);
    expect(await (await place.open('b')).logins.find(tickets)).toMatchObject({ ...tickets, content });
    expect(await ledger.logins.find({ ...tickets, url: 'https://evil.example/mcp' })).toBeUndefined();
    expect(await ledger.logins.find({ ...tickets, server: 'other' })).toBeUndefined();
    expect(JSON.stringify(await place.rows('SELECT * FROM logins'))).not.toContain('first');
    expect(await ledger.audit.list({ eventType: 'server_login' })).toMatchObject([
      { user: 'ann', details: { server: 'tickets', origin: 'https://tickets.example' } },
    ]);
  });

  it.each(['url', 'server', 'user_id', 'tenant', 'mark'])(
    'does not open once its %s was changed',
    async (column) => {
      const place = await newStore(engine);
      const ledger = await place.open();
      await ledger.logins.save(tickets, ann, content, start);
      await place.tamper(`UPDATE logins SET ${column} = 'other'`);
      const changed = {
        ...tickets,
        ...(column === 'url' || column === 'server' ? { [column]: 'other' } : {}),
      };
      await expect(ledger.logins.find(changed)).rejects.toThrow(StoreDamaged);
    },
  );

  it('is renewed by one caller at a time, and by another once that one took too long', async () => {
    const place = await newStore(engine);
    const [ledger, other] = [await place.open(), await place.open('b')];
    await ledger.logins.save(tickets, ann, content, start);
    const login = await ledger.logins.find(tickets);
    const claims = await Promise.all([ledger, other].map(({ logins }) => logins.claim(login!, start)));
    expect(claims.sort()).toEqual([false, true]);
    expect(await other.logins.claim(login!, start + 29_999)).toBe(false);
    expect(await other.logins.claim(login!, start + 30_000)).toBe(true);
    // A clock that was set back does not block every caller.
    expect(await ledger.logins.claim(login!, start - 1000)).toBe(true);
    expect(await other.logins.renew(login!, { tokens: 'second' }, start)).toBe(true);
    expect(await ledger.logins.renew(login!, { tokens: 'third' }, start)).toBe(false);
    const renewed = await ledger.logins.find(tickets);
    expect(renewed).toMatchObject({ content: { tokens: 'second' } });
    expect(renewed?.mark).not.toBe(login?.mark);
    expect(await ledger.logins.claim(login!, start + 60_000)).toBe(false);
    expect(await ledger.logins.claim(renewed!, start)).toBe(true);
  });

  it('is replaced by the next, and gone after logging out or with the person', async () => {
    const ledger = await (await newStore(engine)).open();
    await ledger.logins.save(tickets, ann, content, start);
    const [login] = [await ledger.logins.find(tickets)];
    await ledger.logins.save(tickets, ann, { tokens: 'new' }, start);
    expect(await ledger.logins.renew(login!, { tokens: 'old' }, start)).toBe(false);
    expect(await ledger.logins.find(tickets)).toMatchObject({ content: { tokens: 'new' } });
    expect(await ledger.logins.remove('tickets', ann, start)).toBe(true);
    expect(await ledger.logins.remove('tickets', ann, start)).toBe(false);
    expect(await ledger.logins.find(tickets)).toBeUndefined();
    expect(await ledger.audit.list({ eventType: 'server_logout' })).toHaveLength(1);
    await ledger.logins.save(tickets, ann, content, start);
    expect(await erasePerson(ledger, { user: 'ann' }, ann, start)).toMatchObject({ logins: 1 });
    expect(await ledger.logins.find(tickets)).toBeUndefined();
  });
});
