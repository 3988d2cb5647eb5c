// Programs that look for something in texts, or ask data for a part of it.

import type { Effect, Value } from '../../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  literal,
  mapValue,
  nameTarget,
  pathTarget,
  read,
  textOf,
  unknownValue,
  valueWords,
  write,
} from '../../tools/tool.ts';
import { namesSecret } from '../../variables.ts';
import type { Card, Fact, Given } from '../card.ts';
import { readOptions } from '../options.ts';

/** The files that are searched: the first operand is a pattern where no option has one. */
function searched(given: Given<Value>): readonly Value[] {
  return given.has('regexp', 'file') ? given.operands : given.operands.slice(1);
}

/** The file that a pattern with an open end means first. */
const likeliest = (name: Value): Value => mapValue(name, (text) => text.replace(/\*$/, ''));

const showsNames = (given: Given<Value>): boolean =>
  given.has('quiet', 'count', 'files-with-matches', 'files-without-match');

const isRecursive = (call: Call, given: Given<Value>): boolean =>
  given.has('recursive', 'dereference-recursive') || call.program === 'rgrep';

/** Not every key is one: tables have primary keys. */
const secretVariable =
  /(?:API|ACCESS|SECRET|PRIVATE|AUTH|SIGNING|ENCRYPTION)_?KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE|CREDENTIAL/;

/** Whether the pattern is the name of a variable with a secret, as files of variables spell it. */
function soughtSecret(given: Given<Value>): boolean {
  const patterns = given.has('regexp') ? given.all('regexp') : given.operands.slice(0, 1);
  return patterns.some((pattern) => {
    const text = textOf(pattern) ?? '';
    return /^[\^A-Z\d_=]+$/.test(text) && secretVariable.test(text);
  });
}

const secretIn = (call: Call, path: string): Effect =>
  effect(call, 'secret', { detail: 'environment', target: pathTarget(literal(path)) });

const grep: Card = {
  names: 'grep ggrep egrep fgrep rgrep zgrep zegrep zfgrep bzgrep xzgrep pcregrep pcre2grep agrep ugrep',
  options:
    'e/regexp= f/file= A/after-context= B/before-context= C/context= m/max-count= include= exclude= exclude-dir= exclude-from= label= d/directories= D/devices= binary-files= r/recursive R/dereference-recursive c/count l/files-with-matches L/files-without-match q/quiet/silent U/binary color colour',
  readings: {
    valued:
      'e regexp f file A after-context B before-context C context m max-count include exclude exclude-dir exclude-from label d directories D devices binary-files',
    flags:
      'r recursive R dereference-recursive c count l files-with-matches L files-without-match q quiet silent U binary color colour',
  },
  facts: [
    {
      what: 'reads patterns, and names to leave out, from files',
      effects: (call, given) => given.all('file', 'exclude-from').flatMap((path) => read(call, path)),
      examples: {
        hit: { 'grep -f a b': 'read a', 'grep --exclude-from=a -r x': 'read a' },
        miss: ['grep -e a b', 'grep --exclude=a x'],
      },
    },
    {
      what: 'shows lines of the files that it is told to look into',
      effects: (call, given) =>
        showsNames(given)
          ? []
          : given
              .all('include')
              .flatMap((name) => read(call, likeliest(name)).filter(({ kind }) => kind === 'secret')),
      examples: {
        hit: {
          'grep -r KEY . --include=.env': 'secret .env (environment)',
          "grep -rn --include='.env*' KEY a": 'secret .env (environment)',
        },
        miss: ["grep -r --include='*.ts' x .", 'grep -rl --include=.env x .'],
      },
    },
    {
      what: 'shows what a file of variables holds, where a secret is searched for by its name',
      effects: (call, given) =>
        isRecursive(call, given) && !showsNames(given) && !given.has('include') && soughtSecret(given)
          ? searched(given)
              .filter((folder) => textOf(folder) !== null)
              .map((folder) => secretIn(call, `${textOf(folder)?.replace(/\/$/, '')}/.env*`))
          : [],
      examples: {
        hit: {
          'grep -rn API_KEY .': 'secret ./.env* (environment)',
          'grep -r -e DB_PASSWORD a/': 'secret a/.env* (environment)',
        },
        miss: [
          'grep -rl API_KEY .',
          'grep -rn total .',
          'grep API_KEY a',
          'grep -r --include=*.ts API_KEY .',
        ],
      },
    },
    {
      what: 'shows lines of files',
      effects: (call, given) => {
        const recursive = isRecursive(call, given);
        const effects = searched(given).flatMap((path) => read(call, path, { recursive }));
        return showsNames(given) ? effects.filter(({ kind }) => kind !== 'secret') : effects;
      },
      examples: {
        hit: {
          'grep x a .env': 'read a; read .env; secret .env (environment)',
          'grep -e x -m 1 a': 'read a',
          'grep -f p a': 'read a',
          'grep -<r R> x a': 'read a recursive',
          'grep --<recursive dereference-recursive> x a': 'read a recursive',
          'rgrep x a': 'read a recursive',
          'grep -<q c l L> x .env': 'read .env',
          'grep --<quiet silent count files-with-matches files-without-match> x .env': 'read .env',
        },
        miss: ['grep x', 'grep a -'],
      },
    },
  ],
};

