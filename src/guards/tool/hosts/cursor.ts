// The tools of Cursor, which no run of ours has captured: written down from its documentation.

import { json, list, may, object, path, toolsOf, words } from './host.ts';

const { form: tool } = toolsOf('cursor');

export const cursorTools = () => [
  tool(
    'Shell',
    'shell',
    {
      command: words,
      cwd: may.path,
      working_directory: may.path,
      description: may.words,
      explanation: may.words,
      is_background: may.flag,
      block_until_ms: may.count,
      timeout: may.count,
      required_permissions: may.list,
    },
    {
      command: 'command',
      cwd: 'folder',
      working_directory: 'folder',
      description: 'justification',
      explanation: 'justification',
    },
  ),
  tool('Read', 'read', { path, offset: may.count, limit: may.count }, { path: 'path' }),
  tool(
    'Read',
    'read',
    { file_path: path, content: may.words, offset: may.count, limit: may.count },
    { file_path: 'path' },
  ),
  tool('Write', 'write', { path, contents: words }, { path: 'path', contents: 'content' }),
  tool('Write', 'write', { path, content: words }, { path: 'path', content: 'content' }),
  tool(
    'Write',
    'write',
    { file_path: path, edits: list(object({ old_string: words, new_string: words })) },
    { file_path: 'path', 'edits/*/old_string': 'old', 'edits/*/new_string': 'new' },
  ),
  tool(
    'StrReplace',
    'write',
    { path, old_string: words, new_string: words, replace_all: may.flag },
    { path: 'path', old_string: 'old', new_string: 'new' },
  ),
  tool('Delete', 'write', { path, explanation: may.words }, { path: 'delete', explanation: 'justification' }),
  tool('Delete', 'write', { file_path: path }, { file_path: 'delete' }),
  tool(
    'Grep',
    'read',
    {
      pattern: words,
      path: may.path,
      glob: may.words,
      type: may.words,
      output_mode: may.words,
      head_limit: may.count,
      offset: may.count,
      multiline: may.flag,
      '-A': may.count,
      '-B': may.count,
      '-C': may.count,
      '-i': may.flag,
    },
    { path: 'path' },
  ),
  tool('Glob', 'read', { glob_pattern: words, target_directory: may.path }, { target_directory: 'path' }),
  tool('LS', 'read', { target_directory: path, ignore_globs: may.list }, { target_directory: 'path' }),
  tool(
    'SemanticSearch',
    'read',
    { query: words, target_directories: may.list, explanation: may.words, num_results: may.count },
    { target_directories: 'path' },
  ),
  tool('ReadLints', 'read', { paths: may.list }, { paths: 'path' }),
  tool('WebFetch', 'fetch', { url: words }, { url: 'url' }),
  tool('WebSearch', 'read', { search_term: words, explanation: may.words }),
  tool('TodoWrite', 'own', { todos: json(), merge: may.flag }),
  tool('Task', 'own', {
    description: may.words,
    prompt: words,
    subagent_type: may.words,
    model: may.words,
    readonly: may.flag,
    resume: may.words,
    run_in_background: may.flag,
  }),
];
