// Works out texts that the code builds from what stands in it, so that a name in pieces is the name.

import type { JavascriptNode } from '../../core/index.ts';
import { categoryOf, walks } from './names.ts';
import { isNode, type Tree } from './tree.ts';

/** Longest text that is worked out, and how far one is followed. */
const longest = 200;
const furthest = 40;

type Value = string | number | readonly Value[];

/** What an expression is, where the code alone says so: a text or a number, as a property's name. */
export function textOf(node: JavascriptNode, tree: Tree): string | undefined {
  const value = fold(node, tree, 0);
  return value === undefined ? undefined : String(value);
}

function fold(node: JavascriptNode, tree: Tree, depth: number): Value | undefined {
  if (depth > furthest) return undefined;
  const value = foldOne(node, tree, depth + 1);
  return typeof value === 'string' && value.length > longest ? undefined : value;
}

/** What is inside of a node, by the name of the part. */
type Inner = (key: string) => Value | undefined;
type Fold = (node: JavascriptNode, inner: Inner, tree: Tree, depth: number) => Value | undefined;

/** How each kind of expression is worked out; of any other nothing is known. */
const folds: ReadonlyMap<string, Fold> = new Map(
  Object.entries<Fold>({
    Literal: ({ value }) => (typeof value === 'string' || typeof value === 'number' ? value : undefined),
    ParenthesizedExpression: (_, inner) => inner('expression'),
    ChainExpression: (_, inner) => inner('expression'),
    Identifier: (node, _, tree, depth) => {
      const binding = tree.bindingOf(node);
      const isWhole = binding?.pattern?.type === 'Identifier' && !binding.isWritten;
      return isWhole && binding.init !== null ? fold(binding.init, tree, depth) : undefined;
    },
    SequenceExpression: (node, _, tree, depth) => last(list(node['expressions'], tree, depth)),
    TemplateLiteral: (node, _, tree, depth) => template(node, tree, depth),
    ArrayExpression: (node, _, tree, depth) => known(list(node['elements'], tree, depth)),
    BinaryExpression: (node, inner) => {
      const [left, right] = [inner('left'), inner('right')];
      if (node['operator'] !== '+' || left === undefined || right === undefined) return undefined;
      if (typeof left === 'number' && typeof right === 'number') return left + right;
      return `${left}${right}`;
    },
    ConditionalExpression: (_, inner) => telling(inner('consequent'), inner('alternate')),
    LogicalExpression: (_, inner) => telling(inner('left'), inner('right')),
    AssignmentExpression: (node, inner) => (node['operator'] === '=' ? inner('right') : undefined),
    TaggedTemplateExpression: ({ tag, quasi }, _, tree, depth) =>
      isNode(tag) && memberName(tag, tree) === 'raw' && isNode(quasi) ? fold(quasi, tree, depth) : undefined,
    CallExpression: (node, _, tree, depth) => call(node, tree, depth),
    MemberExpression: (node, inner) => {
      const object = inner('object');
      const at = node['computed'] === true ? inner('property') : undefined;
      if (typeof object === 'number' || object === undefined || at === undefined) return undefined;
      return object[Number(at)];
    },
  }),
);

function foldOne(node: JavascriptNode, tree: Tree, depth: number): Value | undefined {
  const inner: Inner = (key) => {
    const value = node[key];
    return isNode(value) ? fold(value, tree, depth) : undefined;
  };
  return folds.get(node.type)?.(node, inner, tree, depth);
}

/** Of two values that something may be, the one that is a name to beware of; else nobody knows. */
function telling(...values: readonly (Value | undefined)[]): Value | undefined {
  return values.find(
    (value) => typeof value === 'string' && (walks.has(value) || categoryOf(value) !== undefined),
  );
}

/** The name of the property that a member expression takes. */
export function memberName(node: JavascriptNode, tree: Tree): string | undefined {
  const { type, property, computed } = node;
  if (type !== 'MemberExpression' || !isNode(property)) return undefined;
  if (computed === true) return textOf(property, tree);
  return typeof property['name'] === 'string' ? property['name'] : undefined;
}

