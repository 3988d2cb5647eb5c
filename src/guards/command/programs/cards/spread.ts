// Programs that start another once for each thing that they read, or among other variables: env, xargs, parallel.

import { type Inner, type Call as Start, shellCode } from '../../bash/executors/inner.ts';
import { splitQuoted } from '../../bash/quoted.ts';
import {
  concatAll,
  emptyText,
  hole,
  knownText,
  oneOf,
  singleText,
  type Text,
  unknownText,
} from '../../bash/values.ts';
import type { Card, Given } from '../card.ts';
import { settingsIn } from '../wrappers.ts';

const manner = { stopAtOperand: true, stopAtUnknown: true } as const;

function environmentStarts(_: unknown, given: Given<Text>): readonly Inner[] {
  const split = given.last('split-string');
  const words = [
    ...(split === undefined ? [] : splitQuoted(singleText(split)).map((word) => knownText(word))),
    ...given.operands,
  ];
  let start = 0;
  while (/^-(?:$|i$|-ignore-environment$)|^[^=/]+=/.test(singleText(words[start]))) start += 1;
  const argv = words.slice(start);
  // A shell that is started takes such variables for functions of its own.
  const functions = words.slice(0, start).flatMap((word): readonly Inner[] => {
    const body = /^BASH_FUNC_[^=]*=\(\)\s*(\{.*)$/s.exec(singleText(word))?.[1];
    return body === undefined ? [] : [shellCode(knownText(body))];
  });
  if (argv.length === 0) return functions;
  const folder = given.last('chdir');
  const settings = settingsIn(words.slice(0, start));
  return [...functions, { kind: 'argv', argv, settings, ...(folder === undefined ? {} : { folder }) }];
}

export const env: Card = {
  names: 'env',
  idle: true,
  options: 'u/unset= C/chdir= S/split-string= P= a/argv0= i/ignore-environment 0/null v/debug',
  manner,
  readings: 'u unset C chdir S split-string P a argv0; i ignore-environment 0 null v debug',
  facts: [
    {
      what: 'starts a program with other variables',
      starts: environmentStarts,
      examples: {
        hit: {
          'env rm -rf a': 'program: rm -rf a',
          'env -i -u A B=1 C=2 rm a': 'program: rm a B=1 C=2',
          'env - rm a': 'program: rm a',
          'env -C /b rm a': 'program: rm a in /b',
          'env -S "A=1 rm -rf b" c': 'program: rm -rf b c A=1',
          'env -S "-i rm" a': 'program: rm a',
          "env 'BASH_FUNC_a%%=() { rm -rf b; }' bash -c a": 'shell code: { rm -rf b; }; program: bash -c a',
          "env 'BASH_FUNC_a%%=() { rm -rf b; }'": 'shell code: { rm -rf b; }',
          'env $NAME -c a': 'program: … -c a',
        },
        miss: ['env', 'env A=1', 'env -u A'],
      },
    },
  ],
};

/** What xargs appends, or puts in the place of a text. */
function itemsOf(text: string, given: Given<Text>, replaced: string | null): readonly string[] {
  const delimiter = given.last('delimiter') === undefined ? null : singleText(given.last('delimiter'));
  if (given.has('null') || delimiter === '\\0')
    return text
      .split('\0')
      .map((item) => item.replace(/\n$/, ''))
      .filter((item) => item !== '');
  if (delimiter !== null) return text.replace(/\n$/, '').split(delimiter === '\\n' ? '\n' : delimiter);
  if (replaced === null) return splitQuoted(text);
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** The text that stands for an item in the command. */
function replacedBy(given: Given<Text>): string | null {
  const value = given.last('I', 'replace');
  if (value !== undefined) return singleText(value);
  return given.has('replace') ? '{}' : null;
}

function filled(argv: readonly Text[], replaced: string, chosen: Text): readonly Text[] {
  return argv.map((word) =>
    word.alternatives.some((text) => text.includes(replaced))
      ? oneOf(
          word.alternatives.flatMap((text) =>
            chosen.alternatives.map((item) => text.replaceAll(replaced, item)),
          ),
          chosen.origins,
        )
      : word,
  );
}

function xargsStarts({ stdin, fed, readFile }: Start, given: Given<Text>): readonly Inner[] {
  if (given.has('help', 'version')) return [{ kind: 'nothing' }];
  const replaced = replacedBy(given);
  const file = given.last('arg-file');
  const items =
    file === undefined ? (fed ? stdin : unknownText()) : (readFile?.(singleText(file)) ?? unknownText());
  const argv = given.operands.length === 0 ? [knownText('echo')] : given.operands;
  // What it starts reads nothing, unless the words come from a file or the terminal is opened again.
  const input = file !== undefined || given.has('open-tty') ? {} : { input: emptyText };
  return items.alternatives.map((text): Inner => {
    const found = itemsOf(text, given, replaced);
    if (replaced === null)
      return {
        kind: 'argv',
        argv: [...argv, ...found.map((item) => knownText(item, items.origins))],
        ...input,
      };
    const chosen = oneOf(found.length === 0 ? [hole] : found, items.origins);
    return { kind: 'argv', argv: filled(argv, replaced, chosen), ...input };
  });
}

const xargs: Card = {
  names: 'xargs gxargs',
  idle: true,
  options:
    'a/arg-file= d/delimiter= E/eof= e? I/J= i/replace? L/max-lines= l? n/max-args= P/max-procs= s/max-chars= process-slot-var= R= S= 0/null o/open-tty p/interactive r/no-run-if-empty t/verbose x/exit help version',
  manner,
  readings:
    'a arg-file d delimiter E eof I J L max-lines n max-args P max-procs s max-chars process-slot-var R S; 0 null o open-tty p interactive r no-run-if-empty t verbose x exit help version; e i replace l',
  facts: [
    {
      what: 'starts a program with the words that it reads',
      always: true,
      starts: xargsStarts,
      examples: {
        hit: {
          "'a b' | xargs rm -rf": "program: rm -rf a b < ''",
          "'a b' | xargs": "program: echo a b < ''",
          "'a' | xargs -I % sh -c 'rm %'": "program: sh -c rm a < ''",
          "'a' | xargs -i rm {} b": "program: rm a b < ''",
          "'a' | xargs -i% rm %": "program: rm a < ''",
          "'a' | xargs --replace rm {}": "program: rm a < ''",
          "'a' | xargs --replace=% rm %": "program: rm a < ''",
          "'a' | gxargs -J % cp % b": "program: cp a b < ''",
          "'a,b' | xargs -d , rm": "program: rm a b < ''",
          "'a\nb c' | xargs -d '\\n' rm": "program: rm a b c < ''",
          "'a b' | xargs -0 rm": "program: rm a b < ''",
          "'a b' | xargs --delimiter='\\0' rm": "program: rm a b < ''",
          'xargs -n 1 -P 4 rm': "program: rm … < ''",
          'xargs -a list rm': 'program: rm …',
          "'a' | xargs -o vi": 'program: vi a',
          "'a' | xargs --help": 'nothing',
          "'a' | xargs --version": 'nothing',
        },
        miss: [],
      },
    },
  ],
};

/** What stands for an item is one word for the shell that runs it. */
function quoted(item: string): string {
  return item === '$1' || /^[\w@%+=:,./-]*$/.test(item) ? item : `'${item.replaceAll("'", "'\\''")}'`;
}

function parallelStarts({ args, stdin, fed }: Start, given: Given<Text>): readonly Inner[] {
  if (given.has('dry-run', 'dryrun', 'help', 'version')) {
    // What stands in `{= =}` and behind `--rpl` is code that runs all the same.
    const code = given.has('rpl') || args.some((arg) => arg.alternatives.some((text) => text.includes('{=')));
    return [{ kind: code ? 'unknown' : 'nothing' }];
  }
  const rest = given.operands;
  const split = rest.findIndex((word) => /^:::?[:+]*$/.test(singleText(word)));
  const command = concatAll(split === -1 ? rest : rest.slice(0, split), ' ');
  const named = split === -1 ? [] : rest.slice(split + 1).filter((word) => !/^:::/.test(singleText(word)));
  const lines = fed
    ? stdin.alternatives.flatMap((text) => text.split('\n').filter((line) => line !== ''))
    : [hole];
  const items = split === -1 ? lines : named.flatMap((word) => word.alternatives);
  if (singleText(command) === '') return split === -1 && !fed ? [] : [shellCode(oneOf(items, stdin.origins))];
  const filledBy = (item: string): readonly string[] =>
    command.alternatives.map((text) =>
      /\{[^}\s]*\}/.test(text) ? text.replace(/\{[^}\s]*\}/g, () => quoted(item)) : `${text} ${quoted(item)}`,
    );
  // It quotes what it fills in, so that an item which is not known stays one word and no code.
  const unknown = items.filter((item) => item.includes(hole));
  const known = items.length === 0 ? [''] : items.filter((item) => !item.includes(hole));
  return [
    ...(known.length === 0 ? [] : [shellCode(oneOf(known.flatMap(filledBy), stdin.origins))]),
    ...unknown.map((item) => ({
      ...shellCode(oneOf(filledBy('$1'), stdin.origins)),
      positional: [knownText('parallel'), knownText(item, stdin.origins)],
    })),
  ];
}

