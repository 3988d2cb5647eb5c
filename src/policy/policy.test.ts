// Policies: which are refused when they are read, which match a request, and that an error never permits.

import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { context, finding } from '../../tests/support/decide.ts';
import { oneOf } from '../../tests/support/share.ts';
import type { PolicySource } from '../config/index.ts';
import { noPolicies } from '../config/reading.ts';
import type { Action, Context } from '../core/index.ts';
import { baseline } from './baseline.ts';
import { compileAll, compileSource, statementsOf } from './compile.ts';
import { entitiesFor, PolicySet } from './engine.ts';
import { cedarPolicy } from './index.ts';
import { judgeByPolicy } from './judge.ts';
import { askedOf, type Request, requestsOf } from './request.ts';
import { actions, type Cedar, irreversible, loadCedar, schemaText } from './schema.ts';
import type { Part } from './types.ts';

const source = (text: string, more: Partial<PolicySource> = {}): PolicySource => ({
  name: '/etc/own.cedar',
  text,
  workspace: false,
  ...more,
});

function part(action: Action, more: Partial<Part> = {}): Part {
  return { pointer: '', action, facts: {}, sideEffect: false, ...more };
}

interface Given {
  readonly policies?: string;
  readonly workspacePolicies?: string;
  readonly fallback?: 'permit' | 'deny';
  readonly context?: Partial<Context>;
  readonly findings?: readonly ReturnType<typeof finding>[];
}

async function ask(parts: Part | readonly Part[], given: Given = {}) {
  const { policies, workspacePolicies, fallback = 'permit', findings = [] } = given;
  const sources = [
    ...(policies === undefined ? [] : [source(policies)]),
    ...(workspacePolicies === undefined
      ? []
      : [source(workspacePolicies, { name: 'team.cedar', workspace: true })]),
  ];
  const question = { parts: [parts].flat(), findings };
  return await judgeByPolicy(
    question,
    { ...context, ...given.context },
    {
      policy: { fallback, sources },
      sources: [],
    },
  );
}

const mail: Action = { kind: 'tool', tool: 'send_email', server: 'mail', arguments: {} };
const bash: Action = { kind: 'tool', tool: 'Bash', arguments: {} };

