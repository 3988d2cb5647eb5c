// Expressions of TypeScript: what gives a value.

import type { Argument, Entry, Expression } from '../../ir.ts';
import type { Lowering } from '../lowering.ts';
import { lowerName } from './bindings.ts';
import { lowerCallable, lowerClass } from './callables.ts';
import { child, children, type Node, text, wrappers } from './nodes.ts';
import { lowerPattern } from './patterns.ts';

export function lowerValue(lowering: Lowering, given: Node | null, named = ''): Expression {
  let node = given;
  while (node !== null && wrappers.has(node.type)) node = child(node, 'expression');
  if (node === null) return { kind: 'constant', value: undefined, at: 0 };
  const at = node.start;
  switch (node.type) {
    case 'Identifier':
      return lowerName(lowering, text(node, 'name'), at);
    case 'Literal': {
      const { value } = node;
      const plain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
      return plain || value === null ? { kind: 'constant', value, at } : { kind: 'mix', parts: [], at };
    }
    case 'TemplateLiteral':
      return lowerTemplate(lowering, node);
    case 'TaggedTemplateExpression': {
      const quasi = child(node, 'quasi');
      return {
        kind: 'call',
        callee: lowerValue(lowering, child(node, 'tag')),
        arguments: quasi === null ? [] : [{ value: lowerTemplate(lowering, quasi) }],
        at,
        end: node.end,
      };
    }
    case 'ChainExpression': {
      // `a?.b()` happens only where there is an `a`.
      const test: Expression = { kind: 'mix', parts: [], at };
      const yes = lowerValue(lowering, child(node, 'expression'));
      return { kind: 'choice', test, yes, no: { kind: 'constant', value: undefined, at }, at };
    }
    case 'ThisExpression':
    case 'Super':
      return { kind: 'this', at };
    case 'MemberExpression':
      return lowerMember(lowering, node);
    case 'CallExpression':
    case 'NewExpression':
      return {
        kind: 'call',
        callee: lowerValue(lowering, child(node, 'callee')),
        arguments: children(node, 'arguments').map((one) => lowerArgument(lowering, one)),
        at,
        end: node.end,
      };
    case 'ImportExpression':
      return {
        kind: 'call',
        callee: { kind: 'global', name: 'import', at },
        arguments: [{ value: lowerValue(lowering, child(node, 'source')) }],
        at,
        end: node.end,
      };
    case 'AwaitExpression':
      return { kind: 'await', value: lowerValue(lowering, child(node, 'argument')), at };
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
      return { kind: 'function', function: lowerCallable(lowering, node, named), at };
    case 'ClassExpression':
    case 'ClassDeclaration':
      return { kind: 'class', class: lowerClass(lowering, node), at };
    case 'FunctionDeclaration':
      return { kind: 'function', function: lowerCallable(lowering, node, named), at };
    case 'ObjectExpression':
      return {
        kind: 'object',
        entries: children(node, 'properties').map((one) => lowerEntry(lowering, one)),
        at,
      };
    case 'ArrayExpression':
      return {
        kind: 'list',
        items: children(node, 'elements').map((item) => ({
          value: lowerValue(lowering, item.type === 'SpreadElement' ? child(item, 'argument') : item),
          spread: item.type === 'SpreadElement',
        })),
        at,
      };
    case 'LogicalExpression': {
      const sign = text(node, 'operator');
      return {
        kind: 'logic',
        operator: sign === '&&' ? 'and' : sign === '||' ? 'or' : 'nullish',
        left: lowerValue(lowering, child(node, 'left')),
        right: lowerValue(lowering, child(node, 'right')),
        at,
      };
    }
    case 'BinaryExpression':
      return lowerBinary(lowering, node);
    case 'UnaryExpression': {
      const value = lowerValue(lowering, child(node, 'argument'));
      const sign = text(node, 'operator');
      if (sign === '!') return { kind: 'not', value, at };
      // What is thrown away is not waited for either.
      if (sign === 'void') return { kind: 'mix', parts: [value], at };
      return { kind: 'mix', parts: sign === 'typeof' || sign === 'delete' ? [] : [value], at };
    }
    case 'ConditionalExpression':
      return {
        kind: 'choice',
        test: lowerValue(lowering, child(node, 'test')),
        yes: lowerValue(lowering, child(node, 'consequent')),
        no: lowerValue(lowering, child(node, 'alternate')),
        at,
      };
    case 'AssignmentExpression':
      return lowerAssignment(lowering, node);
    case 'YieldExpression':
      return {
        kind: 'yield',
        value: lowerValue(lowering, child(node, 'argument')),
        all: node['delegate'] === true,
        at,
      };
    case 'SequenceExpression':
      return {
        kind: 'mix',
        parts: children(node, 'expressions').map((one) => lowerValue(lowering, one)),
        at,
      };
    default:
      return lowerMixed(lowering, node);
  }
}

