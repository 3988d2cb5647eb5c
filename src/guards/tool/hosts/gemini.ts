// The tools of Gemini CLI.

import { json, may, path, toolsOf, words } from './host.ts';

const tool = toolsOf('gemini');
const range = { offset: may.count, limit: may.count, start_line: may.count, end_line: may.count };
const folders = { path: may.path, dir_path: may.path };
const folderRoles = { path: 'path', dir_path: 'path' } as const;
const filters = {
  respect_git_ignore: may.flag,
  respect_gemini_ignore: may.flag,
  file_filtering_options: may.any,
  case_sensitive: may.flag,
  no_ignore: may.flag,
};

export const geminiTools = () => [
  tool(
    'run_shell_command',
    'shell',
    {
      command: words,
      description: may.words,
      directory: may.path,
      dir_path: may.path,
      is_background: may.flag,
      delay_ms: may.count,
    },
    { command: 'command', description: 'justification', directory: 'folder', dir_path: 'folder' },
  ),
  tool('read_file', 'read', { file_path: path, ...range }, { file_path: 'path' }),
  tool('read_file', 'read', { absolute_path: path, ...range }, { absolute_path: 'path' }),
  tool(
    'read_many_files',
    'read',
    {
      paths: may.list,
      include: may.any,
      exclude: may.any,
      recursive: may.flag,
      useDefaultExcludes: may.flag,
      file_filtering_options: may.any,
    },
    { paths: 'path', include: 'path' },
  ),
  tool(
    'write_file',
    'write',
    { file_path: path, content: words, ai_proposed_content: may.words, modified_by_user: may.flag },
    { file_path: 'path', content: 'content' },
  ),
  tool(
    'replace',
    'write',
    {
      file_path: path,
      old_string: words,
      new_string: words,
      instruction: may.words,
      expected_replacements: may.count,
      allow_multiple: may.flag,
      ai_proposed_content: may.words,
      modified_by_user: may.flag,
    },
    { file_path: 'path', old_string: 'old', new_string: 'new', instruction: 'justification' },
  ),
  tool('list_directory', 'read', { ...folders, ignore: may.list, ...filters }, folderRoles),
  tool('glob', 'read', { pattern: words, ...folders, ...filters }, folderRoles),
  tool('search_file_content', 'read', searchFields(), folderRoles),
  tool('grep_search', 'read', searchFields(), folderRoles),
  tool('web_fetch', 'fetch', { prompt: words }, { prompt: 'urls' }),
  tool('web_fetch', 'fetch', { url: words, prompt: may.words }, { url: 'url' }),
  tool('google_web_search', 'read', { query: words }),
  // It writes to a file that every later session reads.
  tool('save_memory', 'write', { fact: words, scope: may.words }),
  tool('write_todos', 'own', { todos: json() }),
  tool('ask_user', 'own', { questions: json() }),
  tool('activate_skill', 'own', { name: words }),
  tool('enter_plan_mode', 'own', { reason: may.words }),
  tool('exit_plan_mode', 'own', { plan_path: may.path, plan_filename: may.words }),
  tool('codebase_investigator', 'own', { objective: words }),
  tool('list_background_processes', 'own', {}),
  tool('read_background_output', 'own', { pid: json(), lines: may.count, delay_ms: may.count }),
  tool('get_internal_docs', 'own', { path: may.words }),
  tool('update_topic', 'own', { title: may.words, summary: may.words, strategic_intent: may.words }),
];

function searchFields() {
  return {
    pattern: words,
    ...folders,
    ...filters,
    include: may.words,
    include_pattern: may.words,
    exclude_pattern: may.words,
    names_only: may.flag,
    fixed_strings: may.flag,
    context: may.count,
    before: may.count,
    after: may.count,
    max_matches_per_file: may.count,
    total_max_matches: may.count,
  };
}
