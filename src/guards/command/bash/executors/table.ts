// The table: what each program starts.

import { singleText } from '../values.ts';
import type { Executor } from './inner.ts';
import { optionCode } from './options.ts';
import {
  behindOption,
  combined,
  optionTexts,
  projectFiles,
  setupScript,
  waiting,
  wrapper,
} from './shapes.ts';

/** By the names of the programs. */
export const executors: ReadonlyMap<string, Executor> = new Map<string, Executor>([
  // Elsewhere
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
  ['rvm', behindOption('do')],
  ['micromamba', wrapper({ subcommands: 'run', short: 'np', long: 'name prefix cwd' })],
  ['swift', optionCode('other', '-e')],
  ['mix', combined(wrapper({ subcommands: 'cmd' }), optionCode('other', '-e', '--eval', 'eval'))],
  ['cpan', combined(waiting, ({ fed }) => (fed ? [{ kind: 'input', language: 'other' }] : []))],
]);