function lowerTemplate(lowering: Lowering, node: Node): Expression {
  const at = node.start;
  const quasis = children(node, 'quasis').map((quasi): Expression => {
    const value = quasi['value'];
    const cooked =
      typeof value === 'object' && value !== null && 'cooked' in value ? String(value.cooked) : '';
    return { kind: 'constant', value: cooked, at: quasi.start };
  });
  const values = children(node, 'expressions').map((one) => lowerValue(lowering, one));
  if (values.length === 0) return quasis[0] ?? { kind: 'constant', value: '', at };
  return {
    kind: 'mix',
    parts: quasis.flatMap((quasi, index) => [quasi, ...values.slice(index, index + 1)]),
    at,
  };
}

export function lowerMember(lowering: Lowering, node: Node): Expression {
  const at = node.start;
  const object = lowerValue(lowering, child(node, 'object'));
  const property = child(node, 'property');
  if (node['computed'] !== true) return { kind: 'member', object, property: text(property, 'name'), at };
  const key = lowerValue(lowering, property);
  const constant = key.kind === 'constant' ? key.value : undefined;
  const known = typeof constant === 'string' || typeof constant === 'number';
  return { kind: 'member', object, property: known ? String(constant) : null, key, at };
}

function lowerArgument(lowering: Lowering, node: Node): Argument {
  return node.type === 'SpreadElement'
    ? { value: lowerValue(lowering, child(node, 'argument')), spread: true }
    : { value: lowerValue(lowering, node) };
}

function lowerEntry(lowering: Lowering, node: Node): Entry {
  if (node.type === 'SpreadElement') {
    return { key: null, value: lowerValue(lowering, child(node, 'argument')), spread: true };
  }
  const key = child(node, 'key');
  const plain = node['computed'] !== true || key?.type === 'Literal';
  const name = plain ? text(key, 'name') || String(key?.['value'] ?? '') : null;
  return { key: name, value: lowerValue(lowering, child(node, 'value'), name ?? ''), spread: false };
}

function lowerBinary(lowering: Lowering, node: Node): Expression {
  const at = node.start;
  const left = lowerValue(lowering, child(node, 'left'));
  const right = lowerValue(lowering, child(node, 'right'));
  switch (text(node, 'operator')) {
    case '==':
    case '===':
      return { kind: 'compare', operator: 'equal', left, right, at };
    case '!=':
    case '!==':
      return { kind: 'compare', operator: 'unequal', left, right, at };
    case 'in':
      return { kind: 'compare', operator: 'in', left, right, at };
    case '<':
    case '>':
    case '<=':
    case '>=':
    case 'instanceof':
      return { kind: 'compare', operator: 'order', left, right, at };
    default:
      return { kind: 'mix', parts: [left, right], at };
  }
}

function lowerAssignment(lowering: Lowering, node: Node): Expression {
  const at = node.start;
  const target = lowerPattern(lowering, child(node, 'left'));
  const value = lowerValue(lowering, child(node, 'right'));
  const sign = text(node, 'operator');
  return { kind: 'assign', target, value, adds: sign !== '=', at };
}

/** Markup and all else: whatever is inside goes into it. */
function lowerMixed(lowering: Lowering, node: Node): Expression {
  const parts: Expression[] = [];
  for (const key of ['openingElement', 'attributes', 'children', 'expression', 'argument', 'value']) {
    for (const inner of [child(node, key), ...children(node, key)]) {
      if (inner !== null) parts.push(lowerValue(lowering, inner));
    }
  }
  return { kind: 'mix', parts, at: node.start };
}
