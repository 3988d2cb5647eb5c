// Ways to say the same command otherwise. Each takes a command as words or as a script and gives another form of it
// that does the same in bash; the oracle proves that it does.

import { gzipSync } from 'node:zlib';
import type { Form } from './payloads.ts';
import * as text from './quoting.ts';
import type { Random } from './random.ts';

interface Named {
  readonly name: string;
  readonly family: Family;
  /** What it does, in one line. */
  readonly about: string;
}

type Words = readonly string[];

/** Gives another form of the command, or null where this way cannot be used for it. */
export type Transform = Named &
  (
    | { readonly from: 'words'; readonly apply: (words: Words, random: Random) => Form | null }
    | { readonly from: 'script'; readonly apply: (script: string, random: Random) => Form | null }
  );

export type Family =
  | 'quoting'
  | 'words'
  | 'variables'
  | 'substitution'
  | 'encoding'
  | 'wrapper'
  | 'interpreter'
  | 'position'
  | 'written'
  | 'evaluation';

function asScript(made: string | null): Form | null {
  return made === null ? null : { kind: 'script', text: made };
}

function asWords(made: Words | null): Form | null {
  return made === null ? null : { kind: 'words', words: made };
}

function ofWords(
  family: Family,
  name: string,
  about: string,
  make: (words: Words, random: Random) => string | null,
): Transform {
  return { name, family, about, from: 'words', apply: (words, random) => asScript(make(words, random)) };
}

function wordsToWords(
  name: string,
  about: string,
  make: (words: Words, random: Random) => Words | null,
): Transform {
  return {
    name,
    family: 'wrapper',
    about,
    from: 'words',
    // A builtin is no program, so that a program cannot start it.
    apply: (words, random) => (builtins.has(words[0] ?? '') ? null : asWords(make(words, random))),
  };
}

function ofScript(
  family: Family,
  name: string,
  about: string,
  make: (script: string, random: Random) => string | null,
): Transform {
  return { name, family, about, from: 'script', apply: (script, random) => asScript(make(script, random)) };
}

function scriptToWords(
  name: string,
  about: string,
  make: (script: string, random: Random) => Words | null,
): Transform {
  return {
    name,
    family: 'interpreter',
    about,
    from: 'script',
    apply: (script, random) => asWords(make(script, random)),
  };
}

const builtins: ReadonlySet<string> = new Set(['eval', 'source', '.', 'command', 'builtin', 'exec', 'time']);

/** The program and the rest, where the program can be written without quotes. */
function parts(words: Words): { program: string; rest: string } | null {
  const [program, ...others] = words;
  if (program === undefined || !text.isBare(program) || builtins.has(program)) return null;
  return { program, rest: others.length === 0 ? '' : ` ${text.join(others)}` };
}

/** Makes a way to write the program alone; the rest of the words stays plain. */
function ofProgram(
  family: Family,
  name: string,
  about: string,
  make: (program: string, random: Random) => string | null,
): Transform {
  return ofWords(family, name, about, (words, random) => {
    const given = parts(words);
    if (given === null) return null;
    const made = make(given.program, random);
    return made === null ? null : `${made}${given.rest}`;
  });
}

function allBare(words: Words): boolean {
  return words.every((word) => text.isBare(word));
}

/** A place inside a word. */
function inside(word: string, random: Random): number {
  return word.length < 2 ? word.length : 1 + random.below(word.length - 1);
}

const quoting: readonly Transform[] = [
  ofWords('quoting', 'plain', 'the words as a person writes them', (words) => text.join(words)),
  ofWords('quoting', 'single quotes', 'every word in single quotes', (words) =>
    words.map(text.single).join(' '),
  ),
  ofWords('quoting', 'double quotes', 'every word in double quotes', (words) =>
    words.map(text.double).join(' '),
  ),
  ofWords('quoting', 'quotes inside words', 'an empty pair of quotes inside each word', (words, random) =>
    words
      .map((word) => {
        const at = inside(word, random);
        const [left, right] = [word.slice(0, at), word.slice(at)].map((half) =>
          half === '' ? '' : text.plain(half),
        );
        return `${left}${random.pick(["''", '""'])}${right}`;
      })
      .join(' '),
  ),
  ofWords('quoting', 'half quoted', 'one half of each word in quotes', (words, random) =>
    words
      .map((word) => {
        const at = inside(word, random);
        return `${text.double(word.slice(0, at))}${text.plain(word.slice(at) || '')}`.replace(/''$/, '');
      })
      .join(' '),
  ),
  ofWords('quoting', 'backslashes', 'a backslash before some characters', (words, random) =>
    words
      .map((word) =>
        word.includes('\n')
          ? text.single(word)
          : [...word]
              .map((character) =>
                !/[A-Za-z0-9]/.test(character) || random.chance(0.5) ? `\\${character}` : character,
              )
              .join(''),
      )
      .join(' '),
  ),
  ofProgram(
    'quoting',
    'first backslash',
    'a backslash before the program, as one does to pass an alias by',
    (program) => `\\${program}`,
  ),
  ofWords('quoting', 'hexadecimal escapes', "every word as $'\\x..'", (words) =>
    words.every((word) => /^[\x01-\x7f]+$/.test(word))
      ? words.map((word) => text.escaped(word, text.hex)).join(' ')
      : null,
  ),
  ofWords('quoting', 'octal escapes', "every word as $'\\...'", (words) =>
    words.every((word) => /^[\x01-\x7f]+$/.test(word))
      ? words.map((word) => text.escaped(word, text.octal)).join(' ')
      : null,
  ),
  ofWords('quoting', 'unicode escapes', "every word as $'\\u....'", (words) =>
    words.map((word) => text.escaped(word, text.unicode)).join(' '),
  ),
  ofProgram(
    'quoting',
    'escape in the program',
    "one letter of the program as $'\\x..'",
    (program, random) => {
      const at = random.below(program.length);
      return `${program.slice(0, at)}${text.escaped(program.charAt(at), text.hex)}${program.slice(at + 1)}`;
    },
  ),
  ofProgram('quoting', 'locale quotes', 'the program in $"…"', (program) => `$"${program}"`),
  ofProgram(
    'quoting',
    'continued line in the program',
    'a backslash and a line end inside the program',
    (program, random) => {
      const at = inside(program, random);
      return `${program.slice(0, at)}\\\n${program.slice(at)}`;
    },
  ),
  ofWords('quoting', 'continued lines', 'a backslash and a line end between words', (words) =>
    words.map(text.plain).join(' \\\n  '),
  ),
  ofWords(
    'quoting',
    'wide gaps',
    'tabs and several spaces between words',
    (words, random) => `\t${words.map(text.plain).join(random.pick(['\t', '   ', ' \t ']))}  `,
  ),
];

