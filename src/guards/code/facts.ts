// Reads code into typed facts: what it refers to that is not its own, and how often it calls tools.

import { type JavascriptNode, nearest, type ReadCode } from '../../core/index.ts';
import { callCount, isRepeated, toolCalls } from './calls.ts';
import { memberName, textOf } from './fold.ts';
import {
  allowedGlobals,
  type Category,
  categories,
  categoryOf,
  categoryOfModule,
  globalObjects,
  replacements,
  timers,
  walks,
} from './names.ts';
import { type CodeProblem, opening, readCode } from './read.ts';
import { around, bare, isAssigned } from './surrounding.ts';
import type { Namespaces } from './tools.ts';
import { isFunction, isNode, nodesIn, readTree, type Tree } from './tree.ts';

/** What code may not do, by the rule that says so. */
export interface Violation {
  readonly rule: Category | 'unknown_reference' | 'tool_not_offered' | 'unreadable_code';
  /** The name or the construct. */
  readonly what: string;
  readonly span: readonly [number, number];
  /** What to write instead, where that is known. */
  readonly instead?: string;
}

export interface CodeFacts {
  /** The code as it would run, without types. */
  readonly text: string;
  /** By category and place. */
  readonly violations: readonly Violation[];
  /** Places where tools are called. */
  readonly calls: number;
  /** The first call that may be made any number of times. */
  readonly repeated: readonly [number, number] | null;
}

/** The facts of code; `namespaces` are the tools that it may call. */
export function readFacts(
  source: string,
  language: 'js' | 'ts',
  namespaces: Namespaces,
  read: ReadCode,
  spend: () => void,
): CodeFacts {
  const result = readCode(source, language, read);
  if ('problem' in result) return unread(source, result.problem);
  const { text, root, problem, before } = result.code;
  const tree = readTree(root, spend);
  const found = new Finder(tree, namespaces).violations();
  // A tree with errors is only good for telling what is worse than they are.
  if (problem !== null && found.length === 0) return unread(source, problem);
  const calls = toolCalls(tree, namespaces);
  const known = new Map<JavascriptNode, boolean | null>();
  const repeated = calls.find((call) => isRepeated(call, root, tree, known));
  return {
    text,
    violations: found
      .toSorted((a, b) => orderOf(a) - orderOf(b) || a.span[0] - b.span[0])
      .map((violation) => ({ ...violation, span: spanBefore(violation.span, before) })),
    calls: callCount(calls, root, tree),
    repeated: repeated === undefined ? null : spanBefore(spanOf(repeated), before),
  };
}

function unread(text: string, { what, start, end, isImport = false }: CodeProblem): CodeFacts {
  const rule = isImport ? 'module_import' : 'unreadable_code';
  const violation: Violation = { rule, what, span: [start - opening.length, end - opening.length] };
  return { text, violations: [violation], calls: 0, repeated: null };
}

const order: readonly Violation['rule'][] = [
  ...categories,
  'unknown_reference',
  'tool_not_offered',
  'unreadable_code',
];

function orderOf({ rule }: Violation): number {
  return order.indexOf(rule);
}

function spanOf({ start, end }: JavascriptNode): readonly [number, number] {
  return [start - opening.length, end - opening.length];
}

/** A span in the code as it was given. */
function spanBefore(
  [start, end]: readonly [number, number],
  before: (place: number) => number,
): readonly [number, number] {
  return [before(start + opening.length) - opening.length, before(end + opening.length) - opening.length];
}

class Finder {
  readonly #tree: Tree;
  readonly #namespaces: Namespaces;
  readonly #found = new Map<string, Violation>();

  constructor(tree: Tree, namespaces: Namespaces) {
    this.#tree = tree;
    this.#namespaces = namespaces;
  }