/** Options of jq that take two words, of which the second of some is a file. */
function parted(args: readonly Value[]): {
  readonly words: readonly Value[];
  readonly files: readonly Value[];
} {
  const words: Value[] = [];
  const files: Value[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const argument = args[at] ?? unknownValue;
    const two = /^--(?:arg|argjson|(slurpfile|rawfile))$/.exec(textOf(argument) ?? '');
    if (two === null) words.push(argument);
    else {
      if (two[1] !== undefined) files.push(args[at + 2] ?? unknownValue);
      at += 2;
    }
  }
  return { words, files };
}

const queryOptions =
  'i/inplace/in-place I/indent= o/output-format= p/input-format= from-file= y args jsonargs split-exp= L= slurp';

interface Query {
  readonly given: ReturnType<typeof readOptions<Value>>;
  readonly named: readonly Value[];
  readonly files: readonly Value[];
}

/** What a query is asked of: the first operand is the query itself, behind the subcommand of `yq`. */
function queryOf({ program, args }: Call): Query {
  const { words, files } = parted(args);
  const given = readOptions(queryOptions, {}, words, valueWords);
  const verb = program === 'yq' && /^(?:eval|e|eval-all|ea)$/.test(textOf(given.operands[0]) ?? '');
  const operands = given.operands.slice(verb ? 1 : 0);
  return {
    given,
    named: files,
    files: given.has('from-file', 'args', 'jsonargs') ? operands : operands.slice(1),
  };
}

