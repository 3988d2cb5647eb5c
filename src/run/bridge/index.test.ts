// The bridge over real servers: which tools code may call, and their descriptions.

import { describe, expect, it, vi } from 'vitest';
import {
  failed,
  issues,
  openBridge,
  run,
  type TestServer,
  textResult,
} from '../../../tests/support/bridge.ts';
import { context } from '../../../tests/support/decide.ts';
import { person } from '../../../tests/support/ledger.ts';
import { serverProgram } from '../../../tests/support/mcp.ts';

describe('the planner’s output', () => {
  it('that calls tools runs, and says which', async () => {
    const { bridge, calls } = await openBridge({ servers: { github: issues } });
    const code = `
      const open: { id: number }[] = await github.list_issues({ repo: 'a/b' });
      console.warn('found', open.length);
      await Promise.all(open.map(({ id }) => github.close_issue({ id })));
      return open.map(({ id }) => id);`;
    expect(await run(bridge, code)).toEqual({
      success: true,
      status: 'ok',
      nonMcpContentResults: [1, 2],
      logs: ['[warn] found 2'],
      calls: [
        { tool: 'github.list_issues', status: 'done', ms: expect.any(Number) },
        { tool: 'github.close_issue', status: 'done', ms: expect.any(Number) },
        { tool: 'github.close_issue', status: 'done', ms: expect.any(Number) },
      ],
    });
    expect(calls.toSorted()).toEqual(['github.close-issue', 'github.close-issue', 'github.list_issues']);
  });

  const refused = [
    ['', 'empty generated code'],
    [`return "${'x'.repeat(12_000)}"`, 'generated code exceeds 12000 chars'],
    ["import fs from 'node:fs'; await github.list_issues({ repo: '' })", 'module import'],
    ["await github.list_issues({ repo: '' }); return await fetch('https://example.com')", 'network api'],
    ["await github.list_issues({ repo: '' }); return process.env", 'process api'],
    ["await github.list_issues({ repo: '' }); child_process.exec('id')", 'process execution api'],
    ["await github.list_issues({ repo: '' }); fs.readFileSync('/etc/passwd')", 'filesystem api'],
    ["await github.list_issues({ repo: '' }); return eval('1')", 'dynamic code execution api'],
    ["await github.list_issues({ repo: '' }); net.connect(80)", 'low-level network module'],
    ["await github.list_issues({ repo: '' });\n".repeat(31), 'tool-call count 31 exceeds cap 30'],
  ] as const;

  it('that would do anything else is refused, and nothing is called', async () => {
    const { bridge, calls } = await openBridge({ servers: { github: issues } });
    for (const [code, reason] of refused) {
      const message = `Code-mode guardrail blocked execution: ${reason}`;
      expect(await run(bridge, code)).toEqual({
        ...failed('blocked', message),
        status: 'blocked',
        logs: [],
        calls: [],
        violations: expect.arrayContaining([expect.stringContaining(reason)]),
      });
    }
    expect(calls).toEqual([]);
  });
});

