// What a Python file refers to: modules, names and attributes of modules, and names that it calls and binds nowhere.

import { pythonKeywords, pythonNames } from '../known.ts';
import type { Reference, References } from '../reference.ts';
import {
  bindAssigned,
  bindHeader,
  bindInside,
  bindParameters,
  blocks,
  closing,
  hasDynamicNames,
  type Import,
  imports,
  statements,
  View,
} from './python.ts';
import { newLine, readLine, token } from './python-scanner.ts';

/** Names that a file asks about before it uses them, or gives to every file. */
const probes =
  /\btry:[ \t]*\n((?:[ \t][^\n]*\n){1,8}?)[ \t]*except[^\n]*NameError|\bbuiltins\.(\w+)\s*=[^=]/g;
/** Conditions under which a module may be absent, or is there for checkers of types alone. */
const depends =
  /\b(?:TYPE_CHECKING|MYPY|False|version|version_info|platform|hexversion|PY[23]|PYPY|IS_\w+|os\.name|implementation|HAS_\w+|HAVE_\w+|have_\w+|has_\w+|maxsize|find_spec|gettrace)\b/;
const ready =
  /\b(?:suppress|raises|assertRaises\w*|ImportError|ModuleNotFoundError|import_\w*|captured?\w*|skip\w*)\b/;
/** The author says that a checker is wrong about a line. */
const quietLine =
  /#.*(?:\bnoqa\b(?!:)|\bnoqa:[^#]*(?:F821|F401|F811|E0?602)|type:\s*ignore|pylint:\s*disable|pragma: no cover|pyright:\s*ignore|pyrefly|mypy:)/i;

const longestSaid = 2000;