const parallel: Card = {
  names: 'parallel',
  idle: true,
  options:
    'j/jobs/P/max-procs= N/n/max-args= L= a/arg-file= I= i? C/colsep= S/sshlogin= d/delimiter= E= s/max-chars= timeout= joblog= results= retries= delay= load= tmpdir= tempdir= workdir/wd= header= env= return= basefile= halt= max-replace-args= memfree= nice= profile= rpl= sshloginfile= tagstring= trc= dry-run/dryrun help version k u v t q 0 X m',
  manner,
  readings:
    'j jobs P max-procs N n max-args L a arg-file I C colsep S sshlogin d delimiter E s max-chars timeout joblog results retries delay load tmpdir tempdir workdir wd header env return basefile halt max-replace-args memfree nice profile rpl sshloginfile tagstring trc; dry-run dryrun help version k u v t q 0 X m; i',
  facts: [
    {
      what: 'runs a command line for each line that it reads or is given',
      starts: parallelStarts,
      examples: {
        hit: {
          "'a b' | parallel rm": "shell code: rm 'a b'",
          'parallel -j 4 rm -rf ::: a b': 'shell code: rm -rf a|rm -rf b',
          'parallel "rm {} c" ::: a': 'shell code: rm a c',
          'parallel rm {1} {2} ::: a :::+ b': 'shell code: rm a a|rm b b',
          'parallel ::: "rm a" b': 'shell code: rm a|b',
          "'rm a' | parallel": 'shell code: rm a',
          'parallel rm': 'shell code: rm $1',
          'parallel --dry-run rm ::: a': 'nothing',
          'parallel --dryrun rm {=a=} ::: a': 'unknown',
          'parallel --help --rpl a': 'unknown',
          'parallel --version': 'nothing',
        },
        miss: ['parallel'],
      },
    },
  ],
};

export const cards = [env, xargs, parallel];
