// The table: what each program starts.

import { concatAll, emptyText, knownText, singleText, unknownText } from '../values.ts';
import { aptExecutor, cmakeExecutor, escapesOfM4, make } from './builds.ts';
import {
  debuggerCommands,
  editor,
  expectExecutor,
  lineEditor,
  screen,
  terminal,
  viEditor,
  viNames,
} from './editors.ts';
import { bareShell, type Call, type Executor, type Inner, shellCode } from './inner.ts';
import {
  deno,
  interpreter,
  node,
  perl,
  php,
  powershell,
  python,
  pythonConsole,
  ruby,
  shellExecutor,
} from './interpreters.ts';
import { boundKeys, commandExecutor, expandedWords, optionCode } from './options.ts';
import { bubblewrap } from './remote.ts';
import {
  afterMark,
  argv,
  behindOption,
  behindWords,
  bySuffix,
  combined,
  escapes,
  loading,
  optionTexts,
  projectFiles,
  readLeading,
  setupScript,
  waiting,
  wrapper,
} from './shapes.ts';
import { environmentExecutor, parallel, taskset, xargs } from './spread.ts';

/** `source [-p path] file words`. */
function sourced({ args }: Call): readonly Inner[] {
  const searched = singleText(args[0]) === '-p';
  const words = searched ? args.slice(2) : args;
  const path = searched && words.length > 0 ? unknownText() : words[0];
  return path === undefined ? [] : [{ kind: 'file', language: 'shell', path, positional: words }];
}

