// Editors: files that they open to be changed, and commands of theirs that start others.

import type { Inner, Call as Start } from '../../bash/executors/inner.ts';
import { toValue } from '../../bash/values.ts';
import type { Effect, Value } from '../../effects.ts';
import { beginningOf, type Call, literal, read, valueWords, write } from '../../tools/tool.ts';
import { type Card, textWords } from '../card.ts';
import { lispCommands, plusCommands, typedCommands, typedLines } from '../editors.ts';
import { loaded } from '../interpreters.ts';
import { type Reading, readOptions, type WordKind } from '../options.ts';

// ── vi and its kin.

const viOptions =
  'c/cmd= S= u= U= w= W= i= T= t= r? q? V? o? O? p? d R M n Z m b L N e E v y x h H -nw g f A D listen= server= startuptime= remote remote-silent remote-tab version help noplugin';
const viReadings =
  'c cmd S u U w W i T t listen server startuptime; d R M n Z m b L N e E v y x h H -nw g f A D remote remote-silent remote-tab version help noplugin; r q V o O p';

/** In ex mode `-s` is silent, and takes no file of keys. */
function isEx(program: string, args: readonly Value[]): boolean {
  const mode = /^-[vRnNmMbAHDxyZ]*[eE]/;
  return /^(?:n?ex|exim)$/.test(program) || args.some((word) => mode.test(beginningOf(word)));
}

function readVi<Word>(
  call: { readonly program: string; readonly args: readonly Word[] },
  words: WordKind<Word>,
): Reading<Word> {
  const ex = isEx(call.program, call.args.map(words.view));
  const own = `${ex ? 's' : 's='} ${call.program === 'nvim' ? 'l=' : 'l'}`;
  return readOptions(`${viOptions} ${own}`, {}, call.args, words);
}

/** The operands of an editor are read, and changed unless it only shows them; `+` begins a command. */
function opened(call: Call, operands: readonly Value[], readOnly: boolean): readonly Effect[] {
  return operands
    .filter((operand) => !beginningOf(operand).startsWith('+'))
    .flatMap((path) => [...read(call, path), ...(readOnly ? [] : write(call, path, { detail: 'edit' }))]);
}

/** Programs that can run anything, started with nothing to do: what they will be told is not known. */
const waiting = ({ args, fed }: Start): readonly Inner[] =>
  args.length === 0 && !fed ? [{ kind: 'unknown' }] : [];

const vi: Card = {
  names:
    'vi vim nvim ex nex view rview rvim gvim evim vimx vimdiff nvi vile elvis vim.tiny vim.basic vim.nox vim.gtk3 vim.athena',
  options: viOptions,
  readings: viReadings,
  facts: [
    {
      what: 'runs commands, files of commands and keys that it is given',
      starts: (call) => {
        const given = readVi(call, textWords);
        const keys = isEx(call.program, call.args.map(toValue)) ? [] : given.all('s');
        const scripts = call.program === 'nvim' ? given.all('l') : [];
        return [
          ...waiting(call),
          ...typedCommands(given.all('c')),
          ...plusCommands(given.operands),
          ...loaded([...given.all('S', 'u'), ...keys, ...scripts], false).filter(isNoName),
          ...typedLines(call),
        ];
      },
      examples: {
        hit: {
          vim: 'unknown',
          "vim -c '!rm a' b": 'shell code: rm a',
          "nvim --cmd 'silent !rm a' b": 'shell code: rm a',
          "ex '+!rm a' b": 'shell code: rm a',
          'vim -S a.vim b': 'other file: a.vim',
          "vim -c 'source a.vim' b": 'other file: a.vim',
          "vim '+luafile a.lua' b": 'other file: a.lua',
          'vim -s keys b': 'other file: keys',
          'vim -u a.vim b': 'other file: a.vim',
          'nvim -l a.lua': 'other file: a.lua',
          "'w !sh' | ex -s a": 'shell code: sh',
        },
        miss: ['vim a', 'vim -u NONE a', 'ex -s a', 'vim -l a', 'vim -w a b'],
      },
    },
    {
      what: 'opens files to change them',
      effects: (call) => {
        const given = readVi(call, valueWords);
        const readOnly = given.has('R', 'M') || /^r?view$/.test(call.program);
        const logs = given.all('V').map((word) => literal(beginningOf(word).replace(/^\d+/, '')));
        const typed = /^(?:n?vim?|gvim)$/.test(call.program) ? given.all('w', 'W') : [];
        return [
          ...logs
            .filter((path) => /^[/~.]/.test(beginningOf(path)))
            .flatMap((path) => write(call, path, { detail: 'append' })),
          ...opened(call, given.operands, readOnly),
          ...typed.flatMap((path) => write(call, path, { detail: 'overwrite' })),
        ];
      },
      examples: {
        hit: {
          'vim a +10': 'read a; write a (edit)',
          'view a': 'read a',
          'vim -<R M> a': 'read a',
          'vim -V9/tmp/log a': 'write /tmp/log (append); read a; write a (edit)',
          'vim -<w W> keys a': 'read a; write a (edit); write keys (overwrite)',
          'ex -es a': 'read a; write a (edit)',
          'vimdiff a b': 'read a; write a (edit); read b; write b (edit)',
          'vim -l a': 'read a; write a (edit)',
        },
        miss: ['vim', 'vim +10', 'nvim -l a', "vim -c 'w'"],
      },
    },
  ],
};

