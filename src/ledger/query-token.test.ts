// Every way in which a token that was issued for one query could be misused.

import { createHmac, hkdfSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bound, QueryTokens, TokenError, type TokenKey } from './query-token.ts';

const start = Date.UTC(2026, 0, 1);
const ttlMs = 300_000;
const key: TokenKey = { id: 'k1', secret: Buffer.alloc(32, 1), until: null };
const tokens = new QueryTokens([key]);

const bound: Bound = {
  language: 'sql',
  canonical: '[{"SelectStmt":{}}]',
  text: 'SELECT 1',
  variables: { id: 1, name: 'a' },
  user: 'ann',
  tenant: 'acme',
  client: 'session 1',
  target: 'shop',
  server: 'shop-1',
  schema: 'schema 1',
  policy: 'policy 1',
  action: 'read',
  risk: 'low',
};

const issue = { purpose: 'execute', approver: null, now: start, ttlMs } as const;
const token = tokens.sign(bound, issue);

function problem(given: string, live: Bound = bound, now = start, with_ = tokens, ttl = ttlMs): string {
  try {
    with_.verify(given, live, now, ttl);
    return 'accepted';
  } catch (error) {
    if (error instanceof TokenError) return error.problem;
    throw error;
  }
}

/** A token with claims that an attacker with the key wrote. */
function forged(claims: object, { id = 'k1', secret = key.secret } = {}): string {
  const body = Buffer.from(JSON.stringify(claims)).toString('base64url');
  const mac = Buffer.from(hkdfSync('sha256', secret, '', 'sallyport.approval.v1', 32));
  return `sp1.${id}.${body}.${createHmac('sha256', mac).update(`sallyport.approval.v1\0${id}.${body}`).digest('base64url')}`;
}

const claims = JSON.parse(Buffer.from(token.split('.')[2] ?? '', 'base64url').toString());

describe('a token', () => {
  it('lets the same query run for the same caller', () => {
    expect(problem(token)).toBe('accepted');
    expect(problem(token, { ...bound, variables: { name: 'a', id: 1 } })).toBe('accepted');
    expect(problem(token, bound, start + ttlMs - 1)).toBe('accepted');
  });

  it.each([
    ['another query', { canonical: '[{"DeleteStmt":{}}]' }, 'CodeMismatch'],
    ['the same query written otherwise', { text: 'SELECT 1 -- x' }, 'CodeMismatch'],
    ['a blank inside a literal', { canonical: 'a\nb', text: "'a\nb'" }, 'CodeMismatch'],
    ['another variable', { variables: { id: 2, name: 'a' } }, 'CodeMismatch'],
    ['a variable of another type', { variables: { id: '1', name: 'a' } }, 'CodeMismatch'],
    ['no variables', { variables: {} }, 'CodeMismatch'],
    ['another language', { language: 'graphql' }, 'CodeMismatch'],
    ['another user', { user: 'bob' }, 'UserMismatch'],
    ['a user that looks the same', { user: 'a\u0301nn' }, 'UserMismatch'],
    ['another tenant', { tenant: 'other' }, 'UserMismatch'],
    ['another session', { client: 'session 2' }, 'ContextChanged'],
    ['another source', { target: 'warehouse' }, 'ContextChanged'],
    ['another server', { server: 'shop-2' }, 'ContextChanged'],
    ['another schema', { schema: 'schema 2' }, 'ContextChanged'],
    ['other policies', { policy: 'policy 2' }, 'ContextChanged'],
    ['a risk that was raised', { risk: 'high' }, 'ContextChanged'],
    ['another effect', { action: 'write' }, 'ContextChanged'],
    ['names that were shifted', { user: 'ann|acme', tenant: '' }, 'UserMismatch'],
  ])('does not let %s run', (_, change, expected) => {
    expect(problem(token, { ...bound, ...change })).toBe(expected);
  });

  it('ends, and is not of a time to come', () => {
    expect(problem(token, bound, start + ttlMs)).toBe('TokenExpired');
    expect(problem(token, bound, start - 600_000)).toBe('TokenInvalid');
    expect(problem(forged({ ...claims, exp: start + 24 * 3_600_000 }))).toBe('TokenInvalid');
    expect(problem(token, bound, start, tokens, ttlMs - 1)).toBe('TokenInvalid');
  });

  it('of a dry run lets nothing run', () => {
    expect(problem(tokens.sign(bound, { ...issue, purpose: 'dry_run' }))).toBe('TokenInvalid');
  });

  it('names who approved it', () => {
    const approved = tokens.sign(bound, { ...issue, approver: 'carol' });
    expect(tokens.verify(approved, bound, start, ttlMs)).toMatchObject({ approver: 'carol' });
    expect(tokens.verify(token, bound, start, ttlMs).id).not.toBe(
      tokens.verify(approved, bound, start, ttlMs).id,
    );
  });
});

