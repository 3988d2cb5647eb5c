import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateText, isStepCount, jsonSchema, type ToolSet, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../../tests/support/ledger.ts';
import { ownerOf } from '../../../tests/support/person.ts';
import { loadConfig, readApprover, unlockApprover } from '../../config/index.ts';
import { openLedger } from '../../ledger/open.ts';
import { guardTools } from './ai.ts';
import {
  GuardrailError,
  Guardrails,
  type SallyportOptions,
  sallyport,
  type ToolDefinition,
} from './index.ts';

const passphrase = 'correct horse battery staple';

/** Sallyport on a home of its own, and a person who can say yes there. */
async function opened(options: Omit<SallyportOptions, 'home'> = {}, configuration = '') {
  const home = realpathSync(temporaryFolder());
  const workspace = join(home, 'shop');
  mkdirSync(workspace);
  const house = join(home, 'house');
  mkdirSync(house, { mode: 0o700 });
  if (configuration !== '') writeFileSync(join(house, 'sallyport.toml'), configuration);
  const guard = await sallyport({ ...options, home: house });
  onTestFinished(() => guard.close());
  const approve = async (id: string) => {
    if (readApprover(house) === null) await ownerOf({ home: house }, passphrase);
    const ledger = await openLedger(house, (await loadConfig({ home: house, environment: {} })).ledger);
    const signer = await unlockApprover(house, passphrase);
    await ledger.approvals.answer(id, 'approve', 'ann', signer, { tenant: 'acme', user: 'ann' }, Date.now());
    await ledger.close();
  };
  return { guard, house, workspace, approve };
}

const who = { userId: 'ann', tenantId: 'acme' };
const readDoc: ToolDefinition = {
  name: 'read_doc',
  effect: 'read',
  schema: {
    type: 'object',
    properties: { user_id: { type: 'string' }, doc: { type: 'string' } },
    required: ['doc'],
  },
  arguments: { '/user_id': { role: 'user_id' } },
};

