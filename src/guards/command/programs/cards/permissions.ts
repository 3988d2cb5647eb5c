// Rights, owners, attributes and access lists of files.

import type { Effect, Value } from '../../effects.ts';
import {
  beginningOf,
  type Call,
  changeMode,
  effect,
  literal,
  mapValue,
  pathTarget,
  read,
  textOf,
  unknownValue,
} from '../../tools/tool.ts';
import type { Card, Fact, Given } from '../card.ts';
import { factFor } from '../examples.ts';

const isMode = /^-?(?:[0-7]{1,5}$|[ugoa]*[-+=][rwxXstugo]*(?:,|$))/;

/** A mode with the set-user or set-group bit. */
const setsIdentity = /^[0-7]?[2-7][0-7]{3}$|[ugoa]*[+=][rwxXt]*s/;

/** A mode such as `-x` or `-rw` looks like an option. */
const looksLikeOption = /^-[rwxXst]+$/;

interface Modes {
  readonly detail: string;
  readonly paths: readonly Value[];
}

/** The mode, wherever it stands, and the files that get it. */
function modesIn({ args }: Call, given: Given<Value>): Modes {
  if (given.has('reference')) return { detail: 'reference', paths: given.operands };
  const dashed = args.find((argument) => looksLikeOption.test(beginningOf(argument)));
  if (dashed !== undefined)
    return { detail: beginningOf(dashed), paths: given.operands.filter((operand) => operand !== dashed) };
  const found = given.operands.findIndex((operand) => isMode.test(beginningOf(operand)));
  const at = found < 0 && given.operands.length > 1 ? 0 : found;
  return {
    detail: beginningOf(given.operands[at] ?? unknownValue),
    paths: given.operands.filter((_, index) => index !== at),
  };
}

const options = 'R/recursive reference= from=';
const readings = { valued: 'reference from', flags: 'R recursive' };

const chmod: Card = {
  names: 'chmod gchmod',
  options,
  readings,
  facts: [
    {
      what: 'changes the rights of files',
      effects: (call, given) => {
        const { detail, paths } = modesIn(call, given);
        return paths.flatMap((path) => changeMode(call, path, { detail, recursive: given.has('recursive') }));
      },
      examples: {
        hit: {
          'chmod 755 a b': 'mode a (755); mode b (755)',
          'chmod a 755': 'mode a (755)',
          'chmod -R u+x,g-w a': 'mode a (u+x,g-w) recursive',
          'chmod --recursive go= a': 'mode a (go=) recursive',
          'chmod <-x -rw +X u=rwX a+st -s -t g=u o-o> a': 'mode a (<>)',
          'chmod --reference=b a': 'mode a (reference)',
          'chmod $MODE a': 'mode a ()',
          'chmod weird a': 'mode a (weird)',
          'chmod -- -x a': 'mode a (-x)',
          'chmod a': 'mode a ()',
        },
        miss: ['chmod', 'chmod 755'],
      },
    },
    {
      what: 'lets a program run with the rights of its owner',
      effects: (call, given) => {
        const { detail, paths } = modesIn(call, given);
        return setsIdentity.test(detail)
          ? paths.map((path) => effect(call, 'privilege', { detail: 'setuid', target: pathTarget(path) }))
          : [];
      },
      examples: {
        hit: {
          'chmod <4755 2755 04755 u+s +s g=xs> a b': 'privilege a (setuid); privilege b (setuid)',
        },
        miss: ['chmod 755 a', 'chmod 1777 a', 'chmod u-s a', 'chmod -s a', 'chmod --reference=b a'],
      },
    },
  ],
};

/** What an owner, a group or an attribute is called in the detail of the effect. */
function owning(names: string, kind: string): Card {
  const [name = ''] = names.split(' ');
  const fact: Fact = {
    what: `changes the ${kind} of files`,
    effects: (call, given) => {
      const [owner, ...others] = given.operands;
      const reference = given.has('reference');
      const detail = reference ? 'reference' : `${kind} ${beginningOf(owner ?? unknownValue) || 'unknown'}`;
      return (reference ? given.operands : others).flatMap((path) =>
        changeMode(call, path, { detail, recursive: given.has('recursive') }),
      );
    },
    examples: {
      hit: {
        '% me a b': `mode a (${kind} me); mode b (${kind} me)`,
        '% -R me a': `mode a (${kind} me) recursive`,
        '% --recursive --from=x me a': `mode a (${kind} me) recursive`,
        '% $OWNER a': `mode a (${kind} unknown)`,
        '% --reference=b a': 'mode a (reference)',
      },
      miss: ['%', '% me'],
    },
  };
  return { names, options, readings, facts: [factFor(name, fact)] };
}

