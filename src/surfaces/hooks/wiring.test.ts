import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/ledger.ts';
import { isJsonObject, type JsonObject } from '../../core/index.ts';
import { clientScript, hookTimeout, hookWaitMs, lostReply, quote } from './client.ts';
import { hostNames, silence } from './host.ts';
import { hosts } from './hosts.ts';
import { wirings } from './wiring.ts';

const script = "/home/ann o'neil/.sallyport/bin/x";
const shared = (['claude', 'codex', 'gemini', 'cursor', 'copilot', 'qwen'] as const).map(
  (name) => [name] as const,
);

const entry = fc.oneof(
  fc.record({ command: fc.string() }),
  fc.record({ matcher: fc.string(), hooks: fc.array(fc.record({ command: fc.string() }), { minLength: 1 }) }),
);
const events = hostNames.flatMap((name) => Object.keys(hosts[name].events));
const settings = fc.record(
  {
    model: fc.string(),
    hooks: fc.dictionary(
      fc.oneof(
        fc.constantFrom(...events),
        fc.string({ minLength: 1 }).filter((name) => name !== '__proto__'),
      ),
      fc.array(entry, { minLength: 1 }),
      { minKeys: 1 },
    ),
  },
  { requiredKeys: ['model'] },
);

describe.each(shared)('the settings of %s', (name) => {
  const wiring = wirings[name];

  it('keep what is there, take ours once, and give it back', () => {
    fc.assert(
      fc.property(settings, (before) => {
        const text = JSON.stringify(before);
        const added = wiring.add(text, script);
        expect(wiring.add(added, script)).toBe(added);
        expect(JSON.parse(added)).toMatchObject({ model: before.model });
        const commands = wiring.commands(added, script);
        const { event } = hosts[name].provocation('/');
        expect(commands[event]).toContain(`${quote(script)} ${event}`);
        expect(wiring.clients(added)).toEqual([]);
        expect(JSON.parse(wiring.remove(added, script) ?? 'null')).toEqual(before);
        expect(wiring.remove(text, script)).toBe(text);
      }),
    );
  });

  it('are made where there are none, and go with ours', () => {
    const added = wiring.add(null, script);
    expect(wiring.remove(added, script)).toBeNull();
    expect(wiring.idle(added)).toBeNull();
  });

  it('give every hook more time than the client takes, and the client more than a person', () => {
    const times = [...wiring.add(null, script).matchAll(/"timeout(?:Sec)?": (\d+)/g)].map(([, n]) =>
      Number(n),
    );
    expect(times.length).toBeGreaterThan(0);
    // Codex gives the end of a session three seconds, and warns at every start of a longer time.
    const ends = name === 'codex' ? [3] : name === 'qwen' ? [15] : [];
    // Qwen Code waits a minute for a hook, whatever it is told.
    const longest = name === 'qwen' ? 60 : 300;
    for (const time of times) expect([longest, longest * 1000, ...ends]).toContain(time);
    expect(times.filter((time) => time < longest)).toEqual(ends);
    expect(hookWaitMs(hosts[name])).toBeLessThan(longest * 1000);
  });

  it('name only moments that the host knows', () => {
    const { hooks } = JSON.parse(wiring.add(null, script));
    expect(Object.keys(hooks).filter((event) => !Object.hasOwn(hosts[name].events, event))).toEqual([]);
  });

  it.each([
    ['{ // a comment\n}', 'not plain JSON'],
    ['[]', 'not a table'],
    ['{"hooks":[]}', '"hooks" are not a table'],
  ])('are left alone where they cannot be read: %j', (text, why) => {
    expect(() => wiring.add(text, script)).toThrow(why);
    expect(() => wiring.remove(text, script)).toThrow(why);
  });
});

it('refuses a list of hooks that is none', () => {
  expect(() => wirings.gemini.add('{"hooks":{"BeforeTool":{}}}', script)).toThrow(
    '"hooks.BeforeTool" is not a list',
  );
});

it('keeps the indentation', () => {
  expect(wirings.claude.add('{\n\t"model": "x"\n}', script)).toContain('\n\t"hooks": {\n\t\t"PreToolUse"');
});

it('leaves a plugin alone that is not ours', () => {
  expect(wirings.opencode.remove('export const Other = 1;', script)).toBe('export const Other = 1;');
  expect(wirings.opencode.remove(wirings.opencode.add(null, script), script)).toBeNull();
});

it.each([
  ['claude', '{"disableAllHooks":true}', 'disableAllHooks'],
  ['gemini', '{"hooksConfig":{"enabled":false}}', 'hooksConfig'],
] as const)('knows that %s calls no hooks with %s', (name, text, why) => {
  expect(wirings[name].idle(text)).toContain(why);
  expect(wirings[name].idle('{}')).toBeNull();
});

