import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  context,
  finding,
  guardOf,
  judgement,
  noRecords,
  saying,
  stillWorld,
  testDecider,
} from '../../tests/support/decide.ts';
import { openEnrolledLedger, person } from '../../tests/support/ledger.ts';
import { ConfigError, configOf, settingsFrom } from '../config/index.ts';
import {
  type Action,
  BudgetExceeded,
  type Context,
  decisions,
  type Finding,
  strongest,
} from '../core/index.ts';
import { StoreFull } from '../ledger/index.ts';
import { NotCleared, takeClearance } from './cleared.ts';

const action = { kind: 'fetch', url: 'https://example.com/' } as const;
const question = finding({ rule: 'ask', decision: 'approve', message: 'is it meant?', grant: 'the effect' });

/** Whether the guard's own question was already approved. */
const asking = guardOf(['fetch'], (_, { granted }) =>
  judgement({ findings: granted('the effect') ? [] : [question] }),
);

describe('the verdict', () => {
  it('is the strongest of the findings of all guards', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.constantFrom(...decisions, 'warn' as const))), async (lists) => {
        const guards = lists.map((weights) => saying(...weights.map((decision) => finding({ decision }))));
        const { verdict, cleared } = await testDecider({ guards: [...guards, saying()] }).decide(
          action,
          context,
        );
        expect(verdict.decision).toBe(strongest(lists.flat()));
        expect(cleared !== null).toBe(verdict.decision === 'pass' || verdict.decision === 'redact');
      }),
    );
  });

  it('carries the action as rewritten, by one guard after the other', async () => {
    const add = (path: string) =>
      guardOf(['fetch'], (given) => judgement({ rewritten: { ...given, url: given.url + path } as never }));
    const { verdict, cleared } = await testDecider({ guards: [add('a'), add('b')] }).decide(action, context);
    expect(verdict.action).toEqual({ kind: 'fetch', url: 'https://example.com/ab' });
    expect(cleared?.action).toEqual(verdict.action);
  });

  it('explains itself with the reasons that decided', async () => {
    const guards = [
      saying(finding({ suggestion: 'do this' }), finding({ decision: 'warn', message: 'mind that' })),
    ];
    const { verdict } = await testDecider({ guards }).decide(action, context);
    expect(verdict.explanation).toBe('Blocked: it is bad. Note: mind that. Instead: do this.');
  });
});

