// Tools that look at the system, compute, or build and check a project: known, and of no consequence by themselves.

import type { Effect, Value } from '../effects.ts';
import { builds } from '../programs/builds.ts';
import { cardOf, effectsOnCard } from '../programs/index.ts';
import { agent, agentNames } from './agents.ts';
import { publishingTools } from './publishing.ts';
import {
  beginningOf,
  type Call,
  effect,
  inert,
  literal,
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
  'csvtool mapfile readarray command bind complete compgen fc trap eval env xargs parallel script scriptreplay expect screen tmux byobu zellij fzf neofetch';

/** Viewers, counters and filters that show something and change nothing. */
const lookingWords = 'rpmspec';

/** Build, test and check tools of projects. */
const projectWords = 'cmake nox m4 pytest vite-node clojure ghc jupyter scrapy grunt gulp';

const sayingNothing: Tool = (call) => inert(call);
const interpreterOptions = options(
  'c= e= E= m= r= p= f= I= W= X= V v version h/help i u B O s S x n t w l a require= import= loader= eval= print= check test inspect?',
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
    'C/directory= f/file/makefile= j/jobs? n/just-print/dry-run s B i e I= o= W= l? t q p r R w v version eval= E=',
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

/** The many names that share a few tools; where two lists have one name, the later has the say. */
const lists: readonly (readonly [string, Tool])[] = [
  [shellWords, sayingNothing],
  [lookingWords, sayingNothing],
  [projectWords, builds],
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
  ...publishingTools(builds),
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
  man: (call) => {
    const given = options('P/pager= H/html? C/config-file= f w a l/local-file= M= s= S= L= K t T? p= E= r=')(
      call.args,
    );
    const helper = given.last('pager', 'html');
    return helper && !/^(?:cat|less|more|)$/.test(beginningOf(helper))
      ? [effect(call, 'run', { detail: 'helper', target: nameTarget(helper) })]
      : inert(call);
  },
};
