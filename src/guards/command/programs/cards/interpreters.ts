// Interpreters of languages: Python, JavaScript, Ruby, Perl, PHP, Lua, R and the many whose code is only searched for commands.

import type { Inner, Language } from '../../bash/executors/inner.ts';
import { hole, knownText, singleText } from '../../bash/values.ts';
import { beginningOf, effect, literal, nameTarget, read, textOf, write } from '../../tools/tool.ts';
import { namesSecret } from '../../variables.ts';
import type { Card, Fact } from '../card.ts';
import { consoleFact } from '../consoles.ts';
import { type Interpreter, interprets, loaded } from '../interpreters.ts';

/** The facts of one that has no more than a letter for code. */
function simple(names: string, language: Language, more: Partial<Interpreter> = {}): Card {
  const [name = ''] = names.split(' ');
  return interprets({
    names,
    language,
    options: 'e=',
    readings: 'e',
    code: 'e',
    hit: {
      [`${name} -e a`]: `${language} code: a`,
      [`${name} a.x -e b`]: `${language} file: a.x`,
      [`'a' | ${name}`]: `${language} input`,
      [`'a' | ${name} -`]: `${language} input`,
      [`${name} https://h.example/a`]: 'unknown',
    },
    ...more,
  });
}

const python = interprets({
  names: 'python python2 python3 pypy pypy3 ipython ipython3 py bpython ptpython',
  language: 'python',
  options: 'c/command=+ m=+ W= X= Q= check-hash-based-pycs= V/version h/help',
  readings: 'c command m W X Q check-hash-based-pycs; V version h help',
  code: 'c',
  module: 'm',
  hit: {
    'python -c "a()" -c b': 'python code: a()',
    'python3 -W ignore -X dev --check-hash-based-pycs never a.py -m b': 'python file: a.py',
    'python -m http.server': 'program: http.server',
    'python -um a.b -c d':
      'python file: a/b.py of the project; python file: a/b/__main__.py of the project; program: a.b -c d',
    "'a' | python -": 'python input',
    "'a' | python3": 'python input',
    'python https://h.example/a.py': 'unknown',
    'python node_modules/sallyport/dist/cli.mjs down':
      'python file: node_modules/sallyport/dist/cli.mjs; program: sallyport down',
  },
  scripts: {
    'python -m <pytest unittest doctest mypy black ruff isort flake8 pylint coverage build compileall py_compile json.tool timeit ensurepip pydoc site sysconfig platform this calendar tokenize ast dis cProfile pdb trace tox nox sphinx mkdocs django flask uvicorn gunicorn fastapi jupyter ipykernel pre_commit bandit zipfile tarfile pip_audit grpc_tools.protoc twine wheel maturin poetry hatch pdm uv streamlit celery alembic playwright spacy nltk.downloader cibuildwheel webbrowser base64 gzip uuid locale inspect pickletools symtable tabnanny pyclbr idlelib turtledemo tkinter antigravity __hello__ lib2to3 mimetypes encodings profile pstats quopri random secrets sqlite3 ssl textwrap filecmp difflib code codeop asyncio pyperf memory_profiler line_profiler kernprof vulture radon pyright pyupgrade autoflake docformatter interrogate pydocstyle codespell_lib yamllint ansible towncrier bumpversion commitizen semantic_release setuptools_scm pipdeptree pip_tools piptools pipx>':
      'inert (project)',
    'python -m <venv virtualenv> a': 'write a (create)',
    'python -m <http.server SimpleHTTPServer pyftpdlib smtpd> -b 0.0.0.0': 'listen 0.0.0.0 (http)',
    'python -m a': 'run a (module)',
  },
  facts: [
    consoleFact('python', 'shell console', 'c command', /(?:^|\/)manage\.py$/, {
      hit: {
        'python manage.py shell -c "a()"': 'python code: a()',
        "'a()' | python ./manage.py shell": 'python input',
        'python manage.py console --command=a': 'python code: a',
      },
      miss: ['python a.py shell -c b', 'python manage.py migrate -c b'],
    }),
  ],
});

