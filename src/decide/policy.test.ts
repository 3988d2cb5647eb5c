// The policy on the one request path: over child actions, in records, in approvals and in streams.

import { describe, expect, it } from 'vitest';
import { context, finding, guardOf, judgement, stillWorld, testDecider } from '../../tests/support/decide.ts';
import { openEnrolledLedger, person } from '../../tests/support/ledger.ts';
import { configOf, settingsFrom } from '../config/index.ts';
import type { Action } from '../core/index.ts';
import type { Policy } from '../policy/index.ts';

const passing = guardOf(['tool', 'shell', 'prompt'], () => judgement({ sideEffect: true }), {
  expand: (action) =>
    action.kind === 'tool'
      ? [
          {
            pointer: '/arguments/command',
            action: { kind: 'shell', command: String(action.arguments?.['command']) },
            replace: (parent) => parent,
          },
        ]
      : [],
});

const bash: Action = { kind: 'tool', tool: 'Bash', arguments: { command: 'ls' } };

function configured(text: string) {
  const sources = text === '' ? [] : [{ name: 'own.cedar', text, workspace: false }];
  const settings = { ...settingsFrom({}), policy: { fallback: 'permit' as const, sources } };
  return configOf(() => settings);
}

describe('the policy', () => {
  it('is Cedar where none is given, and judges the actions inside an action', async () => {
    const config = configured('@id("no_shell")\nforbid (principal, action == Action::"shell", resource);');
    const { verdict } = await testDecider({ guards: [passing], config }).decide(bash, context);
    expect(verdict.decision).toBe('block');
    expect(verdict.findings).toMatchObject([
      { rule: 'no_shell', guard: 'policy', pointer: '/arguments/command' },
    ]);
  });

  it('tells the record which policies decided, and a clearance too', async () => {
    const ledger = await openEnrolledLedger();
    const decider = testDecider({ guards: [passing], ledger, config: configured('') });
    const { verdict, cleared } = await decider.decide(bash, context);
    const [entry] = await ledger.audit.list({ decisionId: verdict.decisionId });
    expect(entry?.details['facts']).toEqual({ policies: ['permit_by_default'] });
    expect(cleared?.facts).toEqual({ policies: ['permit_by_default'] });
  });

  it('that cannot be read blocks, with the place', async () => {
    const config = configured('forbid (');
    const { verdict } = await testDecider({ guards: [passing], config }).decide(bash, context);
    expect(verdict.findings).toMatchObject([
      { rule: 'policy_error', decision: 'block', message: expect.stringContaining('own.cedar:1:9: ') },
    ]);
  });

  it('asks, and the same policy does not ask again behind the yes', async () => {
    const ledger = await openEnrolledLedger();
    const world = stillWorld();
    const config = configured(
      '@id("asks")\n@decision("approve")\nforbid (principal, action, resource is Tool);',
    );
    const decider = testDecider({ guards: [passing], ledger, world, config });
    const { verdict } = await decider.decide(bash, context);
    expect(verdict).toMatchObject({ decision: 'approve', findings: [{ rule: 'asks', guard: 'policy' }] });
    await ledger.approvals.answer(verdict.approval!.id, 'approve', 'ann', person, {}, world.now());
    expect((await decider.decide(bash, context)).verdict.decision).toBe('pass');
  });
});

describe('a stream', () => {
  const streaming = guardOf(['prompt'], () => judgement(), {
    stream: () => ({
      push: (piece) => ({
        emit: piece,
        findings: piece.includes('odd') ? [finding({ rule: 'odd', decision: 'warn' })] : [],
      }),
      end: () => ({ emit: '', findings: [] }),
    }),
  });

  async function run(policies: string, ...pieces: readonly string[]) {
    const decider = testDecider({ guards: [streaming], config: configured(policies) });
    const stream = await decider.decideStream('prompt', context);
    let shown = '';
    for (const piece of pieces) shown += (await stream.push(piece)).emit;
    const { emit, verdict } = await stream.end();
    return {
      shown: shown + emit,
      decision: verdict.decision,
      rules: verdict.findings.map(({ rule }) => rule),
    };
  }

  it.each([
    ['', ['a', 'odd'], { shown: 'aodd', decision: 'pass', rules: ['odd'] }],
    [
      '@id("none")\nforbid (principal, action == Action::"prompt", resource);',
      ['a', 'b'],
      { shown: '', decision: 'block', rules: ['none'] },
    ],
    [
      '@id("none")\nforbid (principal, action == Action::"prompt", resource);',
      [],
      { shown: '', decision: 'block', rules: ['none'] },
    ],
    [
      '@id("ask")\n@decision("approve")\nforbid (principal, action, resource);',
      ['a'],
      { shown: '', decision: 'block', rules: ['stream_cannot_wait'] },
    ],
    [
      '@id("no_odd")\nforbid (principal, action, resource) when { context.rules.contains("odd") };',
      ['a', 'odd'],
      { shown: 'aodd', decision: 'block', rules: ['odd', 'no_odd'] },
    ],
    ['forbid (', ['a'], { shown: '', decision: 'block', rules: ['policy_error'] }],
  ])('under %j: %j', async (policies, pieces, expected) => {
    expect(await run(policies, ...pieces)).toEqual(expected);
  });

  it('is blocked by a policy that throws', async () => {
    const policy: Policy = () => {
      throw new Error('oops');
    };
    const stream = await testDecider({ guards: [streaming], policy }).decideStream('prompt', context);
    expect((await stream.push('a')).emit).toBe('');
    expect((await stream.end()).verdict.decision).toBe('block');
  });
});
