// Backups: what is carried away, what comes back over files, and what is lost for good.

import { beginningOf, effect, literal, nameTarget, read, textOf, write } from '../../tools/tool.ts';
import type { Card } from '../card.ts';
import { each } from '../service.ts';
import { among, isOneOf } from '../tables.ts';

interface Backup {
  readonly names: string;
  /** Commands that lose what was kept, and those that only look; all others but `restore` keep files. */
  readonly deletes: string;
  readonly reads: string;
  readonly examples: Readonly<Record<string, string>>;
}

const backupOptions =
  'r/repo= p/password-file= password-command= repository-file= H/host= tag= t/target= e/exclude= i/include= o/option= rsh= n/dry-run v q json keep-last= keep-daily= prune remote-path= s/stats list force list-snapshots C/compression= glob-archives= a= P/prefix= keep-within= path=';

const backupReadings = {
  valued:
    'r repo p password-file password-command repository-file H host tag t target e exclude i include o option rsh keep-last keep-daily remote-path C compression glob-archives a P prefix keep-within path',
  flags: 'n dry-run v q json prune s stats list force list-snapshots',
};

function backup({ names, deletes, reads, examples }: Backup): Card {
  const isDelete = isOneOf(deletes);
  const isRead = isOneOf(reads);
  const isRestore = isOneOf('restore | extract');
  return {
    names,
    options: backupOptions,
    readings: backupReadings,
    facts: [
      {
        what: 'starts a helper',
        effects: (call, given) =>
          given.has('dry-run')
            ? []
            : given
                .all('password-command', 'rsh')
                .map((command) => effect(call, 'run', { detail: 'helper', target: nameTarget(command) })),
        examples: among(examples, (said) => said.startsWith('run')),
      },
      {
        what: 'deletes what was kept',
        effects: (call, given) => {
          const [verb, first] = given.operands;
          const known = verb === undefined || textOf(verb) !== null;
          if (given.has('dry-run') || (known && !isDelete(given))) return [];
          const target = nameTarget(given.last('repo') ?? first);
          return [effect(call, 'cloud', { detail: 'delete', target, force: given.has('force') })];
        },
        examples: among(examples, (said) => said.startsWith('cloud')),
      },
      {
        what: 'writes back what was kept',
        effects: (call, given) =>
          given.has('dry-run') || !isRestore(given)
            ? []
            : write(call, given.last('target') ?? literal('.'), { detail: 'unpack', recursive: true }),
        examples: among(examples, (said) => said.startsWith('write')),
      },
      {
        what: 'reads files and sends them away',
        effects: (call, given) => {
          const [verb, ...rest] = given.operands;
          if (given.has('dry-run') || textOf(verb) === null) return [];
          if (isDelete(given) || isRestore(given) || isRead(given)) return [];
          const sources = rest
            .filter((path) => !beginningOf(path).includes('::'))
            .flatMap((path) => read(call, path, { recursive: true }));
          const secret = sources.some(({ kind }) => kind === 'secret');
          return [
            ...sources,
            effect(call, 'connect', {
              detail: 'upload',
              target: nameTarget(given.last('repo') ?? rest[0]),
              origins: secret ? ['secret'] : [],
            }),
          ];
        },
        examples: among(examples, (said) => /^(?:read|connect)/.test(said)),
      },
    ],
  };
}

const restic = backup({
  names: 'restic',
  deletes: 'forget | prune | unlock | key remove | key rm | cache | repair | rewrite | migrate | tag',
  reads:
    'snapshots | ls | stats | check | diff | find | version | list | cat | mount | dump | init | key list | help | generate | features',
  examples: {
    ...each(
      'restic -r a *',
      'forget | prune | unlock | key remove | key rm | cache | repair | rewrite | migrate | tag',
      'cloud a (delete)',
    ),
    ...each(
      'restic * a',
      'snapshots | ls | stats | check | diff | find | version | list | cat | mount | dump | init | key list | help | generate | features',
      '',
    ),
    "restic --password-command 'pass a' snapshots": "run 'pass a' (helper)",
    'restic --password-command a backup b --dry-run': '',
    'restic forget a --force': 'cloud a (delete) force',
    'restic forget a -n': '',
    'restic $VERB a': 'cloud a (delete)',
    restic: '',
    'restic restore latest -t d': 'write d (unpack) recursive',
    'restic extract latest': 'write . (unpack) recursive',
    'restic restore latest --dry-run': '',
    'restic backup a -r b': 'read a recursive; connect b (upload)',
    'restic backup .env -r b':
      'read .env recursive; secret .env (environment); connect b (upload) from secret',
    'restic backup x::y': 'connect x::y (upload)',
  },
});

const borg = backup({
  names: 'borg',
  deletes: 'delete | prune | compact | recreate | break-lock | rename | key change* | config | upgrade',
  reads:
    'list | info | check | diff | mount | umount | init | version | help | benchmark | key export | with-lock | serve',
  examples: {
    ...each(
      'borg -r a *',
      'delete | prune | compact | recreate | break-lock | rename | key change-x | config | upgrade',
      'cloud a (delete)',
    ),
    ...each(
      'borg * a',
      'list | info | check | diff | mount | umount | init | version | help | benchmark | key export | with-lock | serve',
      '',
    ),
    "borg list a --rsh 'ssh -i b'": "run 'ssh -i b' (helper)",
    'borg restore a': 'write . (unpack) recursive',
    'borg create -r b x::y': 'connect b (upload)',
  },
});

const duplicity = backup({
  names: 'duplicity',
  deletes: 'remove-* | cleanup | collection-delete',
  reads: 'list-current-files | collection-status | verify',
  examples: {
    ...each('duplicity -r a *', 'remove--x | cleanup | collection-delete', 'cloud a (delete)'),
    ...each('duplicity * a', 'list-current-files | collection-status | verify', ''),
    "duplicity list-current-files a --rsh 'ssh -i b'": "run 'ssh -i b' (helper)",
    'duplicity restore a': 'write . (unpack) recursive',
    'duplicity full -r b x::y': 'connect b (upload)',
  },
});

const kopia = backup({
  names: 'kopia',
  deletes:
    'snapshot delete | maintenance | repository disconnect | repository throttle | policy delete | policy remove | blob delete',
  reads:
    'snapshot list | snapshot ls | snapshot verify | repository status | policy list | policy show | content | ls | show | mount | diff',
  examples: {
    ...each(
      'kopia -r a *',
      'snapshot delete | maintenance | repository disconnect | repository throttle | policy delete | policy remove | blob delete',
      'cloud a (delete)',
    ),
    ...each(
      'kopia * a',
      'snapshot list | snapshot ls | snapshot verify | repository status | policy list | policy show | content | ls | show | mount | diff',
      '',
    ),
    "kopia snapshot list a --rsh 'ssh -i b'": "run 'ssh -i b' (helper)",
    'kopia restore a': 'write . (unpack) recursive',
    'kopia snapshot create -r b x::y': 'read create recursive; connect b (upload)',
  },
});

export const cards = [restic, borg, duplicity, kopia];