describe('a file of policies', () => {
  it('is taken apart where its policies end', () => {
    const text = '// a; b\npermit (principal, action, resource);\n@reason("a; // \\" b")\nforbid (\n) ; x';
    expect(statementsOf(text).map((each) => each.text)).toEqual([
      'permit (principal, action, resource);',
      '@reason("a; // \\" b")\nforbid (\n) ;',
      'x',
    ]);
  });

  it('is put together again by its statements, whatever stands in it', () => {
    const piece = fc.constantFrom('permit', '"a;b"', '"\\""', '// c; d\n', ';', ' ', '\n', 'é', '"', '/');
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('');
        for (const { text: each, start } of statementsOf(text)) {
          expect(text.slice(start, start + each.length)).toBe(each);
        }
      }),
    );
  });

  const head = 'forbid (principal, action, resource)';
  it.each([
    ['', 1, 1, 'there is no policy'],
    ['// only a comment\n', 1, 1, 'there is no policy'],
    ['forbid (principal, action, resource', 1, 36, 'unexpected end of input'],
    [`${head};\n\nforbid (principal, actin, resource);`, 3, 20, 'actin'],
    [`${head}\nwhen { context.hosst == "a" };`, 2, 8, 'did you mean `host`?'],
    [`${head}\nwhen { context.host == "a" };`, 2, 8, 'context has host'],
    ['// é ü\nforbid (principal == Agnet::"é", action, resource);', 2, 22, 'Agnet'],
    ['forbid (principal, action == Action::"shel", resource);', 1, 30, 'did you mean `Action::"shell"`?'],
    ['forbid (principal, action, resource is User);', 1, 1, 'unable to find an applicable action'],
    [`${head} when { 1 == 2 };`, 1, 1, 'impossible'],
    [`${head} when { context.mode == "\u202eplan" };`, 1, 61, 'BIDI'],
    ['permit (principal == ?principal, action, resource);', 1, 22, 'template'],
    [`@decison("approve")\n${head};`, 1, 1, 'did you mean @decision?'],
    [`@decision("ask")\n${head};`, 1, 1, '@decision is "approve" or "block"'],
    ['@decision("approve")\npermit (principal, action, resource);', 1, 1, '@decision belongs to a forbid'],
    [`@id("a b")\n${head};`, 1, 1, 'an @id has letters'],
    [`@reason("")\n${head};`, 1, 1, 'a @reason has 1 to 500'],
    [`@id("a")\n@title("t")\n${head};`, 2, 1, 'unknown annotation @title'],
    [`@id("a") // @title\n  @ title("t")\n${head};`, 2, 3, 'unknown annotation @title'],
    [`@reason("see @decision(1)")\n@decision("ask")\n${head};`, 2, 1, '@decision is "approve" or "block"'],
    [`${head};\n@decision("block")\n\n@id("a b")\n${head};`, 4, 1, 'an @id has letters'],
    [`@id("a")\n@reason("")\n${head};`, 2, 1, 'a @reason has 1 to 500'],
    [`@id("a")\n${head};\n@id("a")\n${head};`, 3, 1, 'the id "a" stands twice'],
  ])('is refused with its place: %j', async (text, line, column, message) => {
    const { problems } = await compileSource(source(text));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ line, column, message: expect.stringContaining(message) });
    await expect(compileAll([source(text)])).rejects.toThrow(`/etc/own.cedar:${line}:${column}: `);
  });

  it('has every problem named, not the first alone', async () => {
    const { problems } = await compileSource(
      source('forbid (x);\npermit (y);\nforbid (principal, action, resource is User);'),
    );
    expect(problems.map(({ line }) => line)).toEqual([1, 2, 3]);
  });

  it('of a workspace may only forbid', async () => {
    const { problems } = await compileSource(
      source('permit (principal, action, resource);', { workspace: true }),
    );
    expect(problems).toMatchObject([{ message: "a workspace's own policy may only forbid" }]);
  });

  it('may not take an id that another file has, nor one of ours', async () => {
    const text = '@id("irreversible_asks")\nforbid (principal, action, resource);';
    await expect(compileAll([baseline, source(text)])).rejects.toThrow('stands in built in too');
  });

  it('gives a policy without an id its file and line', async () => {
    const [, second] = await compileAll([
      source('forbid (principal, action, resource);\n\nforbid (principal, action, resource);'),
    ]);
    expect(second?.id).toBe('own.cedar:3');
  });
});

describe('the built-in policies', () => {
  it('permit what the guards let through', async () => {
    const { findings, asked } = await ask(part(bash));
    expect(findings).toEqual([]);
    expect(asked).toMatchObject([{ action: 'tool', decision: 'permit', determined: ['permit_by_default'] }]);
  });

  it.each(irreversible)(
    'ask for %s where the guard did not, and add nothing where it did',
    async (effect) => {
      const call = part(mail, { facts: { effect } });
      expect((await ask(call)).findings).toMatchObject([{ rule: 'irreversible_asks', decision: 'approve' }]);
      const asked = [finding({ guard: 'tool', decision: 'approve', contract: 'AG-TOOL-3' })];
      expect((await ask(call, { findings: asked })).findings).toEqual([]);
    },
  );

  it('refuse in plan mode what cannot be taken back', async () => {
    const asked = [finding({ guard: 'tool', decision: 'approve', contract: 'AG-TOOL-3' })];
    const given: Given = { context: { mode: 'plan' }, findings: asked };
    const { findings } = await ask(part(mail, { facts: { effect: 'message' } }), given);
    expect(findings).toMatchObject([{ rule: 'plan_is_reversible', decision: 'block', guard: 'policy' }]);
  });

  it('know every kind of action: each makes a request that fits the schema', async () => {
    const samples: readonly Action[] = [
      { kind: 'prompt', text: 'a' },
      { kind: 'response', text: 'a' },
      { kind: 'shell', command: 'ls' },
      { kind: 'python', source: '1' },
      { kind: 'code', source: '1' },
      { kind: 'query', target: 'shop', language: 'sql', text: 'select 1' },
      { kind: 'read', path: 'a' },
      { kind: 'write', path: 'a', content: '' },
      { kind: 'fetch', url: 'https://a.com/' },
      ...actions.map((effect): Action => ({ kind: 'tool', tool: effect })),
    ];
    for (const action of samples) {
      const facts = action.kind === 'tool' ? { effect: action.tool } : { host: 'a.b.com', method: 'GET' };
      const { asked } = await ask(part(action, { facts }), {
        policies: 'forbid (principal in User::"x", action, resource);',
      });
      expect(asked).toHaveLength(1);
    }
  });
});