describe('what fails is refused', () => {
  const faults: [string, Parameters<typeof testDecider>[0], string][] = [
    ['a kind without a guard', { guards: [] }, 'no_guard'],
    [
      'a guard that throws',
      {
        guards: [
          guardOf(['fetch'], () => {
            throw new TypeError('oops');
          }),
        ],
      },
      'guard_error',
    ],
    [
      'a guard that rejects',
      { guards: [guardOf(['fetch'], () => Promise.reject('no error at all'))] },
      'guard_error',
    ],
    [
      'a guard that cannot be loaded',
      {
        guards: [{ name: 'fetch', kinds: ['fetch'], use: () => Promise.reject(new Error()) }],
      },
      'guard_error',
    ],
    ['a guard that gives nothing', { guards: [guardOf(['fetch'], () => undefined as never)] }, 'guard_error'],
    [
      'a guard that spends its budget',
      {
        guards: [
          guardOf(['fetch'], (_, { budget }) => {
            for (;;) budget.spend(1000);
          }),
        ],
      },
      'budget_exceeded',
    ],
    [
      'a guard that says that its budget is spent',
      { guards: [guardOf(['fetch'], () => Promise.reject(new BudgetExceeded('too much')))] },
      'budget_exceeded',
    ],
    [
      'an expansion that throws',
      {
        guards: [
          guardOf(['fetch'], () => judgement(), {
            expand: () => {
              throw new Error('oops');
            },
          }),
        ],
      },
      'guard_error',
    ],
    [
      'a configuration that cannot be used',
      {
        guards: [saying()],
        config: configOf(() => {
          throw new ConfigError('line 3 is wrong');
        }),
      },
      'config_invalid',
    ],
    [
      'a policy that throws',
      {
        guards: [saying()],
        policy: () => {
          throw new Error('oops');
        },
      },
      'policy_error',
    ],
    [
      'a record that cannot be written',
      { guards: [saying()], ledger: { ...noRecords, record: () => Promise.reject(new StoreFull('full')) } },
      'record_failed',
    ],
    [
      'approvals that cannot be asked for',
      {
        guards: [asking],
        ledger: {
          ...noRecords,
          approvals: {
            ...noRecords.approvals,
            ask: async () => {
              throw new StoreFull('full');
            },
          },
        },
      },
      'approvals_unavailable',
    ],
    [
      'permissions that cannot be read',
      {
        guards: [asking],
        ledger: {
          ...noRecords,
          permissions: {
            ...noRecords.permissions,
            covering: async () => {
              throw new Error('oops');
            },
          },
        },
      },
      'approvals_unavailable',
    ],
  ];
  it.each(faults)('%s', async (_, options, rule) => {
    const { verdict, cleared } = await testDecider(options).decide(action, context);
    expect(verdict.decision).toBe('block');
    expect(verdict.findings.map((found) => found.rule)).toContain(rule);
    expect(verdict.approval).toBeNull();
    expect(cleared).toBeNull();
  });

  it('and a foreign error is named in the record, its text is not', async () => {
    const ledger = await openEnrolledLedger();
    const guards = [
      guardOf(['fetch'], () => {
        throw new TypeError('holds a secret: hunter2');
      }),
    ];
    const { verdict } = await testDecider({ guards, ledger }).decide(action, context);
    const entries = await ledger.audit.list({ decisionId: verdict.decisionId });
    expect(entries.map(({ event_type: type }) => type)).toEqual(['decision', 'guard_error']);
    expect(entries[1]?.details).toEqual({ guard: 'fetch', error: 'TypeError' });
    expect(JSON.stringify([verdict, entries])).not.toContain('hunter2');
  });
});

describe('an action inside another', () => {
  const inner = { kind: 'read', path: 'a' } as const;
  const outer = (check: Parameters<typeof guardOf>[1]) =>
    guardOf(['fetch'], check as never, {
      expand: () => [{ pointer: '/inside', action: inner, replace: (parent) => parent }],
    });

  it('is handed to the guard of the whole as its own guards judged it', async () => {
    const found = finding({ rule: 'inner', decision: 'approve', pointer: '/path' });
    const seen: unknown[] = [];
    const guards = [
      guardOf(['read'], () => judgement({ facts: { a: 1 }, findings: [found], sideEffect: true })),
      outer((_, { parts }) => {
        seen.push(parts);
        return judgement();
      }),
    ];
    const { verdict } = await testDecider({ guards }).decide(action, context);
    expect(seen).toEqual([
      [
        expect.objectContaining({
          pointer: '/inside',
          action: inner,
          facts: { a: 1 },
          findings: [found],
          sideEffect: true,
        }),
      ],
    ]);
    expect(verdict.findings).toEqual([{ ...found, pointer: '/inside/path' }]);
  });

  it('makes the whole a change, which is on disk before it goes', async () => {
    for (const sideEffect of [true, false]) {
      const durable: boolean[] = [];
      const record: (typeof noRecords)['record'] = (_, isDurable) => {
        durable.push(isDurable);
        return undefined;
      };
      const guards = [guardOf(['read'], () => judgement({ sideEffect })), outer(() => judgement())];
      await testDecider({ guards, ledger: { ...noRecords, record } }).decide(action, context);
      expect(durable).toEqual([sideEffect]);
    }
  });

  it('tells what happened in it by its own name', async () => {
    const ledger = await openEnrolledLedger();
    const events = [{ type: 'cross_tenant' as const, details: { tool: 'x' } }];
    const guards = [guardOf(['read'], () => judgement({ events })), outer(() => judgement())];
    const { verdict } = await testDecider({ guards, ledger }).decide(action, context);
    const entries = await ledger.audit.list({ decisionId: verdict.decisionId });
    expect(entries.map(({ event_type: type, details }) => [type, details['tool']])).toEqual([
      ['decision', undefined],
      ['cross_tenant', 'x'],
    ]);
  });
});

