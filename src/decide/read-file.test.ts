import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { context, stillWorld, testDecider } from '../../tests/support/decide.ts';
import type { JsonObject } from '../core/index.ts';
import { fileReadBy } from './read-file.ts';
import { realWorld } from './world.ts';

const [workspace, outside] = [0, 1].map(() =>
  mkdtempSync(join(realpathSync(tmpdir()), 'sallyport-test-')),
) as [string, string];
afterAll(() => {
  for (const folder of [workspace, outside]) rmSync(folder, { recursive: true, force: true });
});
mkdirSync(join(workspace, 'docs'));
for (const name of ['AGENTS.md', 'docs/AGENTS.md', 'notes.md']) writeFileSync(join(workspace, name), 'a');
writeFileSync(join(outside, 'AGENTS.md'), 'a');
symlinkSync(join(outside, 'AGENTS.md'), join(workspace, 'CLAUDE.md'));
symlinkSync('AGENTS.md', join(workspace, 'GEMINI.md'));

const { realPath, look } = realWorld();
const world = { ...stillWorld(), realPath, look };
const decider = testDecider({ world });

function read(
  tool: string,
  given: JsonObject,
  { host, at = workspace }: { host?: string; at?: string } = {},
) {
  const call = { tool, arguments: given, ...(host === undefined ? {} : { host }) };
  return fileReadBy(call, { ...context, workspace: at }, { decider, world });
}

describe('the file that a call shows', () => {
  it.each<[string, string, JsonObject, string]>([
    ['claude', 'Read', { file_path: join(workspace, 'docs/AGENTS.md') }, 'docs/AGENTS.md'],
    ['claude', 'Bash', { command: 'cat docs/AGENTS.md' }, 'docs/AGENTS.md'],
    ['claude', 'Read', { file_path: join(workspace, 'GEMINI.md') }, 'AGENTS.md'],
    ['codex', 'Bash', { command: "sed -n '1,200p' AGENTS.md" }, 'AGENTS.md'],
    ['codex', 'shell', { command: ['bash', '-lc', 'cat AGENTS.md | head -50'] }, 'AGENTS.md'],
    ['codex', 'exec_command', { cmd: 'tail -n +1 AGENTS.md', workdir: workspace }, 'AGENTS.md'],
    ['gemini', 'read_file', { file_path: 'AGENTS.md' }, 'AGENTS.md'],
    ['gemini', 'run_shell_command', { command: 'head -n 40 notes.md' }, 'notes.md'],
    ['cursor', 'Read', { path: join(workspace, 'AGENTS.md') }, 'AGENTS.md'],
    ['copilot', 'view', { path: join(workspace, 'AGENTS.md') }, 'AGENTS.md'],
    ['opencode', 'read', { filePath: join(workspace, 'AGENTS.md') }, 'AGENTS.md'],
    ['qwen', 'read_file', { file_path: join(workspace, 'AGENTS.md') }, 'AGENTS.md'],
  ])('%s %s %j', async (host, tool, given, path) => {
    expect(await read(tool, given, { host })).toBe(path);
    expect(await read(tool, given)).toBe(path);
  });

  it.each<[string, string, JsonObject]>([
    ['another place', 'Read', { file_path: join(outside, 'AGENTS.md') }],
    ['a way out', 'Read', { file_path: '../AGENTS.md' }],
    ['a link that leads out', 'Read', { file_path: join(workspace, 'CLAUDE.md') }],
    ['no such file', 'Read', { file_path: 'missing/AGENTS.md' }],
    ['a folder', 'LS', { path: join(workspace, 'docs') }],
    ['two files', 'Bash', { command: 'cat AGENTS.md notes.md' }],
    ['a page beside it', 'Bash', { command: 'cat AGENTS.md; curl -s https://example.org' }],
    ['a program that nobody knows', 'Bash', { command: './show AGENTS.md' }],
    ['a file that is written', 'Write', { file_path: join(workspace, 'AGENTS.md'), content: 'a' }],
    ['a page', 'WebFetch', { url: 'https://example.org/AGENTS.md', prompt: 'a' }],
    ['a tool that nobody registered', 'read_remote', { file_path: join(workspace, 'AGENTS.md') }],
  ])('is none: %s', async (_, tool, given) => {
    expect(await read(tool, given)).toBeUndefined();
  });

  it('is none where no workspace is named', async () => {
    expect(await read('Read', { file_path: join(workspace, 'AGENTS.md') }, { at: '/' })).toBeUndefined();
  });
});
