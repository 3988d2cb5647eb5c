// The tools of Copilot CLI: what each does, and what its arguments are.

import { toolsOf } from './host.ts';

const { tool } = toolsOf('copilot');
const search =
  'output_mode? glob? type? head_limit?:number multiline?:flag -A?:number -B?:number -C?:number -i?:flag -n?:flag';

export const copilotTools = () => [
  tool(
    'bash',
    'shell',
    { command: 'command', description: 'justification' },
    'timeout?:number initialWait?:number sessionId? async?:flag',
  ),
  tool('read_bash', 'own', {}, 'sessionId?'),
  tool('stop_bash', 'own', {}, 'sessionId?'),
  tool('list_bash', 'own'),
  tool('view', 'read', { path: 'path' }),
  tool('create', 'write', { path: 'path', file_text: 'content' }),
  tool('edit', 'write', { path: 'path', old_str: 'old', new_str: 'new' }),
  tool('grep', 'read', { path: 'path', paths: 'path' }, `pattern path? ${search}`),
  tool('glob', 'read', { path: 'path', paths: 'path' }, 'path?'),
  tool('task', 'own'),
  tool('skill', 'own'),
  // Both are databases of its own: the session's notes, and the sessions before it.
  tool('sql', 'own'),
  tool('session_store_sql', 'own'),
  tool('read_agent', 'own'),
  tool('list_agents', 'own'),
  tool('write_agent', 'own'),
  tool('fetch_copilot_cli_documentation', 'read'),
  // Offered in some sessions, or by other versions.
  tool('write_bash', 'shell', { input: 'command' }, 'input sessionId? shellId? delay?:number'),
  tool('str_replace', 'write', { path: 'path', old_str: 'old', new_str: 'new' }, 'path old_str new_str'),
  tool('insert', 'write', { path: 'path', new_str: 'new' }, 'path insert_line?:number new_str'),
  tool('apply_patch', 'write', { input: 'patch' }, 'input'),
  tool('web_fetch', 'fetch', { url: 'url' }, 'url max_length?:number start_index?:number raw?:flag'),
  tool('web_search', 'read', {}, 'query'),
  tool('update_todo', 'own', {}, 'todos:any'),
  tool('report_intent', 'own', {}, 'intent'),
  tool('ask_user', 'own', {}, 'question choices?:list allow_freeform?:flag'),
  tool('report_progress', 'push', {}, 'commitMessage prDescription?'),
];