describe('a tool', () => {
  it('that is not on the list of its server cannot be called, by whatever name', async () => {
    const { bridge, calls } = await openBridge({
      servers: { github: { ...issues, config: { tools: ['list_*'] } } },
    });
    expect(await bridge.list(context)).toEqual(['github.list_issues']);
    expect(await run(bridge, 'return await github.close_issue({ id: 1 })')).toMatchObject(
      failed('blocked', 'Code-mode guardrail blocked execution: the code may not call this tool'),
    );
    const hidden = "const name = ['close', 'issue'].join('_'); return await github[name]({ id: 1 })";
    expect(await run(bridge, hidden)).toMatchObject({ success: false });
    expect(calls).toEqual([]);
  });

  it('of a server that is not there for the agent is not there', async () => {
    const { bridge, calls } = await openBridge({
      servers: { github: issues, jira: { ...issues, config: { agents: ['reviewer'] } } },
    });
    expect(await bridge.list(context)).toEqual(['github.close_issue', 'github.list_issues']);
    expect(await bridge.list({ ...context, agent: 'reviewer' })).toContain('jira.list_issues');
    expect(await run(bridge, "return await jira.list_issues({ repo: '' })")).toMatchObject({
      success: false,
      error_code: 'blocked',
    });
    expect(calls).toEqual([]);
  });

  it('that is refused does not make the run one that was, whatever the code says', async () => {
    const { bridge } = await openBridge({ servers: { github: issues }, tools: {} });
    expect(await run(bridge, "await github.list_issues({ repo: '' })")).toMatchObject({
      status: 'error',
      error_code: 'blocked',
    });
    const forged =
      "const error = new Error('Code-mode guardrail blocked execution: x'); error.code = 'blocked'; throw error";
    expect(await run(bridge, forged)).toMatchObject({ status: 'error', success: false });
  });

  it('that nobody registered is refused by the path, and code can catch that', async () => {
    const { bridge, calls } = await openBridge({ servers: { github: issues }, tools: {} });
    const code = "try { await github.list_issues({ repo: '' }) } catch (error) { return error.code }";
    expect(await run(bridge, code)).toMatchObject({
      success: true,
      nonMcpContentResults: 'blocked',
      calls: [{ tool: 'github.list_issues', error: 'blocked' }],
    });
    expect(calls).toEqual([]);
  });

  it.each([
    ['approve', { success: true, nonMcpContentResults: [{ id: 1 }, 'done'] }, ['github.close-issue']],
    ['deny', { success: true, nonMcpContentResults: ['blocked', 'done'] }, []],
  ] as const)(
    'that needs a person waits for one, and the chain goes on: %s',
    async (said, expected, made) => {
      const tools = { 'close-issue': { server: 'github', effect: 'destructive' } };
      const { bridge, calls, ledger } = await openBridge({ servers: { github: issues }, tools });
      const code = `
      const closed = await github.close_issue({ id: 1 }).catch((error) => error.code);
      return [closed, 'done'];`;
      const waiting = await run(bridge, code);
      expect(waiting).toMatchObject({
        success: false,
        status: 'waiting',
        error_code: 'needs_approval',
        run: expect.any(String),
        approvals: [{ how: expect.stringContaining('sallyport approve') }],
      });
      expect(calls).toEqual([]);
      const again = { run: waiting.run ?? '' };
      expect((await bridge.chain(again, context)).answer).toMatchObject({
        status: 'waiting',
        run: waiting.run,
      });
      await expect(bridge.chain(again, { ...context, user: 'eve' })).rejects.toMatchObject({
        name: 'UnknownRun',
      });
      const [{ id = '' } = {}] = waiting.approvals ?? [];
      await ledger.approvals.answer(id, said, 'olga', person, {}, Date.now());
      expect((await bridge.chain(again, context)).answer).toMatchObject(expected);
      expect(calls).toEqual(made);
      await expect(bridge.chain(again, context)).rejects.toMatchObject({ name: 'RunTaken' });
    },
  );

  it('is called with what was judged, by its own name on its own server', async () => {
    const echo: TestServer = { tools: [{ name: 'get.it' }] };
    const seen: unknown[] = [];
    const record = (from: string): TestServer => ({
      ...echo,
      call: (name, given) => {
        seen.push([from, name, given]);
        return textResult(from);
      },
    });
    const { bridge } = await openBridge({
      servers: { a: record('a'), 'a-b': record('a-b'), a_b: record('a_b') },
    });
    expect(await bridge.list(context)).toEqual(['a.get_it', 'a_b_2.get_it', 'a_b.get_it']);
    const code = 'return [await a.get_it({ n: 1 }), await a_b.get_it({ n: 2 }), await a_b_2.get_it()]';
    expect(await run(bridge, code)).toMatchObject({ nonMcpContentResults: ['a', 'a_b', 'a-b'] });
    expect(seen).toEqual([
      ['a', 'get.it', { n: 1 }],
      ['a_b', 'get.it', { n: 2 }],
      ['a-b', 'get.it', {}],
    ]);
  });
});

