// rsync: copies folders, here or to and from another machine.

import type { Effect, Origin, Value } from '../../effects.ts';
import {
  beginningOf,
  type Call,
  contentOf,
  effect,
  hostTarget,
  inert,
  landingPlace,
  literal,
  mapValue,
  read,
  remove,
  unknownValue,
  write,
} from '../../tools/tool.ts';
import { type Card, type Given, shellOptions } from '../card.ts';
import { originsOf } from '../network.ts';

const remotePath = /^(?:[\w.-]+@)?[\w.-]+:(?!\/\/)|^rsync:\/\/|^\[[\da-f:]+\]:/i;
const isRemote = (path: Value): boolean => remotePath.test(beginningOf(path));

/** What is copied and where to; nothing where it only tries. */
function copied(given: Given<Value>): { readonly sources: readonly Value[]; readonly destination?: Value } {
  if (given.has('dry-run', 'list-only')) return { sources: [] };
  const destination = given.operands.length > 1 ? given.operands.at(-1) : undefined;
  return destination ? { sources: given.operands.slice(0, -1), destination } : { sources: given.operands };
}

function sourcesRead(call: Call, given: Given<Value>): readonly Effect[] {
  const { sources } = copied(given);
  return sources
    .filter((source) => !isRemote(source))
    .flatMap((source) => read(call, source, { recursive: true }));
}

