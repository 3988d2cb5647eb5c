// Commands that are made to cost much: deep nesting, growth by doubling, long lists; and ordinary ones to bend.

import { gzipSync } from 'node:zlib';
import { everyday, mentions } from '../metamorphic/benign.ts';
import { composedCases } from '../metamorphic/generator.ts';
import { base64, single } from '../metamorphic/quoting.ts';

/** The longest input that is judged as a whole, in bytes. */
export const largest = 64 * 1024;

/** Repeated up to the largest size, each alone and with its end. */
const openers: readonly (readonly [string, string])[] = [
  ['$[', ']'],
  ['$(', ')'],
  ['$((', '))'],
  ['((', '))'],
  ['(', ')'],
  ['( ', ') '],
  ['{ ', '; }'],
  ['{a,', '}'],
  ['{a,b}', ''],
  ['{1..9}', ''],
  ['${x:-', '}'],
  ['${x[', ']}'],
  ['${', '}'],
  ['"$(', ')"'],
  ['"${x:-', '}"'],
  ['`', '`'],
  ['\\`', ''],
  ['<(', ')'],
  ['cat <(', ')'],
  ['[[ ( ', ' )'],
  ['[[ a && ', ''],
  ['! ', ''],
  ['if ', '; then :; fi'],
  ['while ', '; do :; done'],
  ['for i in a; do ', '; done'],
  ['case x in x) ', ';; esac'],
  ['f() { ', '; }'],
  ['function f { ', '; }'],
  ['time ', ''],
  ['coproc ', ''],
  ['a=(', ')'],
  ['a[', ']=1'],
  ['a=1 ', ''],
  ['x=$x$x; ', ''],
  ['x=$x$x$x$x; ', ''],
  ['x=${x//a/aaaa}; ', ''],
  ['x+=$x; ', ''],
  ['a+=("${a[@]}"); ', ''],
  ['set -- "$@" "$@"; ', ''],
  ['a=b;', ''],
  ['$a', ''],
  ['$a ', ''],
  ['$@', ''],
  ['$(ls) ', ''],
  ['$(a=$(b)) ', ''],
  ['"$x"', ''],
  ["'", ''],
  ['"', ''],
  ["$'\\x41'", ''],
  ["$'", "'"],
  ['\\', ''],
  ['\\\n', ''],
  ['\n', ''],
  [';', ''],
  ['a;', ''],
  ['a|', ''],
  ['a|a|', ''],
  ['a&&', ''],
  ['a||', ''],
  ['a&', ''],
  ['a ', ''],
  ['a', ''],
  ['*', ''],
  ['/*', ''],
  ['?(', ')'],
  ['+(a|', ')'],
  ['[', ']'],
  ['[a-', ']'],
  ['[[:alpha:]', ''],
  ['~', ''],
  ['~/', ''],
  ['../', ''],
  ['./', ''],
  ['#', ''],
  ['# \n', ''],
  ['<<a ', ''],
  ['<<a\n', ''],
  ['<<a\nx\na\n', ''],
  ['cat <<a\nx\na\n', ''],
  ['<<<a ', ''],
  ['>a ', ''],
  ['2>&1 ', ''],
  ['>&', ''],
  ['sudo ', ''],
  ['env ', ''],
  ['env A=1 ', ''],
  ['xargs ', ''],
  ['nice -n 5 ', ''],
  ['timeout 5 ', ''],
  ['command ', ''],
  ['eval ', ''],
  ['eval "', '"'],
  ['sh -c ', ''],
  ['bash -c "', '"'],
  ['find . -exec ', ''],
  ['find . -exec a {} + ', ''],
  ['cd a; ', ''],
  ['cd ..; ', ''],
  ['rm -rf a; ', ''],
  ['rm -rf ', ''],
  ['rm -r{f,} ', ''],
  ['echo a | ', ''],
  ['echo a | tr a b | ', ''],
  ['rev | ', ''],
  ['base64 -d | ', ''],
  ["sed 's/a/aaaaaaaa/g' | ", ''],
  ["sed 's/\\(a*\\)*b/x/' | ", ''],
  ['if a; then x=1; else x=2; fi; ', ''],
  ['case $a in a) b=$b$a;; *) b=$a$b;; esac; ', ''],
  ['for i in $a; do a="$a $a"; done; ', ''],
  ['read x <<< "$x$x"; ', ''],
  ['printf -v x %s%s "$x" "$x"; ', ''],
  ['alias a=b; ', ''],
  ['trap "trap a EXIT" EXIT; ', ''],
  ['f() { f; f; }; f; ', ''],
  ['echo a > a; source a; ', ''],
  ['cat a >> a; ', ''],
  ['python3 -c "', '"'],
  ['\u{1f600}', ''],
  ['\u0000', ''],
  ['é ', ''],
  ['\r\n', ''],
  ['\t', ''],
];