const chattr: Card = {
  names: 'chattr',
  options: 'R v= p=',
  readings: { valued: 'v p', flags: 'R' },
  facts: [
    {
      what: 'changes attributes of files',
      effects: (call, given) => {
        const isFlag = (word: Value): boolean => /^[-+=][A-Za-z]+$/.test(beginningOf(word));
        const flags = call.args.filter((word) => isFlag(word) && textOf(word) !== '-R');
        const detail = `attribute ${flags.map(beginningOf).join(' ')}`;
        return given.operands
          .filter((operand) => !isFlag(operand))
          .flatMap((path) => changeMode(call, path, { detail, recursive: given.has('R') }));
      },
      examples: {
        hit: {
          'chattr +i a b': 'mode a (attribute +i); mode b (attribute +i)',
          'chattr -R -i =A a': 'mode a (attribute -i =A) recursive',
          'chattr -p 1 a': 'mode a (attribute -p)',
        },
        miss: ['chattr', 'chattr +i'],
      },
    },
  ],
};

const setfacl: Card = {
  names: 'setfacl',
  options: 'm/modify= x/remove= M/modify-file= X/remove-file= set= set-file= R/recursive restore=',
  readings: {
    valued: 'm modify x remove M modify-file X remove-file set set-file restore',
    flags: 'R recursive',
  },
  facts: [
    {
      what: 'changes the access lists of files',
      effects: (call, given) => {
        const entry = beginningOf(given.last('modify', 'set', 'remove') ?? literal(''));
        const detail = `acl ${entry}`.trim();
        return given.operands.flatMap((path) =>
          changeMode(call, path, { detail, recursive: given.has('recursive') }),
        );
      },
      examples: {
        hit: {
          'setfacl -<m x> u:me:r a': 'mode a (acl u:me:r)',
          'setfacl --<modify set remove> u:me:r a': 'mode a (acl u:me:r)',
          'setfacl -R -b a b': 'mode a (acl) recursive; mode b (acl) recursive',
          'setfacl --recursive -b a': 'mode a (acl) recursive',
        },
        miss: ['setfacl', 'setfacl -m u:me:r'],
      },
    },
  ],
};

/** Programs that put a label on a file: the last word. */
function labelling(names: string, detail: string): Card {
  const [name = ''] = names.split(' ');
  const fact: Fact = {
    what: `changes the ${detail} of a file`,
    effects: (call, given) => {
      const path = given.operands.at(-1);
      return path ? changeMode(call, path, { detail, recursive: given.has('recursive') }) : [];
    },
    examples: {
      hit: {
        '% x a': `mode a (${detail})`,
        '% -R --reference=b a': `mode a (${detail}) recursive`,
        '% --recursive --from=b a': `mode a (${detail}) recursive`,
      },
      miss: ['%', '% -R'],
    },
  };
  return { names, options, readings, facts: [factFor(name, fact)] };
}

const powers: Fact = {
  what: 'gives a program powers of the administrator',
  effects: (call, { operands }): readonly Effect[] => {
    const path = operands.at(-1);
    return path ? [effect(call, 'privilege', { detail: 'capability', target: pathTarget(path) })] : [];
  },
  examples: { hit: { 'setcap cap_net_raw+ep a': 'privilege a (capability)' }, miss: ['setcap'] },
};

const capabilities = labelling('setcap', 'capability');

const lists: Card = {
  names: 'getfacl lsattr getfattr getcap',
  options,
  readings,
  facts: [
    {
      what: 'looks at rights and attributes',
      effects: (call, { operands }) => operands.flatMap((path) => read(call, path, { detail: 'list' })),
      examples: { hit: { 'getfacl a b': 'read a (list); read b (list)' }, miss: ['lsattr'] },
    },
  ],
};

const icacls: Card = {
  names: 'icacls takeown',
  options: '',
  readings: {},
  facts: [
    {
      what: 'changes the access list of a file',
      effects: (call) => {
        const recursive = call.args.some((argument) => textOf(argument)?.toLowerCase() === '/t');
        // A drive is the root of the machine.
        const root = (path: Value): Value =>
          mapValue(path, (text) => (/^[A-Za-z]:[\\/]*$/.test(text) ? '/' : text));
        return call.args
          .slice(0, 1)
          .flatMap((path) => changeMode(call, root(path), { detail: 'acl', recursive }));
      },
      examples: {
        hit: {
          'icacls a /grant me:F': 'mode a (acl)',
          'icacls C: /grant me:F /T': 'mode / (acl) recursive',
          'icacls a /reset </t /T>': 'mode a (acl) recursive',
        },
        miss: ['icacls'],
      },
    },
  ],
};

const umask: Card = { names: 'umask', options: '', readings: {}, idle: true, facts: [] };

export const cards: readonly Card[] = [
  chmod,
  owning('chown gchown lchown', 'owner'),
  owning('chgrp', 'group'),
  owning('chflags', 'attribute'),
  chattr,
  setfacl,
  labelling('setfattr xattr', 'attribute'),
  labelling('chcon restorecon', 'context'),
  { ...capabilities, facts: [...capabilities.facts, powers] },
  lists,
  icacls,
  umask,
];