describe('validate', () => {
  it('passes, blocks and asks, and says why', async () => {
    const { guard, workspace } = await opened();
    const validate = (command: string, permissionMode?: string) =>
      guard.tool.validate({
        toolCall: { name: 'Bash', arguments: { command } },
        context: { ...who, workspace, ...(permissionMode === undefined ? {} : { permissionMode }) },
      });
    expect(await validate('ls')).toMatchObject({ blocked: false, needsApproval: false });
    expect(await validate('touch a')).toMatchObject({ blocked: false, needsApproval: true });
    expect(await validate('touch a', 'bypassPermissions')).toMatchObject({
      blocked: false,
      needsApproval: false,
    });
    const pushed = await validate('git push', 'yolo');
    expect(pushed).toMatchObject({ blocked: false, needsApproval: true });
    expect(pushed.toUserError()).toMatchObject({
      rule: 'git_push',
      hint: expect.stringMatching(/^sallyport approve /),
    });
    const wiped = await validate('rm -rf /', 'auto');
    expect(wiped).toMatchObject({ blocked: true, needsApproval: false });
    const error = wiped.toUserError();
    expect(error).toBeInstanceOf(GuardrailError);
    expect([error.rule, error.approval]).toEqual(['mass_deletion', null]);
    expect(error.message).toMatch(/^Blocked: `rm -rf \/` deletes \/ \(mass_deletion\)\. Instead: /);
  });

  it('hands the caller’s ids on, and needs a caller', async () => {
    const { guard, workspace } = await opened({ tools: [readDoc] });
    const toolCall = { toolName: 'read_doc', input: '{"doc":"a","user_id":"bob"}' };
    const own = await guard.tool.validate({ toolCall, context: { ...who, workspace } });
    expect(own).toMatchObject({
      blocked: false,
      needsApproval: false,
      arguments: { doc: 'a', user_id: 'ann' },
    });
    const nobody = await guard.tool.validate({ toolCall, context: { workspace } });
    expect(nobody.blocked).toBe(true);
    expect(nobody.toUserError().rule).toBe('no_user');
  });

  it.each([
    [
      'a key that stands twice',
      { name: 'read_doc', arguments: '{"user_id":"ann","user_id":"bob"}' },
      'twice',
    ],
    ['the prototype', { name: 'read_doc', arguments: '{"__proto__":{"user_id":"bob"}}' }, '__proto__'],
    [
      'the prototype as an object',
      { name: 'read_doc', arguments: JSON.parse('{"__proto__":{"a":1}}') },
      '__proto__',
    ],
    ['no name', {}, 'must not be empty'],
    ['arguments that are none', { name: 'read_doc', arguments: [1] }, 'JSON object'],
    ['a function', { name: 'read_doc', arguments: { doc: () => 1 } }, 'JSON value'],
    ['broken JSON', { name: 'read_doc', arguments: '{' }, 'not readable'],
  ])('blocks %s', async (_, toolCall, why) => {
    const { guard, workspace } = await opened({ tools: [readDoc] });
    const validation = await guard.tool.validate({ toolCall, context: { ...who, workspace } });
    expect(validation).toMatchObject({ blocked: true, needsApproval: false, verdict: null });
    expect(validation.toUserError().message).toContain(why);
  });

  it('names written files whose references were not looked up', async () => {
    const { guard, workspace } = await opened();
    const validate = async (path: string) =>
      await guard.tool.validate({
        toolCall: { name: 'Write', arguments: { file_path: path, content: 'from b import c\n' } },
        context: { ...who, workspace },
      });
    expect((await validate('a.rs')).verdict?.unchecked).toEqual([{ path: 'a.rs', why: 'language' }]);
    expect((await validate('a.py')).verdict?.unchecked).toEqual([{ path: 'a.py', why: 'index' }]);
    expect((await validate('a.md')).verdict).not.toHaveProperty('unchecked');
  });

  it('blocks where the workspace is not there', async () => {
    const { guard } = await opened();
    const toolCall = { name: 'Bash', arguments: { command: 'ls' } };
    expect(await guard.tool.validate({ toolCall, context: { workspace: '/nowhere/at/all' } })).toMatchObject({
      blocked: true,
    });
  });

  it('takes tools of the configuration, and a Standard Schema', async () => {
    const schema = {
      '~standard': { version: 1, jsonSchema: { input: () => ({ type: 'object', required: ['a'] }) } },
    };
    const { guard, workspace } = await opened(
      { tools: [{ name: 'own', effect: 'read', schema }] },
      '[tools.send]\neffect = "message"\n',
    );
    const ask = (name: string, given: object) =>
      guard.tool.validate({ toolCall: { name, arguments: given }, context: { ...who, workspace } });
    expect((await ask('own', {})).toUserError().rule).toBe('invalid_arguments');
    expect((await ask('own', { a: 1 })).blocked).toBe(false);
    expect(await ask('send', {})).toMatchObject({ blocked: false, needsApproval: true });
    await expect(async () =>
      guard.withTools([{ name: 'x', effect: 'read', schema: { '~standard': {} } }]),
    ).rejects.toThrow('cannot say itself');
  });
});

describe('Guardrails', () => {
  afterEach(async () => {
    await Guardrails.close();
    vi.unstubAllEnvs();
  });
  const toolCall = { name: 'Bash', arguments: { command: 'rm -rf /' } };

  it('stand on the user’s own home', async () => {
    vi.stubEnv('SALLYPORT_HOME', join(realpathSync(temporaryFolder()), 'house'));
    const validation = await Guardrails.tool.validate({
      toolCall,
      context: { ...who, permissionMode: 'auto' },
    });
    expect(validation).toMatchObject({ blocked: true, needsApproval: false });
    expect(validation.toUserError().rule).toBe('mass_deletion');
  });

  it('block where the home cannot be used, and try again', async () => {
    const home = realpathSync(temporaryFolder());
    vi.stubEnv('SALLYPORT_HOME', home);
    writeFileSync(join(home, 'sallyport.toml'), 'nonsense = 1');
    const harmless = { toolCall: { name: 'Bash', arguments: { command: 'ls' } }, context: who };
    expect(await Guardrails.tool.validate(harmless)).toMatchObject({ blocked: true, verdict: null });
    writeFileSync(join(home, 'sallyport.toml'), '');
    expect(await Guardrails.tool.validate(harmless)).toMatchObject({ blocked: false });
  });
});

