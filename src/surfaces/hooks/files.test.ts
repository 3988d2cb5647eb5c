// Files that can unhook a host: changed, put right, and reported; a person's own commands raise no alarm.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { enrolPerson, openTestLedger, person } from '../../../tests/support/ledger.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Alarm } from '../../run/index.ts';
import { Integrity } from '../../run/integrity/index.ts';
import { writeConnectedHosts, writeSettings } from './connected.ts';
import { HookFiles } from './files.ts';
import type { HostName } from './host.ts';
import type { SystemFile } from './managed.ts';
import { oursAsText } from './own-hooks.ts';
import { hooksSeal } from './registry.ts';
import { wirings } from './wiring.ts';

let root: string;
let ledger: Ledger;
let integrity: Integrity;
/** What failed behind the restoring of files. */
let reported: string[];
let files: HookFiles;
let raised: Alarm[];
/** The files of the machine as they should be. */
let machine: readonly SystemFile[];
const clientText = '#!/bin/sh\n# the client\n';

const home = () => join(root, 'home');
const project = () => join(root, 'project');
const at = (...names: string[]) => join(root, ...names);
const script = (host: HostName) => join(home(), 'bin', host);
const settings = () => at('.claude', 'settings.json');
const read = (file: string) => readFileSync(file, 'utf8');
const json = (file: string) => JSON.parse(read(file));

const act = () => ({ user: 'ann', tenant: 'local', time: Date.now() });

function put(file: string, text: string): void {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
}

/** What `init HOST` leaves. */
function connect(host: HostName, file: string, text: string | null = null): void {
  put(script(host), clientText);
  writeConnectedHosts({ hosts: join(home(), 'hosts.json') }, [{ host, file }]);
  writeSettings(file, wirings[host].add(text, script(host)));
}

function report(event: string, error: unknown): never {
  throw new Error(event, { cause: error });
}

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'sallyport-files-'));
  for (const folder of ['home/bin', 'project', '.claude']) mkdirSync(at(folder), { recursive: true });
  raised = [];
  machine = [];
  ledger = await openTestLedger();
  reported = [];
  integrity = new Integrity({
    store: at('store'),
    userHome: root,
    ledger,
    world: { now: () => 1 },
    alarmed: (alarm) => void raised.push(alarm),
    redact: async (text) => text,
    isAllowed: async () => false,
    report: (event) => void reported.push(event),
  });
  files = new HookFiles({
    connections: {
      list: () => ledger.connections.list(),
      connect: (connection) => ledger.connections.connect(connection, act()),
      seal: (hooks) => hooksSeal(ledger, hooks),
    },
    paths: { hosts: join(home(), 'hosts.json'), bin: join(home(), 'bin') },
    userHome: root,
    owner: { user: 'ann', tenant: 'local' },
    integrity,
    machine: () => machine,
    clients: async () => [clientText],
    report,
  });
});

afterEach(async () => {
  await files.stop();
  expect(reported).toEqual([]);
  rmSync(root, { recursive: true, force: true });
});

const until = async (isSo: () => boolean, everyMs = 50) => {
  for (let tries = 0; tries < 500 && !isSo(); tries++) await new Promise((done) => setTimeout(done, everyMs));
};

const context = {
  ...{ user: 'ann', tenant: 'local', agent: 'claude', session: 's' },
  ...{ workspace: '/none', mode: 'default' as const },
};
const noSnapshots = () => {
  throw new Error('there are no snapshots');
};
const unreviewed = async () => await integrity.unreviewed(context, noSnapshots);