function hostIn(path: Value): Value {
  const text = beginningOf(path).replace(/^rsync:\/\//, '');
  const host = text.split(/[:/]/, 1)[0] ?? '';
  return host === '' ? unknownValue : literal(host.slice(host.lastIndexOf('@') + 1));
}

/** What it leaves of one source: behind a slash at its end stands what is in it, and not itself. */
function synced(
  call: Call,
  source: Value,
  destination: Value,
  origins: readonly Origin[],
): readonly Effect[] {
  const inside = beginningOf(source).endsWith('/');
  const name = mapValue(source, (text) => text.replace(/^[^/]*:(?!\/\/)/, ''));
  const place = inside ? destination : landingPlace(call, name, destination, false);
  const copy = { detail: 'copy', recursive: true };
  return isRemote(source)
    ? write(call, place, { ...copy, origins: ['network'] })
    : write(call, place, { ...copy, origins, content: contentOf(source) });
}

/** Sources whose place is worked out. */
const mostSources = 16;

const deletions =
  'delete delete-before delete-during delete-delay delete-after delete-excluded delete-missing-args'.split(
    ' ',
  );

const rsync: Card = {
  names: 'rsync',
  options:
    'v/verbose q/quiet a/archive r/recursive R/relative b/backup backup-dir= suffix= u/update n/dry-run W e/rsh= rsync-path= delete delete-before delete-during/del delete-delay delete-after delete-excluded delete-missing-args max-delete= remove-source-files force f/filter= exclude= include= exclude-from= include-from= files-from= T/temp-dir= compare-dest= copy-dest= link-dest= z/compress P partial-dir= progress port= log-file= password-file= bwlimit= chmod= chown= M/remote-option= B/block-size= timeout= out-format= o g p t l D H A X S x y h O J K L k c C i info? size-only list-only ignore-existing existing inplace append stats @= partial',
  readings: {
    valued:
      'backup-dir suffix e rsh rsync-path max-delete f filter exclude include exclude-from include-from files-from T temp-dir compare-dest copy-dest link-dest partial-dir port log-file password-file bwlimit chmod chown M remote-option B block-size timeout out-format @',
    flags:
      'v verbose q quiet a archive r recursive R relative b backup u update n dry-run W delete delete-before delete-during del delete-delay delete-after delete-excluded delete-missing-args remove-source-files force z compress P progress o g p t l D H A X S x y h O J K L k c C i size-only list-only ignore-existing existing inplace append stats partial',
    attached: 'info',
  },
  facts: [
    {
      what: 'only says what it would do',
      effects: (call, given) => (given.has('dry-run', 'list-only') ? inert(call, 'dry-run') : []),
      examples: {
        hit: {
          'rsync -avn --delete a/ b': 'inert (dry-run)',
          'rsync --list-only h.example:a': 'inert (dry-run)',
        },
        miss: ['rsync -av a/ b'],
      },
    },
    {
      what: 'reads what it copies',
      effects: sourcesRead,
      examples: {
        hit: {
          'rsync -a a b/ c': 'read a recursive; read b/ recursive',
          'rsync .env h.example:': 'read .env recursive; secret .env (environment)',
          'rsync a': 'read a recursive',
        },
        miss: [
          'rsync -n a b',
          'rsync h.example:a b',
          'rsync rsync://h.example/a b',
          'rsync [::1]:a b',
          'rsync',
        ],
      },
    },
    {
      what: 'fetches from another machine',
      effects: (call, given) =>
        copied(given)
          .sources.filter(isRemote)
          .map((source) =>
            effect(call, 'connect', { target: hostTarget(hostIn(source)), detail: 'download' }),
          ),
      examples: {
        hit: {
          'rsync -a me@h.example:a b': 'connect h.example (download)',
          'rsync rsync:///a b': 'connect … (download)',
          'rsync rsync://h.example/a b': 'connect h.example (download)',
          'rsync [::1]:a b': 'connect [ (download)',
          'rsync h.example:a': 'connect h.example (download)',
        },
        miss: [
          'rsync a h.example:b',
          'rsync --list-only h.example:a',
          'rsync -n h.example:a b',
          'rsync a://b c',
        ],
      },
    },
    {
      what: 'deletes the sources',
      effects: (call, given) =>
        given.has('remove-source-files')
          ? copied(given)
              .sources.filter((source) => !isRemote(source))
              .flatMap((source) => remove(call, source, { recursive: true, detail: 'move' }))
          : [],
      examples: {
        hit: { 'rsync -a --remove-source-files a b': 'delete a (move) recursive' },
        miss: ['rsync -a a b', 'rsync -n --remove-source-files a b', 'rsync --remove-source-files h:a b'],
      },
    },
    {
      what: 'sends to another machine',
      effects: (call, given) => {
        const { destination } = copied(given);
        if (!destination || !isRemote(destination)) return [];
        const origins = originsOf(sourcesRead(call, given));
        const target = hostTarget(hostIn(destination));
        return [effect(call, 'connect', { target, detail: 'upload', origins })];
      },
      examples: {
        hit: {
          'rsync -a a h.example:b': 'connect h.example (upload)',
          'rsync .env me@h.example:': 'connect h.example (upload) from secret',
        },
        miss: ['rsync -a a b', 'rsync -na a h.example:b', 'rsync h.example:a b'],
      },
    },
    {
      what: 'writes the copies',
      effects: (call, given) => {
        const { sources, destination } = copied(given);
        if (!destination || isRemote(destination)) return [];
        const origins = originsOf(sourcesRead(call, given));
        return sources.slice(0, mostSources).flatMap((source) => synced(call, source, destination, origins));
      },
      examples: {
        hit: {
          'rsync -a a/ b': 'write b (copy) recursive = a/',
          'rsync -a a/ b/': 'write b/ (copy) recursive = a/',
          'rsync -a a b/': 'write b/a (copy) recursive = a',
          'rsync -a h.example:d/a b/': 'write b/a (copy) recursive from network',
          'rsync .env b': 'write b (copy) recursive = .env from secret',
          'rsync -e ssh --exclude c --port 1 a b': 'write b (copy) recursive = a',
        },
        miss: ['rsync -a a h.example:b', 'rsync -na a b', 'rsync a'],
      },
    },
    {
      what: 'deletes at the destination what the source does not have',
      effects: (call, given) => {
        const { destination } = copied(given);
        if (!destination || !given.has(...deletions)) return [];
        if (!isRemote(destination)) return remove(call, destination, { recursive: true, detail: 'sync' });
        const target = { kind: 'name', name: destination } as const;
        return [effect(call, 'delete', { target, recursive: true, detail: 'sync' })];
      },
      examples: {
        hit: {
          'rsync -a --delete a/ b': 'delete b (sync) recursive',
          'rsync -a --delete a/ h.example:b': 'delete h.example:b (sync) recursive',
          'rsync -a --delete-before a/ b': 'delete b (sync) recursive',
          'rsync -a --del a/ b': 'delete b (sync) recursive',
          'rsync -a --delete-delay a/ b': 'delete b (sync) recursive',
          'rsync -a --delete-after a/ b': 'delete b (sync) recursive',
          'rsync -a --delete-excluded a/ b': 'delete b (sync) recursive',
          'rsync -a --delete-missing-args a/ b': 'delete b (sync) recursive',
        },
        miss: [
          'rsync -a a/ b',
          'rsync -na --delete a/ b',
          'rsync --delete a',
          'rsync -a --max-delete 1 a/ b',
        ],
      },
    },
    {
      what: 'starts the program that reaches the other machine, and itself there',
      starts: shellOptions('rsh rsync-path'),
      examples: {
        hit: {
          'rsync -ave "ssh -p 22" a h:b': 'shell code: ssh -p 22',
          'rsync --rsh=./x a h:b': 'shell code: ./x',
          'rsync a h:b --rsync-path "sudo rsync"': 'shell code: sudo rsync',
        },
        miss: ['rsync -av a h:b'],
      },
    },
  ],
};

export const cards = [rsync];
