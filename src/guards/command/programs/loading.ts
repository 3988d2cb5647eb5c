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

/** Last words of an option's name that mean code or settings whatever the program is. */
const loadingName =
  /^-{1,2}(?!(?:print|dump|show|write|save|output|out|export|gen\w*|emit|list|view)[-_])(?:\w[\w-]*[-_.]|X)?(?:configs?|config-?(?:file|path|dir)|conf(?:-?(?:file|dir))?|kubeconfig|\w*rc-?(?:file)?|plugins?|plugin-?(?:path|dir|search-dir)|extension-?(?:dir|path)|extensions-dir|extension-?development-?path|load-(?:plugins|extension)|presets?|require|import-?map|preload|loader|bootstrap|hooks?-?(?:path|dir|file)|init-?(?:script|file|hook)|setup-?files?(?:-?after-?env)?|global-?setup|options-path|knexfile|gulpfile|gruntfile|vagrantfile|justfile|taskfile|toolchain(?:-?file)?|javaagent|lua-filter|renderer-cmd-prefix)$/i;

/** Options of one program or of a few that name code or settings, as far as no card says so. */
const loadingIn: readonly (readonly [programs: RegExp, names: RegExp])[] = [
  [/^(?:docker|podman|nerdctl|docker-compose|podman-compose)$/, /^(?:-f|--file)$/],
  [/^(?:pip\d?|uv|pipx)$/, /^(?:-r|--requirements?|-c|--constraints?|--with|--with-editable)$/],
  [/^(?:conda|mamba|micromamba|mkdocs|tmux|act)$/, /^(?:-f|--file|-W|--workflows)$/],
  [/^(?:screen|php)$/, /^-c$/],
  [/^lldb$/, /^(?:-s|-S|--source|--source-before-file)$/],
  [/^(?:sqlite3|cmake)$/, /^(?:-init|-C)$/],
  [/^(?:ts-node|tsx|swc-node|esmo)$/, /^(?:-P|--project|--tsconfig)$/],
  [/^(?:invoke|inv)$/, /^(?:-r|--search-root)$/],
  [/^actionlint$/, /^-(?:shellcheck|pyflakes)$/],
  [/^yarn$/, /^--use-yarnrc$/],
  [/^celery$/, /^--workdir$/],
  [/^node$/, /^--env-file(?:-if-exists)?$/],
];

/** Programs that run the files among their words, and the words that must stand before those. */
const runningFiles: readonly (readonly [programs: RegExp, verb: RegExp | null])[] = [
  [/^(?:papermill|nix-build|nix-shell|systemd-run)$/, null],
  [/^jupyter$/, /^(?:nbconvert|execute|run)$/],
  [/^scrapy$/, /^runspider$/],
  [/^pm2$/, /^(?:start|restart|reload|startOrRestart)$/],
  [/^(?:dotnet|msbuild)$/, /^(?:msbuild|build|test|run|publish)$/],
  [/^go$/, /^generate$/],
  [/^pre-commit$/, /^try-repo$/],
];

/** Programs whose words behind a verb are for a program elsewhere. */
export const carriers = /^(?:docker|podman|nerdctl|kubectl|oc|ssh|adb|vagrant|lxc|fly|heroku)$/;

/** The absolute paths that a call of any program hands over as code or as settings. */
export function handedPaths(program: string, words: readonly string[]): readonly string[] {
  if (carriers.test(program) && words.some((word) => /^(?:run|exec|ssh|shell)$/.test(word))) return [];
  const own = loadingIn.filter(([programs]) => programs.test(program)).map(([, names]) => names);
  const named = words.flatMap((word, index) => {
    const [, name = '', value = words[index + 1] ?? ''] = /^(-[^=:]*)(?:[=:](.*))?$/s.exec(word) ?? [];
    const loads = [loadingName, ...own].some((names) => names.test(name));
    return loads && isElsewhere(value) ? [value] : [];
  });
  return runsFiles(program, words) ? [...named, ...firstOperand(words)] : named;
}

function runsFiles(program: string, words: readonly string[]): boolean {
  const verb = words.find((word) => !word.startsWith('-')) ?? '';
  return runningFiles.some(
    ([programs, verbs]) => programs.test(program) && (verbs === null || verbs.test(verb)),
  );
}

/** The first word that is a path elsewhere and no value of an option. */
function firstOperand(words: readonly string[]): readonly string[] {
  const path = words.find(
    (word, index) => isElsewhere(word) && !/^-\w$|^--[\w-]+$/.test(words[index - 1] ?? ''),
  );
  return path === undefined ? [] : [path];
}

function isElsewhere(path: string): boolean {
  return /^(?:\/|~\/)./.test(path);
}
