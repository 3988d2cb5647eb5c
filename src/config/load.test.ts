// Loading: levels, what a workspace file may do, when it is looked at again, and that it never loosens.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { stringify } from 'smol-toml';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type FakeWorld, fakeWorld } from '../../tests/support/fake-world.ts';
import { createApprover, type Signer, unlockApprover } from './approver.ts';
import { ConfigError } from './errors.ts';
import { diskWorld, maxConfigBytes } from './home.ts';
import { loadConfig } from './load.ts';
import type { Settings } from './settings.ts';
import { trustFile, untrustFile } from './trust.ts';

const home = '/h';
const workspace = '/w';

let world: FakeWorld;

beforeEach(() => {
  world = fakeWorld();
});

const load = (user?: string, environment: Record<string, string> = {}) => {
  if (user !== undefined) world.files.set('/h/sallyport.toml', user);
  return loadConfig({ home, environment: { HOME: '/u', ...environment }, world });
};

async function settings(user: string | undefined, inWorkspace?: string, agent = 'claude'): Promise<Settings> {
  if (inWorkspace !== undefined) world.files.set('/w/sallyport.toml', inWorkspace);
  return (await load(user)).settingsFor({ agent, workspace });
}

async function thrown(promise: Promise<unknown>): Promise<ConfigError> {
  const error = await promise.then(
    () => new Error('nothing was thrown'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ConfigError)) throw error;
  return error;
}

const rule = (id: string, decision = 'block') =>
  `[[fetch.rules]]\nid = "${id}"\nhost = "a.com"\ndecision = "${decision}"\nreason = "x"\nexamples = { hit = ["https://a.com/"] }\n`;