describe('a policy', () => {
  it('only adds', async () => {
    const guards = [saying(finding({ decision: 'approve' }))];
    const decide = async (findings: readonly Finding[]) =>
      (await testDecider({ guards, policy: async () => ({ findings, asked: [] }) }).decide(action, context))
        .verdict.decision;
    expect(await decide([])).toBe('approve');
    expect(await decide([finding({ guard: 'policy', decision: 'pass' })])).toBe('approve');
    expect(await decide([finding({ guard: 'policy', decision: 'block' })])).toBe('block');
  });
});

describe('an action inside an action', () => {
  const tool = (url: string): Action => ({ kind: 'tool', tool: 'WebFetch', arguments: { url } });
  const expanding = guardOf(['tool'], () => judgement(), {
    expand: (parent) => [
      {
        pointer: '/arguments/url',
        action: { kind: 'fetch', url: String(parent.arguments?.['url']) },
        replace: (whole, part) => ({
          ...whole,
          arguments: { ...whole.arguments, url: (part as typeof action).url },
        }),
      },
    ],
  });

  it('is judged by its own guards, with its place in the whole', async () => {
    const guards = [expanding, saying(finding({ pointer: '/url' }))];
    const { verdict } = await testDecider({ guards }).decide(tool('https://a/'), context);
    expect(verdict).toMatchObject({
      decision: 'block',
      findings: [{ rule: 'a_rule', pointer: '/arguments/url/url' }],
    });
  });

  it('goes back rewritten', async () => {
    const clean = guardOf(['fetch'], (given) =>
      judgement({ rewritten: { ...given, url: 'https://b/' } as never }),
    );
    const { verdict } = await testDecider({ guards: [expanding, clean] }).decide(tool('https://a/'), context);
    expect(verdict.action).toEqual(tool('https://b/'));
  });

  it('that no guard knows is refused', async () => {
    const { verdict } = await testDecider({ guards: [expanding] }).decide(tool('https://a/'), context);
    expect(verdict.findings).toMatchObject([{ rule: 'no_guard', pointer: '/arguments/url' }]);
  });

  it('may not nest without end', async () => {
    const endless = guardOf(['tool'], () => judgement(), {
      expand: (parent) => [{ pointer: '/x', action: parent, replace: (whole) => whole }],
    });
    const { verdict } = await testDecider({ guards: [endless] }).decide(tool('x'), context);
    expect(verdict.findings.map(({ rule }) => rule)).toContain('too_many_parts');
    expect(verdict.decision).toBe('block');
  });
});

