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

function foldOne(node: JavascriptNode, tree: Tree, depth: number): Value | undefined {
  const inner = (key: string): Value | undefined => {
    const value = node[key];
    return isNode(value) ? fold(value, tree, depth) : undefined;
  };
  switch (node.type) {
    case 'Literal': {
      const { value } = node;
      return typeof value === 'string' || typeof value === 'number' ? value : undefined;
    }
    case 'ParenthesizedExpression':
    case 'ChainExpression':
      return inner('expression');
    case 'Identifier': {
      const binding = tree.bindingOf(node);
      const isWhole = binding?.pattern?.type === 'Identifier' && !binding.isWritten;
      return isWhole && binding.init !== null ? fold(binding.init, tree, depth) : undefined;
    }
    case 'SequenceExpression':
      return last(list(node['expressions'], tree, depth));
    case 'TemplateLiteral':
      return template(node, tree, depth);
    case 'ArrayExpression':
      return known(list(node['elements'], tree, depth));
    case 'BinaryExpression': {
      const [left, right] = [inner('left'), inner('right')];
      if (node['operator'] !== '+' || left === undefined || right === undefined) return undefined;
      if (typeof left === 'number' && typeof right === 'number') return left + right;
      return `${left}${right}`;
    }
    case 'ConditionalExpression':
      return telling(inner('consequent'), inner('alternate'));
    case 'LogicalExpression':
      return telling(inner('left'), inner('right'));
    case 'AssignmentExpression':
      return node['operator'] === '=' ? inner('right') : undefined;
    case 'TaggedTemplateExpression': {
      const { tag, quasi } = node;
      return isNode(tag) && memberName(tag, tree) === 'raw' && isNode(quasi)
        ? fold(quasi, tree, depth)
        : undefined;
    }
    case 'CallExpression':
      return call(node, tree, depth);
    case 'MemberExpression': {
      const object = inner('object');
      const at = node['computed'] === true ? inner('property') : undefined;
      if (typeof object === 'number' || object === undefined || at === undefined) return undefined;
      return object[Number(at)];
    }
    default:
      return undefined;
  }
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

function method(self: Value, name: string, args: readonly Value[]): Value | undefined {
  const [first, second] = args;
  if (typeof self === 'object') {
    switch (name) {
      case 'join':
        return self.join(first === undefined ? ',' : String(first));
      case 'reverse':
      case 'toReversed':
        return self.toReversed();
      case 'concat':
        return self.concat(args.flat());
      default:
        return undefined;
    }
  }
  const text = String(self);
  switch (name) {
    case 'split':
      return first === undefined ? [text] : text.split(String(first));
    case 'concat':
      return text + args.join('');
    case 'toLowerCase':
      return text.toLowerCase();
    case 'toUpperCase':
      return text.toUpperCase();
    case 'trim':
      return text.trim();
    case 'toString':
    case 'valueOf':
      return text;
    case 'slice':
    case 'substring':
      return text.slice(
        first === undefined ? 0 : Number(first),
        second === undefined ? undefined : Number(second),
      );
    case 'charAt':
    case 'at':
      return text.at(Number(first ?? 0)) ?? '';
    case 'replace':
      return text.replace(String(first), () => String(second));
    case 'replaceAll':
      return text.replaceAll(String(first), () => String(second));
    default:
      return undefined;
  }
}
