// Variables by which programs are handed over: a command line that some program starts, words for a program, code that it
// loads, folders in which it looks for programs and code, and addresses that packages and requests go through.

/** A variable by what is done with its text. */
export type HandedOver =
  /** A program starts it as a command line. */
  | { readonly as: 'command' }
  /** A program reads it as further words of its own. */
  | { readonly as: 'words'; readonly program: string }
  /** A file that programs load as code. */
  | { readonly as: 'file' }
  /** A file of settings, which may name programs. */
  | { readonly as: 'settings' }
  /** Folders in which programs look for code, or for other programs. */
  | { readonly as: 'folders' }
  /** A program reads the whole text as the value of an option. */
  | { readonly as: 'value'; readonly call: string }
  /** Addresses that packages, or all requests, go through. */
  | { readonly as: 'address'; readonly detail: 'download' | 'proxy' };

const editors =
  'EDITOR VISUAL FCEDIT GIT_EDITOR GIT_SEQUENCE_EDITOR GH_EDITOR KUBE_EDITOR HGEDITOR SVN_EDITOR PSQL_EDITOR HOMEBREW_EDITOR BUNDLER_EDITOR SUDO_EDITOR TEXEDIT';
const pagers =
  'PAGER GIT_PAGER MANPAGER SYSTEMD_PAGER AWS_PAGER GH_PAGER BAT_PAGER DELTA_PAGER PSQL_PAGER LESSOPEN LESSCLOSE BROWSER GH_BROWSER';
const connections =
  'GIT_SSH GIT_SSH_COMMAND GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS GIT_PROXY_COMMAND GIT_EXTERNAL_DIFF RSYNC_RSH CVS_RSH SVN_SSH KUBECTL_EXTERNAL_DIFF';
const compilers =
  'RUSTC RUSTDOC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER CARGO CARGO_BUILD_RUSTC CARGO_BUILD_RUSTDOC CARGO_BUILD_RUSTC_WRAPPER CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER CCACHE_PREFIX CCACHE_COMPILER CMAKE_C_COMPILER CMAKE_CXX_COMPILER CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER AUTOM4TE AUTOCONF AUTOMAKE AUTOHEADER ACLOCAL MAKEINFO CONFIG_SHELL SHELL MAKE JAVACMD PYTHON PERL FZF_DEFAULT_COMMAND FZF_CTRL_T_COMMAND PROMPT_COMMAND';

const namesIn = (list: string) => list.split(' ');

const byName: ReadonlyMap<string, HandedOver> = new Map<string, HandedOver>([
  ...namesIn(`${editors} ${pagers} ${connections} ${compilers}`).map((name): [string, HandedOver] => [
    name,
    { as: 'command' },
  ]),
  ...Object.entries({
    MAKEFLAGS: 'make',
    GNUMAKEFLAGS: 'make',
    MFLAGS: 'make',
    GOFLAGS: 'go build',
    RUSTFLAGS: 'rustc',
    CFLAGS: 'gcc',
    CXXFLAGS: 'gcc',
    CPPFLAGS: 'gcc',
    LDFLAGS: 'gcc',
    RUSTDOCFLAGS: 'rustc',
    CARGO_BUILD_RUSTFLAGS: 'rustc',
    NODE_OPTIONS: 'node',
    PERL5OPT: 'perl',
    RUBYOPT: 'ruby',
    JAVA_TOOL_OPTIONS: 'java',
    _JAVA_OPTIONS: 'java',
    JDK_JAVA_OPTIONS: 'java',
    JAVA_OPTS: 'java',
    MAVEN_OPTS: 'java',
    GRADLE_OPTS: 'java',
    SBT_OPTS: 'java',
    MAVEN_ARGS: 'mvn',
    PYTEST_ADDOPTS: 'pytest',
    TAR_OPTIONS: 'tar',
    ELIXIR_ERL_OPTIONS: 'erl',
    ERL_FLAGS: 'erl',
    ERL_AFLAGS: 'erl',
    ERL_ZFLAGS: 'erl',
  }).map(([name, program]): [string, HandedOver] => [name, { as: 'words', program }]),
  ...namesIn(
    'LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES BASH_ENV ENV PYTHONSTARTUP PERL5DB GROFF_BIN_PATH GIT_EXEC_PATH GIT_TEMPLATE_DIR GCONV_PATH OPENSSL_CONF OPENSSL_ENGINES FACTERLIB LUA_INIT DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS CORECLR_PROFILER_PATH COR_PROFILER_PATH',
  ).map((name): [string, HandedOver] => [name, { as: 'file' }]),
  ...namesIn(
    'R_PROFILE R_PROFILE_USER R_ENVIRON R_ENVIRON_USER GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM NPM_CONFIG_USERCONFIG NPM_CONFIG_GLOBALCONFIG PIP_CONFIG_FILE TF_CLI_CONFIG_FILE ANSIBLE_CONFIG AWS_CONFIG_FILE WGETRC COMPOSE_FILE MAKEFILES COMPOSER MIX_EXS GTK_MODULES TEXMFHOME TEXINPUTS IPYTHONDIR',
  ).map((name): [string, HandedOver] => [name, { as: 'settings' }]),
  ...namesIn(
    'PATH PYTHONPATH PYTHONHOME NODE_PATH RUBYLIB PERL5LIB PERLLIB LUA_PATH LUA_CPATH CLASSPATH GEM_PATH BUNDLE_GEMFILE BUNDLE_PATH LD_LIBRARY_PATH DYLD_LIBRARY_PATH GUILE_LOAD_PATH GOROOT TCLLIBPATH JULIA_LOAD_PATH R_LIBS R_LIBS_USER ERL_LIBS PHPRC PHP_INI_SCAN_DIR ZDOTDIR CURL_HOME MSBUILDSDKSPATH MSBuildSDKsPath MSBuildExtensionsPath',
  ).map((name): [string, HandedOver] => [name, { as: 'folders' }]),
  ...namesIn('VIMINIT EXINIT GVIMINIT').map((name): [string, HandedOver] => [
    name,
    { as: 'value', call: 'vim -c' },
  ]),
  ...namesIn('GOPROXY CARGO_REGISTRIES_CRATES_IO_INDEX CARGO_REGISTRY_INDEX COMPOSER_REPO_PACKAGIST').map(
    (name): [string, HandedOver] => [name, { as: 'address', detail: 'download' }],
  ),
]);

