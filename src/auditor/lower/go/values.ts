// Lowers the expressions of Go.

import type { TreeNode } from '../../../core/index.ts';
import type { Argument, Entry, Expression, Pattern } from '../../ir.ts';
import { lowerCallable } from './callables.ts';
import type { GoLowering } from './lowering.ts';
import { plainName } from './names.ts';
import { listed, named, rootOf, unwrapped } from './nodes.ts';
import { bareType, itemType, madeOf, zeroOf } from './types.ts';

type Rule = (lowering: GoLowering, node: TreeNode) => Expression;

const lowerNumber: Rule = (_, node) => ({
  kind: 'constant',
  value: Number(node.text.replaceAll('_', '')),
  at: node.start,
});
const lowerName: Rule = (lowering, node) => lowering.name(node.text, node.start);
const lowerOperand: Rule = (lowering, node) => lowerValue(lowering, node.field('operand'));

/** How each kind of node in the place of a value is lowered. */
const values: ReadonlyMap<string, Rule> = new Map(
  Object.entries<Rule>({
    identifier: lowerName,
    type_identifier: lowerName,
    package_identifier: lowerName,
    interpreted_string_literal: lowerString,
    raw_string_literal: lowerString,
    rune_literal: lowerString,
    int_literal: lowerNumber,
    float_literal: lowerNumber,
    true: (_, node) => ({ kind: 'constant', value: true, at: node.start }),
    false: (_, node) => ({ kind: 'constant', value: false, at: node.start }),
    nil: (_, node) => ({ kind: 'constant', value: null, at: node.start }),
    selector_expression: (lowering, node) => ({
      kind: 'member',
      object: lowerValue(lowering, node.field('operand')),
      property: plainName(node.field('field')?.text ?? ''),
      at: node.start,
    }),
    qualified_type: (lowering, node) => ({
      kind: 'member',
      object: lowerValue(lowering, node.field('package')),
      property: plainName(node.field('name')?.text ?? ''),
      at: node.start,
    }),
    index_expression: lowerIndex,
    slice_expression: lowerSlice,
    type_assertion_expression: lowerOperand,
    type_conversion_expression: lowerConversion,
    generic_type: (lowering, node) => lowerValue(lowering, node.field('type')),
    type_instantiation_expression: (lowering, node) => lowerValue(lowering, node.field('type')),
    call_expression: lowerCall,
    composite_literal: (lowering, node) =>
      lowerLiteral(lowering, node.field('body'), node.field('type'), node.start),
    func_literal: (lowering, node) => ({
      kind: 'function',
      function: lowerCallable(lowering, node, ''),
      at: node.start,
    }),
    unary_expression: lowerUnary,
    binary_expression: lowerBinary,
    variadic_argument: (lowering, node) => lowerValue(lowering, named(node)[0] ?? null),
    expression_list: (lowering, node) => lowerResults(lowering, node),
  }),
);

export function lowerValue(lowering: GoLowering, given: TreeNode | null): Expression {
  const node = unwrapped(given);
  if (node === null) return { kind: 'constant', value: null, at: 0 };
  const rule = values.get(node.type);
  if (rule !== undefined) return rule(lowering, node);
  return { kind: 'mix', parts: named(node).map((part) => lowerValue(lowering, part)), at: node.start };
}

/** One value, or several as the list that a function gives. */
export function lowerResults(lowering: GoLowering, given: TreeNode | null): Expression {
  const parts = listed(given);
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return lowerValue(lowering, only);
  const items = parts.map((part) => ({ value: lowerValue(lowering, part), spread: false }));
  return { kind: 'list', items, at: given?.start ?? 0 };
}

function lowerString(_: GoLowering, { text, type, start: at }: TreeNode): Expression {
  const inner = text.slice(1, -1);
  const value =
    type === 'raw_string_literal'
      ? inner
      : inner.replaceAll(/\\(.)/g, (_whole, letter: string) => (letter === 'n' ? '\n' : letter));
  return { kind: 'constant', value, at };
}

function lowerIndex(lowering: GoLowering, node: TreeNode): Expression {
  const object = lowerValue(lowering, node.field('operand'));
  const index = node.field('index');
  // A function with its type arguments is the function.
  if (index?.type === 'type_identifier') return object;
  const key = lowerValue(lowering, index);
  const value = key.kind === 'constant' ? key.value : undefined;
  const known = typeof value === 'string' || typeof value === 'number';
  return { kind: 'member', object, property: known ? String(value) : null, key, at: node.start };
}

