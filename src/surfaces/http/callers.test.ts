import { describe, expect, it } from 'vitest';
import { WrongPassphrase } from '../../config/index.ts';
import { Callers } from './callers.ts';

const ann = {
  name: 'ann',
  role: 'approver',
  tenant: 'acme',
  passphrase: { N: 16_384, r: 8, p: 1, salt: '', publicKey: '' },
} as const;

function testCallers() {
  let now = 0;
  const forgotten: string[] = [];
  let keys = 0;
  const callers = new Callers({
    ledger: { credentials: { find: async () => undefined } } as never,
    owner: { user: 'ann', tenant: 'acme' },
    unlock: async (passphrase) => {
      if (passphrase !== 'right') throw new Error('wrong');
      const name = `key ${++keys}`;
      return { publicKey: name, sign: () => '', forget: () => void forgotten.push(name) };
    },
    proves: ({ signature }) => signature === 'proof',
    users: [ann],
    unlockUser: async (user, passphrase) => {
      if (user === undefined || passphrase !== 'right') throw new WrongPassphrase('wrong');
      return { publicKey: user.name, sign: () => '', forget: () => void forgotten.push(user.name) };
    },
    elapsed: () => now,
  });
  const bearer = (token: string) => `Bearer ${token}`;
  return {
    callers,
    forgotten,
    pass: (ms: number) => {
      now += ms;
    },
    knows: async (token: string) => {
      try {
        await callers.identify(bearer(token));
        return true;
      } catch {
        return false;
      }
    },
    bearer,
  };
}

const minute = 60_000;
const here = { source: 'unix' };

describe('a link', () => {
  it('opens one session, once', async () => {
    const { callers, knows } = testCallers();
    const { secret } = await callers.link('right', here);
    const { token } = callers.claim(secret);
    expect(await knows(token)).toBe(true);
    expect(() => callers.claim(secret)).toThrow(/used before/);
    expect(() => callers.claim('made up')).toThrow(/used before/);
  });

  it('counts for a minute, and then forgets the key', async () => {
    const { callers, pass, forgotten } = testCallers();
    const { secret } = await callers.link('right', here);
    pass(minute);
    expect(() => callers.claim(secret)).toThrow(/minute is over/);
    expect(forgotten).toEqual(['key 1']);
  });

  it('is no credential by itself', async () => {
    const { callers, knows } = testCallers();
    expect(await knows((await callers.link('right', here)).secret)).toBe(false);
  });

  it('counts attempts with those of sessions', async () => {
    const { callers } = testCallers();
    for (let attempt = 0; attempt < 5; attempt++) {
      const ask = attempt % 2 === 0 ? callers.link('no', here) : callers.open('no', here);
      await expect(ask).rejects.toThrow('wrong');
    }
    await expect(callers.link('right', here)).rejects.toThrow('too many attempts');
  });
});

describe('guesses', () => {
  it('of one source keep no other from coming in', async () => {
    const { callers, pass } = testCallers();
    const guess = (passphrase: string, source: string) =>
      callers.open(passphrase, { source }).then(
        () => 'opened',
        (error: Error) => error.message,
      );
    for (let count = 0; count < 5; count++) expect(await guess('no', 'tcp')).toBe('wrong');
    expect(await guess('right', 'tcp')).toBe('too many attempts');
    expect(await guess('right', 'unix')).toBe('opened');
    expect(await guess('right', 'credential a')).toBe('opened');
    pass(minute);
    expect(await guess('right', 'tcp')).toBe('opened');
  });

  it('of a source keep nobody out who proves that they hold the key', async () => {
    const { callers } = testCallers();
    const proven = (signature: string) => ({ ...here, proof: { at: 0, signature } });
    for (let count = 0; count < 5; count++)
      await expect(callers.open('no', proven('made up'))).rejects.toThrow('wrong');
    await expect(callers.open('right', proven('made up'))).rejects.toThrow('too many attempts');
    await expect(callers.link('right', proven('proof'))).resolves.toBeDefined();
    await expect(callers.open('no', proven('proof'))).rejects.toThrow('wrong');
  });

  it('that are refused unread are told once a minute', async () => {
    const { callers, pass } = testCallers();
    const first = () => callers.open('no', here).catch((error: { first?: boolean }) => error.first);
    for (let count = 0; count < 5; count++) expect(await first()).toBeUndefined();
    expect([await first(), await first()]).toEqual([true, false]);
    pass(minute);
    for (let count = 0; count < 5; count++) expect(await first()).toBeUndefined();
    expect([await first(), await first()]).toEqual([true, false]);
  });

  it('are counted by the credential that comes with them', async () => {
    const { callers, bearer } = testCallers();
    expect(await callers.sourceOf(null, 'tcp')).toBe('tcp');
    expect(await callers.sourceOf(bearer('sp_unknown'), 'tcp')).toBe('tcp');
    const { token } = await callers.open('right', here);
    expect(await callers.sourceOf(bearer(token), 'unix')).toBe('unix');
  });
});

