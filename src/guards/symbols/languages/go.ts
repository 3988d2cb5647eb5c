// What a Go file declares at its top, and what it refers to: packages, exported names of packages, functions.

import type { ModuleTable } from '../../../core/index.ts';
import type { Reference, References } from '../reference.ts';
import { type GoTokens, readGo, token } from './go-scanner.ts';
import { goStdVersion } from './go-std-names.ts';

export const goFile = /\.go$/;

/** Written by a program, as the Go tools know such files. */
const generated = /^\/\/ Code generated .* DO NOT EDIT\.$/m;
const generates = /^\/\/go:generate /m;

/** The names that a file declares at its top, exported or not; null where it cannot be read. */
export function goTable(text: string): ModuleTable | null {
  const tokens = readGo(text);
  if (tokens === null || tokens.word(0) !== 'package') return null;
  const names = new Set<string>();
  for (const { keyword, from, to } of declarations(tokens)) {
    if (keyword === 'func' && tokens.isName(from + 1)) names.add(tokens.word(from + 1));
    if (keyword === 'type' || keyword === 'var' || keyword === 'const')
      for (const name of declaredIn(tokens, from + 1, to)) names.add(name);
  }
  return {
    names: [...names],
    stars: [],
    opaque: false,
    package: tokens.word(1),
    ...madeOf(text),
  };
}

function madeOf(text: string): Pick<ModuleTable, 'made'> {
  if (generated.test(text)) return { made: 'generated' };
  return generates.test(text) ? { made: 'generates' } : {};
}

/** One declaration of the top: its keyword stands at `from`, and the next declaration at `to`. */
interface Declaration {
  readonly keyword: string;
  readonly from: number;
  readonly to: number;
}

const topKeyword = /^(?:import|func|type|var|const)$/;

function declarations(tokens: GoTokens): readonly Declaration[] {
  const starts: number[] = [];
  for (let index = 0; index < tokens.length; ) {
    const word = tokens.word(index);
    if (topKeyword.test(word) && tokens.begins(index)) starts.push(index);
    index = word === '(' || word === '[' || word === '{' ? tokens.behind(index) : index + 1;
  }
  return starts.map((from, place) => ({
    keyword: tokens.word(from),
    from,
    to: starts[place + 1] ?? tokens.length,
  }));
}

/** The names that `type`, `var` or `const` declares, alone or in brackets. */
function declaredIn(tokens: GoTokens, from: number, to: number): readonly string[] {
  const names: string[] = [];
  const take = (start: number) => {
    for (let index = start; index < to && tokens.isName(index); index += 2) {
      names.push(tokens.word(index));
      if (tokens.word(index + 1) !== ',') break;
    }
  };
  if (tokens.word(from) !== '(') {
    take(from);
    return names;
  }
  for (let index = from + 1; index < to && tokens.word(index) !== ')'; ) {
    if (index === from + 1 || tokens.begins(index)) take(index);
    const word = tokens.word(index);
    index = word === '(' || word === '[' || word === '{' ? tokens.behind(index) : index + 1;
  }
  return names;
}

/** One import: the path as it is written, and the name that the file gives it, where it gives one. */
interface Import {
  readonly path: string;
  readonly alias: string | null;
  readonly start: number;
  readonly end: number;
}

function importsOf(tokens: GoTokens, all: readonly Declaration[]): readonly Import[] {
  const found: Import[] = [];
  for (const { keyword, from, to } of all) {
    if (keyword !== 'import') continue;
    for (let index = from + 1; index < to; index++) {
      if (tokens.kinds[index] !== token.text) continue;
      const before = tokens.word(index - 1);
      found.push({
        path: tokens.word(index).slice(1, -1),
        alias: before === '.' || tokens.isName(index - 1) ? before : null,
        start: tokens.starts[index] ?? 0,
        end: tokens.ends[index] ?? 0,
      });
    }
  }
  return found;
}

/** What a file refers to; null where it cannot be read. */
export function goReferences(text: string): References | null {
  const tokens = readGo(text);
  if (tokens === null || tokens.word(0) !== 'package') return null;
  const tops = declarations(tokens);
  const imports = importsOf(tokens, tops).filter(({ path }) => path !== 'C');
  const found: Reference[] = imports.map(({ path, start, end }) => ({
    kind: 'module',
    module: path,
    name: '',
    start,
    end,
  }));
  const loose = isLoose(text) ? { loose: true as const } : {};
  const bound = boundIn(tokens);
  const isDotted = imports.some(({ alias }) => alias === '.');
  for (const { keyword, from, to } of tops) {
    if (keyword === 'import') continue;
    found.push(...selectors(tokens, from, to, imports));
    if (!isDotted) found.push(...calls(tokens, from, to, bound));
  }
  const all = found.map((reference) => ({ ...reference, ...loose }));
  return { found: all.toSorted((a, b) => a.start - b.start), bound, stars: [] };
}

