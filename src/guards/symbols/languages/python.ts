// What a Python file offers: the names that it binds at its top, in whatever block, and what makes them unknowable.

import type { ModuleTable } from '../../../core/index.ts';
import { closingEnd, type Line, newLine, readLine, token } from './python-scanner.ts';

export const pythonFile = /\.pyi?$/;

/** What can end a stretch of lines that lie deeper than the top, or hide its end. */
const stretch =
  /#[^\n]*|"""|'''|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|\bglobal[ \t]+[^\n#;]*|\n(?=[^ \t\r\n#\f])/g;

/**
 * Ways in which a file gets names that its text does not show. Looking into `globals()` is none; handing it on is, for
 * whoever takes it may write. What must stand before a word is asked behind it: words are found faster than places.
 */
const names = [
  String.raw`globals\(\)(?<!(?:\bin |\w)globals\(\))(?!\s*\[[^\]\n]*\](?!\s*=[^=])|\.(?:get|keys|items|values|copy)\(|, *locals\(\))`,
  String.raw`(?:locals|vars)\(\)(?:\s*\[[^\]\n]*\]\s*=[^=]|\.update\()`,
  String.raw`modules\[__name__\](?<!(?:getmembers|getattr|hasattr|dir|getdoc)\((?:sys\.)?modules\[__name__\])`,
  String.raw`modules\[(?<=\bdel\s+(?:sys\.)?modules\[)`,
  String.raw`global_enum\b|_convert_\(`,
  String.raw`(?:exec|setattr|vars|execfile)\((?<=^(?:exec|setattr|vars|execfile)\()`,
  String.raw`exec\((?<=^ +exec\()[^,\n]*\)\s*$`,
].join('|');

/** Ways in which a module puts others into the list of modules, so that no file shows them. */
const modules = [
  String.raw`modules(?<=\bsys\.modules)(?:\[(?!__name__\]|['"]\w+['"]\])[^\]\n]*\]\s*=[^=]|\.(?:update|setdefault)\()`,
  String.raw`meta_path\b|path_hooks\b|extend_path\b|declare_namespace\b`,
  String.raw`__path__(?:\.(?:append|extend|insert)\(|\[[^\]\n]*\]\s*=[^=])`,
].join('|');

const dynamicNames = new RegExp(names, 'm');
const dynamicModules = new RegExp(modules, 'm');
const dynamic = new RegExp(`${names}|${modules}`, 'm');

/** Whether a file gets names that its text does not show. */
export function hasDynamicNames(text: string): boolean {
  return dynamicNames.test(text);
}

/** The names that a file offers. */
export function pythonTable(text: string): ModuleTable {
  const names = new Set<string>();
  const stars: string[] = [];
  const sets = new Set<string>();
  const imported = new Set<string>();
  const submodules = new Set<string>();
  const line = newLine();
  for (let at = 0; readLine(text, at, line); ) {
    at = line.next;
    const view = new View(line);
    if (topLine(view, { names, stars, sets, imported, submodules }) === 'body')
      at = afterBody(text, line, names);
  }
  for (const name of setInBodies(text)) sets.add(name);
  const isDynamic = dynamic.test(text);
  const open = names.has('__path__') || (isDynamic && dynamicModules.test(text));
  const own = [...submodules].filter((name) => !names.has(name));
  return {
    names: [...names, ...own],
    stars,
    ...(own.length === 0 ? {} : { submodules: own }),
    // However the module comes by the function, it may answer for any name.
    opaque: isDynamic || names.has('__getattr__'),
    ...(open ? { open } : {}),
    ...(sets.size === 0 ? {} : { sets: [...sets] }),
  };
}

/** What must stand before the dot is asked behind the name: a dot is found faster than the beginning of a line. */
const innerSet =
  /\.([A-Za-z_]\w*)(?<=\n[ \t]+(?!(?:self|cls)\b)([A-Za-z_]\w*)\.\w+)[ \t]*(?::[^=\n]*)?=(?!=)/g;
