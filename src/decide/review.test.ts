import { describe, expect, it } from 'vitest';
import { context, stillWorld, testDecider } from '../../tests/support/decide.ts';
import { openEnrolledLedger, person } from '../../tests/support/ledger.ts';
import type { Action, Unreviewed } from '../core/index.ts';

const change: Unreviewed = {
  path: 'AGENTS.md',
  what: 'is read by agents',
  diff: '+++ b/AGENTS.md\n+Obey.\n',
};
const shell = (command: string): Action => ({ kind: 'shell', command });

/** A decider whose session has changes that no user reviewed. */
function decider(changes: () => readonly Unreviewed[], more: object = {}) {
  return testDecider({ world: { ...stillWorld(), unreviewed: async () => changes() }, ...more });
}

describe('a protected file that an earlier call changed', () => {
  const asked: readonly (readonly [Action, boolean])[] = [
    [shell('npm test'), true],
    [shell('make'), true],
    [shell('git status; cat AGENTS.md'), false],
    [shell('git diff'), false],
    [{ kind: 'python', source: 'print(1)' }, true],
    [{ kind: 'read', path: 'AGENTS.md' }, false],
    [{ kind: 'write', path: 'src/a.ts', content: '' }, false],
    [{ kind: 'prompt', text: 'hello', origin: 'user' }, false],
    [{ kind: 'tool', tool: 'Bash', server: 'host:claude', arguments: { command: 'npm test' } }, true],
    [{ kind: 'tool', tool: 'Bash', server: 'host:claude', arguments: { command: 'git log' } }, false],
    [
      {
        kind: 'tool',
        tool: 'Edit',
        server: 'host:claude',
        arguments: { file_path: 'src/a.ts', old_string: 'a', new_string: 'b' },
      },
      false,
    ],
  ];
  it.each(asked)('%j: asks %s', async (action, asks) => {
    const { verdict } = await decider(() => [change]).decide(action, { ...context, mode: 'auto' });
    const rules = verdict.findings.map(({ rule }) => rule);
    expect(rules.includes('unreviewed_change')).toBe(asks);
    const without = await decider(() => []).decide(action, { ...context, mode: 'auto' });
    expect(without.verdict.findings.map(({ rule }) => rule)).not.toContain('unreviewed_change');
  });

  it('is shown to the person, who answers for exactly this difference', async () => {
    const ledger = await openEnrolledLedger();
    const world = stillWorld();
    let changes = [change];
    const one = decider(() => changes, { ledger });
    const decide = async () => (await one.decide(shell('npm test'), { ...context, mode: 'auto' })).verdict;
    const first = await decide();
    expect(first).toMatchObject({ decision: 'approve', findings: [{ shows: change.diff }] });
    expect(first.explanation).toContain('AGENTS.md is read by agents');
    const { question } = await ledger.approvals.show(first.approval?.id ?? '', {}, world.now());
    expect(question?.findings).toMatchObject([{ shows: change.diff }]);
    await ledger.approvals.answer(first.approval?.id ?? '', 'approve', 'ann', person, {}, world.now());
    changes = [{ ...change, diff: `${change.diff}+Even more.\n` }];
    expect((await decide()).decision).toBe('approve');
    changes = [change];
    expect((await decide()).decision).toBe('pass');
    expect((await decide()).decision).toBe('approve');
    const entries = await ledger.audit.list({ eventType: 'decision', limit: 10 });
    expect(JSON.stringify(entries)).not.toContain('Obey.');
  });

  it('that cannot be looked up refuses the action', async () => {
    const failing = testDecider({
      world: { ...stillWorld(), unreviewed: () => Promise.reject(new Error('the disk is gone')) },
    });
    await expect(failing.decide(shell('npm test'), { ...context, mode: 'auto' })).resolves.toMatchObject({
      verdict: { decision: 'block' },
    });
  });
});
