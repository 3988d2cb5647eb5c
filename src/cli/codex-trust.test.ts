// The entries by which Codex trusts hooks go in and out of its config.toml, and nothing else of it changes.

import { describe, expect, it } from 'vitest';
import { withoutTrust, withTrust } from './codex-trust.ts';

const name = '/home/ann/.codex/hooks.json:pre_tool_use:0:0';
const other = '/home/ann/.codex/hooks.json:stop:0:0';
const entry = (key: string, hash: string) => `\n[hooks.state."${key}"]\ntrusted_hash = "${hash}"\n`;

describe('withTrust', () => {
  it.each([
    ['no file', null, entry(name, 'sha256:1')],
    [
      'comments, odd layout and dates',
      '# mine\nmodel="x"   # here\n[a]\n  when = 2026-01-02\n\n\n',
      `# mine\nmodel="x"   # here\n[a]\n  when = 2026-01-02\n\n\n${entry(name, 'sha256:1')}`,
    ],
    ['no newline at the end', 'model = "x"', `model = "x"\n${entry(name, 'sha256:1')}`],
    [
      'what was trusted before, and what the user trusts',
      `a = 1\n${entry(name, 'sha256:0')}${entry(other, 'sha256:9')}\n[z]\nb = 2\n`,
      `a = 1\n${entry(other, 'sha256:9')}\n[z]\nb = 2\n${entry(name, 'sha256:1')}`,
    ],
    ['already trusted', `a = 1\n${entry(name, 'sha256:1')}`, `a = 1\n${entry(name, 'sha256:1')}`],
  ])('keeps %s', async (_, found, wanted) => {
    expect(await withTrust(found, { [name]: 'sha256:1' })).toBe(wanted);
  });

  it('leaves a hook off that the user switched off', async () => {
    const found = `[hooks.state."${name}"]\nenabled = false\ntrusted_hash = "sha256:0"\n`;
    expect(await withTrust(found, { [name]: 'sha256:1' })).toContain(
      'enabled = false\ntrusted_hash = "sha256:1"',
    );
  });

  it.each([
    ['an inline table', `hooks = { state = { "${name}" = { trusted_hash = "sha256:0" } } }\n`],
    ['a closed table', 'hooks = { state = {} }\n'],
    ['no TOML', 'a = = 1\n'],
    [
      'a header in a text of several lines',
      `a = """\n[hooks.state."${name}"]\n"""\n${entry(name, 'sha256:0')}`,
    ],
  ])('changes nothing where it finds %s', async (_, found) => {
    await expect(withTrust(found, { [name]: 'sha256:1' })).rejects.toThrow();
  });
});

describe('withoutTrust', () => {
  it('takes out exactly what was put in', async () => {
    for (const before of ['', 'model = "x"\n', `# a\n${entry(other, 'sha256:9')}`, '[t]\nx = 1\n\n']) {
      const after = await withTrust(before, { [name]: 'sha256:1' });
      expect(await withoutTrust(after, [name])).toBe(before === '' ? null : before);
    }
  });

  it('leaves a file alone that has none of them', async () => {
    const found = 'model = "x"\n\n';
    expect(await withoutTrust(found, [name])).toBe(found);
  });
});
