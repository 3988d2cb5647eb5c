// Programs that start others on the side, or in other surroundings.

import { type Inner, shellCode } from '../../bash/executors/inner.ts';
import { concatAll, knownText, singleText } from '../../bash/values.ts';
import type { Effect } from '../../effects.ts';
import { beginningOf, effect, nameTarget, textOf, trusting } from '../../tools/tool.ts';
import type { Card, Fact } from '../card.ts';
import { markedTexts, rpmMacros } from '../escapes.ts';
import { loaded, scriptStarts } from '../interpreters.ts';
import { startFact, type Wrapper, wraps } from '../wrappers.ts';

const idle = { idle: true } as const;

/** The card of a program that only starts what its options and words say. */
function starter(wrapper: Wrapper & { readonly manner?: Card['manner'] }): Card {
  const { names, options = '', readings = '', facts = [] } = wrapper;
  return {
    names,
    options,
    manner: { stopAtOperand: true, stopAtUnknown: true },
    readings,
    facts: [startFact(wrapper), ...facts],
  };
}

const wrappers: readonly Card[] = [
  starter({
    names: 'bwrap',
    options:
      'bind== ro-bind== dev-bind== bind-try== ro-bind-try== dev-bind-try== symlink== setenv== file== bind-data== ro-bind-data== chmod== overlay== dev= proc= tmpfs= dir= chdir= unsetenv= uid= gid= hostname= mqueue= remount-ro= seccomp= lock-file= sync-fd= args= userns= cap-add= cap-drop= perms= argv0= info-fd= json-status-fd= exec-label=',
    readings:
      'dev proc tmpfs dir chdir unsetenv uid gid hostname mqueue remount-ro seccomp lock-file sync-fd args userns cap-add cap-drop perms argv0 info-fd json-status-fd exec-label; ; ; bind ro-bind dev-bind bind-try ro-bind-try dev-bind-try symlink setenv file bind-data ro-bind-data chmod overlay',
    hit: {
      'bwrap --ro-bind / / --dev /dev --unshare-net rm a': 'program: rm a',
      'bwrap --bind a b -- rm c': 'program: rm c',
    },
    miss: ['bwrap --version'],
  }),
  starter({
    names: 'lxc-attach',
    options: 'n/name= P/lxcpath= e a/arch=',
    readings: 'n name P lxcpath a arch; e',
    dashed: true,
    hit: { 'lxc-attach -n web -- rm a': 'program: rm a' },
    miss: ['lxc-attach -n web'],
  }),
  starter({
    names: 'ld.so',
    options: 'library-path= preload= argv0= inhibit-rpath= audit=',
    readings: 'library-path preload argv0 inhibit-rpath audit',
    hit: { 'ld.so --library-path a rm b': 'program: rm b' },
    miss: ['ld.so --list', 'ld.so'],
  }),
];

const chezmoi: Card = {
  names: 'chezmoi',
  options: 'S/source= D/destination= c/config=',
  readings: 'S source D destination c config',
  verbs: { git: '' },
  optionsFirst: true,
  manner: { stopAtOperand: true },
  facts: [
    {
      what: 'starts git',
      verbs: ['git'],
      starts: (_, { words, behindDashes = words }) => [
        { kind: 'argv', argv: [knownText('git'), ...behindDashes] },
      ],
      examples: {
        hit: {
          'chezmoi git -- push -f': 'program: git push -f',
          'chezmoi -S a git status': 'program: git status',
        },
        miss: ['chezmoi apply', 'chezmoi'],
      },
    },
  ],
};

// What a cluster runs is a script of the shell, or a text for it.
const batchOptions = 'A= C= D= G= J= L= M= N= S= b= c= d= e= f= i= k= m= n= o= p= q= t= w= x= wrap=';
const batch: Card = {
  names: 'sbatch',
  options: batchOptions,
  readings: 'A C D G J L M N S b c d e f i k m n o p q t w x wrap',
  manner: { stopAtOperand: true },
  facts: [
    {
      what: 'runs a script on a cluster',
      starts: scriptStarts({
        names: '',
        readings: '',
        hit: {},
        options: batchOptions,
        language: 'shell',
        code: 'wrap',
      }),
      examples: {
        hit: {
          'sbatch -N 1 a.sh': 'shell file: a.sh',
          "sbatch --wrap 'rm a'": 'shell code: rm a',
          "'rm a' | sbatch": 'shell input',
        },
        miss: ['sbatch'],
      },
    },
  ],
};

const timeit: Card = {
  names: 'timeit',
  options: 'n/number= r/repeat= u/unit= s/setup= v/verbose p/process',
  readings: 'n number r repeat u unit s setup; v verbose p process',
  manner: { stopAtOperand: true },
  facts: [
    {
      what: 'runs statements of Python',
      starts: (_, given): readonly Inner[] => {
        const lines = [...given.all('setup'), ...given.operands];
        return lines.length === 0 ? [] : [{ kind: 'code', language: 'python', text: concatAll(lines, '\n') }];
      },
      examples: {
        hit: {
          "timeit -n 5 -s 'import os' 'os.remove(1)'": 'python code: import os\\nos.remove(1)',
          'timeit 1 2': 'python code: 1\\n2',
        },
        miss: ['timeit'],
      },
    },
    {
      what: 'runs code',
      always: true,
      effects: (call) => [effect(call, 'run', { detail: 'inline' })],
      examples: { hit: { 'timeit 1': 'run (inline)' }, miss: [] },
    },
  ],
};

