// The tools of Codex: what each does, and what its arguments are.

import { toolsOf } from './host.ts';

const { tool, form } = toolsOf('codex');
const run =
  'workdir? timeout_ms?:number timeout?:number login?:flag justification? prefix_rule?:list sandbox_permissions? with_escalated_permissions?:flag';
const roles = { command: 'command', workdir: 'folder', justification: 'justification' } as const;

export const codexTools = () => [
  tool('exec_command', 'shell', { cmd: 'command', workdir: 'folder', justification: 'justification' }, run),
  // Its hooks call every command `Bash`.
  form('Bash', 'shell', `command ${run}`, roles),
  // No hook of version 0.169.0 hears of it. Typed into a shell that runs, characters are a command there.
  form('write_stdin', 'own', 'session_id:any yield_time_ms?:number max_output_tokens?:number'),
  tool('write_stdin', 'shell', { chars: 'command' }, 'session_id:any'),
  form('apply_patch', 'write', 'input', { input: 'patch' }),
  form('apply_patch', 'write', 'command', { command: 'patch' }),
  form('apply_patch', 'write', 'patch', { patch: 'patch' }),
  tool('view_image', 'read', { path: 'path' }, 'detail?'),
  tool('web_search', 'read', {}, 'query?'),
  // Code mode: what its script calls is judged call by call.
  tool('exec', 'own', {}, 'input?'),
  tool('wait', 'own'),
  tool('sleep', 'own'),
  tool('clock', 'own'),
  tool('update_plan', 'own', {}, 'explanation? plan:any'),
  tool('request_user_input', 'own'),
  tool('request_user_input_async', 'own'),
  tool('tool_search', 'own'),
  tool('spawn_agent', 'own'),
  tool('send_input', 'own'),
  tool('send_message', 'own'),
  tool('followup_task', 'own'),
  tool('interrupt_agent', 'own'),
  tool('list_agents', 'own'),
  tool('wait_agent', 'own'),
  tool('close_agent', 'own'),
  tool('resume_agent', 'own'),
  tool('get_goal', 'own'),
  tool('create_goal', 'own'),
  tool('update_goal', 'own'),
  // Offered with MCP servers.
  tool('list_mcp_resources', 'read', {}, 'server? cursor?'),
  tool('list_mcp_resource_templates', 'read', {}, 'server? cursor?'),
  tool('read_mcp_resource', 'read', {}, 'server uri'),
  // Offered by other versions.
  tool('shell', 'shell', roles, `command ${run}`),
  tool('shell_command', 'shell', roles, `command ${run}`),
  tool('local_shell', 'shell', roles, `command ${run}`),
  tool(
    'read_file',
    'read',
    { file_path: 'path' },
    'file_path offset?:number limit?:number mode? indentation?:any',
  ),
  tool('list_dir', 'read', { dir_path: 'path' }, 'dir_path offset?:number limit?:number depth?:number'),
  tool('grep_files', 'read', { path: 'path' }, 'pattern include? path? limit?:number'),
];
