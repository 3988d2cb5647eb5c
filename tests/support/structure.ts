// Reads the structure of source files: what each imports, import cycles between files, how much each function
// branches, and repeated code.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

export interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

export interface SourceFile {
  /** The path from the folder that was read. */
  readonly file: string;
  readonly code: string;
}

/** One import of a file; `types` where only types are imported, which leaves nothing at run time. */
export interface Import {
  readonly target: string;
  readonly types: boolean;
}

/** The imports of one file among the files that were read. */
export type Graph = ReadonlyMap<string, readonly Import[]>;

export interface FunctionFigures {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
  readonly branches: number;
}

/** Every TypeScript file below a folder that is no test. */
export function productFiles(folder: string): SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.test|\.d)\.tsx?$/.test(file))
    .sort()
    .map((file) => ({ file, code: readFileSync(join(folder, file), 'utf8') }));
}

const parsed = new WeakMap<SourceFile, Node>();

/** The syntax tree of a file, parsed once. */
export function parse(source: SourceFile): Node {
  const known = parsed.get(source);
  if (known !== undefined) return known;
  const tree = parseAst(source.code, { lang: source.file.endsWith('x') ? 'tsx' : 'ts' }) as unknown as Node;
  parsed.set(source, tree);
  return tree;
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The nodes that hang directly on a node, each with its key. */
export function childrenOf(node: Node): { readonly node: Node; readonly key: string }[] {
  const children: { node: Node; key: string }[] = [];
  for (const key in node) {
    const value = node[key];
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) {
      if (isNode(value)) children.push({ node: value, key });
    } else for (const child of value) if (isNode(child)) children.push({ node: child, key });
  }
  return children;
}

/** Every node of a tree, with the node and the key that it hangs on. */
export function* walk(
  node: Node,
  parent?: Node,
  key?: string,
): Generator<{ node: Node; parent?: Node; key?: string }> {
  yield { node, ...(parent ? { parent } : {}), ...(key ? { key } : {}) };
  for (const { node: child, key: name } of childrenOf(node)) yield* walk(child, node, name);
}

/** What a file imports, in whatever way. */
export function importsOf(source: SourceFile): Import[] {
  const found: Import[] = [];
  const tree = parse(source);
  // Imports inside of functions and types are rare, and looking for them takes longest.
  const nodes = /\bimport\s*\(/.test(source.code) ? walk(tree) : childrenOf(tree);
  for (const { node } of nodes) {
    const { source: from } = node;
    if (!/^(?:Import|Export|TSImportType)/.test(node.type) || from === null || from === undefined) continue;
    const target = isNode(from) && typeof from['value'] === 'string' ? from['value'] : '(computed)';
    found.push({ target, types: importsTypes(node) });
  }
  return found;
}

function importsTypes(node: Node): boolean {
  if (node.type === 'TSImportType' || node['importKind'] === 'type' || node['exportKind'] === 'type')
    return true;
  const { specifiers } = node;
  return (
    Array.isArray(specifiers) &&
    specifiers.length > 0 &&
    specifiers.every((one) => one['importKind'] === 'type' || one['exportKind'] === 'type')
  );
}

/** The imports between the files themselves. */
export function graphOf(files: readonly SourceFile[]): Graph {
  const known = new Set(files.map(({ file }) => file));
  return new Map(
    files.map((source) => {
      const own = importsOf(source)
        .filter(({ target }) => target.startsWith('.'))
        .map(({ target, types }) => ({ target: resolve('/', dirname(source.file), target).slice(1), types }))
        .filter(({ target }) => known.has(target) && target !== source.file);
      return [source.file, own];
    }),
  );
}

/** The sets of files that reach one another by imports (Tarjan), largest first. */
export function cyclesOf(graph: Graph, follows: (one: Import) => boolean): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): number => {
    const own = index.size;
    index.set(file, own);
    stack.push(file);
    let lowest = own;
    for (const { target } of (graph.get(file) ?? []).filter(follows)) {
      if (!index.has(target)) lowest = Math.min(lowest, visit(target));
      else if (stack.includes(target)) lowest = Math.min(lowest, low.get(target) ?? index.get(target) ?? own);
    }
    low.set(file, lowest);
    if (lowest === own) {
      const members = stack.splice(stack.indexOf(file));
      for (const member of members) low.set(member, own);
      if (members.length > 1) cycles.push(members.sort());
    }
    return lowest;
  };
  for (const file of graph.keys()) if (!index.has(file)) visit(file);
  return cycles.sort((a, b) => b.length - a.length);
}

