// npm, pnpm, yarn and bun: a project's packages are reversible by its lock file, the machine's are not.

import type { Inner, Call as Start } from '../../bash/executors/inner.ts';
import { node, ownCommand } from '../../bash/executors/interpreters.ts';
import { looksLikeCommand, looksLikeScript } from '../../bash/programs.ts';
import { emptyText, knownText, singleText, type Text } from '../../bash/values.ts';
import type { Content, Value } from '../../effects.ts';
import { fetched, packages, replacedGuard } from '../../tools/packages/effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  inert,
  literal,
  type More,
  nameTarget,
  textOf,
  unknownValue,
  write,
} from '../../tools/tool.ts';
import { type Card, type Fact, type Given, textWords } from '../card.ts';
import { type Reading, readOptions } from '../options.ts';
import { packageRunOf } from '../packages.ts';

const options =
  'g/global D/save-dev/dev S/save P E/save-exact O prod/production prefix= C/dir= w/workspace= workspaces filter/F= r/recursive registry= tag= otp= access= dry-run force f yes/y c/call= package/p= silent s loglevel= cwd= userconfig= cache= ignore-scripts legacy-peer-deps no-audit no-fund frozen-lockfile json long depth= parseable omit= include= if-present verbose script-shell= node-options= no-save no-package-lock workspace-root b prefer-offline audit-level= color? prune preid= reporter= global-folder= https-proxy= link-folder= modules-folder= mutex= network-concurrency= network-timeout= preferred-cache-folder= proxy= cache-folder= scope= message= new-version= pattern= cache-dir= backend= link-native-bins= audit';

/** What a call is about. */
type Deed =
  | 'unknown'
  | 'try'
  | 'publish'
  | 'install'
  | 'remove'
  | 'update'
  | 'token'
  | 'settings'
  | 'package-file'
  | 'clean'
  | 'exec'
  | 'create'
  | 'tag'
  | 'project';

interface Said {
  /** Null where nothing is changed. */
  readonly deed: Deed | null;
  /** Null where it is not known. */
  readonly verb: string | null;
  readonly names: readonly Value[];
}

/** The subcommand and its words; yarn and bun have groups of them. */
function wordsOf({ program, args }: Call, given: Given<Value>): readonly Value[] {
  // pnpm's -w is a switch: the word behind it is no value.
  const behind = program === 'pnpm' ? given.all('w') : [];
  const operands =
    behind.length === 0
      ? given.operands
      : args.filter((word) => given.operands.includes(word) || behind.includes(word));
  const words = operands.filter((operand) => !beginningOf(operand).startsWith('+'));
  if (program !== 'yarn') return words;
  const first = textOf(words[0] ?? unknownValue) ?? '';
  const rest = /^(?:npm|plugin|global)$/.test(first) ? words.slice(1) : words;
  return textOf(rest[0] ?? unknownValue) === 'workspace' ? rest.slice(2) : rest;
}

const publishing =
  /^(?:publish|unpublish|deprecate|undeprecate|dist-tag|dist-tags|owner|access|team|org|star|unstar|trust)$/;
const installing =
  /^(?:install|i|in|ins|inst|isntall|add|ci|clean-install|install-test|it|install-ci-test|cit|link|ln|import|dlx-install|dedupe|ddp|rebuild|rb|prune|setup|fetch|approve-builds|unplug|patch|patch-commit|patch-remove)$/;
const removing = /^(?:uninstall|un|unlink|remove|rm|r)$/;
const updating = /^(?:update|up|upgrade|udpate|outdated-update|upgrade-interactive|self-update)$/;
const setting = /^(?:config|c|login|logout|adduser|token|profile|hook)$/;

function settingDeed(verb: string, action: string, bare: boolean): Deed | null {
  if (/^(?:get|list|ls)$/.test(action) || (bare && !/^(?:login|logout|adduser)$/.test(verb))) return null;
  return verb === 'token' ? 'token' : 'settings';
}

interface Asked {
  readonly program: string;
  readonly verb: string;
  readonly names: readonly Value[];
  readonly given: Given<Value>;
  /** The first word behind the subcommand. */
  readonly action: string;
}

type Decide = (asked: Asked) => Deed | null;

