// Which files are more than their content: what they change runs later, or says who may do what.

/** What a file is to the machine that reads it later. */
export type Protection =
  | 'version_control' // the repository's own data, its hooks and settings
  | 'guard' // what holds this guard
  | 'agent' // settings, tools and hooks of agents and editors
  | 'instructions' // texts that agents read and follow
  | 'hook' // what runs by itself at the user's next step
  | 'credentials' // what holds or redirects credentials, and the variables of programs
  | 'manifest' // what is installed, built or run by a build
  | 'installed' // code of others that a package manager put there, and that the next run executes
  | 'pipeline' // what runs on other machines after a push
  | 'dotfile'; // settings of some tool

/** How a change of a protected file is answered under a profile. */
type Severity = 'approve' | 'block';

/** What every guard knows of one kind of protected file: a file is protected or not, whatever writes it. */
interface ProtectionRow {
  /** What such a file is, for a sentence about it. */
  readonly text: string;
  readonly developer: Severity;
  readonly strict: Severity;
  /** Whether it starts programs later without being asked, or says what an agent may do. */
  readonly starts: boolean;
  /** Whether its deletion is a change of its own, which no build makes up for. */
  readonly lasting: boolean;
}

/** How a change of a protected file is answered; a deletion that neither unhooks this guard nor an agent's host asks. */
export function severityOf(kind: Protection, profile: 'developer' | 'strict', deletes = false): Severity {
  const severity = protections[kind][profile];
  return deletes &&
    profile === 'developer' &&
    kind !== 'guard' &&
    kind !== 'agent' &&
    kind !== 'version_control'
    ? 'approve'
    : severity;
}

/** The one table of protected files: of the write guard, the command guard, the look after a call, and `exec`. */
export const protections: Readonly<Record<Protection, ProtectionRow>> = {
  version_control: {
    text: "belongs to the repository's own data",
    ...{ developer: 'block', strict: 'block', starts: false, lasting: false },
  },
  guard: {
    text: 'belongs to the guard',
    ...{ developer: 'block', strict: 'block', starts: true, lasting: true },
  },
  agent: {
    text: 'is read by agents or editors when they start',
    ...{ developer: 'block', strict: 'block', starts: true, lasting: true },
  },
  instructions: {
    text: 'tells agents what to do',
    ...{ developer: 'approve', strict: 'block', starts: false, lasting: false },
  },
  hook: {
    text: "runs by itself at the user's next step",
    ...{ developer: 'block', strict: 'block', starts: true, lasting: true },
  },
  credentials: {
    text: 'holds or redirects credentials',
    ...{ developer: 'approve', strict: 'block', starts: false, lasting: true },
  },
  pipeline: {
    text: 'runs in a pipeline',
    ...{ developer: 'approve', strict: 'approve', starts: false, lasting: false },
  },
  manifest: {
    text: 'decides what is installed, built or run',
    ...{ developer: 'approve', strict: 'approve', starts: false, lasting: false },
  },
  installed: {
    text: 'is installed code, which the next run executes',
    ...{ developer: 'approve', strict: 'approve', starts: false, lasting: false },
  },
  dotfile: {
    text: 'holds settings of a tool',
    ...{ developer: 'approve', strict: 'approve', starts: false, lasting: false },
  },
};

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const versionControl = words('.git .hg .svn .bzr .jj .fossil _darcs cvs .pijul .sl');
const repositoryFiles = words('.gitmodules .gitconfig .hgrc .hgsub');

const agentFolders = words(
  '.claude .cursor .codex .gemini .kiro .opencode .continue .windsurf .codeium .copilot .cline .clinerules .roo .aider .amazonq .augment .junie .trae .goose .qwen .factory .kilo .kilocode .kimi-code .zed .vscode .vscode-server .idea .fleet .vs .devcontainer .nova .agents',
);
const agentFiles = words(
  '.mcp.json mcp.json .claude.json claude.md claude.local.md agents.md agents.override.md gemini.md .cursorrules .cursorignore .windsurfrules .clinerules .roomodes .roorules .aider.conf.yml .aiderignore .goosehints .replit opencode.json opencode.jsonc kilo.json kilo.jsonc .kilocodemodes .kilocoderules .geminiignore .codeiumignore .devcontainer.json copilot-instructions.md .vimrc .nvimrc .exrc .nvim.lua .gvimrc .dir-locals.el .lvimrc .sublime-project',
);

