// sed: edits texts as they flow, or files in place; its scripts write and read files and run commands.

import { fromSnippets } from '../../bash/executors/code.ts';
import type { Inner } from '../../bash/executors/inner.ts';
import { sedSnippets } from '../../bash/snippets.ts';
import { onlyText, type Text } from '../../bash/values.ts';
import type { Value } from '../../effects.ts';
import { beginningOf, literal, read, textOf, write } from '../../tools/tool.ts';
import type { Card, Given } from '../card.ts';

/** The scripts, and the files that they edit: the first operand is a script where no option has one. */
function readBy<Word>(
  given: Given<Word>,
  isEmpty: (word: Word) => boolean,
): {
  readonly scripts: readonly Word[];
  readonly files: readonly Word[];
} {
  const [first] = given.operands;
  // On macOS the word behind -i is the ending of a copy, and none is made where it is empty.
  const ending = given.has('in-place') && first !== undefined && isEmpty(first);
  const operands = ending ? given.operands.slice(1) : given.operands;
  return given.has('expression', 'file')
    ? { scripts: given.all('expression'), files: operands }
    : { scripts: operands.slice(0, 1), files: operands.slice(1) };
}

const valuesBy = (given: Given<Value>) => readBy(given, (word) => textOf(word) === '');
const textsBy = (given: Given<Text>) => readBy(given, (word) => onlyText(word) === '');

/** Commands of a script that write or read a file. */
const writes = /(?:^|[;{}\n]|[0-9$/,!]|\/[gpiIme0-9]*)[ \t]*[wW][ \t]+([^\n;}]+)/g;
const reads = /(?:^|[;{}\n]|[0-9$/,!])[ \t]*[rR][ \t]+([^\n;}]+)/g;

/** What a script hands to a shell: a text of its own, or a line of what it reads. */
function startedBy(script: Text, stdin: Text): readonly Inner[] {
  return script.alternatives.flatMap((text) =>
    sedSnippets(text).flatMap((snippet): readonly Inner[] => {
      if (snippet.kind !== 'line') return fromSnippets([snippet]);
      return [{ kind: 'code', language: 'shell', text: stdin }];
    }),
  );
}

const sed: Card = {
  names: 'sed gsed',
  options:
    'n/quiet/silent e/expression= f/file= E/r/regexp-extended i/in-place? l/line-length= s/separate u/unbuffered z/null-data posix debug sandbox follow-symlinks b a H',
  readings: {
    valued: 'e expression f file l line-length',
    flags:
      'n quiet silent E r regexp-extended s separate u unbuffered z null-data posix debug sandbox follow-symlinks b a H',
    attached: 'i in-place',
  },
  facts: [
    {
      what: 'reads scripts from files',
      effects: (call, given) => given.all('file').flatMap((path) => read(call, path)),
      examples: {
        hit: { 'sed -f a.sed b': 'read a.sed', 'sed --file=.env b': 'read .env; secret .env (environment)' },
        miss: ['sed -e p b', 'sed p b'],
      },
    },
    {
      what: 'writes files that a script names',
      effects: (call, given) =>
        valuesBy(given).scripts.flatMap((script) =>
          [...beginningOf(script).matchAll(writes)].flatMap(([found, name = '']) =>
            /[/~.\w]/.test(name) && !/^s\W/.test(found.trim())
              ? write(call, literal(name.trim()), { detail: 'overwrite' })
              : [],
          ),
        ),
      examples: {
        hit: {
          "sed 'p;w out.txt' a": 'write out.txt (overwrite)',
          "sed 'w out.txt' a": 'write out.txt (overwrite)',
          "sed -n '/x/w out.txt' a": 'write out.txt (overwrite)',
          "sed 's/a/b/w out.txt' a": 'write out.txt (overwrite)',
          "sed 's/a/b/gw out.txt' a": 'write out.txt (overwrite)',
          "sed -e p -e '1W out.txt' a": 'write out.txt (overwrite)',
          "sed '$w ~/.bashrc' a": 'write ~/.bashrc (overwrite); persist ~/.bashrc (shell-start)',
        },
        miss: ['sed p a', "sed 'w !' a", "sed -f 'w b' a", 'sed -e p "w b"', "sed 's w ab ' a"],
      },
    },
    {
      what: 'reads files that a script names',
      effects: (call, given) =>
        valuesBy(given).scripts.flatMap((script) =>
          [...beginningOf(script).matchAll(reads)].flatMap(([, name = '']) =>
            read(call, literal(name.trim())),
          ),
        ),
      examples: {
        hit: {
          "sed 'p;r b' a": 'read b',
          "sed 'r .env' a": 'read .env; secret .env (environment)',
          "sed -e '/x/r b' a": 'read b',
          "sed '1R b' a": 'read b',
        },
        miss: ['sed p a', 'sed -e p "r b"'],
      },
    },
    {
      what: 'reads files',
      effects: (call, given) => valuesBy(given).files.flatMap((path) => read(call, path)),
      examples: {
        hit: {
          'sed s/a/b/ c d': 'read c; read d',
          'sed -e p c': 'read c',
          'sed -f x c': 'read c',
          'sed -n -E -l 5 p .env': 'read .env; secret .env (environment)',
        },
        miss: ['sed p', 'sed p -'],
      },
    },
    {
      what: 'edits files in place',
      effects: (call, given) =>
        given.has('in-place')
          ? valuesBy(given).files.flatMap((path) => write(call, path, { detail: 'edit' }))
          : [],
      examples: {
        hit: {
          'sed -i s/a/b/ c': 'write c (edit)',
          'sed -i.bak -e p c': 'write c (edit)',
          'sed --in-place=.bak p c': 'write c (edit)',
          'sed -ni p c': 'write c (edit)',
          "sed -i '' /^A=/d c": 'write c (edit)',
          "sed -i '' -e p c": 'write c (edit)',
        },
        miss: ['sed s/a/b/ c', 'sed -i p'],
      },
    },
    {
      what: 'runs commands that a script names, or lines that it reads',
      starts: ({ stdin }, given) => textsBy(given).scripts.flatMap((script) => startedBy(script, stdin)),
      examples: {
        hit: {
          "sed '1e rm -rf /' a": 'shell code: rm -rf /',
          "sed -n -e 's/.*/rm -rf d/e' a": 'shell code: …; shell code: rm -rf d',
          "'rm -rf /' | sed e": 'shell code: rm -rf /',
          '$NETWORK | sed e': 'shell code: … from network',
        },
        miss: ['sed p a', "sed -e p 'e ls'", "sed -f a 'e ls'"],
      },
    },
  ],
};

export const cards = [sed];
