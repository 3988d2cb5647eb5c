// Counts how often code calls tools: directly, by another name, and through its own functions.

import type { JavascriptNode } from '../../core/index.ts';
import { memberName } from './fold.ts';
import { repeaters } from './names.ts';
import { around, bare } from './surrounding.ts';
import type { Namespaces } from './tools.ts';
import { isFunction, isNode, nodesIn, type Tree } from './tree.ts';

/** More than this many calls are not distinguished. */
const mostCalls = 10_000;
/** How far names are followed. */
const furthest = 8;

/** The places where tools are called, or handed to what calls them. */
export function toolCalls(tree: Tree, namespaces: Namespaces): readonly JavascriptNode[] {
  const found = new Set<JavascriptNode>();
  for (const { node, name, binding } of tree.references) {
    const isTool =
      binding === undefined ? namespaces.has(name) : givesTools(binding.init, node, { tree, namespaces }, 0);
    if (isTool) {
      const use = useOf(node, tree);
      if (use !== null) found.add(use);
    }
  }
  return [...found];
}

interface Known {
  readonly tree: Tree;
  readonly namespaces: Namespaces;
}

/** Whether a variable that is made with `init` gives tools where it is used. */
function givesTools(
  init: JavascriptNode | null,
  use: JavascriptNode | null,
  known: Known,
  depth: number,
): boolean {
  if (depth > furthest) return false;
  const node = bare(init);
  switch (node?.type) {
    case 'Identifier': {
      const binding = known.tree.bindingOf(node);
      if (binding === undefined) return known.namespaces.has(String(node['name']));
      return givesTools(binding.init, use, known, depth + 1);
    }
    case 'MemberExpression':
      return givesTools(bare(node['object']), node['object'] as JavascriptNode, known, depth + 1);
    case 'ConditionalExpression':
      return anyGives([node['consequent'], node['alternate']], use, known, depth);
    case 'LogicalExpression':
      return anyGives([node['left'], node['right']], use, known, depth);
    case 'ObjectExpression':
      return anyGives(membersMeant(node, use, known.tree), null, known, depth);
    case 'ArrayExpression':
      return anyGives(nodesIn(node['elements']).map(spreadOf), null, known, depth);
    case 'CallExpression': {
      // `Object.values(github)` gives its tools; what a tool gives is no tool.
      const given = nodesIn(node['arguments']).map(spreadOf);
      return isListing(node, known.tree) && anyGives(given, null, known, depth);
    }
    default:
      return false;
  }
}

function anyGives(
  nodes: readonly unknown[],
  use: JavascriptNode | null,
  known: Known,
  depth: number,
): boolean {
  return nodes.some((node) => isNode(node) && givesTools(node, use, known, depth + 1));
}

/** Whether a call gives the members of what it is given, and calls none of them. */
function isListing(call: JavascriptNode, tree: Tree): boolean {
  const callee = bare(call['callee']);
  return (
    callee !== null &&
    bare(callee['object'])?.['name'] === 'Object' &&
    listing.has(memberName(callee, tree) ?? '')
  );
}

const listing: ReadonlySet<string> = new Set(['keys', 'values', 'entries', 'assign', 'freeze']);

/** The members of an object that a use of it can mean: the one that it names, else all. */
function membersMeant(object: JavascriptNode, use: JavascriptNode | null, tree: Tree): readonly unknown[] {
  const [outer, inner] = use === null ? [] : around(use, tree);
  const name = outer?.['object'] === inner && outer !== undefined ? memberName(outer, tree) : undefined;
  return nodesIn(object['properties']).flatMap((property) => {
    if (property.type === 'SpreadElement') return [property['argument']];
    const { key, computed } = property;
    const own = isNode(key) && computed !== true ? (key['name'] ?? key['value']) : undefined;
    return name === undefined || own === undefined || own === name ? [property['value']] : [];
  });
}

