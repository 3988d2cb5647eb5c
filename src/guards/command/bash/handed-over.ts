// Variables by which programs are handed over: a command line that some program starts, words for a program, code that it
// loads, and folders in which it looks for programs and code.

/** A variable by what is done with its text. */
export type HandedOver =
  /** A program starts it as a command line. */
  | { readonly as: 'command' }
  /** A program reads it as further words of its own. */
  | { readonly as: 'words'; readonly program: string }
  /** A file that programs load as code. */
  | { readonly as: 'file' }
  /** Folders in which programs look for code, or for other programs. */
  | { readonly as: 'folders' };

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
  }).map(([name, program]): [string, HandedOver] => [name, { as: 'words', program }]),
  ...namesIn(
    'LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES BASH_ENV ENV PYTHONSTARTUP PERL5DB GROFF_BIN_PATH GIT_EXEC_PATH GIT_TEMPLATE_DIR GCONV_PATH OPENSSL_CONF OPENSSL_ENGINES FACTERLIB LUA_INIT',
  ).map((name): [string, HandedOver] => [name, { as: 'file' }]),
  ...namesIn(
    'PATH PYTHONPATH PYTHONHOME NODE_PATH RUBYLIB PERL5LIB PERLLIB LUA_PATH LUA_CPATH CLASSPATH GEM_PATH BUNDLE_GEMFILE BUNDLE_PATH LD_LIBRARY_PATH DYLD_LIBRARY_PATH GUILE_LOAD_PATH TCLLIBPATH JULIA_LOAD_PATH R_LIBS R_LIBS_USER ERL_LIBS PHPRC PHP_INI_SCAN_DIR ZDOTDIR',
  ).map((name): [string, HandedOver] => [name, { as: 'folders' }]),
]);

/** Names of programs that build tools also take with a prefix or an ending of their own. */
const tool = /^(?:\w+_)?(?:CC|CXX|CPP|LD|AR|AS|FC|RANLIB|NM|STRIP|LEX|YACC|M4)(?:_[A-Za-z]\w*)?$/;
const ofCargo = /^CARGO_TARGET_\w+_(?:LINKER|RUNNER|RUSTFLAGS)$/;
const ofNpm = /^npm_config_(?:script[_-]shell|shell|editor|git|viewer|browser|node_gyp)$/i;

/** What a variable hands over; null where it is only data. */
export function handedOver(name: string): HandedOver | null {
  const known = byName.get(name);
  if (known !== undefined) return known;
  return ofCargo.test(name) || ofNpm.test(name) || tool.test(name) ? { as: 'command' } : null;
}