function lowerSlice(lowering: GoLowering, node: TreeNode): Expression {
  const at = node.start;
  const object = lowerValue(lowering, node.field('operand'));
  const bounds = ['start', 'end'].flatMap((name) => {
    const bound = node.field(name);
    return bound === null ? [] : [{ value: lowerValue(lowering, bound) }];
  });
  // All of it is no cut.
  if (bounds.length === 0) return object;
  const callee: Expression = { kind: 'member', object, property: 'slice', at };
  return { kind: 'call', callee, arguments: bounds, at, end: node.end };
}

/** A value of another type is the same value; what has methods there has them from now on. */
function lowerConversion(lowering: GoLowering, node: TreeNode): Expression {
  // `f[T](x)` looks like a conversion.
  const type = node.field('type');
  const callee = type?.type === 'generic_type' ? type.field('type') : null;
  const operand = node.field('operand');
  if (callee === null || lowering.typeNamed(callee.text) !== undefined) return lowerValue(lowering, operand);
  const given = operand === null ? [] : [{ value: lowerValue(lowering, operand) }];
  return {
    kind: 'call',
    callee: lowerValue(lowering, callee),
    arguments: given,
    at: node.start,
    end: node.end,
  };
}

function lowerUnary(lowering: GoLowering, node: TreeNode): Expression {
  const operand = node.field('operand');
  const at = node.start;
  switch (node.field('operator')?.text) {
    case '!':
      return { kind: 'not', value: lowerValue(lowering, operand), at };
    case '&':
    case '*':
      return lowerValue(lowering, operand);
    case '<-':
      return lowerReceive(lowering, operand, node);
    default:
      return { kind: 'mix', parts: [lowerValue(lowering, operand)], at };
  }
}

/** What comes out of a channel is anything that was put into it; whoever put it there has come that far. */
function lowerReceive(lowering: GoLowering, channel: TreeNode | null, node: TreeNode): Expression {
  const at = node.start;
  const root = unwrapped(channel)?.type === 'call_expression' ? '' : rootOf(channel);
  if (root !== '') lowering.waitFor(root, at);
  const callee: Expression = { kind: 'member', object: lowerValue(lowering, channel), property: 'pop', at };
  return { kind: 'call', callee, arguments: [], at, end: node.end };
}

function lowerBinary(lowering: GoLowering, node: TreeNode): Expression {
  const at = node.start;
  const left = lowerValue(lowering, node.field('left'));
  const right = lowerValue(lowering, node.field('right'));
  switch (node.field('operator')?.text) {
    case '&&':
      return { kind: 'logic', operator: 'and', left, right, at };
    case '||':
      return { kind: 'logic', operator: 'or', left, right, at };
    case '==':
      return { kind: 'compare', operator: 'equal', left, right, at };
    case '!=':
      return { kind: 'compare', operator: 'unequal', left, right, at };
    case '<':
    case '>':
    case '<=':
    case '>=':
      return { kind: 'compare', operator: 'order', left, right, at };
    default:
      return { kind: 'mix', parts: [left, right], at };
  }
}

// ── calls

/** Functions of the language, and types that are called like functions, unless something else has their name. */
const builtIns: ReadonlyMap<
  string,
  (lowering: GoLowering, given: readonly TreeNode[], node: TreeNode) => Expression
> = new Map(
  Object.entries({
    append: (lowering, given, node) => ({
      kind: 'list',
      items: given.map((one, index) => ({
        value: lowerValue(lowering, one),
        spread: index === 0 || one.type === 'variadic_argument',
      })),
      at: node.start,
    }),
    copy: (lowering, [to = null, from = null], node) => {
      const object = lowerValue(lowering, to);
      const callee: Expression = { kind: 'member', object, property: 'push', at: node.start };
      const given = [{ value: lowerValue(lowering, from) }];
      return { kind: 'call', callee, arguments: given, at: node.start, end: node.end };
    },
    make: (_, [type = null], node) =>
      type?.type === 'map_type'
        ? { kind: 'object', entries: [], at: node.start }
        : { kind: 'list', items: [], at: node.start },
    new: (lowering, [type = null], node) => zeroOf(lowering, type, node.start),
    string: (lowering, [value = null]) => lowerValue(lowering, value),
    any: (lowering, [value = null]) => lowerValue(lowering, value),
    len: (lowering, [value = null], node) => ({
      kind: 'member',
      object: lowerValue(lowering, value),
      property: 'length',
      at: node.start,
    }),
  } satisfies Record<
    string,
    (lowering: GoLowering, given: readonly TreeNode[], node: TreeNode) => Expression
  >),
);