describe('a token that was tampered with', () => {
  const [version, id, body = '', mac = ''] = token.split('.');
  const edited = Buffer.from(JSON.stringify({ ...claims, risk: 'low', sub: 'bob' })).toString('base64url');
  it.each([
    ['nothing', ''],
    ['other claims under the same signature', `${version}.${id}.${edited}.${mac}`],
    ['half a signature', `${version}.${id}.${body}.${mac.slice(0, 21)}`],
    ['no signature', `${version}.${id}.${body}.`],
    [
      'a signature in another alphabet',
      `${version}.${id}.${body}.${Buffer.from(mac, 'base64url').toString('hex')}`,
    ],
    ['padding', `${token}=`],
    [
      'bits behind the end',
      `${version}.${id}.${body}.${mac.slice(0, -1)}${String.fromCharCode((mac.at(-1) ?? 'A').charCodeAt(0) + 1)}`,
    ],
    ['a further part', `${token}.x`],
    ['an algorithm', `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`],
    ['another version', token.replace('sp1', 'sp2')],
    ['a key that nobody knows', token.replace('.k1.', '.k9.')],
    ['too much of it', `sp1.k1.${'A'.repeat(9000)}.${mac}`],
    ['claims that are no object', forged([])],
    ['claims without an id', forged({ ...claims, jti: 1 })],
    [
      'claims that say a thing twice',
      (() => {
        const text = `${JSON.stringify(claims).slice(0, -1)},"sub":"ann"}`;
        const twice = Buffer.from(text).toString('base64url');
        const mac = Buffer.from(hkdfSync('sha256', key.secret, '', 'sallyport.approval.v1', 32));
        return `sp1.k1.${twice}.${createHmac('sha256', mac).update(`sallyport.approval.v1\0k1.${twice}`).digest('base64url')}`;
      })(),
    ],
    [
      'the key of another purpose',
      (() => {
        const own = Buffer.from(JSON.stringify(claims)).toString('base64url');
        return `sp1.k1.${own}.${createHmac('sha256', key.secret).update(`sallyport.approval.v1\0k1.${own}`).digest('base64url')}`;
      })(),
    ],
  ])('is not taken: %s', (_, given) => {
    expect(problem(given)).toBe('TokenInvalid');
  });

  it('is not taken, whatever was changed', () => {
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.integer({ min: 33, max: 126 }), (at, code) => {
        const changed = token.slice(0, at) + String.fromCharCode(code) + token.slice(at + 1);
        fc.pre(changed !== token);
        expect(problem(changed)).toBe('TokenInvalid');
      }),
    );
  });
});

describe('keys', () => {
  const next: TokenKey = { id: 'k2', secret: Buffer.alloc(32, 2), until: null };
  it('count after they were replaced until their grace is over', () => {
    const rotated = new QueryTokens([next, { ...key, until: start + 60_000 }]);
    expect(problem(token, bound, start, rotated)).toBe('accepted');
    expect(problem(token, bound, start + 60_000, rotated)).toBe('TokenInvalid');
    expect(rotated.sign(bound, issue)).toMatch(/^sp1\.k2\./);
    expect(problem(token, bound, start, new QueryTokens([next]))).toBe('TokenInvalid');
  });

  it('are long enough, named and there', () => {
    expect(() => new QueryTokens([{ ...key, secret: Buffer.alloc(31) }])).toThrow('31 bytes');
    expect(() => new QueryTokens([{ ...key, id: 'a.b' }])).toThrow('id of a key');
    expect(() => new QueryTokens([])).toThrow('no key');
    expect(() => new QueryTokens([{ ...key, until: start }])).toThrow('no key');
  });
});