const wordTricks: readonly Transform[] = [
  ofWords('words', 'braces', 'one brace expansion makes all words', (words) =>
    words.length < 2 || builtins.has(words[0] ?? '') || words.some((word) => /[\n,{}]/.test(word))
      ? null
      : `{${words.map(text.plain).join(',')}}`,
  ),
  ofWords(
    'words',
    'braces around arguments',
    'the program plain, the arguments from a brace expansion',
    (words) =>
      words.length < 3 || words.some((word) => /[\n,{}]/.test(word))
        ? null
        : `${text.plain(words[0] ?? '')} {${words.slice(1).map(text.plain).join(',')}}`,
  ),
  ofWords('words', 'IFS between words', '${IFS} in place of spaces', (words) =>
    allBare(words) && words.length > 1 ? words.join('${IFS}') : null,
  ),
  ofWords('words', 'IFS and an empty parameter', '$IFS$9 in place of spaces', (words) =>
    allBare(words) && words.length > 1 ? words.join('$IFS$9') : null,
  ),
  ofWords('words', 'own IFS', 'words split at a character that IFS names', (words) =>
    allBare(words) && words.length > 1 && !words.some((word) => word.includes('%'))
      ? `IFS=%; command_line='${words.join('%')}'; $command_line`
      : null,
  ),
  ofProgram(
    'words',
    'empty parameters',
    'parameters that are empty inside the program',
    (program, random) => {
      const at = inside(program, random);
      return `${program.slice(0, at)}${random.pick(['$@', '$*', '${nothing}', '$()', '``', '${nothing:-}', '$1'])}${program.slice(at)}`;
    },
  ),
  ofWords(
    'words',
    'redirection in between',
    'a redirection between the program and its arguments',
    (words, random) => {
      const [program = '', ...rest] = words;
      return `${text.plain(program)} ${random.pick(['2>/dev/null', '>/dev/null', '</dev/null', '3>&1', '2>&1'])} ${text.join(rest)}`;
    },
  ),
  ofWords(
    'words',
    'redirection first',
    'a redirection before the program',
    (words, random) =>
      `${random.pick(['2>/dev/null', '</dev/null', '>>/tmp/out', '<<<x', '>|/tmp/out'])} ${text.join(words)}`,
  ),
  ofWords(
    'words',
    'assignment first',
    'an assignment before the program',
    (words, random) => `${random.pick(['A=1', 'LC_ALL=C', 'A= B=2', 'A="$(echo x)"'])} ${text.join(words)}`,
  ),
  ofProgram(
    'words',
    'absolute path',
    'the program by its path',
    (program, random) => `${random.pick(['/bin/', '/usr/bin/', '/usr/sbin/', '/sbin/'])}${program}`,
  ),
  ofProgram('words', 'crooked path', 'the program by a path with detours', (program, random) =>
    random.pick([
      `/bin/../bin/${program}`,
      `//bin//${program}`,
      `/usr/./bin/${program}`,
      `../../../../usr/bin/${program}`,
      `/proc/self/root/bin/${program}`,
    ]),
  ),
  ofProgram(
    'words',
    'path by a pattern',
    'a pattern of names that only the program fits',
    (program, random) => {
      const at = random.below(program.length);
      const letter = program.charAt(at);
      const hidden = random.pick([`[${letter}]`, letter === '-' ? '[-]' : `[${letter}${letter}]`]);
      return `/usr/${random.pick(['bin', '?in', 'b*n', '[b]in'])}/${program.slice(0, at)}${hidden}${program.slice(at + 1)}`;
    },
  ),
  ofProgram(
    'words',
    'path with question marks',
    'a letter of the program as a question mark',
    (program, random) => {
      const at = random.below(program.length);
      return `/usr/bin/${program.slice(0, at)}?${program.slice(at + 1)}`;
    },
  ),
  ofWords('words', 'from its folder', 'the program as ./name after a cd to its folder', (words) => {
    const given = parts(words);
    return given === null ? null : `cd /usr/bin && ./${given.program}${given.rest}`;
  }),
  ofWords(
    'words',
    'own PATH',
    'PATH set before the call',
    (words, random) =>
      `${random.pick(['PATH=/usr/bin:/usr/sbin', 'export PATH=$PATH:/opt;', 'PATH="$PATH:/x"'])} ${text.join(words)}`,
  ),
  ofWords(
    'words',
    'linked under another name',
    'a symbolic link to the program, called by its own name',
    (words) => {
      const given = parts(words);
      return given === null
        ? null
        : `ln -s "$(command -v ${given.program})" ./helper && ./helper${given.rest}`;
    },
  ),
  ofWords('words', 'copied under another name', 'a copy of the program, called by its own name', (words) => {
    const given = parts(words);
    return given === null ? null : `cp /usr/bin/${given.program} /tmp/helper; /tmp/helper${given.rest}`;
  }),
];