describe('an approval', () => {
  async function setting() {
    const world = stillWorld();
    const ledger = await openEnrolledLedger();
    const decider = testDecider({ guards: [asking], ledger, world });
    const decide = async (change: Partial<Context> = {}, given: Action = action) =>
      (await decider.decide(given, { ...context, ...change })).verdict;
    const answer = (id: string, yes: boolean) =>
      ledger.approvals.answer(id, yes ? 'approve' : 'deny', 'ann', person, {}, world.now());
    return { world, ledger, decide, answer };
  }

  it('lets exactly that action go, once', async () => {
    const { decide, answer } = await setting();
    const first = await decide();
    expect(first.decision).toBe('approve');
    expect(first.approval).toMatchObject({ how: `sallyport approve ${first.approval?.id}` });
    expect((await decide()).approval?.id).toBe(first.approval?.id);
    await answer(first.approval!.id, true);
    const second = await decide();
    expect(second.decision).toBe('pass');
    expect(second.findings).toMatchObject([
      { rule: 'ask', decision: 'warn', message: 'is it meant?; it was approved' },
    ]);
    const third = await decide();
    expect(third.decision).toBe('approve');
    expect(third.approval?.id).not.toBe(first.approval?.id);
  });

  it.each<[string, Partial<Context>, Action]>([
    ['another user', { user: 'bob' }, action],
    ['another tenant', { tenant: 'other' }, action],
    ['another agent', { agent: 'helper' }, action],
    ['another workspace', { workspace: '/else' }, action],
    ['another mode', { mode: 'auto' }, action],
    ['another address', {}, { ...action, url: 'https://example.com/x' }],
    ['another method', {}, { ...action, method: 'HEAD' }],
  ])('does not hold for %s', async (_, change, other) => {
    const { decide, answer } = await setting();
    await answer((await decide()).approval!.id, true);
    expect((await decide(change, other)).decision).toBe('approve');
    expect((await decide()).decision).toBe('pass');
  });

  it('counts once in whatever session the same action comes again', async () => {
    const { decide, answer } = await setting();
    await answer((await decide()).approval!.id, true);
    expect((await decide({ session: 'next morning' })).decision).toBe('pass');
    expect((await decide({ session: 'next morning' })).decision).toBe('approve');
  });

  it('does not outlive a shorter expiry, which a daemon was started with since', async () => {
    const { world, ledger, decide, answer } = await setting();
    await answer((await decide()).approval!.id, true);
    const later = { ...world, now: () => world.now() + 6000 };
    const config = configOf(() => settingsFrom({}), { expirySeconds: 5 });
    const decider = testDecider({ guards: [asking], ledger, world: later, config });
    expect((await decider.decide(action, context)).verdict.decision).toBe('approve');
    const longer = configOf(() => settingsFrom({}), { expirySeconds: 10 });
    const { id } = (await ledger.approvals.pending({}, later.now()))[0]!;
    await ledger.approvals.answer(id, 'approve', 'ann', person, {}, later.now());
    const patient = testDecider({ guards: [asking], ledger, world: later, config: longer });
    expect((await patient.decide(action, context)).verdict.decision).toBe('pass');
  });

  it('does not hold after the settings changed', async () => {
    const world = stillWorld();
    const ledger = await openEnrolledLedger();
    let settings = settingsFrom({});
    const config = configOf(() => settings);
    const decider = testDecider({ guards: [asking], ledger, world, config });
    const { verdict } = await decider.decide(action, context);
    await ledger.approvals.answer(verdict.approval!.id, 'approve', 'ann', person, {}, world.now());
    settings = settingsFrom({ profile: 'strict' });
    expect((await decider.decide(action, context)).verdict.decision).toBe('approve');
  });

  it('holds whatever reason the model gives', async () => {
    const { decide, answer } = await setting();
    await answer((await decide({}, { ...action, justification: 'please' })).approval!.id, true);
    expect((await decide({}, { ...action, justification: 'pretty please' })).decision).toBe('pass');
  });

  it('that was denied blocks without asking again, for as long as it would have lasted', async () => {
    const { decide, answer, world } = await setting();
    await answer((await decide()).approval!.id, false);
    const refused = await decide();
    expect(refused.decision).toBe('block');
    expect(refused.findings.map(({ rule }) => rule)).toContain('approval_denied');
    world.time += 300_000;
    expect((await decide()).decision).toBe('approve');
  });

  it.each([
    ['five minutes later', 300_000],
    ['after the clock went back', -1],
  ])('is void %s', async (_, move) => {
    const { decide, answer, world } = await setting();
    await answer((await decide()).approval!.id, true);
    world.time += move;
    expect((await decide()).decision).toBe('approve');
  });

  it('shows the action as it would run, and no place of it as it came', async () => {
    const ledger = await openEnrolledLedger();
    const [url, rewritten] = ['HTTPS://A.example.:443/', 'https://a.example/'];
    const findings = [
      { ...question, pointer: '/url', span: [8, 18] as const },
      { ...question, rule: 'other', pointer: '/body', span: [0, 1] as const },
    ];
    const guards = [
      guardOf(['fetch'], (given) => judgement({ findings, rewritten: { ...given, url: rewritten } })),
    ];
    const world = stillWorld();
    const decider = testDecider({ guards, ledger, world });
    const { verdict } = await decider.decide({ kind: 'fetch', url, body: 'x' }, context);
    const asked = (await ledger.approvals.show(verdict.approval!.id, {}, world.now())).question;
    expect(asked?.action).toMatchObject({ url: rewritten });
    expect(asked?.findings.map(({ pointer, span }) => [pointer, span])).toEqual([
      ['/url', undefined],
      ['/body', [0, 1]],
    ]);
    // The sender of the action knows it in its original form.
    expect(verdict.findings.map(({ span }) => span)).toEqual([
      [8, 18],
      [0, 1],
    ]);
  });

  it('does not lift what stands behind it', async () => {
    const world = stillWorld();
    const ledger = await openEnrolledLedger();
    const guards = [
      guardOf(['fetch'], (_, { granted }) =>
        judgement({ findings: granted('the effect') ? [finding({ rule: 'behind' })] : [question] }),
      ),
    ];
    const decider = testDecider({ guards, ledger, world });
    const { verdict } = await decider.decide(action, context);
    await ledger.approvals.answer(verdict.approval!.id, 'approve', 'ann', person, {}, world.now());
    const second = (await decider.decide(action, context)).verdict;
    expect(second.decision).toBe('block');
    expect(second.findings.map(({ rule }) => rule)).toEqual(['ask', 'behind']);
  });

  it('does not answer a question that was not asked', async () => {
    const world = stillWorld();
    const ledger = await openEnrolledLedger();
    const another = finding({ rule: 'another', decision: 'approve' });
    const guards = [
      guardOf(['fetch'], (_, { granted }) =>
        judgement({ findings: granted('the effect') ? [another] : [question] }),
      ),
    ];
    const decider = testDecider({ guards, ledger, world });
    const { verdict } = await decider.decide(action, context);
    await ledger.approvals.answer(verdict.approval!.id, 'approve', 'ann', person, {}, world.now());
    const second = (await decider.decide(action, context)).verdict;
    expect(second.findings.map(({ rule }) => rule)).toContain('new_question');
    expect(second.decision).toBe('block');
  });

  it('is used by one of many that race', async () => {
    const { decide, answer } = await setting();
    await answer((await decide()).approval!.id, true);
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => decide()));
    expect(verdicts.filter(({ decision }) => decision === 'pass')).toHaveLength(1);
  });

  it('with a permission is not asked for again, in that workspace', async () => {
    const { decide, ledger, world } = await setting();
    const { approval } = await decide();
    await ledger.approveForGood(
      approval!.id,
      'ann',
      person,
      {},
      { reach: 'project', lifeMs: 3_600_000, uses: null },
      world.now(),
    );
    expect((await decide()).decision).toBe('pass');
    const again = await decide({}, { ...action, url: 'https://example.com/else' });
    expect(again.findings).toMatchObject([
      {
        decision: 'warn',
        message: expect.stringMatching(/^is it meant\?; permission [0-9a-f]{8} covers it$/),
      },
    ]);
    expect(again.decision).toBe('pass');
    expect((await decide({ workspace: '/else' })).decision).toBe('approve');
    world.time += 3_600_000;
    expect((await decide()).decision).toBe('approve');
  });

  it('is refused when too many wait', async () => {
    const { decide } = await setting();
    const asking = (path: string) =>
      decide({ session: path }, { ...action, url: `https://example.com/${path}` });
    for (let number = 0; number < 10; number++) await asking(`s${number}`);
    const verdict = await asking('more');
    expect(verdict.decision).toBe('block');
    expect(verdict.findings.map(({ rule }) => rule)).toContain('approvals_unavailable');
  });
});

