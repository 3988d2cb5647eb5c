// Tools of projects: what they make stands in the project, unless their output is sent elsewhere.

import type { Effect } from '../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  inert,
  literal,
  mapValue,
  nameTarget,
  pathTarget,
  textOf,
  write,
} from '../tools/tool.ts';
import type { Examples, Fact } from './card.ts';

/** What a build does by its words alone. */
function builds(call: Call): readonly Effect[] {
  const elsewhere = call.args.flatMap((argument, index) => {
    const output = mapValue(argument, (text) => text.replace(/^(?:-o|--output=|--out=)(?=[/~]|\.\.\/)/, ''));
    const separate = /^(?:-o|--output|--out)$/.test(textOf(call.args[index - 1] ?? literal('')) ?? '');
    const named = separate || beginningOf(output) !== beginningOf(argument);
    return named && /^(?:[/~]|\.\.\/)/.test(beginningOf(output))
      ? write(call, output, { detail: 'overwrite' })
      : [];
  });
  return elsewhere.length > 0 ? elsewhere : inert(call, 'project');
}

/** Options of tools of projects whose value is code, or settings that name code: configuration, plugins, helpers. */
const loading =
  /^--?(?:c|I|config|config-?file|configuration|conf|rc-?file|rules-?dir|ruleset|plugins?|plugin-?(?:path|dir|search-dir)|load-plugins|require|import|loader|preset|bootstrap|init-?(?:script|file)|setup|setup-?files?|global-?setup|resolver|transform|runner|reporter|formatter|format|parser|root-?dir|root|confcutdir|resolve-plugins-relative-to|custom-?rules?|s|gs|settings|global-settings|toolexec|vettool|workspace_status_command|linker|javaagent)$/i;

/** Such options that have this meaning with some tools only, by the names of the tools. */
const loadingOf: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:rspec|rubocop|cucumber|minitest|mocha|tap|ava|tsx|ts-node|nyc|c8|bundle)$/, /^-r$/],
  [/^(?:postcss|linthtml)$/, /^(?:-u|--use)$/],
  [/^(?:rollup|esbuild|psalm|snowpack)$/, /^-p$/],
  [/^(?:phpstan|psysh)$/, /^(?:-a|--autoload-file)$/],
  [/^stylelint$/, /^--(?:custom-syntax|custom-formatter|config-basedir)$/],
  [/^(?:gulp|grunt)$/, /^--(?:gulpfile|gruntfile)$/],
  [/^(?:just|nox|fab|scons|ant|ninja|mkdocs|rake|thor|mvn|mvnw|sbt|pants|invoke|inv)$/, /^(?:-f|--\w*file)$/],
  [/^(?:task|go-task)$/, /^(?:-t|--taskfile)$/],
  [
    /^(?:gunicorn|uvicorn|hypercorn|daphne|celery|flask|fastapi)$/,
    /^--(?:chdir|app|app-dir|workdir|pythonpath)$/,
  ],
  [/^(?:bazel|bazelisk|buck2?)$/, /^--(?:bazelrc|override_repository|override_module|config-file)$/],
  [/^(?:gradle|gradlew|mvn|mvnw)$/, /^(?:-b|--build-file|--include-build|-gs|-s)$/],
  [/^meson$/, /^--(?:native-file|cross-file)$/],
  [/^cargo$/, /^--manifest-path$/],
  [/^(?:dotnet|msbuild|vstest)$/, /^--(?:test-adapter-path|logger|add-source)$/],
  [/^deno$/, /^--(?:import-map|preload)$/],
];

/** The values of such options, where they are paths that lead out of the folder. */
function loadedFrom({ program, args }: Pick<Call, 'program' | 'args'>): readonly string[] {
  const own = loadingOf.filter(([programs]) => programs.test(program)).map(([, names]) => names);
  return args.flatMap((word, index) => {
    const [, name = '', value] = /^(-[^=:]*)(?:[=:](.*))?$/s.exec(textOf(word) ?? '') ?? [];
    // One that names a repository says after it where that is.
    const path = (value ?? textOf(args[index + 1]) ?? '').replace(/^[\w@.-]+=(?=[/~.])/, '');
    const loads = loading.test(name) || own.some((names) => names.test(name));
    return loads && /^(?:\/|~|\.\.\/)/.test(path) ? [path] : [];
  });
}