  violations(): readonly Violation[] {
    for (const { name, node, binding } of this.#tree.references) {
      if (binding === undefined) this.#global(name, node);
    }
    for (const { node, owner } of this.#tree.thises) this.#globalObject(node, 'this', owner === 'top');
    for (const node of this.#tree.nodes) this.#syntax(node);
    return [...this.#found.values()];
  }

  #add(rule: Violation['rule'], what: string, node: JavascriptNode, instead?: string): void {
    const span = spanOf(node);
    this.#found.set(`${rule} ${span[0]}`, {
      rule,
      what,
      span,
      ...(instead === undefined ? {} : { instead }),
    });
  }

  /** A name that the code does not declare, by itself or as a member of the object of the globals. */
  #global(name: string, node: JavascriptNode): void {
    if (globalObjects.has(name)) {
      this.#globalObject(node, name, true);
      return;
    }
    if (allowedGlobals.has(name)) {
      if (timers.has(name)) this.#timer(name, node);
      return;
    }
    const known = this.#namespaces.get(name);
    if (known !== undefined) {
      this.#tool(name, known, node);
      return;
    }
    if (this.#isAskedFor(node)) return;
    const category = categoryOf(name);
    if (category === undefined) this.#add('unknown_reference', name, node, this.#insteadOf(name));
    else if (!(name === 'Function' && this.#isKindTest(node))) this.#add(category, name, node);
    if (name === 'require') this.#loads(node);
  }

  /** What has the work of a name that is not there, or nearly its letters. */
  #insteadOf(name: string): string | undefined {
    const known = replacements.get(name);
    if (known !== undefined) return known;
    const near = nearest(name, [...this.#namespaces.keys(), ...allowedGlobals]);
    return near === undefined ? undefined : `Did you mean ${near}?`;
  }

  /** `typeof process` tells whether there is such a name, and takes nothing of it. */
  #isAskedFor(node: JavascriptNode): boolean {
    const [outer] = around(node, this.#tree);
    return outer?.type === 'UnaryExpression' && outer['operator'] === 'typeof';
  }

  #isKindTest(node: JavascriptNode): boolean {
    const [outer, inner] = around(node, this.#tree);
    return outer?.['operator'] === 'instanceof' && outer['right'] === inner;
  }

  /** What the module is for that a call of `require` loads. */
  #loads(node: JavascriptNode): void {
    const [call] = around(node, this.#tree);
    const args = call?.['arguments'];
    if (call?.type === 'CallExpression' && Array.isArray(args)) this.#module(args[0], call);
  }

  #module(name: unknown, node: JavascriptNode): void {
    const text = isNode(name) ? textOf(name, this.#tree) : undefined;
    const category = text === undefined ? undefined : categoryOfModule(text);
    if (text !== undefined && category !== undefined) this.#add(category, text, node);
  }

  #tool(namespace: string, known: ReadonlySet<string> | null, node: JavascriptNode): void {
    const [outer, inner] = around(node, this.#tree);
    if (known === null || outer?.type !== 'MemberExpression' || outer['object'] !== inner) return;
    const name = memberName(outer, this.#tree);
    // A namespace that is a function itself may be called, applied and bound.
    if (name === undefined || known.has(name) || known.has('') || walks.has(name)) return;
    const near = nearest(name, [...known]);
    const instead = near === undefined ? undefined : `Did you mean ${namespace}.${near}?`;
    this.#add('tool_not_offered', `${namespace}.${name}`, outer, instead);
  }

  /** The object of the globals: its members are globals, and it goes nowhere as a whole. */
  #globalObject(node: JavascriptNode, name: string, isCertain: boolean): void {
    const [outer, inner] = around(node, this.#tree);
    if (outer?.type === 'MemberExpression' && outer['object'] === inner) {
      const member = memberName(outer, this.#tree);
      if (member === undefined) {
        this.#add('dynamic_code_api', `${name}[…]`, outer);
        return;
      }
      if (walks.has(member)) return;
      if (!isCertain && categoryOf(member) === undefined) return;
      if (isCertain && isAssigned(outer, this.#tree))
        this.#add('dynamic_code_api', `${name}.${member}`, outer);
      else this.#global(member, outer);
      return;
    }
    // A comparison, and `'name' in globalThis`, take nothing of it.
    if (outer?.type === 'BinaryExpression' && (outer['operator'] !== 'in' || outer['right'] === inner))
      return;
    if (this.#isAskedFor(node)) return;
    const id = outer?.['id'];
    if (outer?.type === 'VariableDeclarator' && isNode(id) && id.type === 'ObjectPattern') {
      this.#taken(id, name);
      return;
    }
    if (isCertain || outer?.type !== 'AssignmentExpression') this.#add('dynamic_code_api', name, node);
  }

  /** Names that a pattern takes out of the object of the globals. */
  #taken(pattern: JavascriptNode, from: string): void {
    const { properties } = pattern;
    for (const property of Array.isArray(properties) ? properties : []) {
      if (!isNode(property)) continue;
      const name = this.#keyOf(property);
      if (name === undefined) this.#add('dynamic_code_api', `${from}[…]`, property);
      else this.#global(name, property);
    }
  }

  #keyOf({ type, key, computed }: JavascriptNode): string | undefined {
    if (type !== 'Property' || !isNode(key)) return undefined;
    if (computed === true || key.type === 'Literal') return textOf(key, this.#tree);
    return typeof key['name'] === 'string' ? key['name'] : undefined;
  }

  /** A timer is called where it stands, with something that is no text. */
  #timer(name: string, node: JavascriptNode): void {
    const [outer, inner] = around(node, this.#tree);
    const args = outer?.['arguments'];
    const isCalled = outer?.type === 'CallExpression' && outer['callee'] === inner;
    const first = isCalled && Array.isArray(args) ? bare(args[0]) : null;
    if (first === null || !this.#mayRun(first)) this.#add('dynamic_code_api', name, outer ?? node);
  }

  #mayRun(node: JavascriptNode): boolean {
    if (isFunction(node)) return true;
    if (node.type === 'MemberExpression') return true;
    if (node.type === 'CallExpression') {
      const callee = bare(node['callee']);
      return callee !== null && memberName(callee, this.#tree) === 'bind';
    }
    if (node.type !== 'Identifier') return false;
    const binding = this.#tree.bindingOf(node);
    if (binding === undefined) return false;
    const isWhole = binding.pattern?.type === 'Identifier';
    const init = isWhole ? bare(binding.init) : null;
    return init === null || isFunction(init) || this.#mayRun(init);
  }

  #syntax(node: JavascriptNode): void {
    switch (node.type) {
      case 'ImportExpression':
      case 'ImportDeclaration':
        this.#add('module_import', 'import', node);
        this.#module(node['source'], node);
        return;
      case 'Decorator':
        this.#add('unreadable_code', 'decorators are not supported', node);
        return;
      case 'ExportAllDeclaration':
      case 'ExportNamedDeclaration':
      case 'ExportDefaultDeclaration':
        this.#add('module_import', 'export', node);
        this.#module(node['source'], node);
        return;
      case 'MetaProperty': {
        const { meta } = node;
        if (isNode(meta) && meta['name'] === 'import') this.#add('module_import', 'import.meta', node);
        return;
      }
      case 'WithStatement':
        this.#add('dynamic_code_api', 'with', node);
        return;
      case 'MemberExpression':
        this.#member(node);
        return;
      case 'CallExpression':
        this.#reflects(node);
        return;
      case 'ObjectPattern':
        this.#walkedByPattern(node);
        return;
      case 'ObjectExpression':
        this.#givesPrototype(node);
        return;
      default:
    }
  }

  #member(node: JavascriptNode): void {
    const { property } = node;
    if (isNode(property) && property.type === 'PrivateIdentifier') return;
    const name = memberName(node, this.#tree);
    const object = bare(node['object']);
    if (name === undefined) {
      if (object !== null && (this.#isMaker(object) || this.#isWalkInTheDark(node, object)))
        this.#add('dynamic_code_api', '[…]', node);
    } else if (walks.has(name)) {
      if (!(name === 'constructor' && this.#onlyTells(node))) this.#add('dynamic_code_api', name, node);
    } else if (name === 'prototype' && object !== null) this.#prototype(node, object);
  }

  /** `Reflect.get(value, 'constructor')` takes what `value.constructor` takes. */
  #reflects(node: JavascriptNode): void {
    const callee = bare(node['callee']);
    const space = bare(callee?.['object']);
    if (space?.['name'] !== 'Reflect' || this.#tree.bindingOf(space) !== undefined) return;
    const [object, key] = nodesIn(node['arguments']);
    if (object === undefined || key === undefined) return;
    const name = textOf(key, this.#tree);
    if (name === undefined ? this.#isMaker(object) : walks.has(name))
      this.#add('dynamic_code_api', `Reflect: ${name ?? '[…]'}`, node);
  }

  /** Whether it is a function, so that a property whose name nobody sees may be what makes others. */
  #isMaker(node: JavascriptNode): boolean {
    if (node.type === 'Identifier') {
      const { init = null, pattern = null } = this.#tree.bindingOf(node) ?? {};
      const made = pattern === null || pattern.type === 'Identifier' ? bare(init) : null;
      return made !== null && made.type !== 'Identifier' && this.#isMaker(made);
    }
    if (node.type === 'MemberExpression') {
      const space = bare(node['object']);
      const isFree = space?.type === 'Identifier' && this.#tree.bindingOf(space) === undefined;
      return isFree && this.#namespaces.has(String(space['name']));
    }
    return isFunction(node) || node.type.startsWith('Class') || (node.type === 'Literal' && 'regex' in node);
  }

  /** `error.constructor.name` and `value.constructor === Object` tell what something is, and take nothing of it. */
  #onlyTells(node: JavascriptNode): boolean {
    const [outer, inner] = around(node, this.#tree);
    if (outer?.type === 'BinaryExpression') return outer['operator'] === '===' || outer['operator'] === '!==';
    if (outer?.type !== 'MemberExpression' || outer['object'] !== inner || outer['computed'] === true)
      return false;
    return memberName(outer, this.#tree) === 'name' && !isAssigned(outer, this.#tree);
  }

  /** `a[b][c](…)(…)`: what is called was made by a call of something that no one sees the name of. */
  #isWalkInTheDark(node: JavascriptNode, object: JavascriptNode): boolean {
    if (object.type !== 'MemberExpression' || object['computed'] !== true) return false;
    if (memberName(object, this.#tree) !== undefined) return false;
    const [made, member] = around(node, this.#tree);
    if (made?.type !== 'CallExpression' || made['callee'] !== member) return false;
    const [called, inner] = around(made, this.#tree);
    return called?.type === 'CallExpression' && called['callee'] === inner;
  }

  /** The prototype of something of the language may lend its methods, and is not handed on or changed. */
  #prototype(node: JavascriptNode, object: JavascriptNode): void {
    if (object.type === 'Identifier' && this.#tree.bindingOf(object) !== undefined) return;
    const [outer, inner] = around(node, this.#tree);
    const lends = outer?.type === 'MemberExpression' && outer['object'] === inner;
    if (lends && memberName(outer, this.#tree) !== undefined && !isAssigned(outer, this.#tree)) return;
    this.#add('dynamic_code_api', 'prototype', node);
  }

  #walkedByPattern(node: JavascriptNode): void {
    const { properties } = node;
    for (const property of Array.isArray(properties) ? properties : []) {
      const name = isNode(property) ? this.#keyOf(property) : undefined;
      if (name !== undefined && walks.has(name)) this.#add('dynamic_code_api', name, property);
    }
  }

  #givesPrototype(node: JavascriptNode): void {
    const { properties } = node;
    for (const property of Array.isArray(properties) ? properties : []) {
      if (!isNode(property) || property['computed'] === true || property['shorthand'] === true) continue;
      const value = bare(property['value']);
      const isNothing = value?.type === 'Literal' && value['value'] === null;
      if (this.#keyOf(property) === '__proto__' && !isNothing)
        this.#add('dynamic_code_api', '__proto__', property);
    }
  }
}
