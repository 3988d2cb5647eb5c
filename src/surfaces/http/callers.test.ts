import { describe, expect, it } from 'vitest';
import { privateKeyFrom, signerWith } from '../../config/approver.ts';
import { hardCost, type User, WrongPassphrase } from '../../config/index.ts';
import { sessionPayload } from '../../core/index.ts';
import { Callers } from './callers.ts';

/** A key, the same for the same name. */
const keyOf = (name: string) => signerWith(privateKeyFrom(Buffer.alloc(32, name)));
const kdf = { ...hardCost, salt: 'A'.repeat(22) };
const signInOf = (name: string, keys: readonly string[] = []) => ({
  ...{ login: keyOf(name).publicKey, kdf, keys: keys.map((key) => keyOf(key).publicKey), credentials: [] },
});

const ann: User = {
  name: 'ann',
  role: 'approver',
  tenant: 'acme',
  passphrase: { ...kdf, publicKey: keyOf('ann').publicKey },
};

function testCallers() {
  let now = 0;
  const callers = new Callers({
    ledger: { credentials: { find: async () => undefined } } as never,
    owner: { user: 'owner', tenant: 'acme' },
    users: [ann],
    signInOf: async (user) => (user === null ? signInOf('right', ['key']) : signInOf('ann')),
    decoy: () => ({ ...signInOf('decoy'), login: null }),
    elapsed: () => now,
  });
  const bearer = (token: string) => `Bearer ${token}`;
  /** Signs in with the key that comes of a passphrase. */
  const signIn = async (passphrase: string, source = 'unix', name: string | null = null) => {
    const { challenge } = await callers.challenge(name);
    return callers.signIn(challenge, keyOf(passphrase).sign(sessionPayload(challenge)), source);
  };
  return {
    callers,
    signIn,
    open: async (passphrase = 'right', source = 'unix') =>
      callers.open(await signIn(passphrase, source), 'terminal'),
    link: async () => callers.link(await signIn('right')),
    asAnn: async (passphrase = 'ann') => callers.open(await signIn(passphrase, 'tcp', 'ann'), 'page'),
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

describe('a challenge', () => {
  it('is answered once, and in time', async () => {
    const { callers, pass } = testCallers();
    const answer = (challenge: string) => keyOf('right').sign(sessionPayload(challenge));
    const { challenge } = await callers.challenge(null);
    expect(callers.whose(challenge)).toBe('owner');
    expect(callers.signIn(challenge, answer(challenge), 'tcp').with).toBe('passphrase');
    expect(() => callers.signIn(challenge, answer(challenge), 'tcp')).toThrow(/answered before/);
    const late = (await callers.challenge(null)).challenge;
    pass(2 * minute);
    expect(() => callers.signIn(late, answer(late), 'tcp')).toThrow(/time is over/);
    expect(() => callers.signIn('made up', answer('made up'), 'tcp')).toThrow(/answered before/);
  });

  it('of a name that nobody has fits no key', async () => {
    const { signIn } = testCallers();
    for (const key of ['right', 'key', 'ann', 'decoy'])
      await expect(signIn(key, 'tcp', 'bob')).rejects.toThrow(WrongPassphrase);
  });

  it('of a user is not answered by the owner, nor the other way round', async () => {
    const { signIn } = testCallers();
    await expect(signIn('right', 'tcp', 'ann')).rejects.toThrow(WrongPassphrase);
    await expect(signIn('ann', 'tcp')).rejects.toThrow(WrongPassphrase);
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

  it('is no credential by itself', async () => {
    const { knows, link } = testCallers();
    expect(await knows((await link()).secret)).toBe(false);
  });
});

describe('guesses', () => {
  it('of one source keep no other from coming in', async () => {
    const { open, pass } = testCallers();
    const guess = (passphrase: string, source: string) =>
      open(passphrase, source).then(
        () => 'opened',
        (error: Error) => error.message,
      );
    for (let count = 0; count < 5; count++) expect(await guess('no', 'tcp')).toContain('is wrong');
    expect(await guess('right', 'tcp')).toBe('too many attempts');
    expect(await guess('right', 'unix')).toBe('opened');
    expect(await guess('right', 'credential a')).toBe('opened');
    pass(minute);
    expect(await guess('right', 'tcp')).toBe('opened');
  });

  it('of a source keep nobody out who holds a key that cannot be guessed', async () => {
    const { signIn } = testCallers();
    for (let count = 0; count < 5; count++) await expect(signIn('no')).rejects.toThrow('is wrong');
    await expect(signIn('right')).rejects.toThrow('too many attempts');
    expect(await signIn('key')).toMatchObject({ with: 'key', user: null });
  });

  it('that are refused unread are told once a minute', async () => {
    const { open, pass } = testCallers();
    const first = () => open('no').catch((error: { first?: boolean }) => error.first);
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

describe('too many sessions', () => {
  it('end the oldest', async () => {
    const { knows, open, pass } = testCallers();
    const tokens: string[] = [];
    for (let at = 0; at < 17; at++) {
      tokens.push((await open()).token);
      pass(1);
    }
    expect(await knows(tokens[0]!)).toBe(false);
    expect(await knows(tokens[1]!)).toBe(true);
    expect(await knows(tokens[16]!)).toBe(true);
  });

  it('are closed together with links', async () => {
    const { callers, knows, open, link } = testCallers();
    const [{ token }, { secret }] = [await open(), await link()];
    callers.close();
    expect(await knows(token)).toBe(false);
    expect(() => callers.claim(secret)).toThrow(/used before/);
  });
});

describe('a user', () => {
  it('has a session with a role and a tenant', async () => {
    const { callers, bearer, asAnn } = testCallers();
    const { token } = await asAnn();
    expect(await callers.identify(bearer(token))).toMatchObject({
      role: 'approver',
      person: true,
      reader: { tenant: 'acme' },
      principal: { scope: 'approve', user: 'ann', tenant: 'acme' },
    });
    callers.leave(bearer(token));
    await expect(async () => await callers.identify(bearer(token))).rejects.toThrow(/unknown/);
  });

  it('is slowed down after wrong tries, sent at once or one by one, and nobody else is', async () => {
    const { asAnn, open, pass } = testCallers();
    const wrong = () => asAnn('wrong').catch((error: Error) => error.name);
    expect(await Promise.all([wrong(), wrong(), wrong(), wrong(), wrong(), wrong()])).toEqual([
      ...Array(5).fill('WrongPassphrase'),
      'TooManyAttempts',
    ]);
    await expect(asAnn()).rejects.toThrow(/too many/);
    await expect(open()).resolves.toBeDefined();
    pass(minute);
    await expect(asAnn()).resolves.toBeDefined();
  });

  it('ends no session but their own by signing in again and again', async () => {
    const { knows, open, asAnn } = testCallers();
    const owner = (await open()).token;
    const tokens: string[] = [];
    for (let count = 0; count < 17; count++) tokens.push((await asAnn()).token);
    expect(await knows(owner)).toBe(true);
    expect(await knows(tokens[0] ?? '')).toBe(false);
    expect(await knows(tokens[1] ?? '')).toBe(true);
  });
});
