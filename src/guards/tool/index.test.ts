import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stillWorld } from '../../../tests/support/decide.ts';
import { openEnrolledLedger, person } from '../../../tests/support/ledger.ts';
import { decideCall } from '../../../tests/support/tool.ts';
import { settingsFrom } from '../../config/index.ts';
import {
  type Action,
  type ActionOf,
  Budget,
  type JsonObject,
  type Mode,
  modeFromHost,
  modes,
  type ToolSpec,
} from '../../core/index.ts';
import { toolGuard } from './index.ts';
import { mcpTool } from './mcp.ts';
import { hostToolNames, hostTools } from './registry.ts';

const context = {
  user: 'ann',
  tenant: 'acme',
  agent: 'a',
  session: 's',
  workspace: '/work',
  mode: 'default',
} as const;

/** A disk on which /home/ann/link leads to the workspace, and /work/inner elsewhere in it. */
const linked = (path: string): string | null =>
  path.endsWith('/missing')
    ? null
    : path.replace(/^\/home\/ann\/link(?=\/|$)/, '/work').replace(/^\/work\/inner(?=\/|$)/, '/work/other');

/** The parts of a call. */
function partsOf(tool: string, given: JsonObject, tools: readonly ToolSpec[] = [], server?: string) {
  const action: ActionOf<'tool'> = { kind: 'tool', tool, arguments: given, ...(server ? { server } : {}) };
  const world = { ...stillWorld(), realPath: linked };
  const input = { context, settings: { ...settingsFrom({}), tools }, budget: new Budget(100_000), world };
  const parts = toolGuard.expand?.(action, input, toolGuard.read?.(action, input)) ?? [];
  if (parts instanceof Promise) throw new Error('a call is read at once');
  return parts;
}
/** What the guard makes of a call by itself. */
function judged(action: ActionOf<'tool'>, tools: readonly ToolSpec[]) {
  const settings = { ...settingsFrom({}), tools };
  const input = { context, settings, budget: new Budget(1000), world: stillWorld(), granted: () => false };
  return toolGuard.check(action, input, toolGuard.read?.(action, input));
}

const actionsOf = (...parameters: Parameters<typeof partsOf>): Action[] =>
  partsOf(...parameters).map(({ action }) => action);