function spreadOf(node: JavascriptNode): unknown {
  return node.type === 'SpreadElement' ? node['argument'] : node;
}

/** How many calls of tools these places make, each as often as the functions around it are called. */
export function callCount(calls: readonly JavascriptNode[], root: JavascriptNode, tree: Tree): number {
  const known = new Map<JavascriptNode, number | null>();
  const sum = calls.reduce((count, call) => count + timesOf(call, root, tree, known), 0);
  return Math.min(sum, mostCalls);
}

/** How often what is at a node happens, where loops count as one. */
function timesOf(
  node: JavascriptNode,
  root: JavascriptNode,
  tree: Tree,
  known: Map<JavascriptNode, number | null>,
): number {
  let outer = tree.parentOf(node);
  while (outer !== undefined && !isFunction(outer)) outer = tree.parentOf(outer);
  if (outer === undefined || outer === root) return 1;
  const found = known.get(outer);
  // What a function does in itself counts where others call it.
  if (found !== undefined) return found ?? 0;
  known.set(outer, null);
  const maker = outer;
  const uses = tree.references.filter(({ binding }) => binding?.init === maker);
  const called = uses.reduce((count, use) => count + timesOf(use.node, root, tree, known), 0);
  const times = Math.min(Math.max(1, called), mostCalls);
  known.set(outer, times);
  return times;
}

/** The call that a reference to a tool ends in, or the tool as it is handed on; null for what becomes a variable. */
function useOf(node: JavascriptNode, tree: Tree): JavascriptNode | null {
  let current = node;
  for (;;) {
    const [outer, inner] = around(current, tree);
    if (outer?.type === 'MemberExpression' && outer['object'] === inner) current = outer;
    else if (outer?.type === 'CallExpression' || outer?.type === 'TaggedTemplateExpression') {
      if (outer['callee'] === inner || outer['tag'] === inner) return outer;
      return isListing(outer, tree) ? null : inner;
    } else return null;
  }
}

/** Whether what stands at a node may happen more than once; `known` holds what was found of functions, null on the way. */
export function isRepeated(
  node: JavascriptNode,
  root: JavascriptNode,
  tree: Tree,
  known: Map<JavascriptNode, boolean | null>,
): boolean {
  let inner = node;
  for (let outer = tree.parentOf(node); outer !== undefined; outer = tree.parentOf(outer)) {
    if (repeats(outer, inner, tree)) return true;
    if (isFunction(outer) && outer !== root) return isRepeatedFunction(outer, root, tree, known);
    inner = outer;
  }
  return false;
}

function isRepeatedFunction(
  node: JavascriptNode,
  root: JavascriptNode,
  tree: Tree,
  known: Map<JavascriptNode, boolean | null>,
): boolean {
  const found = known.get(node);
  // A function that is met on the way to itself calls itself.
  if (found !== undefined) return found ?? true;
  known.set(node, null);
  const uses = tree.references.filter(({ binding }) => binding?.init === node);
  const result =
    uses.some((use) => isRepeated(use.node, root, tree, known)) || isRepeated(node, root, tree, known);
  known.set(node, result);
  return result;
}

/** Whether the outer node does what is in the inner one again and again. */
function repeats(outer: JavascriptNode | undefined, inner: JavascriptNode, tree: Tree): boolean {
  switch (outer?.type) {
    case 'WhileStatement':
    case 'DoWhileStatement':
      return true;
    case 'ForStatement':
      return outer['init'] !== inner;
    case 'ForOfStatement':
    case 'ForInStatement':
      return outer['right'] !== inner;
    case 'CallExpression': {
      const callee = bare(outer['callee']);
      const args = outer['arguments'];
      if (callee === null || !Array.isArray(args) || !args.includes(inner)) return false;
      const isHandedOn =
        isFunction(inner) || inner.type === 'Identifier' || inner.type === 'MemberExpression';
      return isHandedOn && repeaters.has(memberName(callee, tree) ?? '');
    }
    default:
      return false;
  }
}
