import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { context, finding, guardOf, judgement, testDecider } from '../../tests/support/decide.ts';
import { openEnrolledLedger, person, temporaryFolder } from '../../tests/support/ledger.ts';
import { configOf, settingsFrom, type UserHook } from '../config/index.ts';
import type { HookEvent } from '../core/index.ts';
import { runHooks, withHooks } from './hooks.ts';

/** A hook program of the user's own, written in sh. */
function program(script: string, folder = temporaryFolder()): readonly string[] {
  const file = join(folder, `program-${Math.random().toString(36).slice(2)}`);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return [file];
}

function hook(script: string, more: Partial<UserHook> = {}): UserHook {
  return { event: 'tool_call_pre', command: program(script), timeoutMs: 5000, ...more };
}

const call = { tool: 'Bash', tool_input: { command: 'ls' } };
const ask = (hooks: readonly UserHook[], event: HookEvent = 'tool_call_pre', subject: object = call) =>
  runHooks(hooks, event, subject, context);

describe('a program of the user', () => {
  it('passes with 0 and silence', async () => {
    expect(await ask([hook('exit 0')])).toEqual({ blocked: null, notes: [] });
  });

  it('is told who asks, where and what, as JSON', async () => {
    const file = join(temporaryFolder(), 'input');
    await ask([hook(`cat > ${file}; pwd >> ${file}; env >> ${file}`)]);
    const [line, folder, ...environment] = readFileSync(file, 'utf8').split('\n');
    expect(JSON.parse(line!)).toEqual({ event: 'tool_call_pre', ...context, ...call });
    expect(folder).toBe('/');
    expect(environment.join('\n')).not.toContain('VITEST');
  });

  it.each([
    ['exit 1', 'refused it', false],
    ['echo "not today" >&2; exit 3', 'not today', false],
    [`echo '{"block":true,"annotation":"too late"}'`, 'too late', false],
    [`echo '{"block":"because"}'`, 'because', false],
    [`echo '{"block":true}'`, 'refused it', false],
    ['echo hello', 'unexpected', true],
    [`echo '{"allow":true}'`, 'unknown key "allow"', true],
    [`echo '{"block":1}'`, '/block', true],
    [`echo '{"replace_prompt":"x"}'`, 'replaces a prompt', true],
    [`printf '\\377'`, 'UTF-8', true],
    ['kill -9 $$', 'SIGKILL', true],
    ['yes 1234567890 | head -c 5000000', 'bytes', true],
  ])('blocks with %s', async (script, why, failed) => {
    const { blocked } = await ask([hook(script)]);
    expect(blocked).toMatchObject({ failed, why: expect.stringContaining(why) });
  });

  it('blocks when its time is over, and leaves nothing running', async () => {
    const file = join(temporaryFolder(), 'still-there');
    const { blocked } = await ask([hook(`(sleep 1; touch ${file}) & sleep 60`, { timeoutMs: 200 })]);
    expect(blocked).toMatchObject({ failed: true, why: expect.stringContaining('within 200 ms') });
    await new Promise((go) => setTimeout(go, 1200));
    expect(existsSync(file)).toBe(false);
  });

  it('blocks when it cannot be started', async () => {
    const { blocked } = await ask([
      { event: 'tool_call_pre', command: ['/nowhere/at/all'], timeoutMs: 5000 },
    ]);
    expect(blocked).toMatchObject({ failed: true, why: expect.stringContaining('could not be started') });
  });

  it('sees what the one before made of it; only those of the event are asked', async () => {
    const file = join(temporaryFolder(), 'input');
    const outcome = await ask([
      hook(`echo '{"replace_tool_input":{"command":"ls -l"},"annotation":"longer"}'`),
      hook('exit 1', { event: 'session_end' }),
      hook(`cat > ${file}; echo '{"annotation":"seen"}'`),
    ]);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ tool_input: { command: 'ls -l' } });
    expect(outcome).toEqual({ blocked: null, notes: ['longer', 'seen'], input: { command: 'ls -l' } });
  });

  it('shows its words without tricks', async () => {
    const { blocked } = await ask([hook(`printf 'a\\033[2Kb\\nc' >&2; exit 1`)]);
    expect(blocked?.why).toBe('a\\u{1b}[2Kb\\nc');
  });
});