describe('hooks of the user', () => {
  beforeEach(async () => {
    connect('claude', settings(), '{\n  "model": "opus"\n}\n');
    await files.look();
  });

  test('taken out: they are put back, with what else was changed', async () => {
    put(settings(), '{"model":"sonnet","hooks":{"Stop":[]}}');
    await files.look();
    expect(raised).toMatchObject([{ of: 'claude', file: settings(), restored: true }]);
    expect(json(settings())).toMatchObject({ model: 'sonnet', hooks: { Stop: [] } });
    expect(wirings.claude.commands(read(settings()), script('claude'))).toHaveProperty('PreToolUse');
  });

  const changes: readonly (readonly [string, (text: string) => string | null])[] = [
    ['the file is gone', () => null],
    ['the file cannot be read', (text) => text.slice(0, -3)],
    ['a matcher was narrowed', (text) => text.replace('"*"', '"Nothing"')],
    ['a failure counts as a yes', (text) => text.replaceAll('"block"', '"continue"')],
    ['one moment less', (text) => text.replace('"PostToolUse"', '"Other"')],
    ['another command', (text) => text.replace('bin/claude PreToolUse', 'bin/none PreToolUse')],
    ['all hooks are off', (text) => text.replace('{', '{"disableAllHooks":true,')],
    ['a variable is set', (text) => text.replace('{', '{"env":{"CLAUDE_CODE_SIMPLE":"1"},')],
  ];
  test.each(changes)('%s: one alarm, and the file is as it was', async (_, change) => {
    const before = json(settings());
    const text = change(read(settings()));
    expect(text).not.toBe(read(settings()));
    if (text === null) rmSync(settings());
    else put(settings(), text);
    expect(await files.refusal('claude', settings())).toEqual(expect.any(String));
    await files.look();
    expect(raised).toHaveLength(1);
    const { hooks, model } = json(settings());
    expect(model).toBe(before.model);
    for (const [event, list] of Object.entries<unknown[]>(before.hooks)) {
      expect(hooks[event]).toEqual(expect.arrayContaining(list));
    }
    expect(await files.refusal('claude', settings())).toBeNull();
  });

  test('an ordinary change passes without a word', async () => {
    const changed = { ...json(settings()), model: 'haiku', permissions: { allow: ['Read'] } };
    changed.hooks.Stop = [{ hooks: [{ type: 'command', command: 'say done' }] }];
    put(settings(), JSON.stringify(changed));
    expect(await files.refusal('claude', settings())).toBeNull();
    await files.look();
    expect(raised).toEqual([]);
  });

  test('the person disconnects the host: no alarm, nothing comes back', async () => {
    await ledger.connections.disconnect({ host: 'claude', file: settings() }, null, act());
    writeConnectedHosts({ hosts: join(home(), 'hosts.json') }, []);
    writeSettings(settings(), wirings.claude.remove(read(settings()), script('claude')));
    rmSync(script('claude'));
    await files.look();
    expect(raised).toEqual([]);
    expect(json(settings())).toEqual({ model: 'opus' });
  });

  const losses: readonly (readonly [string, (registry: string) => void])[] = [
    ['emptied', (registry) => put(registry, '{"hosts": []}')],
    ['gone', (registry) => rmSync(registry)],
    ['no registry any more', (registry) => put(registry, '{"hosts": [')],
    [
      'of another host',
      (registry) => put(registry, '{"hosts":[{"host":"codex","file":"/none/hooks.json"}]}'),
    ],
  ];
  test.each(losses)('the registry is %s: it is restored, and so are hooks that go later', async (_, lose) => {
    const registry = join(home(), 'hosts.json');
    lose(registry);
    await files.look();
    expect(raised[0]).toMatchObject({ of: 'sallyport', file: registry, restored: true });
    expect(json(registry).hosts).toContainEqual({ host: 'claude', file: settings() });
    put(settings(), '{}');
    await files.look();
    expect(wirings.claude.commands(read(settings()), script('claude'))).toHaveProperty('PreToolUse');
    expect(files.unreported('claude')).not.toBeNull();
  });

  test('changed again and again while no call runs: restored each time', async () => {
    await files.start();
    const isHooked = () => {
      const text = read(settings());
      return text !== '{}' && Object.keys(wirings.claude.commands(text, script('claude'))).length > 0;
    };
    for (const round of [1, 2, 3]) {
      put(settings(), '{}');
      await until(isHooked, 10);
      expect(isHooked()).toBe(true);
      await until(() => raised.length === round);
    }
  });

  test('what cannot be restored is tried again, and asked about until it is', async () => {
    put(settings(), '{}');
    // Where versions are kept that were replaced, nothing can be written.
    put(at('store'), 'no folder');
    await files.look();
    expect(raised).toMatchObject([{ file: settings(), restored: false }]);
    expect(reported.splice(0)).toEqual(['integrity_failed']);
    expect(await unreviewed()).toMatchObject([{ what: expect.stringContaining('could not be restored') }]);
    rmSync(at('store'));
    await files.look();
    expect(raised.at(-1)).toMatchObject({ file: settings(), restored: true });
    expect(await unreviewed()).toEqual([]);
  });

  test('the registry is written anew with hooks that were narrowed: they are put back', async () => {
    const registry = join(home(), 'hosts.json');
    put(registry, `${read(registry)}\n`);
    put(settings(), read(settings()).replace('"*"', '"Nothing"'));
    await files.look();
    expect(raised).toMatchObject([{ of: 'claude', file: settings(), restored: true }]);
  });

  test('the client is changed or gone: it is written again', async () => {
    put(script('claude'), '#!/bin/sh\nexit 0\n');
    await files.look();
    rmSync(script('claude'));
    await files.look();
    expect(raised.map(({ why }) => why)).toEqual(['the client was changed', 'the client is gone']);
    expect(read(script('claude'))).toBe(clientText);
  });

  test('the user is told once', async () => {
    put(settings(), '{}');
    await files.look();
    expect(files.unreported('claude')).toMatchObject({ file: settings() });
    expect(files.unreported('claude')).toBeNull();
    expect(raised).toHaveLength(1);
  });
});