/** `nix run flake#name -- words`. */
function nixRun({ args }: Call): readonly Inner[] {
  const dashes = args.findIndex((arg) => singleText(arg) === '--');
  const names = args.map(singleText).filter((text) => /^[^-].*#/.test(text));
  const name = names
    .map((text) => text.slice(Math.max(text.lastIndexOf('#'), text.lastIndexOf('.')) + 1))
    .find((last) => /^[\w-]+$/.test(last));
  const runs = singleText(args[0]) === 'run' && name !== undefined && dashes !== -1;
  return runs ? [{ kind: 'argv', argv: [knownText(name), ...args.slice(dashes + 1)] }] : [];
}

/** `nvm exec [version] command`, and `nvm run [version] words for node`. */
function nvm({ args }: Call): readonly Inner[] {
  const [verb, ...rest] = args.filter((arg) => singleText(arg) !== '--silent');
  const words = /^(?:v?[\d.]+|lts\/\S+|node|stable)$/.test(singleText(rest[0])) ? rest.slice(1) : rest;
  if (singleText(verb) === 'run') return [{ kind: 'argv', argv: [knownText('node'), ...words] }];
  return singleText(verb) === 'exec' ? [{ kind: 'argv', argv: words }] : [];
}

function trap({ args }: Call): readonly Inner[] {
  const operands = args.filter((arg) => singleText(arg) !== '--');
  const [text, ...signals] = operands;
  if (text === undefined || signals.length === 0 || /^-/.test(singleText(text))) return [];
  return [shellCode(text)];
}

/** By the names of the programs. */
export const executors: ReadonlyMap<string, Executor> = new Map<string, Executor>([
  // Shells
  ...[
    'sh',
    'bash',
    'dash',
    'zsh',
    'ksh',
    'mksh',
    'ksh93',
    'ash',
    'rbash',
    'fish',
    'csh',
    'tcsh',
    'yash',
    'posh',
    'elvish',
    'nu',
    'xonsh',
    'sash',
    'bash5',
    'hush',
  ].map((name): [string, Executor] => [name, shellExecutor]),
  ['pwsh', powershell],
  ['powershell', powershell],
  // Those that change what surrounds a program
  [
    'sudo',
    wrapper({
      short: 'ugphCTRDrtUa',
      long: 'user group prompt host close-from chdir chroot role type other-user command-timeout login-class',
      assignments: true,
      lookUp: '-l -e -v -K -k -V --list --edit --validate',
      readsInput: true,
    }),
  ],
  ['doas', wrapper({ short: 'uC', readsInput: true })],
  ['pkexec', argv('', 'user')],
  ['gosu', argv('', '', 1)],
  ['su-exec', argv('', '', 1)],
  [
    'setpriv',
    argv(
      '',
      'ruid euid rgid egid reuid regid groups inh-caps ambient-caps bounding-set securebits pdeathsig selinux-label apparmor-profile',
    ),
  ],
  ['capsh', combined(optionTexts('-c'), wrapper({}))],
  ['su', optionTexts('-c', '--command', '--command=', '--session-command', '--session-command=')],
  [
    'runuser',
    combined(optionTexts('-c', '--command', '--command=', '--session-command='), ({ args }) =>
      args.some((arg) => singleText(arg) === '-u')
        ? wrapper({ short: 'ugG', long: 'user group supp-group' })({
            program: '',
            args,
            stdin: emptyText,
            fed: false,
          })
        : [],
    ),
  ],
  [
    'sg',
    combined(optionTexts('-c'), ({ args }) =>
      args[1] === undefined ? [bareShell] : singleText(args[1]) === '-c' ? [] : [shellCode(args[1])],
    ),
  ],
  ['newgrp', () => [bareShell]],
  ['env', environmentExecutor],
  ['command', commandExecutor],
  ['ionice', argv('cnpPu', 'class classdata pid')],
  ['chrt', argv('TPDp', 'sched-runtime sched-period sched-deadline', 1)],
  ['taskset', taskset],
  ['ts', argv()],
  ['prlimit', argv('op', 'output pid')],
  ['bwrap', bubblewrap],
  ['nsenter', wrapper({ short: 'tSGW', long: 'target setuid setgid', shellAlone: true })],
  ['choom', argv('np', 'adjust pid')],
  ['dtruss', argv('nptW')],
  ['lerna', wrapper({ subcommands: 'exec', dashed: true })],
  ['cmake', cmakeExecutor],
  ['m4', ({ args, stdin, fed }) => escapesOfM4([...args, ...(fed ? [stdin] : [])])],
  ['dmsetup', optionTexts('--exec', '--exec=')],
  ['gs', bySuffix(/%pipe%([^)]*)/)],
  ['cpulimit', argv('pePl', 'pid exe path limit')],
  ['logsave', argv('', '', 1)],
  ['ssh-agent', argv('atEPO')],
  ['strace', combined(argv('abeEIoOpPsSuUX'), bySuffix(/^[|!](.+)$/s))],
  ['ltrace', argv('aAeDFlnopsuwx')],
  ['perf', wrapper({ short: 'eoFgcCpt', subcommands: 'stat record trace' })],
  ['busybox', argv()],
  ['toybox', argv()],
  [
    'script',
    (call) =>
      // The name alone is what many call a file of their own.
      call.args.length === 0
        ? []
        : wrapper({ short: 'cEIOBTmo', shell: '-c --command', operands: 1, shellAlone: true })(call),
  ],
  ['scriptreplay', () => []],
  ['expect', expectExecutor],
  ['screen', combined(waiting, screen)],
  ['tmux', combined(waiting, terminal)],
  ['byobu', combined(waiting, terminal)],
  ['zellij', combined(waiting, wrapper({ subcommands: 'run', short: 'nd', dashed: true }))],
  ['xargs', xargs],
  ['gxargs', xargs],
  ['parallel', parallel],
  ['run-parts', () => []],
  // Elsewhere
  ['debugfs', combined(waiting, afterMark)],
  ...['mail', 'mailx', 'Mail'].map((name): [string, Executor] => [name, escapes(/^(?:--exec=)?~?!(.*)$/)]),
  ['lxc-attach', wrapper({ short: 'n', dashed: true })],
  ['ansible', optionTexts('-a', '--args', '--args=')],
  // Tools of projects
  ['pipx', wrapper({ subcommands: 'run', long: 'spec python' })],
  ...['bundle', 'bundler'].map((name): [string, Executor] => [
    name,
    combined(wrapper({ subcommands: 'exec' }), projectFiles('other', 'Gemfile')),
  ]),
  ['cabal', wrapper({ subcommands: 'exec', dashed: true })],
  ['stack', wrapper({ subcommands: 'exec', dashed: true })],
  ['opam', wrapper({ subcommands: 'exec', dashed: true })],
  [
    'cargo',
    combined(
      wrapper({ subcommands: 'watch', short: 'xsw', shell: '-s --shell' }),
      projectFiles('other', 'build.rs'),
    ),
  ],
  [
    'rustup',
    combined(wrapper({ subcommands: 'run', operands: 1 }), ({ args }) => {
      const folder = args[3];
      const links = singleText(args[0]) === 'toolchain' && singleText(args[1]) === 'link';
      return links && folder !== undefined ? [{ kind: 'file', language: 'other', path: folder }] : [];
    }),
  ],
  ['easy_install', setupScript],
  ['gem', combined(optionTexts('-e', '--editor', '--editor='), projectFiles('other', 'Gemfile'))],
  ['composer', projectFiles('package', 'composer.json')],
  ['pytest', projectFiles('python', 'conftest.py')],
  ['nox', projectFiles('python', 'noxfile.py')],
  ['gulp', projectFiles('javascript', 'gulpfile.js')],
  ['grunt', projectFiles('javascript', 'Gruntfile.js')],
  ['poetry', wrapper({ subcommands: 'run' })],
  ['pipenv', wrapper({ subcommands: 'run' })],
  ['pdm', wrapper({ subcommands: 'run' })],
  [
    'hatch',
    combined(wrapper({ subcommands: 'run' }), wrapper({ subcommands: 'env', operands: 1, dashed: true })),
  ],
  ['rye', wrapper({ subcommands: 'run' })],
  ['uv', wrapper({ subcommands: 'run', short: 'p', long: 'with python project directory env-file' })],
  ['conda', wrapper({ subcommands: 'run', short: 'np', long: 'name prefix cwd' })],
  ['mamba', wrapper({ subcommands: 'run', short: 'np', long: 'name prefix cwd' })],
  ['pyenv', wrapper({ subcommands: 'exec' })],
  ['rbenv', wrapper({ subcommands: 'exec' })],
  ['mise', wrapper({ subcommands: 'exec x', shell: '-c --command', dashed: true })],
  ['asdf', wrapper({ subcommands: 'exec' })],
  ['direnv', wrapper({ subcommands: 'exec', operands: 1 })],
  ['nix', combined(behindOption('-c', '--command'), nixRun)],
  ['volta', wrapper({ subcommands: 'run', long: 'node npm pnpm yarn' })],
  ['fnm', wrapper({ subcommands: 'exec', long: 'using' })],
  ['nvm', nvm],
  ['rvm', behindOption('do')],
  ['micromamba', wrapper({ subcommands: 'run', short: 'np', long: 'name prefix cwd' })],
  ['mix', combined(wrapper({ subcommands: 'cmd' }), optionCode('other', '-e', '--eval', 'eval'))],
  ['flask', pythonConsole],
  ['scrapy', pythonConsole],
  ['jupyter', pythonConsole],
  ['pulumi', behindWords('env run', wrapper({ short: 'e', long: 'env', dashed: true, operands: 1 }))],
  ['sst', wrapper({ subcommands: 'shell bind', long: 'stage', joined: true })],
  ['chezmoi', behindWords('git', ({ args }) => [{ kind: 'argv', argv: [knownText('git'), ...args] }])],
  ['make', make],
  ['gmake', make],
  ['just', combined(optionTexts('--command', '-c'), projectFiles('make', 'justfile', 'Justfile'))],
  ['task', wrapper({ subcommands: 'execute exec' })],
  // What a cluster runs is a script of the shell, or a text for it.
  [
    'sbatch',
    interpreter({ language: 'shell', code: '', short: 'ACDGJLMNSbcdefikmnopqtwx', longCode: 'wrap' }),
  ],
  // Interpreters
  [
    'eval',
    ({ args }) =>
      args.length === 0
        ? []
        : [shellCode(concatAll(singleText(args[0]) === '--' ? args.slice(1) : args, ' '))],
  ],
  ['trap', trap],
  ['source', sourced],
  ['.', sourced],
  ...['python', 'python2', 'python3', 'pypy', 'pypy3', 'ipython', 'ipython3', 'py'].map(
    (name): [string, Executor] => [name, python],
  ),
  ['deno', deno],
  ...['node', 'nodejs', 'tsx', 'ts-node', 'vite-node'].map((name): [string, Executor] => [name, node]),
  [
    'timeit',
    ({ args }) => {
      const { values, rest } = readLeading(args, 'nrus', ['number', 'repeat', 'unit', 'setup']);
      const setup = values.flatMap(([name, text]) => (/^(?:-s|--setup)$/.test(name) ? [text] : []));
      return [{ kind: 'code', language: 'python', text: concatAll([...setup, ...rest], '\n') }];
    },
  ],
  ['perl', perl],
  ['ruby', ruby],
  ['irb', ruby],
  ['php', php],
  ['lua', interpreter({ language: 'lua', code: 'e', short: 'l' })],
  ['luajit', interpreter({ language: 'lua', code: 'e', short: 'lj' })],
  ['Rscript', interpreter({ language: 'r', code: 'e' })],
  ['R', interpreter({ language: 'r', code: 'e', short: 'fg' })],
  ['julia', interpreter({ language: 'julia', code: 'eE', short: 'pLJ', longCode: 'eval print' })],
  ['osascript', interpreter({ language: 'other', code: 'e', short: 'ls' })],
  ['tclsh', interpreter({ language: 'other', code: '' })],
  ['wish', interpreter({ language: 'other', code: '' })],
  ['groovy', interpreter({ language: 'other', code: 'e' })],
  ['elixir', interpreter({ language: 'other', code: 'e', longCode: 'eval rpc-eval' })],
  ['pry', optionCode('ruby', '-e', '--exec')],
  ['erl', optionCode('other', '-eval', '--eval')],
  ['ghc', interpreter({ language: 'other', code: 'e' })],
  ['runghc', interpreter({ language: 'other', code: 'e' })],
  ['bpftrace', combined(interpreter({ language: 'other', code: 'e', short: 'oplfBcK' }), optionTexts('-c'))],
  ...['octave', 'octave-cli', 'matlab', 'gnuplot', 'maxima'].map((name): [string, Executor] => [
    name,
    interpreter({ language: 'other', code: 'er', longCode: 'eval' }),
  ]),
  ...['sbcl', 'clisp', 'guile', 'racket', 'ecl', 'clojure', 'raku', 'ocaml', 'slsh'].map(
    (name): [string, Executor] => [name, interpreter({ language: 'other', code: 'ecx', longCode: 'eval' })],
  ),
  ['cpan', combined(waiting, ({ fed }) => (fed ? [{ kind: 'input', language: 'other' }] : []))],
  [
    'csvtool',
    ({ args }) => (singleText(args[0]) === 'call' && args[1] !== undefined ? [shellCode(args[1])] : []),
  ],
  [
    'exiftool',
    ({ args }) =>
      args.flatMap((arg, index): readonly Inner[] => {
        const text = args[index + 1];
        const condition = /^-if\d*$/.test(singleText(arg)) && text !== undefined;
        return condition ? [{ kind: 'code', language: 'other', text }] : [];
      }),
  ],
  ['jrunscript', interpreter({ language: 'javascript', code: 'e' })],
  ['jjs', interpreter({ language: 'javascript', code: 'e' })],
  ['jshell', interpreter({ language: 'other', code: '' })],
  ['scala', interpreter({ language: 'other', code: 'e' })],
  ...['awk', 'gawk', 'mawk', 'nawk', 'original-awk'].map((name): [string, Executor] => [
    name,
    interpreter({ language: 'awk', code: 'e', file: 'fE', short: 'Fv', first: true }),
  ]),
  ...['emacsclient', 'more', 'most'].map((name): [string, Executor] => [name, editor]),
  ['emacs', combined(editor, loading(/^(?:-l|--(?:load|script)(?:=|$))(.*)$/))],
  ['less', combined(editor, loading(/^(?:-k|--lesskey-(?:src|file)(?:=|$))(.*)$/))],
  ['lldb', combined(editor, debuggerCommands)],
  ...['ed', 'red', 'gdb'].map((name): [string, Executor] => [
    name,
    combined(waiting, lineEditor, loading(/^-u()$/)),
  ]),
  ...viNames.map((name): [string, Executor] => [name, combined(waiting, viEditor, loading(/^-u()$/))]),
  // Those that run something on the side
  ['enscript', optionTexts('-I', '--filter', '--filter=')],
  ['pandoc', loading(/^(?:-[LF]|--(?:lua-filter|filter|pdf-engine|defaults)=?)(.*)$/)],
  ['neofetch', loading(/^--config(?:=|$)((?!none$).*)$/)],
  [
    'man',
    combined(optionTexts('-P', '--pager', '--pager=', '-H'), loading(/^(?:-C|--config-file(?:=|$))(.*)$/)),
  ],
  [
    'fzf',
    combined(
      optionTexts('--preview', '--preview='),
      bySuffix(/(?:execute|execute-silent|become|reload)\((.*)\)/s),
    ),
  ],
  ...['rpm', 'rpmspec'].map((name): [string, Executor] => [
    name,
    combined(bySuffix(/%\((.*)\)/s), optionTexts('--pipe', '--pipe='), ({ args }) =>
      args.flatMap((arg): readonly Inner[] => {
        const code = /%\{lua:(.*)\}/s.exec(singleText(arg))?.[1];
        return code === undefined ? [] : [{ kind: 'code', language: 'other', text: knownText(code) }];
      }),
    ),
  ]),
  ['apt-get', aptExecutor],
  ['apt', aptExecutor],
  ['aptitude', aptExecutor],
  [
    'at',
    ({ args, fed }) => {
      const file = args[args.findIndex((arg) => singleText(arg) === '-f') + 1];
      if (args.some((arg) => singleText(arg) === '-f') && file !== undefined)
        return [{ kind: 'file', language: 'shell', path: file }];
      return fed ? [{ kind: 'input', language: 'shell' }] : [];
    },
  ],
  ['batch', ({ fed }) => (fed ? [{ kind: 'input', language: 'shell' }] : [])],
  [
    'crontab',
    ({ args, fed }) => {
      const operands = args.filter((arg) => !/^-[a-z]/.test(singleText(arg)));
      const [file] = operands;
      if (args.some((arg) => /^-[lre]$/.test(singleText(arg)))) return [];
      if (file === undefined || singleText(file) === '-')
        return fed ? [{ kind: 'input', language: 'crontab' }] : [];
      return [{ kind: 'file', language: 'crontab', path: file }];
    },
  ],
  ['mapfile', optionTexts('-C')],
  ['readarray', optionTexts('-C')],
  ['complete', optionTexts('-C')],
  ['fc', optionTexts('-e')],
  ['compgen', combined(optionTexts('-C'), expandedWords)],
  ['bind', boundKeys],
]);

/** The loader of programs starts the one that it is given. */
export const startedByLoader = argv('', 'library-path preload argv0 inhibit-rpath audit');