const jq: Card = {
  names: 'jq yq gojq jaq',
  options: queryOptions,
  readings: {
    valued: 'I indent o output-format p input-format from-file split-exp L',
    flags: 'i inplace in-place y args jsonargs slurp',
  },
  facts: [
    {
      what: 'reads data and queries that options name',
      effects: (call) => {
        const { named, given } = queryOf(call);
        return [...named, ...given.all('from-file')].flatMap((path) => read(call, path));
      },
      examples: {
        hit: {
          'jq --<slurpfile rawfile> x a . b': 'read a',
          'jq --from-file a b': 'read a',
        },
        miss: ['jq . a', 'jq --<arg argjson> x a . b'],
      },
    },
    {
      what: 'shows variables of the environment that its query names',
      effects: (call) => {
        const { given } = queryOf(call);
        const query = given.operands.map(beginningOf).join(' ');
        const [, name = '', item = name] =
          /(?:\$ENV|(?<![.$\w])env)(?:\.(\w+)|\[\s*"(\w+)"\s*\])/.exec(query) ?? [];
        const whole = /(?:\$ENV|(?<![.$\w"'/-])env)(?![\w.["':/=-])/.test(query);
        return (call.program === 'jq' || call.program === 'gojq' || call.program === 'jaq') &&
          (whole || namesSecret(item))
          ? [effect(call, 'secret', { detail: 'environment' })]
          : [];
      },
      examples: {
        hit: { 'jq -n env': 'secret (environment)', 'jq -n env.API_KEY': 'secret (environment)' },
        miss: ['jq -n env.HOME', 'jq .env a', "jq '.services[].env' a", "jq '.environment' a", 'yq .a env'],
      },
    },
    {
      what: 'shows data of files, or changes it there',
      effects: (call) => {
        const { given, files } = queryOf(call);
        const edits = given.has('inplace');
        return files.flatMap((path) => [
          ...read(call, path),
          ...(edits ? write(call, path, { detail: 'edit' }) : []),
        ]);
      },
      examples: {
        hit: {
          'jq . a .env': 'read a; read .env; secret .env (environment)',
          'jq --<arg argjson> x a . b': 'read b',
          'jq --from-file x a': 'read a',
          'jq --<args jsonargs> a': 'read a',
          'yq <eval e eval-all ea> . a': 'read a',
          'yq -i -o json . a': 'read a; write a (edit)',
          'yq --<inplace in-place> . a': 'read a; write a (edit)',
        },
        miss: ['jq .', 'jq eval -', 'jq --slurpfile x a . -'],
      },
    },
  ],
};

/** Words of the shell in which a service deletes or changes files of a cluster. */
const deletes = /-rm|-expunge|-delete|namenode -format/;
const changes = /-(?:put|copyFromLocal|moveFromLocal|mkdir|mv|cp|chmod|chown|touchz|setrep|appendToFile)/;

const hdfs: Card = {
  names: 'hdfs',
  options: '',
  readings: {},
  facts: [
    {
      what: 'deletes or changes files of a cluster',
      effects: (call): readonly Effect[] => {
        const said = call.args.map((argument) => textOf(argument) ?? '').join(' ');
        const target = nameTarget(call.args.at(-1));
        if (deletes.test(said)) return [effect(call, 'cloud', { detail: 'delete', target, recursive: true })];
        return changes.test(said) ? [effect(call, 'cloud', { detail: 'change', target })] : [];
      },
      examples: {
        hit: {
          'hdfs dfs -<rm expunge delete deleteSnapshot> /a': 'cloud /a (delete) recursive',
          'hdfs namenode -format': 'cloud -format (delete) recursive',
          'hdfs dfs -<put copyFromLocal moveFromLocal mkdir mv cp chmod chown touchz setrep appendToFile> /a':
            'cloud /a (change)',
        },
        miss: ['hdfs dfs -ls /a', 'hdfs dfs -cat /a'],
      },
    },
  ],
};

/** Boxes on the terminal: those of texts show a file. */
const boxes: Card = {
  names: 'dialog whiptail',
  options: '',
  readings: {},
  facts: [
    {
      what: 'shows a file in a box',
      effects: (call) => {
        const texts = call.args.map((argument) => textOf(argument) ?? '');
        if (!texts.some((text) => /^--(?:text|tail|edit)box/.test(text))) return [];
        return texts.filter((text) => /^[/~.]/.test(text)).flatMap((text) => read(call, literal(text)));
      },
      examples: {
        hit: { 'dialog --<textbox tailbox editbox> ./a 9 9': 'read ./a' },
        miss: ['dialog --msgbox ./a 9 9', 'whiptail --textbox a 9 9'],
      },
    },
  ],
};

/** Every program of the desktop may read the clipboard, and some send it to other machines. */
function clipped(program: string): Fact {
  return {
    what: 'puts a secret where every program reads it',
    effects: (call) =>
      call.io.stdinOrigins.includes('secret') ? [effect(call, 'secret', { detail: 'environment' })] : [],
    examples: {
      hit: { [`$SECRET | ${program}`]: 'secret (environment)' },
      miss: [`'a' | ${program}`, program],
    },
  };
}

const clipboard: Card = {
  names: 'pbcopy pbpaste xsel wl-copy wl-paste',
  options: '',
  readings: {},
  facts: [
    {
      what: 'fills or shows the clipboard',
      always: true,
      effects: (call) => [effect(call, 'inert', { detail: 'clipboard' })],
      examples: { hit: { '<pbcopy pbpaste xsel wl-copy wl-paste>': 'inert (clipboard)' }, miss: [] },
    },
    clipped('pbcopy'),
  ],
};

const xclip: Card = {
  names: 'xclip',
  options: 'selection= sel= i o t= d=',
  manner: { wholeWords: true },
  readings: { valued: 'selection sel t d', flags: 'i o' },
  facts: [
    {
      what: 'fills the clipboard from files',
      effects: (call, { operands }) => operands.flatMap((path) => read(call, path)),
      examples: { hit: { 'xclip -sel c -i a': 'read a' }, miss: ['xclip -o', 'xclip -selection c'] },
    },
    clipped('xclip'),
  ],
};

export const cards = [grep, jq, hdfs, boxes, clipboard, xclip];
