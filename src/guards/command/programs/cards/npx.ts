// npx and its kin: run a package, installed or not.

import { singleText } from '../../bash/values.ts';
import { type Card, shellOptions } from '../card.ts';
import { fromAfar } from '../interpreters.ts';
import { withoutVersion } from '../node-starts.ts';
import { packageRun, runnerOptions } from '../packages.ts';

const npx: Card = {
  names: 'npx bunx pnpx uvx',
  options: runnerOptions,
  manner: { stopAtOperand: true },
  readings: {
    valued:
      'p package c call from with python spec with-requirements index-url w workspace cache userconfig prefix',
    flags: 'y yes no-install q quiet ignore-existing b bun no refresh isolated',
  },
  facts: [
    {
      what: 'runs a package of the project, or obtains another and runs it',
      effects: packageRun,
      examples: {
        hit: {
          'npx <tsc typescript tsx ts-node vite-node eslint prettier biome @biomejs/biome jest vitest mocha ava tap playwright cypress vite next nuxt astro webpack rollup esbuild parcel turbo nx lerna changeset @changesets/cli husky lint-staged stylelint commitlint prisma drizzle-kit knip depcheck typedoc tailwindcss postcss sass svelte-check vue-tsc storybook tsup swc babel rimraf concurrently cross-env npm-run-all nodemon c8 nyc size-limit publint attw markdownlint markdownlint-cli cspell npm-check-updates ncu create-vite create-next-app create-react-app json2ts openapi-typescript graphql-codegen expo react-native ng ionic cap quasar serve http-server wait-on license-checker madge dependency-cruiser ruff black mypy pytest flake8 isort pre-commit poetry tox nox pyright coverage bandit cookiecutter sphinx-build mkdocs>':
            'inert (project)',
          'npx eslint --fix': 'inert (project)',
          'npx tsc@5 -p .': 'inert (project)',
          'npx @biomejs/biome check': 'inert (project)',
          'npx cowsay hi': 'run cowsay (package) from network',
          'npx -p a b': 'run a (other-package) from network',
          'npx -p a tsc': 'run a (other-package) from network',
          'npx -p typescript tsc': 'inert (project)',
          'npx --prefix web tsc': 'inert (project)',
          'uvx --from a b': 'run a (other-package) from network',
          'uvx --spec a b': 'run a (other-package) from network',
          'npx --no cowsay': 'inert (project)',
          'npx --no-install cowsay': 'inert (project)',
          'npx $NAME': 'run … (package) from network',
          'uvx ruff check': 'inert (project)',
        },
        miss: ['npx', 'npx -c "ls"'],
      },
    },
    {
      what: 'runs a command line',
      starts: shellOptions('call'),
      examples: {
        hit: { 'npx -c "rm -rf /"': 'shell code: rm -rf /', 'npx -p a --call="b | c"': 'shell code: b | c' },
        miss: ['npx a -c b'],
      },
    },
    {
      what: 'runs code from an address',
      starts: (_, given) => {
        const named = [
          ...given.all('package', 'call', 'from', 'with', 'workspace', 'python', 'spec'),
          ...given.operands.slice(0, 1),
        ];
        return named.some((text) => fromAfar.test(singleText(text))) ? [{ kind: 'unknown' }] : [];
      },
      examples: {
        hit: {
          'npx https://h.example/a.tgz': 'unknown',
          'npx -p github:a/b c': 'unknown',
          'uvx --from git+https://h.example/a b': 'unknown',
          'uvx --with git+https://h.example/a b': 'unknown',
          'uvx --spec git+https://h.example/a b': 'unknown',
          'uvx --python https://h.example/a b': 'unknown',
          'npx -w git@h.example:a b': 'unknown',
          'npx -c https://h.example/a': 'unknown',
        },
        miss: ['npx a', 'npx a https://h.example/'],
      },
    },
    {
      what: 'starts the program of a package',
      starts: (_, given) => {
        const [program, ...words] = given.operands;
        if (program === undefined) return [];
        return [{ kind: 'argv', argv: [withoutVersion(program), ...words] }];
      },
      examples: {
        hit: {
          'npx rimraf@5 /': 'program: rimraf /',
          'npx -y @a/b --c': 'program: @a/b --c',
          'uvx --from a b c': 'program: b c',
        },
        miss: ['npx', 'npx -c "ls"'],
      },
    },
  ],
};

export const cards = [npx];
