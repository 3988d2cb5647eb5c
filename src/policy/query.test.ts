// Queries under policy: the result of each level, that they agree with the guard, and that nothing is permitted by
// default.

import { describe, expect, it } from 'vitest';
import { context } from '../../tests/support/decide.ts';
import { settingsFrom } from '../config/index.ts';
import { Budget, type Example, type Facts, type Finding, type JsonObject } from '../core/index.ts';
import { realWorld } from '../decide/index.ts';
import { queryGuard } from '../guards/query/index.ts';
import { graphql, postgres, rest } from '../guards/query/rules/examples.ts';
import { judgeByPolicy } from './judge.ts';

const world = realWorld();

interface Given {
  readonly policies?: string;
  readonly fallback?: 'permit' | 'deny';
  /** Replacements for the guard's own facts and findings. */
  readonly facts?: Facts;
  readonly findings?: readonly Finding[];
}

/** The policies' result for an example, and the guard's result before. */
async function ask({ action, given: { sources = {}, files = {} } = {} }: Example, given: Given = {}) {
  if (action.kind !== 'query') throw new Error('not a query');
  const settings = settingsFrom({}, { sources });
  const [schema] = Object.values(files);
  const judged = await queryGuard.check(action, {
    settings,
    world: { ...world, schemaText: () => (typeof schema === 'string' ? schema : null) },
    budget: new Budget(2_000_000),
    context,
    granted: () => false,
  });
  const { policies, fallback = 'permit' } = given;
  const written = policies === undefined ? [] : [{ name: 'own.cedar', text: policies, workspace: false }];
  const part = { pointer: '', action, facts: { ...judged.facts, ...given.facts }, sideEffect: false };
  const answer = await judgeByPolicy(
    { parts: [part], findings: given.findings ?? judged.findings },
    context,
    {
      ...settings,
      policy: { fallback, sources: written },
    },
  );
  return { ...answer, guard: judged.findings, rules: answer.findings.map(({ rule }) => rule) };
}

/** The policies' result alone, as if the guard had no findings. */
const alone = (example: Example, given: Given = {}) => ask(example, { ...given, findings: [] });

