// Readers and searchers of texts that start a helper where an option says so.

import { secretsSought } from '../../bash/programs.ts';
import { quoteWords } from '../../bash/quoted.ts';
import { concat, concatAll, knownText, oneOf, singleText, unknownText } from '../../bash/values.ts';
import { beginningOf, effect, list, literal, mapValue, nameTarget, read, write } from '../../tools/tool.ts';
import { type Card, type Fact, shellOptions } from '../card.ts';
import { factFor } from '../examples.ts';
import { family, table } from '../files.ts';

const paging: Fact = {
  what: 'starts a pager',
  starts: shellOptions('pager'),
  examples: {
    hit: { "% --pager 'rm a' b": 'shell code: rm a', "% --pager='rm a' b": 'shell code: rm a' },
    miss: ['% b'],
  },
};

const shown = family(
  `
  reads files: read…
    % a .env → read a; read .env; secret .env (environment)
    % - → nothing
`,
  `
bat batcat | l/language= m/map-syntax= r/line-range= H/highlight-line= theme= style= paging= pager= tabs= wrap= terminal-width= color= decorations= file-name= diff-context= italic-text= ignored-suffix= | l language m map-syntax r line-range H highlight-line theme style paging pager tabs wrap terminal-width color decorations file-name diff-context italic-text ignored-suffix
delta | pager= | pager
`,
).map((card) => ({
  ...card,
  facts: [...card.facts, factFor(card.names.split(' ')[0] ?? '', paging)],
}));

const searched = table(`
ag | A/after= B/before= C/context= m/max-count= g= G/file-search-regex= ignore= ignore-dir= p/path-to-ignore= depth= W/width= pager= workers= | A after B before C context m max-count g G file-search-regex ignore ignore-dir p path-to-ignore depth W width pager workers
  reads files, all of them in folders: skip read[+recursive]…
    ag -i x a b → read a recursive; read b recursive
    ag x → nothing
`).map((card) => ({ ...card, facts: [...card.facts, factFor('ag', paging)] }));

const sorting: Fact = {
  what: 'starts a program that packs what does not fit into memory',
  effects: (call, given) =>
    given
      .all('compress-program')
      .map((program) => effect(call, 'run', { detail: 'helper', target: nameTarget(program) })),
  starts: shellOptions('compress-program'),
  examples: {
    hit: { 'sort --compress-program=gzip a': 'run gzip (helper); shell code: gzip' },
    miss: ['sort a', 'sort -T gzip a'],
  },
};

const sort = table(`
sort gsort | o/output= k/key= t/field-separator= S/buffer-size= T/temporary-directory= files0-from= batch-size= compress-program= parallel= random-source= sort= | o output k key t field-separator S buffer-size T temporary-directory files0-from batch-size compress-program parallel random-source sort
  reads files: read… files0-from=read
    sort -k 2 a .env → read a; read .env; secret .env (environment)
    sort --files0-from=a → read a
    sort - → nothing
  writes the file that is named: o=write
    sort a -o b → write b (overwrite)
    sort a --output b → write b (overwrite)
    sort a → nothing
`).map((card) => ({ ...card, facts: [...card.facts, sorting] }));

const split: Card = {
  names: 'split',
  options:
    'a/suffix-length= additional-suffix= b/bytes= C/line-bytes= numeric-suffixes? hex-suffixes? filter= l/lines= n/number= t/separator=',
  readings: {
    valued: 'a suffix-length additional-suffix b bytes C line-bytes filter l lines n number t separator',
    attached: 'numeric-suffixes hex-suffixes',
  },
  facts: [
    {
      what: 'writes the parts of a file',
      always: true,
      effects: (call, { operands: [input, prefix, name] }) =>
        // A service has a command line of the same name.
        beginningOf(prefix ?? literal('')) === 'delete'
          ? [effect(call, 'cloud', { detail: 'delete', target: nameTarget(name) })]
          : [
              ...(input ? read(call, input) : []),
              ...write(call, prefix ?? literal('x'), { detail: 'split' }),
            ],
      examples: {
        hit: {
          'split -b 5 a': 'read a; write x (split)',
          'split --numeric-suffixes=1 --hex-suffixes a p': 'read a; write p (split)',
          split: 'write x (split)',
          'split x delete y': 'cloud y (delete)',
        },
        miss: [],
      },
    },
    {
      what: 'starts a command for each part, with the name of the part in a variable',
      starts: (_, given) => {
        const name = concat(given.operands[1] ?? knownText('x'), knownText('aa'));
        const setting = concatAll([knownText('FILE='), quoteWords([name]), knownText('; ')]);
        return given.all('filter').map((text) => ({
          kind: 'code',
          language: 'shell',
          text: concat(setting, text),
        }));
      },
      examples: {
        hit: {
          "split --filter='rm $FILE' a p": 'shell code: FILE=paa; rm …',
          'split --filter x a': 'shell code: FILE=xaa; x',
        },
        miss: ['split a'],
      },
    },
  ],
};

