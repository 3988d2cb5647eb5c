// Reads a tree of JavaScript into scopes: what each name refers to, and which names refer to nothing in the code.

import { BudgetExceeded, type JavascriptNode } from '../../core/index.ts';

/** Deepest tree that is walked. */
const deepest = 1500;

export function isNode(value: unknown): value is JavascriptNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The nodes below a node, in the order of its members. */
export function childrenOf(node: JavascriptNode): readonly JavascriptNode[] {
  const found: JavascriptNode[] = [];
  for (const key in node) {
    const value = node[key];
    if (isNode(value)) found.push(value);
    else if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) found.push(item);
    }
  }
  return found;
}

/** The nodes of a list, if it is one. */
export function nodesIn(list: unknown): readonly JavascriptNode[] {
  return Array.isArray(list) ? list.filter(isNode) : [];
}

/** A name that the code declares. */
interface Binding {
  readonly name: string;
  /** What it is made with, where that is one expression. */
  readonly init: JavascriptNode | null;
  /** The pattern that takes it out of `init`; the name itself where it is all of that. */
  readonly pattern: JavascriptNode | null;
  /** Whether anything sets it again. */
  isWritten: boolean;
}

interface Scope {
  readonly outer: Scope | null;
  /** The scope that `var` declares in. */
  readonly home: Scope;
  readonly names: Map<string, Binding>;
}

/** A use of a name. */
interface Reference {
  readonly node: JavascriptNode;
  readonly name: string;
  /** Absent where the code declares no such name. */
  readonly binding: Binding | undefined;
}

/** A use of `this`: where no method has it, it is the object of the globals. */
interface This {
  readonly node: JavascriptNode;
  readonly owner: 'top' | 'function';
}

/** A tree with what its names mean. */
export interface Tree {
  readonly references: readonly Reference[];
  readonly thises: readonly This[];
  readonly nodes: readonly JavascriptNode[];
  parentOf(node: JavascriptNode): JavascriptNode | undefined;
  /** What an identifier refers to. */
  bindingOf(node: JavascriptNode): Binding | undefined;
}

const blocks: ReadonlySet<string> = new Set([
  'Program',
  'BlockStatement',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'SwitchStatement',
  'StaticBlock',
  'CatchClause',
]);

/** Nodes whose names are no uses. */
const inert: ReadonlySet<string> = new Set([
  'BreakStatement',
  'ContinueStatement',
  'MetaProperty',
  'ImportDeclaration',
  'ExportAllDeclaration',
]);

const definitions: ReadonlySet<string> = new Set([
  'Property',
  'MethodDefinition',
  'PropertyDefinition',
  'AccessorProperty',
]);

const functions: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
]);

export function isFunction({ type }: JavascriptNode): boolean {
  return functions.has(type);
}

/** Reads a tree; strict mode's rules hold, as they do where the code runs. */
export function readTree(root: JavascriptNode, spend: () => void): Tree {
  return new Builder(spend).build(root);
}

type Owner = This['owner'] | 'method';

class Builder {
  readonly #spend: () => void;
  readonly #parents = new Map<JavascriptNode, JavascriptNode>();
  readonly #nodes: JavascriptNode[] = [];
  readonly #uses: { node: JavascriptNode; name: string; scope: Scope; writes: boolean }[] = [];
  readonly #thises: This[] = [];
  #depth = 0;

  constructor(spend: () => void) {
    this.#spend = spend;
  }