describe('with the AI SDK', () => {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };

  /** A model that makes these calls, one a step, and then says that it is done. */
  function scripted(...calls: readonly (readonly [string, object])[]) {
    let turn = 0;
    return new MockLanguageModelV4({
      doGenerate: async () => {
        const call = calls[turn++];
        const content =
          call === undefined
            ? ([{ type: 'text', text: 'done' }] as const)
            : ([
                {
                  type: 'tool-call',
                  toolCallId: `c${turn}`,
                  toolName: call[0],
                  input: JSON.stringify(call[1]),
                },
              ] as const);
        const unified = call === undefined ? 'stop' : 'tool-calls';
        return { content: [...content], finishReason: { unified, raw: undefined }, usage, warnings: [] };
      },
    });
  }

  async function guarded(effects: Parameters<typeof guardTools>[1]['effects'] = {}) {
    const ran: unknown[] = [];
    const record = async (input: unknown) => {
      ran.push(input);
      return 'done';
    };
    const tools: ToolSet = {
      read_doc: tool({
        description: 'Reads a document.',
        inputSchema: jsonSchema({ type: 'object', properties: { user_id: {} }, additionalProperties: false }),
        execute: record,
      }),
      send_email: tool({ inputSchema: jsonSchema({ type: 'object' }), execute: record }),
      wipe: tool({ inputSchema: jsonSchema({ type: 'object' }), execute: record }),
      count: tool({
        inputSchema: jsonSchema({ type: 'object' }),
        async *execute() {
          ran.push('counted');
          yield 1;
          yield 2;
        },
      }),
    };
    const { guard, workspace, approve } = await opened();
    const both = await guardTools(tools, {
      guard,
      context: () => ({ ...who, workspace, permissionMode: 'auto' }),
      effects: {
        read_doc: { effect: 'read', arguments: { '/user_id': { role: 'user_id' } } },
        send_email: { effect: 'message' },
        count: { effect: 'read' },
        ...effects,
      },
    });
    const run = async (parts: object, ...calls: readonly (readonly [string, object])[]) =>
      await generateText({ model: scripted(...calls), prompt: 'go', stopWhen: isStepCount(5), ...parts });
    return { ran, both, run, approve };
  }

  it('a call that passes runs, with the caller’s ids', async () => {
    const { ran, both, run } = await guarded();
    const { text } = await run(both, ['read_doc', { user_id: 'bob' }], ['count', {}]);
    expect([text, ran]).toEqual(['done', [{ user_id: 'ann' }, 'counted']]);
  });

  it('a call that asks does not run, and the model is told how it could', async () => {
    const { ran, both, run, approve } = await guarded();
    const first = await run(both, ['send_email', { to: 'eve' }], ['wipe', {}]);
    expect(ran).toEqual([]);
    const reasons = first.steps.flatMap(({ content }) =>
      content.flatMap((part) => (part.type === 'tool-approval-response' ? [part.reason ?? ''] : [])),
    );
    expect(reasons).toHaveLength(2);
    expect(reasons[0]).toContain('sends a message');
    const id = /sallyport approve ([\w-]+)/.exec(reasons[0] ?? '')?.[1] ?? '';
    await approve(id);
    await run(
      both,
      ['send_email', { to: 'mallory' }],
      ['send_email', { to: 'eve' }],
      ['send_email', { to: 'eve' }],
    );
    expect(ran).toEqual([{ to: 'eve' }]);
  });

  it('arguments that do not fit are told to the model, and it can correct them', async () => {
    const { ran, both, run } = await guarded();
    const { steps } = await run(both, ['read_doc', { user: 'bob' }], ['read_doc', {}]);
    expect(JSON.stringify(steps[0]?.content)).toContain('has no argument \\"user\\"');
    expect(ran).toEqual([{ user_id: 'ann' }]);
  });

  it('the tools alone, and the approval alone, are enough to stop a call', async () => {
    const { ran, both, run } = await guarded();
    const { steps } = await run({ tools: both.tools }, ['wipe', {}], ['send_email', {}]);
    expect(ran).toEqual([]);
    expect(steps[0]?.content.map(({ type }) => type)).toContain('tool-error');
    await run(both, ['wipe', {}]);
    expect(ran).toEqual([]);
  });

  it('a yes to one call is not one to another that takes its place', async () => {
    const { ran, both } = await guarded();
    const approval = { toolCall: { toolName: 'read_doc', toolCallId: 'c', input: {} } };
    expect(await both.toolApproval(approval)).toBeUndefined();
    const { execute } = both.tools['wipe']!;
    const options = { toolCallId: 'c', messages: [], context: undefined } as never;
    await expect(async () => await execute!({}, options)).rejects.toThrow(GuardrailError);
    expect(ran).toEqual([]);
  });
});

