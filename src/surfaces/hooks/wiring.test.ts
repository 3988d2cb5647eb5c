import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '../../core/index.ts';
import { clientScript, hookWaitMs, hostTimeout, quote } from './client.ts';
import { hostNames, silence } from './host.ts';
import { hosts } from './hosts.ts';
import { wirings } from './wiring.ts';

const script = "/home/ann o'neil/.sallyport/bin/x";
const shared = (['claude', 'codex', 'gemini', 'cursor', 'copilot'] as const).map((name) => [name] as const);

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
        expect(commands[event]).toBe(`${quote(script)} ${event}`);
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
    for (const time of times) expect([hostTimeout, hostTimeout * 1000]).toContain(time);
    expect(hookWaitMs).toBeLessThan(hostTimeout * 1000);
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

  it.each(hostNames)('of %s is sound sh', (name) => {
    const text = clientScript({
      host: hosts[name],
      script,
      socket: "/home/ann o'neil/s",
      header: "/home/ann o'neil/h",
      proof: 'p',
      env: '/usr/bin/env',
      sh: '/bin/sh',
      carrier: { curl: '/usr/bin/curl' },
      start: ['/usr/bin/node', "/it's/here"],
    });
    expect(spawnSync('/bin/sh', ['-n'], { input: text, encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
    for (const event of Object.keys(hosts[name].events)) {
      const { exit, stdout, stderr } = hosts[name].answer(event, { does: 'deny', reason: 'no' });
      expect({ exit, stdout, stderr }).not.toEqual(silence);
      if (stdout !== '') expect(isJsonObject(JSON.parse(stdout) as JsonObject)).toBe(true);
    }
  });
});