describe('an approval of a push', () => {
  const push: Action = { kind: 'shell', command: 'git push origin main' };
  const oid = (digit: string) => `${digit.repeat(40)}\n`;

  it('is for the commits and the remote that were there: others are asked about again', async () => {
    const ledger = await openEnrolledLedger();
    const files = new Map([
      ['/work/.git/HEAD', 'ref: refs/heads/main\n'],
      ['/work/.git/config', '[remote "origin"]\n'],
      ['/work/.git/refs/heads/main', oid('a')],
      ['/work/.git/refs/heads/other', oid('b')],
    ]);
    const world = { ...stillWorld(), readText: (path: string) => files.get(path) ?? null };
    const decider = testDecider({ ledger, world });
    const decide = async () => (await decider.decide(push, context)).verdict;
    const { approval } = await decide();
    await ledger.approvals.answer(approval?.id ?? '', 'approve', 'ann', person, {}, world.now());
    for (const [path, changed] of [
      ['/work/.git/refs/heads/main', oid('c')],
      ['/work/.git/config', '[remote "evil"]\n'],
    ] as const) {
      const before = files.get(path) ?? '';
      files.set(path, changed);
      const moved = await decide();
      expect(moved.decision).toBe('approve');
      expect(moved.findings.find(({ rule }) => rule === 'state_moved')?.message).toMatch(
        path.endsWith('config') ? /\.git\/config changed/ : /main was aaaaaaa, is ccccccc/,
      );
      files.set(path, before);
    }
    files.set('/work/.git/refs/heads/other', oid('d'));
    expect((await decide()).decision).toBe('pass');
    expect((await decide()).decision).toBe('approve');
  });
});