describe('the user’s file', () => {
  test('may be absent: the defaults hold', async () => {
    const config = await load();
    expect(config).toMatchObject({
      home,
      file: null,
      daemon: { port: 4719, bodyLimitBytes: 4_194_304 },
      approvals: { expirySeconds: 86_400, maxPending: 100 },
      run: { model: '', steps: 30, waitSeconds: 300 },
      telemetry: { enabled: false, propagateTo: [] },
    });
    expect(await config.settingsFor({ agent: 'x', workspace })).toMatchObject({
      guidelines: { judge: null, own: [], refusal: 'I cannot help with that.' },
      profile: 'developer',
      mode: 'default',
      autonomy: null,
      changes: {
        undecided: 'reject',
        suggestOnly: false,
        run: { files: 50, bytes: 1_048_576, costCents: 500 },
        day: { files: 500, bytes: 10_485_760, costCents: 5000 },
      },
      egressAllowlists: [[]],
      fetch: { timeoutMs: 30_000, maxResponseBytes: 10_485_760, maxRedirects: 5, rules: [] },
      detect: { packs: [] },
      auditor: { guards: [] },
      packages: { npm: '', pypi: '' },
      egress: { rules: [] },
      command: { rules: [] },
      prompt: {
        piiText: 'redact',
        piiFiles: 'reject',
        piiGiveBack: 'on',
        injectionBlock: 0.75,
        injectionBlockUntrusted: 0.7,
        injectionWarn: 0.5,
      },
      write: { blockedPaths: [], blockedPatterns: [], allowedPaths: [] },
      sandbox: {
        required: true,
        network: 'off',
        timeoutMs: 120_000,
        maxOutputBytes: 1_048_576,
        maxProcesses: 512,
        maxMemoryMb: 4096,
        maxFileMb: 1024,
        readPaths: [],
        path: [],
      },
      policy: { fallback: 'permit', sources: [] },
      tools: [],
      sources: [],
      userIdArguments: [],
      version: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
  });

  test('names the services that learn of traces, and refuses one that is not there', async () => {
    const server = '[servers.docs]\nurl = "https://docs.example/mcp"\n';
    const named = `[telemetry]\nenabled = true\npropagate_to = ["llm.openai", "servers.docs"]\n${server}`;
    expect((await load(named)).telemetry).toMatchObject({
      enabled: true,
      propagateTo: ['llm.openai', 'servers.docs'],
    });
    for (const [name, message] of [
      ['servers.doc', 'there is no "servers.doc"'],
      ['openai', 'must be "llm.NAME" or "servers.NAME"'],
    ]) {
      await expect(load(`[telemetry]\npropagate_to = ["${name}"]\n${server}`)).rejects.toThrow(message);
    }
  });

  test('gives a profile to agents that have none, where one is asked for', async () => {
    const config = await load('[agents.claude]\nprofile = "developer"');
    const profileOf = async (agent: string, profile?: 'strict') =>
      (await config.settingsFor({ agent, workspace, ...(profile === undefined ? {} : { profile }) })).profile;
    expect(await profileOf('other', 'strict')).toBe('strict');
    expect(await profileOf('other')).toBe('developer');
    expect(await profileOf('claude', 'strict')).toBe('developer');
  });

  test('says how commands are run', async () => {
    const config = await load(`[sandbox]
required = false
network = "host"
timeout_ms = 1000
max_output_bytes = 2048
max_processes = 9
max_memory_mb = 65
max_file_mb = 2
read_paths = ["/opt/tools"]
path = ["/opt/tools/bin"]
`);
    expect((await config.settingsFor({ agent: 'x', workspace })).sandbox).toMatchObject({
      required: false,
      network: 'host',
      timeoutMs: 1000,
      maxOutputBytes: 2048,
      maxProcesses: 9,
      maxMemoryMb: 65,
      maxFileMb: 2,
      readPaths: ['/opt/tools'],
      path: ['/opt/tools/bin'],
    });
    for (const path of ['tools', '/', '/a:b', '/a//b', '~/bin']) {
      expect((await thrown(load(`[sandbox]\npath = ["${path}"]`))).message).toContain('sandbox.path');
    }
  });

  test('names the lists of known packages', async () => {
    const config = await load('[packages]\nnpm = "/lists/npm.txt"');
    expect((await config.settingsFor({ agent: 'x', workspace })).packages).toMatchObject({
      npm: '/lists/npm.txt',
      pypi: '',
    });
    expect((await thrown(load('[packages]\npypi = "names.txt"'))).message).toContain('packages.pypi');
  });

  test('sets everything it has a key for', async () => {
    const config = await load(`[daemon]
port = 0
body_limit_bytes = 2048
[approvals]
expiry_seconds = 60
max_pending = 7
change_expiry_seconds = 600
max_changes = 8
[fetch]
timeout_ms = 1000
max_response_bytes = 5
max_redirects = 0
${rule('mine', 'warn')}[agents.claude]
profile = "strict"
mode = "plan"
egress_allowlist = ["a.com"]
`);
    expect(config).toMatchObject({
      file: '/h/sallyport.toml',
      daemon: { port: 0, bodyLimitBytes: 2048 },
      approvals: { expirySeconds: 60, maxPending: 7 },
      changes: { expirySeconds: 600, maxStaged: 8 },
    });
    expect(config.settingsFor({ agent: 'claude', workspace })).toMatchObject({
      profile: 'strict',
      mode: 'plan',
      egressAllowlists: [['a.com']],
      fetch: {
        timeoutMs: 1000,
        maxResponseBytes: 5,
        maxRedirects: 0,
        rules: [{ id: 'mine', decision: 'warn', examples: { hit: ['https://a.com/'], miss: [] } }],
      },
    });
  });

  test('speaks for every agent by "default", key by key, unless the agent’s own section has the key', async () => {
    const user = `[agents.default]\nprofile = "strict"\nmode = "plan"\negress_allowlist = ["a.com"]
[agents.claude]\nprofile = "developer"\negress_allowlist = []\n`;
    expect(await settings(user)).toMatchObject({
      profile: 'developer',
      mode: 'plan',
      egressAllowlists: [[]],
    });
    expect(await settings(user, undefined, 'codex')).toMatchObject({
      profile: 'strict',
      egressAllowlists: [['a.com']],
    });
  });

  test.each(['toString', 'constructor', '__proto__', 'hasOwnProperty'])(
    'knows nothing of an agent or a workspace named %s',
    async (agent) => {
      const config = await load('[agents.x]\nprofile = "strict"\n[workspaces."/x"]\n');
      expect(await config.settingsFor({ agent, workspace })).toMatchObject({ profile: 'developer' });
    },
  );

  test('adds to the list in exactly the workspace that it names', async () => {
    const config = await load(`[agents.default]\negress_allowlist = ["a.com"]
[workspaces."/w"]\negress_allowlist = ["b.com", "a.com"]\n`);
    const listIn = async (path: string) =>
      (await config.settingsFor({ agent: 'x', workspace: path })).egressAllowlists;
    expect(await listIn('/w')).toEqual([['a.com', 'b.com']]);
    expect(await listIn('/w/sub')).toEqual([['a.com']]);
    expect(await listIn('/')).toEqual([['a.com']]);
  });

  test('may use variables, and never shows their values', async () => {
    const config = await load('[agents.default]\negress_allowlist = ["${SUB}.example.com", "env:HOST"]', {
      SUB: 'api',
      HOST: 'b.com',
    });
    expect(await config.settingsFor({ agent: 'x', workspace })).toMatchObject({
      egressAllowlists: [['api.example.com', 'b.com']],
    });
    const error = await thrown(load('[agents.default]\nprofile = "env:SECRET"', { SECRET: 'hunter2' }));
    expect(error.message).toBe(
      '/h/sallyport.toml:2:1: the value that the environment gives (SECRET) does not fit here',
    );
    expect((await thrown(load('[agents.default]\nprofile = "${NONE}"'))).message).toBe(
      '/h/sallyport.toml:2:1: the environment variable "NONE" is not set',
    );
  });

  test('shows all of its problems, in order, with their places', async () => {
    const error = await thrown(
      loadConfig({
        home: '/u/.sallyport',
        environment: { HOME: '/u' },
        world: fakeWorld({
          '/u/.sallyport/sallyport.toml':
            '[fetch]\ntimeout_ms = 1\n[daemon]\n  prot = 1\nport = 2000-01-01\n',
        }),
      }),
    );
    expect(error.message.split('\n')).toEqual([
      '~/.sallyport/sallyport.toml:2:1: fetch.timeout_ms must be between 100 and 600000, not 1',
      '~/.sallyport/sallyport.toml:4:3: unknown key "prot"; did you mean "port"?',
      '~/.sallyport/sallyport.toml:5:1: daemon.port must not be a date; write it as text in quotes',
    ]);
    expect(error).toMatchObject({
      name: 'ConfigError',
      exitCode: 2,
      file: '~/.sallyport/sallyport.toml',
      line: 2,
      column: 1,
      problems: [{ line: 2 }, { line: 4, column: 3 }, { line: 5 }],
    });
  });

  test('with broken syntax is an error with its place', async () => {
    expect(await thrown(load('[daemon]\nport = '))).toMatchObject({ line: 2, file: '/h/sallyport.toml' });
  });

  test('may begin with a byte order mark, which moves no column', async () => {
    expect((await load('\ufeff[daemon]\nport = 1')).daemon.port).toBe(1);
    expect(await thrown(load('\ufeffprot = 1'))).toMatchObject({ line: 1, column: 1 });
  });

  test('that is too large or cannot be read is an error', async () => {
    expect((await thrown(load(`#${'x'.repeat(maxConfigBytes)}`))).message).toContain('is larger than');
    world.readText = () => {
      throw new Error('disk on fire');
    };
    expect((await thrown(load())).message).toBe('/h/sallyport.toml: disk on fire');
  });
});

describe('a file named instead', () => {
  test('is read instead of the user’s, as trusted as that', async () => {
    world.files.set('/h/sallyport.toml', '[daemon]\nport = 1\n[approvals]\nmax_pending = 1');
    world.files.set('/etc/other.toml', '[daemon]\nport = 2\n[agents.default]\nmode = "env:M"');
    const config = await loadConfig({ home, file: '/etc/other.toml', environment: { M: 'auto' }, world });
    expect(config).toMatchObject({
      file: '/etc/other.toml',
      daemon: { port: 2 },
      approvals: { maxPending: 100 },
    });
    expect(await config.settingsFor({ agent: 'x', workspace })).toMatchObject({ mode: 'auto' });
  });

  test('must exist', async () => {
    const error = await thrown(loadConfig({ home, file: '/etc/none.toml', environment: {}, world }));
    expect(error.message).toBe('/etc/none.toml: there is no such file');
  });

  test('is not the workspace’s file as well', async () => {
    world.files.set('/w/sallyport.toml', '[daemon]\nport = 2\n[agents.default]\nmode = "plan"');
    const config = await loadConfig({ home, file: '/w/sallyport.toml', environment: {}, world });
    expect(await config.settingsFor({ agent: 'x', workspace })).toMatchObject({ mode: 'plan' });
  });
});

describe('a workspace file that is not trusted', () => {
  test('narrows', async () => {
    const user = `[agents.default]\negress_allowlist = ["a.com", "b.com"]\n[fetch]\nmax_redirects = 3\n${rule('mine')}`;
    const theirs = `[agents.default]\nprofile = "strict"\negress_allowlist = ["b.com", "evil.com"]
[fetch]\nmax_redirects = 1\ntimeout_ms = 600000\nmax_response_bytes = 9\n${rule('theirs', 'approve')}`;
    expect(await settings(user, theirs)).toMatchObject({
      profile: 'strict',
      mode: 'default',
      egressAllowlists: [
        ['a.com', 'b.com'],
        ['b.com', 'evil.com'],
      ],
      fetch: {
        timeoutMs: 30_000,
        maxResponseBytes: 9,
        maxRedirects: 1,
        rules: [
          { id: 'mine', decision: 'block' },
          { id: 'theirs', decision: 'approve' },
        ],
      },
    });
  });

  test('cannot weaken the profile or raise a limit', async () => {
    const user = '[agents.default]\nprofile = "strict"\n[fetch]\nmax_redirects = 1';
    const theirs = '[agents.claude]\nprofile = "developer"\n[fetch]\nmax_redirects = 20';
    expect(await settings(user, theirs)).toMatchObject({ profile: 'strict', fetch: { maxRedirects: 1 } });
  });

  test('adds guidelines, and changes none', async () => {
    const guideline = (name: string) => `[guidelines.categories.${name}]
reason = "It praises ${name}."
phrases = ["${name}"]
examples = { hit = ["${name}"], miss = ["blue"] }
`;
    const { guidelines } = await settings(
      `[guidelines]\nrefusal = "No."\n${guideline('red')}`,
      guideline('green'),
    );
    expect(guidelines).toMatchObject({
      refusal: 'No.',
      judge: null,
      own: [{ name: 'red', unless: [], patterns: [] }, { name: 'green' }],
    });
  });

  test('cannot let agents go further by themselves, nor raise a budget', async () => {
    const user = '[changes]\nrun_files = 5\nsuggest_only = true\n[workspaces."/w"]\nautonomy = "autonomous"';
    const theirs =
      '[changes]\nrun_files = 9\nday_files = 3\nundecided = "accept"\nsuggest_only = false\n[agents.default]\nautonomy = "hybrid"';
    expect((await settings(user, undefined)).autonomy).toBe('autonomous');
    expect(await settings(user, theirs)).toMatchObject({
      autonomy: 'hybrid',
      changes: { undecided: 'reject', suggestOnly: true, run: { files: 5 }, day: { files: 3 } },
    });
    const manual = '[agents.default]\nautonomy = "manual"';
    expect((await settings(manual, '[agents.claude]\nautonomy = "hybrid"')).autonomy).toBe('manual');
    expect((await settings('', '[agents.claude]\nautonomy = "hybrid"')).autonomy).toBe('hybrid');
    expect((await settings('', '')).autonomy).toBeNull();
  });

  test('speaks by the agent’s own section before "default"', async () => {
    const theirs =
      '[agents.default]\negress_allowlist = ["a.com"]\n[agents.claude]\negress_allowlist = ["b.com"]';
    expect((await settings(undefined, theirs)).egressAllowlists).toEqual([[], ['b.com']]);
    expect((await settings(undefined, theirs, 'codex')).egressAllowlists).toEqual([[], ['a.com']]);
  });

  test.each([
    ['[daemon]\nport = 1', '"daemon" belongs in your own file'],
    ['[llm.openai]\nform = "openai"\nbase_url = "https://evil.example"', '"llm" belongs in your own file'],
    ['[judge]\nprovider = "openai"\nmodel = "m"', '"judge" belongs in your own file'],
    ['[run]\nmodel = "openai/m"', '"run" belongs in your own file'],
    ['[guidelines]\nrefusal = "Yes."', '"refusal" is refused here'],
    ['[approvals]', '"approvals" belongs in your own file'],
    ['[packages]\nnpm = "/names"', '"packages" belongs in your own file'],
    ['[[hooks]]\nevent = "tool_call_pre"\ncommand = ["/bin/true"]', '"hooks" belongs in your own file'],
    ['[workspaces."/w"]\negress_allowlist = ["evil.com"]', '"workspaces" is refused here'],
    ['[workspaces."/w"]\nautonomy = "autonomous"', '"workspaces" is refused here'],
    ['[agents.claude]\nautonomy = "autonomous"', 'must be one of manual, hybrid'],
    ['[agents.claude]\nmode = "auto"', '"mode" is refused here'],
    ['[agents.claude]\negress_allowlist = ["${HOST}"]', 'not trusted'],
    ['[agents.claude]\negress_allowlist = ["env:HOME"]', 'not trusted'],
    [rule('theirs', 'warn'), 'must be approve or block'],
    [rule('mine'), 'another rule has the id "mine" already'],
    [rule('a') + rule('a'), 'stands twice'],
    ['nonsense = 1', 'unknown key "nonsense"'],
    ['[fetch', 'not readable as TOML'],
    [`#${'x'.repeat(maxConfigBytes)}`, 'is larger than'],
  ])('is refused whole for saying %j', async (theirs, message) => {
    const error = await thrown(settings(rule('mine'), theirs));
    expect(error.message).toContain(message);
    expect(error.message).toMatch(/^\/w\/sallyport\.toml:/);
  });

  test('is looked for in the root alone', async () => {
    world.files.set('/w/sub/a.txt', '');
    world.files.set('/w/sallyport.toml', '[fetch]\nmax_redirects = 1');
    const config = await load();
    expect(await config.settingsFor({ agent: 'x', workspace: '/w/sub' })).toMatchObject({
      fetch: { maxRedirects: 5 },
    });
  });

  test('may be a link inside the workspace, and not out of it', async () => {
    world.files.set('/w/conf/real.toml', '[fetch]\nmax_redirects = 1');
    world.files.set('/etc/out.toml', '[fetch]\nmax_redirects = 1');
    world.links.set('/w/sallyport.toml', '/w/conf/real.toml');
    expect(await (await load()).settingsFor({ agent: 'x', workspace })).toMatchObject({
      fetch: { maxRedirects: 1 },
    });
    world.links.set('/w/sallyport.toml', '/etc/out.toml');
    expect((await thrown(settings(undefined))).message).toContain('a link out of the workspace');
  });

  test('that cannot be resolved or read is refused', async () => {
    const config = await load();
    world.files.set('/w/sallyport.toml', '');
    world.readText = () => {
      throw new Error('is not a regular file');
    };
    expect(() => config.settingsFor({ agent: 'x', workspace })).toThrow(
      '/w/sallyport.toml: is not a regular file',
    );
    world.realPath = () => {
      throw new Error('a loop');
    };
    expect(() => config.settingsFor({ agent: 'y', workspace: '/v' })).toThrow('/v/sallyport.toml: a loop');
  });

  test('belongs to an absolute workspace', async () => {
    const config = await load();
    expect(() => config.settingsFor({ agent: 'x', workspace: 'w' })).toThrow(ConfigError);
  });
});

describe('looking again', () => {
  const where = { agent: 'x', workspace };

  test('happens once a second at most, and gives the same settings while nothing changes', async () => {
    world.files.set('/w/sallyport.toml', '[fetch]\nmax_redirects = 1');
    const config = await load('');
    const first = await config.settingsFor(where);
    const reads = world.reads.length;
    world.time += 999;
    expect(config.settingsFor(where)).toBe(first);
    expect(world.reads.length).toBe(reads);
    world.time += 1;
    expect(config.settingsFor(where)).toBe(first);
    expect(world.reads.length).toBeGreaterThan(reads);
  });

  test('sees a change, a broken file, its repair, and its end', async () => {
    const config = await load('');
    const redirects = async () => (await config.settingsFor(where)).fetch.maxRedirects;
    expect(await redirects()).toBe(5);
    const steps: [string | null, number | string][] = [
      ['[fetch]\nmax_redirects = 1', 1],
      ['[fetch]\nmax_redirects = 2', 2],
      ['oops', 'not readable'],
      ['oops again', 'not readable'],
      ['[fetch]\nmax_redirects = 3', 3],
      [null, 5],
      ['[daemon]', 'belongs in your own file'],
      [null, 5],
    ];
    for (const [text, expected] of steps) {
      if (text === null) world.files.delete('/w/sallyport.toml');
      else world.files.set('/w/sallyport.toml', text);
      world.time += 1000;
      if (typeof expected === 'number') expect(await redirects()).toBe(expected);
      else await expect(redirects()).rejects.toThrow(expected);
    }
  });

  test('a broken file stays refused without being read again within the second', async () => {
    world.files.set('/w/sallyport.toml', 'oops');
    const config = await load('');
    await expect(async () => config.settingsFor(where)).rejects.toThrow(ConfigError);
    world.files.delete('/w/sallyport.toml');
    expect(() => config.settingsFor(where)).toThrow(ConfigError);
    expect(() => config.settingsFor({ ...where, agent: 'other' })).toThrow(ConfigError);
    world.time += 1000;
    expect(config.settingsFor(where)).toMatchObject({ profile: 'developer' });
  });

  test.each([[-1], [-5000], [Number.NaN]])('happens at once if the clock moves by %d', async (step) => {
    const config = await load('');
    await config.settingsFor(where);
    world.files.set('/w/sallyport.toml', '[fetch]\nmax_redirects = 1');
    world.time += step;
    expect(await config.settingsFor(where)).toMatchObject({ fetch: { maxRedirects: 1 } });
  });

  test('remembers many agents and workspaces, and forgets without a fault', async () => {
    const config = await load('[agents.a3]\nprofile = "strict"');
    for (let index = 0; index < 600; index++) {
      await config.settingsFor({ agent: `a${index}`, workspace: `/w${index}` });
      await config.settingsFor({ agent: `a${index}`, workspace });
    }
    expect(await config.settingsFor({ agent: 'a3', workspace })).toMatchObject({ profile: 'strict' });
    expect(await config.settingsFor({ agent: 'a4', workspace: '/w3' })).toMatchObject({
      profile: 'developer',
    });
  });
});

describe('version', () => {
  test('is the same for the same settings, and another for any other', async () => {
    const base = (await settings('')).version;
    expect((await settings('# only a comment')).version).toBe(base);
    expect((await settings('[daemon]\nport = 1')).version).toBe(base);
    const others = [
      '[agents.default]\nprofile = "strict"',
      '[agents.default]\nmode = "plan"',
      '[agents.default]\negress_allowlist = ["a.com"]',
      '[fetch]\ntimeout_ms = 100',
      '[fetch]\nmax_response_bytes = 100',
      '[fetch]\nmax_redirects = 1',
      rule('a'),
      rule('b'),
      rule('a', 'approve'),
    ];
    const versions = new Set([base]);
    for (const user of others) versions.add((await settings(user)).version);
    expect(versions.size).toBe(others.length + 1);
  });

  test('stays with a copy', async () => {
    const found = await settings('');
    expect({ ...found }.version).toBe(found.version);
    expect(JSON.parse(JSON.stringify(found))).toEqual(found);
  });
});

describe('the store', () => {
  const ledgerOf = async (text: string, environment = {}) => {
    const world = fakeWorld({ '/h/sallyport.toml': text });
    return (await loadConfig({ home: '/h', environment, world })).ledger;
  };

  test('is embedded unless the file names a server', async () => {
    expect(await ledgerOf('')).toMatchObject({ postgres: null, key: '', poolSize: 10, headsTo: [] });
    expect(await ledgerOf('store = "sqlite"')).toMatchObject({ postgres: null });
    const key = 'ab'.repeat(32);
    const text = 'store = "postgres://u:${PW}@h/d"\n[ledger]\nkey = "env:KEY"\nca = "/ca.pem"\npool_size = 3';
    expect(await ledgerOf(text, { PW: 'secret', KEY: key })).toMatchObject({
      postgres: 'postgres://u:secret@h/d',
      key,
      ca: '/ca.pem',
      poolSize: 3,
    });
  });

  test.each(['store = "mysql://x"', 'store = 1', '[ledger]\nkey = "abc"', '[ledger]\npool_size = 1'])(
    'may not be %j',
    async (text) => {
      await expect(ledgerOf(text)).rejects.toThrow(ConfigError);
    },
  );
});

describe('snapshots', () => {
  const snapshotsOf = async (text: string) => {
    const world = fakeWorld({ '/h/sallyport.toml': text });
    return (await loadConfig({ home: '/h', environment: {}, world })).snapshots;
  };

  test('are kept for a month and within a gigabyte unless the file says otherwise', async () => {
    expect(await snapshotsOf('')).toMatchObject({ keepDays: 30, maxBytes: 1024 * 1_048_576 });
    const text = '[snapshots]\nkeep_days = 7\nmax_megabytes = 10';
    expect(await snapshotsOf(text)).toMatchObject({ keepDays: 7, maxBytes: 10_485_760 });
  });

  test.each(['keep_days = 0', 'max_megabytes = 0', 'max_megabytes = "1"', 'keep = 1'])(
    'may not say %j',
    async (line) => {
      await expect(snapshotsOf(`[snapshots]\n${line}`)).rejects.toThrow(ConfigError);
    },
  );
});

/** Destinations, each with a URL that matches it. */
const proofs: Readonly<Record<string, string>> = {
  'a.com': 'https://a.com/',
  'b.com': 'http://b.com:81/',
  '*.c.com': 'https://x.c.com/',
  '10.0.0.0/8': 'https://10.1.2.3/',
  '*': 'https://anything.com/',
  '[::1]:8080': 'http://[::1]:8080/',
};
const destination = fc.constantFrom(...Object.keys(proofs));
const ruleOf = (prefix: string, decisions: readonly string[]) =>
  fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }).chain((names) =>
    fc.tuple(
      ...names.map((name) =>
        fc.constantFrom(...Object.entries(proofs)).chain(([host, url]) =>
          fc.record({
            id: fc.constant(`${prefix}_${name}`),
            host: fc.constant(host),
            decision: fc.constantFrom(...decisions),
            reason: fc.constant('x'),
            examples: fc.constant({ hit: [url] }),
          }),
        ),
      ),
    ),
  );