describe('hooks of the user, once somebody can approve', () => {
  beforeEach(async () => {
    await enrolPerson(ledger);
    connect('claude', settings());
    await files.look();
  });

  test('an unsigned disconnection counts for nothing once somebody can approve', async () => {
    const claude = { host: 'claude', file: settings() };
    await expect(ledger.connections.disconnect(claude, null, act())).rejects.toThrow('signature');
    await ledger.audit.append({
      ...{ time: Date.now(), event_type: 'host_disconnected', user: 'ann', tenant: 'local', agent: '' },
      details: { ...claude, at: Date.now(), signature: 'bm9uZQ' },
    });
    rmSync(join(home(), 'hosts.json'));
    await files.look();
    expect(raised).toMatchObject([{ of: 'sallyport', restored: true }]);
  });

  test('a signed disconnection counts', async () => {
    await ledger.connections.disconnect({ host: 'claude', file: settings() }, person, act());
    rmSync(join(home(), 'hosts.json'));
    put(settings(), '{}');
    await files.look();
    expect(raised).toEqual([]);
    expect(files.connected()).toBe(0);
  });
});

describe('files of a project', () => {
  const local = () => join(project(), '.claude', 'settings.local.json');

  test('a switch goes, the rest stays; only where a session of that host works', async () => {
    connect('claude', settings());
    put(local(), '{"disableAllHooks":true,"model":"opus"}');
    await files.look();
    expect(raised).toEqual([]);
    await files.visit('claude', project());
    expect(raised).toMatchObject([{ file: local(), restored: true }]);
    expect(json(local())).toEqual({ model: 'opus' });
  });

  test('a host that settings of the machine hook is looked after as well', async () => {
    put(at('.gemini', 'settings.json'), '{"hooksConfig":{"disabled":["sallyport"]},"theme":"x"}');
    await files.visit('gemini', project());
    expect(raised).toMatchObject([{ of: 'gemini', restored: true }]);
    expect(json(at('.gemini', 'settings.json'))).toEqual({ hooksConfig: {}, theme: 'x' });
  });

  test('a change that cannot be read does not count in a session that runs', async () => {
    connect('claude', settings());
    await files.visit('claude', project());
    put(local(), '{"disableAllHooks":');
    expect(await files.refusal('claude', local())).toMatch(/cannot be read/);
    rmSync(local());
    expect(await files.refusal('claude', local())).toBeNull();
  });

  test('it is seen without being asked', async () => {
    connect('claude', settings());
    await files.start();
    await files.visit('claude', project());
    put(local(), '{"disableAllHooks":true}');
    await until(() => raised.length > 0);
    expect(raised).toMatchObject([{ file: local(), restored: true }]);
    expect(existsSync(local())).toBe(false);
  });

  test('the version that was replaced is kept', async () => {
    connect('claude', settings());
    await files.visit('claude', project());
    put(local(), '{"disableAllHooks":true,"model":"opus"}');
    await files.look();
    const [{ kept } = {}] = raised;
    expect(json(kept ?? '')).toEqual({ disableAllHooks: true, model: 'opus' });
  });

  test('a look that a call causes always puts it back', async () => {
    connect('claude', settings());
    await files.visit('claude', project());
    for (let round = 0; round < 25; round++) {
      put(local(), `{"disableAllHooks":true,"round":${round}}`);
      await files.look();
    }
    expect(raised.every(({ restored }) => restored)).toBe(true);
  });

  test('a file that is a link is replaced, and not what it leads to', async () => {
    connect('codex', at('.codex', 'hooks.json'));
    put(join(project(), '.codex', 'config.toml'), 'model = "x"\n[features]\nhooks = false\n');
    await files.visit('codex', project());
    expect(read(join(project(), '.codex', 'config.toml'))).toBe('model = "x"\n[features]\n');
  });
});