describe('an approval of what is published or applied', () => {
  const file = { type: 'file', links: 1, device: 1, setId: false } as const;
  const folder = { ...file, type: 'folder' } as const;

  it.each<[command: string, name: string, said: string]>([
    ['terraform apply plan.tfplan', 'file /work/plan.tfplan', 'plan.tfplan changed'],
    ['cd infra && terraform apply', 'tree /work/infra', 'the tree infra changed'],
    ['terraform -chdir=infra apply', 'tree /work/infra', 'the tree infra changed'],
    ['kubectl apply -f k8s/', 'tree /work/k8s', 'the tree k8s changed'],
    ['helm upgrade web k8s', 'tree /work/k8s', 'the tree k8s changed'],
    ['docker push acme/web:1', 'image acme/web:1', 'the image acme/web:1 changed'],
    ['docker buildx build --push -t a/b .', 'image a/b', 'the image a/b changed'],
    ['vercel deploy --prod', 'tree /work', 'the tree changed'],
    ['npm publish', 'tree /work', 'the tree changed'],
    ['psql -h db.example.com -f migrate.sql', 'file /work/migrate.sql', 'migrate.sql changed'],
    ['aws s3 sync ./dist s3://b', 'tree /work/dist', 'the tree dist changed'],
    ['gh release create v1 out.tgz', 'file /work/out.tgz', 'out.tgz changed'],
  ])('of %j is for %s as it was, and says what moved', async (command, name, said) => {
    const ledger = await openEnrolledLedger();
    const standing = new Map<string, typeof file | typeof folder>([
      ...['k8s', 'infra', 'dist'].map((path) => [`/work/${path}`, folder] as const),
      ...['plan.tfplan', 'migrate.sql', 'out.tgz'].map((path) => [`/work/${path}`, file] as const),
    ]);
    let now = 'one';
    const world = {
      ...stillWorld(),
      look: (path: string) => standing.get(path) ?? null,
      stateOf: (asked: string) => (asked === name ? now : 'the same'),
    };
    const decider = testDecider({ ledger, world });
    const decide = async () => (await decider.decide({ kind: 'shell', command }, context)).verdict;
    const first = await decide();
    expect(first.decision).toBe('approve');
    await ledger.approvals.answer(first.approval?.id ?? '', 'approve', 'ann', person, {}, world.now());
    now = 'two';
    const moved = await decide();
    expect(moved.decision).toBe('approve');
    expect(moved.approval?.id).not.toBe(first.approval?.id);
    expect(moved.findings.find(({ rule }) => rule === 'state_moved')?.message).toContain(
      `${first.approval?.id} was approved for another state: ${said}`,
    );
    const { question } = await ledger.approvals.show(moved.approval?.id ?? '', {}, world.now());
    expect(question?.findings.map(({ rule }) => rule)).toContain('state_moved');
    now = 'one';
    expect((await decide()).decision).toBe('pass');
  });

  it('that nobody answered yet is named too, and the same state is asked about once', async () => {
    const ledger = await openEnrolledLedger();
    let now = 'one';
    const world = {
      ...stillWorld(),
      look: () => null,
      stateOf: (name: string) => (name === 'tree /work' ? now : null),
    };
    const decider = testDecider({ ledger, world });
    const decide = async () =>
      (await decider.decide({ kind: 'shell', command: 'npm publish' }, context)).verdict;
    const first = await decide();
    expect(first.findings.map(({ rule }) => rule)).not.toContain('state_moved');
    expect((await decide()).approval?.id).toBe(first.approval?.id);
    now = 'two';
    const moved = await decide();
    expect(moved.findings.find(({ rule }) => rule === 'state_moved')?.message).toContain(
      `${first.approval?.id} was asked for another state: the tree changed`,
    );
    await ledger.approvals.answer(moved.approval?.id ?? '', 'approve', 'ann', person, {}, world.now());
    expect((await decide()).decision).toBe('pass');
  });

  it('of a command on names elsewhere is bound to no tree', async () => {
    const ledger = await openEnrolledLedger();
    let asked = 0;
    const world = {
      ...stillWorld(),
      look: () => null,
      stateOf: (name: string) => (name.startsWith('tree') ? String(asked++) : null),
    };
    const decider = testDecider({ ledger, world });
    const action: Action = { kind: 'shell', command: 'kubectl rollout restart deployment/web' };
    const { verdict } = await decider.decide(action, context);
    expect(verdict.decision).toBe('approve');
    await ledger.approvals.answer(verdict.approval?.id ?? '', 'approve', 'ann', person, {}, world.now());
    expect((await decider.decide(action, context)).verdict.decision).toBe('pass');
    expect(asked).toBe(0);
  });
});