const searching =
  'e/regexp= f/file= A/after-context= B/before-context= C/context= m/max-count= g/glob= iglob= t/type= T/type-not= type-add= type-clear= j/threads= M/max-columns= max-depth/d= max-filesize= color= colors= sort= sortr= r/replace= E/encoding= engine= pre= pre-glob= hostname-bin= ignore-file= path-separator= dfa-size-limit= regex-size-limit= context-separator= field-match-separator= files type-list';

const rg: Card = {
  names: 'rg ack git-grep',
  options: searching,
  readings: {
    valued:
      'e regexp f file A after-context B before-context C context m max-count g glob iglob t type T type-not type-add type-clear j threads M max-columns max-depth d max-filesize color colors sort sortr r replace E encoding engine pre pre-glob hostname-bin ignore-file path-separator dfa-size-limit regex-size-limit context-separator field-match-separator',
    flags: 'files type-list',
  },
  facts: [
    {
      what: 'reads files, all of them in folders',
      effects: (call, given) => {
        const all = given.has('regexp', 'file', 'files', 'type-list');
        return [
          ...given.all('file').flatMap((path) => read(call, path)),
          ...given.operands.slice(all ? 0 : 1).flatMap((path) => read(call, path, { recursive: true })),
        ];
      },
      examples: {
        hit: {
          'rg x a b': 'read a recursive; read b recursive',
          'rg -f p a': 'read p; read a recursive',
          'rg -e x a': 'read a recursive',
          'rg --<files type-list> a': 'read a recursive',
        },
        miss: ['rg x'],
      },
    },
    {
      what: 'reads hidden files that it is told to look into',
      effects: (call, given) =>
        given
          .all('glob', 'iglob')
          .flatMap((name) =>
            read(
              call,
              mapValue(name, (text) => text.replace(/\*$/, '')),
            ),
          )
          .filter(({ kind }) => kind === 'secret'),
      examples: {
        hit: { "rg --hidden -g '.env*' x": 'secret .env (environment)' },
        miss: ["rg -g '*.ts' x", "rg -g '!.env' x"],
      },
    },
    {
      what: 'starts a program for each file, or one that names the machine',
      effects: (call, given) =>
        given
          .all('pre', 'hostname-bin')
          .filter((program) => beginningOf(program) !== '')
          .map((program) => effect(call, 'run', { detail: 'helper', target: nameTarget(program) })),
      starts: (_, given) => [
        ...given.all('pre').map((program) => ({ kind: 'argv' as const, argv: [program, unknownText()] })),
        ...given
          .all('hostname-bin')
          .map((text) => ({ kind: 'code' as const, language: 'shell' as const, text })),
      ],
      examples: {
        hit: {
          'rg --pre ./a x': 'run ./a (helper); program: ./a …',
          'rg --hostname-bin=./a x': 'run ./a (helper); shell code: ./a',
        },
        miss: ['rg x', "rg --pre-glob '*' x"],
      },
    },
  ],
};

/** The command behind the option of fd that starts one for what is found. */
const executes = /^(?:-x|-X|--exec|--exec-batch)$/;

const fd: Card = {
  names: 'fd fdfind',
  options:
    't/type= e/extension= E/exclude= d/max-depth= min-depth= exact-depth= S/size= changed-within= changed-before= o/owner= j/threads= c/color= max-results= base-directory/C= search-path= x/exec= X/exec-batch= path-separator= format= ignore-file=',
  readings: {
    valued:
      't type e extension E exclude d max-depth min-depth exact-depth S size changed-within changed-before o owner j threads c color max-results base-directory C search-path x exec X exec-batch path-separator format ignore-file',
  },
  facts: [
    {
      what: 'looks at all names below folders',
      always: true,
      effects: (call, given) => {
        const folders = given.operands.slice(1);
        const roots = folders.length > 0 ? folders : [given.last('base-directory') ?? literal('.')];
        return roots.flatMap((folder) => list(call, folder, { recursive: true }));
      },
      examples: {
        hit: {
          'fd x a b': 'read a (list) recursive; read b (list) recursive',
          fd: 'read . (list) recursive',
          'fd --base-directory a x': 'read a (list) recursive',
          'fd -C a x b': 'read b (list) recursive',
        },
        miss: [],
      },
    },
    {
      what: 'starts a command for what it finds',
      starts: ({ args }) => {
        const at = args.findIndex((arg) => executes.test(singleText(arg)));
        if (at < 0) return [];
        const sought = secretsSought(args.slice(0, at));
        const found = sought.length === 0 ? unknownText() : oneOf(sought);
        return [{ kind: 'argv', argv: [...args.slice(at + 1), found] }];
      },
      examples: {
        hit: {
          'fd x <-x -X --exec --exec-batch> rm -f': 'program: rm -f …',
          "fd -H '^\\.env$' -x cat": 'program: cat .env',
        },
        miss: ['fd x a'],
      },
    },
  ],
};

export const cards: readonly Card[] = [...shown, ...searched, ...sort, split, rg, fd];