const variables: readonly Transform[] = [
  ofProgram(
    'variables',
    'program in a variable',
    'X=rm; $X',
    (program, random) => `X=${program}; ${random.pick(['$X', '${X}', '"$X"', '"${X}"', '$X$nothing'])}`,
  ),
  ofProgram('variables', 'program in two variables', 'A=r; B=m; $A$B', (program, random) => {
    const at = inside(program, random);
    return `A=${program.slice(0, at)}; B=${program.slice(at) || "''"}; ${random.pick(['$A$B', '${A}${B}', '"$A""$B"', '$A"$B"'])}`;
  }),
  ofWords('variables', 'whole command in a variable', "C='rm -rf /'; $C", (words) =>
    allBare(words) && !builtins.has(words[0] ?? '') ? `C='${words.join(' ')}'; $C` : null,
  ),
  ofWords(
    'variables',
    'a variable for each word',
    'every word from a variable of its own',
    (words) =>
      `${words.map((word, at) => `w${at}=${text.single(word)}`).join('; ')}; ${words.map((_, at) => `"$w${at}"`).join(' ')}`,
  ),
  ofWords('variables', 'target in a variable', 'the last word from a variable', (words) =>
    words.length < 2
      ? null
      : `target=${text.single(words.at(-1) ?? '')}; ${text.join(words.slice(0, -1))} "$target"`,
  ),
  ofWords('variables', 'appended variable', 'a variable that grows by +=', (words) =>
    allBare(words)
      ? `C=${words[0]}; ${words
          .slice(1)
          .map((word) => `C+=' ${word}'; `)
          .join('')}$C`
      : null,
  ),
  ofProgram('variables', 'default value', '${unset:-rm} and its kin', (program, random) =>
    random.pick([
      `\${unset_name:-${program}}`,
      `\${unset_name-${program}}`,
      `\${unset_name:=${program}}`,
      `\${HOME:+${program}}`,
      `\${HOME+${program}}`,
      `"\${unset_name:-${program}}"`,
    ]),
  ),
  ofProgram('variables', 'indirect', 'X=rm; Y=X; ${!Y}', (program) => `X=${program}; Y=X; \${!Y}`),
  ofProgram('variables', 'name reference', 'declare -n', (program) => `X=${program}; declare -n Y=X; $Y`),
  ofProgram(
    'variables',
    'declared',
    'declare, typeset, readonly or export in place of a plain assignment',
    (program, random) =>
      `${random.pick(['declare', 'typeset', 'readonly', 'export', 'declare -x', 'declare -r'])} X=${program}; $X`,
  ),
  ofWords('variables', 'array', 'all words in an array', (words) => `a=(${text.join(words)}); "\${a[@]}"`),
  ofWords(
    'variables',
    'array by index',
    'words from an array by their indices',
    (words) =>
      `a=(unused ${text.join(words)}); ${words.map((_, at) => `"\${a[${at === 1 ? '$((1+1))' : at + 1}]}"`).join(' ')}`,
  ),
  ofWords(
    'variables',
    'appended array',
    'an array that grows by +=',
    (words) => `a=(); ${words.map((word) => `a+=(${text.plain(word)})`).join('; ')}; "\${a[@]}"`,
  ),
  ofWords(
    'variables',
    'slice of an array',
    'a slice of a longer array',
    (words) => `a=(echo no ${text.join(words)}); "\${a[@]:2}"`,
  ),
  ofProgram(
    'variables',
    'associative array',
    'the program under a key',
    (program) => `declare -A m=([k]=${program}); "\${m[k]}"`,
  ),
  ofWords(
    'variables',
    'positional parameters',
    'set -- and "$@"',
    (words, random) =>
      `set -- ${text.join(words)}; ${random.pick(['"$@"', '"${@}"', '"${@:1}"', words.map((_, at) => `"\${${at + 1}}"`).join(' ')])}`,
  ),
  ofWords(
    'variables',
    'shifted parameters',
    'set --, shift, "$@"',
    (words) => `set -- echo ${text.join(words)}; shift; "$@"`,
  ),
  ofProgram(
    'variables',
    'printf -v',
    'printf writes the program to a variable',
    (program, random) =>
      `printf -v X ${random.pick([`'%s' ${program}`, `'${[...program].map((letter) => text.hex(letter.charCodeAt(0))).join('')}'`, `%s%s ${program.slice(0, 1)} ${program.slice(1) || "''"}`])}; $X`,
  ),
  ofProgram(
    'variables',
    'read',
    'read takes the program from a here-string',
    (program) => `read -r X <<< ${program}; $X`,
  ),
  ofWords('variables', 'read into an array', 'read -a takes the words from a here-string', (words) =>
    allBare(words) ? `read -ra a <<< '${words.join(' ')}'; "\${a[@]}"` : null,
  ),
  ofWords('variables', 'mapfile', 'mapfile takes the words from a here-string, one a line', (words) =>
    words.some((word) => word.includes('\n'))
      ? null
      : `mapfile -t a <<< ${text.escaped(words.join('\n'), (code) => (code === 10 ? '\\n' : text.hex(code)))}; "\${a[@]}"`,
  ),
  ofProgram('variables', 'substring', '${x:1:2}', (program) => `X=ab${program}yz; \${X:2:${program.length}}`),
  ofProgram(
    'variables',
    'prefix cut off',
    '${x#pattern}',
    (program, random) => `X=zz_${program}; ${random.pick(['${X#zz_}', '${X#*_}', '${X##*_}'])}`,
  ),
  ofProgram(
    'variables',
    'suffix cut off',
    '${x%pattern}',
    (program, random) => `X=${program}_zz; ${random.pick(['${X%_zz}', '${X%_*}', '${X%%_*}'])}`,
  ),
  ofProgram('variables', 'replaced', '${x/a/b}', (program, random) => {
    const at = inside(program, random);
    return `X=${program.slice(0, at)}QQ${program.slice(at)}; ${random.pick(['${X/QQ/}', '${X//Q/}', '${X/QQ}'])}`;
  }),
  ofProgram('variables', 'lower case', '${X,,} of capitals', (program) =>
    program === program.toLowerCase() ? `X=${program.toUpperCase()}; \${X,,}` : null,
  ),
  ofProgram('variables', 'lower case by declaration', 'declare -l', (program) =>
    program === program.toLowerCase() ? `declare -l X=${program.toUpperCase()}; $X` : null,
  ),
  ofProgram('variables', 'transformed', '${x@E}, ${x@L}', (program) =>
    program === program.toLowerCase() ? `X=${program.toUpperCase()}; \${X@L}` : null,
  ),
  ofProgram(
    'variables',
    'escapes in a variable',
    "X=$'\\x..'",
    (program) => `X=${text.escaped(program, text.hex)}; $X`,
  ),
  ofProgram(
    'variables',
    'exported to a child',
    'export X=rm; bash -c uses it',
    (program) => `export X=${program}; bash -c '$X "$@"' _`,
  ),
  ofProgram(
    'variables',
    'assigned for a child',
    'X=rm bash -c uses it',
    (program) => `X=${program} bash -c '"$X" "$@"' _`,
  ),
  ofProgram('variables', 'loop variable', 'for X in rm', (program) => `for X in ${program}; do :; done; $X`),
  ofWords('variables', 'loop over targets', 'for d in TARGET; do rm -rf "$d"; done', (words) =>
    words.length < 2
      ? null
      : `for d in ${text.plain(words.at(-1) ?? '')}; do ${text.join(words.slice(0, -1))} "$d"; done`,
  ),
  ofWords('variables', 'read loop over targets', 'while read -r d takes the target from a pipe', (words) =>
    words.length < 2 || /[\n\\]/.test(words.at(-1) ?? '')
      ? null
      : `printf '%s\\n' ${text.plain(words.at(-1) ?? '')} | while read -r d; do ${text.join(words.slice(0, -1))} "$d"; done`,
  ),
  ofProgram(
    'variables',
    'last argument',
    '$_ is the last word of the command before',
    (program) => `: ${program}; $_`,
  ),
  ofWords('variables', 'local in a function', 'a local variable of a function', (words) => {
    const given = parts(words);
    return given === null ? null : `f() { local X=${given.program}; $X "$@"; }; f${given.rest}`;
  }),
  ofProgram(
    'variables',
    'chosen by case',
    'a case statement sets the program',
    (program) => `case $HOME in /*) X=${program};; *) X=true;; esac; $X`,
  ),
  ofProgram('variables', 'joined by IFS', '"${a[*]}" with an empty IFS', (program) =>
    program.length < 2 ? null : `a=(${[...program].join(' ')}); IFS=; X="\${a[*]}"; unset IFS; $X`,
  ),
];

