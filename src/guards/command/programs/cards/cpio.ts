// cpio and pax: copy files to and from archives, and from folder to folder.

import type { Effect, Value } from '../../effects.ts';
import {
  type Call,
  contentOf,
  literal,
  read,
  textOf,
  unknownValue,
  within,
  write,
} from '../../tools/tool.ts';
import { belowRoot, linesOfInput, namedOnInput } from '../archives.ts';
import { type Card, shellOptions } from '../card.ts';

/** Files that are put below a folder under the names that they have. */
function copiedBelow(call: Call, folder: Value, sources: readonly Value[]): readonly Effect[] {
  const copy = { detail: 'copy', recursive: true };
  return [
    ...write(call, folder, copy),
    ...sources.flatMap((source) => {
      const place = source.kind === 'literal' ? within(folder, belowRoot(source)) : folder;
      return write(call, place, { ...copy, content: contentOf(source) });
    }),
  ];
}

const cpio: Card = {
  names: 'cpio',
  options:
    'i/extract o/create p/pass-through t/list d/make-directories u/unconditional F/file= I= O= D/directory= v m a 0 null H/format= R/owner= E/pattern-file= L l A B c C= M= V n quiet k no-absolute-filenames rsh-command=',
  readings: {
    valued: 'F file I O D directory H format R owner E pattern-file C M rsh-command',
    flags:
      'i extract o create p pass-through t list d make-directories u unconditional v m a 0 null L l A B c V n quiet k no-absolute-filenames',
  },
  facts: [
    {
      what: 'reads the archive',
      effects: (call, given) =>
        given.has('create') ? [] : given.all('file', 'I').flatMap((path) => read(call, path)),
      examples: {
        hit: {
          'cpio -iF a.cpio': 'read a.cpio',
          'cpio -i -I a.cpio': 'read a.cpio',
          'cpio -t --file=a.cpio': 'read a.cpio',
        },
        miss: ['cpio -o -F a.cpio', 'cpio -i'],
      },
    },
    {
      what: 'reads the files whose names come in',
      effects: (call, given) => (given.has('create', 'pass-through') ? namedOnInput(call) : []),
      examples: {
        hit: { '.env | cpio -o': 'read .env; secret .env (environment)', 'a | cpio -pd d': 'read a' },
        miss: ['a | cpio -i', 'cpio -o'],
      },
    },
    {
      what: 'writes the archive',
      effects: (call, given) =>
        given.has('create')
          ? given.all('file', 'O').flatMap((path) => write(call, path, { detail: 'pack' }))
          : [],
      examples: {
        hit: { 'cpio -o -F a.cpio': 'write a.cpio (pack)', 'cpio -oO a.cpio': 'write a.cpio (pack)' },
        miss: ['cpio -i -F a.cpio', 'cpio -o'],
      },
    },
    {
      what: 'copies the files whose names come in to a folder',
      effects: (call, given) => {
        if (given.has('create') || !given.has('pass-through')) return [];
        const folder = given.operands[0] ?? given.last('directory') ?? literal('.');
        const known = textOf(call.io.stdin) !== null;
        return copiedBelow(call, folder, known ? linesOfInput(call) : [call.io.stdin]);
      },
      examples: {
        hit: {
          '/etc/a | cpio -pdm d': 'write d (copy) recursive; write d/etc/a (copy) recursive = /etc/a',
          "'a\nb' | cpio -p d":
            'write d (copy) recursive; write d/a (copy) recursive = a; write d/b (copy) recursive = b',
          'a | cpio -p': 'write . (copy) recursive; write ./a (copy) recursive = a',
          'a | cpio -p -D d': 'write d (copy) recursive; write d/a (copy) recursive = a',
          '$NAMES | cpio -p d': 'write d (copy) recursive; write d (copy) recursive = …',
        },
        miss: ['a | cpio -o', 'a | cpio -i', 'a | cpio -op d'],
      },
    },
    {
      what: 'unpacks',
      effects: (call, given) =>
        given.has('extract') && !given.has('create', 'pass-through', 'list')
          ? write(call, given.last('directory') ?? literal('.'), {
              detail: 'unpack',
              recursive: true,
              origins: call.io.stdinOrigins,
            })
          : [],
      examples: {
        hit: {
          'cpio -id': 'write . (unpack) recursive',
          '$NETWORK | cpio -i -D d': 'write d (unpack) recursive from network',
        },
        miss: ['cpio -it', 'cpio -o', 'cpio -ip d', 'cpio -io'],
      },
    },
    {
      what: 'starts the program that reaches another machine',
      starts: shellOptions('rsh-command'),
      examples: {
        hit: {
          'cpio -i -F h:a --rsh-command=./x': 'shell code: ./x',
          'cpio -i --rsh-command "sh -c id"': 'shell code: sh -c id',
        },
        miss: ['cpio -i -F h:a'],
      },
    },
  ],
};

const pax: Card = {
  names: 'pax',
  options: 'r w f= d k l v a u n i s= t o= p= b= x= E= B= U= G= T= H L X c',
  readings: {
    valued: 'f s o p b x E B U G T',
    flags: 'r w d k l v a u n i t H L X c',
  },
  facts: [
    {
      what: 'copies files to a folder',
      effects: (call, given) =>
        given.has('r') && given.has('w')
          ? copiedBelow(call, given.operands.at(-1) ?? unknownValue, given.operands.slice(0, -1))
          : [],
      examples: {
        hit: {
          'pax -rw /etc/a b d':
            'write d (copy) recursive; write d/etc/a (copy) recursive = /etc/a; write d/b (copy) recursive = b',
          'pax -rw': 'write … (copy) recursive',
          'pax -rw $FILE d': 'write d (copy) recursive; write d (copy) recursive = …',
        },
        miss: ['pax -w a', 'pax -r'],
      },
    },
    {
      what: 'packs',
      effects: (call, given) => {
        if (!given.has('w') || given.has('r')) return [];
        const archive = given.last('f');
        return [
          ...given.operands.flatMap((path) => read(call, path, { recursive: true })),
          ...(given.operands.length === 0 ? namedOnInput(call) : []),
          ...(archive ? write(call, archive, { detail: 'pack' }) : []),
        ];
      },
      examples: {
        hit: {
          'pax -wf a.pax src': 'read src recursive; write a.pax (pack)',
          '.env | pax -w': 'read .env; secret .env (environment)',
          'a | pax -w b': 'read b recursive',
        },
        miss: ['pax -rw a d', 'pax -rf a.pax', 'pax -f a.pax'],
      },
    },
    {
      what: 'reads the archive',
      effects: (call, given) => {
        const archive = given.last('f');
        return archive && !given.has('w') ? read(call, archive) : [];
      },
      examples: {
        hit: { 'pax -rf a.pax': 'read a.pax', 'pax -f a.pax': 'read a.pax' },
        miss: ['pax -wf a.pax b', 'pax -r'],
      },
    },
    {
      what: 'unpacks',
      effects: (call, given) =>
        given.has('r') && !given.has('w')
          ? write(call, literal('.'), { detail: 'unpack', recursive: true })
          : [],
      examples: {
        hit: { 'pax -rf a.pax': 'write . (unpack) recursive' },
        miss: ['pax -f a.pax', 'pax -rw a d'],
      },
    },
  ],
};

export const cards = [cpio, pax];