function filled(piece: string, size: number): string {
  return piece.repeat(Math.max(1, Math.floor(size / piece.length)));
}

/** Scripts that are short and would grow, or go on, without end. */
function growing(): Readonly<Record<string, string>> {
  const bomb = gzipSync(Buffer.alloc(40_000_000, 'a')).toString('base64');
  const doubling = Array.from({ length: 60 }, (_, at) => `x${at + 1}=$x${at}$x${at}`).join('; ');
  const nested = Array.from({ length: 12 }).reduce<string>(
    (inner) => `echo ${base64(inner)} | base64 -d | sh`,
    'rm -rf /',
  );
  const quoted = Array.from({ length: 9 }).reduce<string>((inner) => `bash -c ${single(inner)}`, 'rm -rf /');
  const functions = Array.from({ length: 400 }, (_, at) => `f${at + 1}() { f${at}; f${at}; }`).join('; ');
  const choices = Array.from(
    { length: 40 },
    (_, at) => `case $${at + 1} in a) x${at}=a;; b) x${at}=b;; *) x${at}=c;; esac`,
  );
  return {
    'doubled variables': `x0=aaaaaaaa; ${doubling}; $x60`,
    'doubled positional parameters': `set -- a a; ${'set -- "$@" "$@"; '.repeat(50)}"$@"`,
    'doubled array': `a=(x x); ${'a+=("${a[@]}"); '.repeat(50)}"\${a[@]}"`,
    'product of braces': `echo ${'{a,b,c,d,e,f,g,h}'.repeat(40)}`,
    'range of braces': 'echo {1..100000000}',
    'product of ranges': `echo ${'{1..1000}'.repeat(20)}`,
    'padded printf': 'x=$(printf %2000000000s a); $x',
    'packed zeros': `echo ${bomb.slice(0, 60_000)} | base64 -d | gzip -d | sh`,
    'loop over a range': 'for i in {1..10000000}; do for j in {1..10000000}; do rm -rf "$i$j"; done; done',
    'endless loop': 'while :; do x=$x$x; done; $x',
    'endless recursion': 'f() { f "$@" a; }; f',
    'mutual recursion': 'f() { g; g; }; g() { f; f; }; f',
    'functions that call twice': `f0() { rm -rf /; }; ${functions}; f400`,
    'product of choices': `${choices.join('; ')}; ${choices.map((_, at) => `$x${at}`).join('')}`,
    'evaluated evaluation': `e='eval "$e"'; eval "$e"`,
    'alias of itself': 'shopt -s expand_aliases\nalias a="b b"\nalias b="a a"\na',
    'nested base64': nested,
    'nested quotes': quoted,
    'variables that name each other': 'declare -n a=b b=c c=a; $a; x=y y=x; ${!x}',
    'file that runs itself': 'echo "source ./a; source ./a" > a; source ./a',
    'growing file':
      'echo x > a; for i in 1 2 3 4 5 6 7 8 9; do cat a a a a > b; cat b b b b > a; done; source a',
    'replacement that grows': `x=a; ${'x=${x//a/aaaaaaaaaaaaaaaa}; '.repeat(20)}$x`,
    'slow pattern': `x=${'a'.repeat(30_000)}; ${'${x%%*a*a*a*a*a*a*b}'.repeat(200)}`,
    'slow extended pattern': `shopt -s extglob; x=${'a'.repeat(30_000)}; \${x##+(+(+(a)))b}`,
    'slow regular expression': `echo ${'a'.repeat(30_000)} | sed 's/\\(a*\\)*\\(a*\\)*b//' | sh`,
    'slow sed range': `echo ${'a'.repeat(30_000)} | sed -E 's/(a|aa)+$/x/g; s/(x+x+)+y/z/' | sh`,
    'many here-documents': Array.from({ length: 2000 }, (_, at) => `cat <<E${at}`).join('; '),
    'long arithmetic': `echo $((${'1+'.repeat(30_000)}1))`,
    'large power': 'echo $((9**9**9**9)); x=$((1<<62)); ${x:$x:$x}',
    'python nesting': `python3 -c '${'('.repeat(30_000)}'`,
    'python indentation': `python3 - <<'END'\n${Array.from({ length: 300 }, (_, at) => `${' '.repeat(at)}if x:`).join('\n')}\nEND`,
    'python growth': `python3 -c 'import os; os.system("rm " * 1000000000)'`,
    'python power': `python3 -c 'import os; os.system(str(9**9**9))'`,
    'javascript nesting': `node -e '${'['.repeat(30_000)}'`,
    'javascript growth': `node -e 'require("child_process").execSync("a".repeat(1e9))'`,
    'long word': `x=${'a'.repeat(65_000)}; $x`,
    'long list': `rm -rf ${'a '.repeat(32_000)}`,
    'long path': `rm -rf ${'../'.repeat(20_000)}etc`,
    'many commands': 'rm -rf a;'.repeat(7000),
    'many variables': Array.from({ length: 5000 }, (_, at) => `a${at}=$a${at - 1}`).join(';'),
    'many substitutions': 'echo $(echo $(echo a));'.repeat(2500),
    'many pipes': `echo a${' | rev | tr a-z b-za | base64 | base64 -d'.repeat(1500)} | sh`,
    'lines of sed': `sed '${'\n'.repeat(2000)}' a`,
    'spaces of ruby': `ruby -e '${' '.repeat(2000)}'\n`.repeat(30),
    'brackets of lua': `lua -e '${'['.repeat(2000)}'\n`.repeat(30),
    'broken python': `python3 -c '${':;+'.repeat(660)}'`,
    'words of python': `python3 -c '${'r '.repeat(30_000)}'`,
    'plans of sql': `mysql -e '${'explain analyze '.repeat(4000)}'`,
    'different patterns': Array.from({ length: 4000 }, (_, at) => `/b?n/*z${at};`).join(''),
    'many wrappers': `${'sudo -E env A=1 nice -n 5 timeout 5 '.repeat(1800)}rm -rf /`,
  };
}

