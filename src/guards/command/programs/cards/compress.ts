// gzip and its kin: programs that compress single files, and those that only show what is in them.

import type { Value } from '../../effects.ts';
import { beginningOf, type Call, contentOf, mapValue, read, write } from '../../tools/tool.ts';
import type { Card, Given, Readings } from '../card.ts';

const options =
  'c/stdout/to-stdout d/decompress/uncompress k/keep f/force l/list t/test S/suffix= o= output-dir-flat= r/recursive n q v N a 1 2 3 4 5 6 7 8 9 T/threads= rm z D= M/memlimit= F/format= p/processes= m b= e Q';
const readings: Readings = {
  valued: 'S suffix o output-dir-flat T threads D M memlimit F format p processes b',
  flags:
    'c stdout to-stdout d decompress uncompress k keep f force l list t test r recursive n q v N a 1 2 3 4 5 6 7 8 9 rm z m e Q',
};

/** Whether files are written: not where the result goes to the standard output, or is only looked at. */
const changes = (given: Given<Value>): boolean => !given.has('stdout', 'list', 'test');

/** The name of the file that comes out of a compressed one. */
function unpackedName(path: Value): Value {
  return mapValue(path, (text) =>
    text
      .replace(/\.(?:t(?:gz|bz2|xz|zst))$/, '.tar')
      .replace(/\.(?:gz|bz2|xz|lzma|zst|lz4|lz|lzo|br|Z|z)$/, ''),
  );
}

/** Whether the compressed file stays beside the other. */
function keeps({ program }: Call, given: Given<Value>): boolean {
  return /^(?:un)?(?:zstd|lz4)|^brotli/.test(program) ? !given.has('rm') : given.has('keep');
}

const compress: Card = {
  names:
    'gzip gunzip pigz unpigz bzip2 bunzip2 pbzip2 lbzip2 xz unxz pixz lzma unlzma lzip lzop zstd unzstd pzstd lz4 unlz4 brotli compress uncompress',
  options,
  readings,
  facts: [
    {
      what: 'reads files',
      effects: (call, given) =>
        given.operands.flatMap((path) => read(call, path, { recursive: given.has('recursive') })),
      examples: {
        hit: {
          'gzip a': 'read a',
          'xz -r d': 'read d recursive',
          'zstd -dc .env': 'read .env; secret .env (environment)',
        },
        miss: ['gzip', 'gzip -c -'],
      },
    },
    {
      what: 'unpacks to the name without the ending',
      effects: (call, given) =>
        changes(given) && (given.has('decompress') || /^un|unzip2?$/.test(call.program))
          ? given.operands.flatMap((path) => {
              const plain = unpackedName(path);
              if (beginningOf(plain) === beginningOf(path)) return [];
              return write(call, plain, { detail: 'create', content: contentOf(path) });
            })
          : [],
      examples: {
        hit: {
          'gunzip a.sh.gz b.tgz': 'write a.sh (create) = a.sh.gz; write b.tar (create) = b.tgz',
          'bzip2 -d a.bz2 b.tbz2': 'write a (create) = a.bz2; write b.tar (create) = b.tbz2',
          'unxz a.xz b.txz c.lzma':
            'write a (create) = a.xz; write b.tar (create) = b.txz; write c (create) = c.lzma',
          'unzstd a.zst b.tzst': 'write a (create) = a.zst; write b.tar (create) = b.tzst',
          'bunzip2 a.lz4 b.lz c.lzo d.br e.Z f.z':
            'write a (create) = a.lz4; write b (create) = b.lz; write c (create) = c.lzo; write d (create) = d.br; write e (create) = e.Z; write f (create) = f.z',
        },
        miss: ['gzip a.gz', 'gunzip a', 'gunzip -c a.gz', 'unxz -l a.xz', 'unxz -t a.xz'],
      },
    },
    {
      what: 'writes the file that is named',
      effects: (call, given) => {
        const output = changes(given) ? given.last('o') : undefined;
        return output ? write(call, output, { detail: 'overwrite' }) : [];
      },
      examples: { hit: { 'zstd a -o b': 'write b (overwrite)' }, miss: ['zstd a', 'zstd -c a -o b'] },
    },
    {
      what: 'replaces a file, or puts the compressed one beside it',
      effects: (call, given) =>
        changes(given) && !given.has('o')
          ? given.operands.flatMap((path) =>
              write(call, path, {
                detail: 'compress',
                force: given.has('force'),
                ...(keeps(call, given) ? {} : { reversible: true }),
              }),
            )
          : [],
      examples: {
        hit: {
          'gzip a': 'write a (compress) reversible',
          'gzip -kf a': 'write a (compress) force',
          'xz a': 'write a (compress) reversible',
          'zstd a': 'write a (compress)',
          'zstd --rm a': 'write a (compress) reversible',
          'unlz4 a': 'write a (compress)',
          'brotli a': 'write a (compress)',
        },
        miss: ['gzip -c a', 'gzip -l a.gz', 'gzip -t a.gz', 'lz4 a -o b'],
      },
    },
  ],
};

const shown: Card = {
  names: 'zcat gzcat bzcat xzcat lzcat zstdcat lz4cat zless zmore bzless xzless zipinfo lsar rpm2cpio',
  options,
  readings,
  facts: [
    {
      what: 'reads files',
      effects: (call, given) => given.operands.flatMap((path) => read(call, path)),
      examples: {
        hit: { 'zcat a.gz': 'read a.gz', 'zipinfo .env': 'read .env; secret .env (environment)' },
        miss: ['zcat', 'zcat -'],
      },
    },
  ],
};

export const cards = [compress, shown];
