// npm, pnpm, yarn and bun: a project's packages are reversible by its lock file, the machine's are not.

import type { Content, Value } from '../../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  inert,
  literal,
  nameTarget,
  unknownValue,
  write,
} from '../../tools/tool.ts';
import type { Card, Fact, Given } from '../card.ts';
import { type Deed, type Said, saidBy, scopeOf, wordsOf } from '../node-packages.ts';
import { nodeOptions, startFacts } from '../node-starts.ts';
import { fetched, packages, replacedGuard } from '../package-effects.ts';
import { packageRunOf } from '../packages.ts';

/** A fact about some deeds. */
function onlyFor(
  wanted: readonly Deed[],
  effects: (call: Call, said: Said, given: Given<Value>) => ReturnType<NonNullable<Fact['effects']>>,
): NonNullable<Fact['effects']> {
  return (call, given) => {
    const said = saidBy(call, given);
    return said.deed !== null && wanted.includes(said.deed) ? effects(call, said, given) : [];
  };
}

/** What `pkg set` puts into the file of the project: of that, the scripts can run. */
function scriptsSet(settings: readonly Value[]): Content {
  const scripts = settings.flatMap((one) => {
    const [, name, script = ''] = /^scripts\.([^=]+)=(.*)$/s.exec(beginningOf(one)) ?? [];
    return name === undefined ? [] : [[name, script] as const];
  });
  return { kind: 'text', text: literal(JSON.stringify({ scripts: Object.fromEntries(scripts) })) };
}

/** Packages of `create` that lay out a project of a framework. */
const starters =
  /^(?:vite|vue|next-app|react-app|react-router|remix|svelte|astro|nuxt|nuxt-app|qwik|solid|preact|lit|expo-app|expo|t3-app|hono|fastify|strapi-app|docusaurus|@angular|@vitejs\/app|@sveltejs\/kit|@eslint\/config|@shopify\/app|playwright|electron-app|tauri-app|redwood-app|gatsby|cloudflare|turbo|nx-workspace)(?:@[\w.-]+)?$/;

/** Packages from elsewhere than the registry. */
const isForeign = (name: Value): boolean =>
  /^(?:git@|github:|gitlab:|[\w-]+\/[\w.-]+$)/.test(beginningOf(name));

