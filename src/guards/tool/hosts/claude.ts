// The tools of Claude Code: what each does, and what its arguments are.

import { choice } from '../../../core/shape.ts';
import { list, may, object, optional, path, toolsOf, words } from './host.ts';

const { tool, form } = toolsOf('claude');
const edit = { old_string: words, new_string: words, replace_all: may.flag };
const task =
  'prompt description? subagent_type? model? name? resume? run_in_background?:flag max_turns?:number';
const search = '-A?:number -B?:number -C?:number context?:number -n?:flag -i?:flag -o?:flag multiline?:flag';

export const claudeTools = () => [
  tool('Bash', 'shell', { command: 'command', description: 'justification' }),
  tool('Read', 'read', { file_path: 'path' }),
  tool('Write', 'write', { file_path: 'path', content: 'content' }),
  tool('Edit', 'write', { file_path: 'path', old_string: 'old', new_string: 'new' }),
  tool('NotebookEdit', 'write', { notebook_path: 'path', new_source: 'new' }, 'cell_number?:number'),
  tool('WebFetch', 'fetch', { url: 'url' }),
  tool('WebSearch', 'read'),
  // Agents that it starts call tools of their own, each of which is judged.
  tool('Agent', 'own', {}, `${task} team_name? mode? isolation?`),
  tool('Workflow', 'own', { scriptPath: 'path' }),
  tool('Skill', 'own'),
  tool('SendMessage', 'own'),
  tool('ListAgents', 'own'),
  tool('ReportFindings', 'own'),
  tool('ScheduleWakeup', 'own'),
  tool('CronCreate', 'own'),
  tool('CronDelete', 'own'),
  tool('CronList', 'own'),
  tool('ToolSearch', 'own'),
  tool('DeferredToolPlaceholder', 'own'),
  form('Monitor', 'shell', 'command description? timeout_ms?:number persistent?:flag', {
    command: 'command',
    description: 'justification',
  }),
  form(
    'Monitor',
    'fetch',
    {
      ws: object({ url: words, protocols: optional(list(words)) }),
      description: may.words,
      timeout_ms: may.count,
      persistent: may.flag,
    },
    { 'ws/url': 'url', description: 'justification' },
  ),
  // With neither it watches nothing.
  form('Monitor', 'own', 'description? timeout_ms?:number persistent?:flag'),
  tool('EnterWorktree', 'own', { path: 'path' }),
  // Without `discard_changes` the host removes no worktree that holds anything.
  form('ExitWorktree', 'own', { action: choice(['keep', 'remove']) }),
  tool('ExitWorktree', 'destructive'),
  tool('TaskCreate', 'own'),
  tool('TaskUpdate', 'own'),
  tool('TaskGet', 'own'),
  tool('TaskList', 'own'),
  tool('TaskStop', 'own'),
  // Offered in some sessions, or by other versions.
  tool('BashOutput', 'own', {}, 'bash_id filter? block?:flag wait_up_to?:number'),
  tool('TaskOutput', 'own', {}, 'task_id block?:flag timeout?:number'),
  tool('KillShell', 'own', {}, 'shell_id'),
  tool('KillBash', 'own', {}, 'shell_id'),
  tool(
    'MultiEdit',
    'write',
    { file_path: 'path', 'edits/*/old_string': 'old', 'edits/*/new_string': 'new' },
    { file_path: path, edits: list(object(edit)) },
  ),
  tool('NotebookRead', 'read', { notebook_path: 'path' }, 'notebook_path cell_id?'),
  tool('Glob', 'read', { path: 'path' }, 'pattern path?'),
  tool(
    'Grep',
    'read',
    { path: 'path' },
    `pattern path? glob? type? output_mode? head_limit?:number offset?:number ${search}`,
  ),
  tool('LS', 'read', { path: 'path' }, 'path ignore?:list'),
  tool('Task', 'own', {}, `${task} team_name? mode? isolation?`),
  tool('TodoWrite', 'own', {}, 'todos:any'),
  tool('ExitPlanMode', 'own', {}, 'plan? planFilePath? allowedPrompts?:any'),
  tool('EnterPlanMode', 'own'),
  tool('AskUserQuestion', 'own', {}, 'questions:any answers?:any metadata?:any annotations?:any'),
  tool('SlashCommand', 'own', {}, 'command'),
  tool('ListMcpResourcesTool', 'read', {}, 'server?'),
  tool('ReadMcpResourceTool', 'read', {}, 'server uri'),
];