describe('a policy of the user’s own', () => {
  const hits = async (policies: string, parts: Part | readonly Part[], given: Given = {}) =>
    (await ask(parts, { policies, ...given })).findings.map(({ rule, decision, pointer }) =>
      [decision, rule, ...(pointer === undefined ? [] : [pointer])].join(' '),
    );
  const write = (path: string): Part => part({ kind: 'write', path, content: '' });

  it.each<[string, Part, boolean]>([
    ['forbid (principal == Agent::"coder", action, resource);', part(bash), true],
    ['forbid (principal == Agent::"other", action, resource);', part(bash), false],
    ['forbid (principal in User::"ann", action, resource);', part(bash), true],
    ['forbid (principal in Tenant::"acme", action, resource);', part(bash), true],
    ['forbid (principal in Tenant::"evil", action, resource);', part(bash), false],
    [
      'forbid (principal is Agent in User::"ann", action, resource is Tool in ToolServer::"mail");',
      part(mail),
      true,
    ],
    ['forbid (principal, action, resource is Tool in ToolServer::"mail");', part(bash), false],
    ['forbid (principal, action, resource == Tool::"Bash");', part(bash), true],
    ['forbid (principal, action, resource in Workspace::"/work");', part(bash), true],
    ['forbid (principal, action, resource in Workspace::"/");', part(bash), false],
    [
      'forbid (principal, action == Action::"message", resource);',
      part(mail, { facts: { effect: 'message' } }),
      true,
    ],
    [
      'forbid (principal, action == Action::"message", resource);',
      part(mail, { facts: { effect: 'unheard-of' } }),
      false,
    ],
    [
      'forbid (principal, action == Action::"tool", resource);',
      part(mail, { facts: { effect: 'unheard-of' } }),
      true,
    ],
    [
      'forbid (principal, action in [Action::"read", Action::"shell"], resource);',
      part({ kind: 'shell', command: 'ls' }),
      true,
    ],
    [
      'forbid (principal, action, resource) when { context.programs.contains("curl") };',
      part({ kind: 'shell', command: 'curl' }, { facts: { programs: ['curl'] } }),
      true,
    ],
    [
      'forbid (principal, action, resource) when { context.effects.contains("git") };',
      part({ kind: 'shell', command: 'git push' }, { facts: { effects: { git: 1 } } }),
      true,
    ],
    [
      'forbid (principal, action, resource in Host::"example.com");',
      part({ kind: 'fetch', url: 'https://a.example.com/' }, { facts: { host: 'a.example.com' } }),
      true,
    ],
    [
      'forbid (principal, action, resource in Host::"example.com");',
      part({ kind: 'fetch', url: 'https://notexample.com/' }, { facts: { host: 'notexample.com' } }),
      false,
    ],
    [
      'forbid (principal, action, resource == Host::"10.0.0.1");',
      part({ kind: 'fetch', url: 'https://10.0.0.1/' }, { facts: { host: '10.0.0.1' } }),
      true,
    ],
    [
      'forbid (principal, action, resource in Host::"0.1");',
      part({ kind: 'fetch', url: 'https://10.0.0.1/' }, { facts: { host: '10.0.0.1' } }),
      false,
    ],
    [
      'forbid (principal, action == Action::"write", resource) when { context has path && context.path like "infra/*" };',
      write('infra/a.tf'),
      true,
    ],
    [
      'forbid (principal, action == Action::"write", resource) when { context has path && context.path like "infra/*" };',
      write('src/../infra/a.tf'),
      true,
    ],
    [
      'forbid (principal, action == Action::"write", resource) when { context has path && context.path like "infra/*" };',
      write('/work/infra/a.tf'),
      true,
    ],
    [
      'forbid (principal, action == Action::"write", resource) when { context has path && context.path like "infra/*" };',
      write('src/a.ts'),
      false,
    ],
    [
      'forbid (principal, action == Action::"write", resource) when { context has path && context.path like "/etc/*" };',
      write('../etc/passwd'),
      true,
    ],
    [
      'forbid (principal, action, resource) when { context.risk == "critical" };',
      part(bash, { facts: { risk: 'CRITICAL' } }),
      true,
    ],
    [
      'forbid (principal, action, resource) when { context.risk == "medium" };',
      part(bash, { sideEffect: true }),
      true,
    ],
    [
      'forbid (principal, action, resource) when { context.risk == "low" };',
      part(bash, { sideEffect: true }),
      false,
    ],
  ])('%s', async (policies, asked, expected) => {
    const found = (await hits(policies, asked)).filter((hit) => hit !== 'approve irreversible_asks');
    expect(found).toEqual(expected ? ['block own.cedar:1'] : []);
  });

  it('sees every path of a change, and is told once', async () => {
    const changes = [
      { op: 'edit', path: 'src/a.ts', content: '' },
      { op: 'rename', path: 'src/b.ts', to: 'infra/b.tf' },
      { op: 'delete', path: 'infra/c.tf' },
    ] as const;
    const policy =
      'forbid (principal, action, resource) when { context has path && context.path like "infra/*" };';
    expect(await hits(policy, part({ kind: 'write', changes }))).toEqual(['block own.cedar:1']);
  });

  it('sees the actions inside an action, and says where', async () => {
    const parts = [part(bash), part({ kind: 'shell', command: 'ls' }, { pointer: '/arguments/command' })];
    const policy = 'forbid (principal, action == Action::"shell", resource);';
    expect(await hits(policy, parts)).toEqual(['block own.cedar:1 /arguments/command']);
  });

  it('sees what the guards found', async () => {
    const policy =
      '@id("no_disk")\nforbid (principal, action, resource) when { context.rules.contains("raw_disk") && context.decision == "approve" };';
    const findings = [finding({ rule: 'raw_disk', decision: 'approve' })];
    expect(await hits(policy, part(bash), { findings })).toEqual(['block no_disk']);
    expect(await hits(policy, part(bash))).toEqual([]);
  });

  it('asks where it says so, and shows its reason', async () => {
    const policies =
      '@id("mail_asks")\n@decision("approve")\n@reason("mail goes to customers")\nforbid (principal, action, resource in ToolServer::"mail");';
    expect((await ask(part(mail), { policies })).findings).toEqual([
      { rule: 'mail_asks', guard: 'policy', decision: 'approve', message: 'mail goes to customers' },
    ]);
  });

  it('from a workspace is told as the workspace’s', async () => {
    const workspacePolicies =
      '@id("safe")\n@reason("this is safe\u202e")\nforbid (principal, action, resource);';
    const { findings } = await ask(part(mail), { workspacePolicies });
    expect(findings[0]?.message).toBe(`the workspace's policy "safe" forbids it: this is safe\\u{202e}`);
  });
});