const branching = new Set([
  'IfStatement',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'WhileStatement',
  'DoWhileStatement',
  'CatchClause',
  'ConditionalExpression',
]);

function branches(node: Node): boolean {
  if (branching.has(node.type)) return true;
  if (node.type === 'SwitchCase') return isNode(node['test']);
  if (node.type === 'LogicalExpression') return true;
  return node.type === 'AssignmentExpression' && /^(?:&&|\|\||\?\?)=$/.test(String(node['operator']));
}

const functions = /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;

/** The cyclomatic figure of every function of a file; a function inside another is counted for itself. */
export function functionsOf(source: SourceFile): FunctionFigures[] {
  const { code } = source;
  const found: FunctionFigures[] = [];
  const lineOf = (offset: number) => code.slice(0, offset).split('\n').length;
  const count = (node: Node, name: string): number => {
    let sum = branches(node) ? 1 : 0;
    for (const { node: child, key } of childrenOf(node)) {
      const named = nameOf(node, child, key) ?? name;
      if (!functions.test(child.type)) sum += count(child, named);
      else {
        const [start, end] = [Number(child['start']), Number(child['end'])];
        const line = lineOf(start);
        found.push({ name: named, line, lines: lineOf(end) - line + 1, branches: 1 + count(child, named) });
      }
    }
    return sum;
  };
  count(parse(source), '(file)');
  return found;
}

function nameOf(parent: Node, child: Node, key: string): string | undefined {
  for (const named of [child['id'], key === 'init' && parent['id'], key === 'value' && parent['key']]) {
    if (isNode(named) && typeof named['name'] === 'string') return named['name'];
  }
  return undefined;
}

/** Repeated code has at least this many tokens on this many lines. */
const shortestClone = { tokens: 60, lines: 6 };

const token = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|[\w$]+|[^\s\w$]/g;

interface Token {
  readonly text: string;
  readonly line: number;
}

/** The tokens of a file without comments and imports. */
function tokensOf(code: string): Token[] {
  const blank = (text: string) => text.replace(/[^\n]/g, '');
  const tokens: Token[] = [];
  let line = 1;
  let end = 0;
  const body = code.replace(/^import[^;]*;$/gm, blank);
  for (const { 0: text, index } of body.matchAll(token)) {
    line += body.slice(end, index).split('\n').length - 1;
    if (!text.startsWith('//') && !text.startsWith('/*')) tokens.push({ text, line });
    end = index;
  }
  return tokens;
}

/** Repeated code, whatever its layout, with the place where it stands first. */
export function clonesOf(files: readonly SourceFile[]): string[] {
  const { tokens: size, lines } = shortestClone;
  const ids = new Map<string, number>();
  const seen = new Map<
    string,
    { readonly file: string; readonly tokens: readonly Token[]; readonly at: number }
  >();
  const found: string[] = [];
  for (const { file, code } of files) {
    const tokens = tokensOf(code);
    // Two characters a token: a window is then a slice of one string.
    const text = tokens
      .map((one) => {
        const id = ids.get(one.text) ?? ids.size;
        ids.set(one.text, id);
        return String.fromCharCode(id >> 15, id & 0x7fff);
      })
      .join('');
    for (let at = 0; at + size <= tokens.length; at++) {
      const window = text.slice(2 * at, 2 * (at + size));
      const first = seen.get(window);
      if (first === undefined) {
        seen.set(window, { file, tokens, at });
        continue;
      }
      let length = size;
      const end = first.tokens === tokens ? at : first.tokens.length;
      while (first.at + length < end && first.tokens[first.at + length]?.text === tokens[at + length]?.text)
        length++;
      const [start, last] = [tokens[at]?.line ?? 0, tokens[at + length - 1]?.line ?? 0];
      const other = `${first.file}:${first.tokens[first.at]?.line}`;
      if (last - start + 1 >= lines)
        found.push(`${file}:${start}-${last} repeats ${other} (${length} tokens)`);
      at += length - 1;
    }
  }
  return found;
}
