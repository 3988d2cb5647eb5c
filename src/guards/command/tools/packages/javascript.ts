// Package managers of JavaScript, and what runs packages without installing them.

import type { Content, Effect, Value } from '../../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  inert,
  literal,
  type More,
  nameTarget,
  options,
  orInert,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
  write,
} from '../tool.ts';
import { fetched, packages, replacedGuard } from './effects.ts';
import { project } from './projects.ts';

const nodeDescription =
  'g/global D/save-dev/dev S/save P E/save-exact O prod/production prefix= C/dir= w/workspace= workspaces filter/F= r/recursive registry= tag= otp= access= dry-run force f yes/y c/call= package/p= silent s loglevel= cwd= userconfig= cache= ignore-scripts legacy-peer-deps no-audit no-fund frozen-lockfile json long depth= parseable omit= include= if-present verbose script-shell= node-options= no-save no-package-lock workspace-root b prefer-offline audit-level= color? prune';
/** npm, pnpm, yarn, bun: a project's packages are reversible by its lock file, the machine's are not. */
const node: Tool = (call) => {
  const given = options(nodeDescription)(call.args);
  const words = given.operands.filter((operand) => !/^\+/.test(beginningOf(operand)));
  let [verb, ...names] = words;
  if (
    call.program === 'yarn' &&
    /^(?:npm|plugin|workspaces|global)$/.test(textOf(verb ?? unknownValue) ?? '')
  ) {
    if (textOf(verb ?? unknownValue) === 'workspaces') return inert(call, 'project');
    [verb, ...names] = names;
  }
  if (call.program === 'yarn' && textOf(verb ?? unknownValue) === 'workspace')
    [verb, ...names] = names.slice(1);
  if (call.program === 'bun' && textOf(verb ?? unknownValue) === 'pm')
    return /^(?:cache)$/.test(beginningOf(names[0] ?? literal('')))
      ? packages(call, 'clean', [], { reversible: true })
      : inert(call);
  const text = textOf(verb ?? literal(call.program === 'yarn' ? 'install' : 'help'));
  const wide =
    given.has('global') ||
    call.args.some((argument) => textOf(argument) === 'global' && call.program === 'yarn');
  const scope: More = wide ? {} : { reversible: true };
  const shell = given.has('script-shell')
    ? [effect(call, 'run', { detail: 'helper', target: nameTarget(given.last('script-shell')) })]
    : [];
  if (text === null) return [...shell, effect(call, 'run', { detail: 'project', target: nameTarget(verb) })];
  if (
    /^(?:publish|unpublish|deprecate|undeprecate|dist-tag|dist-tags|owner|access|team|org|star|unstar|trust)$/.test(
      text,
    )
  ) {
    if (given.has('dry-run') || /^(?:ls|list|get)$/.test(beginningOf(names[0] ?? literal(''))))
      return inert(call, 'dry-run');
    return [
      effect(call, 'deploy', {
        detail: text === 'publish' ? 'publish' : text === 'unpublish' ? 'unpublish' : 'registry-change',
        target: nameTarget(names[0]),
        force: given.has('force'),
      }),
    ];
  }
  if (
    /^(?:install|i|in|ins|inst|isntall|add|ci|clean-install|install-test|it|install-ci-test|cit|link|ln|import|dlx-install|dedupe|ddp|rebuild|rb|prune|setup|fetch|approve-builds|unplug|patch|patch-commit|patch-remove)$/.test(
      text,
    )
  )
    return [
      ...shell,
      ...(/^(?:install|i|add|link)$/.test(text)
        ? packages(call, 'install', names, scope)
        : [...packages(call, 'install', [], scope), ...replacedGuard(call, names)]),
      ...foreign(call, names),
    ];
  if (/^(?:uninstall|un|unlink|remove|rm|r)$/.test(text))
    return [...shell, ...packages(call, 'remove', names, scope)];
  if (
    /^(?:update|up|upgrade|udpate|outdated-update|upgrade-interactive|self-update|set)$/.test(text) &&
    !(text === 'set' && call.program === 'npm')
  )
    return packages(call, 'update', names, scope);
  if (/^(?:config|c|set|login|logout|adduser|token|profile|hook)$/.test(text)) {
    const action = beginningOf(names[0] ?? literal(''));
    if (
      /^(?:get|list|ls)$/.test(action) ||
      (names.length === 0 && text !== 'login' && text !== 'logout' && text !== 'adduser')
    )
      return inert(call);
    if (text === 'token') return [effect(call, 'secret', { detail: 'credentials' })];
    return write(call, literal('~/.npmrc'), { detail: 'edit' });
  }
  if (text === 'pkg' && textOf(names[0]) === 'set')
    return write(call, literal('package.json'), { detail: 'edit', content: scriptsSet(names.slice(1)) });
  if (text === 'cache' || text === 'store')
    return /^(?:clean|clear|rm|prune)$/.test(beginningOf(names[0] ?? literal('')))
      ? packages(call, 'clean', [], { reversible: true })
      : inert(call);
  if (text === 'exec') return [...shell, ...runner({ ...call, args: names })];
  if (/^(?:dlx|x|create|init|innit)$/.test(text)) {
    if ((text === 'init' || text === 'innit') && names.length === 0)
      return [...shell, ...inert(call, 'project')];
    const [name = unknownValue] = names;
    const starts = !/^(?:dlx|x)$/.test(text) && starters.test(beginningOf(name));
    return [...shell, ...(starts ? inert(call, 'project') : fetched(call, name))];
  }
  if (text === 'version' && names.length > 0)
    return [effect(call, 'git', { detail: 'tag', target: nameTarget(names[0]), reversible: true })];
  return [...shell, ...inert(call, 'project')];
};