  build(root: JavascriptNode): Tree {
    this.#visit(root, newScope(null, true), 'top');
    const found = new Map<JavascriptNode, Binding>();
    const references = this.#uses.map(({ node, name, scope, writes }): Reference => {
      const binding = lookUp(scope, name);
      if (binding !== undefined) {
        found.set(node, binding);
        if (writes) binding.isWritten = true;
      }
      return { node, name, binding };
    });
    return {
      references,
      thises: this.#thises,
      nodes: this.#nodes,
      parentOf: (node) => this.#parents.get(node),
      bindingOf: (node) => found.get(node),
    };
  }

  #visit(node: JavascriptNode, scope: Scope, owner: Owner): void {
    this.#spend();
    if (++this.#depth > deepest) throw new BudgetExceeded('the code nests too deeply');
    this.#nodes.push(node);
    for (const child of childrenOf(node)) this.#parents.set(child, node);
    this.#inside(node, scope, owner);
    this.#depth--;
  }

  #inside(node: JavascriptNode, scope: Scope, owner: Owner): void {
    const { type } = node;
    if (inert.has(type)) return;
    if (functions.has(type)) this.#function(node, scope, owner);
    else if (definitions.has(type)) this.#definition(node, scope, owner);
    else this.#other(node, scope, owner);
  }

  #other(node: JavascriptNode, scope: Scope, owner: Owner): void {
    switch (node.type) {
      case 'Identifier':
        this.#use(node, scope, false);
        return;
      case 'ThisExpression':
        if (owner !== 'method') this.#thises.push({ node, owner });
        return;
      case 'MemberExpression':
        this.#member(node, 'object', scope, owner);
        if (node['computed'] === true) this.#member(node, 'property', scope, owner);
        return;
      case 'StaticBlock':
        this.#all(node, newScope(scope, true), 'method');
        return;
      case 'ClassDeclaration':
      case 'ClassExpression':
        this.#class(node, scope, owner);
        return;
      case 'VariableDeclaration':
        this.#variables(node, scope, owner);
        return;
      case 'CatchClause':
        this.#catch(node, newScope(scope), owner);
        return;
      case 'AssignmentExpression':
        this.#target(node['left'], scope, owner);
        this.#member(node, 'right', scope, owner);
        return;
      case 'UpdateExpression':
        this.#target(node['argument'], scope, owner);
        return;
      case 'ForInStatement':
      case 'ForOfStatement':
        this.#loop(node, newScope(scope), owner);
        return;
      case 'LabeledStatement':
        this.#member(node, 'body', scope, owner);
        return;
      case 'ExportNamedDeclaration':
      case 'ExportDefaultDeclaration':
        this.#member(node, 'declaration', scope, owner);
        return;
      default:
        this.#all(node, blocks.has(node.type) ? newScope(scope) : scope, owner);
    }
  }

  /** A part of an object or a class, under its key. */
  #definition(node: JavascriptNode, scope: Scope, owner: Owner): void {
    for (const decorator of nodesIn(node['decorators'])) this.#visit(decorator, scope, owner);
    if (node['computed'] === true) this.#member(node, 'key', scope, owner);
    this.#value(node['value'], scope, node.type === 'Property' ? owner : 'method', node);
  }

  #catch({ param, body }: JavascriptNode, inner: Scope, owner: Owner): void {
    if (isNode(param)) this.#declare(param, inner, null, owner);
    if (isNode(body)) this.#visit(body, inner, owner);
  }

  #loop(node: JavascriptNode, inner: Scope, owner: Owner): void {
    const { left } = node;
    if (isNode(left) && left.type !== 'VariableDeclaration') this.#target(left, inner, owner);
    else this.#member(node, 'left', inner, owner);
    this.#member(node, 'right', inner, owner);
    this.#member(node, 'body', inner, owner);
  }

  #all(node: JavascriptNode, scope: Scope, owner: Owner): void {
    for (const child of childrenOf(node)) this.#visit(child, scope, owner);
  }

  #member(node: JavascriptNode, key: string, scope: Scope, owner: Owner): void {
    const value = node[key];
    if (isNode(value)) this.#visit(value, scope, owner);
  }

  /** The value of a property; a function there has a `this` of its own. */
  #value(value: unknown, scope: Scope, owner: Owner, holder: JavascriptNode): void {
    if (!isNode(value)) return;
    const isMethod = holder.type !== 'Property' || value.type === 'FunctionExpression';
    this.#visit(value, scope, isMethod ? 'method' : owner);
  }

  #use(node: JavascriptNode, scope: Scope, writes: boolean): void {
    const { name } = node;
    if (typeof name === 'string') this.#uses.push({ node, name, scope, writes });
  }

  #function(node: JavascriptNode, outer: Scope, owner: Owner): void {
    const { type, id, params, body } = node;
    const parent = this.#parents.get(node);
    if (type === 'FunctionDeclaration' && isNode(id)) this.#declare(id, outer, node, owner);
    const scope = newScope(outer, true);
    if (type === 'FunctionExpression' && isNode(id)) this.#declare(id, scope, node, owner);
    const isArrow = type === 'ArrowFunctionExpression';
    if (!isArrow) scope.names.set('arguments', binding('arguments', null, null));
    const isMethod = owner === 'method' && parent !== undefined && holders.has(parent.type);
    const inner = isArrow ? owner : isMethod ? 'method' : 'function';
    for (const param of Array.isArray(params) ? params : []) {
      if (isNode(param)) this.#declare(param, scope, null, inner);
    }
    if (!isNode(body)) return;
    if (body.type !== 'BlockStatement') {
      this.#visit(body, scope, inner);
      return;
    }
    this.#nodes.push(body);
    for (const child of childrenOf(body)) {
      this.#parents.set(child, body);
      this.#visit(child, scope, inner);
    }
  }

  #class(node: JavascriptNode, outer: Scope, owner: Owner): void {
    const { id } = node;
    if (node.type === 'ClassDeclaration' && isNode(id)) this.#declare(id, outer, node, owner);
    const scope = newScope(outer);
    if (isNode(id) && typeof id['name'] === 'string') {
      scope.names.set(id['name'], binding(id['name'], node, id));
    }
    for (const child of childrenOf(node)) if (child !== id) this.#visit(child, scope, owner);
  }

  #variables(node: JavascriptNode, scope: Scope, owner: Owner): void {
    const where = node['kind'] === 'var' ? scope.home : scope;
    for (const declarator of childrenOf(node)) {
      this.#parents.set(declarator, node);
      this.#nodes.push(declarator);
      const { id, init } = declarator;
      for (const child of childrenOf(declarator)) this.#parents.set(child, declarator);
      if (isNode(id)) this.#declare(id, where, isNode(init) ? init : null, owner, scope);
      if (isNode(init)) this.#visit(init, scope, owner);
    }
  }

  /** Declares the names of a pattern; `scope` is where its defaults and computed keys are worked out. */
  #declare(
    pattern: JavascriptNode,
    where: Scope,
    init: JavascriptNode | null,
    owner: Owner,
    scope = where,
  ): void {
    this.#bind(pattern, scope, owner, (name) => {
      const text = name['name'];
      if (typeof text !== 'string') return;
      const known = where.names.get(text);
      // A second `var` or function of the same name sets it again.
      if (known === undefined) where.names.set(text, binding(text, init, pattern));
      else known.isWritten = true;
    });
  }

  /** A place that is assigned to. */
  #target(target: unknown, scope: Scope, owner: Owner): void {
    if (!isNode(target)) return;
    this.#bind(target, scope, owner, (name) => this.#use(name, scope, true));
  }

  #bind(pattern: JavascriptNode, scope: Scope, owner: Owner, take: (name: JavascriptNode) => void): void {
    this.#spend();
    this.#nodes.push(pattern);
    for (const child of childrenOf(pattern)) this.#parents.set(child, pattern);
    for (const decorator of nodesIn(pattern['decorators'])) this.#visit(decorator, scope, owner);
    switch (pattern.type) {
      case 'Identifier':
        take(pattern);
        return;
      case 'AssignmentPattern': {
        const { left, right } = pattern;
        if (isNode(left)) this.#bind(left, scope, owner, take);
        if (isNode(right)) this.#visit(right, scope, owner);
        return;
      }
      case 'ObjectPattern':
      case 'ArrayPattern':
        for (const child of nodesIn(pattern['properties'] ?? pattern['elements'])) {
          this.#bind(child, scope, owner, take);
        }
        return;
      case 'Property': {
        const { key, value, computed } = pattern;
        if (computed === true && isNode(key)) this.#visit(key, scope, owner);
        if (isNode(value)) this.#bind(value, scope, owner, take);
        return;
      }
      case 'RestElement': {
        const { argument } = pattern;
        if (isNode(argument)) this.#bind(argument, scope, owner, take);
        return;
      }
      case 'ParenthesizedExpression': {
        const { expression } = pattern;
        if (isNode(expression)) this.#bind(expression, scope, owner, take);
        return;
      }
      default:
        // A member of something, or what has no name.
        this.#visit(pattern, scope, owner);
    }
  }
}

const holders: ReadonlySet<string> = new Set([
  'MethodDefinition',
  'PropertyDefinition',
  'AccessorProperty',
  'Property',
]);

function binding(name: string, init: JavascriptNode | null, pattern: JavascriptNode | null): Binding {
  return { name, init, pattern, isWritten: false };
}

function newScope(outer: Scope | null, isHome = false): Scope {
  const names = new Map<string, Binding>();
  if (outer !== null && !isHome) return { outer, home: outer.home, names };
  const scope: { outer: Scope | null; home: Scope; names: Map<string, Binding> } = {
    outer,
    names,
    get home(): Scope {
      return scope;
    },
  };
  return scope;
}

function lookUp(from: Scope, name: string): Binding | undefined {
  for (let scope: Scope | null = from; scope !== null; scope = scope.outer) {
    const found = scope.names.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}
