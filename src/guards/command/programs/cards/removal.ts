// Programs that make files and folders, write into them, or delete them.

import type { Value } from '../../effects.ts';
import {
  effect,
  inert,
  literal,
  read,
  remove,
  textOf,
  unknownValue,
  within,
  write,
} from '../../tools/tool.ts';
import type { Card } from '../card.ts';
import { table } from '../files.ts';

const simple = table(`
rm grm srm | r/R/recursive f/force
  deletes files: delete[recursive,force]…
    rm -rf a b → delete a recursive force; delete b recursive force
    rm -R a --force → delete a recursive force
    rm --recursive -- -x → delete -x recursive
    rm → nothing
rmdir
  deletes empty folders: delete(empty-folder)…
    rmdir -p a b → delete a (empty-folder); delete b (empty-folder)
    rmdir → nothing
unlink
  deletes a file: delete…
    unlink a b → delete a; delete b
    unlink → nothing
trash-put gtrash
  puts files where they can be taken back from: delete[+recursive,+reversible]…
    trash-put a b → delete a recursive reversible; delete b recursive reversible
    trash-put → nothing
trash | e/empty
  puts files where they can be taken back from: !empty?delete[+recursive,+reversible]…
    trash a b → delete a recursive reversible; delete b recursive reversible
    trash --empty a → nothing
rimraf del-cli
  deletes files and folders: delete[+recursive,+force]…
    rimraf a b → delete a recursive force; delete b recursive force
    rimraf → nothing
tee | a/append
  writes what it reads to files: !append?write[+input]… append?write(append)[+input]…
    $SECRET | tee a b → write a (overwrite) = - from secret; write b (overwrite) = - from secret
    $NETWORK | tee -a a b → write a (append) = - from network; write b (append) = - from network
    tee --append a → write a (append) = -
    tee → nothing
touch | d/date= r/reference= t= time= | d date r reference t time
  makes files, or sets their times: write(touch)…
    touch a b → write a (touch); write b (touch)
    touch -d 1 → nothing
mkdir | m/mode= | m mode
  makes folders: write(folder)…
    mkdir -p a b → write a (folder); write b (folder)
    mkdir → nothing
mkfifo | m/mode= | m mode
  makes a pipe: write(create)
    mkfifo a → write a (create)
    mkfifo → nothing
mknod | m/mode= | m mode
  makes a device: write(device-node)
    mknod a b 8 0 → write a (device-node)
    mknod → nothing
dos2unix unix2dos | n/newfile c/convmode= D/display-enc= | c convmode D display-enc
  changes files: !newfile?edit…
    dos2unix a b → write a (edit); write b (edit)
    dos2unix -n a b → nothing
    dos2unix --newfile a b → nothing
`);

const emptying: Card['facts'] = [
  {
    what: 'deletes what was put there',
    effects: (call, given) =>
      given.has('empty') ? remove(call, literal('~/.Trash'), { recursive: true }) : [],
    examples: {
      hit: { 'trash -e': 'delete ~/.Trash recursive', 'trash --empty': 'delete ~/.Trash recursive' },
      miss: ['trash a'],
    },
  },
];

const newFiles: Card['facts'] = [
  {
    what: 'writes new files beside those it reads',
    effects: (call, { operands, has }) =>
      has('newfile')
        ? operands.flatMap((path, at) =>
            at % 2 === 0
              ? read(call, path)
              : write(call, path, {
                  detail: 'overwrite',
                  content: { kind: 'file', path: operands[at - 1] ?? path },
                }),
          )
        : [],
    examples: {
      hit: {
        'dos2unix -n a b c d': 'read a; write b (overwrite) = a; read c; write d (overwrite) = c',
      },
      miss: ['dos2unix a b'],
    },
  },
];

const more: Readonly<Record<string, Card['facts']>> = {
  trash: emptying,
  'dos2unix unix2dos': newFiles,
};

/** Plain words: `rename FROM TO FILES` of util-linux; anything else is an expression of Perl, `rename s/a/b/ FILES`. */
const plainWord = /^[\w.-]*$/;

/** What a file is called when one part of its name is replaced; null where that is not known. */
function renamed(file: Value, from: Value, to: Value): Value | null {
  const [path, old, put] = [textOf(file), textOf(from), textOf(to)];
  if (path === null || old === null || put === null) return null;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const made = name.replace(old, () => put);
  return literal(made.startsWith('/') ? made : path.slice(0, path.length - name.length) + made);
}

