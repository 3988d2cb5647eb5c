// A file is protected or not, whatever writes it: every row of the one table, written in every way, by the write guard and
// by commands, on a real disk.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configOf, settingsFrom } from '../src/config/index.ts';
import type { Action, Context } from '../src/core/index.ts';
import { createDryDecider, realWorld } from '../src/decide/index.ts';
import { type Protection, protectionOf, protections } from '../src/detect/protect.ts';
import { guards } from '../src/guards/index.ts';

/** Paths of each row, of different shapes. */
const rows: Readonly<Record<Protection, readonly string[]>> = {
  version_control: ['.git/config', '.git/hooks/pre-commit', '.gitmodules'],
  guard: ['sallyport.toml'],
  agent: [
    '.mcp.json',
    '.claude/settings.json',
    '.cursor/mcp.json',
    '.vscode/tasks.json',
    '.idea/workspace.xml',
  ],
  instructions: [
    'CLAUDE.md',
    'AGENTS.md',
    '.cursorrules',
    '.github/copilot-instructions.md',
    '.claude/commands/a.md',
  ],
  hook: ['.envrc', '.husky/pre-commit', '.pre-commit-config.yaml', '.bashrc'],
  credentials: ['.env', '.npmrc', '.env.production'],
  pipeline: ['.github/workflows/ci.yml', '.gitlab-ci.yml'],
  manifest: ['package.json', 'Makefile', 'conftest.py', 'build.rs', 'Dockerfile', 'vite.config.ts'],
  installed: ['node_modules/left-pad/index.js', '.venv/bin/python'],
  dotfile: ['.eslintrc.js', '.mocharc.yml'],
};

/** One way to write a file: what a command says, for the path from the workspace, beside what stands ready outside. */
type Way = (path: string, outside: string) => string;

const ways: Readonly<Record<string, Way>> = {
  redirect: (path) => `echo x > ${path}`,
  append: (path) => `printf 'x\\n' >> ./${path}`,
  'here-document': (path) => `cat > ${path} <<'EOF'\nx\nEOF`,
  cp: (path, outside) => `cp ${outside}/file ${path}`,
  'cp into the folder': (path, outside) => `cp ${outside}/tree/${path} ${dirname(path)}`,
  mv: (path, outside) => `mv ${outside}/file ${path}`,
  'sed -i': (path) => `sed -i 's/a/b/' ${path}`,
  tee: (path) => `echo x | tee ${path}`,
  python: (path) => `python3 -c "open('${path}', 'w').write('x')"`,
  'python by pathlib': (path) =>
    `python3 - <<'EOF'\nfrom pathlib import Path\nPath('${path}').write_text('x')\nEOF`,
  node: (path) => `node -e "require('fs').writeFileSync('${path}', 'x')"`,
  'git apply': (path, outside) => `git apply ${outside}/${basename(path)}.patch`,
  patch: (path, outside) => `patch -p1 < ${outside}/${basename(path)}.patch`,
  'tar, all of it': (path, outside) => `tar xf ${outside}/${basename(path)}.tar`,
  'tar, piped': (path, outside) => `tar c -C ${outside}/tree ${path} | tar x`,
  rsync: (path, outside) => `rsync -a ${outside}/file ${path}`,
  ln: (path, outside) => `ln -sf ${outside}/file ${path}`,
  dd: (path, outside) => `dd if=${outside}/file of=${path}`,
  install: (path, outside) => `install -m 644 ${outside}/file ${path}`,
  curl: (path) => `curl -so ${path} https://raw.githubusercontent.com/a/b/main/x`,
  perl: (path) => `perl -pi -e 's/a/b/' ${path}`,
  'from a folder below': (path) => `cd src && echo x > ../${path}`,
};

let folder: string;
let workspace: string;
let outside: string;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-protected-')));
  workspace = join(folder, 'home', 'shop');
  outside = join(folder, 'outside');
  mkdirSync(join(workspace, 'src'), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(outside, 'file'), 'x\n');
  for (const path of Object.values(rows).flat()) {
    for (const root of [workspace, join(outside, 'tree')]) {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      writeFileSync(join(root, path), 'a\n');
    }
    writeFileSync(
      join(outside, `${basename(path)}.patch`),
      `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+x\n`,
    );
    const packed = spawnSync('tar', [
      'cf',
      join(outside, `${basename(path)}.tar`),
      '-C',
      join(outside, 'tree'),
      path,
    ]);
    if (packed.status !== 0) cpSync(join(outside, 'file'), join(outside, `${basename(path)}.tar`));
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function decisionOf(action: Action, profile: 'developer' | 'strict' = 'developer'): Promise<string> {
  const context: Context = {
    ...{ user: 'u', tenant: 't', agent: 'default', session: 's', mode: 'auto' },
    workspace,
  };
  const { verdict } = await decider(profile).decide(action, context);
  return verdict.decision;
}

const deciders = new Map<string, ReturnType<typeof createDryDecider>>();

function decider(profile: 'developer' | 'strict') {
  const settings = settingsFrom({ profile });
  const made =
    deciders.get(profile) ??
    createDryDecider({
      config: configOf(() => settings),
      world: { ...realWorld(), home: join(folder, 'home') },
      guards: guards.filter(({ name }) => name === 'command' || name === 'write'),
    });
  deciders.set(profile, made);
  return made;
}

describe.each(Object.entries(rows))('%s', (kind, paths) => {
  test.each(paths)('%s: the write guard and every way of a command agree', async (path) => {
    expect(protectionOf(path.toLowerCase().split('/'))).toBe(kind);
    const written = await decisionOf({ kind: 'write', changes: [{ op: 'edit', path, content: 'x\n' }] });
    expect(written).toBe(protections[kind as Protection].developer);
    const found: Record<string, string> = {};
    for (const [name, way] of Object.entries(ways))
      found[name] = await decisionOf({ kind: 'shell', command: way(path, outside), cwd: workspace });
    expect(found).toEqual(Object.fromEntries(Object.keys(ways).map((name) => [name, written])));
  });

  test.each(paths)('%s: strict refuses what its row says', async (path) => {
    const written = await decisionOf(
      { kind: 'write', changes: [{ op: 'edit', path, content: 'x\n' }] },
      'strict',
    );
    expect(written).toBe(protections[kind as Protection].strict);
  });
});

test.each([
  'mkdir -p .claude .cursor .vscode .github/workflows',
  'touch src/a.ts',
  'cp .env .env.example',
  'rm -f package-lock.json',
  'git add AGENTS.md package.json',
  'chmod 600 .env',
])('%s is no change of a protected file', async (command) => {
  const rule = async () => {
    const action: Action = { kind: 'shell', command, cwd: workspace };
    const context: Context = {
      ...{ user: 'u', tenant: 't', agent: 'default', session: 's', mode: 'auto' },
      workspace,
    };
    const { verdict } = await decider('developer').decide(action, context);
    return verdict.findings.map((finding) => finding.rule);
  };
  const found = await rule();
  expect(found).not.toContain('protected_file');
  expect(found).not.toContain('guard_tampering');
});