function list(nodes: unknown, tree: Tree, depth: number): readonly (Value | undefined)[] {
  return Array.isArray(nodes)
    ? nodes.map((item) => (isNode(item) ? fold(item, tree, depth) : undefined))
    : [];
}

function known(values: readonly (Value | undefined)[]): readonly Value[] | undefined {
  const all = values.filter((value) => value !== undefined);
  return all.length === values.length ? all : undefined;
}

function last(values: readonly (Value | undefined)[]): Value | undefined {
  return values.at(-1);
}

function template(node: JavascriptNode, tree: Tree, depth: number): string | undefined {
  const { quasis, expressions } = node;
  const values = known(list(expressions, tree, depth));
  if (values === undefined || !Array.isArray(quasis)) return undefined;
  return quasis
    .map((quasi: { value?: { cooked?: string | null } }, index) => {
      return (quasi.value?.cooked ?? '') + (index < values.length ? String(values[index]) : '');
    })
    .join('');
}

function call(node: JavascriptNode, tree: Tree, depth: number): Value | undefined {
  const { callee } = node;
  if (!isNode(callee)) return undefined;
  const args = known(list(node['arguments'], tree, depth));
  if (args === undefined) return undefined;
  if (callee.type === 'Identifier') return convert(callee, args, tree);
  const name = memberName(callee, tree);
  const { object } = callee;
  if (name === undefined || !isNode(object)) return undefined;
  if (object['name'] === 'String' && tree.bindingOf(object) === undefined) {
    const codes = args.map(Number);
    return name === 'fromCharCode' || name === 'fromCodePoint'
      ? String.fromCharCode(...codes.filter((code) => code >= 0 && code <= 0xffff))
      : undefined;
  }
  const self = fold(object, tree, depth);
  return self === undefined ? undefined : method(self, name, args);
}

function convert(callee: JavascriptNode, [first]: readonly Value[], tree: Tree): Value | undefined {
  if (tree.bindingOf(callee) !== undefined || first === undefined) return undefined;
  switch (callee['name']) {
    case 'String':
      return String(first);
    case 'unescape':
    case 'decodeURIComponent':
    case 'decodeURI':
      return decoded(String(first));
    case 'atob':
      return fromBase64(String(first));
    default:
      return undefined;
  }
}

function decoded(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function fromBase64(text: string): string {
  let bits = 0;
  let held = 0;
  let out = '';
  for (const character of text) {
    const value = alphabet.indexOf(character);
    if (value < 0) continue;
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out += String.fromCharCode((held >> bits) & 0xff);
    }
  }
  return out;
}

type Method<Self> = (self: Self, args: readonly Value[]) => Value | undefined;

const reversed: Method<readonly Value[]> = (self) => self.toReversed();

const listMethods: ReadonlyMap<string, Method<readonly Value[]>> = new Map([
  ['join', (self, [first]) => self.join(first === undefined ? ',' : String(first))],
  ['reverse', reversed],
  ['toReversed', reversed],
  ['concat', (self, args) => self.concat(args.flat())],
]);

const same: Method<string> = (text) => text;
const sliced: Method<string> = (text, [first, second]) =>
  text.slice(first === undefined ? 0 : Number(first), second === undefined ? undefined : Number(second));
const letter: Method<string> = (text, [first]) => text.at(Number(first ?? 0)) ?? '';

const textMethods: ReadonlyMap<string, Method<string>> = new Map([
  ['split', (text, [first]) => (first === undefined ? [text] : text.split(String(first)))],
  ['concat', (text, args) => text + args.join('')],
  ['toLowerCase', (text) => text.toLowerCase()],
  ['toUpperCase', (text) => text.toUpperCase()],
  ['trim', (text) => text.trim()],
  ['toString', same],
  ['valueOf', same],
  ['slice', sliced],
  ['substring', sliced],
  ['charAt', letter],
  ['at', letter],
  ['replace', (text, [first, second]) => text.replace(String(first), () => String(second))],
  ['replaceAll', (text, [first, second]) => text.replaceAll(String(first), () => String(second))],
]);

function method(self: Value, name: string, args: readonly Value[]): Value | undefined {
  return typeof self === 'object'
    ? listMethods.get(name)?.(self, args)
    : textMethods.get(name)?.(String(self), args);
}