const constraint = /^\/\/(?:go:build| \+build) +(.*)$/gm;
const release = /^go1\.([0-9]+)$/;
/** Conditions on the system and the compiler, under which the same packages are there. */
const ordinary = new Set(
  `aix android darwin dragonfly freebsd illumos ios js linux netbsd openbsd plan9 solaris wasip1 windows unix zos hurd
  386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x wasm ppc riscv sparc sparc64
  cgo gc gccgo race msan asan purego boringcrypto appengine test integration e2e`
    .trim()
    .split(/\s+/),
);

/** Whether a file is built under a condition of its own: a tag of the project, a later release, or not with the rest. */
function isLoose(text: string): boolean {
  const head = text.slice(0, Math.max(text.search(/^package\b/m), 0));
  return [...head.matchAll(constraint)].some(([, tags = '']) =>
    (tags.match(/[\w.]+/g) ?? []).some((tag) => {
      const [, minor] = release.exec(tag) ?? [];
      return minor === undefined ? !ordinary.has(tag) : Number(minor) > goStdVersion[1];
    }),
  );
}

/**
 * `package.Name` in one declaration. The name of a package never stands alone, so that a name which does is a variable,
 * a parameter or a field here, and says nothing of the package.
 */
function selectors(
  tokens: GoTokens,
  from: number,
  to: number,
  imports: readonly Import[],
): readonly Reference[] {
  const shadowed = new Set<string>();
  const places: number[] = [];
  for (let index = from; index < to; index++) {
    if (!tokens.isName(index) || tokens.word(index - 1) === '.') continue;
    if (tokens.word(index + 1) !== '.') shadowed.add(tokens.word(index));
    else if (tokens.isName(index + 2)) places.push(index);
  }
  return places.flatMap((index) => {
    const local = tokens.word(index);
    if (shadowed.has(local)) return [];
    const [start, end] = [tokens.starts[index + 2] ?? 0, tokens.ends[index + 2] ?? 0];
    const name = tokens.word(index + 2);
    return meantBy(local, imports).map(({ path, alias }): Reference => {
      const reference = { kind: 'attribute', module: path, name, start, end } as const;
      return alias === null ? { ...reference, local } : reference;
    });
  });
}

/** The imports that a name may stand for: the one that has it, or those whose package may be called so. */
function meantBy(local: string, imports: readonly Import[]): readonly Import[] {
  const named = imports.find(({ alias }) => alias === local);
  if (named !== undefined) return [named];
  const plain = imports.filter(({ alias }) => alias === null);
  const likely = plain.filter(({ path }) => likelyName(path) === local);
  return likely.length > 0 ? likely : plain.filter(({ path }) => !isPlain(path));
}

/** The name that a package most probably has, by its path. */
function likelyName(path: string): string {
  const last = path.replace(/\/v[0-9]+$/, '').replace(/\.v[0-9]+$/, '');
  return last.slice(last.lastIndexOf('/') + 1);
}

/** Whether a package of the standard library has this path, so that its name is known. */
function isPlain(path: string): boolean {
  return !path.includes('.');
}

/** Names that the file uses other than by calling them: whatever declares one is among them. */
function boundIn(tokens: GoTokens): ReadonlySet<string> {
  const bound = new Set<string>();
  for (let index = 0; index < tokens.length; index++) {
    if (tokens.isName(index) && tokens.word(index - 1) !== '.' && !isCall(tokens, index))
      bound.add(tokens.word(index));
  }
  return bound;
}

/** Whether a name is called; on the same line behind a bracket it is a method, or a type. */
function isCall(tokens: GoTokens, index: number): boolean {
  if (tokens.word(index + 1) !== '(') return false;
  const before = tokens.word(index - 1);
  if (before === 'func' || before === '.') return false;
  return tokens.breaks[index] === true || (before !== ')' && before !== ']');
}

const builtins: ReadonlySet<string> = new Set([
  ...[
    'append',
    'cap',
    'clear',
    'close',
    'complex',
    'copy',
    'delete',
    'imag',
    'len',
    'make',
    'max',
    'min',
    'new',
  ],
  ...[
    'panic',
    'print',
    'println',
    'real',
    'recover',
    'any',
    'bool',
    'byte',
    'comparable',
    'complex64',
    'complex128',
  ],
  ...[
    'error',
    'float32',
    'float64',
    'int',
    'int8',
    'int16',
    'int32',
    'int64',
    'rune',
    'string',
    'uint',
    'uint8',
  ],
  ...['uint16', 'uint32', 'uint64', 'uintptr', '_'],
]);

/** Calls of plain names that the file does not bind; methods of an interface are written like calls and are none. */
function calls(tokens: GoTokens, from: number, to: number, bound: ReadonlySet<string>): readonly Reference[] {
  const found: Reference[] = [];
  for (let index = from; index < to; index++) {
    if (tokens.word(index) === 'interface' && tokens.word(index + 1) === '{') {
      index = tokens.behind(index + 1) - 1;
      continue;
    }
    const name = tokens.word(index);
    if (!tokens.isName(index) || !isCall(tokens, index) || bound.has(name) || builtins.has(name)) continue;
    found.push({
      kind: 'unbound',
      module: '',
      name,
      start: tokens.starts[index] ?? 0,
      end: tokens.ends[index] ?? 0,
    });
  }
  return found;
}