describe('the command that Codex calls', () => {
  const { codex } = wirings;
  const moments = ['PreToolUse', 'PostToolUse', 'UserPromptSubmit'];
  const deny = (event: string) => lostReply(hosts.codex, event).stdout;

  /** Calls the command as Codex does, with a client of this text; none where it is null. */
  function called(event: string, client: string | null, mode = 0o755, shell = '/bin/sh') {
    const folder = join(temporaryFolder(), 'o\'neil and "co" $(x)');
    const own = join(folder, 'bin', 'codex');
    mkdirSync(dirname(own), { recursive: true });
    if (client !== null) {
      writeFileSync(own, `#!/bin/sh\n${client}\n`);
      chmodSync(own, mode);
    }
    const command = codex.commands(codex.add(null, own), own)[event] ?? '';
    const { stdout, status } = spawnSync(shell, ['-c', command], {
      input: '{"stdin":true}',
      encoding: 'utf8',
      cwd: folder,
    });
    return { stdout, status, folder };
  }

  it.each<[string, string | null, number?]>([
    ['is missing', null],
    ['cannot be executed', "printf '{}'", 0o644],
    ['fails', 'exit 1'],
    ['fails after a pass', "printf '{}'; exit 1"],
    ['ends with the code of a deny', 'exit 2'],
    ['is killed', 'kill -9 $$'],
    ['is killed after a pass', "printf '{}'; kill -9 $$"],
    ['is killed in the middle of its answer', 'printf \'{"hookSpecificOutput":{\'; kill -9 $$'],
    ['prints nothing', 'exit 0'],
    ['prints blank lines', "printf '\\n\\n'"],
    ['prints half of an object', 'printf \'{"hookSpecificOutput":{"hookEventName"\''],
    ['prints a text', 'echo fine'],
    ['is no program', '\0\0'],
  ])('denies where the client %s', (_, client, mode) => {
    for (const event of moments) {
      const { stdout, status } = called(event, client, mode);
      expect({ event, stdout, status }).toEqual({ event, stdout: `${deny(event)}\n`, status: 0 });
    }
  });

  it('says what the client says, hands its standard input on, and runs in any shell of the user', () => {
    const shells = ['/bin/sh', '/bin/bash', '/usr/bin/zsh', '/usr/bin/fish'].filter(existsSync);
    for (const shell of shells) {
      for (const answer of ['{}', '{"decision":"block","reason":"it\'s 100% \\\\n no"}']) {
        const client = `cat > in; printf '%s\\n' ${quote(answer)}`;
        const { stdout, status, folder } = called('PreToolUse', client, 0o755, shell);
        expect({ shell, stdout, status }).toEqual({ shell, stdout: `${answer}\n`, status: 0 });
        expect(readFileSync(join(folder, 'in'), 'utf8')).toBe('{"stdin":true}');
      }
    }
  });

  it('denies in the words that each moment has', () => {
    expect(JSON.parse(deny('PreToolUse'))).toMatchObject({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' },
    });
    for (const event of ['PostToolUse', 'UserPromptSubmit']) {
      expect(JSON.parse(deny(event))).toMatchObject({ decision: 'block' });
    }
  });

  it('replaces one of an earlier version, and such a one can be removed', () => {
    const old = {
      hooks: {
        PreToolUse: [{ matcher: '.*', hooks: [{ type: 'command', command: `${quote(script)} PreToolUse` }] }],
      },
    };
    const added = codex.add(JSON.stringify(old), script);
    expect(JSON.parse(added)).toEqual(JSON.parse(codex.add(null, script)));
    expect(codex.remove(JSON.stringify(old), script)).toBeNull();
    expect(codex.remove(added, script)).toBeNull();
  });
});

it.each(hostNames)('finds the client that stands in the settings of %s, of whichever home', (name) => {
  for (const folder of ['/home/ann/.sallyport', "/srv/o'neil's home"]) {
    const client = `${folder}/bin/${name}`;
    expect(wirings[name].clients(wirings[name].add(null, client))).toEqual([client]);
  }
  const other = JSON.stringify({ hooks: { PreToolUse: [{ command: `/usr/bin/${name} --version` }] } });
  expect(
    wirings[name].clients(wirings[name].user.file.endsWith('.js') ? 'const client = "/x";' : other),
  ).toEqual([]);
});

describe('the client', () => {
  it('quotes any path', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (word) => {
        const safe = word.replaceAll('\0', '');
        const { stdout } = spawnSync('/bin/sh', ['-c', `printf %s ${quote(safe)}`], { encoding: 'utf8' });
        return stdout === safe;
      }),
      { numRuns: 30 },
    );
  });

  const carriers = [
    { perl: '/usr/bin/perl' },
    { curl: '/usr/bin/curl' },
    { node: '/usr/bin/node', client: "/home/ann o'neil/client.cjs" },
  ];
  const each = hostNames.flatMap((name) => carriers.map((carrier) => ({ name, carrier })));

  it.each(each)('of $name is sound sh: $carrier', ({ name, carrier }) => {
    const text = clientScript({
      host: hosts[name],
      script,
      socket: "/home/ann o'neil/s",
      header: "/home/ann o'neil/h",
      proof: 'p',
      env: '/usr/bin/env',
      sh: '/bin/sh',
      carrier,
      base64: '/usr/bin/base64',
      start: { command: ['/usr/bin/node', "/it's/here"], daemon: "/it's/d", stopped: "/it's/s" },
    });
    expect(spawnSync('/bin/sh', ['-n'], { input: text, encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
    // Asking whether a daemon is there, starting one and waiting for it end before the host gives up.
    const seconds = (of: RegExp) => Number(of.exec(text)?.[1]);
    const [alive, wait, start] = [/^alive=(\d+)/m, /^wait=(\d+)/m, /wait - (\d+)/].map(seconds);
    const longest = hookTimeout(hosts[name], Object.keys(hosts[name].events)[0] ?? '');
    expect(2 * (alive ?? 0) + 30 + ((wait ?? 0) - (start ?? 0))).toBeLessThan(longest);
    expect(hookWaitMs(hosts[name])).toBeLessThan((wait ?? 0) * 1000);
    for (const event of Object.keys(hosts[name].events)) {
      const { exit, stdout, stderr } = hosts[name].answer(event, { does: 'deny', reason: 'no' });
      expect({ exit, stdout, stderr }).not.toEqual(silence);
      if (stdout !== '') expect(isJsonObject(JSON.parse(stdout) as JsonObject)).toBe(true);
    }
  });
});