export interface Hostile {
  readonly name: string;
  readonly text: string;
}

/** Every shape, at its full size and at some smaller ones. */
export function hostileShapes(): readonly Hostile[] {
  const shapes: Hostile[] = [];
  for (const [open, close] of openers) {
    const unit = open.length + close.length;
    for (const size of [largest, 4096, 300]) {
      const count = Math.max(1, Math.floor(size / unit));
      const label = `${JSON.stringify(open)} × ${count}`;
      shapes.push({ name: label, text: filled(open, size) });
      shapes.push({ name: `${label}, then a command`, text: `${filled(open, size - 16)}rm -rf /` });
      if (close === '') continue;
      shapes.push({ name: `${label}, closed`, text: `${open.repeat(count)}a${close.repeat(count)}` });
    }
  }
  for (const [name, text] of Object.entries(growing())) shapes.push({ name, text });
  return shapes.map(({ name, text }) => ({ name, text: clipped(text) }));
}

/** Programs that take code, patterns or a place, with where that stands. */
const takers: readonly string[] = [
  ...['sed @ x', 'sed -i @ x', 'awk @ x', 'perl -e @', 'ruby -e @', 'php -r @', 'lua -e @', 'julia -e @'],
  ...['Rscript -e @', 'tclsh @', 'vim -c @ x', 'gdb -ex @', 'emacs --eval @', 'psql -c @', 'sqlite3 x.db @'],
  ...['mysql -e @', 'make -f - <<< @', 'crontab - <<< @', 'python3 -c @', 'node -e @', 'bash -c @', 'eval @'],
  ...['ssh h @', 'expect -c @', 'jq @', 'find . -name @', 'rm -rf @', 'printf @ a', 'grep @ x', 'curl @'],
  ...['git log --format=@', 'nix run @', 'fzf --preview @', 'cut -d @ -f1', 'echo @ | sed s/a/b/', 'tr @ a'],
  ...['x=@; echo ${x//a/b}', 'x=@; echo ${x##*a}', 'x=@; $x', '[[ a == @ ]]', 'chmod @ x', 'rpm --eval @'],
];