describe('createRunner', () => {
  const list: ToolDefinition = { name: 'list', server: 'github', effect: 'read' };

  it('gives what code returned, logged and threw without secrets', async () => {
    const { guard, workspace } = await opened({ tools: [list] });
    const runner = await guard.createRunner({ pool: { max: 1 } });
    onTestFinished(() => runner.close());
    const token = `ghp_${'A1b2C3d4E5f6G7h8I9j0'.repeat(2).slice(0, 36)}`;
    const tools = { 'github.list': async () => ({ token }) };
    const context = { ...who, workspace };
    const source =
      'const { token } = await github.list({}); console.log(token); return { token, length: token.length }';
    const result = await runner.run({ source, tools, context });
    expect(result).toMatchObject({
      status: 'ok',
      value: { token: expect.stringContaining('[REDACTED'), length: 40 },
    });
    expect(JSON.stringify(result)).not.toContain(token);
    const thrown = await runner.run({
      source: 'throw new Error((await github.list({})).token)',
      tools,
      context,
    });
    expect(thrown).toMatchObject({ status: 'error', error: { code: 'Error' } });
    expect(JSON.stringify(thrown)).not.toContain(token);
  });

  it('runs code whose calls are judged, and records both', async () => {
    const { guard, workspace, house } = await opened({ tools: [list] });
    const runner = await guard.createRunner({ pool: { max: 1 } });
    onTestFinished(() => runner.close());
    await runner.warm();
    const seen: unknown[] = [];
    const tools = {
      'github.list': async (args: object) => {
        seen.push(args);
        return [{ title: 'a' }, { title: 'b' }];
      },
      'github.drop': async () => seen.push('dropped'),
    };
    const context = { ...who, workspace };
    const source =
      'const issues: { title: string }[] = await github.list({ state: "open" });\nreturn issues.map((issue) => issue.title)';
    expect(await runner.run({ source, tools, context })).toMatchObject({
      status: 'ok',
      value: ['a', 'b'],
      calls: [{ tool: 'github.list' }],
    });
    expect(await runner.run({ source: 'return fetch("/")', tools, context })).toMatchObject({
      status: 'blocked',
    });
    // Nobody registered it, so that it may do anything.
    expect(await runner.run({ source: 'await github.drop({})', tools, context })).toMatchObject({
      status: 'error',
    });
    expect(seen).toEqual([{ state: 'open' }]);
    await guard.close();
    const ledger = await openLedger(house, (await loadConfig({ home: house, environment: {} })).ledger);
    const text = JSON.stringify(await ledger.audit.list({ limit: 100 }));
    await ledger.close();
    expect(text).toContain('"code"');
    expect(text).toContain('network_api');
  });

  it('refuses a folder that is not there', async () => {
    const { guard } = await opened();
    const runner = await guard.createRunner();
    onTestFinished(() => runner.close());
    const job = { source: 'return 1', tools: {}, context: { ...who, workspace: '/nowhere/at/all' } };
    await expect(runner.run(job)).rejects.toThrow('the workspace does not exist');
  });
});