const csvtool: Card = {
  ...idle,
  names: 'csvtool',
  options: 't= u= o= z',
  readings: 't u o; z',
  facts: [
    {
      what: 'runs a command for each row',
      starts: (_, { operands: [verb, text] }) =>
        verb !== undefined && singleText(verb) === 'call' && text !== undefined ? [shellCode(text)] : [],
      examples: {
        hit: { "csvtool -t , call 'rm a' b": 'shell code: rm a' },
        miss: ['csvtool cat a', 'csvtool'],
      },
    },
  ],
};

const neofetch: Card = {
  ...idle,
  names: 'neofetch',
  options: 'config=',
  readings: 'config',
  facts: [
    {
      what: 'runs a file of settings',
      starts: (_, given) => loaded(given.all('config'), false),
      examples: {
        hit: { 'neofetch --config a': 'other file: a' },
        miss: ['neofetch', 'neofetch --config none'],
      },
    },
  ],
};

const fzf: Card = {
  ...idle,
  names: 'fzf',
  options: 'preview= bind= q/query= f/filter= e/exact m/multi',
  readings: 'preview bind q query f filter; e exact m multi',
  facts: [
    {
      what: 'runs commands for what is chosen',
      starts: ({ args }, given) => [
        ...given.all('preview').map((text) => shellCode(text)),
        ...markedTexts(args, /(?:execute|execute-silent|become|reload)\((.*)\)/s, (text) => shellCode(text)),
      ],
      examples: {
        hit: {
          "fzf --preview 'rm {}'": 'shell code: rm {}',
          "fzf --bind 'enter:become(rm {})'": 'shell code: rm {}',
          "fzf --bind 'x:<execute execute-silent reload>(rm a)'": 'shell code: rm a',
        },
        miss: ['fzf', 'fzf -q a'],
      },
    },
  ],
};

const manOptions =
  'P/pager= H/html? C/config-file= f w a l/local-file= M/manpath= m/systems= s/sections= S= L/locale= e/extension= E/encoding= r/prompt= p/preprocessor= R/recode= K t T/troff-device? k i I u X/gxditview? Z/ditroff 7/ascii';
const man: Card = {
  ...idle,
  names: 'man',
  options: manOptions,
  readings:
    'P pager C config-file l local-file M manpath m systems s sections S L locale e extension E encoding r prompt p preprocessor R recode; f w a K t k i I u Z ditroff 7 ascii; H html T troff-device X gxditview',
  facts: [
    {
      what: 'shows its pages by a program, or runs a file of settings',
      starts: (_, given) => [
        ...given.all('pager', 'html').map((text) => shellCode(text)),
        ...loaded(given.all('config-file'), false),
      ],
      examples: {
        hit: {
          "man -P 'rm a' ls": 'shell code: rm a',
          "man -H'rm a' ls": 'shell code: rm a',
          'man --config-file=a ls': 'other file: a',
        },
        miss: ['man ls', 'man 3 printf'],
      },
    },
    {
      what: 'runs what shows its pages',
      effects: (call, given) => {
        const helper = given.last('pager', 'html');
        return helper && !/^(?:cat|less|more|)$/.test(beginningOf(helper))
          ? [effect(call, 'run', { detail: 'helper', target: nameTarget(helper) })]
          : [];
      },
      examples: {
        hit: { 'man -P a ls': 'run a (helper)', 'man -Ha ls': 'run a (helper)' },
        miss: ['man -P <cat less more> ls', 'man ls'],
      },
    },
  ],
};

const rpmspec: Card = {
  ...idle,
  names: 'rpmspec',
  options: 'E/eval= D/define= q/query P/parse qf/queryformat= pipe=',
  readings: 'E eval D define qf queryformat pipe; q query P parse',
  facts: [
    {
      what: 'runs macros that are commands',
      starts: ({ args }, given) => [...rpmMacros(args), ...given.all('pipe').map((text) => shellCode(text))],
      examples: {
        hit: {
          "rpmspec -E '%(rm a)'": 'shell code: rm a',
          "rpmspec --eval '%{lua:os.execute(1)}'": 'other code: os.execute(1)',
          "rpmspec -q --pipe 'rm a' b": 'shell code: rm a',
        },
        miss: ['rpmspec -q a'],
      },
    },
  ],
};

const trusts: Fact = {
  what: 'lets the settings of a folder run when it is entered',
  effects: (call, { operands }): readonly Effect[] =>
    /^(?:allow|permit|grant)$/.test(textOf(operands[0]) ?? '') ? trusting(call, '.envrc') : [],
  examples: {
    hit: { 'direnv <allow permit grant>': 'persist .envrc (shell-start)' },
    miss: ['direnv status', 'direnv'],
  },
};

const direnv = wraps({
  names: 'direnv',
  subcommands: 'exec',
  words: 1,
  hit: { 'direnv exec . rm a': 'program: rm a' },
  miss: ['direnv exec .', 'direnv status', 'direnv'],
  facts: [trusts],
});

export const cards: readonly Card[] = [
  ...wrappers,
  chezmoi,
  batch,
  timeit,
  csvtool,
  neofetch,
  fzf,
  man,
  rpmspec,
  direnv,
];