describe('a permission', () => {
  const command: Action = { kind: 'shell', command: 'kill 12345' };

  /** A decider with the real guards, and permissions that a user creates directly. */
  async function settled() {
    const world = stillWorld();
    const ledger = await openEnrolledLedger();
    const decider = testDecider({ ledger, world });
    const decide = async (asked: Action, change: Partial<Context> = {}) =>
      (await decider.decide(asked, { ...context, ...change })).verdict;
    return { ledger, world, decide };
  }

  it('for this exact action is offered where a question names no effect, and holds in every session', async () => {
    const { ledger, world, decide } = await settled();
    const { approval, findings } = await decide(command);
    expect(findings).toMatchObject([
      { rule: 'process_signal', grant: expect.stringMatching(/^exactly process_signal /) },
    ]);
    const terms = { reach: 'project', lifeMs: 3_600_000, uses: null } as const;
    await ledger.approveForGood(approval!.id, 'ann', person, {}, terms, world.now());
    expect((await decide(command, { session: 'other' })).decision).toBe('pass');
    expect((await decide({ ...command, command: 'kill 12346' })).decision).toBe('approve');
  });

  it('is not needed to read plainly again from a host that was approved in this session', async () => {
    const { ledger, world, decide } = await settled();
    const get = (words: string): Action => ({ kind: 'shell', command: `curl ${words}` });
    const first = await decide(get('-s https://shop.example.dev/health'));
    expect(first.findings).toMatchObject([{ rule: 'host_not_listed' }]);
    await ledger.approvals.answer(first.approval?.id ?? '', 'approve', 'ann', person, {}, world.now());
    const asked = [
      '-s https://shop.example.dev/v1/items',
      '-I https://shop.example.dev/health',
      '-s https://shop.example.dev/v1/items',
    ];
    expect((await decide(get(asked[0] ?? ''))).decision).toBe('approve');
    expect((await decide(get('-s https://shop.example.dev/health'))).decision).toBe('pass');
    for (const words of asked) expect((await decide(get(words))).decision).toBe('pass');
    for (const words of [
      "'https://shop.example.dev/?q=secret'",
      'https://shop.example.dev/$(cat notes.txt)',
      'https://shop.example.dev/c2VjcmV0IHRoYXQgd2FzIHJlYWQgaGVyZQ',
      'https://shop.example.dev/a1b2c3d4e5f6',
      '-H "X-Note: secret" https://shop.example.dev/health',
      '-b session=1 https://shop.example.dev/health',
      '-d a=1 https://shop.example.dev/health',
      'https://other.example.dev/health',
      'http://a@shop.example.dev/health',
    ])
      expect(
        (await decide(get(words))).findings.map(({ rule }) => rule),
        words,
      ).toContain(words.startsWith('-d') ? 'network_change' : 'host_not_listed');
    for (const other of [{ session: 'other' }, { agent: 'other' }])
      expect((await decide(get(asked[0] ?? ''), other)).decision).not.toBe('pass');
    await ledger.close();
  });

  it('never covers what the contract reserves to a person', async () => {
    const { ledger, world, decide } = await settled();
    const { approval, findings } = await decide({ kind: 'shell', command: 'git push origin main' });
    expect(findings).toMatchObject([{ rule: 'git_push', contract: 'AG-TOOL-3' }]);
    expect(findings[0]).not.toHaveProperty('grant');
    const terms = { reach: 'project', lifeMs: 3_600_000, uses: null } as const;
    await expect(ledger.approveForGood(approval!.id, 'ann', person, {}, terms, world.now())).rejects.toThrow(
      'no permission covers it',
    );
  });
});

