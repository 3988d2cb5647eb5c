// The tools of Copilot CLI.

import { json, may, path, toolsOf, words } from './host.ts';

const tool = toolsOf('copilot');
const shell = {
  command: words,
  description: may.words,
  timeout: may.count,
  initial_wait: may.count,
  initialWait: may.count,
  sessionId: may.words,
  shellId: may.words,
  async: may.flag,
  mode: may.words,
  detach: may.flag,
};

export const copilotTools = () => [
  tool('bash', 'shell', shell, { command: 'command', description: 'justification' }),
  tool(
    'write_bash',
    'shell',
    { input: words, sessionId: may.words, shellId: may.words, delay: may.count },
    { input: 'command' },
  ),
  tool('read_bash', 'own', { sessionId: may.words, shellId: may.words, delay: may.count }),
  tool('stop_bash', 'own', { sessionId: may.words, shellId: may.words }),
  tool('list_bash', 'own', {}),
  tool('view', 'read', { path, view_range: may.any, forceReadLargeFiles: may.flag }, { path: 'path' }),
  tool('create', 'write', { path, file_text: words }, { path: 'path', file_text: 'content' }),
  tool(
    'edit',
    'write',
    { path, old_str: words, new_str: words },
    { path: 'path', old_str: 'old', new_str: 'new' },
  ),
  tool(
    'str_replace',
    'write',
    { path, old_str: words, new_str: words },
    { path: 'path', old_str: 'old', new_str: 'new' },
  ),
  tool('insert', 'write', { path, insert_line: may.count, new_str: words }, { path: 'path', new_str: 'new' }),
  tool('apply_patch', 'write', { input: words }, { input: 'patch' }),
  tool(
    'grep',
    'read',
    {
      pattern: words,
      path: may.path,
      paths: may.any,
      glob: may.words,
      type: may.words,
      output_mode: may.words,
      head_limit: may.count,
      multiline: may.flag,
      '-A': may.count,
      '-B': may.count,
      '-C': may.count,
      '-i': may.flag,
      '-n': may.flag,
    },
    { path: 'path', paths: 'path' },
  ),
  tool('glob', 'read', { pattern: words, path: may.path }, { path: 'path' }),
  tool(
    'web_fetch',
    'fetch',
    { url: words, max_length: may.count, start_index: may.count, raw: may.flag },
    { url: 'url' },
  ),
  tool('web_search', 'read', { query: words }),
  tool('task', 'own', {
    description: may.words,
    prompt: words,
    agent_type: may.words,
    name: may.words,
    mode: may.words,
    model: may.words,
  }),
  tool('update_todo', 'own', { todos: json() }),
  tool('report_intent', 'own', { intent: words }),
  tool('ask_user', 'own', { question: words, choices: may.list, allow_freeform: may.flag }),
  tool('report_progress', 'push', { commitMessage: words, prDescription: may.words }),
];
