// Package managers of other languages, and the tools of their projects.

import type { Effect } from '../../effects.ts';
import { loadedByOptions, runsElsewhere } from '../../programs/builds.ts';
import {
  beginningOf,
  type Call,
  effect,
  inert,
  literal,
  nameTarget,
  options,
  remove,
  type Tool,
  type Tools,
  textOf,
  unknownValue,
  write,
} from '../tool.ts';
import { fetched, packages, type Verbs } from './effects.ts';

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
  const elsewhere = runsElsewhere(call);
  if (elsewhere.length > 0) return elsewhere;
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
  const elsewhere = runsElsewhere(call);
  if (elsewhere.length > 0) return [...runs, ...elsewhere];
  const output = rest[rest.findIndex((argument) => textOf(argument) === '-o') + 1];
  if (text === 'build' && output && rest.some((argument) => textOf(argument) === '-o'))
    return [...runs, ...write(call, output, { detail: 'overwrite' })];
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

/** Code that options hand over: files of settings and scripts, and the program that `mvn exec:exec` starts. */
function handedTo(call: Call): readonly Effect[] {
  const started = call.args.filter((argument) => /^-Dexec\.executable=/.test(beginningOf(argument)));
  return [
    ...loadedByOptions(call),
    ...runsElsewhere(call),
    ...started.map((argument) => effect(call, 'run', { detail: 'helper', target: nameTarget(argument) })),
  ];
}

/** Project managers whose verbs say what they do: bundle, composer, mvn, gradle, dotnet, … */
export function project(verbs: Verbs & { readonly deploy?: RegExp; readonly fetched?: RegExp }): Tool {
  return (call) => {
    const texts = call.args.map(beginningOf);
    const words = texts.filter((text) => !text.startsWith('-'));
    const handed = handedTo(call);
    if (handed.length > 0) return handed;
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

const dotnetProject = project({
  deploy: /^push$/,
  install: /^(?:add|restore|tool (?:install|update|restore)|workload)/,
  remove: /^(?:remove|tool uninstall)/,
});

/** Rust, Go, Ruby, Java, .NET and the others. */
export const projectTools: Tools = {
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
  dotnet: (call) => {
    const said = call.args.slice(0, 3).map(beginningOf).join(' ');
    if (/^nuget delete\b/.test(said))
      return [effect(call, 'cloud', { detail: 'delete', target: nameTarget(call.args[2]) })];
    const changed = /^ef database (drop|update)\b/.exec(said)?.[1];
    if (changed !== undefined)
      return [effect(call, 'database', { detail: changed === 'drop' ? 'drop' : 'write' })];
    return dotnetProject(call);
  },
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
  vcpkg: project({ install: /^install/, remove: /^remove/ }),
  conan: project({ install: /^install/, remove: /^remove/, deploy: /^upload$/ }),
  helmfile: project({ deploy: /^(?:apply|sync|destroy|delete)$/ }),
  sdkmanager: (call) => packages(call, 'install', call.args, { reversible: true }),
  'ansible-galaxy': (call) => packages(call, 'install', call.args.slice(1), { reversible: true }),
};
