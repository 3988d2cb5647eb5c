// Who calls: challenges that are signed where the person is, sessions, links, and guesses.

import { describe, expect, it } from 'vitest';
import { privateKeyFrom, signerWith } from '../../config/approver.ts';
import type { User } from '../../config/index.ts';
import { sessionPayload } from '../../core/index.ts';
import { NotVouchedFor } from '../../ledger/index.ts';
import { Callers, type SignIn } from './callers.ts';

const minute = 60_000;
const kdf = { N: 16_384, r: 8, p: 1, salt: 'A'.repeat(22) };

/** A key by a number. */
const keyOf = (number: number) => signerWith(privateKeyFrom(Buffer.alloc(32, number)));

const [login, ownKey, annsKey, wrong] = [keyOf(1), keyOf(2), keyOf(3), keyOf(9)];

const ann: User = {
  name: 'ann',
  role: 'approver',
  tenant: 'acme',
  passphrase: { ...kdf, publicKey: annsKey.publicKey },
};
const lost: User = { ...ann, name: 'lost' };

function testCallers() {
  let now = 0;
  const ended = new Set<string>();
  const keys: SignIn = {
    ...{ login: login.publicKey, approver: ownKey.publicKey, kdf },
    ...{ keys: [ownKey.publicKey], credentials: ['credential'] },
  };
  const callers = new Callers({
    ledger: { credentials: { find: async () => undefined } } as never,
    owner: { user: 'owner', tenant: 'local' },
    users: [ann, lost],
    signInOf: async (user) => {
      if (user === lost) throw new NotVouchedFor('no approver vouched for it');
      if (user === null) return keys;
      const { publicKey } = user.passphrase;
      return { login: publicKey, approver: publicKey, kdf, keys: [], credentials: [] };
    },
    decoy: (name) => ({ login: null, approver: '', kdf: { ...kdf, salt: name }, keys: [], credentials: [] }),
    counts: (key) => !ended.has(key),
    elapsed: () => now,
  });
  const bearer = (token: string) => `Bearer ${token}`;
  /** Signs a challenge for the owner, or for a name, with a key. */
  const signIn = async (key: typeof login, name: string | null = null, source = 'unix') => {
    const { challenge } = await callers.challenge(name);
    return callers.signIn(challenge, key.sign(sessionPayload(challenge)), source);
  };
  return {
    ...{ callers, signIn, bearer, ended },
    pass: (ms: number) => {
      now += ms;
    },
    open: async (key = login, name: string | null = null) =>
      callers.open(await signIn(key, name), 'terminal'),
    link: async () => callers.link(await signIn(login)),
    knows: async (token: string) => {
      try {
        await callers.identify(bearer(token));
        return true;
      } catch {
        return false;
      }
    },
    /** What becomes of an answer. */
    tried: (key: typeof login, name: string | null = null, source = 'unix') =>
      signIn(key, name, source).then(
        ({ with: by }) => by as string,
        (error: Error) => error.name,
      ),
  };
}

describe('a session', () => {
  it('ends with the key that opened it, as do links, and no other session does', async () => {
    const { callers, open, link, knows, bearer, ended } = testCallers();
    const [own, anns] = [(await open()).token, (await open(annsKey, 'ann')).token];
    const { secret } = await link();
    expect([await knows(own), await knows(anns)]).toEqual([true, true]);
    ended.add(ownKey.publicKey);
    expect(callers.isOpen(bearer(own))).toBe(false);
    expect([await knows(own), await knows(anns)]).toEqual([false, true]);
    expect(await knows(callers.claim(secret).token)).toBe(false);
    // It does not come back with a key that counts again.
    ended.clear();
    expect(await knows(own)).toBe(false);
  });
});

