// Programs that copy, move and link files.

import type { Effect, Value } from '../../effects.ts';
import {
  after,
  beginningOf,
  type Call,
  changeMode,
  contentOf,
  effect,
  fromInput,
  landingPlace,
  literal,
  mapValue,
  pathTarget,
  read,
  remove,
  textOf,
  unknownValue,
  within,
  write,
} from '../../tools/tool.ts';
import type { Card, Fact, Given } from '../card.ts';
import { factFor } from '../examples.ts';

interface Carried {
  readonly sources: readonly Value[];
  readonly destination: Value;
  readonly intoFolder: boolean;
}

/** What is moved or copied, and to where: into `-t FOLDER`, or to the last operand. Null where either is missing. */
function carriedBy({ operands, last }: Given<Value>): Carried | null {
  const folder = last('target-directory');
  const sources = folder ? operands : operands.slice(0, -1);
  const destination = folder ?? operands.at(-1);
  if (!destination || sources.length === 0) return null;
  return { sources, destination, intoFolder: folder !== undefined || sources.length > 1 };
}

/** Sources beyond these end up like those. */
const mostLandings = 16;

/** Where copied or moved files end up: a folder that is clearly one takes the names of the sources. */
function landings(
  call: Call,
  { sources, destination, intoFolder }: Carried,
  detail: string,
): readonly Effect[] {
  return sources.slice(0, mostLandings).flatMap((source) =>
    write(call, landingPlace(call, source, destination, intoFolder), {
      detail,
      content: contentOf(source),
    }),
  );
}

/** Devices that give bytes for ever. */
const endlessDevice = /^\/dev\/(?:zero|u?random|full)$/;

const moves: Card = {
  names: 'mv gmv',
  options: 't/target-directory= S/suffix=',
  readings: { valued: 't target-directory S suffix' },
  facts: [
    {
      what: 'takes files from where they are',
      effects: (call, given) => {
        const carried = carriedBy(given);
        if (carried === null) return [];
        const lost = /^\/dev\/(?!shm\/)/.test(beginningOf(carried.destination));
        return carried.sources.flatMap((path) => [
          ...remove(call, path, { detail: 'move', recursive: true, reversible: !lost }),
          ...read(call, path, { detail: 'move' }).filter(({ kind }) => kind === 'secret'),
        ]);
      },
      examples: {
        hit: {
          'mv a .env c':
            'delete a (move) recursive reversible; delete .env (move) recursive reversible; secret .env (environment)',
          'mv a /dev/null': 'delete a (move) recursive',
          'mv a /dev/shm/b': 'delete a (move) recursive reversible',
          'mv -t d a': 'delete a (move) recursive reversible',
        },
        miss: ['mv a', 'mv -t d'],
      },
    },
    {
      what: 'puts files to where they are moved',
      effects: (call, given) => {
        const carried = carriedBy(given);
        return carried === null ? [] : landings(call, carried, 'move');
      },
      examples: {
        hit: {
          'mv a b': 'write b (move) = a',
          'mv a b/': 'write b/a (move) = a',
          'mv a b c': 'write c/a (move) = a; write c/b (move) = b',
          'mv --target-directory=d a': 'write d/a (move) = a',
          'mv -S x a ~/.bashrc': 'write ~/.bashrc (move) = a; persist ~/.bashrc (shell-start)',
        },
        miss: ['mv a', 'mv -t d'],
      },
    },
  ],
};

const copying: readonly Fact[] = [
  {
    what: 'reads files',
    effects: (call, given) => {
      const recursive = given.has('recursive', 'archive');
      return (carriedBy(given)?.sources ?? []).flatMap((path) => read(call, path, { recursive }));
    },
    examples: {
      hit: {
        '% a b': 'read a',
        '% -<a r R> a b': 'read a recursive',
        '% --<archive recursive> a b': 'read a recursive',
        '% -t d .env': 'read .env; secret .env (environment)',
      },
      miss: ['% a', '% -t d'],
    },
  },
  {
    what: 'fills the disk from a device that gives bytes for ever',
    effects: (call, given) => {
      const sources = given.has('recursive', 'archive') ? [] : (carriedBy(given)?.sources ?? []);
      return sources.some((path) => endlessDevice.test(textOf(path) ?? ''))
        ? [effect(call, 'bomb', { detail: 'disk' })]
        : [];
    },
    examples: {
      hit: { '% /dev/<zero random urandom full> a': 'bomb (disk)' },
      miss: ['% -r /dev/zero a', '% -a /dev/zero a', '% /dev/null a', '% a /dev/zero'],
    },
  },
  {
    what: 'writes the copies',
    effects: (call, given) => {
      const carried = carriedBy(given);
      if (carried === null) return [];
      const secret = carried.sources.some((path) => read(call, path).some(({ kind }) => kind === 'secret'));
      return landings(call, carried, 'copy').map((made) =>
        made.kind === 'write' && secret ? { ...made, origins: ['secret'] } : made,
      );
    },
    examples: {
      hit: {
        '% a b': 'write b (copy) = a',
        '% a b c': 'write c/a (copy) = a; write c/b (copy) = b',
        '% -t d a': 'write d/a (copy) = a',
        '% .env b': 'write b (copy) = .env from secret',
        '% a /dev/sda': 'device /dev/sda (copy) = a',
      },
      miss: ['% a', '% -t d'],
    },
  },
];

