// The table: what each program starts.

import { concatAll, knownText, singleText } from '../values.ts';
import { editor, lineEditor, viEditor, viNames } from './editors.ts';
import { type Call, type Executor, type Inner, shellCode } from './inner.ts';
import { script } from './interpreters.ts';
import { optionCode } from './options.ts';
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

/** By the names of the programs. */
export const executors: ReadonlyMap<string, Executor> = new Map<string, Executor>([
  ['ts', argv()],
  ['bwrap', bubblewrap],
  ['lerna', wrapper({ subcommands: 'exec', dashed: true })],
  ['dmsetup', optionTexts('--exec', '--exec=')],
  ['gs', bySuffix(/%pipe%([^)]*)/)],
  ['logsave', argv('', '', 1)],
  ['run-parts', () => []],
  // Elsewhere
  ['debugfs', combined(waiting, afterMark)],
  ...['mail', 'mailx', 'Mail'].map((name): [string, Executor] => [name, escapes(/^(?:--exec=)?~?!(.*)$/)]),
  ['lxc-attach', wrapper({ short: 'n', dashed: true })],
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
  ['swift', optionCode('other', '-e')],
  ['mix', combined(wrapper({ subcommands: 'cmd' }), optionCode('other', '-e', '--eval', 'eval'))],
  ['chezmoi', behindWords('git', ({ args }) => [{ kind: 'argv', argv: [knownText('git'), ...args] }])],
  // What a cluster runs is a script of the shell, or a text for it.
  [
    'sbatch',
    script({
      language: 'shell',
      code: 'wrap',
      options: 'A= C= D= G= J= L= M= N= S= b= c= d= e= f= i= k= m= n= o= p= q= t= w= x= wrap=',
    }),
  ],
  // Interpreters
  [
    'timeit',
    ({ args }) => {
      const { values, rest } = readLeading(args, 'nrus', ['number', 'repeat', 'unit', 'setup']);
      const setup = values.flatMap(([name, text]) => (/^(?:-s|--setup)$/.test(name) ? [text] : []));
      return [{ kind: 'code', language: 'python', text: concatAll([...setup, ...rest], '\n') }];
    },
  ],
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
  ...['awk', 'gawk', 'mawk', 'nawk', 'original-awk'].map((name): [string, Executor] => [
    name,
    script({ language: 'awk', code: 'e', file: 'f E', options: 'e= f= E= F= v=', first: true }),
  ]),
  ...['emacsclient', 'more', 'most'].map((name): [string, Executor] => [name, editor]),
  ['emacs', combined(editor, loading(/^(?:-l|--(?:load|script)(?:=|$))(.*)$/))],
  ['less', combined(editor, loading(/^(?:-k|--lesskey-(?:src|file)(?:=|$))(.*)$/))],
  ...['ed', 'red'].map((name): [string, Executor] => [
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
]);

/** The loader of programs starts the one that it is given. */
export const startedByLoader = argv('', 'library-path preload argv0 inhibit-rpath audit');
