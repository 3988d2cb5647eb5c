// Options by which code, or settings that name code, are handed to a program.

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

/** The values of such options, where they are paths that lead out of the folder; a word that is not known is empty. */
export function loadedPaths(program: string, words: readonly string[]): readonly string[] {
  const own = loadingOf.filter(([programs]) => programs.test(program)).map(([, names]) => names);
  return words.flatMap((word, index) => {
    const [, name = '', value] = /^(-[^=:]*)(?:[=:](.*))?$/s.exec(word) ?? [];
    // One that names a repository says after it where that is.
    const path = (value ?? words[index + 1] ?? '').replace(/^[\w@.-]+=(?=[/~.])/, '');
    const loads = loading.test(name) || own.some((names) => names.test(name));
    return loads && /^(?:\/|~|\.\.\/)/.test(path) ? [path] : [];
  });
}