/** What a program may do without: it asks for it by name before it uses it. */
const optional = /\b(?:importorskip|find_spec|find_loader)\(\s*['"]([A-Za-z_]\w*)/g;

interface Block {
  readonly indent: number;
  /** Whether what stands in it may be missing. */
  readonly guarded: boolean;
  /** Whether it is a condition of the module itself, and lies in nothing else. */
  readonly condition: boolean;
}

interface Scan {
  readonly references: Reference[];
  readonly bound: Set<string>;
  readonly stars: string[];
  /** Modules by the names that they have here, and how often these are bound. */
  readonly modules: Map<string, string>;
  readonly rebound: Map<string, number>;
  /** `module.attribute` that the file sets, deletes or asks about. */
  readonly probed: Set<string>;
}

/** What a file refers to. */
export function pythonReferences(text: string): References {
  const scan: Scan = {
    references: [],
    bound: new Set(),
    stars: [],
    modules: new Map(),
    rebound: new Map(),
    probed: new Set(),
  };
  for (const [, module, name] of text.matchAll(
    /\b(?:hasattr|getattr|setattr|delattr|patch\.object)\(\s*([\w.]+),\s*['"](\w+)['"]/g,
  )) {
    scan.probed.add(`${module}.${name}`);
  }
  const open: Block[] = [];
  const line = newLine();
  for (let at = 0; readLine(text, at, line); at = line.next) {
    while (open.length > 0 && line.indent <= (open.at(-1)?.indent ?? 0)) open.pop();
    const outer = open.at(-1)?.guarded ?? false;
    const isTop = open.every(({ condition }) => condition);
    // What is said about a line stands near its beginning; the rest of a very long one is not searched.
    const said = text.slice(line.start, Math.min(line.next, line.start + longestSaid));
    const silent = said.includes('#') && quietLine.test(said);
    const view = new View(line);
    const condition = isTop && isCondition(view, said);
    const inCondition = isTop && open.length > 0;
    const opened = readStatements(view, { outer, silent, said, conditional: inCondition || condition }, scan);
    if (opened !== null) open.push({ indent: line.indent, guarded: opened, condition });
  }
  const free = !hasDynamicNames(text);
  for (const [, tried = '', given = ''] of text.matchAll(probes)) {
    for (const [name] of `${tried} ${given}`.matchAll(/[A-Za-z_]\w*/g)) scan.bound.add(name);
  }
  const absent = new Set([...text.matchAll(optional)].map(([, name]) => name));
  const found = scan.references.flatMap((reference): readonly Reference[] => {
    const { kind, module, name } = reference;
    if (absent.has(module.split('.')[0])) return [];
    if (kind === 'unbound') return free && !isBound(name, scan) ? [reference] : [];
    if (kind !== 'attribute') return [reference];
    const whole = scan.modules.get(module);
    // A name that is bound more than once may be something else by now.
    if (whole === undefined || scan.rebound.get(module) !== 1 || scan.probed.has(`${module}.${name}`))
      return [];
    return [{ ...reference, module: whole }];
  });
  return { found, bound: scan.bound, stars: scan.stars };
}

function isBound(name: string, { bound }: Scan): boolean {
  return bound.has(name) || pythonNames.has(name) || (name.startsWith('__') && name.endsWith('__'));
}

/** What is known of a line before it is read. */
interface Stance {
  /** Whether it stands where things may be missing. */
  readonly outer: boolean;
  /** Whether the author says that a checker is wrong about it. */
  readonly silent: boolean;
  readonly said: string;
  /** Whether the module itself runs it only under a condition: what it imports there may be absent. */
  readonly conditional: boolean;
}

/** Whether a line is a condition; whether a file is run as a program says nothing about what is installed. */
function isCondition(view: View, said: string): boolean {
  return /^(?:if|elif|else|match|case)$/.test(view.word(0)) && !/\b__name__\b/.test(said);
}

/** Reads one logical line; gives whether the block that it opens is guarded, or null where it opens none. */
function readStatements(
  view: View,
  { outer, silent, said, conditional }: Stance,
  scan: Scan,
): boolean | null {
  const bind = (name: string) => bindName(name, scan);
  const first = view.word(0);
  const isDefinition = first === 'def' || first === 'class' || (first === 'async' && view.word(1) === 'def');
  const isBlock = isDefinition || (blocks.has(first) && view.word(1) !== '=' && view.word(1) !== '.');
  let from = 0;
  let opened: boolean | null = null;
  if (isBlock) {
    const colon = view.find(':', 1);
    const end = colon < 0 ? view.length : colon;
    if (isDefinition) bindDefinition(view, end, bind);
    else bindHeader(view, end, bind);
    from = end + 1;
    opened = outer || isGuarded(first, said);
    if (colon < 0 && !isDefinition) opened = null;
  }
  if (!silent) references(view, outer, scan);
  const guarded = outer || silent || opened === true;
  for (const [start, end] of statements(view, from)) {
    const word = view.word(start);
    if (word === 'import' || (word === 'from' && view.find('import', start, end) > 0)) {
      for (const item of imports(view, start, end)) takeImport(view, item, guarded || conditional, scan);
      continue;
    }
    bindAssigned(view, start, end, bind);
    bindInside(view, start, end, bind);
    probeAssigned(view, start, end, scan);
  }
  return opened;
}

function isGuarded(first: string, said: string): boolean {
  if (first === 'try' || first === 'except' || first === 'finally') return true;
  if (first === 'with') return ready.test(said);
  if (first === 'else') return true;
  return /^(?:if|elif|match)$/.test(first) && (depends.test(said) || ready.test(said));
}

function bindName(name: string, { bound, rebound }: Scan): void {
  bound.add(name);
  rebound.set(name, (rebound.get(name) ?? 0) + 1);
}

/** The name of a function or class, its type parameters and its parameters. */
function bindDefinition(view: View, end: number, bind: (name: string) => void): void {
  const at = view.word(0) === 'async' ? 2 : 1;
  bind(view.word(at));
  let open = at + 1;
  if (view.word(open) === '[') {
    const close = closing(view, open, end);
    bindParameters(view, open + 1, close, bind);
    open = close;
  }
  // The bases of a class are no parameters.
  if (view.word(0) !== 'class' && view.word(open) === '(') {
    bindParameters(view, open + 1, closing(view, open, end), bind);
  }
  bindInside(view, open, end, bind);
}

function takeImport(view: View, item: Import, guarded: boolean, scan: Scan): void {
  const { module, name, local, moduleAt, nameAt } = item;
  const { starts, ends } = view.line;
  const place = { start: starts[moduleAt[0]] ?? 0, end: ends[moduleAt[1]] ?? 0 };
  if (name === '*') scan.stars.push(module);
  else {
    const whole = name === '' ? module : `${module}${module.endsWith('.') ? '' : '.'}${name}`;
    // `import a.b` and `import a.c` bind the same name to the same module.
    const again = name === '' && scan.modules.get(local) === local && local === module.split('.')[0];
    if (!again) bindName(local, scan);
    scan.modules.set(local, name === '' && local === module.split('.')[0] ? local : whole);
  }
  if (guarded) {
    // What may be absent is not looked into either.
    if (local !== '') scan.rebound.set(local, 2);
    return;
  }
  scan.references.push({ kind: 'module', module, name: '', ...place });
  if (name === '' || name === '*') return;
  scan.references.push({ kind: 'name', module, name, start: starts[nameAt] ?? 0, end: ends[nameAt] ?? 0 });
}

/** Names that are called, used as decorators or as bases, and attributes of names; a guarded attribute may be absent. */
function references(view: View, guarded: boolean, { references: found }: Scan): void {
  const { kinds, starts, ends } = view.line;
  const first = view.word(0);
  const isClass = first === 'class';
  let depth = 0;
  for (let index = 0; index < view.length; index++) {
    if (kinds[index] === token.sign) {
      const word = view.word(index);
      if (word === '(' || word === '[' || word === '{') depth++;
      else if (word === ')' || word === ']' || word === '}') depth--;
      continue;
    }
    if (kinds[index] !== token.name) continue;
    const before = index === 0 ? '' : view.word(index - 1);
    if (before === '.' || before === 'def' || before === 'class') continue;
    const next = view.word(index + 1);
    const isBase =
      isClass && depth === 1 && (before === '(' || before === ',') && (next === ')' || next === ',');
    if (next !== '(' && next !== '.' && !isBase && !(before === '@' && index === 1)) continue;
    const name = view.word(index);
    if (pythonKeywords.has(name)) continue;
    if (next === '.') {
      const attribute = view.word(index + 2);
      if (guarded || !view.isName(index + 2) || first === 'from' || first === 'import') continue;
      const place = { start: starts[index + 2] ?? 0, end: ends[index + 2] ?? 0 };
      found.push({ kind: 'attribute', module: name, name: attribute, ...place });
    } else {
      found.push({ kind: 'unbound', module: '', name, start: starts[index] ?? 0, end: ends[index] ?? 0 });
    }
  }
}

/** `module.name = …` and `del module.name`: the file itself makes or takes away the name. */
function probeAssigned(view: View, from: number, to: number, { probed }: Scan): void {
  let last = view.word(from) === 'del' ? to : -1;
  // `a.x = b.y = …` sets both.
  for (let sign = view.find('=', from, to); sign >= 0; sign = view.find('=', sign + 1, to)) last = sign;
  for (let index = from; index < last; index++) {
    if (view.isName(index) && view.word(index + 1) === '.')
      probed.add(`${view.word(index)}.${view.word(index + 2)}`);
  }
}