describe('the tools of hosts', () => {
  const patch = '*** Begin Patch\n*** Add File: a.txt\n+one\n*** End Patch';
  const created = { kind: 'write', changes: [{ op: 'create', path: 'a.txt', content: 'one\n' }] } as const;
  const edited = {
    kind: 'write',
    changes: [{ op: 'edit', path: 'a.ts', edits: [{ old: 'a', new: 'b' }] }],
  } as const;
  const listed = { kind: 'shell', command: 'ls' } as const;
  const written = { kind: 'write', path: 'a.ts', content: 'x' } as const;
  const read = { kind: 'read', path: 'a.ts' } as const;
  const fetched = { kind: 'fetch', url: 'https://example.com/' } as const;
  const cases: readonly (readonly [string, string, JsonObject, readonly Action[]])[] = [
    ['claude', 'Bash', { command: 'ls', description: 'look' }, [listed]],
    ['claude', 'Read', { file_path: 'a.ts' }, [read]],
    ['claude', 'Write', { file_path: 'a.ts', content: 'x' }, [written]],
    ['claude', 'Edit', { file_path: 'a.ts', old_string: 'a', new_string: 'b' }, [edited]],
    ['claude', 'MultiEdit', { file_path: 'a.ts', edits: [{ old_string: 'a', new_string: 'b' }] }, [edited]],
    ['claude', 'Grep', { pattern: 'x', path: 'a.ts', '-n': true }, [read]],
    ['claude', 'Glob', { pattern: '**/*.ts' }, []],
    ['claude', 'WebFetch', { url: 'https://example.com/', prompt: 'what is it?' }, [fetched]],
    ['claude', 'WebSearch', { query: 'x' }, []],
    ['claude', 'TodoWrite', { todos: [] }, []],
    ['codex', 'shell', { command: ['bash', '-lc', 'ls'] }, [listed]],
    [
      'codex',
      'shell',
      { command: ['ls', 'a b'], workdir: 'src' },
      [{ kind: 'shell', command: "ls 'a b'", cwd: 'src' }],
    ],
    ['codex', 'exec_command', { cmd: 'ls' }, [listed]],
    ['codex', 'apply_patch', { input: patch }, [created]],
    ['gemini', 'run_shell_command', { command: 'ls', directory: 'src' }, [{ ...listed, cwd: 'src' }]],
    ['gemini', 'read_file', { absolute_path: 'a.ts' }, [read]],
    ['gemini', 'write_file', { file_path: 'a.ts', content: 'x' }, [written]],
    ['gemini', 'replace', { file_path: 'a.ts', old_string: 'a', new_string: 'b' }, [edited]],
    [
      'gemini',
      'web_fetch',
      { prompt: 'Compare https://example.com/, and http://example.org/b.' },
      [fetched, { kind: 'fetch', url: 'http://example.org/b' }],
    ],
    ['cursor', 'Shell', { command: 'ls' }, [listed]],
    ['cursor', 'Write', { path: 'a.ts', contents: 'x' }, [written]],
    ['cursor', 'Delete', { path: 'a.ts' }, [{ kind: 'write', changes: [{ op: 'delete', path: 'a.ts' }] }]],
    ['copilot', 'bash', { command: 'ls', sessionId: 'x' }, [listed]],
    ['copilot', 'view', { path: 'a.ts' }, [read]],
    ['copilot', 'create', { path: 'a.ts', file_text: 'x' }, [written]],
    ['copilot', 'edit', { path: 'a.ts', old_str: 'a', new_str: 'b' }, [edited]],
    ['opencode', 'edit', { filePath: 'a.ts', oldString: 'a', newString: 'b' }, [edited]],
    ['opencode', 'patch', { patchText: patch }, [created]],
    ['opencode', 'webfetch', { url: 'https://example.com/' }, [fetched]],
    [
      'opencode',
      'batch',
      { tool_calls: [{ tool: 'bash', parameters: { command: 'ls' } }] },
      [{ kind: 'tool', tool: 'bash', arguments: { command: 'ls' } }],
    ],
  ];
  it.each(cases)('%s %s %j', (host, tool, given, actions) => {
    expect(actionsOf(tool, given, [], `host:${host}`)).toEqual(actions);
    expect(actionsOf(tool, given)).toEqual(actions);
  });

  it.each([
    // The nearest name of all hosts is one of another host.
    ['list_mcp_resource', 'host:codex', [], /ListMcp/],
    ['write_file', 'direct', [{ name: 'write_file', effect: 'own' }], /write_file/],
    ['read_fil', 'files', [{ name: 'read_file', effect: 'read' }], /read_file/],
    ['Reed', undefined, [], /Read/],
  ] as const)(
    'advise nothing that the caller cannot call: %s by %s',
    async (tool, server, tools, foreign) => {
      const { findings } = await judged(
        { kind: 'tool', tool, ...(server === undefined ? {} : { server }) },
        tools,
      );
      expect(findings.map(({ rule }) => rule)).toEqual(['unknown_tool']);
      expect(findings.map(({ suggestion = '' }) => suggestion).join()).not.toMatch(foreign);
    },
  );

  it('advise the nearest that the caller can call', async () => {
    const near = async (tool: string, server: string, tools: readonly ToolSpec[] = []) => {
      return (await judged({ kind: 'tool', tool, server }, tools)).findings[0]?.suggestion;
    };
    expect(await near('Reed', 'host:claude')).toBe('Call "Read", if that is meant.');
    expect(await near('read_fil', 'files', [{ name: 'read_file', server: 'files', effect: 'read' }])).toBe(
      'Call "read_file", if that is meant.',
    );
  });

  it('are of every host and our own, and a host has no tools of another', async () => {
    const hosts = hostToolNames().flatMap((name) => hostTools(name).map(({ host }) => host));
    expect([...new Set(hosts)].sort()).toEqual([
      'claude',
      'codex',
      'copilot',
      'cursor',
      'gemini',
      'kilo',
      'opencode',
      'qwen',
      'sallyport',
    ]);
    expect((await decideCall('Bash', { command: 'ls' }, {}, { server: 'host:gemini' })).rules).toEqual([
      'unknown_tool',
    ]);
    expect((await decideCall('Bash', { command: 'ls' }, {}, { server: 'claude' })).rules).toEqual([
      'unknown_tool',
    ]);
  });

  it('take no argument that they do not have, so that two spellings of one never meet', async () => {
    const both = { file_path: 'a.ts', path: '/etc/passwd' };
    expect((await decideCall('Read', both)).rules).toEqual(['invalid_arguments']);
  });
});