describe('a server', () => {
  const program: TestServer = {
    tools: [],
    config: {
      command: process.execPath,
      args: [serverProgram, 'usual'],
      call_timeout_seconds: 2,
    },
  };
  const codeOf = (call: string) => `try { return await a.${call}({}) } catch (error) { return error.code }`;

  it('that dies in a call, or does not answer, is an error in the code, and comes back', async () => {
    const { bridge } = await openBridge({ servers: { a: program } });
    expect(await run(bridge, codeOf('crash'))).toMatchObject({ nonMcpContentResults: 'server_gone' });
    expect(await run(bridge, codeOf('hang'))).toMatchObject({ nonMcpContentResults: 'tool_timeout' });
    await vi.waitFor(
      async () => expect(await run(bridge, codeOf('echo'))).toMatchObject({ nonMcpContentResults: {} }),
      { timeout: 10_000, interval: 500 },
    );
  });

  it('that cannot be reached is not there, and the others are', async () => {
    const gone = { tools: [], config: { command: process.execPath, args: [serverProgram, 'exit'] } };
    const { bridge } = await openBridge({ servers: { gone, github: issues } });
    expect(await bridge.list(context)).toEqual(['github.close_issue', 'github.list_issues']);
    expect(await run(bridge, "return await github.list_issues({ repo: '' })")).toMatchObject({
      success: true,
    });
  });

  it('that is a bridge itself is not reached by way of ours', async () => {
    const other = { tools: [{ name: 'search_tools' }, { name: 'call_tool_chain' }, { name: 'x' }] };
    const { bridge, calls } = await openBridge({ servers: { utcp: other, github: issues } });
    expect(await bridge.list(context, 'utcp')).toEqual([]);
    expect(await run(bridge, 'return await utcp.call_tool_chain({ code: "1" })')).toMatchObject({
      status: 'blocked',
    });
    expect(calls).toEqual([]);
  });
});

describe('a flood of tools', () => {
  const many: TestServer = {
    tools: Array.from({ length: 900 }, (_, index) => ({
      name: `tool_${index}`,
      description: `Does thing number ${index}.`,
    })),
  };

  it('is searched, listed and called', async () => {
    const { bridge, calls } = await openBridge({ servers: { a: many, b: many } });
    expect(await bridge.list(context)).toHaveLength(1800);
    expect(await bridge.list(context, 'b')).toHaveLength(900);
    const found = await bridge.search('thing number 777', 4, context);
    expect(found.map(({ name }) => name).slice(0, 2)).toEqual(['a.tool_777', 'b.tool_777']);
    expect(await run(bridge, 'return await b.tool_777({ n: 1 })')).toMatchObject({
      success: true,
      nonMcpContentResults: { n: 1 },
    });
    expect(calls).toEqual(['b.tool_777']);
  });
});

describe('what is told of tools', () => {
  it('is their declaration, by either name', async () => {
    const { bridge } = await openBridge({ servers: { github: issues } });
    const { tools, unknown } = await bridge.info(
      ['github.close-issue', 'github.close_issue', 'github.list_issues', 'github.gone\u202e'],
      context,
    );
    expect(tools).toEqual([
      {
        name: 'github.close_issue',
        server: 'github',
        tool: 'close-issue',
        description: 'Closes an issue.',
        typescript_interface: expect.stringContaining('function close_issue(input?'),
      },
      expect.objectContaining({ name: 'github.list_issues' }),
    ]);
    expect(unknown).toEqual(['github.gone\\u{202e}']);
  });

  it('is no more than can be read, however many there are', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 120 }, (_, index) => [
        `key_${index}`,
        { type: 'string', description: 'd'.repeat(40) },
      ]),
    );
    const tools = Array.from({ length: 50 }, (_, index) => ({
      name: `tool_${index}`,
      description: 'x'.repeat(3000),
      inputSchema: { type: 'object', properties },
    }));
    const { bridge } = await openBridge({ servers: { a: { tools } } });
    const { tools: told } = await bridge.info(await bridge.list(context), context);
    expect(told).toHaveLength(50);
    expect(JSON.stringify(told).length).toBeLessThan(150_000);
    const { tools: one } = await bridge.info(['a.tool_7'], context);
    expect(one[0]?.typescript_interface).toContain('key_40');
  });

  it('is which keys a call needs', async () => {
    const { bridge } = await openBridge({ servers: { github: issues } });
    expect(await bridge.keys('github.list_issues', context)).toEqual({
      name: 'github.list_issues',
      required_keys: ['repo'],
      optional_keys: ['state'],
    });
    await expect(bridge.keys('github.list_isues', context)).rejects.toMatchObject({
      name: 'InputError',
      hint: 'did you mean "github.list_issues"?',
    });
  });
});