const hookFolders = words('.husky .githooks .ssh .gnupg .aws .kube .docker .direnv .azure');
const hookFiles = words(
  '.env .envrc .flaskenv .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs .pnpmfile.js .netrc _netrc .pypirc .pgpass .git-credentials .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .kshrc .cshrc .login .inputrc .xinitrc .xprofile .pre-commit-config.yaml .pre-commit-config.yml .lefthook.yml .lefthook.yaml lefthook.yml lefthook.yaml lefthook.toml lefthook.json lefthook-local.yml .overcommit.yml .huskyrc .huskyrc.json .lintstagedrc .condarc .bazelrc .dockercfg pip.conf pip.ini .pydistutils.cfg authorized_keys id_rsa id_ed25519 id_ecdsa id_dsa',
);

const manifestFiles = words(
  'package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml pnpm-workspace.yaml bun.lock bun.lockb bunfig.toml deno.json deno.jsonc deno.lock jsr.json lerna.json nx.json turbo.json rush.json bower.json importmap.json pyproject.toml setup.py setup.cfg pipfile pipfile.lock poetry.lock pdm.lock uv.lock uv.toml tox.ini noxfile.py conftest.py sitecustomize.py usercustomize.py environment.yml environment.yaml conda-lock.yml manifest.in cargo.toml cargo.lock build.rs rust-toolchain rust-toolchain.toml go.mod go.sum go.work go.work.sum gemfile gemfile.lock rakefile podfile podfile.lock composer.json composer.lock build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties gradle.lockfile gradlew gradlew.bat mvnw mvnw.cmd pom.xml build.sbt build.xml ivy.xml build.sc mix.exs mix.lock rebar.config rebar.lock stack.yaml cabal.project package.yaml package.swift package.resolved pubspec.yaml pubspec.lock project.clj deps.edn shard.yml shard.lock dune-project flake.nix flake.lock default.nix shell.nix build.bazel module.bazel workspace workspace.bazel build buck packages.config packages.lock.json directory.build.props directory.build.targets directory.packages.props global.json nuget.config makefile gnumakefile cmakelists.txt cmakepresets.json meson.build configure.ac justfile taskfile.yml taskfile.yaml tiltfile earthfile vagrantfile procfile gulpfile.js gulpfile.ts gulpfile.mjs gulpfile.cjs gruntfile.js gruntfile.cjs karma.conf.js dockerfile containerfile docker-compose.yml docker-compose.yaml compose.yml compose.yaml chart.lock chart.yaml serverless.yml fly.toml vercel.json netlify.toml wrangler.toml paket.dependencies paket.lock cartfile cartfile.resolved conanfile.txt conanfile.py conan.lock vcpkg.json vcpkg-configuration.json mise.toml',
);
const manifestNames =
  /^(?:(?:requirements|constraints)[\w.-]*\.(?:txt|in)|[\w.-]+\.config\.(?:[cm]?[jt]sx?|json)|(?:dockerfile|containerfile)[.-][\w.-]+|[\w.-]+\.(?:dockerfile|pth|gemspec|podspec|cabal|csproj|fsproj|vbproj|vcxproj|nuspec|lock|sln|slnx|props|targets|mk|mak|bzl|cmake|gradle|gradle\.kts|nimble|rockspec|code-workspace)|docker-compose[\w.-]*\.ya?ml|\.?mise(?:\.[\w-]+)*\.toml)$/;