describe('default = "deny"', () => {
  const permit = 'permit (principal, action, resource == Tool::"Bash");';
  const asks = '@id("asks")\n@decision("approve")\nforbid (principal, action, resource);';
  it.each([
    [part(bash), permit, []],
    [part(mail), permit, ['block default_deny']],
    [part(mail), undefined, ['block default_deny']],
    [part(bash), `${permit}\n${asks}`, ['approve asks']],
    // A forbid that only asks must not open what nothing permits.
    [part(mail), `${permit}\n${asks}`, ['approve asks', 'block default_deny']],
    [part(bash), `${permit}\nforbid (principal, action, resource);`, ['block own.cedar:2']],
  ])('%#', async (asked, policies, expected) => {
    const given = { fallback: 'deny', ...(policies === undefined ? {} : { policies }) } as const;
    const { findings } = await ask(asked, given);
    expect(findings.map(({ decision, rule }) => `${decision} ${rule}`)).toEqual(expected);
  });

  it('says who may not do what', async () => {
    const { findings } = await ask(part(mail), { fallback: 'deny' });
    expect(findings[0]?.message).toBe('no policy permits tool on Tool::"send_email" by Agent::"coder"');
  });
});

describe('an error', () => {
  it('of one policy refuses, whatever the others say', async () => {
    // The largest number plus one: no validation can see it.
    const policies =
      'forbid (principal, action, resource) when { (if context.mode == "plan" then 1 else 9223372036854775807) + 1 == 0 };';
    await expect(ask(part(bash), { policies })).rejects.toThrow('"own.cedar:1" cannot be evaluated');
    expect((await ask(part(bash), { policies, context: { mode: 'plan' } })).findings).toEqual([]);
  });

  it('of a file refuses every action, with the place', async () => {
    await expect(ask(part(bash), { policies: '\nforbid (' })).rejects.toThrow('/etc/own.cedar:2:');
  });

  it('of a request that does not fit the schema refuses', async () => {
    const set = new PolicySet(await loadCedar(), await compileAll([baseline]));
    const [request] = requestsOf(askedOf({ parts: [part(bash)], findings: [] }, '/w'), context);
    const { mode: _, ...rest } = request!.context;
    const broken = { ...request!, context: rest as NonNullable<typeof request>['context'] };
    expect(() => set.evaluate(broken, [0])).toThrow('cannot be judged');
  });

  it('of the engine itself refuses', async () => {
    const cedar = await loadCedar();
    const failing = {
      ...cedar,
      statefulIsAuthorized: () => {
        throw new Error('unreachable');
      },
    };
    const set = new PolicySet(failing, await compileAll([baseline]));
    const [request] = requestsOf(askedOf({ parts: [part(bash)], findings: [] }, '/w'), context);
    expect(() => set.evaluate(request!, [0])).toThrow('unreachable');
  });

  it('is an action with more paths than are judged', async () => {
    const changes = Array.from({ length: 1001 }, (_, at) => ({ op: 'delete' as const, path: `a${at}` }));
    await expect(ask(part({ kind: 'write', changes }))).rejects.toThrow('more parts than are judged');
  });

  it('of an engine that is not there is named, and it is tried again', async () => {
    vi.resetModules();
    vi.doMock('@cedar-policy/cedar-wasm/nodejs', () => {
      throw new Error('Cannot find package');
    });
    const fresh = await import('./schema.ts');
    await expect(fresh.loadCedar()).rejects.toThrow('the policy engine is not installed');
    vi.doUnmock('@cedar-policy/cedar-wasm/nodejs');
    expect((await fresh.loadCedar()).getCedarVersion()).toMatch(/^\d/);
  });
});