const fetchOf = (prefix: string, decisions: readonly string[]) =>
  fc.record(
    {
      timeout_ms: fc.integer({ min: 100, max: 600_000 }),
      max_response_bytes: fc.integer({ min: 1, max: 1_073_741_824 }),
      max_redirects: fc.integer({ min: 0, max: 20 }),
      rules: ruleOf(prefix, decisions),
    },
    { requiredKeys: [] },
  );
const agentName = fc.constantFrom('default', 'claude', 'codex');
const narrowAgent = {
  profile: fc.constantFrom('developer', 'strict'),
  autonomy: fc.constantFrom('manual', 'hybrid'),
  egress_allowlist: fc.array(destination),
};
const changesOf = fc.record(
  {
    undecided: fc.constantFrom('reject', 'accept'),
    suggest_only: fc.boolean(),
    run_files: fc.nat(100),
    day_cost_cents: fc.nat(10_000),
  },
  { requiredKeys: [] },
);
/** The strictest first; the default is that the user reviews proposals. */
const freedom = ['manual', 'hybrid', null, 'autonomous'];
const userFile = fc.record(
  {
    fetch: fetchOf('mine', ['block', 'approve', 'warn']),
    agents: fc.dictionary(
      agentName,
      fc.record({ ...narrowAgent, mode: fc.constantFrom('default', 'auto') }, { requiredKeys: [] }),
    ),
    changes: changesOf,
    workspaces: fc.constantFrom(
      { '/w': { egress_allowlist: ['w.com'] } },
      { '/w': { autonomy: 'autonomous' } },
      { '/w': { autonomy: 'manual' } },
    ),
  },
  { requiredKeys: [] },
);
const workspaceFile = fc.record(
  {
    fetch: fetchOf('theirs', ['block', 'approve']),
    changes: changesOf,
    agents: fc.dictionary(agentName, fc.record(narrowAgent, { requiredKeys: [] })),
  },
  { requiredKeys: [] },
);