const packageFacts: readonly Fact[] = [
  {
    what: 'runs scripts in another shell',
    effects: (call, given) => {
      const { deed } = saidBy(call, given);
      return given.has('script-shell') && /^(?:unknown|install|remove|exec|create|project)$/.test(deed ?? '')
        ? [effect(call, 'run', { detail: 'helper', target: nameTarget(given.last('script-shell')) })]
        : [];
    },
    examples: {
      hit: {
        'npm test --script-shell=./x': 'run ./x (helper)',
        'npm install --script-shell ./x a': 'run ./x (helper)',
        'npm rm --script-shell ./x a': 'run ./x (helper)',
        'npm exec --script-shell ./x a': 'run ./x (helper)',
        'npm init --script-shell ./x a': 'run ./x (helper)',
        'npm --script-shell ./x $VERB': 'run ./x (helper)',
      },
      miss: ['npm test', 'npm publish --script-shell ./x'],
    },
  },
  {
    what: 'runs what is not known',
    effects: onlyFor(['unknown'], (call, _, given) => [
      effect(call, 'run', { detail: 'project', target: nameTarget(wordsOf(call, given)[0]) }),
    ]),
    examples: { hit: { 'npm $VERB a': 'run … (project)' }, miss: ['npm test', 'npm'] },
  },
  {
    what: 'only says what it would publish, or lists it',
    effects: onlyFor(['try'], (call) => inert(call, 'dry-run')),
    examples: {
      hit: {
        'npm publish --dry-run': 'inert (dry-run)',
        'npm owner ls a': 'inert (dry-run)',
        'npm access list packages': 'inert (dry-run)',
        'npm access get status': 'inert (dry-run)',
      },
      miss: ['npm publish', 'npm test --dry-run'],
    },
  },
  {
    what: 'publishes, or changes what was published',
    effects: onlyFor(['publish'], (call, { verb, names }, given) => [
      effect(call, 'deploy', {
        detail: verb === 'publish' || verb === 'unpublish' ? verb : 'registry-change',
        target: nameTarget(names[0]),
        force: given.has('force'),
      }),
    ]),
    examples: {
      hit: {
        'npm publish': 'deploy (publish)',
        'npm unpublish --force a@1': 'deploy a@1 (unpublish) force',
        'npm deprecate a old': 'deploy a (registry-change)',
        'npm undeprecate a': 'deploy a (registry-change)',
        'npm dist-tag add a@1 latest': 'deploy add (registry-change)',
        'npm dist-tags rm a latest': 'deploy rm (registry-change)',
        'npm owner add b a': 'deploy add (registry-change)',
        'npm access grant a': 'deploy grant (registry-change)',
        'npm team create a': 'deploy create (registry-change)',
        'npm org set a b': 'deploy set (registry-change)',
        'npm star a': 'deploy a (registry-change)',
        'npm unstar a': 'deploy a (registry-change)',
        'npm trust github a': 'deploy github (registry-change)',
        'yarn npm publish': 'deploy (publish)',
      },
      miss: ['npm publish --dry-run', 'npm pack', 'npm run publish'],
    },
  },
  {
    what: 'installs packages',
    effects: onlyFor(['install'], (call, { verb, names }, given) => {
      const scope = scopeOf(call, given);
      const named = /^(?:install|i|add|link)$/.test(verb ?? '');
      return [
        ...(named
          ? packages(call, 'install', names, scope, given)
          : [...packages(call, 'install', [], scope, given), ...replacedGuard(call, names)]),
        ...names
          .filter(isForeign)
          .map((name) => effect(call, 'connect', { detail: 'package', target: nameTarget(name) })),
      ];
    }),
    examples: {
      hit: {
        'npm install': 'package (install) reversible',
        'npm <ci in ins inst isntall clean-install install-test it install-ci-test cit ln dlx-install dedupe ddp rb prune setup fetch approve-builds unplug patch patch-commit patch-remove>':
          'package (install) reversible',
        'npm install a': 'package a (install) reversible',
        'npm i a b': 'package a (install) reversible; package b (install) reversible',
        'npm add -D a': 'package a (install) reversible',
        'npm i -g a': 'package a (install)',
        'npm link a': 'package a (install) reversible',
        'npm i git@h.example:a github:b/c gitlab:d/e f/g @h/i':
          'package git@h.example:a (install) reversible; package github:b/c (install) reversible; package gitlab:d/e (install) reversible; package f/g (install) reversible; package @h/i (install) reversible; connect git@h.example:a (package); connect github:b/c (package); connect gitlab:d/e (package); connect f/g (package)',
        'npm i ./a https://h.example/a.tgz':
          'package ./a (install) reversible; package https://h.example/a.tgz (install) reversible; run ./a (package-file); connect h.example (download)',
        'npm rebuild sallyport': 'package (install) reversible; tamper sallyport (package)',
        yarn: 'package (install) reversible',
        'yarn +a add b': 'package b (install) reversible',
        'pnpm -w add b': 'package b (install) reversible',
        'pnpm add -w b': 'package b (install) reversible',
        'yarn global add a': 'package a (install)',
        'yarn workspace a add b': 'package b (install) reversible',
        'yarn plugin import a': 'package (install) reversible',
      },
      miss: ['npm test', 'npm un a', 'npm', 'npm run install'],
    },
  },
  {
    what: 'removes packages',
    effects: onlyFor(['remove'], (call, { names }, given) =>
      packages(call, 'remove', names, scopeOf(call, given)),
    ),
    examples: {
      hit: {
        'npm uninstall a': 'package a (remove) reversible',
        'npm un -g a': 'package a (remove)',
        'npm unlink a': 'package a (remove) reversible',
        'npm remove a': 'package a (remove) reversible',
        'npm rm a': 'package a (remove) reversible',
        'npm r a': 'package a (remove) reversible',
      },
      miss: ['npm i a', 'npm run rm'],
    },
  },
  {
    what: 'updates packages',
    effects: onlyFor(['update'], (call, { names }, given) =>
      packages(call, 'update', names, scopeOf(call, given)),
    ),
    examples: {
      hit: {
        'npm update a': 'package a (update) reversible',
        'pnpm up': 'package (update) reversible',
        'yarn upgrade a': 'package a (update) reversible',
        'npm udpate': 'package (update) reversible',
        'npm outdated-update': 'package (update) reversible',
        'yarn upgrade-interactive': 'package (update) reversible',
        'pnpm self-update': 'package (update) reversible',
        'yarn set version stable': 'package version (update) reversible; package stable (update) reversible',
      },
      miss: ['npm set a b', 'npm outdated'],
    },
  },
  {
    what: 'shows the tokens of the registry',
    effects: onlyFor(['token'], (call) => [effect(call, 'secret', { detail: 'credentials' })]),
    examples: {
      hit: { 'npm token create': 'secret (credentials)' },
      miss: ['npm token', 'npm token list', 'npm config set a b'],
    },
  },
  {
    what: 'shows a token among its settings',
    effects: (call, given) => {
      const words = given.operands.map(beginningOf);
      const shows = /^(?:config|c) get$|^get$/.test(words.slice(0, words[0] === 'get' ? 1 : 2).join(' '));
      return shows && /_auth|_password|auth(?:Token|Ident)$/i.test(words.at(-1) ?? '')
        ? [effect(call, 'secret', { detail: 'credentials' })]
        : [];
    },
    examples: {
      hit: {
        'npm config get //h.example/:_authToken': 'secret (credentials)',
        'npm get _auth': 'secret (credentials)',
        'yarn config get npmAuthToken': 'secret (credentials)',
      },
      miss: ['npm config get registry', 'npm config list', 'npm install _auth'],
    },
  },
  {
    what: 'changes its settings',
    effects: onlyFor(['settings'], (call) => write(call, literal('~/.npmrc'), { detail: 'edit' })),
    examples: {
      hit: {
        'npm config set a b': 'write ~/.npmrc (edit)',
        'npm c delete a': 'write ~/.npmrc (edit)',
        'npm set a b': 'write ~/.npmrc (edit)',
        'npm login': 'write ~/.npmrc (edit)',
        'npm logout': 'write ~/.npmrc (edit)',
        'npm adduser': 'write ~/.npmrc (edit)',
        'npm profile set a b': 'write ~/.npmrc (edit)',
        'npm hook add a': 'write ~/.npmrc (edit)',
      },
      miss: ['npm config get a', 'npm config list', 'npm config ls', 'npm config', 'npm token create'],
    },
  },
  {
    what: 'changes the scripts of the project',
    effects: onlyFor(['package-file'], (call, { names }) =>
      write(call, literal('package.json'), { detail: 'edit', content: scriptsSet(names.slice(1)) }),
    ),
    examples: {
      hit: {
        'npm pkg set scripts.test=vitest name=a':
          'write package.json (edit) containing {"scripts":{"test":"vitest"}}',
      },
      miss: ['npm pkg get scripts', 'npm test'],
    },
  },
  {
    what: 'empties its cache',
    effects: onlyFor(['clean'], (call) => packages(call, 'clean', [], { reversible: true })),
    examples: {
      hit: {
        'npm cache clean --force': 'package (clean) reversible',
        'npm cache clear': 'package (clean) reversible',
        'npm cache rm a': 'package (clean) reversible',
        'pnpm store prune': 'package (clean) reversible',
        'bun pm cache rm': 'package (clean) reversible',
      },
      miss: ['npm cache ls', 'pnpm store path', 'bun pm ls', 'npm pm cache'],
    },
  },
  {
    what: 'runs a package of the project, or obtains another and runs it',
    effects: onlyFor(['exec'], (call, { names }) => packageRunOf(call, names)),
    examples: {
      hit: {
        'npm exec eslint': 'inert (project)',
        'npm exec -- cowsay hi': 'run cowsay (package) from network',
        'npm exec -- a -p b': 'run a (package) from network',
        'npm exec -y a': 'run a (package) from network',
      },
      miss: ['npm exec', 'npm test', 'npm dlx a'],
    },
  },
  {
    what: 'obtains a package and runs it',
    effects: onlyFor(['create'], (call, { verb, names }) => {
      const [name = unknownValue] = names;
      const starts = !/^(?:dlx|x)$/.test(verb ?? '') && starters.test(beginningOf(name));
      return starts ? inert(call, 'project') : fetched(call, name);
    }),
    examples: {
      hit: {
        'pnpm dlx a': 'run a (package) from network',
        'npm x vite': 'run vite (package) from network',
        'npm dlx vite': 'run vite (package) from network',
        'npm create <vite@latest vue next-app react-app react-router remix svelte astro nuxt nuxt-app qwik solid preact lit expo-app expo t3-app hono fastify strapi-app docusaurus @angular @vitejs/app @sveltejs/kit @eslint/config @shopify/app playwright electron-app tauri-app redwood-app gatsby cloudflare turbo nx-workspace>':
          'inert (project)',
        'npm create': 'run … (package) from network',
        'npm init a': 'run a (package) from network',
        'npm innit a': 'run a (package) from network',
      },
      miss: ['npm init', 'npm innit', 'npm exec a'],
    },
  },
  {
    what: 'tags a version',
    effects: onlyFor(['tag'], (call, { names }) => [
      effect(call, 'git', { detail: 'tag', target: nameTarget(names[0]), reversible: true }),
    ]),
    examples: {
      hit: { 'npm version patch': 'git patch (tag) reversible' },
      miss: ['npm version', 'npm test'],
    },
  },
  {
    what: 'does what the project says',
    effects: onlyFor(['project'], (call) => inert(call, 'project')),
    examples: {
      hit: {
        'npm test': 'inert (project)',
        'npm run build': 'inert (project)',
        npm: 'inert (project)',
        'npm init': 'inert (project)',
        'npm pkg get a': 'inert (project)',
        'yarn workspaces run a': 'inert (project)',
        'npm version': 'inert (project)',
      },
      miss: ['npm i', 'npm config', 'npm $VERB', 'npm publish'],
    },
  },
];

