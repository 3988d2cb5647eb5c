// Hooks in settings of the whole machine: they go in, keep what stands there, and go out again.

import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import type { HostName } from './host.ts';
import { filesToAdd, filesToRemove, managedFile } from './managed.ts';

const where = { platform: 'linux', uid: 1000, client: '#!/bin/sh\n' };

/** A machine's files, after adding and after removing. */
function machine(before: Readonly<Record<string, string>>) {
  const files = new Map(Object.entries(before));
  const read = (path: string) => files.get(path) ?? null;
  const write = (changes: ReturnType<typeof filesToAdd>) => {
    for (const { path, text } of changes) text === null ? files.delete(path) : files.set(path, text);
  };
  return {
    files,
    add: (host: HostName) => write(filesToAdd(host, where, read)),
    remove: (host: HostName, others = false) => write(filesToRemove(host, { ...where, others }, read)),
  };
}

const found: Readonly<Partial<Record<HostName, string>>> = {
  claude:
    '{"permissions":{"deny":["Read(./x)"]},"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}',
  codex: '# ours\nallowed_sandbox_modes = ["read-only"]\n\n[features]\nother = true\n',
  gemini: '{"ui":{"theme":"dark"},"hooksConfig":{"notifications":false}}',
  opencode: '{"autoupdate":false,"plugin":["a"]}',
};

describe.each(['claude', 'codex', 'gemini', 'copilot', 'opencode'] as const)('%s', (host) => {
  const path = managedFile(host, 'linux') ?? '';
  const settingsIn = (text: string | undefined) =>
    text === undefined ? undefined : host === 'codex' ? parse(text) : JSON.parse(text);

  it('leaves a machine as it was', () => {
    const one = machine({});
    one.add(host);
    expect([...one.files.keys()]).toContain(path);
    expect(one.files.get(`/etc/sallyport/bin/1000/${host}`)).toBe('#!/bin/sh\n');
    one.remove(host);
    expect([...one.files]).toEqual([]);
  });

  it('keeps what stands in the file', () => {
    const text = found[host];
    const one = machine(text === undefined ? {} : { [path]: text });
    one.add(host);
    if (text !== undefined)
      expect(settingsIn(one.files.get(path))).toMatchObject(host === 'opencode' ? {} : settingsIn(text));
    expect(one.files.get(path)).toContain('/etc/sallyport/');
    const once = one.files.get(path);
    one.add(host);
    expect(one.files.get(path)).toBe(once);
    one.remove(host);
    expect(settingsIn(one.files.get(path))).toEqual(settingsIn(text));
  });

  it('stays while another user has a client', () => {
    const one = machine({});
    one.add(host);
    one.remove(host, true);
    expect(one.files.has(path)).toBe(true);
    expect(one.files.has(`/etc/sallyport/bin/1000/${host}`)).toBe(false);
  });
});

it('says that a host has no such settings', () => {
  expect(() => machine({}).add('cursor')).toThrow(/no settings for a whole machine/);
});

it('asks for hooks to stay on in Codex, in a table that is there too', () => {
  const one = machine({ '/etc/codex/requirements.toml': found.codex ?? '' });
  one.add('codex');
  const settings = parse(one.files.get('/etc/codex/requirements.toml') ?? '');
  expect(settings).toMatchObject({
    features: { hooks: true, other: true },
    hooks: { PreToolUse: [{ matcher: '.*' }] },
  });
});

it('does not overrule an administrator who switched hooks of Codex off', () => {
  const one = machine({ '/etc/codex/requirements.toml': '[features]\nhooks = false\n' });
  expect(() => one.add('codex')).toThrow(/switched off/);
});