/** Names of programs that build tools also take with a prefix or an ending of their own. */
const tool = /^(?:\w+_)?(?:CC|CXX|CPP|LD|AR|AS|FC|RANLIB|NM|STRIP|LEX|YACC|M4)(?:_[A-Za-z]\w*)?$/;
const ofCargo = /^CARGO_TARGET_\w+_(?:LINKER|RUNNER|RUSTFLAGS)$/;
const indexes =
  /^(?:(?:PIP|UV|PDM|POETRY|PIPENV)_\w*(?:INDEX|INDEX_URL|PYPI_MIRROR|FIND_LINKS)|(?:npm_config|yarn)(?:_npm)?_registry(?:_server)?)$/i;
const proxies = /^(?:https?|all|ftp|npm_config_(?:https?_)?)_?proxy$/i;
const ofNpm = /^npm_config_(?:script[_-]shell|shell|editor|git|viewer|browser|node_gyp)$/i;

/** What a variable hands over; null where it is only data. */
export function handedOver(name: string): HandedOver | null {
  const known = byName.get(name);
  if (known !== undefined) return known;
  if (indexes.test(name)) return { as: 'address', detail: 'download' };
  if (proxies.test(name)) return { as: 'address', detail: 'proxy' };
  return ofCargo.test(name) || ofNpm.test(name) || tool.test(name) ? { as: 'command' } : null;
}

/** Names of variables that mean settings, plug-ins or code, whatever program takes them. */
const settingsName =
  /(?:(?:^|_)(?:CONFIG(?:_?(?:FILE|PATH|DIR))?|CONF(?:_?(?:FILE|DIR))?|RC|RCFILE|CFG|INIT(?:_?(?:FILE|SCRIPT))?|PLUGINS?(?:_?(?:PATH|DIR))?|STARTUP(?:_?(?:FILE|SCRIPT))?|MODULE_?PATH|LOAD_?PATH|SETTINGS(?:_?FILE)?|HOOKS?(?:_?(?:PATH|DIR))?|TOOLCHAIN(?:_?FILE)?)|[A-Z](?:CONFIG|RC)|PRELOAD)$/i;
/** Places in which build tools look for a library's description, which is no code. */
const descriptions = /^(?:PKG_CONFIG|XDG_CONFIG)/;
const optionsName = /(?:^|_)(?:\w*OPTS|\w*FLAGS|OPTIONS|ARGS|ARGUMENTS)$/i;

/** What a variable that a program is given hands over by its name alone. */
export function handedByName(name: string): 'settings' | 'words' | null {
  if (handedOver(name) !== null || descriptions.test(name)) return null;
  if (settingsName.test(name)) return 'settings';
  return optionsName.test(name) ? 'words' : null;
}
