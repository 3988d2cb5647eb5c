// Law: a command starts in the workspace, wherever the call says that it should.

import { type Finding, type Rule, visible } from '../../../core/index.ts';
import { call, hit } from './finding.ts';

const folderOutside: Rule = {
  id: 'folder_outside',
  guard: 'tool',
  decision: 'block',
  reason: 'A command that starts outside the workspace is judged against the wrong folder.',
  suggestion: 'Leave the folder out, or name one of the workspace.',
  examples: {
    hit: [
      call('shell', { command: ['ls'], workdir: '/etc' }),
      call('run_shell_command', { command: 'ls', directory: '../other' }),
    ],
    miss: [
      call('shell', { command: ['ls'], workdir: '/workspace/src' }),
      call('run_shell_command', { command: 'ls', directory: 'src' }),
    ],
  },
};

/** The rule on where commands start. */
export const folderRules: readonly Rule[] = [folderOutside];

/** The finding on a folder whose real path, or null where it does not exist, lies outside the workspace. */
export function folderFindings(folder: string, real: string | null, workspace: string): readonly Finding[] {
  const root = workspace === '/' ? '/' : `${workspace}/`;
  if (real !== null && (real === workspace || real.startsWith(root))) return [];
  return [hit(folderOutside, `The folder ${visible(folder, 120)} does not lie in the workspace.`)];
}
