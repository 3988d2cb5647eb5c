// find: looks for files; what it does to what it finds is in its actions.

import type { Inner, Call as Start } from '../../bash/executors/inner.ts';
import { inFolder, placesUnder } from '../../bash/programs.ts';
import {
  concat,
  either,
  emptyText,
  hole,
  knownText,
  mapWithHoles,
  oneOf,
  singleText,
  type Text,
} from '../../bash/values.ts';
import type { Value } from '../../effects.ts';
import {
  beginningOf,
  list,
  literal,
  read,
  remove,
  textOf,
  unknownValue,
  within,
  write,
} from '../../tools/tool.ts';
import type { Card } from '../card.ts';
import { descriptionOf } from '../options.ts';

const options =
  'name= iname= path= ipath= wholename= regex= iregex= type= xtype= size= mtime= atime= ctime= mmin= amin= cmin= newer= anewer= cnewer= user= group= uid= gid= perm= maxdepth= mindepth= inum= samefile= links= fstype= lname= ilname= regextype= printf= used= context= flags= newermt= D= fls= fprint= fprint0= fprintf= files0-from=';

/** Whether a test or an action has a value. */
const hasValue = (word: string): boolean => descriptionOf(options).byName.has(word.slice(1));

/** One test or action, with the words that belong to it. */
interface Term {
  readonly name: string;
  readonly value: Value;
  /** It is turned round. */
  readonly negated: boolean;
}

interface Search {
  readonly roots: readonly Value[];
  readonly terms: readonly Term[];
}

/** Words before the folders. */
function leading(args: readonly Value[]): number {
  let index = 0;
  for (; index < args.length; index += 1) {
    const text = beginningOf(args[index] ?? unknownValue);
    if (!/^-(?:[HLPE]|O\d?|D|X|d|s|x)$/.test(text)) break;
    if (text === '-D') index += 1;
  }
  return index;
}

/** The folders that are searched, and the expression behind them. */
function searchOf(args: readonly Value[]): Search {
  const start = leading(args);
  const behind = args.findIndex((arg, at) => at >= start && /^[-(),!]/.test(beginningOf(arg)));
  const end = behind < 0 ? args.length : behind;
  const roots = args.slice(start, end);
  const terms: Term[] = [];
  let negated = false;
  for (let index = end; index < args.length; index += 1) {
    const name = textOf(args[index] ?? unknownValue) ?? '';
    const value = args[index + 1] ?? unknownValue;
    terms.push({ name, value, negated });
    negated = /^(?:!|-not)$/.test(name);
    if (/^-(?:exec|ok)(?:dir)?$/.test(name))
      while (index < args.length && !/^(?:;|\+)$/.test(textOf(args[index] ?? unknownValue) ?? '')) index += 1;
    else if (hasValue(name)) index += name === '-fprintf' ? 2 : 1;
  }
  return { roots: roots.length === 0 ? [literal('.')] : roots, terms };
}

/** The only name that a search asks for; with an alternative, a name no longer says what is found. */
function onlyName({ terms }: Search): string | undefined {
  const names = terms.flatMap(({ name, value, negated }) => {
    const text = /^-i?(?:name|path)$|^-wholename$/.test(name) && !negated ? textOf(value) : null;
    return text === null ? [] : [text];
  });
  return isPlain(terms) && names.length === 1 ? names[0] : undefined;
}

const isPlain = (terms: readonly Term[]): boolean => !terms.some(({ name }) => /^(?:,|-o|-or)$/.test(name));

// ── The paths that it gives, as far as its words tell.

/** Tests of find that leave out what they do not fit; a kind or a depth alone leaves too much. */
const narrows =
  /^-(?:i?(?:name|path|regex|lname)|wholename|empty|size|[acm](?:min|time)|a?newer\w*|inum|samefile|links|perm|user|group|uid|gid|nouser|nogroup)$/;

/** Whether every alternative of an expression of find has a test that narrows it and is not turned round. */
function isNarrowed(words: readonly string[]): boolean {
  let narrowed = false;
  for (const [index, word] of words.entries()) {
    if (/^(?:-o|-or|,)$/.test(word)) {
      if (!narrowed) return false;
      narrowed = false;
    }
    const turned = isNot.test(words[index - 1] ?? '');
    if (narrows.test(word) && !turned && !/^[*?.]*$/.test(words[index + 1] ?? word)) narrowed = true;
  }
  return narrowed;
}

