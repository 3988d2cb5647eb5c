// The tools of Qwen Code: what each does, and what its arguments are. A tool that its model calls by `tool_call` is named
// to hooks by its own name.

import { choice } from '../../../core/shape.ts';
import { toolsOf, words } from './host.ts';

const { tool, form } = toolsOf('qwen');

const command = { command: 'command', description: 'justification', directory: 'folder' } as const;

export const qwenTools = () => [
  tool('run_shell_command', 'shell', command),
  tool('monitor', 'shell', command),
  tool('read_file', 'read', { file_path: 'path' }),
  tool('zoom_image', 'read', { file_path: 'path' }),
  tool('write_file', 'write', { file_path: 'path', content: 'content' }),
  tool('edit', 'write', { file_path: 'path', old_string: 'old', new_string: 'new' }),
  tool('notebook_edit', 'write', { notebook_path: 'path', new_source: 'new' }),
  tool('glob', 'read', { path: 'path' }),
  tool('grep_search', 'read', { path: 'path' }),
  tool('list_directory', 'read', { path: 'path' }),
  tool('web_fetch', 'fetch', { url: 'url' }),
  tool('read_mcp_resource', 'read'),
  // Agents that it starts call tools of their own, each of which is judged.
  tool('agent', 'own', { working_dir: 'path' }),
  tool('list_agents', 'own'),
  tool('send_message', 'own'),
  tool('task_stop', 'own'),
  tool('skill', 'own'),
  tool('todo_write', 'own'),
  tool('cron_create', 'own'),
  tool('cron_delete', 'own'),
  tool('cron_list', 'own'),
  tool('loop_wakeup', 'own'),
  tool('get_goal', 'own'),
  tool('update_goal', 'own'),
  tool('record_artifact', 'own', { workspacePath: 'path' }),
  tool('report_findings', 'own'),
  tool('tool_search', 'own'),
  // Hooks hear of the tool that it calls instead; should they ever hear of this, its effect is unknown.
  tool('tool_call', 'destructive'),
  tool('enter_worktree', 'own'),
  // Without `discard_changes` the host removes no worktree that holds anything.
  form('exit_worktree', 'own', { name: words, action: choice(['keep', 'remove']) }),
  tool('exit_worktree', 'destructive'),
  // Offered in some sessions, or by other versions.
  tool('web_search', 'read', {}, 'query allowed_domains?:list blocked_domains?:list provider?'),
  tool('exit_plan_mode', 'own', {}, 'plan'),
  tool('enter_plan_mode', 'own', {}, 'reason?'),
  tool('ask_user_question', 'own', {}, 'questions:any metadata?:any'),
  tool('task_create', 'own', {}, 'subject? description? activeForm? metadata?:any'),
  tool('task_update', 'own', {}, 'taskId? task_id? status? subject? description? metadata?:any'),
  tool('task_list', 'own'),
  tool('structured_output', 'own', {}, 'result:any'),
];