/** By the subcommand; the first that fits counts. */
const deeds: readonly (readonly [RegExp, Decide])[] = [
  [
    publishing,
    ({ given, action }) => (given.has('dry-run') || /^(?:ls|list|get)$/.test(action) ? 'try' : 'publish'),
  ],
  [installing, () => 'install'],
  [removing, () => 'remove'],
  [
    /^set$/,
    ({ program, verb, action, names }) =>
      program === 'npm' ? settingDeed(verb, action, names.length === 0) : 'update',
  ],
  [updating, () => 'update'],
  [setting, ({ verb, action, names }) => settingDeed(verb, action, names.length === 0)],
  [/^pkg$/, ({ action }) => (action === 'set' ? 'package-file' : 'project')],
  [/^(?:cache|store)$/, ({ action }) => (/^(?:clean|clear|rm|prune)$/.test(action) ? 'clean' : null)],
  [/^exec$/, () => 'exec'],
  [/^(?:dlx|x|create)$/, () => 'create'],
  [/^inn?it$/, ({ names }) => (names.length > 0 ? 'create' : 'project')],
  [/^version$/, ({ names }) => (names.length > 0 ? 'tag' : 'project')],
];

function deedOf(asked: Asked): Deed | null {
  if (asked.program === 'bun' && asked.verb === 'pm') return asked.action === 'cache' ? 'clean' : null;
  const decide = deeds.find(([verbs]) => verbs.test(asked.verb))?.[1];
  return decide === undefined ? 'project' : decide(asked);
}

function saidBy(call: Call, given: Given<Value>): Said {
  const [word, ...names] = wordsOf(call, given);
  const verb = textOf(word ?? literal(call.program === 'yarn' ? 'install' : ''));
  const action = beginningOf(names[0] ?? literal(''));
  const deed = verb === null ? 'unknown' : deedOf({ program: call.program, verb, names, given, action });
  return { verb, names, deed };
}

/** What is the project's own can be made again. */
function scopeOf(call: Call, given: Given<Value>): More {
  const machine = call.program === 'yarn' && call.args.some((argument) => textOf(argument) === 'global');
  return given.has('global') || machine ? {} : { reversible: true };
}

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
          ? packages(call, 'install', names, scope)
          : [...packages(call, 'install', [], scope), ...replacedGuard(call, names)]),
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

/** Words behind one of some subcommands, with the options before the first that is none. */
function behind(args: readonly Text[], verbs: RegExp): Reading<Text> | null {
  const read = (words: readonly Text[]) => readOptions(options, { stopAtOperand: true }, words, textWords);
  const [verb, ...rest] = read(args).operands;
  return verbs.test(singleText(verb)) ? read(rest) : null;
}

/** The program that a subcommand starts, or the command line that it is given. */
function startedBehind(args: readonly Text[], verbs: RegExp): readonly Inner[] {
  const given = behind(args, verbs);
  if (given === null) return [];
  const lines = given.all('call').map((text): Inner => ({ kind: 'code', language: 'shell', text }));
  if (lines.length > 0 || given.operands.length === 0) return lines;
  return [{ kind: 'argv', argv: given.operands }];
}

/** `yarn run`, whose words are the name of a script of the project's own, unless they look like a command. */
function scriptOrCommand(args: readonly Text[]): readonly Inner[] {
  return startedBehind(args, /^(?:exec|run)$/).flatMap((inner): readonly Inner[] => {
    if (inner.kind !== 'argv') return [inner];
    const [first = emptyText, ...more] = inner.argv;
    if (more.length === 0 && looksLikeScript(singleText(first)))
      return [{ kind: 'code', language: 'shell', text: first }];
    return looksLikeCommand(inner.argv) ? [inner] : [];
  });
}

const isOf = (programs: string): ((call: Start) => boolean) => {
  const names = programs.split(' ');
  return ({ program }) => names.includes(program);
};
const isNpm = isOf('npm cnpm');
const isYarn = isOf('yarn yarnpkg');

