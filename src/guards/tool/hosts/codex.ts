// The tools of Codex.

import { command, json, may, path, toolsOf, words } from './host.ts';

const tool = toolsOf('codex');
const run = {
  workdir: may.path,
  timeout_ms: may.count,
  timeout: may.count,
  login: may.flag,
  justification: may.words,
  prefix_rule: may.list,
  sandbox_permissions: may.words,
  with_escalated_permissions: may.flag,
};
const roles = { command: 'command', workdir: 'folder', justification: 'justification' } as const;

export const codexTools = () => [
  tool('shell', 'shell', { command, ...run }, roles),
  tool('shell_command', 'shell', { command, ...run }, roles),
  tool('local_shell', 'shell', { command, ...run }, roles),
  tool('Bash', 'shell', { command, ...run }, roles),
  tool(
    'exec_command',
    'shell',
    {
      ...run,
      cmd: words,
      shell: may.words,
      tty: may.flag,
      yield_time_ms: may.count,
      max_output_tokens: may.count,
    },
    { cmd: 'command', workdir: 'folder', justification: 'justification' },
  ),
  // What is typed into a shell that runs is a command there.
  tool(
    'write_stdin',
    'shell',
    { session_id: json(), chars: words, yield_time_ms: may.count, max_output_tokens: may.count },
    { chars: 'command' },
  ),
  tool('apply_patch', 'write', { input: words }, { input: 'patch' }),
  tool('apply_patch', 'write', { command: words }, { command: 'patch' }),
  tool('apply_patch', 'write', { patch: words }, { patch: 'patch' }),
  tool('update_plan', 'own', { explanation: may.words, plan: json() }),
  tool('view_image', 'read', { path, detail: may.words }, { path: 'path' }),
  tool(
    'read_file',
    'read',
    { file_path: path, offset: may.count, limit: may.count, mode: may.words, indentation: may.any },
    { file_path: 'path' },
  ),
  tool(
    'list_dir',
    'read',
    { dir_path: path, offset: may.count, limit: may.count, depth: may.count },
    { dir_path: 'path' },
  ),
  tool(
    'grep_files',
    'read',
    { pattern: words, include: may.words, path: may.path, limit: may.count },
    { path: 'path' },
  ),
  tool('web_search', 'read', { query: words }),
];