describe('the levels', () => {
  it.each([
    [graphql('{ me { id } }'), 'Read', 'server/shop/reads'],
    [
      graphql('mutation { createOrder(total: 1) { id } }', { allow_mutations: true }),
      'Write',
      'server/shop/writes',
    ],
    [
      postgres('DELETE FROM orders WHERE id = 1', { sql_allow_deletes: true }),
      'Delete',
      'server/shop/deletes',
    ],
    [postgres('CREATE TABLE copied (id int)', { sql_allow_ddl: true }), 'Admin', 'server/shop/schema'],
    [rest('{"method":"GET","url":"/orders"}'), 'Read', 'server/shop/reads'],
    [
      rest('{"method":"POST","url":"/orders","body":{"total":1}}', {
        openapi_allowed_writes: ['createOrder'],
      }),
      'Write',
      'server/shop/writes',
    ],
  ])('permit what the source allows: %#', async (example, action, id) => {
    const { asked, findings } = await ask(example);
    expect(asked).toMatchObject([
      { action, resource: 'CodeMode::Server::"shop"', decision: 'permit', determined: [id] },
    ]);
    expect(findings).toEqual([]);
  });

  it('hold a query to the limits of its source as they are now, whatever was answered before', async () => {
    const policy = { fallback: 'permit', sources: [] } as const;
    const answered = async (limit: number) => {
      const { action, given: { sources = {} } = {} } = graphql('{ me { id } }', { max_depth: limit });
      const part = { pointer: '', action, facts: { language: 'graphql', action: 'read', depth: 5 } };
      const { findings } = await judgeByPolicy(
        { parts: [{ ...part, sideEffect: false }], findings: [] },
        context,
        { ...settingsFrom({}, { sources }), policy },
      );
      return findings.map(({ rule }) => rule);
    };
    expect(await answered(5)).not.toContain('excessive_depth');
    expect(await answered(4)).toContain('excessive_depth');
  });

  it('look at what a policy looks at, and at which of two amounts is the larger, in each query anew', async () => {
    const policies = `
      @id("seven") forbid (principal, action, resource is CodeMode::Server) when { context.cost == 7 };
      @id("wide") forbid (principal, action, resource is CodeMode::Server) when { context.selections > context.depth };
      @id("same") forbid (principal, action, resource is CodeMode::Server) when { context.joins >= context.aliases && context.aliases > 0 };`;
    for (const [cost, selections, depth, joins, aliases] of [
      [1, 1, 1, 0, 0],
      [7, 1, 1, 0, 0],
      [8, 2, 1, 0, 0],
      [8, 2, 3, 1, 1],
      [9, 2, 3, 0, 1],
      [7, 9, 3, 2, 1],
      [2000, 2, 3, 0, 1],
      [3, 2, 3, 0, 1],
    ] as const) {
      const facts = { cost, selections, depth, joins, aliases };
      const expected = [
        ...(cost > 1000 ? ['excessive_cost'] : []),
        ...(joins >= aliases && aliases > 0 ? ['same'] : []),
        ...(cost === 7 ? ['seven'] : []),
        ...(selections > depth ? ['wide'] : []),
      ];
      const { findings } = await alone(graphql('{ me { id } }'), { facts, policies });
      expect(findings.map(({ rule }) => rule).toSorted(), JSON.stringify(facts)).toEqual(expected);
    }
  });

  it.each([
    ['subscription', { flags: ['subscription'] }],
    ['excessive_depth', { depth: 11 }],
    ['excessive_fields', { selections: 101 }],
    ['excessive_aliases', { aliases: 31 }],
    ['excessive_directives', { directives: 31 }],
    ['excessive_cost', { cost: 1001 }],
    ['excessive_cost', { cost: Number.POSITIVE_INFINITY }],
  ])('hold every query to the baseline: %s', async (rule, facts) => {
    expect((await alone(graphql('{ me { id } }'), { facts })).findings).toMatchObject([
      { rule, guard: 'policy', decision: 'block' },
    ]);
  });

  it.each([
    ['excessive_joins', { joins: 21 }],
    ['excessive_rows', { rows: 10_001 }],
  ])('hold every statement to the baseline: %s', async (rule, facts) => {
    expect((await alone(postgres('SELECT id FROM orders'), { facts })).rules).toEqual([rule]);
  });

  it('say who may not do what where nothing permits it', async () => {
    const { findings } = await alone(graphql('mutation { createOrder(total: 1) { id } }'));
    expect(findings).toMatchObject([
      {
        rule: 'default_deny',
        decision: 'block',
        message: 'no policy permits Write on CodeMode::Server::"shop" by Agent::"coder"',
      },
    ]);
  });

  it('take what could not be read for the strongest', async () => {
    const { asked, rules } = await alone(graphql('{ nonsense'));
    expect(asked).toMatchObject([{ action: 'Admin' }]);
    expect(rules).toEqual(['default_deny']);
  });

  it('permit nothing to a source that is off or not there', async () => {
    expect((await alone(graphql('{ me { id } }', { enabled: false }))).rules).toEqual(['default_deny']);
    const { action, given = {} } = graphql('{ me { id } }');
    const elsewhere = { ...action, target: 'elsewhere' } as Example['action'];
    expect((await alone({ action: elsewhere, given })).rules).toEqual(['default_deny']);
  });

  it('keep two sources of one server apart', async () => {
    const { action, given = {} } = graphql('mutation { createOrder(total: 1) { id } }', { server_id: 'one' });
    const open = graphql('{ me { id } }', { server_id: 'one', allow_mutations: true }).given?.sources?.[
      'shop'
    ];
    const sources = { ...given.sources, other: open } as JsonObject;
    expect((await alone({ action, given: { ...given, sources } })).rules).toEqual(['default_deny']);
  });

  it('are not told twice what the guard has said', async () => {
    const { guard, rules } = await ask(graphql('mutation { createOrder(total: 1) { id } }'));
    expect(guard).toMatchObject([{ rule: 'allow_mutations' }]);
    expect(rules).toEqual([]);
  });
});

