// zip, unzip and zipinfo.

import type { Value } from '../../effects.ts';
import { literal, read, remove, write } from '../../tools/tool.ts';
import { namedOnInput, packedOrigins } from '../archives.ts';
import { type Card, type Given, shellOptions } from '../card.ts';

/** The files that go into an archive; none where some are taken out of it. */
function members(given: Given<Value>): readonly Value[] {
  return given.has('delete') ? [] : given.operands.slice(1);
}

const zip: Card = {
  names: 'zip',
  options:
    'r/recurse-paths q e/encrypt P/password= d/delete m/move u/update f/freshen j x/exclude= i/include= y/symlinks 0 1 9 o T -TT/unzip-command= b/temp-path= t= -tt= n/suffixes= s/split-size= O/output-file= v X D F -FF g l @',
  readings: {
    valued:
      'P password x exclude i include -TT unzip-command b temp-path t -tt n suffixes s split-size O output-file',
    flags:
      'r recurse-paths q e encrypt d delete m move u update f freshen j y symlinks 0 1 9 o T v X D F -FF g l @',
  },
  facts: [
    {
      what: 'packs',
      effects: (call, given) => {
        const [archive] = given.operands;
        if (!archive || given.has('delete')) return [];
        const recursive = given.has('recurse-paths');
        const named = given.has('@') ? namedOnInput(call) : [];
        const reads = [...members(given).flatMap((path) => read(call, path, { recursive })), ...named];
        const place = given.last('output-file') ?? archive;
        return [...reads, ...write(call, place, { detail: 'pack', origins: packedOrigins(reads) })];
      },
      examples: {
        hit: {
          'zip a.zip b': 'read b; write a.zip (pack)',
          '.env | zip a.zip b': 'read b; write a.zip (pack)',
          'zip -r a.zip src': 'read src recursive; write a.zip (pack)',
          'zip a.zip .env': 'read .env; secret .env (environment); write a.zip (pack) from secret',
          'zip a.zip b -O c.zip': 'read b; write c.zip (pack)',
          '.env | zip -@ a.zip': 'read .env; secret .env (environment); write a.zip (pack) from secret',
          'zip -x b a.zip c': 'read c; write a.zip (pack)',
        },
        miss: ['zip', 'zip -d a.zip b'],
      },
    },
    {
      what: 'deletes from the archive',
      effects: (call, given) => {
        const [archive] = given.operands;
        return archive && given.has('delete') ? write(call, archive, { detail: 'edit' }) : [];
      },
      examples: { hit: { 'zip -d a.zip b': 'write a.zip (edit)' }, miss: ['zip -d', 'zip a.zip b'] },
    },
    {
      what: 'deletes what it packed',
      effects: (call, given) =>
        given.has('move')
          ? members(given).flatMap((path) =>
              remove(call, path, { recursive: given.has('recurse-paths'), detail: 'pack' }),
            )
          : [],
      examples: {
        hit: { 'zip -m a.zip b': 'delete b (pack)', 'zip -rm a.zip src': 'delete src (pack) recursive' },
        miss: ['zip a.zip b', 'zip -dm a.zip b'],
      },
    },
    {
      what: 'starts a program that tests the archive',
      starts: shellOptions('unzip-command'),
      examples: {
        hit: {
          'zip a.zip b -T -TT "sh -c id"': 'shell code: sh -c id',
          'zip a.zip b -T --unzip-command=./x': 'shell code: ./x',
        },
        miss: ['zip -T a.zip b'],
      },
    },
  ],
};

const unzip: Card = {
  names: 'unzip',
  options: 'd= x o n l t Z p c f u v j q a b C L X K P= T M z A B D E F I= O= S U V W Y',
  readings: {
    valued: 'd P I O',
    flags: 'x o n l t Z p c f u v j q a b C L X K T M z A B D E F S U V W Y',
  },
  facts: [
    {
      what: 'reads the archive',
      effects: (call, given) => given.operands.slice(0, 1).flatMap((archive) => read(call, archive)),
      examples: {
        hit: { 'unzip a.zip': 'read a.zip', 'unzip -l a.zip b': 'read a.zip' },
        miss: ['unzip', 'unzip -v'],
      },
    },
    {
      what: 'unpacks',
      effects: (call, given) =>
        given.operands.length === 0 || given.has('l', 't', 'Z', 'p', 'c', 'v', 'z')
          ? []
          : write(call, given.last('d') ?? literal('.'), {
              detail: 'unpack',
              recursive: true,
              force: given.has('o'),
            }),
      examples: {
        hit: {
          'unzip a.zip': 'write . (unpack) recursive',
          'unzip -o a.zip -d d': 'write d (unpack) recursive force',
          'unzip -d/etc a.zip': 'write /etc (unpack) recursive',
        },
        miss: [
          'unzip',
          'unzip -l a.zip',
          'unzip -t a.zip',
          'unzip -Z a.zip',
          'unzip -p a.zip b',
          'unzip -c a.zip b',
          'unzip -v a.zip',
          'unzip -z a.zip',
        ],
      },
    },
  ],
};

export const cards = [zip, unzip];
