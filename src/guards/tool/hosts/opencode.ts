// The tools of opencode, and of Kilo, which was made from it: what each does, and what its arguments are.

import { record } from '../../../core/shape.ts';
import { json, list, may, object, path, toolsOf, words } from './host.ts';

const edit = { oldString: words, newString: words, replaceAll: may.flag };

/** The tools that both have. */
const shared = ({ tool }: ReturnType<typeof toolsOf>) => [
  tool(
    'bash',
    'shell',
    { command: 'command', description: 'justification', workdir: 'folder' },
    'description?',
  ),
  tool('read', 'read', { filePath: 'path' }),
  tool('write', 'write', { filePath: 'path', content: 'content' }),
  tool('edit', 'write', { filePath: 'path', oldString: 'old', newString: 'new' }),
  tool('glob', 'read', { path: 'path' }),
  tool('grep', 'read', { path: 'path' }),
  tool('webfetch', 'fetch', { url: 'url' }),
  tool('task', 'own', {}, 'session_id?'),
  tool('todowrite', 'own'),
  tool('skill', 'own'),
  // Offered to some models, with some settings, or by other versions.
  tool(
    'multiedit',
    'write',
    { filePath: 'path', 'edits/*/filePath': 'path', 'edits/*/oldString': 'old', 'edits/*/newString': 'new' },
    { filePath: path, edits: list(object({ filePath: may.path, ...edit })) },
  ),
  tool('patch', 'write', { patchText: 'patch' }, 'patchText'),
  tool('apply_patch', 'write', { patchText: 'patch' }, 'patchText'),
  tool('list', 'read', { path: 'path' }, 'path? ignore?:list'),
  tool('websearch', 'read', {}, 'query numResults?:number type? livecrawl? contextMaxCharacters?:number'),
  tool('codesearch', 'read', {}, 'query tokensNum?:number'),
  tool('todoread', 'own'),
  tool('question', 'own', {}, 'questions:any'),
  tool('plan_enter', 'own'),
  tool('plan_exit', 'own'),
  tool(
    'batch',
    'calls',
    { 'tool_calls/*': 'call' },
    { tool_calls: list(object({ tool: words, parameters: record(json()) })) },
  ),
];

export const opencodeTools = () => shared(toolsOf('opencode'));

export const kiloTools = () => {
  const own = toolsOf('kilo');
  const { tool, form } = own;
  return [
    ...shared(own),
    form(
      'background_process',
      'shell',
      'action command id? workdir? description? ready?:any inherit?:flag persistent?:flag',
      { command: 'command', description: 'justification', workdir: 'folder' },
    ),
    form(
      'background_process',
      'own',
      'action id? workdir? description? ready?:any inherit?:flag persistent?:flag',
    ),
    tool('board_post', 'own'),
    tool('board_read', 'own'),
    tool('schedule_wakeup', 'own'),
    tool('cancel_wakeup', 'own'),
    tool('kilo_local_recall', 'own'),
    // Offered in some sessions, or by other versions.
    tool('suggest', 'own', {}, 'suggest actions?:any'),
  ];
};