const copies: Card = {
  names: 'cp gcp',
  options: 'a/archive r/R/recursive t/target-directory= S/suffix= no-preserve= sparse=',
  readings: { valued: 't target-directory S suffix no-preserve sparse', flags: 'a archive r R recursive' },
  facts: copying.map((fact) => factFor('cp', fact)),
};

const ditto: Card = {
  names: 'ditto',
  options: 'a/archive r/R/recursive t/target-directory= S/suffix= arch= bom= zlibCompressionLevel=',
  readings: {
    valued: 't target-directory S suffix arch bom zlibCompressionLevel',
    flags: 'a archive r R recursive',
  },
  facts: copying.map((fact) => factFor('ditto', fact)),
};

/** A mode with the set-user or set-group bit. */
const setsIdentity = /^[0-7]?[2467][0-7]{3}$|s/;

const installs: Card = {
  names: 'install ginstall',
  options: 'd/directory g/group= m/mode= o/owner= strip-program= S/suffix= t/target-directory=',
  readings: {
    valued: 'g group m mode o owner strip-program S suffix t target-directory',
    flags: 'd directory',
  },
  facts: [
    {
      what: 'makes folders',
      effects: (call, given) =>
        given.has('directory')
          ? given.operands.flatMap((path) => write(call, path, { detail: 'create' }))
          : [],
      examples: {
        hit: {
          'install -d a b': 'write a (create); write b (create)',
          'install --directory -m 755 a': 'write a (create)',
        },
        miss: ['install a b'],
      },
    },
    {
      what: 'copies files',
      effects: (call, given) => {
        const carried = given.has('directory') ? null : carriedBy(given);
        return carried === null
          ? []
          : [...carried.sources.flatMap((path) => read(call, path)), ...landings(call, carried, 'copy')];
      },
      examples: {
        hit: {
          'install a b': 'read a; write b (copy) = a',
          'install -o me -g us -t d a': 'read a; write d/a (copy) = a',
        },
        miss: ['install -d a b', 'install a'],
      },
    },
    {
      what: 'sets the rights of the copies',
      effects: (call, given) => {
        const mode = given.last('mode');
        const carried = given.has('directory') ? null : carriedBy(given);
        if (carried === null || mode === undefined) return [];
        const path = carried.destination;
        return [
          ...changeMode(call, path, { detail: beginningOf(mode) }),
          ...(setsIdentity.test(beginningOf(mode))
            ? [effect(call, 'privilege', { detail: 'setuid', target: pathTarget(path) })]
            : []),
        ];
      },
      examples: {
        hit: {
          'install -m 755 a b': 'mode b (755)',
          'install --mode=4755 a b': 'mode b (4755); privilege b (setuid)',
          'install -m u+s a b': 'mode b (u+s); privilege b (setuid)',
        },
        miss: ['install a b', 'install -d -m 4755 a b', 'install -m 755 a'],
      },
    },
  ],
};

/** The last part of a path. */
function nameOf(path: Value): Value {
  const name = textOf(path)?.replace(/\/+$/, '').split('/').at(-1);
  return name ? literal(name) : unknownValue;
}

/** The folder that a path is in, where it names one. */
function folderOf(path: Value): Value | undefined {
  const slash = textOf(path)?.lastIndexOf('/') ?? -1;
  return slash > 0 ? mapValue(path, (text) => text.slice(0, slash)) : undefined;
}

/** What a link leads to: with one word alone the link has its name, and is here. */
function linkedBy({ operands, last }: Given<Value>): readonly Value[] {
  return last('target-directory') || operands.length === 1 ? operands : operands.slice(0, -1);
}

const links: Card = {
  names: 'ln link',
  options: 's/symbolic f/force r/relative t/target-directory= S/suffix=',
  readings: { valued: 't target-directory S suffix', flags: 's symbolic f force r relative' },
  facts: [
    {
      what: 'leads to files',
      effects: (call, given) => linkedBy(given).flatMap((path) => read(call, path, { detail: 'link' })),
      examples: {
        hit: {
          'ln a': 'read a (link)',
          'ln a b c': 'read a (link); read b (link)',
          'ln -t d a b': 'read a (link); read b (link)',
        },
        miss: ['ln', 'ln -t d'],
      },
    },
    {
      what: 'makes links',
      effects: (call, given) => {
        const folder = given.last('target-directory');
        const destination = folder ?? (given.operands.length > 1 ? given.operands.at(-1) : undefined);
        // What a symbolic link holds is read from where the link is.
        const relative = given.has('symbolic') && !given.has('relative');
        return linkedBy(given).flatMap((path) => {
          const place = destination
            ? landingPlace(call, path, destination, folder !== undefined)
            : nameOf(path);
          const content = contentOf(relative ? within(folderOf(place), path) : path);
          const force = destination === undefined && given.has('force');
          return write(call, place, { detail: 'link', content, force });
        });
      },
      examples: {
        hit: {
          'ln a/b': 'write b (link) = a/b',
          'ln -sf a/b': 'write b (link) force = a/b',
          'ln --force a/b': 'write b (link) force = a/b',
          'ln a b': 'write b (link) = a',
          'ln a d/b': 'write d/b (link) = a',
          'ln -s a d/b': 'write d/b (link) = d/a',
          'ln --symbolic a d/b': 'write d/b (link) = d/a',
          'ln -sr a d/b': 'write d/b (link) = a',
          'ln -s --relative a d/b': 'write d/b (link) = a',
          'ln --target-directory=d a': 'write d/a (link) = a',
        },
        miss: ['ln', 'ln -t d'],
      },
    },
  ],
};

