// What a file of JavaScript or TypeScript offers and what it refers to. The table comes from the module record alone,
// without a tree, unless the text holds something that the record does not show.

import type {
  JavascriptNode,
  ModuleReader,
  ModuleTable,
  ModuleVisitors,
  ReadModule,
} from '../../../core/index.ts';
import { isTooDeep } from '../../../core/nesting.ts';
import { scriptGlobals } from '../known.ts';
import type { Reference, References } from '../reference.ts';

export const typescriptFile = /\.(?:c|m)?(?:j|t)sx?$/;

/** What a file may say that only its tree shows. */
const beyondRecord = /\b(?:declare\s+global\b|(?:module|namespace)\s+['"]|export\s*=)/;
const typed = /\.(?:c|m)?tsx?$/;

/** What a file puts on the object that all files share. */
const onGlobal =
  /\b(?:globalThis|window|global|self)(?:\.([\w$]+)|\[\s*['"]([\w$]+)['"]\s*\])\s*=(?!=)|\bdefineProperty\(\s*(?:globalThis|window|global|self)\s*,\s*['"]([\w$]+)['"]/g;

function givenToAll(text: string): readonly string[] {
  return [...text.matchAll(onGlobal)].map(([, name, quoted, defined]) => name ?? quoted ?? defined ?? '');
}

/** The names that a file offers; null where it cannot be read. */
export function typescriptTable(text: string, name: string, reader: ModuleReader): ModuleTable | null {
  const isDescription = /\.d\.(?:c|m)?ts$/.test(name);
  const given = isDescription ? [] : givenToAll(text);
  const globals = given.length === 0 ? {} : { globals: given };
  // A file without either word is no module, and need not be parsed to know that.
  if (!isDescription && !/\b(?:import|export)\b/.test(text))
    return { names: [], stars: [], opaque: true, ...globals };
  const offers = isTooDeep(text) ? null : reader.offers(text, name);
  if (offers === null) return null;
  const { isModule, names, stars } = offers;
  const all = isDescription && isModule ? [...names, ...implicitExports(text)] : names;
  const table = { names: all, stars, opaque: !isModule, ...globals };
  const isScript = !isModule && isDescription;
  if (!isScript && !(typed.test(name) && beyondRecord.test(text))) return table;
  return { ...table, ...declarations(bodyOf(reader.read(text, name).program), isScript, table) };
}

const listsExports = /\bexport\s*(?:type\s*)?[{=]/;
const declaration =
  /^[ \t]*(?:export[ \t]+)?(?:declare[ \t]+)?(?:abstract[ \t]+)?(?:interface|type|class|function|const(?:[ \t]+enum)?|let|var|enum|namespace|module)[ \t]+([\w$]+)/gm;

/** In a description, all that is declared is exported, unless the exports are listed. */
function implicitExports(text: string): readonly string[] {
  return listsExports.test(text) ? [] : [...text.matchAll(declaration)].map(([, name = '']) => name);
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Adds what `declare global`, `declare module` and `export =` say. */
function declarations(
  body: readonly JavascriptNode[],
  isScript: boolean,
  table: ModuleTable,
): Partial<ModuleTable> {
  const globals = [...(table.globals ?? [])];
  const declares: Record<string, ModuleTable> = {};
  let { opaque } = table;
  for (const statement of body) {
    if (statement.type === 'TSExportAssignment') opaque = true;
    const inner = exported(statement) ?? statement;
    if (inner.type === 'TSModuleDeclaration' || inner.type === 'TSGlobalDeclaration') {
      const id = child(inner, 'id');
      const block = bodyOf(child(inner, 'body'));
      if (inner.type === 'TSGlobalDeclaration' || inner['global'] === true || inner['kind'] === 'global')
        globals.push(...block.flatMap(declaredNames));
      else if (id?.type === 'Literal') {
        const key = String(id['value']);
        declares[key] = mergeTables(declares[key], blockTable(block));
        continue;
      }
    }
    if (isScript) globals.push(...declaredNames(statement));
  }
  const found: Mutable<Partial<ModuleTable>> = { opaque };
  if (globals.length > 0) found.globals = globals;
  if (Object.keys(declares).length > 0) found.declares = declares;
  return found;
}

/** The names of a described module: all of them are offered, unless some are and others are not. */
function blockTable(block: readonly JavascriptNode[]): ModuleTable {
  const stars: string[] = [];
  let opaque = block.length === 0;
  const names = block.flatMap((statement) => {
    if (statement.type === 'TSExportAssignment') opaque = true;
    if (statement.type === 'ExportAllDeclaration' && child(statement, 'exported') === undefined)
      stars.push(String(child(statement, 'source')?.['value']));
    return declaredNames(statement);
  });
  return { names, stars, opaque };
}

function mergeTables(a: ModuleTable | undefined, b: ModuleTable): ModuleTable {
  if (a === undefined) return b;
  return {
    names: [...a.names, ...b.names],
    stars: [...a.stars, ...b.stars],
    opaque: a.opaque || b.opaque,
  };
}

function exported(statement: JavascriptNode): JavascriptNode | undefined {
  return statement.type === 'ExportNamedDeclaration' ? child(statement, 'declaration') : undefined;
}

/** The names that a statement declares or exports. */
function declaredNames(statement: JavascriptNode): readonly string[] {
  const inner = exported(statement) ?? statement;
  const names: string[] = [];
  for (const specifier of children(inner, 'specifiers')) {
    const name = child(specifier, 'exported');
    if (name !== undefined) names.push(String(name['name'] ?? name['value']));
  }
  for (const declarator of children(inner, 'declarations')) bindPattern(child(declarator, 'id'), names);
  const id =
    child(inner, 'id') ?? (inner.type === 'ExportAllDeclaration' ? child(inner, 'exported') : undefined);
  if (id?.type === 'Identifier') names.push(String(id['name']));
  if (inner.type === 'ExportDefaultDeclaration') names.push('default');
  return names;
}

// ── references

/** Calls that put something in the place of a module. */
const mocks: ReadonlySet<string> = new Set([
  ...['mock', 'doMock', 'unmock', 'dontMock', 'setMock', 'unstable_mockModule', 'module', 'importActual'],
  ...['requireActual', 'requireMock', 'importMock', 'mockModule', 'glob', 'resolve'],
]);

interface Found {
  readonly references: Reference[];
  readonly bound: Set<string>;
  /** Names that the file asks about before it uses them, or gives a value itself. */
  readonly probed: Set<string>;
  readonly mocked: Set<string>;
  /** Modules that are imported whole, by the name that they have here. */
  readonly namespaces: Map<string, string>;
  /** How often a name of a whole module is bound. */
  readonly rebound: Map<string, number>;
}

/** What a file refers to; null where it cannot be read. */
export function typescriptReferences(text: string, name: string, reader: ModuleReader): References | null {
  if (isTooDeep(text)) return null;
  const read = reader.read(text, name);
  if (read.errors.length > 0) return null;
  const quiet = suppressed(text, read);
  if (quiet === 'all') return { found: [], bound: new Set(), stars: [] };
  const found: Found = {
    references: [],
    bound: new Set(givenToAll(text)),
    probed: new Set(),
    mocked: new Set(),
    namespaces: new Map(),
    rebound: new Map(),
  };
  fromRecord(read, quiet, found);
  read.visit(visitors(found));
  const free = hasScope(text, read) && !found.probed.has('eval');
  const references = found.references.filter((reference) => {
    if (quiet.has(lineOf(reference.start, quiet.lines))) return false;
    if (found.mocked.has(reference.module) && reference.kind !== 'unbound') return false;
    if (reference.kind === 'attribute')
      return (
        found.rebound.get(reference.module) === 1 &&
        !found.probed.has(`${reference.module}.${reference.name}`)
      );
    if (reference.kind !== 'unbound') return true;
    return free && !isBound(reference.name, found);
  });
  return {
    found: references.map((reference) =>
      reference.kind === 'attribute'
        ? { ...reference, module: found.namespaces.get(reference.module) ?? '' }
        : reference,
    ),
    bound: found.bound,
    stars: [],
  };
}

function isBound(name: string, { bound, probed }: Found): boolean {
  return bound.has(name) || probed.has(name) || scriptGlobals.has(name);
}

/** Whether the file is a module of some kind; a plain script may use what other scripts of its page declare. */
function hasScope(text: string, { module }: ReadModule): boolean {
  return module.hasModuleSyntax || /\bmodule\.exports\b|\brequire\(/.test(text);
}

/** What a comment says to checkers stands at its beginning. */
const longestSaid = 500;

interface Quiet {
  has(line: number): boolean;
  readonly lines: readonly number[];
}

/** The lines about which the author has said that checkers are wrong there. */
function suppressed(text: string, { comments }: ReadModule): Quiet | 'all' {
  const lines = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.push(at + 1);
  const quiet = new Set<number>();
  for (const { value: whole, start, end } of comments) {
    const value = whole.slice(0, longestSaid);
    if (/@ts-nocheck|eslint-disable\b(?!-)[^\n]*(?:no-undef|import|n\/|node\/)|@flow\b/.test(value))
      return 'all';
    if (/^\s*globals?\s/.test(value)) return 'all';
    if (!/@ts-(?:ignore|expect-error)|(?:eslint|biome|deno-lint|oxlint)-(?:disable|ignore)/.test(value))
      continue;
    quiet.add(lineOf(start, lines));
    quiet.add(lineOf(end, lines) + 1);
  }
  return { has: (line) => quiet.has(line), lines };
}

function lineOf(offset: number, lines: readonly number[]): number {
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lines[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

function fromRecord({ module }: ReadModule, quiet: Quiet, found: Found): void {
  const { references, bound, namespaces, rebound } = found;
  for (const { start, moduleRequest, entries } of module.staticImports) {
    const silent = quiet.has(lineOf(start, quiet.lines));
    const { value, start: from, end } = moduleRequest;
    if (!silent) references.push({ kind: 'module', module: value, name: '', start: from, end });
    for (const { importName, localName } of entries) {
      bound.add(localName.value);
      if (importName.kind === 'NamespaceObject') {
        namespaces.set(localName.value, value);
        rebound.set(localName.value, 1);
      } else if (!silent) {
        const name = importName.name ?? 'default';
        const place = { start: importName.start ?? from, end: importName.end ?? end };
        references.push({ kind: 'name', module: value, name, ...place });
      }
    }
  }
  const imported = new Set(module.staticImports.map(({ moduleRequest }) => moduleRequest.start));
  for (const { entries } of module.staticExports) {
    for (const { start, moduleRequest, importName } of entries) {
      // What is imported first and exported later was looked up as an import.
      if (moduleRequest === null || imported.has(moduleRequest.start)) continue;
      if (quiet.has(lineOf(start, quiet.lines))) continue;
      const { value, start: from, end } = moduleRequest;
      references.push({ kind: 'module', module: value, name: '', start: from, end });
      if (importName.kind !== 'Name' || importName.name === null) continue;
      const place = { start: importName.start ?? from, end: importName.end ?? end };
      references.push({ kind: 'name', module: value, name: importName.name, ...place });
    }
  }
}

/** What is done at each kind of node. What a `try` guards, and what is caught, may be missing. */
function visitors(found: Found): ModuleVisitors {
  const { references, bound, probed, rebound } = found;
  let guards = 0;
  const free = (target: JavascriptNode | undefined) => {
    if (target?.type !== 'Identifier') return;
    const { start, end } = target;
    references.push({ kind: 'unbound', module: '', name: String(target['name']), start, end });
  };
  const bind = (pattern: JavascriptNode | undefined) => {
    const names: string[] = [];
    bindPattern(pattern, names);
    for (const name of names) {
      bound.add(name);
      const count = rebound.get(name);
      if (count !== undefined) rebound.set(name, count + 1);
    }
  };
  const bindId = (node: JavascriptNode) => bind(child(node, 'id'));
  const bindFunction = (node: JavascriptNode) => {
    bind(child(node, 'id'));
    for (const parameter of children(node, 'params')) bind(parameter);
  };
  const bindClass = (node: JavascriptNode) => {
    free(child(node, 'superClass'));
    bind(child(node, 'id'));
  };
  return {
    TryStatement: () => void guards++,
    'TryStatement:exit': () => void guards--,
    WithStatement: () => void probed.add('eval'),
    CallExpression: (node) => {
      const callee = child(node, 'callee');
      if (callee?.['name'] === 'eval') probed.add('eval');
      call(node, guards > 0, found);
      free(callee);
    },
    NewExpression: (node) => free(child(node, 'callee')),
    TaggedTemplateExpression: (node) => free(child(node, 'tag')),
    Decorator: (node) => free(child(node, 'expression')),
    JSXOpeningElement: (node) => {
      const tag = child(node, 'name');
      const name = String(tag?.['name'] ?? '');
      if (tag?.type !== 'JSXIdentifier' || !/^[A-Z]/.test(name)) return;
      references.push({ kind: 'unbound', module: '', name, start: tag.start, end: tag.end });
    },
    ImportExpression: (node) => {
      if (guards === 0) literalModule(child(node, 'source'), references);
    },
    TSImportType: (node) => {
      if (guards === 0) literalModule(child(node, 'source') ?? child(node, 'argument'), references);
    },
    TSImportEqualsDeclaration: (node) => {
      bindId(node);
      if (guards === 0) literalModule(child(child(node, 'moduleReference'), 'expression'), references);
    },
    MemberExpression: (node) => {
      attribute(node, guards > 0, found);
      if (isCaught(node)) guards++;
    },
    'MemberExpression:exit': (node) => {
      if (isCaught(node)) guards--;
    },
    TSQualifiedName: (node) => attribute(node, guards > 0, found),
    UnaryExpression: (node) => {
      if (node['operator'] === 'typeof' || node['operator'] === 'delete')
        probe(child(node, 'argument'), probed);
    },
    AssignmentExpression: (node) => {
      const left = child(node, 'left');
      probe(left, probed);
      const names: string[] = [];
      bindPattern(left, names);
      for (const name of names) bound.add(name);
    },
    ClassDeclaration: bindClass,
    ClassExpression: bindClass,
    VariableDeclarator: bindId,
    TSEnumDeclaration: bindId,
    TSModuleDeclaration: bindId,
    TSTypeAliasDeclaration: bindId,
    TSInterfaceDeclaration: bindId,
    CatchClause: (node) => bind(child(node, 'param')),
    FunctionDeclaration: bindFunction,
    FunctionExpression: bindFunction,
    ArrowFunctionExpression: bindFunction,
    TSDeclareFunction: bindFunction,
    TSEmptyBodyFunctionExpression: bindFunction,
  };
}

/** `import('./x').catch(…)` and `.then(…, …)`: the program is ready for its absence. */
function isCaught(node: JavascriptNode): boolean {
  const name = child(node, 'property')?.['name'];
  return name === 'catch' || name === 'then';
}

function call(node: JavascriptNode, guarded: boolean, { references, mocked }: Found): void {
  const callee = child(node, 'callee');
  const [first] = children(node, 'arguments');
  if (first?.type !== 'Literal' || typeof first['value'] !== 'string') return;
  if (callee?.type === 'Identifier' && callee['name'] === 'require') {
    if (!guarded) literalModule(first, references);
  } else if (callee?.type === 'MemberExpression' && mocks.has(String(child(callee, 'property')?.['name']))) {
    mocked.add(first['value']);
  }
}

function literalModule(source: JavascriptNode | undefined, references: Reference[]): void {
  const literal = source?.type === 'TSLiteralType' ? child(source, 'literal') : source;
  if (literal?.type !== 'Literal' || typeof literal['value'] !== 'string') return;
  const { start, end } = literal;
  references.push({ kind: 'module', module: literal['value'], name: '', start, end });
}

function attribute(node: JavascriptNode, guarded: boolean, { references, namespaces }: Found): void {
  const object = child(node, 'object') ?? child(node, 'left');
  const property = child(node, 'property') ?? child(node, 'right');
  if (guarded || node['computed'] === true || node['optional'] === true) return;
  if (object?.type !== 'Identifier' || property?.type !== 'Identifier') return;
  const module = String(object['name']);
  if (!namespaces.has(module)) return;
  const { start, end } = property;
  references.push({ kind: 'attribute', module, name: String(property['name']), start, end });
}

/** Notes a name, or a name of a name, that the file asks about or sets. */
function probe(node: JavascriptNode | undefined, probed: Set<string>): void {
  if (node?.type === 'Identifier') probed.add(String(node['name']));
  const object = child(node, 'object');
  if (object?.type === 'Identifier') probed.add(`${object['name']}.${child(node, 'property')?.['name']}`);
}

/** The names that a pattern binds. */
function bindPattern(pattern: JavascriptNode | undefined, names: string[]): void {
  const open = [pattern];
  for (let node = open.pop(); node !== undefined || open.length > 0; node = open.pop()) {
    if (node === undefined) continue;
    if (node.type === 'Identifier') names.push(String(node['name']));
    else if (node.type === 'ObjectPattern') open.push(...children(node, 'properties'));
    else if (node.type === 'Property') open.push(child(node, 'value'));
    else if (node.type === 'ArrayPattern') open.push(...children(node, 'elements'));
    else if (node.type === 'AssignmentPattern') open.push(child(node, 'left'));
    else if (node.type === 'RestElement') open.push(child(node, 'argument'));
    else if (node.type === 'TSParameterProperty') open.push(child(node, 'parameter'));
  }
}

// ── nodes

function isNode(value: unknown): value is JavascriptNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function child(node: JavascriptNode | undefined, key: string): JavascriptNode | undefined {
  const value = node?.[key];
  return isNode(value) ? value : undefined;
}

function children(node: JavascriptNode, key: string): readonly JavascriptNode[] {
  const value = node[key];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function bodyOf(node: JavascriptNode | undefined): readonly JavascriptNode[] {
  return node === undefined ? [] : children(node, 'body');
}