describe('a tool of the user', () => {
  const fetcher: ToolSpec = {
    name: 'call_api',
    effect: 'fetch',
    arguments: { '/endpoint': { role: 'url' }, '/verb': { role: 'method' }, '/data': { role: 'body' } },
  };

  it('stands before one of a host', async () => {
    const own: ToolSpec = { name: 'Bash', effect: 'read', schema: { type: 'object', required: ['x'] } };
    const { verdict } = await decideCall('Bash', { command: 'ls' }, { tools: [own] });
    expect(verdict.findings[0]?.message).toBe(
      'The call of "Bash" does not fit: its arguments: "x" is missing.',
    );
  });

  it('may be a whole family of one server', async () => {
    const tools: readonly ToolSpec[] = [{ name: 'get_*', server: 'docs', effect: 'read' }];
    expect((await decideCall('get_page', {}, { tools }, { server: 'docs' })).rules).toEqual([]);
    expect((await decideCall('put_page', {}, { tools }, { server: 'docs' })).rules).toEqual(['unknown_tool']);
    expect((await decideCall('get_page', {}, { tools })).rules).toEqual(['unknown_tool']);
  });

  it('has its URL judged with method and body, and gets the one spelling back', async () => {
    const agent = { egress_allowlist: ['example.com'] };
    const given = { endpoint: 'https://EXAMPLE.com', verb: 'post', data: { a: 1 } };
    expect(actionsOf('call_api', given, [fetcher])).toEqual([
      { kind: 'fetch', url: 'https://EXAMPLE.com', method: 'post', body: '{"a":1}' },
    ]);
    const { verdict, rules } = await decideCall('call_api', given, { tools: [fetcher], agent });
    expect(rules).toContain('state_changing_request');
    expect(verdict.action).toMatchObject({
      arguments: { endpoint: 'https://example.com/', verb: 'POST', data: { a: 1 } },
    });
  });

  it('has every URL judged that an argument is, whatever it is called and however deep it lies', async () => {
    const tools: readonly ToolSpec[] = [{ name: 'render', effect: 'read' }];
    const given = {
      page: { images: ['http://169.254.169.254/', { src: 'file:///etc/passwd' }] },
      text: 'see https://evil.test/ for more',
    };
    const { verdict } = await decideCall('render', given, { tools });
    expect(verdict.findings.map(({ rule, pointer }) => [rule, pointer])).toEqual([
      ['metadata_address', '/arguments/page/images/0'],
      ['scheme_not_allowed', '/arguments/page/images/1/src'],
    ]);
  });

  it.each([
    ['http:169.254.169.254', ['ambiguous_url', 'ambiguous_address', 'metadata_address']],
    ['ht\ntp://169.254.169.254/', ['ambiguous_url', 'ambiguous_address', 'metadata_address']],
    ['\u0001http://169.254.169.254/', ['ambiguous_url', 'ambiguous_address', 'metadata_address']],
    ['HTTP://169.254.169.254/a b', ['metadata_address']],
    ['file:///etc/passwd and more', ['scheme_not_allowed']],
    ['see http://169.254.169.254/', []],
    ['httpd: a server', []],
    ['C:\\temp', []],
  ])('has %j judged as the most forgiving reader would read it', async (text, rules) => {
    const tools: readonly ToolSpec[] = [{ name: 'render', effect: 'read' }];
    expect((await decideCall('render', { text }, { tools })).rules).toEqual(rules);
  });

  it('has findings placed where the text stands, and no offsets where there is no text', async () => {
    const spot = async (tool: string, given: JsonObject) => {
      const { verdict } = await decideCall(tool, given);
      const [{ pointer, span } = {}] = verdict.findings;
      return [pointer, span];
    };
    expect(await spot('Bash', { command: 'ls; rm -rf /' })).toEqual(['/arguments/command', [4, 12]]);
    expect(await spot('shell', { command: ['rm', '-rf', '/'] })).toEqual(['/arguments/command', undefined]);
    expect(await spot('WebFetch', { url: '  http://10.0.0.1/' })).toEqual(['/arguments/url', [9, 17]]);
    expect(await spot('web_fetch', { prompt: 'Read http://10.0.0.1/.' })).toEqual([
      '/arguments/prompt',
      [12, 20],
    ]);
    expect(
      await spot('batch', { tool_calls: [{ tool: 'bash', parameters: { command: 'rm -rf /' } }] }),
    ).toEqual(['/arguments/tool_calls/0/parameters/command', [0, 8]]);
  });

  it('may make a tool of a host stricter, whichever way that is called', async () => {
    const tools: readonly ToolSpec[] = [{ name: 'Bash', effect: 'destructive' }];
    for (const rest of [{}, { server: 'host:claude' }]) {
      expect((await decideCall('Bash', { command: 'ls' }, { tools }, rest)).rules).toEqual([
        'destructive_call',
      ]);
    }
  });

  it.each([
    ['a path that is no text', { '/path': { role: 'path' } }, { path: { a: 1 } }, '/path'],
    ['a list in a list', { '/paths': { role: 'path' } }, { paths: [['a']] }, '/paths/0'],
    ['a command that is none', { '/run': { role: 'command' } }, { run: { a: 1 } }, '/run'],
    ['a command with a number', { '/run': { role: 'command' } }, { run: ['rm', 1] }, '/run'],
    ['a patch that is none', { '/diff': { role: 'patch' } }, { diff: '--- a\n+++ b' }, '/diff'],
    ['a call that is none', { '/call': { role: 'call' } }, { call: 'rm' }, '/call'],
    ['a call with two names', { '/call': { role: 'call' } }, { call: { tool: 'LS', name: 'Bash' } }, '/call'],
    [
      'a call with arguments twice',
      { '/call': { role: 'call' } },
      { call: { tool: 'Bash', input: { command: 'ls' }, arguments: { command: 'rm -rf /' } } },
      '/call',
    ],
    ['a method that is none', { '/method': { role: 'method' } }, { method: 'GET /' }, '/method'],
  ] as const)('is refused for %s', async (_, named, given, pointer) => {
    const tools: readonly ToolSpec[] = [{ name: 'own', effect: 'read', arguments: named }];
    const { verdict, rules } = await decideCall('own', given as unknown as JsonObject, { tools });
    expect(rules).toContain('invalid_arguments');
    expect(verdict.findings.find(({ rule }) => rule === 'invalid_arguments')?.pointer).toBe(
      `/arguments${pointer}`,
    );
  });

  it('is refused where its schema cannot be checked', async () => {
    const tools: readonly ToolSpec[] = [{ name: 'own', effect: 'read', schema: { type: 'object' } }];
    const world = {
      now: () => 0,
      resolve: async () => [],
      realPath: () => null,
      readText: () => null,
      look: () => null,
    };
    expect((await decideCall('own', {}, { tools, more: { world } })).rules).toEqual(['schema_unusable']);
    const failing = { ...world, schemas: { checkFor: () => Promise.reject(new Error('no')) } };
    expect((await decideCall('own', {}, { tools, more: { world: failing } })).rules).toEqual(['guard_error']);
  });

  it('that runs something, and nobody sees what, is destructive', async () => {
    const tools: readonly ToolSpec[] = [
      { name: 'run', effect: 'shell', arguments: { '/cmd': { role: 'command' } } },
    ];
    expect((await decideCall('run', { other: 'ls' }, { tools })).rules).toEqual(['destructive_call']);
    expect((await decideCall('run', { cmd: 'ls' }, { tools })).rules).toEqual([]);
  });
});

