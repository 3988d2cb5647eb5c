// Cached complete answers: they are valid for the same question of the same requester, and for no other.

import { describe, expect, it } from 'vitest';
import { context, finding } from '../../tests/support/decide.ts';
import type { Action } from '../core/index.ts';
import { judgeByPolicy } from './judge.ts';
import type { Part } from './types.ts';

const mail: Action = { kind: 'tool', tool: 'send_email', server: 'mail', arguments: {} };
const bash: Action = { kind: 'tool', tool: 'Bash', arguments: {} };

function part(action: Action, pointer = ''): Part {
  return { pointer, action, facts: {}, sideEffect: false };
}

describe('an answer that is kept is given', () => {
  const mine = `forbid (principal, action, resource)
    unless { principal in User::"${context.user}" && principal in Tenant::"${context.tenant}"
      && principal == Agent::"${context.agent}" && context.workspace == "${context.workspace}"
      && context.mode == "${context.mode}" && context.decision == "pass" && context has tool && context.tool == "Bash" };`;
  const source = { name: '/etc/own.cedar', text: mine, workspace: false };
  const own = { policy: { fallback: 'permit' as const, sources: [source] }, sources: [] };
  const plain = () => ({ parts: [part(bash)], findings: [] });

  it('to the same question', async () => {
    const first = await judgeByPolicy(plain(), context, own);
    expect(first.findings).toEqual([]);
    expect(await judgeByPolicy(plain(), context, own)).toBe(first);
  });

  it.each([
    ['another user', { user: 'mallory' }],
    ['another tenant', { tenant: 'umbrella' }],
    ['another agent', { agent: 'other' }],
    ['another folder', { workspace: '/elsewhere' }],
    ['another mode', { mode: 'plan' }],
  ] as const)('but not to %s', async (_, other) => {
    expect((await judgeByPolicy(plain(), context, own)).findings).toEqual([]);
    const answer = await judgeByPolicy(plain(), { ...context, ...other }, own);
    expect(answer.findings).toHaveLength(1);
  });

  it.each([
    ['another tool', { parts: [part(mail)], findings: [] }],
    ['what guards found', { parts: [part(bash)], findings: [finding({ decision: 'approve' })] }],
    ['another part beside it', { parts: [part(bash), part(mail, '/a')], findings: [] }],
  ])('but not to %s', async (_, question) => {
    expect((await judgeByPolicy(plain(), context, own)).findings).toEqual([]);
    expect((await judgeByPolicy(question, context, own)).findings).toHaveLength(1);
  });

  it('but not where nothing is permitted unless somebody wrote it', async () => {
    expect((await judgeByPolicy(plain(), context, own)).findings).toEqual([]);
    const deny = { ...own, policy: { ...own.policy, fallback: 'deny' as const } };
    expect((await judgeByPolicy(plain(), context, deny)).findings).toMatchObject([{ rule: 'default_deny' }]);
  });
});