const rename: Card = {
  names: 'rename prename perl-rename',
  options: 'e= E= s=',
  readings: { valued: 'e E s' },
  facts: [
    {
      what: 'renames files',
      effects: (call, given) => {
        const [first = unknownValue, second = unknownValue, ...files] = given.operands;
        const moved = (path: Value) => write(call, path, { detail: 'move' });
        if (given.has('e', 'E')) return given.operands.flatMap(moved);
        const replaces = plainWord.test(textOf(first) ?? '/') && files.length > 0;
        if (!replaces) return given.operands.slice(1).flatMap(moved);
        // A path in the place of a part of the name moves a file elsewhere.
        const elsewhere = textOf(second)?.includes('/') !== false;
        return files.flatMap((file) => {
          const made = renamed(file, first, second) ?? (elsewhere ? second : null);
          return [...moved(file), ...(made === null ? [] : moved(made))];
        });
      },
      examples: {
        hit: {
          'rename s/x/y/ a b': 'write a (move); write b (move)',
          'rename -e s/x/y/ a b': 'write a (move); write b (move)',
          'rename x a': 'write a (move)',
          'rename .txt .md a/b.txt': 'write a/b.txt (move); write a/b.md (move)',
          'rename x .y a/x': 'write a/x (move); write a/.y (move)',
          'rename a /etc/b a': 'write a (move); write /etc/b (move)',
          'rename .txt .md $X': 'write … (move)',
          'rename a /etc/b $X': 'write … (move); write /etc/b (move)',
        },
        miss: ['rename x'],
      },
    },
  ],
};

const shred: Card = {
  names: 'shred wipe scrub',
  options: 'f/force n/iterations= random-source= s/size= r R',
  readings: { valued: 'n iterations random-source s size', flags: 'f force r R' },
  facts: [
    {
      what: 'overwrites files so that nothing is left of them',
      effects: (call, given) => {
        const force = given.has('force');
        return given.operands.flatMap((path) => {
          const written = write(call, path, { detail: 'shred', force });
          if (written.length === 0) return [];
          const recursive = given.has('r', 'R');
          const gone = { detail: 'shred', force, reversible: false };
          // A device is destroyed besides; of a file that is known it is enough to say that it is deleted.
          return path.kind !== 'literal' || written.some(({ kind }) => kind === 'device')
            ? [...written, ...remove(call, path, gone)]
            : remove(call, path, { ...gone, recursive });
        });
      },
      examples: {
        hit: {
          'shred a b': 'delete a (shred); delete b (shred)',
          'shred -f -n 3 a': 'delete a (shred) force',
          'shred --force a': 'delete a (shred) force',
          'wipe -<r R> a': 'delete a (shred) recursive',
          'shred -f /dev/sda': 'device /dev/sda (shred) force; delete /dev/sda (shred) force',
          'shred $FILE': 'write … (shred); delete … (shred)',
        },
        miss: ['shred', 'shred /dev/null', 'shred -'],
      },
    },
  ],
};

const truncate: Card = {
  names: 'truncate',
  options: 'r/reference= s/size=',
  readings: { valued: 'r reference s size' },
  facts: [
    {
      what: 'cuts or lengthens files',
      effects: (call, given) => {
        const grows = textOf(given.last('size'))?.startsWith('+') === true;
        return given.operands.flatMap((path) => write(call, path, { detail: grows ? 'append' : 'truncate' }));
      },
      examples: {
        hit: {
          'truncate -s 0 a b': 'write a (truncate); write b (truncate)',
          'truncate --size=+5 a': 'write a (append)',
          'truncate -s $SIZE a': 'write a (truncate)',
        },
        miss: ['truncate -s 0'],
      },
    },
  ],
};

/** More than a disk of the usual size holds. */
const huge = /^\d+(?:\.\d+)?[TPE]|^\d{13,}|^[1-9]\d{2,}G/i;

