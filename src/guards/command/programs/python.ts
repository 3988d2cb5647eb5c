// Modules of Python that are started by their names: what they do, and the files of the folder that they may be.

import type { Inner } from '../bash/executors/inner.ts';
import { knownText } from '../bash/values.ts';
import type { Effect, Value } from '../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  inert,
  literal,
  nameTarget,
  options,
  pathTarget,
  read,
  type Tool,
  textOf,
  unknownValue,
  write,
} from '../tools/tool.ts';
import { cardEffects } from './card.ts';
import { pip } from './cards/pip.ts';

/** Modules of Python's own that do one thing and load nothing of the folder that they are started in. */
const ownModules =
  /^(?:http(?:\.server)?|SimpleHTTPServer|json(?:\.tool)?|venv|ensurepip|pip|zipfile|tarfile|gzip|base64|calendar|compileall|py_compile|pydoc|site|sysconfig|platform|timeit|tokenize|ast|dis|uuid|webbrowser|this)$/;

/** The files in this folder that a module of Python may be. */
export function modulesHere(name: string): readonly Inner[] {
  if (ownModules.test(name)) return [];
  const path = name.replaceAll('.', '/');
  return [`${path}.py`, `${path}/__main__.py`].map((file) => ({
    kind: 'file',
    language: 'python',
    path: knownText(file),
    ofProject: true,
  }));
}

const serverOptions = options('b/bind= d/directory= p/protocol= cgi');

const projectModules =
  /^(?:pytest|unittest|doctest|mypy|black|ruff|isort|flake8|pylint|coverage|build|compileall|py_compile|json\.tool|timeit|venv|ensurepip|pydoc|site|sysconfig|platform|this|calendar|tokenize|ast|dis|cProfile|pdb|trace|tox|nox|sphinx|mkdocs|django|flask|uvicorn|gunicorn|fastapi|jupyter|ipykernel|pre_commit|bandit|zipfile|tarfile|pip_audit|grpc_tools\.protoc|twine|virtualenv|wheel|maturin|poetry|hatch|pdm|uv|streamlit|celery|alembic|playwright|spacy|nltk\.downloader|cibuildwheel|webbrowser|base64|gzip|uuid|locale|inspect|pickletools|symtable|tabnanny|pyclbr|idlelib|turtledemo|tkinter|antigravity|__hello__|lib2to3|mimetypes|encodings|profile|pstats|quopri|random|secrets|sqlite3|ssl|textwrap|filecmp|difflib|code|codeop|asyncio|pyperf|memory_profiler|line_profiler|kernprof|vulture|radon|pyright|pyupgrade|autoflake|docformatter|interrogate|pydocstyle|codespell_lib|yamllint|ansible|towncrier|bumpversion|commitizen|semantic_release|setuptools_scm|pipdeptree|pip_tools|piptools|pipx)$/;

/** What a module does that Python is told to run. */
export function moduleEffects(call: Call, module: Value, operands: readonly Value[]): readonly Effect[] {
  const name = textOf(module);
  if (name === 'http.server' || name === 'SimpleHTTPServer' || name === 'pyftpdlib' || name === 'smtpd')
    return [
      effect(call, 'listen', {
        detail: 'http',
        target: nameTarget(serverOptions(operands).last('bind')),
      }),
    ];
  if (name === 'venv' || name === 'virtualenv')
    return write(call, operands[0] ?? unknownValue, { detail: 'create' });
  if (name === 'pip') return cardEffects(pip, { ...call, args: operands });
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
    moduleEffects(
      call,
      module,
      call.args.filter((argument) => name === 'pip' || !beginningOf(argument).startsWith('-')),
    );
}
