// Backups: what is carried away, what comes back over files, and what is lost for good.

import {
  beginningOf,
  effect,
  inert,
  literal,
  nameTarget,
  options,
  orInert,
  read,
  type Tool,
  type Tools,
  textOf,
  write,
} from '../tool.ts';

const restic =
  (deletesWord: RegExp, readsWord: RegExp): Tool =>
  (call) => {
    const given = options(
      'r/repo= p/password-file= password-command= repository-file= H/host= tag= t/target= e/exclude= i/include= o/option= rsh= n/dry-run v q json keep-last= keep-daily= prune remote-path= s/stats list force list-snapshots C/compression= glob-archives= a= P/prefix= keep-within= path=',
    )(call.args);
    const [verb, ...rest] = given.operands;
    const text = textOf(verb ?? literal('help'));
    const runs = given
      .all('password-command', 'rsh')
      .map((command) => effect(call, 'run', { detail: 'helper', target: nameTarget(command) }));
    if (given.has('dry-run')) return inert(call, 'dry-run');
    const said = given.operands.slice(0, 2).map(beginningOf).join(' ');
    const target = nameTarget(given.last('repo') ?? rest[0]);
    if (text === null || deletesWord.test(said))
      return [...runs, effect(call, 'cloud', { detail: 'delete', target, force: given.has('force') })];
    if (/^(?:restore|extract)/.test(text))
      return [
        ...runs,
        ...write(call, given.last('target') ?? literal('.'), { detail: 'unpack', recursive: true }),
      ];
    if (readsWord.test(said)) return orInert(call, runs);
    const sources = rest
      .filter((path) => !beginningOf(path).includes('::'))
      .flatMap((path) => read(call, path, { recursive: true }));
    return [
      ...runs,
      ...sources,
      effect(call, 'connect', {
        detail: 'upload',
        target,
        origins: sources.some(({ kind }) => kind === 'secret') ? ['secret'] : [],
      }),
    ];
  };

/** Backups. */
export const backupTools: Tools = {
  restic: restic(
    /^(?:forget|prune|unlock|key (?:remove|rm)|cache|repair|rewrite|migrate|tag)/,
    /^(?:snapshots|ls|stats|check|diff|find|version|list|cat|mount|dump|init|key list|help|generate|features)/,
  ),
  borg: restic(
    /^(?:delete|prune|compact|recreate|break-lock|rename|key change|config|upgrade)/,
    /^(?:list|info|check|diff|mount|umount|init|version|help|benchmark|key export|with-lock|serve)/,
  ),
  duplicity: restic(
    /^(?:remove-|cleanup|collection-delete)/,
    /^(?:list-current-files|collection-status|verify)/,
  ),
  kopia: restic(
    /^(?:snapshot delete|maintenance|repository (?:disconnect|throttle)|policy (?:delete|remove)|blob delete)/,
    /^(?:snapshot (?:list|ls|verify)|repository status|policy (?:list|show)|content|ls|show|mount|diff)/,
  ),
};