test('no workspace file that is not trusted makes the settings looser than the user’s own', async () => {
  await fc.assert(
    fc.asyncProperty(
      userFile,
      workspaceFile,
      fc.constantFrom('claude', 'codex', 'x'),
      async (user, theirs, agent) => {
        world = fakeWorld();
        const alone = await settings(stringify(user), undefined, agent);
        const narrowed = await settings(stringify(user), stringify(theirs), agent);
        expect(narrowed.profile === 'strict' || alone.profile === 'developer').toBe(true);
        expect(narrowed.mode).toBe(alone.mode);
        expect(freedom.indexOf(narrowed.autonomy)).toBeLessThanOrEqual(freedom.indexOf(alone.autonomy));
        expect(narrowed.changes.undecided === 'reject' || alone.changes.undecided === 'accept').toBe(true);
        expect(narrowed.changes.suggestOnly || !alone.changes.suggestOnly).toBe(true);
        expect(narrowed.changes.run.files).toBeLessThanOrEqual(alone.changes.run.files);
        expect(narrowed.changes.day.costCents).toBeLessThanOrEqual(alone.changes.day.costCents);
        expect(narrowed.egressAllowlists.slice(0, alone.egressAllowlists.length)).toEqual(
          alone.egressAllowlists,
        );
        expect(narrowed.fetch.timeoutMs).toBeLessThanOrEqual(alone.fetch.timeoutMs);
        expect(narrowed.fetch.maxResponseBytes).toBeLessThanOrEqual(alone.fetch.maxResponseBytes);
        expect(narrowed.fetch.maxRedirects).toBeLessThanOrEqual(alone.fetch.maxRedirects);
        expect(narrowed.fetch.rules.slice(0, alone.fetch.rules.length)).toEqual(alone.fetch.rules);
        for (const added of narrowed.fetch.rules.slice(alone.fetch.rules.length)) {
          expect(['approve', 'block']).toContain(added.decision);
        }
      },
    ),
    { numRuns: 300 },
  );
});