describe('a challenge', () => {
  it('is another each time, and says how the key comes of the passphrase', async () => {
    const { callers } = testCallers();
    const [one, other] = [await callers.challenge(null), await callers.challenge(null)];
    expect(one).toMatchObject({ kdf, credentials: ['credential'] });
    expect(one.challenge).toMatch(/^[\w-]{43}$/);
    expect(one.challenge).not.toBe(other.challenge);
  });

  it('is answered once, right or wrong', async () => {
    const { callers } = testCallers();
    for (const key of [login, wrong]) {
      const { challenge } = await callers.challenge(null);
      const answer = (by: typeof login) =>
        callers.signIn(challenge, by.sign(sessionPayload(challenge)), 'unix');
      if (key === login) expect(answer(key)).toMatchObject({ user: null, with: 'passphrase' });
      else expect(() => answer(key)).toThrow('is wrong');
      expect(() => answer(login)).toThrow('answered before');
    }
  });

  it('is not answered after its time, nor where nobody gave it', async () => {
    const { callers, pass } = testCallers();
    const { challenge } = await callers.challenge(null);
    pass(2 * minute);
    expect(() => callers.signIn(challenge, login.sign(sessionPayload(challenge)), 'unix')).toThrow(
      'its time is over',
    );
    expect(() => callers.signIn('made up', login.sign(sessionPayload('made up')), 'unix')).toThrow(
      'answered before',
    );
  });

  it('takes the signature for itself alone', async () => {
    const { callers } = testCallers();
    const [one, other] = [await callers.challenge(null), await callers.challenge(null)];
    const forOther = login.sign(sessionPayload(other.challenge));
    expect(() => callers.signIn(one.challenge, forOther, 'unix')).toThrow('is wrong');
    // Nor one for another purpose.
    const { challenge } = await callers.challenge(null);
    expect(() => callers.signIn(challenge, login.sign(['sallyport.other.v1', challenge]), 'unix')).toThrow(
      'is wrong',
    );
  });

  it('of one person is not answered by another', async () => {
    const { tried } = testCallers();
    expect(await tried(annsKey)).toBe('WrongPassphrase');
    expect(await tried(login, 'ann')).toBe('WrongPassphrase');
    expect(await tried(ownKey, 'ann')).toBe('WrongPassphrase');
    expect(await tried(annsKey, 'ann')).toBe('passphrase');
    expect(await tried(ownKey)).toBe('key');
  });

  it('of a name that nobody has looks like another, the same each time, and is answered by nobody', async () => {
    const { callers, tried } = testCallers();
    const [one, other] = [await callers.challenge('bob'), await callers.challenge('bob')];
    expect(Object.keys(one).sort()).toEqual(Object.keys(await callers.challenge('ann')).sort());
    expect(one.kdf).toEqual(other.kdf);
    expect([callers.whose(one.challenge), callers.whose('made up')]).toEqual(['nobody', 'nobody']);
    for (const key of [login, ownKey, annsKey, wrong])
      expect(await tried(key, 'bob')).toBe('WrongPassphrase');
  });

  it('is not given to a user whom nobody vouched for', async () => {
    const { callers } = testCallers();
    await expect(callers.challenge('lost')).rejects.toThrow(NotVouchedFor);
  });

  it('outlives many that others ask for', async () => {
    const { callers } = testCallers();
    const { challenge } = await callers.challenge(null);
    for (let count = 0; count < 5000; count++) await callers.challenge('bob');
    expect(callers.signIn(challenge, login.sign(sessionPayload(challenge)), 'unix')).toBeDefined();
  });

  it('does not make the daemon grow without end', async () => {
    const { callers } = testCallers();
    const { challenge } = await callers.challenge(null);
    for (let count = 0; count < 10_000; count++) await callers.challenge('bob');
    expect(callers.whose(challenge)).toBe('nobody');
  });
});

describe('a link', () => {
  it('opens one session, once', async () => {
    const { callers, knows, link } = testCallers();
    const { secret } = await link();
    const { token } = callers.claim(secret);
    expect(await knows(token)).toBe(true);
    expect(() => callers.claim(secret)).toThrow(/used before/);
    expect(() => callers.claim('made up')).toThrow(/used before/);
  });

  it('counts for a minute', async () => {
    const { callers, pass, link } = testCallers();
    const { secret } = await link();
    pass(minute);
    expect(() => callers.claim(secret)).toThrow(/minute is over/);
  });

  it('that nobody was given opens nothing', async () => {
    const { callers, link } = testCallers();
    const { secret } = await link();
    callers.unlink(secret);
    expect(() => callers.claim(secret)).toThrow(/used before/);
  });

  it('is no credential by itself', async () => {
    const { knows, link } = testCallers();
    expect(await knows((await link()).secret)).toBe(false);
  });
});

describe('guesses', () => {
  it('of one source keep no other from signing in', async () => {
    const { tried, pass } = testCallers();
    for (let count = 0; count < 5; count++) expect(await tried(wrong, null, 'tcp')).toBe('WrongPassphrase');
    expect(await tried(login, null, 'tcp')).toBe('TooManyAttempts');
    expect(await tried(login, null, 'unix')).toBe('passphrase');
    expect(await tried(login, null, 'credential a')).toBe('passphrase');
    pass(minute);
    expect(await tried(login, null, 'tcp')).toBe('passphrase');
  });

  it('of a source keep nobody out whose key cannot be guessed', async () => {
    const { tried } = testCallers();
    for (let count = 0; count < 5; count++) expect(await tried(wrong)).toBe('WrongPassphrase');
    expect(await tried(login)).toBe('TooManyAttempts');
    expect(await tried(ownKey)).toBe('key');
  });

  it('that are refused unread are told once a minute', async () => {
    const { signIn, pass } = testCallers();
    const first = () => signIn(wrong).catch((error: { first?: boolean }) => error.first);
    for (let count = 0; count < 5; count++) expect(await first()).toBeUndefined();
    expect([await first(), await first()]).toEqual([true, false]);
    pass(minute);
    for (let count = 0; count < 5; count++) expect(await first()).toBeUndefined();
    expect([await first(), await first()]).toEqual([true, false]);
  });

  it('are counted by the credential that comes with them', async () => {
    const { callers, bearer, open } = testCallers();
    expect(await callers.sourceOf(null, 'tcp')).toBe('tcp');
    expect(await callers.sourceOf(bearer('sp_unknown'), 'tcp')).toBe('tcp');
    const { token } = await open();
    expect(await callers.sourceOf(bearer(token), 'unix')).toBe('unix');
  });
});