const managers: Card = {
  names: 'npm cnpm pnpm yarn yarnpkg bun',
  options: nodeOptions,
  readings: {
    valued:
      'prefix C dir w workspace filter F registry tag otp access c call package p loglevel cwd userconfig cache depth omit include script-shell node-options audit-level preid reporter global-folder https-proxy link-folder modules-folder mutex network-concurrency network-timeout preferred-cache-folder proxy cache-folder scope message new-version pattern cache-dir backend link-native-bins',
    flags:
      'g global D save-dev dev S save P E save-exact O prod production workspaces r recursive dry-run force f yes y silent s ignore-scripts legacy-peer-deps no-audit no-fund frozen-lockfile json long parseable if-present verbose no-save no-package-lock workspace-root b prefer-offline prune audit',
    attached: 'color',
  },
  facts: [...packageFacts, ...startFacts],
  advice: [
    {
      rule: 'deployment',
      programs: ['npm'],
      text: 'Try it without publishing: `npm publish --dry-run`.',
    },
    {
      rule: 'deployment',
      programs: ['pnpm'],
      text: 'Try it without publishing: `pnpm publish --dry-run`.',
    },
    { rule: 'package_removal', programs: ['npm'], text: 'Look first: `npm ls -g`.' },
  ],
};

export const cards = [managers];
