// Programs that run a package, installed or not: npx, uvx and the subcommands that do the same.

import type { Effect, Value } from '../effects.ts';
import { type Call, inert, textOf, valueWords } from '../tools/tool.ts';
import { type Reading, readOptions } from './options.ts';
import { fetched } from './package-effects.ts';

/** Options of such a program, which end at the name of the package. */
export const runnerOptions =
  'y/yes no-install p/package= c/call= q/quiet ignore-existing from= with= python= b/bun no spec= with-requirements= index-url= refresh isolated w/workspace= cache= userconfig= prefix=';

/** Packages that projects have installed for themselves, and that do no more than build, check and test. */
const everydayPackages = new Set(
  'tsc typescript tsx ts-node vite-node eslint prettier biome @biomejs/biome jest vitest mocha ava tap playwright cypress vite next nuxt astro webpack rollup esbuild parcel turbo nx lerna changeset @changesets/cli husky lint-staged stylelint commitlint prisma drizzle-kit knip depcheck typedoc tailwindcss postcss sass svelte-check vue-tsc storybook tsup swc babel rimraf concurrently cross-env npm-run-all nodemon c8 nyc size-limit publint attw markdownlint markdownlint-cli cspell npm-check-updates ncu create-vite create-next-app create-react-app json2ts openapi-typescript graphql-codegen expo react-native ng ionic cap quasar serve http-server wait-on license-checker madge dependency-cruiser ruff black mypy pytest flake8 isort pre-commit poetry tox nox pyright coverage bandit cookiecutter sphinx-build mkdocs'.split(
    ' ',
  ),
);

/** What running a package does: one of the project's own is its business, another is obtained and run. */
export function packageRun(call: Call, given: Reading): readonly Effect[] {
  const [name] = given.operands;
  if (!name) return [];
  if (given.has('no-install', 'no') && textOf(name) !== null) return inert(call, 'project');
  const named = given.all('package', 'from', 'spec');
  const isLocal = (value: Value) => isEverydayPackage(textOf(value) ?? '');
  if (isLocal(name) && named.every(isLocal)) return inert(call, 'project');
  const other = named.find((value) => !isLocal(value));
  return other === undefined ? fetched(call, name) : fetched(call, other, 'other-package');
}

/** Whether a package is one of those that projects have installed for themselves; its version does not matter. */
export function isEverydayPackage(name: string): boolean {
  return everydayPackages.has(name.replace(/(?<=.)@[\w.^~-]+$/, ''));
}

/** The same, for the words behind a subcommand. */
export function packageRunOf(call: Call, words: readonly Value[]): readonly Effect[] {
  return packageRun(call, readOptions(runnerOptions, { stopAtOperand: true }, words, valueWords));
}
