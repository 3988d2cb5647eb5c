// Rule: a command that destroys more files than its text says is shown to a person before that counts. Such a command ran
// on an overlay, and its changes are judged as one write.

import type { ActionOf, Example, Finding, Given, Rule } from '../../../core/index.ts';
import { hit, shown } from './finding.ts';

/** How many files a command may delete or overwrite unasked; undo restores them. */
const mostDestroyed = 5;

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `src/${at}.ts`);

function deletions(count: number, by: Pick<ActionOf<'write'>, 'by' | 'unasked'>): Example {
  const changes = names(count).map((path) => ({ op: 'delete' as const, path }));
  return { action: { kind: 'write', changes, ...by } };
}

const overwritten = (files: Given['files'] = {}, text?: string): Example => ({
  action: {
    kind: 'write',
    by: 'command',
    changes: names(6).map((path) => ({
      ...{ op: 'edit' as const, path },
      ...(text === undefined ? {} : { content: text }),
    })),
  },
  given: { files },
});

const filled = (text: string): Given['files'] => Object.fromEntries(names(6).map((path) => [path, text]));

const destroys: Rule = {
  id: 'command_destroys',
  guard: 'write',
  decision: 'approve',
  reason: `The command deleted or overwrote more than ${mostDestroyed} files, and its text does not say so.`,
  suggestion: 'Check the list of files; delete them with a command that names them.',
  examples: {
    hit: [
      deletions(6, { by: 'command' }),
      overwritten(filled('text\n')),
      overwritten(filled('text\n'), ''),
      overwritten(filled('a\nb\nc\nd\ne\n'), 'PWNED\n'),
    ],
    miss: [
      deletions(5, { by: 'command' }),
      deletions(6, {}),
      overwritten(),
      overwritten(filled('1.0.0\n'), '1.0.1\n'),
      overwritten(filled('a\nb\nc\nd\ne\n'), '  a\n  f\n'),
      overwritten(filled(' \n'), ''),
    ],
  },
};

const deletes: Rule = {
  id: 'command_deletes',
  guard: 'write',
  decision: 'approve',
  reason: 'The command deleted files of the workspace, or discarded changes of them.',
  suggestion: 'Check the list of files; delete single ones by name.',
  contract: 'AG-TOOL-4',
  examples: {
    hit: [deletions(1, { by: 'command', unasked: true })],
    miss: [
      deletions(1, { by: 'command' }),
      {
        action: {
          ...{ kind: 'write', by: 'command', unasked: true },
          changes: [{ op: 'create', path: 'a.txt', content: 'a\n' }],
        },
      },
    ],
  },
};

/** The rules on what commands do. */
export const commandRules: readonly Rule[] = [destroys, deletes];

/** What a command deleted or changed whose own text asks about that: nobody was asked before it ran. */
export function deletedFindings(deleted: readonly string[], edited: readonly string[]): readonly Finding[] {
  const said = [
    ...(deleted.length === 0 ? [] : [`deletes ${filesIn(deleted)}`]),
    ...(edited.length === 0 ? [] : [`replaces what is in ${filesIn(edited)}`]),
  ];
  return said.length === 0
    ? []
    : [hit(deletes, `The command ${said.join(' and ')}.`, { pointer: '/changes' })];
}

/** What a command destroyed: files that are gone, and texts that are empty now. */
export function destroyedFindings(
  deleted: readonly string[],
  replaced: readonly string[],
  emptied: readonly string[],
): readonly Finding[] {
  if (deleted.length + replaced.length + emptied.length <= mostDestroyed) return [];
  const said = [
    ...(deleted.length === 0 ? [] : [`deletes ${filesIn(deleted)}`]),
    ...(replaced.length === 0 ? [] : [`overwrites ${filesIn(replaced)} with what is no text`]),
    ...(emptied.length === 0 ? [] : [`leaves nothing of what was in ${filesIn(emptied)}`]),
  ];
  return [hit(destroys, `The command ${said.join(' and ')}.`, { pointer: '/changes' })];
}

/** How many files there are, and the folder that all of them are in. */
export function filesIn(paths: readonly string[]): string {
  const [first = ''] = paths;
  let folder = first.slice(0, first.lastIndexOf('/') + 1);
  while (folder !== '' && !paths.every((path) => path.startsWith(folder)))
    folder = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1);
  const count = `${paths.length} file${paths.length === 1 ? '' : 's'}`;
  return folder === '' ? count : `${count} in ${shown(folder)}`;
}
