// A plain shell command loads nothing of the other languages: the hook path pays for what it uses.

import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

/** The modules of this guard that a fresh process loads to judge a command. */
function loadedFor(command: string): readonly string[] {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    const { createDryDecider, realWorld } = await import('./src/decide/index.ts');
    const { configOf, settingsFrom } = await import('./src/config/index.ts');
    const config = configOf(() => settingsFrom({}));
    const decider = createDryDecider({ config, world: realWorld() });
    const context = { user: 'u', tenant: 't', agent: 'a', session: 's', workspace: '/', mode: 'auto' };
    await decider.decide({ kind: 'shell', command: ${JSON.stringify(command)} }, context);
    console.log(JSON.stringify(loaded));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return (JSON.parse(stdout) as string[]).flatMap((url) => url.split('/src/guards/command/')[1] ?? []);
}

describe('a shell command', () => {
  it('loads no other language', () => {
    const loaded = loadedFor('git status && rm -rf build | tee log');
    expect(loaded).toContain('bash/evaluate.ts');
    expect(loaded.filter((file) => /^(?:python|javascript|script)\//.test(file))).toEqual([]);
  });

  it('loads Python for Python, and then no JavaScript', () => {
    const loaded = loadedFor("python3 -c 'print(1)'");
    expect(loaded).toContain('python/lower.ts');
    expect(loaded.filter((file) => file.startsWith('javascript/'))).toEqual([]);
  });
});