describe('a trusted workspace file, on disk', () => {
  let folder: string;
  let ownHome: string;
  let place: string;
  let signer: Signer;

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-load-')));
    ownHome = join(folder, 'home');
    place = join(folder, 'w');
    mkdirSync(ownHome);
    mkdirSync(place);
    await createApprover(ownHome, 'a long passphrase');
    signer = await unlockApprover(ownHome, 'a long passphrase');
  });

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const write = (text: string) => writeFileSync(join(place, 'sallyport.toml'), text);
  const open = (user: string) => {
    writeFileSync(join(ownHome, 'sallyport.toml'), user);
    return loadConfig({ home: ownHome, environment: { HOST: 'env.com' } });
  };

  test('wins over the user’s, section by section, and may use variables', async () => {
    write(`[agents.default]\nprofile = "developer"\nmode = "auto"\negress_allowlist = ["\${HOST}"]
[fetch]\nmax_redirects = 20\n${rule('theirs', 'warn')}[workspaces.${JSON.stringify(place)}]\negress_allowlist = ["w.com"]`);
    trustFile(ownHome, join(place, 'sallyport.toml'), signer);
    const config = await open(`[agents.default]\nprofile = "strict"\negress_allowlist = ["a.com"]
[agents.codex]\nprofile = "strict"\n[fetch]\nmax_redirects = 1\n${rule('mine')}`);
    expect(await config.settingsFor({ agent: 'claude', workspace: place })).toMatchObject({
      profile: 'developer',
      mode: 'auto',
      egressAllowlists: [['env.com', 'w.com']],
      fetch: { maxRedirects: 20, rules: [{ id: 'mine' }, { id: 'theirs', decision: 'warn' }] },
    });
    expect(await config.settingsFor({ agent: 'codex', workspace: place })).toMatchObject({
      profile: 'strict',
    });
  });

  test('is not trusted any more once it changed, or once the trust was taken back', async () => {
    const file = join(place, 'sallyport.toml');
    const loose = '[agents.default]\nmode = "auto"\n';
    write(loose);
    trustFile(ownHome, file, signer);
    let time = 0;
    writeFileSync(join(ownHome, 'sallyport.toml'), '');
    const config = await loadConfig({
      home: ownHome,
      environment: {},
      world: { ...diskWorld, now: () => time },
    });
    const mode = async () => {
      time += 1000;
      return (await config.settingsFor({ agent: 'x', workspace: place })).mode;
    };
    expect(await mode()).toBe('auto');
    write(`${loose}# changed`);
    await expect(mode()).rejects.toThrow('"mode" is refused here');
    write(loose);
    expect(await mode()).toBe('auto');
    expect(untrustFile(ownHome, file)).toBe(true);
    await expect(mode()).rejects.toThrow('"mode" is refused here');
    trustFile(ownHome, file, signer);
    expect(await mode()).toBe('auto');
  });

  test('may still not speak for the machine, nor take an id of the user’s', async () => {
    const file = join(place, 'sallyport.toml');
    for (const [text, message] of [
      ['[daemon]\nport = 1', 'belongs in your own file'],
      ['[llm.a]\nform = "openai"\nbase_url = "https://evil.example"', 'belongs in your own file'],
      ['[[hooks]]\nevent = "session_end"\ncommand = ["/bin/true"]', 'belongs in your own file'],
      [rule('mine'), 'another rule has the id "mine" already'],
    ] as const) {
      write(text);
      trustFile(ownHome, file, signer);
      const config = await open(rule('mine'));
      await expect(async () => config.settingsFor({ agent: 'x', workspace: place })).rejects.toThrow(message);
    }
  });

  test.each<[string, (path: string) => void]>([
    ['a folder', (path) => mkdirSync(path)],
    ['a pipe', (path) => execFileSync('mkfifo', [path])],
    ['a link out of the workspace', (path) => symlinkSync('/etc/passwd', path)],
    ['a link to a device', (path) => symlinkSync('/dev/zero', path)],
    ['a link to itself', (path) => symlinkSync(path, path)],
  ])('%s in its place is refused', async (_, make) => {
    const other = mkdtempSync(join(folder, 'v'));
    make(join(other, 'sallyport.toml'));
    const config = await open('');
    expect(() => config.settingsFor({ agent: 'x', workspace: other })).toThrow(ConfigError);
  });

  test('a link to the user’s own file is no file of the workspace', async () => {
    const other = mkdtempSync(join(folder, 'v'));
    symlinkSync(join(ownHome, 'sallyport.toml'), join(other, 'sallyport.toml'));
    const config = await open('[daemon]\nport = 1');
    expect(config.settingsFor({ agent: 'x', workspace: other })).toMatchObject({ mode: 'default' });
  });
});

