// Amazon Verified Permissions, as its wire has it: the same policies give the same answer as here, and no answer is no.

import { describe, expect, it, vi } from 'vitest';
import { type AvpServer, avpServer } from '../../tests/support/avp.ts';
import { context } from '../../tests/support/decide.ts';
import { settingsFrom } from '../config/index.ts';
import { Avp, avpFor } from './avp.ts';
import { judgeByPolicy } from './judge.ts';

const storeId = 'PSEXAMPLEabcdefg111111';
const here = 'resource == CodeMode::Server::"shop"';
const facts = {
  ...{ action: 'read', language: 'sql', operations: ['SELECT'], verbs: ['SELECT'], relations: ['orders'] },
  ...{ fields: ['orders.total'], depth: 1, cost: 1, joins: 0, rows: 10 },
};
const { sources } = settingsFrom({}, { sources: { shop: { kind: 'sqlite' } } });
const query = { kind: 'query', target: 'shop', language: 'sql', text: 'SELECT 1' } as const;
const question = { parts: [{ pointer: '', action: query, facts, sideEffect: false }], findings: [] };

/** A separate store for each test, so that no client uses another's server. */
let stores = 0;
async function served() {
  const id = `${storeId}${stores++}`;
  const server = await avpServer(id);
  return { server, avp: avpFor({ id, region: 'eu-west-1' }), id };
}

const rules = ({ findings }: { findings: readonly { decision: string; rule: string }[] }) =>
  findings.map(({ decision, rule }) => `${decision} ${rule}`);

/** The result of a store's policies for a read. */
async function ask(id: string, fallback: 'permit' | 'deny' = 'permit', stamp: string | null = 'now') {
  const store = { id, region: 'eu-west-1', stamp };
  return await judgeByPolicy(question, context, { policy: { fallback, sources: [], store }, sources });
}

/** The same policies as files. */
async function askHere(texts: readonly string[], fallback: 'permit' | 'deny') {
  const written = texts.map((text, at) => ({ name: `${at}.cedar`, text, workspace: false }));
  return await judgeByPolicy(question, context, { policy: { fallback, sources: written }, sources });
}

describe('a policy store', () => {
  const forbid = `@id("no") @reason("not now") forbid (principal, action, ${here});`;
  const asks = `@id("asks") @decision("approve") forbid (principal in User::"ann", action, ${here});`;
  const permit = `@id("yes") permit (principal, action == CodeMode::Action::"Read", ${here});`;
  it.each<[readonly string[], 'permit' | 'deny', readonly string[]]>([
    [[], 'permit', []],
    [[], 'deny', ['block default_deny']],
    [[forbid], 'permit', ['block no']],
    [[asks], 'permit', ['approve asks']],
    [[forbid, asks], 'permit', ['block no', 'approve asks']],
    [[permit], 'deny', []],
    [[permit, forbid], 'deny', ['block no']],
    [[`@id("x") forbid (principal, action, ${here}) when { context.limits.rows < 5 };`], 'permit', []],
    [
      [`@id("x") forbid (principal, action, ${here}) when { context.fields.contains("orders.total") };`],
      'permit',
      ['block x'],
    ],
    [
      [`@id("x") forbid (principal in Tenant::"acme", action, resource in Workspace::"/work");`],
      'permit',
      ['block x'],
    ],
    [[`@id("x") forbid (principal, action, resource) when { context.risk == "high" };`], 'permit', []],
  ])('answers as files of the same policies do: %j, %s', async (texts, fallback, expected) => {
    const { avp, id } = await served();
    for (const text of texts) await avp.create(undefined, text);
    const found = rules(await ask(id, fallback));
    expect(found.sort()).toEqual([...expected].sort());
    expect(rules(await askHere(texts, fallback)).sort()).toEqual([...expected].sort());
  });

  it('does not permit what another asks about, where silence denies', async () => {
    const { avp, id } = await served();
    for (const text of [permit, asks]) await avp.create(undefined, text);
    // The store reports which policies forbid, and then not whether any permits.
    expect(rules(await ask(id, 'deny'))).toEqual(['approve asks', 'block default_deny']);
  });

  it('is told of what is built in and of the source, which it cannot lift', async () => {
    const { avp, id } = await served();
    await avp.create(undefined, 'permit (principal, action, resource);');
    const store = { id, region: 'eu-west-1', stamp: 'now' };
    const write = { ...question.parts[0]!, facts: { ...facts, action: 'write', flags: ['subscription'] } };
    const policy = { fallback: 'permit', sources: [], store } as const;
    const answer = await judgeByPolicy({ parts: [write], findings: [] }, context, { policy, sources });
    expect(rules(answer)).toEqual(['block subscription']);
  });

  it('is asked anew for every query: a change counts at the next', async () => {
    const { avp, id, server } = await served();
    expect(rules(await ask(id))).toEqual([]);
    const made = await avp.create(undefined, forbid);
    expect(rules(await ask(id))).toEqual(['block no']);
    await avp.update(made.id, forbid.replace('"no"', '"never"'), made.version);
    expect(rules(await ask(id))).toEqual(['block never']);
    server.policies.clear();
    expect(rules(await ask(id))).toEqual([]);
  });

  it('names a policy without an @id, or of other words, by the id that it gave', async () => {
    const { avp, id, server } = await served();
    const { id: policy } = await avp.create(undefined, `forbid (principal, action, ${here});`);
    expect(rules(await ask(id))).toEqual([`block ${policy}`]);
    const at = 1_700_000_001;
    const foreign = 'forbid (principal, action, resource) when { context has unheard };';
    server.policies.clear();
    server.policies.set('foreign', { statement: foreign, createdDate: at, lastUpdatedDate: at });
    expect(rules(await ask(id))).toEqual([]);
    const other = '@shape("round") forbid (principal, action, resource);';
    server.policies.set('foreign', { statement: other, createdDate: at, lastUpdatedDate: at });
    expect(rules(await ask(id))).toEqual(['block foreign']);
  });
});