/** What `pkg set` puts into the file of the project: of that, the scripts can run. */
function scriptsSet(settings: readonly Value[]): Content {
  const scripts = settings.flatMap((setting) => {
    const [, name, script = ''] = /^scripts\.([^=]+)=(.*)$/s.exec(beginningOf(setting)) ?? [];
    return name === undefined ? [] : [[name, script] as const];
  });
  return { kind: 'text', text: literal(JSON.stringify({ scripts: Object.fromEntries(scripts) })) };
}

/** Packages of `create` that lay out a project of a framework. */
const starters =
  /^(?:vite|vue|next-app|react-app|react-router|remix|svelte|astro|nuxt|nuxt-app|qwik|solid|preact|lit|expo-app|expo|t3-app|hono|fastify|strapi-app|docusaurus|@angular|@vitejs\/app|@sveltejs\/kit|@eslint\/config|@shopify\/app|playwright|electron-app|tauri-app|redwood-app|gatsby|cloudflare|turbo|nx-workspace)(?:@[\w.-]+)?$/;

/** Packages from elsewhere than the registry. */
function foreign(call: Call, names: readonly Value[]): readonly Effect[] {
  return names
    .filter(
      (name) =>
        /^(?:git@|github:|gitlab:|[\w-]+\/[\w.-]+$)/.test(beginningOf(name)) &&
        !beginningOf(name).startsWith('@'),
    )
    .map((name) => effect(call, 'connect', { detail: 'package', target: nameTarget(name) }));
}

/** A program that runs a package, installed or not. */
export const runner: Tool = (call) => {
  const given = options(
    'y/yes no-install p/package= c/call= q/quiet ignore-existing from= with= python= bun b/bun no spec= with-requirements= index-url= refresh isolated',
    { stopAtOperand: true },
  )(call.args);
  const [name] = given.operands;
  if (!name) return inert(call);
  const text = textOf(name);
  const local =
    text !== null &&
    (given.has('no-install', 'no') || everydayPackages.has(text.replace(/(?<=.)@[\w.^~-]+$/, '')));
  return local ? inert(call, 'project') : fetched(call, given.last('package', 'from', 'spec') ?? name);
};
/** Packages that projects have installed for themselves, and that do no more than build, check and test. */
const everydayPackages = new Set(
  'tsc tsx ts-node vite-node eslint prettier biome @biomejs/biome jest vitest mocha ava tap playwright cypress vite next nuxt astro webpack rollup esbuild parcel turbo nx lerna changeset @changesets/cli husky lint-staged stylelint commitlint prisma drizzle-kit knip depcheck typedoc tailwindcss postcss sass svelte-check vue-tsc storybook tsup swc babel rimraf concurrently cross-env npm-run-all nodemon c8 nyc size-limit publint attw markdownlint markdownlint-cli cspell npm-check-updates ncu create-vite create-next-app create-react-app json2ts openapi-typescript graphql-codegen expo react-native ng ionic cap quasar serve http-server wait-on license-checker madge dependency-cruiser ruff black mypy pytest flake8 isort pre-commit poetry tox nox pyright coverage bandit cookiecutter sphinx-build mkdocs'.split(
    ' ',
  ),
);

/** npm and its kin. */
export const javascriptTools: Tools = {
  npm: node,
  pnpm: node,
  yarn: node,
  yarnpkg: node,
  bun: node,
  cnpm: node,
  ncu: (call) => inert(call),
  'npm-check-updates': (call) => inert(call),
  lerna: (call) =>
    textOf(call.args[0] ?? unknownValue) === 'publish'
      ? [effect(call, 'deploy', { detail: 'publish' })]
      : inert(call, 'project'),
  changeset: (call) =>
    textOf(call.args[0] ?? unknownValue) === 'publish'
      ? [effect(call, 'deploy', { detail: 'publish' })]
      : inert(call, 'project'),
  'semantic-release': (call) => [effect(call, 'deploy', { detail: 'publish' })],
  'release-it': (call) => [effect(call, 'deploy', { detail: 'publish' })],
  vsce: (call) =>
    /^(?:publish|unpublish|delete-publisher)$/.test(beginningOf(call.args[0] ?? unknownValue))
      ? [effect(call, 'deploy', { detail: textOf(call.args[0]) === 'publish' ? 'publish' : 'unpublish' })]
      : inert(call, 'project'),
  ovsx: (call) =>
    textOf(call.args[0] ?? unknownValue) === 'publish'
      ? [effect(call, 'deploy', { detail: 'publish' })]
      : inert(call),
  corepack: (call) => packages(call, 'install', call.args.slice(1), { reversible: true }),
  nvm: (call) =>
    /^(?:install|uninstall|alias)$/.test(beginningOf(call.args[0] ?? unknownValue))
      ? packages(call, textOf(call.args[0]) === 'uninstall' ? 'remove' : 'install', call.args.slice(1), {
          reversible: true,
        })
      : inert(call),
  fnm: (call) => inert(call),
  n: (call) => packages(call, 'install', call.args, { reversible: true }),
  volta: (call) =>
    orInert(
      call,
      /^(?:install|uninstall|pin|fetch)$/.test(beginningOf(call.args[0] ?? literal('')))
        ? replacedGuard(call, call.args.slice(1))
        : [],
    ),
  npx: runner,
  bunx: runner,
  pnpx: runner,
  jsr: project({ deploy: /^publish$/, install: /^(?:add|i|install)/ }),
};