/** Subcommands of compilers and runtimes that run a file of code, which they build first. */
const running = /^(?:run|r|e|script|fsi|eval|-script|exec)$/;
const source =
  /^(?:\/|~|\.\.\/).*\.(?:go|dart|cs|csx|fsx|zig|nim|cr|v|rs|swift|kts|kt|scala|sc|exs|ml|hs|nims)$/;

/** Files of code from elsewhere that a compiler or a runtime runs. */
export function runsElsewhere(call: Call): readonly Effect[] {
  const words = call.args.map(beginningOf);
  // Code that is a word of the call, in a language that nothing here reads.
  if (call.program === 'crystal' && words[0] === 'eval')
    return [
      effect(call, 'run', { detail: 'script', target: nameTarget(literal('eval')), origins: ['unknown'] }),
    ];
  return words.some((word) => running.test(word)) || call.program === 'swift'
    ? call.args
        .filter((word) => source.test(textOf(word) ?? ''))
        .map((path) => effect(call, 'run', { detail: 'script', target: pathTarget(path) }))
    : [];
}

/** The code that options of a tool of projects load from elsewhere. */
function loadedByOptions(call: Call): readonly Effect[] {
  return loadedFrom(call).map((path) =>
    effect(call, 'run', { detail: 'loaded', target: pathTarget(literal(path)), origins: [] }),
  );
}

/** The fact that a tool of projects loads what some of its options name. */
export function loadingOptions(program: string): Fact {
  return {
    what: 'loads configuration or plugins that are code',
    effects: (call) => [...loadedByOptions(call), ...runsElsewhere(call)],
    examples: {
      hit: {
        [`${program} --<config config-file plugin require rulesdir> /tmp/a.js b`]: 'run /tmp/a.js (loaded)',
        [`${program} -c ../a.js`]: 'run ../a.js (loaded)',
        [`${program} <run r script fsi eval -script> /tmp/a.kts`]: 'run /tmp/a.kts (script)',
        [`${program} --plugin=~/a.js b`]: 'run ~/a.js (loaded)',
      },
      miss: [`${program} --config a.js`, `${program} --output /tmp/a`, `${program} /tmp/a`],
    },
  };
}

/** The fact that a program is a tool of projects. */
export function building(program: string): Fact {
  return {
    what: 'builds, checks or runs what the project has',
    always: true,
    effects: builds,
    examples: {
      hit: {
        [`${program} a`]: 'inert (project)',
        [`${program} -o dist/a`]: 'inert (project)',
        [`${program} -o /tmp/a`]: 'write /tmp/a (overwrite)',
        [`${program} --output ~/a`]: 'write ~/a (overwrite)',
        [`${program} --output=../a`]: 'write ../a (overwrite)',
        [`${program} --out=/tmp/a`]: 'write /tmp/a (overwrite)',
        [`${program} --out ../a`]: 'write ../a (overwrite)',
        [`${program} -o/tmp/a`]: 'write /tmp/a (overwrite)',
      },
      miss: [],
    },
  };
}

/** The fact that some first words of a tool of projects reach others: what was built is published, or a table changes. */
export function reaching(
  what: string,
  words: RegExp,
  done: { readonly kind: 'deploy' | 'database' | 'cloud'; readonly detail: string },
  examples: Examples,
): Fact {
  return {
    what,
    effects: (call, given) => {
      const said = given.operands.slice(0, 4).map(beginningOf).join(' ');
      if (given.has('dry-run', 'dryRun', 'dry') || !words.test(said)) return [];
      const target = nameTarget(literal(`${call.program} ${said}`));
      return [effect(call, done.kind, { detail: done.detail, target })];
    },
    examples,
  };
}