describe('cards of programs', () => {
  const card = '[programs.deployctl]\noptions = "n/dry-run"\n';

  test('come from the user and from a workspace that is trusted, and from no other', async () => {
    expect((await settings(card)).command.programs).toMatchObject([{ name: 'deployctl' }]);
    expect((await settings('')).command.programs).toBeUndefined();
    const refused = await thrown(settings('', card));
    expect(refused.message).toContain('"programs" is refused here');
  });

  test.each([
    ['[programs."a/b"]\n', 'must be the name of a program, without a path'],
    [
      '[programs.a]\nfacts = [{ what = "b", says = "c", examples = { hit = {} } }]\n',
      'must have at least one command',
    ],
    ['[programs.a]\nfact = []\n', 'did you mean "facts"'],
  ])('%j is refused', async (text, why) => {
    expect((await thrown(load(text))).message).toContain(why);
  });
});

describe('programs of the user', () => {
  test('are read in order, with five seconds each unless they say otherwise', async () => {
    const { hooks } = await load(
      '[[hooks]]\nevent = "tool_call_pre"\ncommand = ["/bin/check", "-v"]\n' +
        '[[hooks]]\nevent = "session_start"\ncommand = ["/bin/hello"]\ntimeout_ms = 100\n',
    );
    expect(hooks).toEqual([
      { event: 'tool_call_pre', command: ['/bin/check', '-v'], timeoutMs: 5000 },
      { event: 'session_start', command: ['/bin/hello'], timeoutMs: 100 },
    ]);
    expect((await load('')).hooks).toEqual([]);
  });

  test.each([
    ['event = "tool_call"\ncommand = ["/bin/true"]', 'must be one of session_start'],
    ['event = "session_end"\ncommand = ["true"]', 'absolute path'],
    ['event = "session_end"\ncommand = []', 'absolute path'],
    ['event = "session_end"\ncommand = "/bin/true"', 'must be a list'],
    ['event = "session_end"', '"command" is missing'],
    ['event = "session_end"\ncommand = ["/bin/true"]\ntimeout_ms = 0', 'between 10 and 60000'],
  ])('%j is refused', async (text, why) => {
    expect((await thrown(load(`[[hooks]]\n${text}`))).message).toContain(why);
  });
});