/** `-u NONE` and the like name no file. */
function isNoName(inner: Inner): boolean {
  return inner.kind !== 'file' || !/^(?:NONE|NORC|DEFAULTS)$/.test(inner.path.alternatives[0] ?? '');
}

const ed: Card = {
  names: 'ed red',
  options: 'p/prompt= G s l r v E',
  readings: 'p prompt; G s l r v E',
  facts: [
    {
      what: 'runs what its input says',
      starts: (call) => [...waiting(call), ...typedLines(call)],
      examples: {
        hit: {
          ed: 'unknown',
          "'!rm a' | ed -s b": 'shell code: rm a',
          "'r !rm a' | ed b": 'shell code: rm a',
        },
        miss: ['ed a', "'w' | ed a"],
      },
    },
    {
      what: 'opens a file to change it',
      effects: (call, { operands }) => opened(call, operands, false),
      examples: { hit: { 'ed -p x a': 'read a; write a (edit)' }, miss: ['ed -s'] },
    },
  ],
};

// ── Emacs.

const emacs: Card = {
  names: 'emacs',
  options:
    '-eval/eval/-execute/execute= f/-funcall/funcall= l/-load/load= -script/script= -insert/insert= T/title/-title= terminal/-terminal= t= u/user/-user= d/display/-display= c= s= i= nw/-nw q Q -Q -q batch/-batch -nl no-init-file no-site-file chdir= name= x= daemon?',
  readings:
    '-eval eval -execute execute f -funcall funcall l -load load -script script -insert insert T title -title terminal -terminal t u user -user d display -display c s i chdir name x; nw -nw q Q -Q -q batch -batch -nl no-init-file no-site-file; daemon',
  facts: [
    {
      what: 'runs code and files of code',
      starts: (_, given) => [
        ...lispCommands(given.all('eval', 'f')),
        ...plusCommands(given.operands),
        ...loaded(given.all('load', 'script'), false),
      ],
      examples: {
        hit: {
          'emacs --batch --eval \'(shell-command "rm a")\'': 'shell code: rm a',
          'emacs -eval \'(delete-file "a")\'': 'program: rm -rf a',
          'emacs -l a.el': 'other file: a.el',
          'emacs --script=a.el': 'other file: a.el',
        },
        miss: ['emacs a', 'emacs -nw a'],
      },
    },
    {
      what: 'opens files to change them',
      effects: (call, { operands }) => opened(call, operands, false),
      examples: {
        hit: { 'emacs -nw a --title x': 'read a; write a (edit)' },
        miss: ['emacs', 'emacs --eval a'],
      },
    },
  ],
};

const client: Card = {
  names: 'emacsclient',
  options:
    'e/eval a/alternate-editor= f/server-file= s/socket-name= d/display= T/tramp= parent-id= F/frame-parameters= c n t nw/-nw q u r',
  readings:
    'a alternate-editor f server-file s socket-name d display T tramp parent-id F frame-parameters; e eval c n t nw -nw q u r',
  facts: [
    {
      what: 'runs code',
      starts: (_, given) => [
        ...(given.has('eval') ? lispCommands(given.operands) : []),
        ...plusCommands(given.operands),
      ],
      examples: {
        hit: {
          'emacsclient -e \'(shell-command "rm a")\'': 'shell code: rm a',
          'emacsclient --eval \'(delete-file "a")\'': 'program: rm -rf a',
        },
        miss: ['emacsclient a', 'emacsclient \'(shell-command "rm a")\''],
      },
    },
    {
      what: 'opens files to change them',
      effects: (call, given) => (given.has('eval') ? [] : opened(call, given.operands, false)),
      examples: {
        hit: { 'emacsclient -n +3 a': 'read a; write a (edit)' },
        miss: ['emacsclient', 'emacsclient -e a'],
      },
    },
  ],
};

export const cards: readonly Card[] = [vi, ed, emacs, client];