/** Lock files that builds bring up to date, and the tools that do so. */
const lockedBy: Readonly<Record<string, string>> = {
  'cargo.lock': 'cargo',
  'go.sum': 'go',
  'go.work.sum': 'go',
  'package.resolved': 'swift xcodebuild',
  'packages.lock.json': 'dotnet',
  'gradle.lockfile': 'gradle gradlew',
  'mix.lock': 'mix',
  'rebar.lock': 'rebar3',
  'flake.lock': 'nix',
  'deno.lock': 'deno',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
  'pubspec.lock': 'dart flutter',
  'uv.lock': 'uv',
  'pdm.lock': 'pdm',
  'poetry.lock': 'poetry',
  'pipfile.lock': 'pipenv',
  '.terraform.lock.hcl': 'terraform tofu',
};

/** Whether a file is a lock file that one of some programs keeps. */
export function isLockOf(name: string, programs: readonly string[]): boolean {
  const owners = Object.hasOwn(lockedBy, name) ? (lockedBy[name] ?? '').split(' ') : [];
  return owners.some((owner) => programs.includes(owner));
}

const pipelineFiles = words(
  '.gitlab-ci.yml .gitlab-ci.yaml .travis.yml .drone.yml .cirrus.yml .appveyor.yml appveyor.yml jenkinsfile azure-pipelines.yml azure-pipelines.yaml bitbucket-pipelines.yml cloudbuild.yaml cloudbuild.yml buildspec.yml buildspec.yaml .woodpecker.yml .semaphore.yml codemagic.yaml .gitattributes .goreleaser.yml .goreleaser.yaml .releaserc .releaserc.json renovate.json renovate.json5 codeowners',
);
const pipelineFolders = words('.circleci .buildkite .woodpecker .semaphore .tekton .gitea .forgejo');

/** Settings that name versions, words and styles, and run nothing. */
const plainDotfiles = words(
  '.gitignore .gitkeep .keep .editorconfig .nvmrc .node-version .python-version .ruby-version .java-version .go-version .terraform-version .prettierrc .prettierrc.json .prettierrc.yml .prettierrc.yaml .prettierrc.toml .prettierignore .eslintignore .dockerignore .npmignore .gcloudignore .vercelignore .helmignore .hgignore .ignore .rgignore .fdignore .stylelintignore .stylelintrc.json .markdownlint.json .markdownlint.yaml .markdownlint.yml .markdownlintignore .mailmap .browserslistrc .clang-format .clang-tidy .rustfmt.toml .swiftformat .jshintignore .nojekyll .htmlhintrc .yamllint .yamllint.yml .cspell.json .codespellrc .typos.toml .vale.ini .taplo.toml .oxlintrc.json .jscsrc .all-contributorsrc .gitmessage .git-blame-ignore-revs .env.example .env.sample .env.template .env.dist .env.defaults .env.schema',
);

/** Blocks come before questions, so that the first that fits is the strongest. */
const kinds: readonly (readonly [Protection, (way: readonly string[]) => boolean])[] = [
  ['version_control', isVersionControl],
  ['guard', (way) => way.some((name) => name === usualHome || name === 'sallyport.toml')],
  ['agent', (way) => isAgent(way) && !isInstructions(way)],
  ['hook', (way) => isHook(way) && !isQuiet(way)],
  ['instructions', isAgent],
  ['credentials', isHook],
  ['pipeline', isPipeline],
  ['installed', isInstalled],
  ['manifest', isManifest],
  ['dotfile', isDotfile],
];

/** Characters that HFS+ and careful readers leave out of a name. */
const ignored = /\p{Default_Ignorable_Code_Point}/gu;

/** A name as the most forgiving file system compares it: case, width, ignored characters, streams, ends. */
export function fold(name: string): string {
  const plain = /^[\x20-\x7e]*$/.test(name)
    ? name.toLowerCase()
    : name
        .replace(ignored, '')
        .normalize('NFKC')
        .toLowerCase()
        .replace(/\u0131|i\u0307/g, 'i')
        .replace(/\u017f/g, 's')
        .replace(ignored, '');
  return plain.replace(/:.*$/s, '').replace(/[. ]+$/, '');
}