/** Ways to make a text by running something. */
const makers: Readonly<Record<string, { about: string; make: (word: string) => string }>> = {
  echo: { about: 'echo prints it', make: (word) => `echo ${text.plain(word)}` },
  printf: { about: 'printf prints it', make: (word) => `printf %s ${text.plain(word)}` },
  'printf escapes': {
    about: 'printf decodes it',
    make: (word) => `printf '${[...word].map((letter) => text.hex(letter.charCodeAt(0))).join('')}'`,
  },
  'printf octal': {
    about: 'printf decodes octal numbers',
    make: (word) => `printf '${[...word].map((letter) => text.octal(letter.charCodeAt(0))).join('')}'`,
  },
  'echo -e': {
    about: 'echo -e decodes it',
    make: (word) => `echo -e '${[...word].map((letter) => text.hex(letter.charCodeAt(0))).join('')}'`,
  },
  base64: { about: 'base64 -d decodes it', make: (word) => `echo ${text.base64(word)} | base64 -d` },
  'base64 here-string': {
    about: 'base64 reads a here-string',
    make: (word) => `base64 --decode <<< ${text.base64(word)}`,
  },
  openssl: {
    about: 'openssl decodes base64',
    make: (word) => `echo ${text.base64(word)} | openssl base64 -d -A`,
  },
  xxd: { about: 'xxd decodes hexadecimal', make: (word) => `echo ${text.hexText(word)} | xxd -r -p` },
  rev: {
    about: 'rev turns it round',
    make: (word) => `echo ${text.plain([...word].reverse().join(''))} | rev`,
  },
  tr: {
    about: 'tr undoes a shift of letters',
    make: (word) => `echo ${text.plain(shifted(word))} | tr 'n-za-mN-ZA-M' 'a-zA-Z'`,
  },
  'tr -d': {
    about: 'tr takes out a letter',
    make: (word) => `echo ${text.plain([...word].join('Q'))} | tr -d Q`,
  },
  cut: { about: 'cut takes a field', make: (word) => `echo ${text.plain(`zz:${word}:yy`)} | cut -d: -f2` },
  sed: { about: 'sed replaces a part', make: (word) => `echo ${text.plain(`QQ${word}`)} | sed s/QQ//` },
  head: {
    about: 'head takes the first line',
    make: (word) => `printf '%s\\n' ${text.plain(word)} other | head -n 1`,
  },
  tail: {
    about: 'tail takes the last line',
    make: (word) => `printf '%s\\n' other ${text.plain(word)} | tail -n1`,
  },
  gzip: {
    about: 'gzip unpacks it',
    make: (word) => `echo ${gzipSync(word).toString('base64')} | base64 -d | gzip -d`,
  },
  zcat: {
    about: 'zcat unpacks it',
    make: (word) => `echo ${gzipSync(word).toString('base64')} | base64 -d | zcat`,
  },
  awk: { about: 'awk prints it', make: (word) => `awk 'BEGIN { print ${JSON.stringify(word)} }'` },
  python: {
    about: 'python prints it',
    make: (word) => `python3 -c ${text.single(`print(${JSON.stringify(word)})`)}`,
  },
  'cat here-document': { about: 'cat prints a here-string', make: (word) => `cat <<< ${text.plain(word)}` },
};

/** Letters moved by thirteen places. */
function shifted(word: string): string {
  return word.replace(/[a-zA-Z]/g, (letter) => {
    const first = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - first + 13) % 26) + first);
  });
}

/** Whether every way to make a text can make this one. */
function isMakeable(word: string): boolean {
  return /^[\x20-\x7e]+$/.test(word) && !/[\\:Q]/.test(word) && !/^[-\s]|\s$/.test(word);
}

const substitution: readonly Transform[] = [
  ...Object.entries(makers).flatMap(([name, { about, make }]) => [
    ofProgram('substitution', `program by ${name}`, `the program in $( ), where ${about}`, (program) =>
      isMakeable(program) ? `$(${make(program)})` : null,
    ),
    ofWords('substitution', `target by ${name}`, `the last word in "$( )", where ${about}`, (words) => {
      const last = words.at(-1) ?? '';
      return words.length < 2 || !isMakeable(last)
        ? null
        : `${text.join(words.slice(0, -1))} "$(${make(last)})"`;
    }),
  ]),
  ofProgram(
    'substitution',
    'program in backquotes',
    'the program in backquotes',
    (program) => `\`echo ${program}\``,
  ),
  ofProgram('substitution', 'half by substitution', 'one part of the program in $( )', (program, random) => {
    const at = inside(program, random);
    return `${program.slice(0, at)}$(printf %s ${program.slice(at) || "''"})`;
  }),
  ofProgram(
    'substitution',
    'variable from a substitution',
    'X=$(echo rm); $X',
    (program) => `X=$(echo ${program}); $X`,
  ),
  ofProgram(
    'substitution',
    'program by its path',
    '$(command -v rm), $(which rm)',
    (program, random) => `$(${random.pick(['command -v', 'which', 'type -P'])} ${program})`,
  ),
  ofProgram(
    'substitution',
    'program from a file',
    '$(<file), with the file written before',
    (program) => `echo ${program} > /tmp/name; $(</tmp/name)`,
  ),
  ofProgram(
    'substitution',
    'function that prints it',
    'a function prints the program',
    (program) => `name() { echo ${program}; }; $(name)`,
  ),
];

const encodings: readonly Transform[] = [
  ...Object.entries(makers).map(([name, { about, make }]) =>
    ofScript(
      'encoding',
      `piped by ${name}`,
      `a shell reads the script from a pipe, where ${about}`,
      (given, random) =>
        isMakeable(given)
          ? `${make(given)} | ${random.pick(['sh', 'bash', 'bash -s', 'sh -', 'sudo bash', 'env bash'])}`
          : null,
    ),
  ),
  ...Object.entries(makers).map(([name, { about, make }]) =>
    ofScript(
      'encoding',
      `evaluated by ${name}`,
      `eval or sh -c of the script in $( ), where ${about}`,
      (given, random) =>
        isMakeable(given) ? `${random.pick(['eval', 'bash -c', 'sh -c'])} "$(${make(given)})"` : null,
    ),
  ),
  ofScript(
    'encoding',
    'base64 of anything',
    'base64 of the script, whatever it holds, piped to a shell',
    (given, random) => `echo ${text.base64(given)} | base64 ${random.pick(['-d', '--decode', '-di'])} | bash`,
  ),
  ofScript(
    'encoding',
    'base64 in a variable',
    'base64 of the script in a variable, decoded and evaluated',
    (given) => `B=${text.base64(given)}; eval "$(echo "$B" | base64 -d)"`,
  ),
  ofScript(
    'encoding',
    'hexadecimal of anything',
    'hexadecimal of the script, decoded by xxd',
    (given) => `xxd -r -p <<< ${text.hexText(given)} | bash`,
  ),
  ofScript(
    'encoding',
    'twice base64',
    'base64 of base64',
    (given) => `echo ${text.base64(text.base64(given))} | base64 -d | base64 -d | sh`,
  ),
  ofScript(
    'encoding',
    'gzip of anything',
    'a packed script, decoded, unpacked and run',
    (given) => `echo ${gzipSync(given).toString('base64')} | base64 -d | gunzip -c | bash`,
  ),
  ofScript(
    'encoding',
    'python decodes',
    'python decodes the script and runs it',
    (given) => `python3 -c "import base64,os; os.system(base64.b64decode('${text.base64(given)}').decode())"`,
  ),
  ofScript(
    'encoding',
    'python executes decoded code',
    'python executes code that it decodes',
    (given) =>
      `python3 -c "exec(__import__('base64').b64decode('${text.base64(`import os; os.system(${JSON.stringify(given)})`)}'))"`,
  ),
  ofScript(
    'encoding',
    'base64 to a process substitution',
    'bash reads decoded text as a file',
    (given) => `bash <(echo ${text.base64(given)} | base64 -d)`,
  ),
  ofScript(
    'encoding',
    'base64 to source',
    'source reads decoded text',
    (given) => `source /dev/stdin <<< "$(base64 -d <<< ${text.base64(given)})"`,
  ),
];