describe('an approval of a command', () => {
  it('is for what its files hold: an edit in between is asked again', async () => {
    const ledger = await openEnrolledLedger();
    const files = new Map([['/work/deploy.sh', 'echo one']]);
    const world = { ...stillWorld(), readText: (path: string) => files.get(path) ?? null };
    const decider = testDecider({ ledger, world });
    const decide = (command: string) => decider.decide({ kind: 'shell', command }, context);
    for (const command of [
      './deploy.sh && git push',
      'bash deploy.sh; git push',
      'sh -c "./deploy.sh; git push"',
    ]) {
      files.set('/work/deploy.sh', 'echo one');
      const { verdict } = await decide(command);
      expect(verdict.decision).toBe('approve');
      await ledger.approvals.answer(verdict.approval?.id ?? '', 'approve', 'ann', person, {}, world.now());
      files.set('/work/deploy.sh', 'echo two');
      expect((await decide(command)).verdict.decision).toBe('approve');
      files.set('/work/deploy.sh', 'echo one');
      expect((await decide(command)).verdict.decision).toBe('pass');
    }
  });
});

describe('the record', () => {
  it('is on disk before a verdict that waits, refuses or has an effect is given', async () => {
    for (const [given, sideEffect, durable] of [
      ['pass', false, false],
      ['pass', true, true],
      ['redact', false, false],
      ['approve', false, true],
      ['block', false, true],
    ] as const) {
      const asked: boolean[] = [];
      const ledger = {
        ...noRecords,
        record: (_: unknown, waits: boolean) => {
          asked.push(waits);
          return undefined;
        },
      };
      const guards = [
        guardOf(['fetch'], () => judgement({ findings: [finding({ decision: given })], sideEffect })),
      ];
      await testDecider({ guards, ledger }).decide(action, context);
      expect([given, sideEffect, asked]).toEqual([given, sideEffect, [durable]]);
    }
  });

  it('holds facts and a keyed hash, not the action', async () => {
    const ledger = await openEnrolledLedger();
    const guards = [
      guardOf(['fetch'], () => judgement({ facts: { host: 'example.com' }, sideEffect: true })),
    ];
    const secret = { ...action, url: 'https://example.com/?token=hunter2' };
    const { verdict } = await testDecider({ guards, ledger }).decide(secret, context);
    const [entry] = await ledger.audit.list({ decisionId: verdict.decisionId });
    expect(entry).toMatchObject({
      event_type: 'decision',
      decision: 'pass',
      user: 'ann',
      tenant: 'acme',
      agent: 'coder',
      details: {
        what: 'GET https://example.com/?…',
        kind: 'fetch',
        facts: { host: 'example.com' },
        workspace: '/work',
        session: 's1',
      },
    });
    expect(JSON.stringify(entry)).not.toContain('hunter2');
  });
});

describe('a clearance', () => {
  it('works once, and cannot be forged', async () => {
    const { cleared } = await testDecider({ guards: [saying()] }).decide(action, context);
    takeClearance(cleared!);
    expect(() => takeClearance(cleared!)).toThrow(NotCleared);
    expect(() => takeClearance({ ...cleared! })).toThrow(NotCleared);
    expect(Object.isFrozen(cleared)).toBe(true);
  });
});
