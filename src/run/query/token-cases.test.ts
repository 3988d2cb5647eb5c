// The 43 ways in which a token is used, by number: valid ones run, and each misuse ends in its own error. The token
// alone is tested in ledger/query-token.test.ts; here it is used in the pipeline, with a forger who has the secret.

import { createHash, createHmac, hkdfSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { newStore, person, type StorePlace } from '../../../tests/support/ledger.ts';
import {
  change,
  context,
  problemOf,
  read,
  type Shop,
  shopOn,
  tables,
  writes,
  yes,
} from '../../../tests/support/shop.ts';
import { settingsFrom } from '../../config/index.ts';
import { type JsonObject, parseJson } from '../../core/index.ts';
import { type Bound, QueryTokens } from '../../ledger/query-token.ts';
import type { Query } from './index.ts';

const secret = 'the secret of the shop, 32 bytes';
const other = 'another secret, of 32 bytes too.';
const ttl = 300_000;

interface Given extends Shop {
  readonly store: StorePlace;
  /** Of a validated read. */
  readonly token: string;
  /** Runs the read with a token, or whatever is changed about it. */
  run(token: string, query?: Query, who?: Partial<typeof context>): Promise<string>;
}

async function shop(
  mode: JsonObject = {},
  query: Query = read,
  chain = 'a',
  place?: StorePlace,
): Promise<Given> {
  const store = place ?? (await newStore('sqlite'));
  const made = await shopOn(store, { token_secret: secret, ...mode }, chain);
  const { approval_token: token } = await made.pipeline.validate(query, context);
  const run = (given: string, asked: Query = query, who = {}) =>
    problemOf(made.pipeline.execute(asked, given, { ...context, ...who }));
  return { ...made, store, token: token ?? '', run };
}

/** The claims of a token, changed and signed again. */
function forge(token: string, changes: JsonObject, by = secret): string {
  const [, , body = ''] = token.split('.');
  const claims = { ...JSON.parse(Buffer.from(body, 'base64url').toString()), ...changes };
  return signed(claims, by);
}

function signed(claims: object, by: string): string {
  const id = createHash('sha256').update('sallyport.key.id.v1\0').update(by).digest('hex').slice(0, 8);
  const body = Buffer.from(JSON.stringify(claims)).toString('base64url');
  const key = Buffer.from(hkdfSync('sha256', by, '', 'sallyport.approval.v1', 32));
  const mac = createHmac('sha256', key).update(`sallyport.approval.v1\0${id}.${body}`).digest('base64url');
  return `sp1.${id}.${body}.${mac}`;
}

const literal = (text: string): Query => ({
  target: 'shop',
  text: `SELECT id FROM customers WHERE name = '${text}'`,
});
const parts = (token: string) => token.split('.') as [string, string, string, string];

/** The claims of a token if a source is not enough to cause the difference. */
async function bare(one: Partial<Bound>, two: Partial<Bound>): Promise<string> {
  const tokens = new QueryTokens([{ id: 'k', secret: Buffer.from(secret), until: null }]);
  const bound: Bound = {
    ...{
      language: 'sql',
      canonical: 'a',
      text: 'a',
      variables: {},
      user: 'ann',
      tenant: 'acme',
      client: 's',
    },
    ...{ target: 'shop', server: 'shop', schema: 's', policy: 'p', action: 'read', risk: 'low' },
  };
  const token = tokens.sign({ ...bound, ...one }, { purpose: 'execute', approver: null, now: 0, ttlMs: ttl });
  return await problemOf((async () => tokens.verify(token, { ...bound, ...two }, 0, ttl))());
}

const cases: readonly (readonly [number, string, string, () => Promise<string>])[] = [
  [1, 'all as it was', 'ran', async () => await run(await shop())],
  [2, 'a second time', 'AlreadyUsed', async () => await twice(await shop())],
  [
    3,
    'a second time on another daemon of the store',
    'AlreadyUsed',
    async () => {
      const here = await shop();
      const there = await shop({}, read, 'b', here.store);
      expect(await here.run(here.token)).toBe('ran');
      return await there.run(here.token);
    },
  ],
  [
    4,
    'twice at once',
    'AlreadyUsed',
    async () => {
      const { run, token } = await shop();
      const outcomes = (await Promise.all([run(token), run(token)])).sort();
      expect(outcomes[1]).toBe('ran');
      return outcomes[0] ?? '';
    },
  ],
  [5, 'a second too late', 'TokenExpired', async () => await later(await shop(), ttl + 1000)],
  [
    6,
    'made in a time to come',
    'TokenInvalid',
    async () => {
      const { run, token, time } = await shop();
      return await run(forge(token, { iat: time.now + 120_000, exp: time.now + 120_000 + ttl }));
    },
  ],
  [
    7,
    'longer than tokens live',
    'TokenInvalid',
    async () => {
      const { run, token, time } = await shop();
      return await run(forge(token, { exp: time.now + ttl + 1 }));
    },
  ],
  [8, 'another literal', 'CodeMismatch', async () => await swapped(literal('a'), literal('b'))],
  [9, 'blanks in a literal', 'CodeMismatch', async () => await swapped(literal('a\n  b'), literal('a\nb'))],
  [
    10,
    'empty lines in a literal',
    'CodeMismatch',
    async () => await swapped(literal('a\n\nb'), literal('a\nb')),
  ],
  [
    11,
    'a comment',
    'CodeMismatch',
    async () => await swapped(read, { ...read, text: `${read.text} -- why` }),
  ],
  [12, 'other variables', 'CodeMismatch', async () => await swapped(read, { ...read, variables: { id: 2 } })],
  [
    13,
    'variables in another order',
    'ran',
    async () => {
      const text = 'SELECT id FROM orders WHERE id = :a AND total = :b';
      const one = { target: 'shop', text, variables: { a: 1, b: 2 } };
      return await swapped(one, { ...one, variables: { b: 2, a: 1 } });
    },
  ],
  [
    14,
    'a text for a number',
    'CodeMismatch',
    async () => await swapped(read, { ...read, variables: { id: '1' } }),
  ],
  [
    15,
    'a variable that stands twice',
    'InputError',
    async () => await problemOf((async () => parseJson('{"variables":{"id":1,"id":2}}'))()),
  ],
  [
    16,
    'another operation',
    'CodeMismatch',
    async () =>
      await bare(
        { language: 'graphql', canonical: 'query A { me }', text: 'query A { me }' },
        { language: 'graphql', canonical: 'query B { me }', text: 'query B { me }' },
      ),
  ],
  [17, 'another user', 'UserMismatch', async () => await asOther({ user: 'bob' })],
  [18, 'another tenant', 'UserMismatch', async () => await asOther({ tenant: 'other' })],
  [19, 'another session', 'ContextChanged', async () => await asOther({ session: 's2' })],
  [20, 'another server', 'ContextChanged', async () => await under({ server_id: 'elsewhere' })],
  [21, 'another source', 'ContextChanged', async () => await bare({}, { target: 'warehouse' })],
  [
    22,
    'another schema',
    'ContextChanged',
    async () => {
      const { run, token, schema } = await shop();
      writeFileSync(schema, `${tables} CREATE TABLE more (id INTEGER);`);
      return await run(token);
    },
  ],
  [23, 'other policies', 'ContextChanged', async () => await under({ sql_blocked_tables: ['customers'] })],
  [
    24,
    'a risk that was raised',
    'ContextChanged',
    async () => await under({ sensitive_fields: ['orders.total'] }),
  ],
  [25, 'a key that nobody knows', 'TokenInvalid', async () => await resigned({}, other)],
  [
    26,
    'a key that was replaced, after its time',
    'TokenInvalid',
    async () => {
      const { run, token, set, time } = await shop();
      set({ token_secret: other, token_previous_secrets: [secret] });
      time.now += ttl;
      return await run(forge(token, { iat: time.now, exp: time.now + ttl }));
    },
  ],
  [
    27,
    'a key that was replaced, in its time',
    'ran',
    async () => {
      const { run, token, set, time } = await shop();
      set({ token_secret: other, token_previous_secrets: [secret] });
      time.now += ttl - 1;
      return await run(token);
    },
  ],
  [
    28,
    'other claims under the same signature',
    'TokenInvalid',
    async () => {
      const { run, token } = await shop();
      const [version, id, , mac] = parts(token);
      const [, , body] = parts(forge(token, { sub: 'bob' }));
      return await run([version, id, body, mac].join('.'));
    },
  ],
  [
    29,
    'half a signature',
    'TokenInvalid',
    async () => await withMac((mac) => mac.subarray(0, 16).toString('base64url')),
  ],
  [30, 'no signature', 'TokenInvalid', async () => await withMac(() => '')],
  [31, 'a signature in hex', 'TokenInvalid', async () => await withMac((mac) => mac.toString('hex'))],
  [
    32,
    'the same bytes in another spelling',
    'TokenInvalid',
    async () => {
      expect(await withMac((mac) => `${mac.toString('base64url')}=`)).toBe('TokenInvalid');
      return await withMac((mac) => {
        const text = mac.toString('base64url');
        // Of the last letter two bits say nothing: the next one in the alphabet has the same bytes.
        const spelled = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
          .map((letter) => text.slice(0, -1) + letter)
          .find((each) => each !== text && Buffer.from(each, 'base64url').equals(mac));
        if (spelled === undefined) throw new Error('no other spelling');
        return spelled;
      });
    },
  ],
  [
    33,
    'an algorithm of none',
    'TokenInvalid',
    async () => {
      const { run, token } = await shop();
      const header = Buffer.from('{"alg":"none"}').toString('base64url');
      return await run(`${header}.${parts(token)[2]}.`);
    },
  ],
  [
    34,
    'names that were shifted',
    'UserMismatch',
    async () => await bare({ user: 'a|b', tenant: 'c' }, { user: 'a', tenant: 'b|c' }),
  ],
  [
    35,
    'of a dry run',
    'TokenInvalid',
    async () => {
      const { pipeline } = await shop();
      expect((await pipeline.validate(read, context, { dryRun: true })).approval_token).toBeNull();
      return await resigned({ purpose: 'dry_run' });
    },
  ],
  [36, 'of another language', 'CodeMismatch', async () => await resigned({ lang: 'graphql' })],
  [
    37,
    'that no person approved',
    'TokenInvalid',
    async () => {
      const given = await shop(writes, change);
      await yes(given, (await given.pipeline.validate(change, context)).approval?.id ?? '');
      const { approval_token: token } = await given.pipeline.validate(change, context);
      return await given.run(forge(token ?? '', { approver: null }));
    },
  ],
  [
    38,
    'approved by who asked for it, where two have to look',
    'UserMismatch',
    async () => {
      const own = await shop({ ...writes, four_eyes: true }, change);
      await yes(own, (await own.pipeline.validate(change, context)).approval?.id ?? '');
      const answer = await own.pipeline.validate(change, context);
      expect(answer).toMatchObject({
        valid: false,
        approval_token: null,
        violations: [{ rule: 'four_eyes' }],
      });
      const given = await shop({ ...writes, four_eyes: true }, change);
      const { approval } = await given.pipeline.validate(change, context);
      const { approvals } = given.ledger;
      await approvals.answer(approval?.id ?? '', 'approve', 'bob', person, {}, given.time.now);
      const { approval_token: token = null } = await given.pipeline.validate(change, context);
      const outcome = await given.run(forge(token ?? '', { approver: 'ann' }));
      expect(await given.run(token ?? '')).toBe('ran');
      return outcome;
    },
  ],
  [39, 'of 8 KiB', 'TokenInvalid', async () => await resigned({ more: 'x'.repeat(8192) })],
  [
    40,
    'a user that looks the same',
    'UserMismatch',
    async () => await bare({ user: 'jos\u00e9' }, { user: 'jose\u0301' }),
  ],
  [
    41,
    'a secret that is too short',
    'SallyportError',
    async () => {
      const short = 'x'.repeat(31);
      const mode = { token_secret: short };
      expect(() => settingsFrom({}, { sources: { shop: { kind: 'sqlite', code_mode: mode } } })).toThrow(
        '32',
      );
      return await problemOf(
        (async () => new QueryTokens([{ id: 'k', secret: Buffer.from(short), until: null }]))(),
      );
    },
  ],
  [42, 'a clock that went back', 'TokenInvalid', async () => await later(await shop(), -600_000)],
  [
    43,
    'a store that is gone',
    'StoreError',
    async () => {
      const { run, token, store } = await shop();
      await store.tamper('DROP TABLE tokens');
      return await run(token);
    },
  ],
];

async function run({ run: execute, token }: Given): Promise<string> {
  return await execute(token);
}

async function twice(given: Given): Promise<string> {
  expect(await run(given)).toBe('ran');
  return await run(given);
}

async function later(given: Given, ms: number): Promise<string> {
  given.time.now += ms;
  return await run(given);
}

/** One query validated, another run with its token. */
async function swapped(one: Query, two: Query): Promise<string> {
  const given = await shop({}, one);
  return await given.run(given.token, two);
}

async function asOther(who: Partial<typeof context>): Promise<string> {
  const given = await shop();
  return await given.run(given.token, read, who);
}

/** The token of one configuration, run under another. */
async function under(mode: JsonObject): Promise<string> {
  const given = await shop();
  given.set({ token_secret: secret, ...mode });
  return await run(given);
}

async function resigned(changes: JsonObject, by = secret): Promise<string> {
  const given = await shop();
  return await given.run(forge(given.token, changes, by));
}

async function withMac(spell: (mac: Buffer) => string): Promise<string> {
  const given = await shop();
  const [version, id, body, mac] = parts(given.token);
  return await given.run([version, id, body, spell(Buffer.from(mac, 'base64url'))].join('.'));
}

describe('a token', () => {
  it('has 43 cases', () => {
    expect(cases.map(([number]) => number)).toEqual(Array.from({ length: 43 }, (_, at) => at + 1));
  });

  it.each(cases)('case %i, %s: %s', async (_, __, expected, outcome) => {
    expect(await outcome()).toBe(expected);
  });
});