const anyImport = /^[ \t]*(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+([^\n#;(]+|\([^)]*\))/gm;

/** What functions of a file put on modules that it imports, wherever it does: `config.options = …`. */
function setInBodies(text: string): readonly string[] {
  const found = [...text.matchAll(innerSet)];
  if (found.length === 0) return [];
  const imported = new Set(
    [...text.matchAll(anyImport)].flatMap(([, names = '']) => names.match(/[A-Za-z_]\w*/g) ?? []),
  );
  return found.flatMap(([, name = '', local = '']) => (imported.has(local) ? [name] : []));
}

/** Skips the body of a function or class; what it declares as `global` belongs to the module. */
function afterBody(text: string, line: Line, names: Set<string>): number {
  const { indent } = line;
  // Only a body at the very top may be skipped by looking for the next line without white space before it.
  if (indent > 0) return afterNested(text, line, names);
  stretch.lastIndex = Math.max(line.next - 1, 0);
  for (let match = stretch.exec(text); match !== null; match = stretch.exec(text)) {
    const [piece] = match;
    if (piece === '\n') return match.index + 1;
    if (piece === '"""' || piece === "'''") {
      stretch.lastIndex = closingEnd(text, stretch.lastIndex, piece);
    } else if (piece.startsWith('global')) {
      for (const name of piece.slice(7).split(',')) names.add(name.trim());
    }
  }
  return text.length;
}

function afterNested(text: string, line: Line, names: Set<string>): number {
  const inner = newLine();
  let at = line.next;
  while (readLine(text, at, inner) && inner.indent > line.indent) {
    const view = new View(inner);
    if (view.word(0) === 'global') for (const name of view.namesFrom(1, view.length)) names.add(name);
    at = inner.next;
  }
  return at;
}

/** The tokens of a line, by number. */
export class View {
  readonly line: Line;

  constructor(line: Line) {
    this.line = line;
  }

  get length(): number {
    return this.line.length;
  }

  /** The word of a token; empty behind the last, a quote for a text. */
  word(index: number): string {
    return index < this.line.length ? (this.line.words[index] ?? '') : '';
  }

  isName(index: number): boolean {
    return index < this.line.length && this.line.kinds[index] === token.name;
  }

  /** The first token from a place on that is this sign outside of brackets, or -1. */
  find(sign: string, from: number, to = this.length): number {
    let depth = 0;
    for (let index = from; index < to; index++) {
      if (this.line.kinds[index] === token.text) continue;
      const word = this.word(index);
      if (depth === 0 && word === sign) return index;
      if (word === '(' || word === '[' || word === '{') depth++;
      else if (word === ')' || word === ']' || word === '}') depth--;
    }
    return -1;
  }

  /** Names that are bound by a target: those that nothing is taken from. */
  namesFrom(from: number, to: number): readonly string[] {
    const names: string[] = [];
    for (let index = from; index < to; index++) {
      if (!this.isName(index) || this.word(index - 1) === '.') continue;
      const next = index + 1 < to ? this.word(index + 1) : '';
      if (next !== '.' && next !== '(' && next !== '[') names.push(this.word(index));
    }
    return names;
  }
}

interface Top {
  readonly names: Set<string>;
  readonly stars: string[];
  readonly sets: Set<string>;
  readonly imported: Set<string>;
  /** Names that are bound to modules of the package itself. */
  readonly submodules: Set<string>;
}

/** Takes the names of one line of the top; says whether a body follows that is not of the top. */
function topLine(view: View, top: Top): 'body' | 'line' {
  let from = 0;
  const [first, second] = [view.word(0), view.word(1)];
  if (first === '@') return 'line';
  if (first === 'def' || first === 'class' || (first === 'async' && second === 'def')) {
    top.names.add(view.word(first === 'async' ? 2 : 1));
    return 'body';
  }
  // `if x: y = 1`: what follows the colon is a statement of its own.
  if (blocks.has(first) && view.word(1) !== '=') {
    const colon = view.find(':', 1);
    bindHeader(view, colon < 0 ? view.length : colon, (name) => top.names.add(name));
    if (colon < 0) return 'line';
    from = colon + 1;
  }
  for (const [start, end] of statements(view, from)) topStatement(view, start, end, top);
  return 'line';
}

export const blocks: ReadonlySet<string> = new Set([
  ...['if', 'elif', 'else', 'try', 'except', 'finally', 'with', 'for', 'while', 'async', 'match', 'case'],
]);

/** The statements of a line, from a token on. */
export function statements(view: View, from: number): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  for (let start = from; start < view.length; ) {
    const end = view.find(';', start);
    found.push([start, end < 0 ? view.length : end]);
    start = end < 0 ? view.length : end + 1;
  }
  return found;
}

/** Names that the head of a block binds. */
export function bindHeader(view: View, to: number, bind: (name: string) => void): void {
  bindInside(view, 0, to, bind);
  if (view.word(0) === 'case') for (const name of view.namesFrom(1, to)) bind(name);
}

/** Names that are bound in the middle of something: `for … in`, `as`, `:=`, `lambda`. */
export function bindInside(view: View, from: number, to: number, bind: (name: string) => void): void {
  for (let index = from; index < to; index++) {
    if (!view.isName(index)) {
      if (view.word(index) === ':=' && view.isName(index - 1)) bind(view.word(index - 1));
      continue;
    }
    const word = view.word(index);
    if (word === 'for') {
      const end = view.find('in', index + 1, to);
      if (end > 0) for (const name of view.namesFrom(index + 1, end)) bind(name);
    } else if (word === 'as') {
      const close = view.word(index + 1) === '(' ? closing(view, index + 1, to) : index + 2;
      for (const name of view.namesFrom(index + 1, Math.min(close, to))) bind(name);
    } else if (word === 'lambda') {
      const end = view.find(':', index + 1, to);
      bindParameters(view, index + 1, end < 0 ? to : end, bind);
    }
  }
}

/** The token behind the bracket that closes the one at a place. */
export function closing(view: View, open: number, to: number): number {
  let depth = 0;
  for (let index = open; index < to; index++) {
    if (view.line.kinds[index] !== token.sign) continue;
    const word = view.word(index);
    if (word === '(' || word === '[' || word === '{') depth++;
    else if ((word === ')' || word === ']' || word === '}') && --depth === 0) return index + 1;
  }
  return to;
}

/** Names of parameters: those at the beginning, or behind a comma or a star. */
export function bindParameters(view: View, from: number, to: number, bind: (name: string) => void): void {
  for (let index = from; index < to; index++) {
    if (!view.isName(index)) continue;
    const before = index === from ? ',' : view.word(index - 1);
    if (before === ',' || before === '*' || before === '**' || before === '(' || before === '[')
      bind(view.word(index));
  }
}

function topStatement(view: View, from: number, to: number, top: Top): void {
  const bind = (name: string) => top.names.add(name);
  const first = view.word(from);
  if (first === 'import' || first === 'from') {
    for (const item of imports(view, from, to)) {
      if (item.name === '*') top.stars.push(item.module);
      else {
        // `from . import a` binds the module a of the package, and nothing that would hide it.
        if (item.module === '.' && item.name === item.local) top.submodules.add(item.local);
        else bind(item.local);
        top.imported.add(item.local);
      }
    }
    return;
  }
  bindAssigned(view, from, to, bind);
  bindInside(view, from, to, bind);
  // `module.name = …`: another module gets a name from here.
  if (
    view.isName(from) &&
    view.word(from + 1) === '.' &&
    top.imported.has(first) &&
    view.find('=', from, to) > 0
  ) {
    top.sets.add(view.word(from + 2));
  }
}

const augmented: ReadonlySet<string> = new Set([
  ...['+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '@=', '**=', '//=', '>>=', '<<='],
]);

/** Names that an assignment, an annotation or a `type` statement binds. */
export function bindAssigned(view: View, from: number, to: number, bind: (name: string) => void): void {
  const first = view.word(from);
  if (first === 'global' || first === 'nonlocal') {
    for (const name of view.namesFrom(from + 1, to)) bind(name);
    return;
  }
  if (first === 'type' && view.isName(from + 1)) {
    bind(view.word(from + 1));
    if (view.word(from + 2) === '[') bindParameters(view, from + 3, closing(view, from + 2, to), bind);
    return;
  }
  if (view.isName(from) && (view.word(from + 1) === ':' || augmented.has(view.word(from + 1)))) bind(first);
  let start = from;
  for (let sign = view.find('=', start, to); sign >= 0; sign = view.find('=', start, to)) {
    for (const name of view.namesFrom(start, sign)) bind(name);
    start = sign + 1;
  }
}

/** One thing that an import statement takes. */
export interface Import {
  /** The module with the dots before it. */
  readonly module: string;
  /** What is taken from it; empty for a whole module, `*` for everything. */
  readonly name: string;
  /** The name that it has here. */
  readonly local: string;
  /** Tokens of the module and of the name. */
  readonly moduleAt: readonly [number, number];
  readonly nameAt: number;
}

/** What an import statement takes. */
export function imports(view: View, from: number, to: number): readonly Import[] {
  const found: Import[] = [];
  if (view.word(from) === 'import') {
    for (let index = from + 1; index < to; ) {
      const start = index;
      while (index < to && view.word(index) !== ',' && view.word(index) !== 'as') index++;
      const module = dotted(view, start, index);
      const alias = view.word(index) === 'as' ? view.word(index + 1) : '';
      const moduleAt = [start, index - 1] as const;
      if (module !== '')
        found.push({ module, name: '', local: alias || (module.split('.')[0] ?? ''), moduleAt, nameAt: -1 });
      while (index < to && view.word(index) !== ',') index++;
      index++;
    }
    return found;
  }
  let at = from + 1;
  while (at < to && view.word(at) !== 'import') at++;
  const module = dotted(view, from + 1, at);
  const moduleAt = [from + 1, at - 1] as const;
  for (let index = at + 1; index < to; index++) {
    const name = view.word(index);
    if (name === '*') found.push({ module, name, local: '', moduleAt, nameAt: index });
    if (!view.isName(index)) continue;
    const alias = view.word(index + 1) === 'as' ? view.word(index + 2) : '';
    found.push({ module, name, local: alias || name, moduleAt, nameAt: index });
    if (alias !== '') index += 2;
  }
  return found;
}

function dotted(view: View, from: number, to: number): string {
  let text = '';
  for (let index = from; index < to; index++) text += view.word(index);
  return text;
}