describe('the engine', () => {
  const settings = { policy: { fallback: 'permit', sources: noPolicies }, sources: [] } as const;

  it('is not asked where nothing could forbid', () => {
    const question = { parts: [part({ kind: 'fetch', url: 'https://a.com/' })], findings: [] };
    expect(cedarPolicy(question, context, settings)).toEqual({ findings: [], asked: [] });
  });

  it('is asked about every tool, and about everything once there is a policy', async () => {
    const tool = await cedarPolicy({ parts: [part(bash)], findings: [] }, context, settings);
    expect(tool.asked).toHaveLength(1);
    const own = {
      ...settings,
      policy: { ...settings.policy, sources: [source('forbid (principal, action, resource);')] },
    };
    const fetch = { parts: [part({ kind: 'fetch', url: 'https://a.com/' })], findings: [] };
    expect((await cedarPolicy(fetch, context, own)).findings).toHaveLength(1);
    const deny = { ...settings, policy: { ...settings.policy, fallback: 'deny' as const } };
    expect((await cedarPolicy(fetch, context, deny)).findings).toMatchObject([{ rule: 'default_deny' }]);
  });

  it('uses the names of its sets again, and answers as before', async () => {
    const tools = Array.from({ length: 600 }, (_, at) => `t${at}`);
    const policies = tools.map(
      (tool) => `@id("${tool}")\nforbid (principal, action, resource == Tool::"${tool}");`,
    );
    const set = new PolicySet(await loadCedar(), await compileAll([baseline, source(policies.join('\n'))]));
    for (const tool of [...tools, ...tools]) {
      const [request] = requestsOf(
        askedOf({ parts: [part({ kind: 'tool', tool })], findings: [] }, '/w'),
        context,
      );
      const slice = set.slice(request!);
      expect(set.ask(request!, slice).determined).toEqual([tool]);
    }
  });
});

/** The engine's answer in its full form: all policies, the schema, no cache. */
function byWholeEngine(cedar: Cedar, { policies }: PolicySet, request: Request) {
  const answer = cedar.isAuthorized({
    principal: { ...request.principal.entity },
    action: { ...request.action },
    resource: { ...request.resource.entity },
    context: JSON.parse(JSON.stringify(request.context)),
    entities: entitiesFor({ ...request, groups: [] }),
    policies: { staticPolicies: Object.fromEntries(policies.map(({ id, text }) => [id, text])) },
    schema: schemaText,
    validateRequest: true,
  });
  if (answer.type === 'failure') throw new Error(answer.errors[0]?.message);
  const { decision, diagnostics } = answer.response;
  expect(diagnostics.errors).toEqual([]);
  return { allowed: decision === 'allow', determined: diagnostics.reason.toSorted() };
}

