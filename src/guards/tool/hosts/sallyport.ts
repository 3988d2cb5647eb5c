// The tools of `sallyport run`, our own agent.

import { longestCommandMs } from '../../../core/index.ts';
import { integer, text } from '../../../core/shape.ts';
import { may, optional, path, toolsOf, words } from './host.ts';

const { form: tool } = toolsOf('sallyport');
const timeout = optional(integer(1, longestCommandMs));
const reason = may.words;

export const sallyportTools = () => [
  tool(
    'bash',
    'shell',
    { command: text({ min: 1 }), cwd: may.path, timeout_ms: timeout, reason },
    { command: 'command', cwd: 'folder', reason: 'justification' },
  ),
  tool(
    'runpy',
    'python',
    { source: text({ min: 1 }), timeout_ms: timeout, reason },
    { source: 'python', reason: 'justification' },
  ),
  tool(
    'read_file',
    'read',
    { path, offset: optional(integer(1, 1_000_000_000)), limit: optional(integer(1, 100_000)) },
    { path: 'path' },
  ),
  tool('write_file', 'write', { path, content: words }, { path: 'path', content: 'content' }),
  tool(
    'edit_file',
    'write',
    { path, old: text({ min: 1 }), new: words },
    { path: 'path', old: 'old', new: 'new' },
  ),
  tool('delete_file', 'write', { path, reason }, { path: 'delete', reason: 'justification' }),
];