describe('a file that is written', () => {
  it.each([
    ['/work/src/a.ts', 'src/a.ts'],
    // A link inside stays one, so that the write guard refuses it.
    ['/work/inner/a.ts', 'inner/a.ts'],
    ['/home/ann/link/src/a.ts', 'src/a.ts'],
    ['/home/ann/link/missing/a.ts', 'missing/a.ts'],
    ['src/a.ts', 'src/a.ts'],
    ['/etc/a.ts', '/etc/a.ts'],
    ['/workspace/a.ts', '/workspace/a.ts'],
    ['/home/ann/link/../../../etc/a.ts', '../../../etc/a.ts'],
    ['/a\u0000b', '/a\u0000b'],
  ])('%j is judged as %j', (given, path) => {
    expect(actionsOf('Write', { file_path: given, content: 'x' })).toEqual([
      { kind: 'write', path, content: 'x' },
    ]);
  });
});

describe('a patch', () => {
  const whole = (...lines: readonly string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
  it('becomes all of its changes', () => {
    const input = whole(
      '*** Update File: a.ts',
      '*** Move to: b.ts',
      '@@ function x',
      ' same',
      '-old',
      '+new',
      '*** End of File',
      '*** Delete File: c.ts',
    );
    expect(actionsOf('apply_patch', { input })).toEqual([
      {
        kind: 'write',
        changes: [
          { op: 'rename', path: 'a.ts', to: 'b.ts', edits: [{ old: 'same\nold\n', new: 'same\nnew\n' }] },
          { op: 'delete', path: 'c.ts' },
        ],
      },
    ]);
  });

  it.each([
    [''],
    ['*** Begin Patch'],
    [whole()],
    [whole('+line before any file')],
    [whole('*** Rename File: a')],
    [whole('*** Update File:  ')],
    [whole('*** Move to: b')],
    [whole('*** Add File: a', '*** Move to: b', '+x')],
    [whole('*** Update File: a', '*** Move to: b', '*** Move to: c')],
    [whole('*** Add File: a', 'line without a sign')],
    [whole('*** Delete File: a', '+x')],
  ])('that cannot be read is refused: %j', async (input) => {
    expect((await decideCall('apply_patch', { input })).rules).toContain('invalid_arguments');
  });
});

describe('modes', () => {
  const message: ToolSpec = { name: 'send_email', effect: 'message' };
  const remove: ToolSpec = { name: 'delete_account', effect: 'destructive' };
  /** Part D's table, by the words of the contract. */
  const table: readonly (readonly [string, string, JsonObject, Readonly<Record<Mode, string>>])[] = [
    [
      'read',
      'Read',
      { file_path: 'a.ts' },
      { default: 'pass', acceptEdits: 'pass', plan: 'pass', auto: 'pass' },
    ],
    [
      'a command that reads',
      'Bash',
      { command: 'git log | head' },
      { default: 'pass', acceptEdits: 'pass', plan: 'pass', auto: 'pass' },
    ],
    [
      'file edit',
      'Write',
      { file_path: 'src/a.ts', content: '' },
      { default: 'approve', acceptEdits: 'pass', plan: 'block', auto: 'pass' },
    ],
    [
      'manifest',
      'Write',
      { file_path: 'packages/a/Package.JSON', content: '' },
      { default: 'approve', acceptEdits: 'approve', plan: 'block', auto: 'approve' },
    ],
    [
      'lock file',
      'Edit',
      { file_path: 'Cargo.lock', old_string: 'a', new_string: 'b' },
      { default: 'approve', acceptEdits: 'approve', plan: 'block', auto: 'approve' },
    ],
    [
      'dotfile',
      'Write',
      { file_path: '.github/workflows/a.yml', content: '' },
      { default: 'approve', acceptEdits: 'approve', plan: 'block', auto: 'approve' },
    ],
    [
      'file that is not known',
      'save_memory',
      { fact: 'x' },
      { default: 'approve', acceptEdits: 'approve', plan: 'block', auto: 'approve' },
    ],
    [
      'shell, restorable',
      'Bash',
      { command: 'touch a.txt' },
      { default: 'approve', acceptEdits: 'approve', plan: 'block', auto: 'pass' },
    ],
    [
      'closed list',
      'send_email',
      {},
      { default: 'approve', acceptEdits: 'approve', plan: 'block', auto: 'approve' },
    ],
    [
      'closed list in a command',
      'Bash',
      { command: 'git push' },
      { default: 'approve', acceptEdits: 'approve', plan: 'block', auto: 'approve' },
    ],
    [
      'destructive',
      'delete_account',
      {},
      { default: 'approve', acceptEdits: 'approve', plan: 'block', auto: 'approve' },
    ],
    [
      'destructive in a command',
      'Bash',
      { command: 'rm -rf src' },
      { default: 'approve', acceptEdits: 'approve', plan: 'block', auto: 'approve' },
    ],
  ];
  for (const [what, tool, given, expected] of table) {
    it.each(modes)(`${what} in %s`, async (mode) => {
      const { verdict, cleared } = await decideCall(tool, given, { mode, tools: [message, remove] });
      expect(verdict.decision).toBe(expected[mode]);
      expect(cleared !== null).toBe(expected[mode] === 'pass');
    });
  }

  it.each(['default', 'acceptEdits', 'auto'] as const)(
    'leave what can be undone to the rules of a host in %s, and nothing else',
    async (mode) => {
      const hosted = async (tool: string, given: JsonObject) =>
        (await decideCall(tool, given, { mode, context: { host: 'claude' }, tools: [message, remove] }))
          .verdict.decision;
      expect(await hosted('Write', { file_path: 'a.txt', content: 'a' })).toBe('pass');
      expect(await hosted('Write', { file_path: 'package.json', content: '{}' })).toBe('pass');
      expect(await hosted('Bash', { command: 'touch a.txt' })).toBe('pass');
      expect(await hosted('Bash', { command: 'git push' })).toBe('approve');
      expect(await hosted('Bash', { command: 'rm -rf src' })).toBe('approve');
      expect(await hosted('send_email', {})).toBe('approve');
      expect(await hosted('delete_account', {})).toBe('approve');
    },
  );

  it('ask about a call inside a call as what it is, and once', async () => {
    const ledger = await openEnrolledLedger();
    const batch = async (command: string, mode: Mode) => {
      const given = { tool_calls: [{ tool: 'bash', parameters: { command } }] };
      const { verdict, rules } = await decideCall('batch', given, { mode, more: { ledger } });
      const [entry] = await ledger.audit.list({ decisionId: verdict.decisionId, eventType: 'decision' });
      return [rules, entry?.details['facts']];
    };
    expect(await batch('touch a', 'default')).toEqual([
      ['mode_asks'],
      expect.objectContaining({ class: 'run' }),
    ]);
    expect(await batch('rm -rf src', 'auto')).toEqual([
      ['workspace_deletion', 'destructive_call'],
      expect.objectContaining({ class: 'destructive' }),
    ]);
    expect(await batch('touch a', 'plan')).toEqual([
      ['plan_mode_change', 'plan_mode_call'],
      expect.objectContaining({ class: 'run' }),
    ]);
  });

  it('switch no guard off', async () => {
    for (const mode of modes) {
      expect((await decideCall('Read', { file_path: 'forbidden' }, { mode })).verdict.decision).toBe('block');
      expect((await decideCall('Bash', { command: 'rm -rf /' }, { mode })).verdict.decision).toBe('block');
    }
  });

  it('of hosts are four', () => {
    const words = { bypassPermissions: 'auto', yolo: 'auto', dontAsk: 'auto', autoEdit: 'acceptEdits' };
    for (const [word, mode] of Object.entries(words)) expect(modeFromHost(word)).toBe(mode);
    for (const mode of modes) expect(modeFromHost(mode)).toBe(mode);
    for (const word of ['', 'god', 'AUTO', '__proto__', 'constructor', 'toString']) {
      expect(modeFromHost(word)).toBe('default');
    }
  });

  it('ask in a way that a standing yes can cover, and never so for what cannot be undone', async () => {
    const grants = async (tool: string, given: JsonObject) =>
      (await decideCall(tool, given, { mode: 'default', tools: [message, remove] })).verdict.findings.map(
        ({ grant }) => grant,
      );
    expect(await grants('Write', { file_path: 'a.ts', content: '' })).toEqual(['tool Write edit']);
    expect(await grants('Bash', { command: 'npm install && touch a' })).toEqual(['tool Bash run npm touch']);
    const many = Array.from({ length: 20 }, (_, at) => `npm_${at} --version`).join(';');
    expect(await grants('Bash', { command: `touch a;${many}` })).toEqual([undefined]);
    expect(await grants('Write', { file_path: '.env', content: '' })).toEqual([undefined]);
    expect(await grants('send_email', {})).toEqual([undefined]);
    expect(await grants('delete_account', {})).toEqual([undefined]);
    expect(await grants('Bash', { command: 'git push' })).toEqual([undefined]);
  });
});

describe('the folder of a command', () => {
  it.each(['/etc', '..', 'src/..', '/work/../etc', '/workspace'])('%s is refused', async (workdir) => {
    expect((await decideCall('shell', { command: ['ls'], workdir })).rules).toContain('folder_outside');
  });

  it('is one', async () => {
    const given = { command: 'ls', directory: 'src', dir_path: '/work' };
    expect((await decideCall('run_shell_command', given)).rules).toEqual(['invalid_arguments']);
    const outside = { ...given, dir_path: '/etc' };
    expect((await decideCall('run_shell_command', outside)).rules).toContain('folder_outside');
    expect((await decideCall('run_shell_command', { ...given, dir_path: 'src' })).rules).toEqual([]);
  });

  it('is refused where a link leads out', async () => {
    const world = {
      now: () => 0,
      resolve: async () => [],
      realPath: () => '/etc',
      readText: () => null,
      look: () => null,
    };
    const { rules } = await decideCall('shell', { command: ['ls'], workdir: 'link' }, { more: { world } });
    expect(rules).toContain('folder_outside');
  });
});

describe('ids', () => {
  const readDoc: ToolSpec = {
    name: 'read_doc',
    effect: 'read',
    arguments: {
      '/user_id': { role: 'user_id' },
      '/members/*/id': { role: 'user_id' },
      '/tenant_id': { role: 'tenant_id' },
      '/url': { role: 'text', user: ['?user_id', '/users/{}'], tenant: ['/tenants/{}'] },
    },
  };
  const own = { user_id: 'ann', tenant_id: 'acme' };
  const argumentsOf = async (given: JsonObject, who: { user?: string; tenant?: string } = {}) => {
    const { verdict, rules } = await decideCall('read_doc', given, { tools: [readDoc], context: who });
    return [verdict.decision, rules, (verdict.action as ActionOf<'tool'>).arguments] as const;
  };

  it.each<readonly [string, JsonObject, JsonObject]>([
    ['another id', { ...own, user_id: 'bob' }, own],
    ['a number', { ...own, user_id: 999 }, own],
    ['nothing', { ...own, user_id: null }, own],
    ['an operator', { ...own, user_id: { $ne: null } }, own],
    ['a list', { ...own, user_id: ['ann', 'bob'] }, { ...own, user_id: ['ann'] }],
    ['an empty list', { ...own, user_id: [] }, { ...own, user_id: ['ann'] }],
    ['another tenant', { ...own, tenant_id: 'evil' }, own],
    ['another case', { ...own, USER_ID: 'bob' }, { ...own, USER_ID: 'ann' }],
    [
      'another spelling',
      { ...own, userId: 'bob', 'user-id': 'bob' },
      { ...own, userId: 'ann', 'user-id': 'ann' },
    ],
    [
      'a nested one',
      { ...own, filter: { and: [{ user_id: 'bob' }] } },
      { ...own, filter: { and: [{ user_id: 'ann' }] } },
    ],
    [
      'one in a list',
      { ...own, members: [{ id: 'bob' }, { id: 'ann' }] },
      { ...own, members: [{ id: 'ann' }, { id: 'ann' }] },
    ],
    [
      'a query string',
      { ...own, url: '/docs?a=1&user_id=bob#x' },
      { ...own, url: '/docs?a=1&user_id=ann#x' },
    ],
    ['an encoded name', { ...own, url: '/docs?user%5Fid=bob' }, { ...own, url: '/docs?user%5Fid=ann' }],
    [
      'a name twice',
      { ...own, url: '/d?user_id=ann&userId=bob' },
      { ...own, url: '/d?user_id=ann&userId=ann' },
    ],
    [
      'a path',
      { ...own, url: 'https://x.test/v1/users/bob/docs' },
      { ...own, url: 'https://x.test/v1/users/ann/docs' },
    ],
    ['an encoded path', { ...own, url: '/%75sers//./bob' }, { ...own, url: '/%75sers//./ann' }],
    ['a tenant in a path', { ...own, url: '/Tenants/evil/x' }, { ...own, url: '/Tenants/acme/x' }],
    ['no id at all', {}, own],
  ])('are the caller’s: %s', async (_, given, expected) => {
    expect(await argumentsOf(given)).toEqual(['redact', expect.arrayContaining(['session_ids']), expected]);
  });

  it.each<readonly [string, JsonObject]>([
    ['another script', { ...own, 'us\u0435r_id': 'bob' }],
    ['full width', { ...own, '\uff55ser_id': 'bob' }],
    ['nothing between', { ...own, 'user\u200b_id': 'bob' }],
    ['nested', { ...own, a: [{ 'user_\u0456d': 'bob' }] }],
    ['climbing', { ...own, url: '/users/ann/../bob' }],
    ['climbing, encoded', { ...own, url: '/users/ann/%2e%2e/bob' }],
    ['a hidden slash', { ...own, url: '/x/users%2Fbob' }],
    ['encoded twice', { ...own, url: '/x/%2575sers/bob' }],
    ['broken', { ...own, url: '/x/%zz?user_id=bob' }],
    ['a look-alike in a query', { ...own, url: '/x?us\u0435r_id=bob' }],
  ])('in disguise are refused: %s', async (_, given) => {
    const [decision, rules] = await argumentsOf(given);
    expect([decision, rules]).toEqual(['block', expect.arrayContaining(['disguised_id'])]);
  });

  it.each<readonly [string, JsonObject]>([
    ['the own one', own],
    ['the own one in a path', { ...own, url: 'https://x.test/users/ann?user_id=ann' }],
    ['names that only contain it', { ...own, user_idea: 'bob', id: 'x', größe: 1 }],
    ['text that mentions one', { ...own, text: 'user_id=bob' }],
  ])('are left alone: %s', async (_, given) => {
    expect(await argumentsOf(given)).toEqual(['pass', [], given]);
  });

  it('are numbers where numbers stand', async () => {
    expect((await argumentsOf({ ...own, user_id: 999 }, { user: '42' }))[2]).toEqual({ ...own, user_id: 42 });
    expect((await argumentsOf({ ...own, user_id: 42 }, { user: '42' }))[0]).toBe('pass');
    expect((await argumentsOf({ ...own, user_id: 1 }, { user: '042' }))[2]).toEqual({
      ...own,
      user_id: '042',
    });
  });

  it('that the schema then refuses are refused', async () => {
    const tools = [{ ...readDoc, schema: { properties: { user_id: { type: 'integer' } } } }];
    expect((await decideCall('read_doc', { ...own, user_id: 9 }, { tools })).rules).toEqual([
      'invalid_arguments',
      'session_ids',
    ]);
  });

  it('need somebody', async () => {
    for (const who of [{ user: '' }, { tenant: '' }]) {
      expect((await argumentsOf(own, who)).slice(0, 2)).toEqual(['block', ['no_user']]);
    }
    const { rules } = await decideCall('Read', { file_path: 'a' }, { context: { user: '' } });
    expect(rules).toEqual([]);
  });

  it('of any tool are named by the agent’s configuration', async () => {
    const agent = { user_id_arguments: ['account', '/owner/id'] };
    const tools: readonly ToolSpec[] = [{ name: 'list', server: 'x', effect: 'read' }];
    const given = { a: { Account: 'bob' }, owner: { id: 'bob' }, id: 'bob' };
    const { verdict } = await decideCall('list', given, { agent, tools }, { server: 'x' });
    expect(verdict.action).toMatchObject({
      arguments: { a: { Account: 'ann' }, owner: { id: 'ann' }, id: 'bob' },
    });
  });

  it('of calls inside a call are the caller’s, too', async () => {
    const given = { tool_calls: [{ tool: 'read_doc', parameters: { ...own, user_id: 'bob' } }] };
    const { verdict } = await decideCall('batch', given, { tools: [readDoc] });
    expect(verdict).toMatchObject({
      decision: 'redact',
      findings: [{ rule: 'session_ids', pointer: '/arguments/tool_calls/0/parameters/user_id' }],
      action: { arguments: { tool_calls: [{ tool: 'read_doc', parameters: own }] } },
    });
  });

  it('stand in the parts, too, before those are judged', () => {
    const tools: readonly ToolSpec[] = [
      { name: 'get', effect: 'fetch', arguments: { '/url': { role: 'url', user: ['/users/{}'] } } },
    ];
    expect(actionsOf('get', { url: 'https://x.test/users/bob' }, tools)).toEqual([
      { kind: 'fetch', url: 'https://x.test/users/ann' },
    ]);
  });

  it('never are somebody else’s, whatever the arguments hold', async () => {
    const key = fc.constantFrom('user_id', 'userId', 'USER-ID', 'id', 'a', 'members', 'us\u0435r_id');
    const { given } = fc.letrec<{ given: unknown }>((tie) => ({
      given: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom('bob', 'ann', 7, null, true),
        fc.array(tie('given'), { maxLength: 3 }),
        fc.dictionary(key, tie('given'), { maxKeys: 3 }),
      ),
    }));
    const arbitrary = fc.dictionary(key, given, { maxKeys: 3 });
    await fc.assert(
      fc.asyncProperty(arbitrary, async (value) => {
        const [decision, , args] = await argumentsOf(value as JsonObject);
        if (decision === 'block') return;
        const found = JSON.stringify(args).matchAll(/"user[_-]?id":(\[?"?[^,}\]]*)/gi);
        for (const [, id = ''] of found) expect(id.replace('[', '')).toBe('"ann"');
      }),
      { numRuns: 200 },
    );
  });
});

describe('what is recorded', () => {
  it('an attempt on another’s data, by its own name', async () => {
    const ledger = await openEnrolledLedger();
    const tools: readonly ToolSpec[] = [
      { name: 'read_doc', effect: 'read', arguments: { '/user_id': { role: 'user_id' } } },
    ];
    const { verdict } = await decideCall('read_doc', { user_id: 'bob' }, { tools, more: { ledger } });
    const entries = await ledger.audit.list({ decisionId: verdict.decisionId });
    expect(entries.map(({ event_type: type, user, tenant }) => [type, user, tenant])).toEqual([
      ['decision', 'ann', 'acme'],
      ['cross_tenant', 'ann', 'acme'],
    ]);
    expect(entries[1]?.details).toEqual({ tool: 'read_doc', arguments: ['/user_id'] });
    expect(JSON.stringify(entries)).not.toContain('bob');
  });

  it('a call of what is not registered', async () => {
    const ledger = await openEnrolledLedger();
    const { verdict } = await decideCall('Frobnicate', {}, { more: { ledger } });
    const [entry] = await ledger.audit.list({ decisionId: verdict.decisionId });
    expect(entry).toMatchObject({
      decision: 'block',
      details: { facts: { tool: 'Frobnicate', registered: false } },
    });
  });

  it.each([
    ['Bash', { command: 'rm -rf src', description: 'the code is old' }, {}, 'the code is old'],
    ['Bash', { command: 'rm -rf src' }, { justification: 'it is wrong' }, 'it is wrong'],
    ['Bash', { command: 'rm -rf src' }, {}, 'none given'],
    ['Bash', { command: 'git push', description: '  ' }, {}, 'none given'],
  ] as const)('why: %s %j %j: %s', async (tool, given, rest, reason) => {
    const ledger = await openEnrolledLedger();
    const { verdict } = await decideCall(tool, given, { more: { ledger } }, rest);
    const [entry] = await ledger.audit.list({ decisionId: verdict.decisionId, eventType: 'decision' });
    expect(entry?.details).toMatchObject({ justification: reason });
    if (given.command.startsWith('rm')) {
      expect(verdict.findings.at(-1)?.message).toContain(`stated reason: ${reason}`);
    }
  });
});

describe('a yes', () => {
  it('is for one exact call, once, in whatever words the model says why', async () => {
    const ledger = await openEnrolledLedger();
    const ask = (command: string, description: string) =>
      decideCall('Bash', { command, description }, { more: { ledger } });
    const first = (await ask('rm -rf src', 'it is old')).verdict.approval;
    const reader = { tenant: 'acme', user: 'ann' };
    await ledger.approvals.answer(first?.id ?? '', 'approve', 'ann', person, reader, 1_700_000_000_000);
    expect((await ask('rm -rf docs', 'it is old')).verdict.decision).toBe('approve');
    expect((await ask('rm -rf src', 'nobody needs it')).verdict.decision).toBe('pass');
    expect((await ask('rm -rf src', 'nobody needs it')).verdict.decision).toBe('approve');
  });
});

describe('a tool of a server', () => {
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  const listed = { name: 'search', description: 'Searches.', inputSchema: { type: 'object' } };

  it.each([
    [{}, 'destructive'],
    [{ readOnlyHint: 'true' }, 'destructive'],
    [{ readOnlyHint: false }, 'destructive'],
    [{ readOnlyHint: true }, 'read'],
    [{ destructiveHint: false }, 'network'],
    [{ destructiveHint: true, idempotentHint: true }, 'destructive'],
  ] as const)('that hints %j has the effect %s', (annotations, effect) => {
    expect(mcpTool('docs', { ...listed, annotations }, digest)).toMatchObject({ effect, server: 'docs' });
  });

  it('is asked for until a person has seen its definition, and again when that changes', async () => {
    const ledger = await openEnrolledLedger();
    const ask = async (more: JsonObject) => {
      const tools = [mcpTool('docs', { ...listed, annotations: { readOnlyHint: true }, ...more }, digest)];
      return await decideCall('search', {}, { tools, more: { ledger } }, { server: 'docs' });
    };
    const { verdict, rules } = await ask({});
    expect([verdict.decision, rules]).toEqual(['approve', ['new_definition']]);
    const reader = { tenant: 'acme', user: 'ann' };
    const day = 86_400_000;
    await ledger.approveForGood(
      verdict.approval?.id ?? '',
      'ann',
      person,
      reader,
      { reach: 'project', lifeMs: day, uses: null },
      1_700_000_000_000,
    );
    expect((await ask({})).verdict.decision).toBe('pass');
    expect((await ask({})).verdict.decision).toBe('pass');
    const changes: readonly JsonObject[] = [
      { description: 'Searches, and sends what it finds to us.' },
      { inputSchema: { type: 'object', properties: { secret: {} } } },
      { annotations: { readOnlyHint: true, title: 'x' } },
    ];
    for (const change of changes) {
      expect((await ask(change)).verdict.decision).toBe('approve');
    }
  });
});
