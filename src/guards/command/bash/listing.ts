// The paths that searches and lists print, as far as their words tell.

import { either, hole, knownText, mapWithHoles, singleText, type Text } from './values.ts';

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
    if (narrows.test(word) && !turned && !/^[*?.]*$/.test(words[index + 1] ?? 'x')) narrowed = true;
  }
  return narrowed;
}

const isNot = /^(?:\\?!|-not)$/;

/** Whether each alternative of an expression of find asks for a whole name, and nothing is turned round. */
function isOnlyNamed(words: readonly string[]): boolean {
  let named = false;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (isNot.test(word) || word === ',') return false;
    if (/^-or?$/.test(word)) {
      if (!named) return false;
      named = false;
    } else if (/^-i?name$/.test(word) && /^[\w.-]+$/.test(words[index + 1] ?? '')) named = true;
    // What is started has words of its own.
    if (/^-(?:exec|ok)(?:dir)?$/.test(word))
      while (index + 1 < words.length && !/^(?:\\?;|\+)$/.test(words[index] ?? '')) index += 1;
  }
  return named;
}

/** Every path that find may give. */
export function foundBy(args: readonly Text[]): Text {
  return placesFound(args).reduce(either);
}

/** The paths that find gives: its folders and all that is in them, where no test narrows that; then those by name. */
export function placesFound(args: readonly Text[]): readonly Text[] {
  const start = args.findIndex(
    (arg) => /^(?:[-(!]|\\\()/.test(singleText(arg)) && !/^-[HLP]$|^-[OD]/.test(singleText(arg)),
  );
  const roots = (start === -1 ? args : args.slice(0, start)).filter(
    (arg) => !singleText(arg).startsWith('-'),
  );
  const some = isNarrowed(args.slice(start === -1 ? args.length : start).map(singleText));
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
  const inside = starts.every((root) => /^(?![/~])(?!.*\.\.)[^\uE000]+$/.test(singleText(root)));
  return inside && named.length > 0 && isOnlyNamed(args.map(singleText))
    ? named
    : [places.reduce(either), ...named];
}

/** The paths that a search of a folder may give. */
function placesUnder(root: Text): Text {
  return inFolder(root, hole);
}

function inFolder(root: Text, name: string): Text {
  return mapWithHoles(root, (path) => (path.endsWith('/') ? path + name : `${path}/${name}`));
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
      .map((name) => name.replace(/^\*(?=\.[^*?[]+$)/, 'x'))
      .filter((name) => /^[^*?[]/.test(name) && !name.includes(hole));
  });
}

/** Verbs and flags of git with which it prints nothing but paths of the work tree. */
const gitLists = /^(?:ls-files|(?:diff|show|diff-tree|diff-index) .*--name-only)(?: |$)/;

/** Flags of searches that print only the names of files, and those behind which the next word is no folder. */
const namesOnly = /^(?:-[a-zA-Z]*[lL][a-zA-Z]*|--files-with(?:out)?-match(?:es)?|--files)$/;

const takesNext = /^(?:-[a-zA-Z]*[efmABCdD]|--(?:regexp|file)(?:=.*)?)$/;

/** The paths that a program lists which only names files; null where it prints more, or is no such program. */
export function pathsListedBy(program: string, args: readonly Text[]): Text | null {
  if (program === 'git')
    return gitLists.test(args.map(singleText).join(' ')) ? placesUnder(knownText('.')) : null;
  if (program === 'fd' || program === 'fdfind') {
    const folders = args.filter((arg) => !singleText(arg).startsWith('-')).slice(1);
    return (folders.length === 0 ? [knownText('.')] : folders).map(placesUnder).reduce(either);
  }
  if (!/^(?:[ef]?grep|rg|ag|ack)$/.test(program)) return null;
  const words = args.map(singleText);
  if (!words.some((word) => namesOnly.test(word)) || words.some((word) => takesNext.test(word))) return null;
  const operands = args.filter((arg) => !singleText(arg).startsWith('-'));
  const roots = operands.slice(words.includes('--files') ? 0 : 1);
  return (roots.length === 0 ? [knownText('.')] : roots)
    .map((root) => either(root, placesUnder(root)))
    .reduce(either);
}