/** The operand `name=value` of dd. */
function operandOf({ args }: Call, name: string): Value | undefined {
  const found = args.findLast((argument) => beginningOf(argument).startsWith(`${name}=`));
  return found && after(found, name.length + 1);
}

/** As much as fills a disk of the usual size. */
const moreThanADisk = 100 * 1024 ** 3;

/** A size as dd takes it: `1M`, `4kB`, `2x512`. */
function sizeOf(text: string): number {
  return text.split('x').reduce((product, part) => {
    const [, number = '', unit = ''] = /^(\d+)([cwbkKMGTPE]?)(?:i?B)?$/.exec(part) ?? [];
    if (number === '') return Number.POSITIVE_INFINITY;
    const power = unit === '' ? 0 : 'KMGTPE'.indexOf(unit.toUpperCase()) + 1;
    return (
      product * Number(number) * (unit === 'b' ? 512 : unit === 'w' ? 2 : unit === 'c' ? 1 : 1024 ** power)
    );
  }, 1);
}

const dd: Card = {
  names: 'dd dcfldd dc3dd',
  options: '',
  readings: {},
  facts: [
    {
      what: 'reads a file or a device',
      effects: (call) => {
        const input = operandOf(call, 'if');
        return input ? read(call, input) : [];
      },
      examples: {
        hit: { 'dd if=a of=b': 'read a', 'dd if=.env': 'read .env; secret .env (environment)' },
        miss: ['dd of=a', 'dd if=/dev/zero'],
      },
    },
    {
      what: 'writes a file or a device',
      effects: (call) => {
        const input = operandOf(call, 'if');
        const unknown = call.args.some(({ kind }) => kind === 'unknown');
        const output = operandOf(call, 'of') ?? (unknown ? unknownValue : undefined);
        const secret = input !== undefined && read(call, input).some(({ kind }) => kind === 'secret');
        const origins = secret ? [...call.io.stdinOrigins, 'secret' as const] : call.io.stdinOrigins;
        const content = input ? contentOf(input) : fromInput;
        return output ? write(call, output, { detail: 'overwrite', origins, content }) : [];
      },
      examples: {
        hit: {
          'dd if=a of=b': 'write b (overwrite) = a',
          'dd if=.env of=b': 'write b (overwrite) = .env from secret',
          '$NETWORK | dd of=/dev/sda': 'device /dev/sda (overwrite) = - from network',
          'dd $WORDS': 'write … (overwrite) = -',
        },
        miss: ['dd if=a', 'dd if=a of=/dev/null'],
      },
    },
    {
      what: 'fills the disk from a device that gives bytes for ever',
      effects: (call) => {
        const output = operandOf(call, 'of');
        const endless = endlessDevice.test(textOf(operandOf(call, 'if')) ?? '');
        const count = textOf(operandOf(call, 'count'));
        const ends =
          count !== null && sizeOf(textOf(operandOf(call, 'bs')) ?? '512') * sizeOf(count) < moreThanADisk;
        // What is written to a device is judged as that.
        const file = output === undefined || write(call, output).some(({ kind }) => kind === 'write');
        if (!endless || ends || !file) return [];
        return [effect(call, 'bomb', { detail: 'disk', ...(output ? { target: pathTarget(output) } : {}) })];
      },
      examples: {
        hit: {
          'dd if=/dev/<zero random urandom full> of=a': 'bomb a (disk)',
          'dd if=/dev/zero': 'bomb (disk)',
          'dd if=/dev/zero of=a count=$COUNT': 'bomb a (disk)',
          'dd if=/dev/zero of=a bs=1G count=1000': 'bomb a (disk)',
        },
        miss: [
          'dd if=/dev/zero of=a count=1',
          'dd if=/dev/zero of=a bs=1M count=100',
          'dd if=/dev/zero of=a bs=4k count=1k',
          'dd if=/dev/zero of=/dev/sda',
          'dd if=a of=b',
        ],
      },
    },
  ],
};

export const cards = [moves, copies, ditto, installs, links, dd];