describe('on the path', () => {
  const settings = settingsFrom({});
  const config = (hooks: readonly UserHook[]) => ({ ...configOf(() => settings), hooks });
  const action = { kind: 'tool', tool: 'Bash', arguments: { command: 'ls' } } as const;
  /** A guard that blocks `rm` and requires approval for `ls -l`. */
  const guard = guardOf(['tool'], (tool) => {
    const command = String(tool.arguments?.['command']);
    const asks = command === 'ls -l' ? [finding({ decision: 'approve' })] : [];
    return judgement({ findings: command.startsWith('rm') ? [finding({ rule: 'no_rm' })] : asks });
  });

  it('what a program puts in is judged like anything else', async () => {
    const ledger = await openEnrolledLedger();
    const hooks = [hook(`echo '{"replace_tool_input":{"command":"rm -rf /"}}'`)];
    const { verdict, cleared } = await testDecider({ config: config(hooks), guards: [guard], ledger }).decide(
      action,
      context,
    );
    expect(verdict).toMatchObject({ decision: 'block', action: { arguments: { command: 'rm -rf /' } } });
    expect(verdict.findings.map(({ rule }) => rule)).toEqual(['hook_rewrote', 'no_rm']);
    expect(cleared).toBeNull();
  });

  it('what passes goes as the program rewrote it, with its note', async () => {
    const ledger = await openEnrolledLedger();
    const hooks = [hook(`echo '{"replace_tool_input":{"command":"ls -a"},"annotation":"all of them"}'`)];
    const { verdict, cleared } = await testDecider({ config: config(hooks), guards: [guard], ledger }).decide(
      action,
      context,
    );
    expect(verdict).toMatchObject({
      decision: 'redact',
      explanation: expect.stringContaining('all of them'),
    });
    expect(cleared?.action).toEqual({ ...action, arguments: { command: 'ls -a' } });
  });

  it.each([
    ['exit 1', 'hook_blocked'],
    ['echo nonsense', 'hook_failed'],
  ])('%s is a block by %s', async (script, rule) => {
    const ledger = await openEnrolledLedger();
    const { verdict } = await testDecider({ config: config([hook(script)]), guards: [guard], ledger }).decide(
      action,
      context,
    );
    expect(verdict).toMatchObject({ decision: 'block', findings: [{ rule, guard: 'path' }] });
  });

  it('a person approves what a program made of it, and exactly that goes', async () => {
    const ledger = await openEnrolledLedger();
    const count = join(temporaryFolder(), 'count');
    // It answers differently the third time, which would be a second pass of the same decision.
    const fickle = `echo x >> ${count}; n=$(wc -l < ${count}); [ "$n" -ne 1 ] && [ "$n" -ne 2 ] && c=other || c="ls -l"
      printf '{"replace_tool_input":{"command":"%s"}}' "$c"`;
    const decider = testDecider({ config: config([hook(fickle)]), guards: [guard], ledger });
    const first = await decider.decide({ ...action }, context);
    expect(first.verdict.decision).toBe('approve');
    await ledger.approvals.answer(
      first.verdict.approval!.id,
      'approve',
      'ann',
      person,
      {},
      1_700_000_000_000,
    );
    const second = await decider.decide({ ...action }, context);
    expect(readFileSync(count, 'utf8')).toBe('x\nx\n');
    expect(second.cleared?.action).toMatchObject({ arguments: { command: 'ls -l' } });
  });

  it('programs stand in for no guard', async () => {
    const ledger = await openEnrolledLedger();
    const hooks = [hook('exit 0'), hook('exit 0', { event: 'user_prompt_submit' })];
    const decider = testDecider({ config: config(hooks), guards: [], ledger });
    const { verdict } = await decider.decide(action, context);
    expect(verdict.findings.map(({ rule }) => rule)).toEqual(['no_guard']);
    expect(withHooks([guard], hooks)[0]?.kinds).toEqual(['tool']);
  });

  it('a dry run runs none', async () => {
    const file = join(temporaryFolder(), 'ran');
    const decider = testDecider({
      config: config([hook(`touch ${file}`)]),
      guards: [guard],
    });
    expect((await decider.decide(action, context)).verdict.decision).toBe('pass');
    expect(existsSync(file)).toBe(false);
  });
});