const isNot = /^(?:\\?!|-not)$/;

/** Names of files of variables, of which there are several. */
const variables = /^\*?\.env\*?$/;
const isOneName = new RegExp(`^[\\w.-]+$|${variables.source}`);

/** Whether each alternative of an expression of find asks for a whole name, and nothing is turned round. */
function isOnlyNamed(words: readonly string[]): boolean {
  let named = false;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (isNot.test(word) || word === ',') return false;
    if (/^-or?$/.test(word)) {
      if (!named) return false;
      named = false;
    } else if (/^-i?name$/.test(word) && isOneName.test(words[index + 1] ?? '')) named = true;
    // What is started has words of its own.
    if (/^-(?:exec|ok)(?:dir)?$/.test(word))
      while (index + 1 < words.length && !/^(?:\\?;|\+)$/.test(words[index] ?? '')) index += 1;
  }
  return named;
}

/** Every path that find may give. */
function foundBy(call: Start): Text {
  return placesFound(call).reduce(either);
}

/** The paths that find gives: its folders and all that is in them, where no test narrows that; then those by name. */
function placesFound({ args, folder }: Pick<Start, 'args' | 'folder'>): readonly Text[] {
  const start = args.findIndex(
    (arg) => /^(?:[-(!]|\\\()/.test(singleText(arg)) && !/^-[HLP]$|^-[OD]/.test(singleText(arg)),
  );
  const end = start === -1 ? args.length : start;
  const roots = args.slice(0, end).filter((arg) => !singleText(arg).startsWith('-'));
  const some = isNarrowed(args.slice(end).map(singleText));
  const starts = roots.length === 0 ? [knownText('.')] : roots;
  const places = starts.map((root) =>
    some
      ? placesUnder(root)
      : either(
          root,
          mapWithHoles(placesUnder(root), (path) => `${path.slice(0, -1)}*`),
        ),
  );
  // A search for names finds what is called so, among the rest.
  const named = namesSearched(args).map((name) => starts.map((root) => inFolder(root, name)).reduce(either));
  const inside = starts.every((root) => isBelow(singleText(root), folder));
  return inside && named.length > 0 && isOnlyNamed(args.map(singleText))
    ? named
    : [...(places.length > mostRoots ? [places.reduce(either)] : places), ...named];
}

/** Most folders of a search of which each is looked at by itself. */
const mostRoots = 8;

/** Whether a folder is the one that the script begins in, or lies below it. */
function isBelow(path: string, folder: string | undefined): boolean {
  if (path.includes('..') || path.includes(hole) || path === '') return false;
  const isAbsolute = /^[/~]/.test(path);
  return !isAbsolute || (folder !== undefined && folder !== '/' && `${path}/`.startsWith(`${folder}/`));
}

/** The names that `find` looks for, as far as they say how a name begins, or how it ends: one that fits stands for all. */
function namesSearched(args: readonly Text[]): readonly string[] {
  // For each group that is open, whether it is turned round.
  const turned: boolean[] = [];
  return args.slice(0, 64).flatMap((arg, index) => {
    const before = singleText(args[index - 1]);
    const text = singleText(arg);
    if (/^\\?\($/.test(text)) turned.push(isNot.test(before));
    else if (/^\\?\)$/.test(text)) turned.pop();
    const excluded = turned.some(Boolean) || isNot.test(singleText(args[index - 2]));
    if (!/^-i?name$/.test(before) || excluded) return [];
    return arg.alternatives
      .map((name) => (variables.test(name) ? '.env' : name.replace(/^\*(?=\.[^*?[]+$)/, 'x')))
      .filter((name) => /^[^*?[]/.test(name) && !name.includes(hole));
  });
}

/** A word of `find -exec` with the paths in the place of `{}`. */
function filledIn(word: Text, paths: Text): Text {
  if (!word.alternatives.some((text) => text.includes('{}'))) return word;
  return oneOf(
    word.alternatives.flatMap((text) => paths.alternatives.map((path) => text.replaceAll('{}', path))),
  );
}

const find: Card = {
  names: 'find gfind',
  options,
  manner: { wholeWords: true },
  readings: {
    valued:
      'name iname path ipath wholename regex iregex type xtype size mtime atime ctime mmin amin cmin newer anewer cnewer user group uid gid perm maxdepth mindepth inum samefile links fstype lname ilname regextype printf used context flags newermt D fls fprint fprint0 fprintf files0-from',
  },
  facts: [
    {
      what: 'looks into folders',
      always: true,
      effects: (call) => searchOf(call.args).roots.flatMap((root) => list(call, root, { recursive: true })),
      examples: {
        hit: {
          'find a b -name c': 'read a (list) recursive; read b (list) recursive',
          find: 'read . (list) recursive',
          'find -L -O2 a': 'read a (list) recursive',
          'find -D tree a': 'read a (list) recursive',
          'find -H -P -E -X -d -s -x a': 'read a (list) recursive',
          'find ( -name a )': 'read . (list) recursive',
          'find ! -name a': 'read . (list) recursive',
          'find a , b': 'read a (list) recursive',
          'find a ) b': 'read a (list) recursive',
        },
        miss: [],
      },
    },
    {
      what: 'deletes what it finds',
      effects: (call) => {
        const search = searchOf(call.args);
        if (!search.terms.some(({ name }) => name === '-delete')) return [];
        const only = onlyName(search);
        const empty = search.terms.some(({ name, negated }) => name === '-empty' && !negated);
        const more = empty && isPlain(search.terms) ? { reversible: true } : {};
        return search.roots.flatMap((root) => {
          // A single name narrows what is deleted, which matters for what a build makes again.
          const narrowed =
            only && !only.includes('/') && root.kind === 'literal' ? within(root, literal(only)) : root;
          const named = only !== undefined && /[\w-]{2}/.test(only) && !/[/\s]/.test(only);
          const detail = named ? `find ${only}` : 'find';
          return remove(call, narrowed, { recursive: true, detail, ...more }).map((one) => ({
            ...one,
            target: { kind: 'path', path: root, glob: true } as const,
          }));
        });
      },
      examples: {
        hit: {
          'find a b -delete': 'delete a (find) recursive; delete b (find) recursive',
          'find . -name node_modules -delete': 'delete . (find node_modules) recursive reversible',
          'find src -name *.bak -delete': 'delete src (find *.bak) recursive',
          'find . -iname node_modules -delete': 'delete . (find node_modules) recursive reversible',
          'find . -path node_modules -delete': 'delete . (find node_modules) recursive reversible',
          'find . -wholename node_modules -delete': 'delete . (find node_modules) recursive reversible',
          'find . -name a/node_modules -delete': 'delete . (find) recursive',
          'find . ! -name node_modules -delete': 'delete . (find) recursive',
          'find . -not -name node_modules -delete': 'delete . (find) recursive',
          'find . -name node_modules -o -delete': 'delete . (find) recursive',
          'find . -name node_modules -or -delete': 'delete . (find) recursive',
          'find . -name node_modules , -delete': 'delete . (find) recursive',
          'find . -name node_modules -name dist -delete': 'delete . (find) recursive',
          'find a -empty -delete': 'delete a (find) recursive reversible',
          'find a ! -empty -delete': 'delete a (find) recursive',
          'find a -empty -o -delete': 'delete a (find) recursive',
          'find a -exec ls {} + -delete': 'delete a (find) recursive',
          'find a -ok ls ; -delete': 'delete a (find) recursive',
          'find $ROOT -name node_modules -delete': 'delete … (find node_modules) recursive',
        },
        miss: [
          'find a -name -delete',
          'find a -exec rm -delete',
          'find a -ok rm -delete',
          'find a -type f',
          'find a -fprintf b -delete',
          'find a -execdir b -delete',
        ],
      },
    },
    {
      what: 'writes what it finds into a file',
      effects: (call) =>
        searchOf(call.args)
          .terms.filter(({ name }) => /^-(?:fls|fprint|fprint0|fprintf)$/.test(name))
          .flatMap(({ value }) => write(call, value, { detail: 'overwrite' })),
      examples: {
        hit: {
          'find a -fls b': 'write b (overwrite)',
          'find a -fprint b': 'write b (overwrite)',
          'find a -fprint0 b': 'write b (overwrite)',
          'find a -fprintf b %p -fprint c': 'write b (overwrite); write c (overwrite)',
          'find a -fprint': 'write … (overwrite)',
        },
        miss: ['find a -printf b', 'find a -ls'],
      },
    },
    {
      what: 'reads the folders from a file',
      effects: (call) =>
        searchOf(call.args)
          .terms.filter(({ name }) => name === '-files0-from')
          .flatMap(({ value }) => read(call, value)),
      examples: { hit: { 'find -files0-from a': 'read a' }, miss: ['find a', 'find -files0-from -'] },
    },
    {
      what: 'starts a program for what it finds',
      starts: (call) => {
        const { args } = call;
        const found = placesFound(call);
        const inner: Inner[] = [];
        for (let index = 0; index < args.length; index++) {
          if (!/^-(?:exec|ok)(?:dir)?$/.test(singleText(args[index]))) continue;
          const words: Text[] = [];
          for (index += 1; index < args.length && !/^(?:\\?;|\+)$/.test(singleText(args[index])); index++)
            words.push(args[index] ?? emptyText);
          if (words.length > 0)
            inner.push(
              ...found.map(
                (paths): Inner => ({ kind: 'argv', argv: words.map((word) => filledIn(word, paths)) }),
              ),
            );
        }
        return inner;
      },
      examples: {
        hit: {
          'find a -exec rm {} +': 'program: rm a|a/*',
          "find a -name b -exec rm {} ';' -exec ls ';'": 'program: rm a/b; program: ls',
          'find a -execdir rm {} +': 'program: rm a|a/*',
          'find a -ok rm {} +': 'program: rm a|a/*',
          'find a b -name *c -exec rm {} +': 'program: rm a/…; program: rm b/…',
          'find a -okdir rm x{}': 'program: rm xa|xa/*',
          'find a -name b.txt -exec c d': 'program: c d',
        },
        miss: ['find a -delete', 'find a -exec'],
      },
    },
    {
      what: '?',
      always: true,
      prints: (call) => concat(foundBy(call), knownText('\n')),
      examples: {
        hit: {
          'find a': 'prints a\\n|a/*\\n',
          'find a -type f': 'prints a\\n|a/*\\n',
          'find a -name b': 'prints a/b\\n',
          'find -name b.txt': 'prints ./b.txt\\n',
          'find -L a -O2 -name *.txt': 'prints a/…\\n|a/x.txt\\n',
          'find a -name b -o -type f': 'prints a\\n|a/*\\n|a/b\\n',
          'find a -name b -o -name c': 'prints a/b\\n|a/c\\n',
          'find a -not -name b': 'prints a\\n|a/*\\n',
          'find a ( -name b -o -name c )': 'prints a/b\\n|a/c\\n',
          'find a ! ( -name b )': 'prints a/…\\n',
          'find / -name b': 'prints /…\\n|/b\\n',
          'find a -name b , -print': 'prints a\\n|a/*\\n|a/b\\n',
          'find a -name b -exec ls {} +': 'prints a/b\\n',
          'find a \\\\( -name b': 'prints a/b\\n',
          'find -O2 a -type f': 'prints a\\n|a/*\\n',
          'find a -type f -o -name b': 'prints a\\n|a/*\\n|a/b\\n',
          'find a -type f -or -name b': 'prints a\\n|a/*\\n|a/b\\n',
          "find a -name b -exec ls ! ';'": 'prints a/b\\n',
          "find a -name b -ok ls ! ';'": 'prints a/b\\n',
          "find a -name b -exec ls ';' -o -type f": 'prints a\\n|a/*\\n|a/b\\n',
          'find a -name b -exec ls + -o -type f': 'prints a\\n|a/*\\n|a/b\\n',
          'find a/ -name *': 'prints a/\\n|a/*\\n',
          'find a -<iname path ipath regex iregex lname ilname wholename> *b': 'prints a/…\\n',
          'find a -<empty size amin cmin mmin atime ctime mtime newer anewer newermt inum samefile links perm user group uid gid nouser nogroup> 1':
            'prints a/…\\n',
        },
        miss: [],
      },
    },
  ],
  advice: [
    { rule: 'mass_deletion', text: 'Look at what it finds: `find . -name notes.txt`.' },
    { rule: 'workspace_deletion', text: 'Look at what it finds: `find . -name notes.txt`.' },
  ],
};

export const cards = [find];
