// Package managers: `package` for the system or the machine, with the scope in `reversible` where it is the project's own.

import type { Effect, Value } from '../effects.ts';
import { hostOf, read, remove, write } from './access.ts';
import { options } from './options.ts';
import {
  after,
  beginningOf,
  type Call,
  effect,
  hostTarget,
  inert,
  literal,
  type More,
  nameTarget,
  orInert,
  pathTarget,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
} from './tool.ts';

function packages(call: Call, detail: string, names: readonly Value[], more: More = {}): readonly Effect[] {
  const few = names.slice(0, 16);
  const changes = (few.length > 0 ? few : [undefined]).map((name) =>
    effect(call, 'package', { detail, target: nameTarget(name), ...more }),
  );
  if (detail !== 'install') return changes;
  return [...changes, ...few.flatMap((name) => setUpBy(call, name)), ...sourcesOf(call, few)];
}

/** Hosts that are not the manager's own: an address for a package, or another index. */
function sourcesOf(call: Call, names: readonly Value[]): readonly Effect[] {
  const given = call.args.flatMap((argument, index) => {
    const [option] =
      /^(?:-i|-f|--(?:registry|source|index-url|extra-index-url|find-links|git|index|default-index))(?:=|$)/.exec(
        beginningOf(argument),
      ) ?? [];
    if (option === undefined) return [];
    return option.endsWith('=') ? [after(argument, option.length)] : [call.args[index + 1] ?? unknownValue];
  });
  return [...names, ...given]
    .filter((name) => /^(?:git\+)?(?:https?|ssh|git|ftp):\/\//.test(beginningOf(name)))
    .map((name) => effect(call, 'connect', { detail: 'download', target: hostTarget(hostOf(name)) }));
}

/** Managers that run what stands in a package with the rights of the machine, and ask for no signature. */
const ofMachine = /^(?:dpkg|rpm|opkg|pkg|installer)$/;

/** A package in a file runs its own scripts as it is installed; no index has vouched for it. */
function setUpBy(call: Call, name: Value): readonly Effect[] {
  const text = beginningOf(name);
  const machine = ofMachine.test(call.program);
  const file =
    /^(?:[/~]|\.{1,2}(?:\/|$))/.test(text) || (machine && /\.(?:deb|rpm|apk|snap|txz|ipk|pkg)$/.test(text));
  if (!file) return [];
  return [
    effect(call, 'run', {
      detail: 'package-file',
      target: pathTarget(name),
      ...(machine ? { origins: ['unknown'] as const } : {}),
    }),
  ];
}

interface Verbs {
  readonly install?: RegExp;
  readonly remove?: RegExp;
  readonly update?: RegExp;
  /** Settings of the manager itself: sources, keys. */
  readonly sources?: RegExp;
}

/** A manager with a verb as its first operand. */
function byVerb(description: string, verbs: Verbs): Tool {
  return (call) => {
    const given = options(description)(call.args);
    const [verb, ...names] = given.operands;
    const text = textOf(verb ?? literal('help'));
    if (given.has('dry-run', 'simulate', 'just-print', 'download-only')) return inert(call, 'dry-run');
    const force = given.has('force', 'f', 'allow-unauthenticated', 'force-yes', 'nodeps');
    const more = force ? { force } : {};
    const helpers = given
      .all('o', 'option', 'setopt')
      .filter(
        (setting) =>
          /(?:Pre-|Post-)?Invoke|Dpkg::|APT::(?:Update|NeverAutoRemove)/i.test(beginningOf(setting)) &&
          /Invoke/i.test(beginningOf(setting)),
      )
      .map((setting) => effect(call, 'run', { detail: 'package-hook', target: nameTarget(setting) }));
    if (text === null) return [...helpers, ...packages(call, 'install', names, more)];
    if (verbs.remove?.test(text))
      return [
        ...helpers,
        ...packages(call, 'remove', names, { ...more, recursive: /purge|autoremove/.test(text) }),
      ];
    if (verbs.install?.test(text))
      return [
        ...helpers,
        ...packages(call, 'install', names, more),
        ...names
          .filter((name) => /^[./~]|^https?:/.test(beginningOf(name)))
          .flatMap((name) => read(call, name)),
      ];
    if (verbs.update?.test(text)) return [...helpers, ...packages(call, 'update', names, more)];
    if (verbs.sources?.test(text)) return [...helpers, ...packages(call, 'sources', names, more)];
    return orInert(call, helpers);
  };
}

const aptDescription =
  'y/yes/assume-yes q? f/fix-broken s/simulate/just-print/dry-run/recon/no-act d/download-only o/option= c/config-file= t/target-release= a= reinstall purge force-yes allow-unauthenticated no-install-recommends allow-downgrades allow-remove-essential only-upgrade m u V';
const apt = byVerb(aptDescription, {
  install: /^(?:install|reinstall|build-dep)$/,
  remove: /^(?:remove|purge|autoremove|autopurge|dselect-upgrade)$/,
  update: /^(?:update|upgrade|dist-upgrade|full-upgrade|safe-upgrade|mark|hold|unhold)$/,
  sources: /^(?:edit-sources|add-repository)$/,
});
const dnf = byVerb(
  'y/assumeyes q v C/cacheonly b/best downloadonly/download-only setopt= enablerepo= disablerepo= repo= x/exclude= releasever= installroot= c/config= allowerasing nogpgcheck skip-broken assumeno/dry-run',
  {
    install: /^(?:install|reinstall|localinstall|groupinstall|group|module|builddep|swap|downgrade|in|copr)$/,
    remove: /^(?:remove|erase|autoremove|rm|groupremove)$/,
    update: /^(?:update|upgrade|distro-sync|system-upgrade|makecache|upgrade-minimal|update-minimal|mark)$/,
    sources: /^config-manager$/,
  },
);

const pacman: Tool = (call) => {
  const given = options(
    'S/sync R/remove U/upgrade Q/query F/files D/database T/deptest y/refresh u/sysupgrade s/search/recursive i/info l/list c/clean n/nosave d/nodeps p/print q g noconfirm needed overwrite= w/downloadonly k o r/root= b/dbpath= config= cachedir= a V asdeps asexplicit',
  )(call.args);
  if (given.has('query', 'files', 'deptest', 'print', 'V')) return inert(call);
  if (given.has('remove'))
    return packages(call, 'remove', given.operands, {
      force: given.has('nodeps'),
      recursive: given.has('s'),
    });
  if (given.has('upgrade')) return packages(call, 'install', given.operands);
  if (given.has('sync')) {
    if (given.has('search', 'info', 'list', 'g')) return inert(call);
    if (given.has('clean')) return packages(call, 'clean', [], { reversible: true });
    return packages(call, given.operands.length > 0 ? 'install' : 'update', given.operands);
  }
  return call.args.length === 0 ? inert(call) : packages(call, 'update', given.operands);
};

const rpm: Tool = (call) => {
  const given = options(
    'i/install U/upgrade F/freshen e/erase q/query V/verify K/checksig import= rebuilddb initdb a l f p R h v test nodeps force root= eval= E= pipe= allmatches d c s g dbpath= qf/queryformat=',
  )(call.args);
  const runs = given.has('pipe')
    ? [effect(call, 'run', { detail: 'helper', target: nameTarget(given.last('pipe')) })]
    : [];
  if (given.has('query', 'verify', 'checksig', 'eval', 'E', 'test')) return orInert(call, runs);
  const force = given.has('nodeps', 'force');
  if (given.has('erase')) return packages(call, 'remove', given.operands, { force });
  if (given.has('install', 'upgrade', 'freshen')) return packages(call, 'install', given.operands, { force });
  return given.has('import', 'rebuilddb', 'initdb')
    ? packages(call, 'sources', given.operands)
    : orInert(call, runs);
};

const dpkg: Tool = (call) => {
  const given = options(
    'i/install r/remove P/purge unpack= configure= a l/list L/listfiles= S/search= s/status= p/print-avail= I/info= c/contents= x/extract= X= e/control= W/show= f/field= b/build= get-selections set-selections add-architecture= remove-architecture= print-architecture force-all force-depends force-remove-essential version audit C compare-versions',
  )(call.args);
  const force = call.args.some((argument) => /^--force-/.test(beginningOf(argument)));
  if (given.has('remove', 'purge'))
    return packages(call, 'remove', given.operands, { force, recursive: given.has('purge') });
  if (given.has('install', 'unpack', 'configure'))
    return packages(call, 'install', [...given.operands, ...given.all('unpack', 'configure')], { force });
  if (given.has('set-selections', 'add-architecture', 'remove-architecture'))
    return packages(call, 'sources', []);
  if (given.has('extract', 'X', 'control'))
    return write(call, given.operands.at(-1) ?? literal('.'), { detail: 'unpack' });
  return inert(call);
};

const brew: Tool = (call) => {
  const given = options(
    'cask formula f/force q v n/dry-run zap s HEAD g/greedy ignore-dependencies prune= file= global',
  )(call.args);
  const [verb, ...names] = given.operands;
  const text = textOf(verb ?? literal('help'));
  if (given.has('dry-run')) return inert(call, 'dry-run');
  if (text === null || /^(?:install|reinstall|link|pin|unpin|bundle)$/.test(text))
    return packages(call, 'install', names);
  if (/^(?:uninstall|remove|rm|autoremove|unlink|untap)$/.test(text))
    return packages(call, text === 'untap' ? 'sources' : 'remove', names, { force: given.has('force') });
  if (/^(?:update|upgrade)$/.test(text)) return packages(call, 'update', names);
  if (text === 'tap') return names.length > 0 ? packages(call, 'sources', names) : inert(call);
  if (text === 'cleanup') return packages(call, 'clean', names, { reversible: true });
  if (text === 'services') {
    const action = textOf(names[0] ?? literal('list')) ?? 'unknown';
    if (/^(?:list|info|ls)$/.test(action)) return inert(call);
    const effects = [
      effect(call, 'service', { detail: action, target: nameTarget(names[1]), reversible: true }),
    ];
    return action === 'start' || action === 'restart'
      ? [...effects, effect(call, 'persist', { detail: 'service', target: nameTarget(names[1]) })]
      : effects;
  }
  return inert(call);
};

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
      ...packages(call, 'install', /^(?:install|i|add|link)$/.test(text) ? names : [], scope),
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

/** A program that is obtained and run at once. */
function fetched(call: Call, name: Value): readonly Effect[] {
  return [effect(call, 'run', { detail: 'package', origins: ['network'], target: nameTarget(name) })];
}

const runner: Tool = (call) => {
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
  'tsc tsx ts-node eslint prettier biome @biomejs/biome jest vitest mocha ava tap playwright cypress vite next nuxt astro webpack rollup esbuild parcel turbo nx lerna changeset @changesets/cli husky lint-staged stylelint commitlint prisma drizzle-kit knip depcheck typedoc tailwindcss postcss sass svelte-check vue-tsc storybook tsup swc babel rimraf concurrently cross-env npm-run-all nodemon c8 nyc size-limit publint attw markdownlint markdownlint-cli cspell npm-check-updates ncu create-vite create-next-app create-react-app json2ts openapi-typescript graphql-codegen expo react-native ng ionic cap quasar serve http-server wait-on license-checker madge dependency-cruiser ruff black mypy pytest flake8 isort pre-commit poetry tox nox pyright coverage bandit cookiecutter sphinx-build mkdocs'.split(
    ' ',
  ),
);

const pip: Tool = (call) => {
  const given = options(
    'r/requirement= e/editable= c/constraint= i/index-url= extra-index-url= f/find-links= t/target= prefix= root= user U/upgrade y/yes q v no-deps pre force-reinstall no-cache-dir break-system-packages python= cert= proxy= log= d/dest= w/wheel-dir= src= no-index dry-run trusted-host= system config-settings= only-binary= no-binary= platform= python-version= timeout= retries= cache-dir=',
  )(call.args);
  const [verb, ...names] = given.operands;
  const text = textOf(verb ?? literal('help'));
  if (given.has('dry-run')) return inert(call, 'dry-run');
  const scope: More = given.has('break-system-packages', 'system', 'root') ? {} : { reversible: true };
  if (text === null || /^(?:install|sync|compile)$/.test(text)) {
    const sources = given.all('requirement', 'constraint').flatMap((file) => read(call, file));
    const all = [...names, ...given.all('editable')];
    return [
      ...sources,
      ...packages(call, 'install', all, scope),
      ...(given.has('target') ? write(call, given.last('target') ?? unknownValue, { detail: 'create' }) : []),
    ];
  }
  if (text === 'uninstall') return packages(call, 'remove', names, { reversible: true });
  if (text === 'download' || text === 'wheel')
    return [
      ...sourcesOf(call, names),
      ...write(call, given.last('dest', 'wheel-dir') ?? literal('.'), {
        detail: 'create',
        origins: ['network'],
      }),
    ];
  if (text === 'config')
    return /^(?:set|unset|edit)$/.test(beginningOf(names[0] ?? literal('')))
      ? packages(call, 'sources', names.slice(1))
      : inert(call);
  if (text === 'cache')
    return /^(?:purge|remove)$/.test(beginningOf(names[0] ?? literal('')))
      ? packages(call, 'clean', [], { reversible: true })
      : inert(call);
  return inert(call);
};

/** uv, poetry, pdm, pipenv, pipx, conda, …: project managers of Python. */
const python: Tool = (call) => {
  const given = options(
    'n/name= p/prefix/python= c/channel= f/file= r/requirement= y/yes q v dev D G/group= project= directory= all a dry-run with= index-url= repository= u/username= token= extra= override-channels build force index=',
  )(call.args);
  let [verb, ...names] = given.operands;
  if (given.has('dry-run')) return inert(call, 'dry-run');
  if (call.program === 'uv' && textOf(verb ?? unknownValue) === 'pip')
    return pip({ ...call, args: call.args.slice(call.args.indexOf(verb ?? unknownValue) + 1) });
  if (/^(?:tool|env|self|python|source|cache|global)$/.test(textOf(verb ?? unknownValue) ?? '')) {
    const group = textOf(verb ?? unknownValue);
    [verb, ...names] = names;
    if (group === 'tool' && textOf(verb ?? unknownValue) === 'run') return runner({ ...call, args: names });
    if (group === 'cache') return packages(call, 'clean', [], { reversible: true });
  }
  const text = textOf(verb ?? literal('help'));
  if (text === null) return packages(call, 'install', names, { reversible: true });
  if (text === 'publish' || text === 'upload')
    return [effect(call, 'deploy', { detail: 'publish', target: nameTarget(given.last('repository')) })];
  if (
    /^(?:install|add|sync|lock|create|init|new|update|upgrade|ensurepath|inject|reinstall|reinstall-all|upgrade-all|venv|use)$/.test(
      text,
    )
  )
    return packages(call, /^up/.test(text) ? 'update' : 'install', names, { reversible: true });
  if (/^(?:uninstall|remove|rm|clean|uninject|uninstall-all|prune)$/.test(text))
    return packages(call, 'remove', names.length > 0 ? names : given.all('name'), {
      reversible: true,
      recursive: given.has('all') || text === 'uninstall-all',
    });
  if (text === 'run' || text === 'shell' || text === 'exec' || text === 'activate')
    return call.program === 'pipx' ? fetched(call, names[0] ?? unknownValue) : inert(call, 'project');
  return inert(call, 'project');
};

const cargo: Tool = (call) => {
  const given = options(
    'p/package= manifest-path= features/F= target= target-dir= bin= example= test= bench= profile= j/jobs= color= config= Z= C= git= branch= tag= rev= path= root= version/vers= registry= index= token= dry-run/n q v r/release all-features workspace all locked offline frozen force f no-default-features lib bins tests exclude= message-format= undo allow-dirty no-verify out-dir= artifact-dir= add= remove= recipe-path= L',
  )(call.args.filter((argument) => !/^\+/.test(beginningOf(argument))));
  const [verb, ...names] = given.operands;
  const text = textOf(verb ?? literal('help'));
  const configured = given
    .all('config')
    .filter((setting) =>
      /(?:^|\.)(?:runner|rustc|rustc-wrapper|linker|credential-provider|rustdoc)\b/.test(
        beginningOf(setting),
      ),
    )
    .map((setting) => effect(call, 'run', { detail: 'helper', target: nameTarget(setting) }));
  if (given.has('dry-run')) return inert(call, 'dry-run');
  if (text === null) return inert(call, 'project');
  if (text === 'publish' || text === 'yank' || text === 'owner')
    return [
      ...configured,
      effect(call, 'deploy', {
        detail: text === 'publish' ? 'publish' : text === 'yank' ? 'unpublish' : 'registry-change',
        target: nameTarget(names[0]),
      }),
    ];
  if (text === 'install' || text === 'binstall')
    return [
      ...configured,
      ...packages(call, 'install', [...names, ...given.all('git', 'path')], {
        reversible: true,
        force: given.has('force'),
      }),
    ];
  // Unlike `remove`, it takes a program away that was installed for the person.
  if (text === 'uninstall') return packages(call, 'remove', names);
  if (/^(?:add|update|fetch|vendor|generate-lockfile|init|new|remove|rm)$/.test(text))
    return [
      ...configured,
      ...(/^(?:init|new)$/.test(text)
        ? write(call, names[0] ?? literal('.'), { detail: 'create' })
        : packages(
            call,
            /^(?:remove|rm)$/.test(text) ? 'remove' : 'install',
            /^(?:add|remove|rm)$/.test(text) ? names : [],
            { reversible: true },
          )),
    ];
  if (text === 'clean')
    return remove(call, given.last('target-dir') ?? literal('target'), { recursive: true, reversible: true });
  if (text === 'login' || text === 'logout')
    return write(call, literal('~/.cargo/credentials.toml'), { detail: 'edit' });
  return [...configured, ...inert(call, 'project')];
};

const goTool: Tool = (call) => {
  const [verb, ...rest] = call.args;
  const text = textOf(verb ?? literal('help'));
  const runs = rest
    .filter((argument) => /^--?(?:exec|toolexec|vettool)\b/.test(beginningOf(argument)))
    .map((argument) => effect(call, 'run', { detail: 'helper', target: nameTarget(argument) }));
  const names = rest.filter((argument) => !beginningOf(argument).startsWith('-'));
  if (text === 'get' || text === 'install')
    return [...runs, ...packages(call, 'install', names, { reversible: true })];
  if (text === 'mod' || text === 'work') return packages(call, 'install', [], { reversible: true });
  if (text === 'clean')
    return rest.some((argument) => /cache/.test(beginningOf(argument)))
      ? packages(call, 'clean', [], { reversible: true })
      : inert(call, 'project');
  if (text === 'run' && names[0] && /@/.test(beginningOf(names[0])))
    return [...runs, ...fetched(call, names[0])];
  if (text === 'env' && rest.some((argument) => /^-[wu]$/.test(beginningOf(argument))))
    return write(call, literal('~/.config/go/env'), { detail: 'edit' });
  return [...runs, ...inert(call, 'project')];
};

const gem: Tool = (call) => {
  const given = options(
    'v/version= n/bindir= i/install-dir= s/source= a/all x/executables I f/force q l/local r/remote key= host= otp= P= N no-document user-install conservative config-file= p/http-proxy=',
  )(call.args);
  const [verb, ...names] = given.operands;
  const text = textOf(verb ?? literal('help'));
  if (text === null || /^(?:install|i|update|pristine|setup)$/.test(text))
    return packages(call, text === 'update' ? 'update' : 'install', names);
  if (/^(?:uninstall|cleanup)$/.test(text))
    return packages(call, 'remove', names, { recursive: given.has('all') });
  if (/^(?:push|yank|owner)$/.test(text))
    return [
      effect(call, 'deploy', {
        detail: text === 'push' ? 'publish' : text === 'yank' ? 'unpublish' : 'registry-change',
        target: nameTarget(names[0]),
      }),
    ];
  if (text === 'sources')
    return call.args.length > 1 && !given.has('l') ? packages(call, 'sources', names) : inert(call);
  return inert(call);
};

/** Project managers whose verbs say what they do: bundle, composer, mvn, gradle, dotnet, … */
function project(verbs: Verbs & { readonly deploy?: RegExp; readonly fetched?: RegExp }): Tool {
  return (call) => {
    const texts = call.args.map(beginningOf);
    const words = texts.filter((text) => !text.startsWith('-'));
    if (texts.some((text) => /^(?:--dry-run|-m)$/.test(text))) return inert(call, 'dry-run');
    const said = words.slice(0, 3).join(' ');
    const names = call.args.filter((argument) => !beginningOf(argument).startsWith('-')).slice(1);
    const deploy = verbs.deploy;
    if (deploy && words.some((word) => deploy.test(word)))
      return [effect(call, 'deploy', { detail: 'publish', target: nameTarget(literal(said)) })];
    if (verbs.fetched?.test(said)) return fetched(call, names[0] ?? unknownValue);
    if (verbs.remove?.test(said)) return packages(call, 'remove', names, { reversible: true });
    if (verbs.install?.test(said)) return packages(call, 'install', names, { reversible: true });
    if (verbs.update?.test(said)) return packages(call, 'update', names, { reversible: true });
    if (verbs.sources?.test(said)) return packages(call, 'sources', names);
    return inert(call, 'project');
  };
}

const twine: Tool = (call) =>
  textOf(call.args[0] ?? literal('check')) === 'check'
    ? inert(call)
    : [effect(call, 'deploy', { detail: 'publish' })];

export const packageTools: Tools = {
  apt,
  'apt-get': apt,
  aptitude: apt,
  nala: apt,
  'apt-cache': (call) => inert(call),
  'apt-config': (call) => inert(call),
  'apt-file': (call) => inert(call),
  'apt-mark': (call) =>
    /^show/.test(beginningOf(call.args[0] ?? literal('')))
      ? inert(call)
      : packages(call, 'update', call.args.slice(1)),
  'apt-key': (call) =>
    /^(?:list|finger|export)/.test(beginningOf(call.args[0] ?? literal('')))
      ? inert(call)
      : packages(call, 'sources', call.args.slice(1)),
  'add-apt-repository': (call) => packages(call, 'sources', call.args),
  dpkg,
  'dpkg-query': (call) => inert(call),
  'dpkg-deb': dpkg,
  'dpkg-reconfigure': (call) => packages(call, 'install', call.args),
  debconf: (call) => inert(call),
  'update-alternatives': (call) =>
    call.args.some((argument) => /^--(?:display|list|query|get-selections)/.test(beginningOf(argument)))
      ? inert(call)
      : [
          ...packages(call, 'update', call.args.slice(1, 2)),
          ...call.args.flatMap((argument, at) =>
            textOf(argument) === '--install'
              ? write(call, call.args[at + 1] ?? unknownValue, { detail: 'link' })
              : [],
          ),
        ],
  dnf,
  dnf5: dnf,
  yum: dnf,
  microdnf: dnf,
  tdnf: dnf,
  'rpm-ostree': dnf,
  'yum-config-manager': (call) => packages(call, 'sources', call.args),
  rpm,
  zypper: byVerb('n/non-interactive y q no-gpg-checks dry-run/D download-only R/root= f/force t= r/repo=', {
    install: /^(?:install|in|source-install|si|addlock|al)$/,
    remove: /^(?:remove|rm|purge-kernels)$/,
    update: /^(?:update|up|dist-upgrade|dup|patch|refresh|ref)$/,
    sources: /^(?:addrepo|ar|removerepo|rr|modifyrepo|mr)$/,
  }),
  pacman,
  yay: pacman,
  paru: pacman,
  makepkg: (call) => inert(call, 'project'),
  apk: byVerb('X/repository= U t/virtual= q v f/force s/simulate p/root= no-cache allow-untrusted purge', {
    install: /^(?:add|fix)$/,
    remove: /^del$/,
    update: /^(?:update|upgrade)$/,
  }),
  emerge: (call) => {
    const given = options(
      'p/pretend a/ask v q u/update D N C/unmerge c/depclean P/prune s/search S sync 1 e',
    )(call.args);
    return given.has('pretend', 'search', 'S')
      ? inert(call)
      : packages(call, given.has('unmerge', 'depclean', 'prune') ? 'remove' : 'install', given.operands);
  },
  xbps: (call) => inert(call),
  'xbps-install': (call) => packages(call, 'install', call.args),
  'xbps-remove': (call) => packages(call, 'remove', call.args),
  opkg: byVerb('f= force-removal-of-dependent-packages', {
    install: /^(?:install|configure)$/,
    remove: /^remove$/,
    update: /^(?:update|upgrade)$/,
  }),
  eopkg: byVerb('y', {
    install: /^(?:install|it)$/,
    remove: /^(?:remove|rm|autoremove)$/,
    update: /^(?:upgrade|up)$/,
  }),
  pkg: byVerb('y f/force n/dry-run', {
    install: /^(?:install|add)$/,
    remove: /^(?:delete|remove|autoremove)$/,
    update: /^(?:update|upgrade)$/,
  }),
  pkgutil: (call) =>
    call.args.some((argument) => /^--forget/.test(beginningOf(argument)))
      ? packages(call, 'remove', call.args.slice(1))
      : inert(call),
  port: byVerb('f/force u v', {
    install: /^(?:install|activate)$/,
    remove: /^(?:uninstall|deactivate|reclaim)$/,
    update: /^(?:selfupdate|upgrade|sync)$/,
  }),
  installer: (call) => packages(call, 'install', call.args),
  softwareupdate: (call) =>
    call.args.some((argument) => /^(?:-i|--install|-d)/.test(beginningOf(argument)))
      ? packages(call, 'update', [])
      : inert(call),
  snap: byVerb('channel= classic devmode dangerous revision= purge', {
    install: /^(?:install|alias|connect|enable|set)$/,
    remove: /^(?:remove|disable|disconnect|unalias)$/,
    update: /^(?:refresh|revert)$/,
  }),
  flatpak: byVerb('y/assumeyes user system app= arch= branch= delete-data', {
    install: /^install$/,
    remove: /^(?:uninstall|remove|repair)$/,
    update: /^update$/,
    sources: /^(?:remote-add|remote-delete|override)$/,
  }),
  brew,
  nix: (call) =>
    /^(?:profile (?:install|remove|upgrade|add)|store (?:gc|delete)|upgrade-nix)/.test(
      call.args.map(beginningOf).join(' '),
    )
      ? packages(
          call,
          /remove|gc|delete/.test(call.args.map(beginningOf).join(' ')) ? 'remove' : 'install',
          call.args.slice(2),
          { reversible: true },
        )
      : inert(call, 'project'),
  'nix-env': (call) => {
    const given = options('i/install= e/uninstall= u/upgrade? q/query A/attr= f= p=')(call.args);
    return given.has('query')
      ? inert(call)
      : packages(call, given.has('uninstall') ? 'remove' : 'install', given.all('install', 'uninstall'), {
          reversible: true,
        });
  },
  'nix-build': (call) => inert(call, 'project'),
  'nix-collect-garbage': (call) => packages(call, 'clean', []),
  'nixos-rebuild': (call) => packages(call, 'update', []),
  choco: byVerb('y f/force source=', {
    install: /^install$/,
    remove: /^uninstall$/,
    update: /^upgrade$/,
    sources: /^source$/,
  }),
  scoop: byVerb('g/global', {
    install: /^install$/,
    remove: /^uninstall$/,
    update: /^update$/,
    sources: /^bucket$/,
  }),
  winget: byVerb('id= e h', {
    install: /^install$/,
    remove: /^uninstall$/,
    update: /^upgrade$/,
    sources: /^source$/,
  }),
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
  volta: (call) => inert(call),
  asdf: (call) =>
    /^(?:install|plugin|uninstall)$/.test(beginningOf(call.args[0] ?? unknownValue))
      ? packages(call, textOf(call.args[0]) === 'uninstall' ? 'remove' : 'install', call.args.slice(1), {
          reversible: true,
        })
      : inert(call),
  mise: (call) => inert(call, 'project'),
  npx: runner,
  bunx: runner,
  pnpx: runner,
  uvx: runner,
  pip,
  pip3: pip,
  pip2: pip,
  pipenv: python,
  pipx: python,
  poetry: python,
  pdm: python,
  hatch: python,
  rye: python,
  uv: python,
  conda: python,
  mamba: python,
  micromamba: python,
  pyenv: (call) =>
    /^(?:install|uninstall)$/.test(beginningOf(call.args[0] ?? unknownValue))
      ? packages(
          call,
          beginningOf(call.args[0] ?? unknownValue) === 'install' ? 'install' : 'remove',
          call.args.slice(1),
          { reversible: true },
        )
      : inert(call),
  easy_install: (call) => packages(call, 'install', call.args),
  twine,
  flit: (call) =>
    textOf(call.args[0] ?? unknownValue) === 'publish'
      ? [effect(call, 'deploy', { detail: 'publish' })]
      : inert(call, 'project'),
  virtualenv: (call) => write(call, call.args.at(-1) ?? unknownValue, { detail: 'create' }),
  cargo,
  rustup: (call) =>
    /^(?:install|update|default|self|uninstall|override)$|^(?:toolchain|target|component) (?:install|add|remove|uninstall)/.test(
      call.args.map(beginningOf).join(' ').split(' ').slice(0, 2).join(' '),
    ) || /^(?:install|update|default|self|uninstall)/.test(beginningOf(call.args[0] ?? literal('')))
      ? packages(
          call,
          /uninstall|remove/.test(call.args.map(beginningOf).join(' ')) ? 'remove' : 'install',
          call.args.slice(2),
          { reversible: true },
        )
      : inert(call),
  go: goTool,
  gem,
  bundle: project({ install: /^(?:install|add|update|lock|config)/, remove: /^(?:remove|clean)/ }),
  bundler: project({ install: /^(?:install|add|update)/, remove: /^(?:remove|clean)/ }),
  rbenv: (call) => inert(call),
  rvm: (call) => inert(call),
  composer: project({
    install: /^(?:install|require|create-project|global require)/,
    remove: /^(?:remove|global remove)/,
    update: /^(?:update|upgrade|self-update)/,
    sources: /^config/,
  }),
  mvn: project({ deploy: /^(?:deploy|release:perform|release:prepare|site-deploy|deploy:.*|site:deploy)$/ }),
  mvnw: project({ deploy: /^(?:deploy|release:perform|release:prepare|site-deploy|deploy:.*)$/ }),
  gradle: project({ deploy: /^(?:[\w:-]*:)?(?:publish\w*|uploadArchives|bintrayUpload|deploy\w*)$/ }),
  gradlew: project({ deploy: /^(?:[\w:-]*:)?(?:publish\w*|uploadArchives|bintrayUpload|deploy\w*)$/ }),
  sbt: project({ deploy: /^(?:.*[/:])?(?:publish|publishSigned|release)$/ }),
  dotnet: project({
    deploy: /^push$/,
    install: /^(?:add|restore|tool (?:install|update|restore)|workload)/,
    remove: /^(?:remove|tool uninstall)/,
  }),
  nuget: project({
    deploy: /^(?:push|delete)$/,
    install: /^(?:install|restore|update)/,
    sources: /^(?:sources|config|setapikey)/i,
  }),
  mix: (call) =>
    /^ecto\.(?:drop|reset|rollback)$/.test(beginningOf(call.args[0] ?? literal('')))
      ? [effect(call, 'database', { detail: 'drop' })]
      : project({
          deploy: /^hex\.publish$/,
          install: /^(?:deps\.get|deps\.update|local\.|archive\.install)/,
        })(call),
  rebar3: project({ deploy: /^publish$/ }),
  stack: project({ deploy: /^upload$/ }),
  cabal: project({ deploy: /^upload$/, install: /^(?:install|update)/ }),
  opam: project({
    deploy: /^publish$/,
    install: /^(?:install|update|upgrade|init|pin)/,
    remove: /^(?:remove|uninstall)/,
  }),
  luarocks: project({ deploy: /^upload$/, install: /^install/, remove: /^(?:remove|purge)/ }),
  cpan: (call) => packages(call, 'install', call.args),
  cpanm: (call) => packages(call, 'install', call.args),
  pub: project({ deploy: /^publish$/, install: /^(?:get|add|upgrade)/ }),
  dart: project({ deploy: /^publish$/, install: /^pub (?:get|add|upgrade|global activate)/ }),
  flutter: project({ install: /^(?:pub (?:get|add|upgrade)|upgrade)/ }),
  swift: project({}),
  pod: project({
    deploy: /^(?:push|trunk)$/,
    install: /^(?:install|update|repo update)/,
    remove: /^deintegrate/,
  }),
  carthage: project({ install: /^(?:update|bootstrap|checkout)/ }),
  fastlane: project({ deploy: /^(?:deliver|upload_to_.*|release|supply|pilot|beta|deploy)$/ }),
  jsr: project({ deploy: /^publish$/, install: /^(?:add|i|install)/ }),
  vcpkg: project({ install: /^install/, remove: /^remove/ }),
  conan: project({ install: /^install/, remove: /^remove/, deploy: /^upload$/ }),
  helmfile: project({ deploy: /^(?:apply|sync|destroy|delete)$/ }),
  sdkmanager: (call) => packages(call, 'install', call.args, { reversible: true }),
  sdk: (call) => inert(call),
  'ansible-galaxy': (call) => packages(call, 'install', call.args.slice(1), { reversible: true }),
};