const wrappers: readonly Transform[] = [
  ...(
    [
      [
        ['sudo'],
        ['sudo', '-n'],
        ['sudo', '-E', '-u', 'root'],
        ['sudo', '--'],
        ['doas'],
        ['doas', '-u', 'root'],
      ],
      [
        ['env'],
        ['env', 'A=1', 'B=2'],
        ['env', '-u', 'A'],
        ['/usr/bin/env'],
        ['env', '--'],
        ['env', '-C', '/'],
      ],
      [
        ['env', '-i', 'PATH=/tmp/oracle/stubs:/usr/sbin:/usr/bin'],
        ['env', '-', 'PATH=/tmp/oracle/stubs:/usr/bin:/usr/sbin'],
      ],
      [
        ['nohup'],
        ['nice'],
        ['nice', '-n', '5'],
        ['nice', '-5'],
        ['ionice', '-c', '3'],
        ['setsid', '-w'],
        ['setsid', '--wait'],
      ],
      [
        ['timeout', '5'],
        ['timeout', '-k', '1', '--signal=TERM', '5s'],
        ['timeout', '--preserve-status', '5'],
      ],
      [
        ['stdbuf', '-oL'],
        ['stdbuf', '-i0', '-o0', '-e0'],
        ['taskset', '1'],
        ['taskset', '-c', '0'],
        ['prlimit', '--nofile=100'],
      ],
      [['setarch', '-R'], ['linux64'], ['flock', './lock'], ['flock', '-n', '/tmp/lock']],
      [['run-with-retries'], ['with-secrets', '--profile', 'production', '--']],
      [
        ['bash', '-c', '"$@"', '_'],
        ['sh', '-c', 'exec "$@"', '--'],
        ['bash', '-c', '$0 "$@"'],
      ],
      [
        ['xargs', '-a', '/dev/null'],
        ['perl', '-e', 'exec @ARGV'],
        ['python3', '-c', 'import sys,os; os.execvp(sys.argv[1], sys.argv[1:])'],
      ],
    ] as const
  )
    .flat()
    .map((prefix: readonly string[]) =>
      wordsToWords(prefix.join(' '), `${prefix[0]} starts the program`, (words) =>
        // These start the words as they come, and must find a program first.
        words[0]?.includes('=') ? null : [...prefix, ...words],
      ),
    ),
  wordsToWords('find -exec', 'find starts the program once', (words) =>
    words.includes(';') || words.includes('+')
      ? null
      : ['find', '.', '-maxdepth', '0', '-exec', ...words, ';'],
  ),
  wordsToWords('env -S', 'env splits one word into a command', (words) =>
    allBare(words) ? ['env', '-S', words.join(' ')] : null,
  ),
  wordsToWords('python list', 'python starts the program with a list of words', (words) => [
    'python3',
    '-c',
    `import subprocess; subprocess.run(${JSON.stringify(words)})`,
  ]),
  wordsToWords('python split import', 'python starts the program through a name made of parts', (words) => [
    'python3',
    '-c',
    `getattr(__import__('sub'+'process'), 'ca'+'ll')(${JSON.stringify(words)})`,
  ]),
  wordsToWords('perl list', 'perl starts the program with a list of words', (words) =>
    words.some((word) => /['\\\n]/.test(word))
      ? null
      : ['perl', '-e', `system(${words.map((word) => `'${word}'`).join(', ')})`],
  ),
  wordsToWords('node list', 'node starts the program with a list of words', (words) => [
    'node',
    '-e',
    `require('child_process').spawnSync(${JSON.stringify(words[0])}, ${JSON.stringify(words.slice(1))})`,
  ]),
  ofWords(
    'wrapper',
    'command builtin',
    'command, builtin and their options before the program',
    (words, random) =>
      builtins.has(words[0] ?? '')
        ? null
        : `${random.pick(['command', 'command --', 'command -p', 'builtin command', 'command command'])} ${text.join(words)}`,
  ),
  ofWords('wrapper', 'exec builtin', 'exec before the program', (words, random) =>
    builtins.has(words[0] ?? '')
      ? null
      : `${random.pick(['exec', 'exec --', 'exec -a other', 'exec -l'])} ${text.join(words)}`,
  ),
  ofWords(
    'wrapper',
    'time',
    'time before the program',
    (words, random) => `${random.pick(['time', 'time -p', '! time', 'time !'])} ${text.join(words)}`,
  ),
  ofWords('wrapper', 'xargs gives the target', 'xargs appends the last word', (words) =>
    words.length < 2 || !allBare(words)
      ? null
      : `echo ${words.at(-1)} | xargs ${words.slice(0, -1).join(' ')}`,
  ),
  ofWords('wrapper', 'xargs gives all arguments', 'xargs appends every argument', (words) =>
    words.length < 2 || !allBare(words)
      ? null
      : `printf '%s ' ${words.slice(1).join(' ')} | xargs ${words[0]}`,
  ),
  ofWords('wrapper', 'xargs gives the program', 'xargs takes the program itself from its input', (words) =>
    allBare(words) && !builtins.has(words[0] ?? '') ? `echo ${words.join(' ')} | xargs env` : null,
  ),
  ofWords('wrapper', 'xargs replaces', 'xargs -I puts the last word in its place', (words, random) => {
    const holder = random.pick(['{}', '%', '@@']);
    return words.length < 2 || !allBare(words)
      ? null
      : `echo ${words.at(-1)} | xargs -I${holder} ${words.slice(0, -1).join(' ')} ${holder}`;
  }),
  ofWords(
    'wrapper',
    'find gives the target',
    'find -exec with {} in place of the target',
    (words, random) => {
      const last = words.at(-1) ?? '';
      return words.length < 2 || !last.startsWith('/')
        ? null
        : `find ${text.plain(last)} -maxdepth 0 -exec ${text.join(words.slice(0, -1))} {} ${random.pick(['\\;', '+', "';'"])}`;
    },
  ),
  ofWords('wrapper', 'find pipes to xargs', 'find -print0 and xargs -0 make the target', (words) => {
    const last = words.at(-1) ?? '';
    return words.length < 2 || !last.startsWith('/')
      ? null
      : `find ${text.plain(last)} -maxdepth 0 -print0 | xargs -0 ${text.join(words.slice(0, -1))}`;
  }),
  ofWords('wrapper', 'alias', 'an alias for the program', (words) => {
    const given = parts(words);
    return given === null ? null : `shopt -s expand_aliases\nalias zz='${given.program}'\nzz${given.rest}`;
  }),
  ofWords(
    'wrapper',
    'function passes on',
    'a function passes its arguments to the program',
    (words, random) => {
      const given = parts(words);
      if (given === null) return null;
      return random.pick([
        `run() { "$@"; }; run ${given.program}${given.rest}`,
        `tidy() { ${given.program} "$@"; }; tidy${given.rest}`,
        `function tidy { command ${given.program} "\${@}"; }\ntidy${given.rest}`,
      ]);
    },
  ),
];

const interpreters: readonly Transform[] = [
  ...(
    [
      ['bash', '-c'],
      ['sh', '-c'],
      ['dash', '-c'],
      ['bash', '-ec'],
      ['bash', '-e', '-c'],
      ['bash', '--norc', '--noprofile', '-c'],
      ['bash', '-o', 'pipefail', '-c'],
      ['/bin/bash', '-xc'],
      ['sudo', 'bash', '-c'],
      ['env', 'sh', '-c'],
      ['timeout', '5', 'bash', '-c'],
      ['flock', './lock', '-c'],
      ['xargs', '-a', '/dev/null', 'sh', '-c'],
    ] as const
  ).map((prefix: readonly string[]) =>
    scriptToWords(`${prefix.join(' ')} script`, `${prefix[0]} runs the script as text`, (given) =>
      // dash and sh do not know all of bash, and the oracle says so.
      [...prefix, given],
    ),
  ),
  scriptToWords('eval', 'eval runs the script', (given) => ['eval', given]),
  scriptToWords('script -c', 'script runs the script for a record', (given) => [
    'script',
    '-qec',
    given,
    '/dev/null',
  ]),
  scriptToWords('git alias', 'git runs an alias that is a shell command', (given) =>
    /[\n"]/.test(given) ? null : ['git', '-c', `alias.zz=!${given}`, 'zz'],
  ),
  scriptToWords('tar checkpoint', 'tar runs an action at a checkpoint', (given) =>
    given.includes('\n')
      ? null
      : ['tar', 'cf', '/dev/null', '--checkpoint=1', `--checkpoint-action=exec=${given}`, '.'],
  ),
  scriptToWords('find runs a shell', 'find -exec starts a shell with the script', (given) => [
    'find',
    '.',
    '-maxdepth',
    '0',
    '-exec',
    'sh',
    '-c',
    given,
    ';',
  ]),
  scriptToWords('python os.system', 'python gives the script to a shell', (given, random) => {
    const literal = JSON.stringify(given);
    const code = random.pick([
      `import os; os.system(${literal})`,
      `import os as o; o.popen(${literal}).read()`,
      `from os import system as run; run(${literal})`,
      `import subprocess; subprocess.run(${literal}, shell=True)`,
      `import subprocess as s; s.check_output(${literal}, shell=True)`,
      `import subprocess; subprocess.Popen(['bash', '-c', ${literal}]).wait()`,
      `__import__('os').system(${literal})`,
      `import os; getattr(os, 'sys' + 'tem')(${literal})`,
      `import os; command = ${literal}; os.system(command)`,
      `exec("import os; os.system(" + repr(${literal}) + ")")`,
    ]);
    return /^[\x0a\x20-\x7e]*$/.test(given) ? ['python3', '-c', code] : null;
  }),
  scriptToWords('perl system', 'perl gives the script to a shell', (given, random) =>
    /['\\]/.test(given)
      ? null
      : [
          'perl',
          '-e',
          random.pick([`system('${given}')`, `exec '${given}'`, `my $x = '${given}'; print \`$x\``]),
        ],
  ),
  scriptToWords('node exec', 'node gives the script to a shell', (given, random) => [
    'node',
    '-e',
    random.pick([
      `require('child_process').execSync(${JSON.stringify(given)})`,
      `const { execSync: run } = require('node:child_process'); run(${JSON.stringify(given)})`,
      `require('child_process')['ex' + 'ecSync'](${JSON.stringify(given)})`,
      `import('node:child_process').then((c) => c.execSync(${JSON.stringify(given)}))`,
    ]),
  ]),
  scriptToWords('awk system', 'awk gives the script to a shell', (given) =>
    /[\n\\]/.test(given) ? null : ['awk', `BEGIN { system(${JSON.stringify(given)}) }`],
  ),
  scriptToWords('awk pipe', 'awk prints into a shell', (given) =>
    /[\n\\]/.test(given) ? null : ['awk', `BEGIN { print ${JSON.stringify(given)} | "sh" }`],
  ),
  scriptToWords('sed e', 'sed runs a command that its script names', (given) =>
    given.includes('\n') || given.includes('\\') ? null : ['sed', '-n', `1e ${given}`, '/etc/passwd'],
  ),
  scriptToWords('vim', 'vim runs a command of the shell', (given) =>
    /[\n|%#!\\]/.test(given) ? null : ['vim', '-es', '-u', 'NONE', '-c', `!${given}`, '-c', 'q!'],
  ),
  scriptToWords('gdb', 'gdb runs a command of the shell', (given) =>
    given.includes('\n') ? null : ['gdb', '-batch', '-ex', `shell ${given}`],
  ),
  ofScript('interpreter', 'make', 'make reads a rule from its input', (given) =>
    given.includes('\n')
      ? null
      : `make -s -f - <<'${text.mark(given)}'\nall:\n\t@${given.replaceAll('$', '$$$$')}\n${text.mark(given)}`,
  ),
  ofScript(
    'interpreter',
    'here-string',
    'a shell reads a here-string',
    (given, random) =>
      `${random.pick(['bash', 'sh', 'bash -s', 'bash /dev/stdin', 'source /dev/stdin', '. /dev/stdin'])} <<< ${text.single(given)}`,
  ),
  ofScript(
    'interpreter',
    'here-document',
    'a shell reads a here-document',
    (given, random) =>
      `${random.pick(['bash', 'sh', 'bash -s --', 'sudo sh', 'env bash'])} <<'${text.mark(given)}'\n${given}\n${text.mark(given)}`,
  ),
  ofScript('interpreter', 'here-document with tabs', 'a shell reads an indented here-document', (given) =>
    given.includes('\n') ? null : `bash <<-'END'\n\t\t${given}\n\tEND`,
  ),
  ofScript('interpreter', 'open here-document', 'a shell reads a here-document without quotes', (given) =>
    /[\\$`]/.test(given) ? null : `bash <<${text.mark(given)}\n${given}\n${text.mark(given)}`,
  ),
  ofScript(
    'interpreter',
    'cat pipes a here-document',
    'cat pipes a here-document to a shell',
    (given) => `cat <<'${text.mark(given)}' | bash\n${given}\n${text.mark(given)}`,
  ),
  ofScript(
    'interpreter',
    'python here-document',
    'python reads a here-document that runs the script',
    (given) => `python3 - <<'PY'\nimport os\nos.system(${JSON.stringify(given)})\nPY`,
  ),
  ofScript(
    'interpreter',
    'process substitution',
    'a shell or source reads a process substitution',
    (given, random) =>
      `${random.pick(['bash', 'sh', 'source', '.'])} <(printf '%s\\n' ${text.single(given)})`,
  ),
  ofScript('interpreter', 'echo pipes', 'echo pipes the script to a shell', (given, random) =>
    given.includes('\\')
      ? null
      : `echo ${text.single(given)} | ${random.pick(['bash', 'sh', 'sudo sh', 'bash -', 'tee /dev/null | sh', 'cat | bash', 'nohup bash'])}`,
  ),
  ofScript('interpreter', 'xargs runs a shell', 'xargs hands the script to sh -c', (given) =>
    /['"\\\n]/.test(given) ? null : `echo ${text.single(given)} | xargs -I% sh -c %`,
  ),
  ofScript(
    'interpreter',
    'script as a parameter',
    'the script is a parameter that the inner shell evaluates',
    (given, random) =>
      random.pick([
        `bash -c 'eval "$1"' _ ${text.single(given)}`,
        `bash -c 'eval "$0"' ${text.single(given)}`,
        `S=${text.single(given)} bash -c 'eval "$S"'`,
        `export S=${text.single(given)}; bash -c "$S"`,
      ]),
  ),
  ofScript(
    'interpreter',
    'startup file',
    'BASH_ENV names a file that a shell reads first',
    (given) => `echo ${text.single(given)} > /tmp/env; BASH_ENV=/tmp/env bash -c :`,
  ),
];

const evaluation: readonly Transform[] = [
  ofScript(
    'evaluation',
    'eval of a variable',
    'the script in a variable, evaluated',
    (given, random) =>
      `C=${text.single(given)}; ${random.pick(['eval "$C"', 'eval "${C}"', 'command eval "$C"', 'builtin eval "$C"', 'bash -c "$C"', 'bash <<< "$C"', 'echo "$C" | bash'])}`,
  ),
  ofScript(
    'evaluation',
    'prompt expansion',
    '${x@P} expands a text as a prompt',
    (given) => `x=${text.single(text.substituted(given))}; : "\${x@P}"`,
  ),
  ofScript(
    'evaluation',
    'trace prompt',
    'set -x expands PS4',
    (given) => `PS4=${text.single(`${text.substituted(given)} `)}; set -x; :`,
  ),
  ofScript(
    'evaluation',
    'arithmetic index',
    'an index inside arithmetic is expanded',
    (given, random) =>
      `x=${text.single(`a[${text.substituted(given)}]`)}; ${random.pick(['echo $((x))', '[[ x -eq 0 ]]', '(( x ))', 'let x'])}`,
  ),
  ofScript(
    'evaluation',
    'trap on exit',
    'a trap runs when the shell ends',
    (given, random) => `trap ${text.single(given)} ${random.pick(['EXIT', '0', 'exit'])}; echo done`,
  ),
  ofScript(
    'evaluation',
    'trap on error',
    'a trap runs when a command fails',
    (given) => `trap ${text.single(given)} ERR; false`,
  ),
  ofScript(
    'evaluation',
    'trap on every command',
    'a trap runs before each command',
    (given) => `trap ${text.single(given)} DEBUG; :`,
  ),
  ofScript('evaluation', 'alias of a script', 'an alias holds the whole script', (given) =>
    given.includes('\n') ? null : `shopt -s expand_aliases\nalias zz=${text.single(given)}\nzz`,
  ),
  ofScript('evaluation', 'evaluated in pieces', 'eval joins words of its own', (given) =>
    /^[\w ./:=@%+,-]+$/.test(given) ? `eval ${given.split(' ').map(text.single).join(' ')}` : null,
  ),
  ofScript(
    'evaluation',
    'callback of mapfile',
    'mapfile -C calls a command',
    (given) => `f() {${text.body(given)}}; mapfile -C f -c 1 a <<< x`,
  ),
];

const positions: readonly Transform[] = [
  ...(
    [
      ['after a semicolon', (given: string) => `echo ok; ${given}`],
      ['after success', (given: string) => `true && ${given}`],
      ['after failure', (given: string) => `false || ${given}`],
      ['on the next line', (given: string) => `echo ok\n${given}`],
      ['after a comment', (given: string) => `echo ok # nothing to see\n${given}`],
      ['before more', (given: string) => `${given}\necho done`],
      ['in the background', (given: string) => `{${text.body(given)}} & wait`],
      ['in braces', (given: string) => `{${text.body(given)}}`],
      [
        'in a subshell',
        (given: string) => `(${/\n|#/.test(given) || given.startsWith('(') ? `\n${given}\n` : given})`,
      ],
      ['negated', (given: string) => `! {${text.body(given)}}`],
      ['first of a pipe', (given: string) => `{${text.body(given)}} | cat`],
      ['last of a pipe', (given: string) => `echo yes | {${text.body(given)}}`],
      ['in then', (given: string) => `if true; then${text.body(given)}fi`],
      ['in else', (given: string) => `if false; then :; else${text.body(given)}fi`],
      ['as a condition', (given: string) => `if${text.body(given)}then :; fi`],
      ['in a for loop', (given: string) => `for i in 1; do${text.body(given)}done`],
      ['in a counting loop', (given: string) => `for ((i=0; i<1; i++)); do${text.body(given)}done`],
      ['in a while loop', (given: string) => `while true; do${text.body(given)}break; done`],
      ['as the condition of a loop', (given: string) => `while${text.body(given)}false; do :; done`],
      ['in an until loop', (given: string) => `until false; do${text.body(given)}break; done`],
      ['in a case', (given: string) => `case x in x)${text.body(given)};; esac`.replace('; ;;', ' ;;')],
      ['in a function', (given: string) => `f() {${text.body(given)}}; f`],
      ['in a function with the keyword', (given: string) => `function f {${text.body(given)}}\nf`],
      ['in a function that is a subshell', (given: string) => `f() (\n${given}\n)\nf`],
      ['in a function within a function', (given: string) => `f() { g() {${text.body(given)}}; g; }; f`],
      ['as an argument', (given: string) => `echo ${text.substituted(given)}`],
      ['as an argument in backquotes', (given: string) => `echo ${text.backquoted(given)}`],
      ['inside double quotes', (given: string) => `echo "x ${text.substituted(given)} y"`],
      ['in an assignment', (given: string) => `x=${text.substituted(given)}`],
      ['in an export', (given: string) => `export X="${text.substituted(given)}"`],
      ['in an array', (given: string) => `a=(${text.substituted(given)})`],
      [
        'in an index',
        (given: string) => `a[\${#b}$(${given.includes('\n') ? `\n${given}\n` : given} >/dev/null)]=1`,
      ],
      ['in a test', (given: string) => `[[ -n ${text.substituted(given)} ]]`],
      ['in an old test', (given: string) => `[ -z "${text.substituted(given)}" ]`],
      [
        'in arithmetic',
        (given: string) =>
          `echo $((1 + $(${given.includes('\n') ? `\n${given}\n` : given} >/dev/null; echo 1)))`,
      ],
      ['as a default value', (given: string) => `echo "\${unset_name:-${text.substituted(given)}}"`],
      ['as the word of a case', (given: string) => `case ${text.substituted(given)} in *) ;; esac`],
      ['as the list of a loop', (given: string) => `for i in ${text.substituted(given)}; do :; done`],
      ['as the name of a file', (given: string) => `echo x > "/tmp/out${text.substituted(given)}"`],
      ['in a here-string', (given: string) => `wc -l <<< "${text.substituted(given)}"`],
      [
        'in a here-document',
        (given: string) => `wc -l <<END_OF_TEXT\n${text.substituted(given)}\nEND_OF_TEXT`,
      ],
      [
        'in a process substitution',
        (given: string) => `wc -l <(${given.includes('\n') ? `\n${given}\n` : given})`,
      ],
      [
        'in an outgoing process substitution',
        (given: string) => `echo hi > >(${given.includes('\n') ? `\n${given}\n` : given})`,
      ],
      ['in a coprocess', (given: string) => `coproc {${text.body(given)}}; wait`],
      ['timed', (given: string) => `time {${text.body(given)}}`],
      ['after a here-document', (given: string) => `wc -l <<'END_OF_TEXT'\nharmless\nEND_OF_TEXT\n${given}`],
      ['after many', (given: string) => `${'echo ok; '.repeat(40)}${given}`],
      ['after a change of folder', (given: string) => `cd src && ${given}`],
      ['after set -e', (given: string) => `set -euo pipefail\n${given}`],
    ] as const
  ).map(([name, make]) => ofScript('position', name, `the script stands ${name}`, make)),
];

const written: readonly Transform[] = [
  ...(
    [
      ['echo', (given: string, file: string) => `echo ${text.single(given)} > ${file}`],
      ['printf', (given: string, file: string) => `printf '%s\\n' ${text.single(given)} > ${file}`],
      [
        'cat',
        (given: string, file: string) =>
          `cat > ${file} <<'${text.mark(given)}'\n${given}\n${text.mark(given)}`,
      ],
      [
        'cat backwards',
        (given: string, file: string) =>
          `cat <<'${text.mark(given)}' > ${file}\n${given}\n${text.mark(given)}`,
      ],
      ['tee', (given: string, file: string) => `echo ${text.single(given)} | tee ${file} >/dev/null`],
      [
        'two appends',
        (given: string, file: string) =>
          `echo '#!/bin/bash' > ${file}; echo ${text.single(given)} >> ${file}`,
      ],
      ['base64', (given: string, file: string) => `base64 -d <<< ${text.base64(given)} > ${file}`],
      [
        'dd',
        (given: string, file: string) => `printf '%s\\n' ${text.single(given)} | tee -a ${file} > /dev/null`,
      ],
    ] as const
  ).map(([name, write]) =>
    ofScript(
      'written',
      `written by ${name}`,
      `${name} writes the script to a file, which is run`,
      (given, random) => {
        if (given.includes('\\') && name === 'echo') return null;
        const file = random.pick(['./job.sh', '/tmp/job.sh', 'job', '"$HOME/job"']);
        const run = random.pick([
          `bash ${file}`,
          `sh ${file}`,
          `source ${file === 'job' ? './job' : file}`,
          `chmod +x ${file} && ${file === 'job' ? './job' : file}`,
          `bash < ${file}`,
          `cat ${file} | bash`,
          `. ${file === 'job' ? './job' : file}`,
          `eval "$(cat ${file})"`,
          `cp ${file} /tmp/other; bash /tmp/other`,
        ]);
        return `${write(given, file)}\n${run}`;
      },
    ),
  ),
  ofScript(
    'written',
    'installed',
    'install writes the script from its input and sets its mode',
    (given) =>
      `install -m 755 /dev/stdin ./tool <<'${text.mark(given)}'\n#!/bin/bash\n${given}\n${text.mark(given)}\n./tool`,
  ),
  ofScript(
    'written',
    'python file',
    'a file of python is written and run',
    (given) => `cat > job.py <<'PY'\nimport os\nos.system(${JSON.stringify(given)})\nPY\npython3 job.py`,
  ),
  ofScript('written', 'makefile', 'a makefile is written and made', (given) =>
    given.includes('\n') || given.includes('\\')
      ? null
      : `printf 'all:\\n\\t%s\\n' ${text.single(given.replaceAll('$', '$$$$'))} > Makefile; make -s`,
  ),
  ofScript(
    'written',
    'sourced from a folder in PATH',
    'a file in a folder of PATH is called by its name',
    (given) =>
      `mkdir -p /tmp/bin; printf '#!/bin/bash\\n%s\\n' ${text.single(given)} > /tmp/bin/tidy-up; chmod +x /tmp/bin/tidy-up; PATH=/tmp/bin:$PATH tidy-up`,
  ),
];

/** All of them. */
export const transforms: readonly Transform[] = [
  ...quoting,
  ...wordTricks,
  ...variables,
  ...substitution,
  ...encodings,
  ...wrappers,
  ...interpreters,
  ...evaluation,
  ...positions,
  ...written,
];

/** Applies one to a form, or gives null where it does not fit. */
export function applyTransform(transform: Transform, form: Form, random: Random): Form | null {
  if (transform.from === 'words') return form.kind === 'words' ? transform.apply(form.words, random) : null;
  return form.kind === 'script' ? transform.apply(form.text, random) : null;
}