describe('a slice', () => {
  const principals = [
    'principal',
    'principal == Agent::"coder"',
    'principal == Agent::"b"',
    'principal in User::"ann"',
    'principal in Tenant::"acme"',
    'principal in Tenant::"t"',
    'principal is Agent',
    'principal is Agent in User::"ann"',
    'principal is Agent in User::"bob"',
    'principal in Agent::"coder"',
  ];
  const actionScopes = [
    'action',
    'action == Action::"message"',
    'action == Action::"shell"',
    'action in Action::"irreversible"',
    'action in [Action::"shell", Action::"irreversible"]',
    'action in Action::"message"',
    'action in [Action::"fetch", Action::"read"]',
    'action == CodeMode::Action::"Read"',
    'action in [CodeMode::Action::"Read", CodeMode::Action::"Delete"]',
  ];
  const resources = [
    'resource',
    'resource == Tool::"a"',
    'resource in ToolServer::"mail"',
    'resource in Workspace::"/work"',
    'resource is Tool',
    'resource is Tool in ToolServer::"mail"',
    'resource is Host',
    'resource in Host::"b.com"',
    'resource == Workspace::"/work"',
    'resource is Host in Host::"com"',
    'resource is CodeMode::Server',
    'resource == CodeMode::Server::"shop"',
  ];
  const conditions = [
    '',
    ' when { context.mode == "plan" }',
    ' unless { context.changes }',
    ' when { context has path && context.path like "a*" }',
    ' when { context.rules.contains("x") || context.contracts.isEmpty() }',
    ' when { if context has host then context.host == "b.com" else context.workspace == "/work" }',
    ' when { [context.risk, context.decision].contains("low") }',
    ' unless { context == context }',
    ' when { principal in User::"ann" }',
    ' unless { principal in [User::"bob", Tenant::"acme"] }',
    ' when { principal is Agent in Tenant::"acme" }',
    ' when { action in Action::"irreversible" }',
    ' when { context.changes || [principal in Tenant::"t", true].contains(false) }',
  ];
  const parts: readonly Part[] = [
    ...['message', 'shell', 'read', ''].flatMap((effect) =>
      [undefined, 'mail', 'other'].map((server) =>
        part({ kind: 'tool', tool: 'a', ...(server === undefined ? {} : { server }) }, { facts: { effect } }),
      ),
    ),
    part({ kind: 'shell', command: 'ls' }, { sideEffect: true }),
    part({ kind: 'fetch', url: 'https://a.b.com/' }, { facts: { host: 'a.b.com' } }),
    part({ kind: 'fetch', url: 'https://b.com/' }, { facts: { host: 'b.com' } }),
    part({ kind: 'read', path: 'a' }),
    part({ kind: 'query', target: 'shop', language: 'sql', text: '' }, { facts: { action: 'read' } }),
  ];

  it('gives the same answer as all of the policies held to the schema', async () => {
    const cedar = await loadCedar();
    const policy = fc
      .tuple(
        fc.constantFrom('permit', 'forbid'),
        fc.constantFrom(...principals),
        fc.constantFrom(...actionScopes),
        fc.constantFrom(...resources),
        fc.constantFrom(...conditions),
      )
      .map(
        ([effect, principal, action, resource, condition]) =>
          `${effect} (${principal}, ${action}, ${resource})${condition};`,
      );
    const some = fc.array(policy, { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(
        some,
        fc.constantFrom(...parts),
        fc.constantFrom('plan', 'auto'),
        async (texts, asked, mode) => {
          const read = await Promise.all(
            texts.map((text, at) => compileSource(source(text, { name: `${at}.cedar` }))),
          );
          // A policy whose scope can never hold is refused when it is read.
          const set = new PolicySet(
            cedar,
            read.filter(({ problems }) => problems.length === 0).flatMap(({ policies }) => policies),
          );
          const [request] = requestsOf(askedOf({ parts: [asked], findings: [] }, '/w'), { ...context, mode });
          expect(set.evaluate(request!, set.slice(request!))).toEqual(byWholeEngine(cedar, set, request!));
        },
      ),
      { numRuns: 100 / oneOf(2) },
    );
  });
});