describe('providers of models', () => {
  const named = async (text: string | undefined, name: string, environment: Record<string, string> = {}) => {
    const found = (await load(text, environment)).providers.find((provider) => provider.name === name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  };
  const own = (more: string) => `[llm.own]\nform = "openai"\nbase_url = "https://a.example/v1/"\n${more}`;

  test('are the public ones where nothing is said, with the key of the client', async () => {
    const { providers } = await load();
    expect(providers).toMatchObject([
      { name: 'openai', form: 'openai', baseUrl: 'https://api.openai.com/v1', key: null },
      { name: 'anthropic', form: 'anthropic', baseUrl: 'https://api.anthropic.com', key: null },
      {
        name: 'gemini',
        form: 'gemini',
        baseUrl: 'https://generativelanguage.googleapis.com',
        key: null,
      },
    ]);
  });

  test('may be replaced, and have others beside them', async () => {
    const text = '[llm.openai]\nform = "openai"\nbase_url = "https://b.example"\n';
    expect(await named(text, 'openai')).toMatchObject({ baseUrl: 'https://b.example' });
    expect(await named(own('retries = 0'), 'own')).toMatchObject({
      baseUrl: 'https://a.example/v1',
      retries: 0,
    });
  });

  test('have their key from a variable or a file, read when it is needed', async () => {
    const environment: Record<string, string> = {};
    const provider = await named(own('key_env = "KEY"'), 'own', environment);
    expect(() => provider.key?.()).toThrow('the variable KEY of llm.own holds no key');
    const ready = await named(own('key_env = "KEY"'), 'own', { KEY: 'abc' });
    expect(ready.key?.()).toBe('abc');
    const fromFile = await named(own('key_file = "/k"'), 'own');
    expect(() => fromFile.key?.()).toThrow('holds no key');
    world.files.set('/k', ' abc\n');
    expect(fromFile.key?.()).toBe('abc');
    world.files.set('/k', 'a\nb');
    expect(() => fromFile.key?.()).toThrow('holds no key');
  });
});