export const node = interprets({
  names: 'node nodejs tsx ts-node ts-node-esm vite-node deno gjs qjs d8 rhino nashorn',
  language: 'javascript',
  options:
    'e/eval= p/print r/require= import= loader/experimental-loader= C/conditions= input-type= env-file= inspect-port= watch-path= P/project= T/transpile-only v/version h/help test watch scope tsconfig= compiler= transpiler= D/ignore-diagnostics= O/compiler-options= cwd= scope-dir= I/ignore= inspect? inspect-brk? inspect-wait?',
  readings:
    'e eval r require import loader experimental-loader C conditions input-type env-file inspect-port watch-path P project tsconfig compiler transpiler D ignore-diagnostics O compiler-options cwd scope-dir I ignore; p print T transpile-only v version h help test watch scope; inspect inspect-brk inspect-wait',
  code: 'eval',
  codeFirst: 'print',
  loads: 'require import loader',
  subcommands: 'run eval exec repl',
  hit: {
    'node -e a b': 'javascript code: a',
    'node -pe a': 'javascript code: a',
    'node -p a': 'javascript code: a',
    'node --print a': 'javascript code: a',
    'node --eval=a': 'javascript code: a',
    'node -r ./a.js b.js -r ./c.js': 'other file: ./a.js; javascript file: b.js',
    'node --import data:text/javascript,a b.js': 'unknown; javascript file: b.js',
    'node --loader /tmp/a.mjs b.js': 'other file: /tmp/a.mjs; javascript file: b.js',
    'node -r dotenv/config b.js': 'javascript file: b.js',
    'deno run -A a.ts': 'javascript file: a.ts',
    'deno eval a': 'javascript code: a',
    'deno run https://h.example/a.ts': 'unknown',
    "'a' | node": 'javascript input',
    'node node_modules/sallyport/dist/cli.mjs down':
      'javascript file: node_modules/sallyport/dist/cli.mjs; program: sallyport down',
  },
  facts: [
    {
      what: 'shows variables of the environment that it is told to print',
      effects: (call, given) => {
        const code = beginningOf(given.has('print') ? (given.operands[0] ?? literal('')) : literal(''));
        const [, name] = /process\.env(?:\.(\w+)|\[['"](\w+)['"]\])/.exec(code) ?? [];
        const whole = /(?<!keys\()process\.env(?![\w.[])/.test(code);
        return whole || (name !== undefined && namesSecret(name))
          ? [effect(call, 'secret', { detail: 'environment' })]
          : [];
      },
      examples: {
        hit: {
          'node -p process.env': 'secret (environment)',
          'node -p process.env.API_KEY': 'secret (environment)',
        },
        miss: ['node -p process.env.PORT', 'node -p "Object.keys(process.env)"', 'node a.js process.env'],
      },
    },
    {
      what: 'publishes a package',
      effects: (call, given) =>
        call.program === 'deno' &&
        textOf(given.operands[0]) === 'publish' &&
        !given.operands.some((word) => textOf(word) === '--dry-run')
          ? [effect(call, 'deploy', { detail: 'publish' })]
          : [],
      examples: {
        hit: { 'deno publish --allow-dirty': 'deploy (publish)' },
        miss: ['deno publish --dry-run', 'deno run publish', 'node publish'],
      },
    },
    {
      what: 'takes packages of npm',
      // Deno takes them as they are, under the prefix `npm:`.
      starts: ({ program }, given) => {
        const [verb, ...words] = given.operands;
        const installs = /^(?:install|add|i|remove|rm|uninstall|update)$/.test(singleText(verb));
        const names = words
          .filter((word) => /^(?:npm:)?(?:@[\w-]+\/)?sallyport(?:@.*)?$/.test(singleText(word)))
          .map((word) => knownText(singleText(word).replace(/^npm:/, '')));
        return program !== 'deno' || !installs || names.length === 0
          ? []
          : [{ kind: 'argv', argv: [knownText('npm'), knownText('install'), ...names] }];
      },
      examples: {
        hit: {
          'deno <install add i remove rm uninstall update> npm:sallyport@1':
            'program: npm install sallyport@1',
        },
        miss: ['deno run npm:sallyport', 'node install sallyport', 'deno add npm:a'],
      },
    },
  ],
});

/** `-i` changes each file that it is given. */
const inPlace: (name: string) => Fact = (name) => ({
  what: 'changes files in place',
  effects: (call, given) => {
    if (!given.has('i')) return [];
    const files = given.has('e', 'E') ? given.operands : given.operands.slice(1);
    return files.flatMap((path) => write(call, path, { detail: 'edit' }));
  },
  examples: {
    hit: {
      [`${name} -pi -e a b c`]: 'write b (edit); write c (edit)',
      [`${name} -i.bak -pe a b`]: 'write b (edit)',
      [`${name} -i a.x b`]: 'write b (edit)',
    },
    miss: [`${name} -pe a b`, name],
  },
});

/** `-n` and `-p` run the code for each line of the files behind it. */
const lineByLine: (name: string) => Fact = (name) => ({
  what: 'reads files line by line',
  effects: (call, given) =>
    given.has('n', 'p') && given.has('e', 'E') ? given.operands.flatMap((path) => read(call, path)) : [],
  examples: {
    hit: {
      [`${name} -ne a b c`]: 'read b; read c',
      [`${name} -pe a .env`]: 'read .env; secret .env (environment)',
    },
    miss: [`${name} -e a b`, `${name} -pe a`],
  },
});

const perl = interprets({
  names: 'perl',
  language: 'perl',
  options: 'e/E= I= M/m= i? x? 0 l C? D? F= n p a w s t T v/version h/help V? c',
  readings: 'e E I M m F; n p a w s t T v version h help c 0 l; i x C D V',
  code: 'e',
  loads: 'I',
  hit: {
    'perl -ne a b': 'perl code: a',
    'perl -lane a b': 'perl code: a',
    'perl -lnEa b': 'perl code: a',
    'perl -E a': 'perl code: a',
    'perl -I ./lib a.pl -e b': 'other file: ./lib; perl file: a.pl',
    'perl -0777 -pe a': 'perl code: a',
    "'a' | perl": 'perl input',
  },
  facts: [
    inPlace('perl'),
    lineByLine('perl'),
    {
      what: 'puts modules into code as they are written',
      starts: (_, given) =>
        given.all('M').flatMap((text): readonly Inner[] => {
          const module = singleText(text).replace(/^-/, '');
          if (module.includes(hole)) return [{ kind: 'unknown' }];
          return /^[\w:]+(?:[= ][\w:, ()'"!-]*)?$/.test(module)
            ? []
            : [{ kind: 'code', language: 'perl', text: knownText(`use ${module};`) }];
        }),
      examples: {
        hit: {
          'perl "-Ma;system(1)" b': 'perl code: use a;system(1);',
          'perl -M-strict;b c': 'perl code: use strict;b;',
          'perl -M$NAME a': 'unknown',
        },
        miss: ['perl -Mstrict -MList::Util=sum -e a', 'perl -mA -e b', 'perl "-MPOSIX qw(a b)" c'],
      },
    },
    {
      what: 'takes -e behind -i for its ending',
      // `perl -pie CODE` is what people mean by `perl -pi -e CODE`.
      starts: (_, given) =>
        given.all('i').some((ending) => singleText(ending) === 'e')
          ? given.operands.slice(0, 1).map((text) => ({ kind: 'code', language: 'perl', text }))
          : [],
      examples: { hit: { 'perl -pie a b': 'perl code: a' }, miss: ['perl -pi -e a b', 'perl -i.e a b'] },
    },
  ],
});

const ruby = interprets({
  names: 'ruby irb jruby',
  language: 'ruby',
  options: 'e= r/require= I= C= F= E/encoding= K= x? i? T? W? 0? n p a l s w v/version h/help c',
  readings: 'e r require I C F E encoding K; n p a l s w v version h help c; x i T W 0',
  code: 'e',
  loads: 'r',
  hit: {
    'ruby -ne a b': 'ruby code: a',
    'ruby -r ./a -e b': 'other file: ./a; ruby code: b',
    'ruby -rjson a.rb': 'ruby file: a.rb',
    "'a' | irb": 'ruby input',
    'ruby -I lib a.rb -e b': 'ruby file: a.rb',
  },
  facts: [inPlace('ruby'), lineByLine('ruby')],
});

const phpLoads = /^(?:auto_prepend_file|auto_append_file|extension|zend_extension)=(.*)$/;

const php: Card = interprets({
  names: 'php',
  language: 'php',
  options:
    'r/run= B/process-begin= R/process-code= E/process-end= f/file= F/process-file= c/php-ini= d/define= z/zend-extension= S/server= t/docroot= l/syntax-check i/info m/modules v/version h/help ini a/interactive n q s w',
  readings:
    'r run B process-begin R process-code E process-end f file F process-file c php-ini d define z zend-extension S server t docroot; l syntax-check i info m modules v version h help ini a interactive n q s w',
  code: 'run process-begin process-code process-end',
  file: 'file process-file',
  hit: {
    'php -r a': 'php code: a',
    'php -B a -R b -E c': 'php code: a; php code: b; php code: c',
    'php -f a.php b': 'php file: a.php',
    'php -F a.php': 'php file: a.php',
    'php -d display_errors=1 a.php -r b': 'php file: a.php',
    "'a' | php": 'php input',
  },
  idle: 'syntax-check info modules ini server',
  facts: [
    {
      what: 'checks files without running them',
      effects: (call, given) =>
        given.has('syntax-check') ? given.operands.flatMap((path) => read(call, path)) : [],
      starts: (_, given) => (given.has('syntax-check') ? [{ kind: 'nothing' }] : []),
      examples: {
        hit: { 'php -l a.php': 'read a.php; nothing', 'php --syntax-check a.php': 'read a.php; nothing' },
        miss: ['php a.php', 'php -i'],
      },
    },
    {
      what: 'serves the folder',
      effects: (call, given) =>
        given.has('server')
          ? [effect(call, 'listen', { detail: 'http', target: nameTarget(given.last('server')) })]
          : [],
      examples: {
        hit: {
          'php -S localhost:80': 'listen localhost:80 (http)',
          'php -S0.0.0.0:80 a.php': 'listen 0.0.0.0:80 (http)',
        },
        miss: ['php a.php'],
      },
    },
    {
      what: 'loads files that a setting names',
      starts: (_, given) =>
        loaded(
          given
            .all('define')
            .flatMap((text) => phpLoads.exec(singleText(text))?.[1] ?? [])
            .map((path) => knownText(path)),
        ),
      examples: {
        hit: {
          'php -d <auto_prepend_file auto_append_file extension zend_extension>=/a.php b':
            'other file: /a.php',
        },
        miss: ['php -d memory_limit=1 a.php', 'php -d extension=curl a.php'],
      },
    },
    consoleFact('php', 'tinker', 'execute', /(?:^|\/)artisan$/, {
      hit: {
        'php artisan tinker --execute "a()"': 'php code: a()',
        "'a()' | php artisan tinker": 'php input',
      },
      miss: ['php artisan migrate', 'php a.php tinker --execute b'],
    }),
  ],
});

export const cards: readonly Card[] = [
  python,
  node,
  perl,
  ruby,
  php,
  simple('lua luajit', 'lua', { options: 'e= l= j=', readings: 'e l j' }),
  simple('Rscript R', 'r', {
    options: 'e= f/file= g/gui= args',
    readings: 'e f file g gui; args',
    file: 'file',
  }),
  simple('julia', 'julia', {
    options:
      'e/eval= E/print= p/procs= L/load= J/sysimage= H/home= t/threads= C/cpu-target= project? startup-file= machine-file= color= v/version h/help handle-signals= sysimage-native-code= compiled-modules= banner= history-file= depwarn= warn-overwrite= warn-scope= inline= check-bounds= polly= math-mode= bug-report= compile= output-o= output-ji= output-unopt-bc= output-jit-bc= output-bc= output-asm= output-incremental=',
    readings:
      'e eval E print p procs L load J sysimage H home t threads C cpu-target startup-file machine-file color handle-signals sysimage-native-code compiled-modules banner history-file depwarn warn-overwrite warn-scope inline check-bounds polly math-mode bug-report compile output-o output-ji output-unopt-bc output-jit-bc output-bc output-asm output-incremental; v version h help; project',
    code: 'eval print',
  }),
  simple('osascript', 'other', { options: 'e= l= s=', readings: 'e l s' }),
  simple('groovy scala ghc runghc kotlin', 'other'),
  simple('ghci', 'other', { options: 'e= X= W= i? O?', readings: 'e X W; ; i O' }),
  simple('pdb spark-submit pyspark sage', 'python', {
    options:
      'c= m= master= deploy-mode= class= name= jars= packages= py-files= files= conf= properties-file=',
    readings: 'c m master deploy-mode class name jars packages py-files files conf properties-file',
    code: 'c',
    hit: {
      'sage -c a': 'python code: a',
      'spark-submit --master local a.py -c b': 'python file: a.py',
      "'a' | pyspark": 'python input',
    },
  }),
  simple('jjs jrunscript', 'javascript'),
  simple('octave octave-cli matlab gnuplot maxima', 'other', {
    options: 'e/eval= -r/r= -batch/batch= -nosplash -nodesktop -nodisplay -nojvm',
    readings: 'e eval -r r -batch batch; -nosplash -nodesktop -nodisplay -nojvm',
    code: 'eval r batch',
  }),
  simple('sbcl clisp guile racket ecl clojure raku ocaml slsh', 'other', {
    options: 'e/eval= c= x= report= m/main= load/l=',
    readings: 'e eval c x report m main load l',
    code: 'eval c x',
  }),
  simple('tclsh wish jshell', 'other', {
    options: 'encoding=',
    readings: 'encoding',
    code: '',
    hit: { 'tclsh a b': 'other file: a', "'a' | jshell": 'other input' },
  }),
  simple('pry byebug psysh', 'ruby', {
    options: 'e/exec= r/require= I= s/select-plugin= d/disable-plugin= gem= context/c=',
    readings: 'e exec r require I gem context c s select-plugin d disable-plugin',
    code: 'exec',
    loads: 'require',
  }),
  simple('erl escript', 'other', {
    options: '-eval/eval= -pa= -pz= -name= -sname= -s= -run=',
    readings: '-eval eval -pa -pz -name -sname -s -run',
    code: 'eval',
    hit: {
      'erl -noshell -eval a': 'other code: a',
      'erl --eval a': 'other code: a',
      'escript a b': 'other file: a',
    },
  }),
  simple('elixir', 'other', {
    options:
      'e/eval= rpc-eval= -pa= -pz= app= erl= logger-otp-reports= logger-sasl-reports= cookie= name= sname= boot= boot-var= erl-config= pipe-to= vm-args=',
    readings:
      'e eval rpc-eval -pa -pz app erl logger-otp-reports logger-sasl-reports cookie name sname boot boot-var erl-config pipe-to vm-args',
    code: 'eval rpc-eval',
  }),
];