/** What a path is protected as, or null; its names are given in lower case, from the outermost folder on. */
export function protectionOf(way: readonly string[]): Protection | null {
  return kinds.find(([, fits]) => fits(way))?.[0] ?? null;
}

/** The name of the guard's home where nobody chose another. */
const usualHome = '.sallyport';

/** The folders with the guard's own keys, records and settings: those in use, and the one that is usual. */
export function ownHomes(inUse: readonly string[], userHome: string): readonly string[] {
  return [...inUse, `${userHome}/${usualHome}`];
}

/** Which of these folders an absolute path is or lies in; one of the usual name counts wherever it is, but in the workspace. */
export function ownHomeOf(path: string, homes: readonly string[], workspace: string): string | null {
  const below = (folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
  const home = homes.find(below);
  if (home !== undefined || below(workspace)) return home ?? null;
  const names = path.split('/');
  const at = names.indexOf(usualHome);
  return at === -1 ? null : names.slice(0, at + 1).join('/');
}

const ownProgram =
  /(?:^|\/)sallyport(?:\.[cm]?[jt]s)?$|(?:^|\/)node_modules\/sallyport\/|^sallyport\/(?:bin|dist)\/|^npm:sallyport(?:@[^/]*)?(?:\/.*)?$/;

/** Whether a file, or the name of a package, is the guard's own program. */
export function isOwnProgram(path: string): boolean {
  return ownProgram.test(path);
}

/** Whether a file of the guard's home says what the daemon does, and holds no key. */
export function isOwnLog(path: string): boolean {
  return path.endsWith('/daemon.log');
}

/** Of hooks, those that hold credentials or settings, and start nothing by themselves. */
const quietHooks = words(
  '.ssh .gnupg .aws .kube .docker .azure .env .flaskenv .npmrc .yarnrc .yarnrc.yml .netrc _netrc .pypirc .pgpass .git-credentials .condarc .bazelrc .dockercfg pip.conf pip.ini .pydistutils.cfg authorized_keys id_rsa id_ed25519 id_ecdsa id_dsa',
);

function isQuiet(way: readonly string[]): boolean {
  return way.some((name) => quietHooks.has(name) || name.startsWith('.env.') || isShortFor(name, quietHooks));
}

/** Texts of rules that agents read, beside those that end as texts do. */
const rulesFiles = words(
  '.cursorrules .windsurfrules .clinerules .roorules .goosehints .kilocoderules .kilocodemodes .roomodes',
);

/** Of what agents read, texts that say what to do, and lists of what to leave out: they start nothing by themselves. */
function isInstructions(way: readonly string[]): boolean {
  const leaf = leafOf(way);
  return /(?:\.mdc?|ignore)$/.test(leaf) || rulesFiles.has(leaf);
}

/** Whether a file or folder starts programs later without being asked, or says what an agent may do. */
export function startsLater(way: readonly string[]): boolean {
  const kind = protectionOf(way);
  return kind !== null && protections[kind].starts;
}

/** Whether the user's own list allows a path that is otherwise protected; its names are given as they are written. */
export function isAllowedPath(names: readonly string[], allowed: readonly string[]): boolean {
  // Only a name that is written as it is stored is the one that was allowed.
  const way = names.join('/');
  return allowed.some((entry) => {
    const clean = cleanEntry(entry);
    return way === clean || way.startsWith(`${clean}/`);
  });
}

/** What no list of the user's lifts. */
export const neverAllowed: ReadonlySet<Protection> = new Set(['version_control', 'guard']);

/** An entry of a list of paths, without what only starts or ends it. */
export function cleanEntry(entry: string): string {
  return entry.replace(/^\.\//, '').replace(/\/+$/, '');
}

const leafOf = (way: readonly string[]): string => way.at(-1) ?? '';

function isVersionControl(way: readonly string[]): boolean {
  return (
    way.some((name) => versionControl.has(name) || isShortFor(name, versionControl)) ||
    isRepositoryFile(leafOf(way))
  );
}

function isRepositoryFile(name: string): boolean {
  return repositoryFiles.has(name) || isShortFor(name, repositoryFiles);
}

function isAgent(way: readonly string[]): boolean {
  const leaf = leafOf(way);
  return (
    way.some((name) => agentFolders.has(name) || isShortFor(name, agentFolders)) ||
    agentFiles.has(leaf) ||
    isShortFor(leaf, agentFiles) ||
    leaf.endsWith('.code-workspace') ||
    hasFolders(way, '.github', /^(?:hooks|instructions|prompts|agents|chatmodes|copilot)$/)
  );
}

function isHook(way: readonly string[]): boolean {
  const leaf = leafOf(way);
  if (way.some((name) => hookFolders.has(name))) return true;
  if (plainDotfiles.has(leaf)) return false;
  return (
    hookFiles.has(leaf) ||
    isShortFor(leaf, hookFiles) ||
    /^\.env\.(?!d\.ts$|[cm]?[jt]s$|md$)[\w.-]+$/.test(leaf)
  );
}

function isPipeline(way: readonly string[]): boolean {
  return (
    pipelineFiles.has(leafOf(way)) ||
    way.some((name) => pipelineFolders.has(name)) ||
    hasFolders(way, '.github', /^(?:workflows|actions)$/) ||
    hasFolders(way, '.gitlab', /^ci$/) ||
    (way.some((name) => name === '.github') && /^(?:dependabot|codeowners)(?:\.ya?ml)?$/.test(leafOf(way)))
  );
}

function isManifest(way: readonly string[]): boolean {
  const leaf = leafOf(way);
  if (manifestFiles.has(leaf) || manifestNames.test(leaf)) return true;
  return (
    hasFolders(way, 'gradle', /^wrapper$/) ||
    hasFolders(way, '.cargo', /^config(?:\.toml)?$/) ||
    hasFolders(way, '.mvn', /./) ||
    hasFolders(way, '.mise', /./) ||
    hasFolders(way, '.config', /^mise/) ||
    (way.at(-2) === 'requirements' && /\.(?:txt|in)$/.test(leaf))
  );
}

/** Caches of tools below it are nobody's code. */
const installedCaches = /^\.(?!bin$|pnpm$|store$)/;

function isInstalled(way: readonly string[]): boolean {
  return (
    way.some((name, at) => name === 'node_modules' && !installedCaches.test(way[at + 1] ?? '.')) ||
    way.some((name) => name === 'site-packages' || name === '__pypackages__') ||
    ['.venv', 'venv', 'env', '.tox', '.nox'].some((folder) => hasFolders(way, folder, /^(?:bin|scripts)$/)) ||
    hasFolders(way, '.yarn', /^(?:releases|plugins|sdks|unplugged|cache)$/)
  );
}

/** Endings of files that hold no settings. */
const idleEndings =
  /\.(?:md|txt|d\.ts|png|jpe?g|gif|svg|ico|webp|pdf|zip|gz|tgz|log|tmp|bak|old|orig|csv|swp|pid|cache)$/;

function isDotfile(way: readonly string[]): boolean {
  const leaf = leafOf(way);
  return /^\.[a-z0-9_]/.test(leaf) && !plainDotfiles.has(leaf) && !idleEndings.test(leaf);
}

function hasFolders(way: readonly string[], folder: string, child: RegExp): boolean {
  return way.some((name, at) => name === folder && child.test(way[at + 1] ?? ''));
}

/** Whether a name is the short one (`GIT~1`) that Windows gives beside one of these. */
function isShortFor(name: string, names: ReadonlySet<string>): boolean {
  const short = /^([^.~]{1,7})~\d+(?:\.[^.]{0,3})?$/.exec(name)?.[1];
  if (short === undefined) return false;
  return [...names].some((long) => {
    const stem = long.replace(/^\./, '').replaceAll(/[^a-z0-9]/g, '');
    return short.length >= Math.min(3, stem.length) && stem.startsWith(short);
  });
}
