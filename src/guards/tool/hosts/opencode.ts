// The tools of opencode.

import { json, list, may, object, path, record, toolsOf, words } from './host.ts';

const tool = toolsOf('opencode');
const edit = { oldString: words, newString: words, replaceAll: may.flag };

export const opencodeTools = () => [
  tool(
    'bash',
    'shell',
    { command: words, description: may.words, timeout: may.count, workdir: may.path },
    { command: 'command', description: 'justification', workdir: 'folder' },
  ),
  tool('read', 'read', { filePath: path, offset: may.count, limit: may.count }, { filePath: 'path' }),
  tool('write', 'write', { filePath: path, content: words }, { filePath: 'path', content: 'content' }),
  tool(
    'edit',
    'write',
    { filePath: path, ...edit },
    { filePath: 'path', oldString: 'old', newString: 'new' },
  ),
  tool(
    'multiedit',
    'write',
    { filePath: path, edits: list(object({ filePath: may.path, ...edit })) },
    { filePath: 'path', 'edits/*/filePath': 'path', 'edits/*/oldString': 'old', 'edits/*/newString': 'new' },
  ),
  tool('patch', 'write', { patchText: words }, { patchText: 'patch' }),
  tool('apply_patch', 'write', { patchText: words }, { patchText: 'patch' }),
  tool('glob', 'read', { pattern: words, path: may.path }, { path: 'path' }),
  tool('grep', 'read', { pattern: words, path: may.path, include: may.words }, { path: 'path' }),
  tool('list', 'read', { path: may.path, ignore: may.list }, { path: 'path' }),
  tool('webfetch', 'fetch', { url: words, format: may.words, timeout: may.count }, { url: 'url' }),
  tool('websearch', 'read', {
    query: words,
    numResults: may.count,
    type: may.words,
    livecrawl: may.words,
    contextMaxCharacters: may.count,
  }),
  tool('codesearch', 'read', { query: words, tokensNum: may.count }),
  tool('task', 'own', {
    description: may.words,
    prompt: words,
    subagent_type: may.words,
    session_id: may.words,
    task_id: may.words,
    command: may.words,
  }),
  tool('todowrite', 'own', { todos: json() }),
  tool('todoread', 'own', {}),
  tool('question', 'own', { questions: json() }),
  tool('skill', 'own', { name: words }),
  tool('plan_enter', 'own', {}),
  tool('plan_exit', 'own', {}),
  tool(
    'batch',
    'calls',
    { tool_calls: list(object({ tool: words, parameters: record(json()) })) },
    { 'tool_calls/*': 'call' },
  ),
];
