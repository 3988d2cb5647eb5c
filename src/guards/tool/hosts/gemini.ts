// The tools of Gemini CLI: what each does, and what its arguments are.

import { toolsOf } from './host.ts';

const { tool: plain, form } = toolsOf('gemini');

/** Its prompt tells the model of this argument for every tool, whatever the tool's schema says. */
const everywhere = 'wait_for_previous?:flag';
const tool = (...[name, effect, roles = {}, more = '']: [string, ...Tail]) =>
  plain(name, effect, roles, `${more} ${everywhere}`);
type Tail = [effect: Parameters<typeof plain>[1], roles?: Parameters<typeof plain>[2], more?: string];

const range = 'offset?:number limit?:number start_line?:number end_line?:number';
const filters =
  'respect_git_ignore?:flag respect_gemini_ignore?:flag file_filtering_options?:any case_sensitive?:flag no_ignore?:flag';
const folders = { path: 'path', dir_path: 'path' } as const;
const search =
  'include? include_pattern? exclude_pattern? names_only?:flag fixed_strings?:flag context?:number before?:number after?:number max_matches_per_file?:number total_max_matches?:number';
const proposed = 'ai_proposed_content? modified_by_user?:flag';

export const geminiTools = () => [
  tool(
    'run_shell_command',
    'shell',
    { command: 'command', description: 'justification', directory: 'folder', dir_path: 'folder' },
    'directory?',
  ),
  tool('read_file', 'read', { file_path: 'path' }, range),
  form('read_file', 'read', `absolute_path ${range}`, { absolute_path: 'path' }),
  tool('write_file', 'write', { file_path: 'path', content: 'content' }, proposed),
  tool(
    'replace',
    'write',
    { file_path: 'path', old_string: 'old', new_string: 'new', instruction: 'justification' },
    `expected_replacements?:number ${proposed}`,
  ),
  form('list_directory', 'read', `path ignore?:list ${filters}`, folders),
  tool('list_directory', 'read', folders, filters),
  tool('glob', 'read', folders, `path? ${filters}`),
  tool('grep_search', 'read', folders, `path? ${filters} ${search}`),
  tool('web_fetch', 'fetch', { prompt: 'urls' }),
  form('web_fetch', 'fetch', `url prompt? ${everywhere}`, { url: 'url' }),
  tool('google_web_search', 'read'),
  tool('invoke_agent', 'own'),
  tool('write_todos', 'own'),
  tool('activate_skill', 'own'),
  tool('enter_plan_mode', 'own'),
  tool('exit_plan_mode', 'own', {}, 'plan_path?'),
  tool('list_background_processes', 'own'),
  tool('read_background_output', 'own', {}, 'pid:any'),
  tool('update_topic', 'own'),
  // Offered in some sessions, or by other versions.
  tool(
    'read_many_files',
    'read',
    { paths: 'path', include: 'path' },
    'paths?:list include?:any exclude?:any recursive?:flag useDefaultExcludes?:flag file_filtering_options?:any',
  ),
  tool('search_file_content', 'read', folders, `pattern path? dir_path? ${filters} ${search}`),
  // It writes to a file that every later session reads.
  tool('save_memory', 'write', {}, 'fact scope?'),
  tool('ask_user', 'own', {}, 'questions:any'),
  tool('codebase_investigator', 'own', {}, 'objective'),
  tool('get_internal_docs', 'own', {}, 'path?'),
];
