// Lowers Go, as tree-sitter reads it: all files together, since those of one folder share their names.

import type { TreeNode } from '../../../core/index.ts';
import type { Counter, Expression, Module, Offer, Statement } from '../../ir.ts';
import { survey } from '../survey.ts';
import { lowerCallable } from './callables.ts';
import { GoLowering, type GoPackage, type TypeDeclaration, type TypeShape } from './lowering.ts';
import { packageNames, plainName } from './names.ts';
import { named, ofType } from './nodes.ts';
import { lowerBlock, lowerStatement } from './statements.ts';
import { bareType, serviceType, typeExpression } from './types.ts';

export interface GoFile {
  readonly path: string;
  readonly source: string;
  readonly root: TreeNode;
}

/** The path of the module that offers what all files of a folder do. */
export function packagePath(folder: string): string {
  return folder === '' ? '*.go' : `${folder}/*.go`;
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

export function lowerGo(files: readonly GoFile[], counter: Counter): readonly Module[] {
  const packages = new Map<string, GoPackage>();
  const types: TypeDeclaration[] = [];
  for (const file of files) types.push(...declareFile(file, packageOf(file, packages)));
  const implementers = (wanted: TypeDeclaration) =>
    types.filter(
      ({ kind, methods }) => kind !== 'interface' && wanted.asked.every((name) => methods.has(name)),
    );
  const known = (type: TypeDeclaration) => (type.asked.length === 0 ? [] : implementers(type));
  const modules = files.map((file) => lowerFile(file, packageOf(file, packages), known, counter));
  return [...modules, ...offeredPackages(modules)];
}

/** The package of a file; tests that stand outside of theirs are another. */
function packageOf({ path, root }: GoFile, packages: Map<string, GoPackage>): GoPackage {
  const [clause] = ofType(root, 'package_clause');
  const key = `${folderOf(path)}\0${named(clause ?? null)[0]?.text ?? ''}`;
  const known = packages.get(key) ?? { names: new Map(), types: new Map() };
  packages.set(key, known);
  return known;
}

/** For each folder a module that offers the names of its files, as they are written from outside. */
function offeredPackages(modules: readonly Module[]): readonly Module[] {
  const folders = Map.groupBy(modules, ({ path }) => folderOf(path));
  return [...folders].map(([folder, inside]): Module => {
    const offers = new Map<string, Offer>();
    for (const { path, names } of inside)
      for (const name of names.keys())
        if (/^\p{Lu}/u.test(name))
          offers.set(plainName(name), { from: `./${path.slice(path.lastIndexOf('/') + 1)}`, name });
    return { ...emptyModule(packagePath(folder)), offers };
  });
}

function emptyModule(path: string): Module {
  return {
    path,
    language: 'go',
    source: '',
    body: [],
    imports: [],
    offers: new Map(),
    names: new Map(),
    stars: [],
    callables: [],
    comments: [],
    broken: [],
  };
}

// ── what a file declares

function declareFile({ path, root }: GoFile, { names, types }: GoPackage): readonly TypeDeclaration[] {
  const found: TypeDeclaration[] = [];
  for (const node of root.children) {
    if (node.type === 'function_declaration') names.set(node.field('name')?.text ?? '', path);
    if (node.type === 'var_declaration' || node.type === 'const_declaration')
      for (const spec of specsOf(node))
        for (const { text } of ofType(spec, 'identifier')) names.set(text, path);
    if (node.type === 'type_declaration') {
      for (const spec of named(node)) {
        const declaration = declareType(spec, types);
        if (declaration === undefined) continue;
        names.set(declaration.name, path);
        found.push(declaration);
      }
    }
    if (node.type === 'method_declaration')
      methodsOf(types, receiverName(node)).add(plainName(methodName(node)));
  }
  return found;
}

function specsOf(node: TreeNode): readonly TreeNode[] {
  return named(node).flatMap((one) => (one.type === 'var_spec_list' ? named(one) : [one]));
}

/** The methods of a type, which may be declared before it. */
const waiting = new WeakMap<Map<string, TypeDeclaration>, Map<string, Set<string>>>();

function methodsOf(types: Map<string, TypeDeclaration>, name: string): Set<string> {
  const known = types.get(name)?.methods;
  if (known !== undefined) return known;
  const early = waiting.get(types) ?? new Map<string, Set<string>>();
  waiting.set(types, early);
  const methods = early.get(name) ?? new Set<string>();
  early.set(name, methods);
  return methods;
}

function declareType(spec: TreeNode, types: Map<string, TypeDeclaration>): TypeDeclaration | undefined {
  const name = spec.field('name')?.text;
  const node = spec.field('type');
  if (name === undefined || node === null) return undefined;
  const methods = methodsOf(types, name);
  const kind =
    node.type === 'struct_type' ? 'struct' : node.type === 'interface_type' ? 'interface' : 'other';
  const fields = ofType(ofType(node, 'field_declaration_list')[0] ?? null, 'field_declaration').flatMap(
    (field) => {
      const type = field.field('type');
      const tagged = field.field('tag') !== null;
      const own = ofType(field, 'field_identifier');
      // An embedded type is a field of its name.
      const names = own.length > 0 ? own.map(({ text }) => text) : [lastName(type)];
      return names.map((one) => ({ name: one, type, tagged, embedded: own.length === 0 }));
    },
  );
  const asked = ofType(node, 'method_elem').map((one) => plainName(one.field('name')?.text ?? ''));
  const shape: TypeShape = { name, base: null, methods: new Map(), fields: [], at: spec.start };
  const declaration: TypeDeclaration = { name, kind, node, shape, fields, asked, methods };
  types.set(name, declaration);
  return declaration;
}

function lastName(type: TreeNode | null): string {
  const bare = bareType(type);
  return bare?.field('name')?.text ?? bare?.text ?? '';
}

function receiverName(node: TreeNode): string {
  const [receiver] = ofType(node.field('receiver'), 'parameter_declaration');
  return bareType(receiver?.field('type') ?? null)?.text ?? '';
}

function methodName(node: TreeNode): string {
  return node.field('name')?.text ?? '';
}

// ── one file

function lowerFile(
  { path, source, root }: GoFile,
  around: GoPackage,
  implementers: (type: TypeDeclaration) => readonly TypeDeclaration[],
  counter: Counter,
): Module {
  const about = { path, language: 'go', source, ...survey(root) } as const;
  const lowering = new GoLowering(about, counter, {
    package: around,
    implementers,
    blockOf: lowerBlock,
  });
  const declared = [...around.names].filter(([, of]) => of === path).map(([name]) => name);
  for (const name of declared) lowering.offers.set(name, { variable: lowering.scope.declare(name) });
  lowerImports(lowering, root);
  const rank = (node: TreeNode) => order.indexOf(node.type);
  for (const node of root.children.filter((one) => rank(one) >= 0).toSorted((a, b) => rank(a) - rank(b)))
    lowering.body.push(...lowerDeclaration(lowering, node));
  return lowering.module;
}

/** What a variable is made with may stand anywhere in the file. */
const order = [
  'type_declaration',
  'const_declaration',
  'function_declaration',
  'method_declaration',
  'var_declaration',
];

function lowerImports(lowering: GoLowering, root: TreeNode): void {
  const specs = ofType(root, 'import_declaration')
    .flatMap((one) => [...named(one), ...named(one).flatMap(named)])
    .filter(({ type }) => type === 'import_spec')
    .map((one) => ({ alias: one.field('name')?.text, from: one.field('path')?.text.slice(1, -1) ?? '' }));
  const variables = specs.map(({ alias, from }) => {
    const [base = from] = packageNames(from);
    const variable = lowering.scope.declare(alias === undefined || /^[_.]$/.test(alias) ? base : alias);
    lowering.imports.push({ variable, from, name: '*' });
    return variable;
  });
  for (const [index, { alias, from }] of specs.entries()) {
    const variable = variables[index];
    if (alias !== undefined || variable === undefined) continue;
    for (const name of packageNames(from))
      if (!lowering.scope.names.has(name)) lowering.scope.names.set(name, variable);
  }
}

function lowerDeclaration(lowering: GoLowering, node: TreeNode): readonly Statement[] {
  const at = node.start;
  if (node.type === 'function_declaration') {
    const name = node.field('name')?.text ?? '';
    const value: Expression = { kind: 'function', function: lowerCallable(lowering, node, name), at };
    return name === 'init' || name === '_' ? [{ kind: 'do', value, at }] : [bound(lowering, name, value, at)];
  }
  if (node.type === 'method_declaration') {
    const shape = lowering.package.types.get(receiverName(node))?.shape;
    const name = methodName(node);
    const callable = lowerCallable(lowering, node, name, shape);
    shape?.methods.set(plainName(name), callable);
    return [];
  }
  if (node.type !== 'type_declaration') return lowerStatement(lowering, node);
  return named(node).flatMap((spec): readonly Statement[] => {
    const declaration = lowering.package.types.get(spec.field('name')?.text ?? '');
    if (declaration === undefined) return [];
    const value = lowerType(lowering, declaration);
    return value === null ? [] : [bound(lowering, declaration.name, value, at)];
  });
}

function bound(lowering: GoLowering, name: string, value: Expression, at: number): Statement {
  const variable = lowering.scope.declare(name);
  return { kind: 'let', target: { kind: 'variable', variable, name, at }, value, at };
}

/** A type is its methods and fields; an interface is any type that has its methods. */
function lowerType(lowering: GoLowering, declaration: TypeDeclaration): Expression | null {
  const { kind, shape, fields, node } = declaration;
  const at = node.start;
  if (kind === 'interface') {
    const [first, ...others] = lowering.implementers(declaration);
    if (first === undefined) return null;
    const test: Expression = { kind: 'mix', parts: [], at };
    const classOf = (type: TypeDeclaration): Expression => ({ kind: 'class', class: type.shape, at });
    return others.reduce<Expression>(
      (no, type) => ({ kind: 'choice', test, yes: classOf(type), no, at }),
      classOf(first),
    );
  }
  for (const { name, type, embedded } of fields) {
    const service = serviceType(lowering, type);
    const made = service === null ? {} : { type: service };
    shape.fields.push({ name: plainName(name), value: null, static: false, ...made });
    if (embedded) shape.base ??= typeExpression(lowering, type);
  }
  return { kind: 'class', class: shape, at };
}