const fallocate: Card = {
  names: 'fallocate',
  options: 'l/length= o/offset= p/punch-hole z/zero-range c/collapse-range',
  readings: { valued: 'l length o offset', flags: 'p punch-hole z zero-range c collapse-range' },
  facts: [
    {
      what: 'gives files room, or takes parts of them away',
      effects: (call, given) =>
        given.operands.flatMap((path) =>
          write(call, path, { detail: given.has('p', 'z', 'c') ? 'truncate' : 'create' }),
        ),
      examples: {
        hit: {
          'fallocate -l 1M a b': 'write a (create); write b (create)',
          'fallocate -<p z c> a': 'write a (truncate)',
          'fallocate --<punch-hole zero-range collapse-range> a': 'write a (truncate)',
        },
        miss: ['fallocate -l 1M'],
      },
    },
    {
      what: 'fills the disk',
      effects: (call, given) =>
        huge.test(textOf(given.last('length')) ?? '') ? [effect(call, 'bomb', { detail: 'disk' })] : [],
      examples: {
        hit: {
          'fallocate -l <1T 2.5TB 1PiB 1e 1000000000000 100G 100gib> a': 'bomb (disk)',
          'fallocate --length=9T a': 'bomb (disk)',
        },
        miss: ['fallocate -l 99G a', 'fallocate -l 1M a', 'fallocate a'],
      },
    },
  ],
};

const csplit: Card = {
  names: 'csplit',
  options: 'f/prefix= b/suffix-format= n/digits=',
  readings: { valued: 'f prefix b suffix-format n digits' },
  facts: [
    {
      what: 'writes the parts of a file',
      always: true,
      effects: (call, given) => [
        ...given.operands.slice(0, 1).flatMap((path) => read(call, path)),
        ...write(call, given.last('prefix') ?? literal('xx'), { detail: 'split' }),
      ],
      examples: {
        hit: {
          'csplit a /x/': 'read a; write xx (split)',
          'csplit -f p a /x/': 'read a; write p (split)',
          csplit: 'write xx (split)',
        },
        miss: [],
      },
    },
  ],
};

const temporary: Card = {
  names: 'mktemp tempfile',
  options: 'suffix= p/tmpdir=',
  readings: { valued: 'suffix p tmpdir' },
  facts: [
    {
      what: 'makes a file for a while',
      always: true,
      effects: (call, given) => {
        const folder = given.last('tmpdir');
        const name = given.operands[0] ?? literal('tmp.XXXXXX');
        return folder ? write(call, within(folder, name), { detail: 'create' }) : inert(call, 'temporary');
      },
      examples: {
        hit: {
          'mktemp -d a.XXX': 'inert (temporary)',
          'mktemp --suffix x': 'inert (temporary)',
          'mktemp -p b a.XXX': 'write b/a.XXX (create)',
          'mktemp --tmpdir=b': 'write b/tmp.XXXXXX (create)',
        },
        miss: [],
      },
    },
  ],
};

const patch: Card = {
  names: 'patch',
  options:
    'p/strip= i/input= d/directory= o/output= r/reject-file= B/prefix= z/suffix= F/fuzz= D/ifdef= dry-run',
  readings: {
    valued: 'p strip i input d directory o output r reject-file B prefix z suffix F fuzz D ifdef',
    flags: 'dry-run',
  },
  facts: [
    {
      what: 'changes files as a text says',
      always: true,
      effects: (call, given) => {
        if (given.has('dry-run')) return inert(call, 'dry-run');
        const input = given.last('input') ?? given.operands[1];
        const target = given.last('output') ?? given.operands[0] ?? given.last('directory') ?? literal('.');
        return [
          ...(input ? read(call, input) : []),
          ...write(call, target, { detail: 'edit', origins: call.io.stdinOrigins }),
        ];
      },
      examples: {
        hit: {
          'patch -p1': 'write . (edit)',
          '$NETWORK | patch -p1': 'write . (edit) from network',
          'patch -d b -i a': 'read a; write b (edit)',
          'patch b a': 'read a; write b (edit)',
          'patch -o c b < a': 'read <; write c (edit)',
          'patch --dry-run -i a': 'inert (dry-run)',
        },
        miss: [],
      },
    },
  ],
};

export const cards: readonly Card[] = [
  ...simple.map((card) => ({ ...card, facts: [...card.facts, ...(more[card.names] ?? [])] })),
  rename,
  shred,
  truncate,
  fallocate,
  csplit,
  temporary,
  patch,
];