function lowerCall(lowering: GoLowering, node: TreeNode): Expression {
  const called = unwrapped(node.field('function'));
  const given = named(node.field('arguments'));
  if (called?.type === 'identifier' && lowering.scope.find(called.text) === undefined) {
    const known = lowering.package.names.has(called.text) ? undefined : builtIns.get(called.text);
    if (known !== undefined) return known(lowering, given, node);
    if (lowering.typeNamed(called.text) !== undefined) return lowerValue(lowering, given[0] ?? null);
  }
  if (called?.type === 'identifier' && lowering.typeNamed(called.text) !== undefined)
    return lowerValue(lowering, given[0] ?? null);
  if (called?.type === 'selector_expression' && called.field('field')?.text === 'Wait') {
    const ended = lowering.waitFor(rootOf(called), node.start);
    if (ended.length > 0) return firstFailure(ended, node.start);
  }
  return {
    kind: 'call',
    callee: lowerValue(lowering, called),
    arguments: given.map((one) => lowerArgument(lowering, one)),
    at: node.start,
    end: node.end,
  };
}

/** What a group gives whose tasks have ended: the first error of them. */
function firstFailure([first, ...others]: readonly Expression[], at: number): Expression {
  const nothing: Expression = { kind: 'constant', value: null, at };
  if (first === undefined) return nothing;
  if (others.length === 0) return first;
  const test: Expression = { kind: 'compare', operator: 'unequal', left: first, right: nothing, at };
  return { kind: 'choice', test, yes: first, no: firstFailure(others, at), at };
}

function lowerArgument(lowering: GoLowering, node: TreeNode): Argument {
  const value = lowerValue(lowering, node);
  if (node.type === 'variadic_argument') return { value, spread: true };
  const filled = node.type === 'unary_expression' && node.field('operator')?.text === '&';
  return filled && (value.kind === 'variable' || value.kind === 'member')
    ? { value, filled: true }
    : { value };
}

// ── what is made of parts

function lowerLiteral(
  lowering: GoLowering,
  body: TreeNode | null,
  type: TreeNode | null,
  at: number,
): Expression {
  const elements = named(body);
  const bare = bareType(type);
  const own = bare?.type === 'type_identifier' ? lowering.typeNamed(bare.text) : undefined;
  const shape = own?.kind === 'other' ? bareType(own.node) : bare;
  const inner = itemType(shape);
  if (shape?.type === 'map_type') {
    const entries = elements.map((one) => lowerPair(lowering, one, inner));
    return own === undefined ? { kind: 'object', entries, at } : madeOf(lowering, type, entries, at);
  }
  if (inner !== null) {
    const items = elements.map((one) => {
      const value = one.type === 'keyed_element' ? one.field('value') : one;
      return { value: lowerElement(lowering, value, inner), spread: false };
    });
    return { kind: 'list', items, at };
  }
  const fields = own?.fields ?? [];
  const entries = elements.map((one, index): Entry => {
    if (one.type !== 'keyed_element')
      return {
        key: plainName(fields[index]?.name ?? String(index)),
        value: lowerElement(lowering, one, fields[index]?.type ?? null),
        spread: false,
      };
    const name = one.field('key')?.text ?? '';
    const of = fields.find((field) => field.name === name)?.type ?? null;
    return { key: plainName(name), value: lowerElement(lowering, one.field('value'), of), spread: false };
  });
  return madeOf(lowering, type, entries, at);
}

/** An entry of a map: its key is a value. */
function lowerPair(lowering: GoLowering, node: TreeNode, inner: TreeNode | null): Entry {
  const key = lowerElement(lowering, node.field('key'), null);
  const value = lowerElement(lowering, node.field('value'), inner);
  return { key: key.kind === 'constant' ? String(key.value) : null, value, spread: false };
}

/** A part of a literal; one in braces alone is of the type of the items. */
function lowerElement(lowering: GoLowering, node: TreeNode | null, type: TreeNode | null): Expression {
  const inner = node?.type === 'literal_element' ? (named(node)[0] ?? null) : node;
  return inner?.type === 'literal_value'
    ? lowerLiteral(lowering, inner, type, inner.start)
    : lowerValue(lowering, inner);
}

// ── what is assigned to

/** Where a value is put; `declares` where the names are new. */
export function lowerTarget(lowering: GoLowering, given: TreeNode, declares: boolean): Pattern {
  const node = unwrapped(given) ?? given;
  const at = node.start;
  if (node.type === 'identifier' && node.text !== '_') {
    if (declares) lowering.scope.declare(node.text);
    const found = lowering.name(node.text, at);
    if (found.kind === 'variable') return { ...found, name: node.text };
  } else if (node.type === 'unary_expression') {
    const operand = node.field('operand');
    if (operand !== null) return lowerTarget(lowering, operand, declares);
  } else {
    const value = lowerValue(lowering, node);
    if (value.kind === 'member') return value;
  }
  const name = node.type === 'identifier' ? node.text : '_';
  return { kind: 'variable', variable: lowering.scope.fresh(), name, at };
}