const managers: Card = {
  names: 'npm cnpm pnpm yarn yarnpkg bun',
  options,
  readings: {
    valued:
      'prefix C dir w workspace filter F registry tag otp access c call package p loglevel cwd userconfig cache depth omit include script-shell node-options audit-level preid reporter global-folder https-proxy link-folder modules-folder mutex network-concurrency network-timeout preferred-cache-folder proxy cache-folder scope message new-version pattern cache-dir backend link-native-bins',
    flags:
      'g global D save-dev dev S save P E save-exact O prod production workspaces r recursive dry-run force f yes y silent s ignore-scripts legacy-peer-deps no-audit no-fund frozen-lockfile json long parseable if-present verbose no-save no-package-lock workspace-root b prefer-offline prune audit',
    attached: 'color',
  },
  facts: [
    ...packageFacts,
    {
      what: 'starts the program of a package, or a command line',
      starts: (call) => {
        if (isNpm(call)) return startedBehind(call.args, /^(?:exec|x)$/);
        if (isYarn(call)) return startedBehind(call.args, /^dlx$/);
        return call.program === 'pnpm' ? startedBehind(call.args, /^(?:exec|dlx)$/) : [];
      },
      examples: {
        hit: {
          'npm exec rimraf /': 'program: rimraf /',
          'cnpm x -y -- a b': 'program: a b',
          'npm exec -c "rm -rf /"': 'shell code: rm -rf /',
          'npm --prefix d exec --call="a | b"': 'shell code: a | b',
          'pnpm exec rm -rf /': 'program: rm -rf /',
          'pnpm dlx a b': 'program: a b',
          'yarn dlx -p a b c': 'program: b c',
          'yarnpkg dlx a': 'program: a',
        },
        miss: ['npm run a', 'npm exec', 'npm test x', 'npm dlx a', 'yarn x a', 'pnpm x a', 'bun dlx a'],
      },
    },
    {
      what: 'starts a program in the folder of a package',
      starts: (call) => {
        const [, ...words] = (isNpm(call) ? behind(call.args, /^explore$/)?.operands : undefined) ?? [];
        const argv = singleText(words[0]) === '--' ? words.slice(1) : words;
        return argv.length === 0 ? [] : [{ kind: 'argv', argv }];
      },
      examples: {
        hit: { 'npm explore a -- rm -rf b': 'program: rm -rf b', 'cnpm explore a ls': 'program: ls' },
        miss: ['npm explore a', 'npm test a b', 'yarn explore a ls'],
      },
    },
    {
      what: 'starts a command that stands where the name of a script could',
      starts: (call) => (isYarn(call) ? scriptOrCommand(call.args) : []),
      examples: {
        hit: {
          'yarn exec -c "a | b"': 'shell code: a | b',
          'yarn exec rm -rf /': 'program: rm -rf /',
          'yarn run "rm -rf /"': 'shell code: rm -rf /',
          'yarnpkg run rm -rf /': 'program: rm -rf /',
        },
        miss: ['yarn run build', 'yarn run build --watch', 'npm run rm -rf /', 'yarn exec'],
      },
    },
    {
      what: 'starts node',
      starts: (call) =>
        isYarn(call) && singleText(call.args[0]) === 'node' ? [{ kind: 'argv', argv: call.args }] : [],
      examples: { hit: { 'yarn node -e a': 'program: node -e a' }, miss: ['yarn a node', 'npm node a'] },
    },
    {
      what: 'runs a file or code itself',
      starts: (call) => (call.program === 'bun' ? node(call) : []),
      examples: {
        hit: { 'bun a.ts': 'javascript file: a.ts', 'bun -e "b()"': 'javascript code: b()' },
        miss: ['npm a.ts'],
      },
    },
    {
      what: 'starts this guard where the project has it',
      starts: (call) => (isNpm(call) ? [] : ownCommand(call)),
      examples: {
        hit: {
          'yarn sallyport down': 'program: sallyport down',
          'pnpm run sallyport@1 down': 'program: sallyport down',
          'bun run-script sallyport down': 'program: sallyport down',
          'bun x sallyport down': 'program: sallyport down',
          'yarn workspace a sallyport down': 'program: sallyport down',
        },
        miss: ['pnpm add sallyport', 'npm run sallyport', 'yarn test'],
      },
    },
    {
      what: 'runs scripts of the project',
      always: true,
      starts: () => [{ kind: 'file', language: 'package', path: knownText('package.json'), ofProject: true }],
      examples: {
        hit: {
          'npm test': 'package file: package.json of the project',
          'bun a': 'package file: package.json of the project',
        },
        miss: [],
      },
    },
  ],
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