describe('the session of a page', () => {
  async function page() {
    const given = testCallers();
    const { token } = given.callers.claim((await given.link()).secret);
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
    const { knows, pass, token } = await page();
    for (let call = 0; call < 24 * 3 - 1; call++) {
      pass(10 * minute);
      expect(await knows(token)).toBe(true);
    }
    pass(10 * minute);
    expect(await knows(token)).toBe(false);
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
    const { callers, knows, token, bearer } = await page();
    callers.leave(bearer(token));
    callers.leave(null);
    expect(await knows(token)).toBe(false);
  });
});

describe('the session of a terminal', () => {
  it('is over after a quarter of an hour, used or not', async () => {
    const { knows, pass, open } = testCallers();
    const { token, lifeMs } = await open();
    expect(lifeMs).toBe(15 * minute);
    pass(14 * minute);
    expect(await knows(token)).toBe(true);
    pass(minute);
    expect(await knows(token)).toBe(false);
  });

  it('is of the owner, who may see everything', async () => {
    const { callers, bearer, open } = testCallers();
    const { token } = await open();
    expect(await callers.identify(bearer(token))).toEqual({
      principal: { credential: 'session', scope: 'admin', user: 'owner', tenant: 'local', agent: null },
      ...{ reader: {}, person: true, role: null },
    });
  });
});

describe('too many sessions', () => {
  it('end the oldest', async () => {
    const { knows, pass, open } = testCallers();
    const tokens: string[] = [];
    for (let at = 0; at < 17; at++) {
      tokens.push((await open()).token);
      pass(1);
    }
    expect(await knows(tokens[0]!)).toBe(false);
    expect(await knows(tokens[1]!)).toBe(true);
    expect(await knows(tokens[16]!)).toBe(true);
  });

  it('are closed together with links and challenges', async () => {
    const { callers, knows, open, link } = testCallers();
    const { token } = await open();
    const { secret } = await link();
    const { challenge } = await callers.challenge(null);
    callers.close();
    expect(await knows(token)).toBe(false);
    expect(() => callers.claim(secret)).toThrow(/used before/);
    expect(() => callers.signIn(challenge, login.sign(sessionPayload(challenge)), 'unix')).toThrow(
      'answered before',
    );
  });
});

describe('a user', () => {
  it('has a session with a role and a tenant', async () => {
    const { callers, bearer, open } = testCallers();
    const { token } = await open(annsKey, 'ann');
    expect(await callers.identify(bearer(token))).toEqual({
      principal: { credential: 'session', scope: 'approve', user: 'ann', tenant: 'acme', agent: null },
      ...{ reader: { tenant: 'acme' }, person: true, role: 'approver' },
    });
    callers.leave(bearer(token));
    await expect(async () => await callers.identify(bearer(token))).rejects.toThrow(/unknown/);
  });

  it('is slowed down after wrong tries, sent at once or one by one, and nobody else is', async () => {
    const { tried, pass } = testCallers();
    expect(await Promise.all(Array.from({ length: 6 }, () => tried(wrong, 'ann')))).toEqual([
      ...Array(5).fill('WrongPassphrase'),
      'TooManyAttempts',
    ]);
    expect(await tried(annsKey, 'ann')).toBe('TooManyAttempts');
    expect(await tried(login)).toBe('passphrase');
    pass(minute);
    expect(await tried(annsKey, 'ann')).toBe('passphrase');
  });

  it('ends no session but their own by coming in again and again', async () => {
    const { knows, open } = testCallers();
    const owner = (await open()).token;
    const tokens: string[] = [];
    for (let count = 0; count < 17; count++) tokens.push((await open(annsKey, 'ann')).token);
    expect(await knows(owner)).toBe(true);
    expect(await knows(tokens[0] ?? '')).toBe(false);
    expect(await knows(tokens[1] ?? '')).toBe(true);
  });
});
