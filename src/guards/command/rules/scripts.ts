// What the files that a command runs would do, weighed by who wrote them: an agent's code counts as if it had been typed,
// the user's own only with what no user could want.

import type { Finding } from '../../../core/index.ts';
import type { Script } from '../scripts/read.ts';
import { isWithin } from '../where.ts';
import { type RuleInput, relayed } from './rule.ts';

/** Rules about how a command runs, which are asked about the command itself. */
const ofTheCommand: ReadonlySet<string> = new Set([
  ...['no_sandbox', 'no_undo', 'plan_mode_change', 'command_not_allowed', 'flag_not_allowed'],
  ...['path_traversal', 'absolute_path', 'symlink_escape', 'unparsed_command'],
]);

/** What counts in code of the user's own, or of others that the user took: attacks, and what cannot be had again. */
const grave: ReadonlySet<string> = new Set([
  ...[
    'mass_deletion',
    'home_deletion',
    'raw_disk_write',
    'filesystem_format',
    'storage_destruction',
    'fork_bomb',
  ],
  ...['remote_code_execution', 'reverse_shell', 'backdoor', 'secret_exfiltration', 'guard_tampering'],
]);

/** The findings about what a command runs, at the place in the command that runs it. */
export function scriptFindings(
  scripts: readonly Script[],
  ruleInput: RuleInput,
  judge: (ruleInput: RuleInput) => readonly Finding[],
): readonly Finding[] {
  return scripts.flatMap((script) => {
    const { facts, source, cwd, author } = script;
    const inner: RuleInput = {
      ...ruleInput,
      ...{ facts, source, places: new Map() },
      pathScope: { ...ruleInput.pathScope, cwd },
    };
    const counts = ({ rule, decision }: Finding): boolean =>
      author === 'agent' ? !ofTheCommand.has(rule) : decision === 'block' && grave.has(rule);
    return judge(inner)
      .filter(counts)
      .map((finding) => relayed(ruleInput, finding, script.span, placeOf(script, finding, ruleInput)));
  });
}

/** Where in which file, for a sentence. */
function placeOf({ path, source }: Script, { span = [0, 0] }: Finding, { pathScope }: RuleInput): string {
  const { workspace } = pathScope;
  const name = isWithin(path, workspace) && path !== workspace ? path.slice(workspace.length + 1) : path;
  const line = source.slice(0, span[0]).split('\n').length;
  const text = (source.slice(...span).split('\n')[0] ?? '').trim().slice(0, 60);
  return `'${name}' runs '${text === '' ? `line ${line}` : text}'`;
}