/** What an expression that is not careful looks at again from every place. */
const repeated: readonly string[] = [
  ...[
    ' ',
    '\n',
    '\t',
    ' \n',
    '\n\t',
    '"',
    '\\"\\',
    '`',
    '[',
    '[[',
    '[=',
    '--[[=',
    '(',
    '{',
    '<',
    '/',
    '/*',
    '#',
    '#{',
  ],
  ...[
    '$(',
    '$(shell ',
    '%',
    '%x<',
    '%q',
    '-qq',
    's/',
    's,',
    ';,',
    ';',
    ',',
    ':',
    ':;+',
    '=',
    '\n=begin\n',
    'print ',
  ],
  ...[
    'print"',
    'getline ',
    '| getline',
    '"|',
    '\\',
    'e',
    '\ne',
    's',
    '1,',
    'system(',
    'exec ',
    'open(',
    'open,',
  ],
  ...[
    'eval(',
    'method ',
    'send(',
    'x.',
    '\n.',
    ';\\!',
    'copy ',
    '--',
    'shell-command ',
    '"a",',
    '+',
    '@',
    '*',
    '!(',
  ],
  ...[
    '+(',
    '{a,',
    '../',
    '~',
    'a=',
    'a ',
    '|',
    '&',
    '\ue000',
    'é',
    'explain analyze ',
    'drop table ',
    'w ',
    'y/',
  ],
];

/** Each of them with a long text of each of those, alone and as often as fits. */
export function codeShapes(): readonly Hostile[] {
  return takers.flatMap((taker) =>
    repeated.flatMap((unit) => {
      const code = single(unit.repeat(Math.floor(2000 / unit.length)));
      const text = taker.replace('@', () => code);
      const name = `${taker} with ${JSON.stringify(unit)}`;
      return [
        { name, text },
        { name: `${name}, many`, text: clipped(`${text}\n`.repeat(Math.ceil(largest / text.length))) },
      ];
    }),
  );
}

/** No longer than what is judged as a whole. */
export function clipped(text: string): string {
  if (Buffer.byteLength(text) <= largest) return text;
  return Buffer.from(text)
    .subarray(0, largest)
    .toString('utf8')
    .replace(/\ufffd+$/, '');
}

/** Ordinary and dangerous commands to bend. */
export function seeds(further: readonly string[]): readonly string[] {
  return [...everyday, ...mentions, ...composedCases(400, 5).map(({ command }) => command), ...further];
}

/** Signs and words of the shell. */
export const signs: readonly string[] = [
  ...[
    '"',
    "'",
    '`',
    '\\',
    '$',
    '(',
    ')',
    '{',
    '}',
    '[',
    ']',
    '<',
    '>',
    '|',
    '&',
    ';',
    '\n',
    '#',
    '!',
    '*',
    '?',
    '~',
  ],
  ...[
    '=',
    '+',
    '-',
    ',',
    ':',
    '@',
    '%',
    '^',
    '/',
    ' ',
    '\t',
    '\r',
    '\0',
    '$(',
    '${',
    '$((',
    '<<',
    '<<<',
    '<(',
    '>(',
    '&&',
  ],
  ...[
    '||',
    ';;',
    '))',
    '}}',
    '[[',
    ']]',
    "$'",
    '$"',
    '<<-',
    '>&',
    '2>',
    '\\x',
    '\\u',
    '{1..',
    'eval ',
    'sudo ',
    'sh -c ',
  ],
  ...[
    'if ',
    'then ',
    'fi',
    'do ',
    'done',
    'case ',
    'esac',
    'in ',
    'function ',
    '() {',
    'rm -rf /',
    '\u00e9',
    '\u{1f4a3}',
  ],
];