describe('its policies', () => {
  it('are listed over all pages, with their texts, and have versions', async () => {
    const { avp, server } = await served();
    for (let at = 0; at < 120; at++) {
      await avp.create(undefined, `@id("p${at}") forbid (principal, action, ${here});`);
    }
    const { policies, version, signed } = await avp.list();
    expect(policies).toHaveLength(120);
    expect(policies[119]?.text).toContain('p119');
    expect([signed, version]).toEqual([true, expect.stringContaining(policies[119]?.id ?? '')]);
    expect(server.calls.filter((call) => call === 'ListPolicies')).toHaveLength(3);
    server.calls.length = 0;
    await avp.stamp();
    expect(server.calls).toEqual(['GetPolicyStore']);
  });

  it('change the stamp, each of them and the store', async () => {
    const { avp } = await served();
    const stamps = [await avp.stamp()];
    const made = await avp.create(undefined, `forbid (principal, action, ${here});`);
    stamps.push(await avp.stamp());
    expect(await avp.stamp()).toBe(stamps[1]);
    const changed = await avp.update(
      made.id,
      `forbid (principal, action, ${here}) when { true };`,
      made.version,
    );
    stamps.push(await avp.stamp());
    await avp.remove(changed.id, changed.version);
    stamps.push(await avp.stamp());
    expect(new Set(stamps).size).toBe(4);
  });

  it.each<[string, (avp: Avp) => Promise<unknown>, string]>([
    ['no policy', (avp) => avp.create(undefined, 'forbid ('), 'InputError'],
    [
      'not in our words',
      (avp) => avp.create(undefined, 'forbid (principal, action, resource) when { context.x };'),
      'InputError',
    ],
    ['under an id of ours', (avp) => avp.create('own', `forbid (principal, action, ${here});`), 'InputError'],
    ['not there', (avp) => avp.update('none', `forbid (principal, action, ${here});`, ''), 'UnknownPolicy'],
    ['not there to be deleted', (avp) => avp.remove('none', ''), 'UnknownPolicy'],
    [
      'changed since',
      async (avp) => {
        const { id } = await avp.create(undefined, `forbid (principal, action, ${here});`);
        await avp.remove(id, 'another time');
      },
      'PolicyChanged',
    ],
  ])('are refused where one is %s', async (_, work, name) => {
    const { avp } = await served();
    await expect(work(avp)).rejects.toMatchObject({ name });
  });
});

describe('no answer', () => {
  const refused = [{ rule: 'evaluation_error', decision: 'block', guard: 'policy' }];
  it.each<[string, (server: AvpServer) => Promise<void> | void]>([
    ['the server is gone', (server) => server.stop()],
    ['it fails', (server) => server.fail('IsAuthorized', 500)],
    ['it refuses', (server) => server.fail('IsAuthorized', 403)],
    ['it is too busy', (server) => server.fail('IsAuthorized', 429)],
    [
      'a policy of it cannot be evaluated',
      ({ policies }) => {
        const statement = 'forbid (principal, action, resource) when { context.nothing };';
        policies.set('broken', { statement, createdDate: 1, lastUpdatedDate: 1 });
      },
    ],
    [
      'a policy that forbids cannot be read',
      (server) => {
        const statement = 'forbid (principal, action, resource);';
        server.policies.set('hidden', { statement, createdDate: 1, lastUpdatedDate: 1 });
        server.fail('GetPolicy', 500);
      },
    ],
  ])('is no: %s', async (_, arrange) => {
    const { server, id } = await served();
    await arrange(server);
    expect((await ask(id)).findings).toMatchObject(refused);
  });

  it('is no: there is no such store', async () => {
    await served();
    expect((await ask('PSnone')).findings).toMatchObject(refused);
  });

  it('is no: nobody knows which policies it has', async () => {
    const { id, server } = await served();
    expect((await ask(id, 'permit', null)).findings).toMatchObject(refused);
    expect(server.calls).toEqual([]);
  });

  it('is no: what speaks to it is not installed', async () => {
    vi.doMock('@aws-sdk/client-verifiedpermissions', () => {
      throw new Error('Cannot find package');
    });
    try {
      const avp = new Avp({ id: 'PSx', region: 'eu-west-1' });
      await expect(avp.stamp()).rejects.toThrow('is not installed');
    } finally {
      vi.doUnmock('@aws-sdk/client-verifiedpermissions');
    }
  });
});