describe('the session of a page', () => {
  async function page() {
    const given = testCallers();
    const { token } = given.callers.claim((await given.callers.link('right', here)).secret);
    return { ...given, token };
  }

  it('lasts while it is used, and half an hour longer', async () => {
    const { knows, pass, token } = await page();
    for (let call = 0; call < 5; call++) {
      pass(29 * minute);
      expect(await knows(token)).toBe(true);
    }
    pass(30 * minute);
    expect(await knows(token)).toBe(false);
  });

  it('ends after 12 hours, whatever happens', async () => {
    const { knows, pass, token, forgotten } = await page();
    for (let call = 0; call < 24 * 3 - 1; call++) {
      pass(10 * minute);
      expect(await knows(token)).toBe(true);
    }
    pass(10 * minute);
    expect(await knows(token)).toBe(false);
    expect(forgotten).toEqual(['key 1']);
  });

  it('is not kept alive by looking whether it is', async () => {
    const { callers, pass, token, bearer } = await page();
    pass(29 * minute);
    expect(callers.isOpen(bearer(token))).toBe(true);
    pass(minute);
    expect(callers.isOpen(bearer(token))).toBe(false);
    expect(callers.isOpen(null)).toBe(false);
    expect(callers.isOpen(bearer('ss_unknown'))).toBe(false);
    // A credential that is no session has no end of its own here.
    expect(callers.isOpen(bearer('sp_credential'))).toBe(true);
  });

  it('is left', async () => {
    const { callers, knows, token, bearer, forgotten } = await page();
    callers.leave(bearer(token));
    callers.leave(null);
    expect(await knows(token)).toBe(false);
    expect(forgotten).toEqual(['key 1']);
  });
});

describe('too many sessions', () => {
  it('end the oldest', async () => {
    const { callers, knows, pass } = testCallers();
    const tokens: string[] = [];
    for (let at = 0; at < 17; at++) {
      tokens.push((await callers.open('right', here)).token);
      pass(1);
    }
    expect(await knows(tokens[0]!)).toBe(false);
    expect(await knows(tokens[1]!)).toBe(true);
    expect(await knows(tokens[16]!)).toBe(true);
  });

  it('are closed together with links', async () => {
    const { callers, forgotten } = testCallers();
    await callers.open('right', here);
    await callers.link('right', here);
    callers.close();
    expect(forgotten).toEqual(['key 1', 'key 2']);
  });
});

describe('a user', () => {
  it('has a session with a role, a tenant and a key that is forgotten with it', async () => {
    const { callers, bearer, forgotten } = testCallers();
    const { token } = await callers.login(callers.userNamed('ann'), 'right', 'tcp');
    expect(await callers.identify(bearer(token))).toMatchObject({
      role: 'approver',
      reader: { tenant: 'acme' },
      principal: { scope: 'approve', user: 'ann', tenant: 'acme' },
    });
    callers.leave(bearer(token));
    expect(forgotten).toEqual(['ann']);
    await expect(async () => await callers.identify(bearer(token))).rejects.toThrow(/unknown/);
  });

  it('does not come in by a wrong passphrase or a name that nobody has', async () => {
    const { callers } = testCallers();
    await expect(callers.login(callers.userNamed('ann'), 'wrong', 'tcp')).rejects.toThrow(WrongPassphrase);
    await expect(callers.login(callers.userNamed('bob'), 'right', 'tcp')).rejects.toThrow(WrongPassphrase);
  });

  it('is slowed down after wrong tries, sent at once or one by one, and nobody else is', async () => {
    const { callers, pass } = testCallers();
    const wrong = () =>
      callers.login(callers.userNamed('ann'), 'wrong', 'tcp').catch((error: Error) => error.name);
    expect(await Promise.all([wrong(), wrong(), wrong(), wrong(), wrong(), wrong()])).toEqual([
      ...Array(5).fill('WrongPassphrase'),
      'TooManyAttempts',
    ]);
    await expect(callers.login(callers.userNamed('ann'), 'right', 'tcp')).rejects.toThrow(/too many/);
    await expect(callers.open('right', here)).resolves.toBeDefined();
    pass(minute);
    await expect(callers.login(callers.userNamed('ann'), 'right', 'tcp')).resolves.toBeDefined();
  });

  it('ends no session but their own by coming in again and again', async () => {
    const { callers, knows } = testCallers();
    const owner = (await callers.open('right', here)).token;
    const tokens: string[] = [];
    for (let count = 0; count < 17; count++)
      tokens.push((await callers.login(callers.userNamed('ann'), 'right', 'tcp')).token);
    expect(await knows(owner)).toBe(true);
    expect(await knows(tokens[0] ?? '')).toBe(false);
    expect(await knows(tokens[1] ?? '')).toBe(true);
  });
});