describe('a policy that somebody wrote', () => {
  const read = graphql('{ me { id ssn } }');
  it.each([
    ['forbid (principal, action == CodeMode::Action::"Read", resource == CodeMode::Server::"shop");', true],
    ['forbid (principal, action == CodeMode::Action::"Write", resource);', false],
    ['forbid (principal in User::"ann", action, resource is CodeMode::Server);', true],
    ['forbid (principal in Tenant::"other", action, resource);', false],
    ['forbid (principal, action, resource in Workspace::"/work");', true],
    [
      'forbid (principal, action, resource is CodeMode::Server) when { context.fields.contains("Customer.ssn") };',
      true,
    ],
    ['forbid (principal, action, resource is CodeMode::Server) when { context.depth > 5 };', false],
    ['forbid (principal, action, resource is CodeMode::Server) when { context.sensitive.isEmpty() };', false],
    [
      'forbid (principal, action, resource is CodeMode::Server) when { context.language == "graphql" };',
      true,
    ],
    ['forbid (principal, action, resource) when { context.risk == "medium" };', true],
  ])('%s', async (text, hits) => {
    const { findings } = await ask(read, { policies: `@id("own")\n${text}` });
    const own = findings.filter(({ rule }) => rule === 'own');
    expect(own).toHaveLength(hits ? 1 : 0);
  });

  it('speaks beside the guard', async () => {
    const policies = '@id("own") forbid (principal, action, resource is CodeMode::Server);';
    expect((await ask(graphql('mutation { deleteOrder(id: 1) }'), { policies })).rules).toEqual(['own']);
  });

  it('asks where it says so', async () => {
    const policies =
      '@id("own") @decision("approve") forbid (principal, action, resource is CodeMode::Server);';
    expect((await ask(read, { policies })).findings).toMatchObject([{ rule: 'own', decision: 'approve' }]);
  });

  it('does not lift what the source does not allow', async () => {
    const policies = 'permit (principal, action, resource);';
    const { guard, rules } = await ask(graphql('mutation { deleteOrder(id: 1) }'), { policies });
    expect([guard.map(({ rule }) => rule), rules]).toEqual([['allow_mutations'], []]);
  });

  it('that cannot be evaluated denies, by name', async () => {
    const policies =
      'forbid (principal, action, resource is CodeMode::Server) when { context.depth + 9223372036854775807 == 0 };';
    expect((await ask(read, { policies })).findings).toMatchObject([
      {
        rule: 'evaluation_error',
        decision: 'block',
        message: 'the policy "own.cedar:1" cannot be evaluated',
      },
    ]);
  });

  it('may not take an id of the sources', async () => {
    const policies = '@id("server/shop/reads") forbid (principal, action, resource);';
    await expect(ask(read, { policies })).rejects.toThrow('is of the sources of the configuration');
  });
});

describe('default = "deny"', () => {
  const read = graphql('{ me { id } }');
  const permit =
    'permit (principal in User::"ann", action == CodeMode::Action::"Read", resource == CodeMode::Server::"shop");';
  it.each([
    [undefined, ['default_deny']],
    [permit, []],
    [permit.replace('Read', 'Write'), ['default_deny']],
    [`${permit}\n@id("no") forbid (principal, action, resource is CodeMode::Server);`, ['no']],
  ])('asks for a permit of one’s own: %j', async (policies, expected) => {
    const given = { fallback: 'deny', ...(policies === undefined ? {} : { policies }) } as const;
    expect((await ask(read, given)).rules).toEqual(expected);
  });
});

describe('the policies and the guard', () => {
  const ids: ReadonlySet<string> = new Set([
    ...['subscription', 'excessive_cost', 'excessive_depth', 'excessive_fields', 'excessive_aliases'],
    ...['excessive_directives', 'excessive_joins', 'excessive_rows', 'allow_mutations', 'blocked_mutation'],
    ...['mutation_not_allowed', 'blocked_query', 'query_not_allowed', 'blocked_statement', 'introspection'],
    ...['statement_not_allowed', 'reads_disabled', 'writes_disabled', 'deletes_disabled', 'ddl_disabled'],
    ...['blocked_method', 'blocked_field', 'blocked_input'],
  ]);

  it.each(queryGuard.rules.map((rule) => [rule.id, rule] as const))(
    'agree about every example of %s',
    async (id, { examples }) => {
      for (const example of examples.miss) {
        const { guard, rules } = await alone(example);
        // An example that misses one rule may hit another, and then the policies may too.
        if (guard.every(({ decision }) => decision !== 'block')) expect(rules).toEqual([]);
      }
      if (!ids.has(id)) return;
      for (const example of examples.hit) {
        const { asked, rules } = await alone(example);
        // A query that the reader refuses before it has facts is denied as unreadable.
        expect([example, asked[0]?.decision, rules.length > 0]).toEqual([example, 'block', true]);
      }
    },
  );
});

describe('names of any script', () => {
  it.each(['"quoted"', 'back\\slash', 'números', 'кошка_cat', '\u202egnp', 'a\nb', '🐈'])(
    'are names and nothing else: %j',
    async (name) => {
      const example = graphql('{ me { id } }', { server_id: name, blocked_mutations: [name] });
      expect((await ask(example)).asked).toMatchObject([{ decision: 'permit' }]);
    },
  );
});
