// tar: packs files into an archive and unpacks them, through programs that it can be told to start.

import { singleText } from '../../bash/values.ts';
import type { Effect, Value } from '../../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  hostOf,
  hostTarget,
  literal,
  nameTarget,
  read,
  remove,
  textOf,
  within,
  write,
} from '../../tools/tool.ts';
import { namedOnInput, packedOrigins } from '../archives.ts';
import { type Card, type Given, ofOptions, shellOptions, textWords } from '../card.ts';

type Mode = 'extract' | 'pack' | 'delete' | 'look';

function modeOf(given: Given<Value>): Mode {
  if (given.has('extract')) return 'extract';
  if (given.has('create', 'append', 'update', 'catenate')) return 'pack';
  return given.has('delete') ? 'delete' : 'look';
}

/** The folder that an archive is unpacked into; null where it goes to the standard output, or nothing is unpacked. */
function unpackedInto(given: Given<Value>): Value | null {
  if (modeOf(given) !== 'extract' || given.has('to-stdout')) return null;
  return given.last('directory') ?? given.last('one-top-level') ?? literal('.');
}

/** The files that go into an archive. */
function members(given: Given<Value>): readonly Value[] {
  return modeOf(given) === 'pack' ? given.operands.map((path) => within(given.last('directory'), path)) : [];
}

function membersRead(call: Call, given: Given<Value>): readonly Effect[] {
  return members(given).flatMap((path) => read(call, path, { recursive: true }));
}