describe('files of the machine', () => {
  test('are written again as they should be', async () => {
    const path = at('etc', 'managed-settings.json');
    machine = [{ path, text: '{"hooks":{}}' }];
    put(path, '{"hooks":{}}');
    await files.look();
    put(path, '{}');
    await files.look();
    rmSync(path);
    await files.look();
    expect(raised).toHaveLength(2);
    expect(read(path)).toBe('{"hooks":{}}');
  });
});

describe('when the daemon starts', () => {
  test('hooks that are missing come back', async () => {
    connect('claude', settings());
    put(settings(), '{"model":"opus"}');
    await files.start();
    expect(raised).toHaveLength(1);
    expect(json(settings())).toMatchObject({ model: 'opus', hooks: { PreToolUse: [{}] } });
  });

  test('hooks of an earlier version count', async () => {
    connect('claude', settings());
    const { ConfigChange: _, ...hooks } = json(settings()).hooks;
    put(settings(), JSON.stringify({ hooks }));
    await files.start();
    expect(raised).toEqual([]);
  });

  const away: readonly (readonly [string, (text: string) => string])[] = [
    ['a matcher was narrowed', (text) => text.replace('"*"', '"Nothing"')],
    ['a failure counts as a yes', (text) => text.replaceAll('"block"', '"continue"')],
    ['one moment less', (text) => text.replace('"PostToolUse"', '"Other"')],
  ];
  test.each(away)('%s while it was away: the hooks that the log knows come back', async (_, change) => {
    connect('claude', settings());
    const hooks = hooksSeal(ledger, oursAsText('claude', read(settings()), script('claude')));
    await ledger.connections.connect({ host: 'claude', file: settings(), hooks }, act());
    const before = json(settings());
    put(settings(), change(read(settings())));
    await files.start();
    expect(raised).toMatchObject([{ of: 'claude', file: settings(), restored: true }]);
    for (const [event, list] of Object.entries<unknown[]>(before.hooks)) {
      expect(json(settings()).hooks[event]).toEqual(expect.arrayContaining(list));
    }
  });

  test('the registry was emptied with the hooks while it was away: both come back', async () => {
    connect('claude', settings());
    await ledger.connections.connect({ host: 'claude', file: settings() }, act());
    put(settings(), '{}');
    rmSync(join(home(), 'hosts.json'));
    await files.start();
    expect(raised.map(({ of }) => of)).toEqual(['sallyport', 'claude']);
    expect(wirings.claude.commands(read(settings()), script('claude'))).toHaveProperty('PreToolUse');
  });

  test('init is run again and writes hooks of this version: no alarm', async () => {
    connect('claude', settings());
    const written = read(settings());
    put(settings(), written.replaceAll('"timeout": ', '"timeout": 1'));
    expect(read(settings())).not.toBe(written);
    await files.start();
    put(settings(), written);
    await files.look();
    expect(raised).toEqual([]);
  });

  test('a host that is connected later is not missed while its files are written', async () => {
    await files.start();
    put(script('claude'), clientText);
    writeConnectedHosts({ hosts: join(home(), 'hosts.json') }, [{ host: 'claude', file: settings() }]);
    await files.look();
    expect(raised).toEqual([]);
    expect(existsSync(settings())).toBe(false);
    writeSettings(settings(), wirings.claude.add(null, script('claude')));
    await files.look();
    put(settings(), '{}');
    await files.look();
    expect(raised).toHaveLength(1);
  });

  test('the plugin of opencode is written again', async () => {
    const plugin = at('.config', 'opencode', 'plugins', 'sallyport.js');
    connect('opencode', plugin);
    await files.look();
    const before = read(plugin);
    put(plugin, 'export const Sallyport = async () => ({});\n');
    await files.look();
    expect(raised).toHaveLength(1);
    expect(read(plugin)).toBe(before);
  });
});