const tar: Card = {
  names: 'tar gtar gnutar bsdtar star',
  manner: { bareBundle: true },
  options:
    'A/catenate/concatenate c/create d/diff/compare delete r/append t/list u/update x/extract/get f/file= C/directory= z/gzip/gunzip j/bzip2 J/xz Z a/auto-compress zstd lzma lz4 I/use-compress-program= O/to-stdout to-command= overwrite recursive-unlink U/unlink-first remove-files P/absolute-names T/files-from= X/exclude-from= exclude= strip-components= transform/xform= s= v/verbose w k p m/touch h/dereference W L/tape-length= F/info-script/new-volume-script= checkpoint? checkpoint-action= g/listed-incremental= N/newer= H/format= V/label= b/blocking-factor= K/starting-file= rsh-command= owner= group= mode= mtime= one-top-level? wildcards no-recursion numeric-owner same-owner suffix= backup? anchored ignore-failed-read null totals? sort= pax-option= warning= exclude-vcs l o B i n S/sparse R q sparse-version= xattrs-exclude= xattrs-include= newer-mtime= index-file= no-quote-chars= quote-chars= quoting-style= group-map= owner-map= add-file= exclude-ignore= exclude-ignore-recursive= exclude-tag= exclude-tag-all= exclude-tag-under= after-date= record-size= rmt-command= volno-file=',
  readings: {
    valued:
      'f file C directory I use-compress-program to-command T files-from X exclude-from exclude strip-components transform xform s L tape-length F info-script new-volume-script checkpoint-action g listed-incremental N newer H format V label b blocking-factor K starting-file rsh-command owner group mode mtime suffix sort pax-option warning sparse-version xattrs-exclude xattrs-include newer-mtime index-file no-quote-chars quote-chars quoting-style group-map owner-map add-file exclude-ignore exclude-ignore-recursive exclude-tag exclude-tag-all exclude-tag-under after-date record-size rmt-command volno-file',
    flags:
      'A catenate concatenate c create d diff compare delete r append t list u update x extract get z gzip gunzip j bzip2 J xz Z a auto-compress zstd lzma lz4 O to-stdout overwrite recursive-unlink U unlink-first remove-files P absolute-names v verbose w k p m touch h dereference W wildcards no-recursion numeric-owner same-owner anchored ignore-failed-read null exclude-vcs l o B i n S sparse R q',
    attached: 'checkpoint one-top-level backup totals',
  },
  facts: [
    {
      what: 'has the archive on another machine',
      effects: (call, given) => {
        const archive = given.last('file');
        if (!archive || !/^[\w.-]+(?:@[\w.-]+)?:/.test(beginningOf(archive))) return [];
        const sends = given.has('create', 'append', 'update');
        const target = hostTarget(hostOf(archive));
        return [effect(call, 'connect', { target, detail: sends ? 'upload' : 'download' })];
      },
      examples: {
        hit: {
          'tar czf backup.example:a.tgz src': 'connect backup.example (upload)',
          'tar -rf me@h.example:a.tar b': 'connect h.example (upload)',
          'tar --update --file=h.example:a.tar b': 'connect h.example (upload)',
          'tar xzf h.example:a.tgz': 'connect h.example (download)',
        },
        miss: ['tar xzf a.tgz', 'tar czf ./a:b src', 'tar c src'],
      },
    },
    {
      what: 'runs the program that reaches the other machine',
      effects: ofOptions('rsh-command', (call, shell) => [
        effect(call, 'run', { detail: 'helper', target: nameTarget(shell) }),
      ]),
      starts: shellOptions('rsh-command'),
      examples: {
        hit: {
          'tar --rsh-command=/tmp/x -f h:a -x': 'run /tmp/x (helper); shell code: /tmp/x',
          'tar xf h:a --rsh-command "sh -c id"': "run 'sh -c id' (helper); shell code: sh -c id",
        },
        miss: ['tar xf h:a'],
      },
    },
    {
      what: 'reads the names of its members from a file',
      effects: ofOptions('files-from', (call, path) =>
        textOf(path) === '-' ? namedOnInput(call) : read(call, path),
      ),
      examples: {
        hit: {
          'tar czf a.tgz -T list.txt': 'read list.txt',
          'tar cTf list.txt a.tar': 'read list.txt',
          "'.env\na.txt' | tar czf a.tgz --files-from=-": 'read .env; secret .env (environment); read a.txt',
        },
        miss: ['tar czf a.tgz -T -', 'tar czf a.tgz -X list.txt b'],
      },
    },
    {
      what: 'reads the archive',
      effects: (call, given) => {
        const archive = given.last('file');
        return archive && /^(?:extract|look)$/.test(modeOf(given)) ? read(call, archive) : [];
      },
      examples: {
        hit: {
          'tar xzf a.tgz': 'read a.tgz',
          'tar -tvf a.tar': 'read a.tar',
          'tar -xOf a.tar b': 'read a.tar',
          'tar --get --file a.tar': 'read a.tar',
          'tar -f a.tar': 'read a.tar',
        },
        miss: ['tar cf a.tar b', 'tar --delete -f a.tar b', 'tar xz', 'tar xf -'],
      },
    },
    {
      what: 'unpacks',
      effects: (call, given) => {
        const place = unpackedInto(given);
        if (place === null) return [];
        return write(call, given.has('absolute-names') ? literal('/') : place, {
          detail: 'unpack',
          recursive: true,
          force: given.has('overwrite', 'recursive-unlink'),
          origins: given.has('file') ? [] : call.io.stdinOrigins,
        });
      },
      examples: {
        hit: {
          'tar xzf a.tgz': 'write . (unpack) recursive',
          'tar xzCf d a.tgz': 'write d (unpack) recursive',
          'tar -xzf a.tgz --directory d --overwrite': 'write d (unpack) recursive force',
          'tar xf a.tar --one-top-level=d --recursive-unlink': 'write d (unpack) recursive force',
          'tar xPf a.tar': 'write / (unpack) recursive',
          '$NETWORK | tar xz': 'write . (unpack) recursive from network',
          '$NETWORK | tar xzf a.tgz': 'write . (unpack) recursive',
        },
        miss: ['tar xzOf a.tgz', 'tar tf a.tar', 'tar czf a.tgz b'],
      },
    },
    {
      what: 'deletes folders before it unpacks them',
      effects: (call, given) => {
        const place = unpackedInto(given);
        return place !== null && given.has('recursive-unlink')
          ? remove(call, place, { recursive: true, detail: 'unpack' })
          : [];
      },
      examples: {
        hit: { 'tar xf a.tar --recursive-unlink -C d': 'delete d (unpack) recursive' },
        miss: ['tar xOf a.tar --recursive-unlink', 'tar xf a.tar', 'tar cf a.tar --recursive-unlink b'],
      },
    },
    {
      what: 'packs',
      effects: (call, given) => {
        const archive = given.last('file');
        const reads = membersRead(call, given);
        if (!archive || modeOf(given) !== 'pack') return reads;
        return [...reads, ...write(call, archive, { detail: 'pack', origins: packedOrigins(reads) })];
      },
      examples: {
        hit: {
          'tar czf a.tgz src': 'read src recursive; write a.tgz (pack)',
          'tar -cf a.tar -C d .env':
            'read d/.env recursive; secret d/.env (environment); write a.tar (pack) from secret',
          'tar --append -f a.tar b': 'read b recursive; write a.tar (pack)',
          'tar -uf a.tar b': 'read b recursive; write a.tar (pack)',
          'tar -Af a.tar b.tar': 'read b.tar recursive; write a.tar (pack)',
          'tar c src': 'read src recursive',
        },
        miss: ['tar xzf a.tgz', 'tar tf a.tar src', 'tar --delete -f a.tar b'],
      },
    },
    {
      what: 'deletes what it packed',
      effects: (call, given) =>
        given.has('remove-files')
          ? members(given).flatMap((path) => remove(call, path, { recursive: true, detail: 'pack' }))
          : [],
      examples: {
        hit: {
          'tar czf a.tgz --remove-files src': 'delete src (pack) recursive',
          'tar cf a.tar -C d --remove-files b': 'delete d/b (pack) recursive',
        },
        miss: ['tar czf a.tgz src', 'tar xf a.tar --remove-files b'],
      },
    },
    {
      what: 'deletes from the archive',
      effects: (call, given) => {
        const archive = given.last('file');
        return archive && modeOf(given) === 'delete' ? write(call, archive, { detail: 'edit' }) : [];
      },
      examples: {
        hit: { 'tar --delete -f a.tar b': 'write a.tar (edit)' },
        miss: ['tar --delete b', 'tar cf a.tar b'],
      },
    },
    {
      what: 'writes what it packed into a list',
      effects: ofOptions('listed-incremental', (call, path) => write(call, path, { detail: 'overwrite' })),
      examples: {
        hit: { 'tar czf a.tgz -g state src': 'write state (overwrite)' },
        miss: ['tar czf a.tgz src'],
      },
    },
    {
      what: 'starts programs that compress, take each file, or change the volume',
      starts: shellOptions('use-compress-program to-command info-script'),
      examples: {
        hit: {
          'tar -I "sh -c id" -xf a': 'shell code: sh -c id',
          'tar --use-compress-program=./x -cf a b': 'shell code: ./x',
          'tar xf a --to-command "cat; id"': 'shell code: cat; id',
          'tar cMf a -F ./next b': 'shell code: ./next',
          'tar cMf a --new-volume-script=./next b': 'shell code: ./next',
          'tar xIf ./x a.tar': 'shell code: ./x',
          'tar -I$PROGRAM -xf a': 'shell code: …',
        },
        miss: ['tar xzf a.tgz', 'tar --zstd -cf a b'],
      },
    },
    {
      what: 'starts a program at checkpoints',
      starts: (_, given) =>
        given.all('checkpoint-action').flatMap((action) => {
          const text = singleText(action);
          return text.startsWith('exec=')
            ? [{ kind: 'code', language: 'shell', text: textWords.after(action, 'exec='.length) }]
            : [];
        }),
      examples: {
        hit: {
          'tar cf a b --checkpoint=1 --checkpoint-action=exec=./x': 'shell code: ./x',
          'tar cf a b --checkpoint-action "exec=sh -c id"': 'shell code: sh -c id',
        },
        miss: ['tar cf a b --checkpoint=1 --checkpoint-action=dot'],
      },
    },
  ],
};

export const cards = [tar];
