// Expressions of Python: what gives a value.

import type { PythonNode } from '../../../core/index.ts';
import type { Argument, Callable, Entry, Expression } from '../../ir.ts';
import type { Lowering } from '../lowering.ts';
import { bindTargets, lowerName } from './bindings.ts';
import { lowerCallable } from './callables.ts';
import { named } from './nodes.ts';
import { lowerPattern } from './patterns.ts';

export function lowerValue(lowering: Lowering, node: PythonNode | null): Expression {
  if (node === null) return { kind: 'constant', value: null, at: 0 };
  const at = node.start;
  switch (node.type) {
    case 'identifier':
      return lowerName(lowering, node.text, at);
    case 'string':
    case 'concatenated_string':
      return lowerString(lowering, node);
    case 'integer':
    case 'float':
      return { kind: 'constant', value: Number(node.text.replaceAll('_', '')), at };
    case 'true':
      return { kind: 'constant', value: true, at };
    case 'false':
      return { kind: 'constant', value: false, at };
    case 'none':
      return { kind: 'constant', value: null, at };
    case 'parenthesized_expression':
    case 'type':
      return lowerValue(lowering, named(node)[0] ?? null);
    case 'attribute':
      return {
        kind: 'member',
        object: lowerValue(lowering, node.field('object')),
        property: node.field('attribute')?.text ?? null,
        at,
      };
    case 'subscript': {
      const cut = node.field('subscript');
      if (cut?.type === 'slice') {
        const object = lowerValue(lowering, node.field('value'));
        const callee: Expression = { kind: 'member', object, property: 'slice', at };
        const bounds = named(cut).map((value) => ({ value: lowerValue(lowering, value) }));
        return { kind: 'call', callee, arguments: bounds, at, end: node.end };
      }
      const key = lowerValue(lowering, node.field('subscript'));
      const constant = key.kind === 'constant' && typeof key.value !== 'boolean' ? key.value : undefined;
      return {
        kind: 'member',
        object: lowerValue(lowering, node.field('value')),
        property: typeof constant === 'string' || typeof constant === 'number' ? String(constant) : null,
        key,
        at,
      };
    }
    case 'call':
      return {
        kind: 'call',
        callee: lowerValue(lowering, node.field('function')),
        arguments: lowerArguments(lowering, node.field('arguments')),
        at,
        end: node.end,
      };
    case 'await':
      return { kind: 'await', value: lowerValue(lowering, named(node)[0] ?? null), at };
    case 'lambda':
      return {
        kind: 'function',
        function: lowerCallable(lowering, node, 'lambda', node.field('body'), []),
        at,
      };
    case 'list':
    case 'tuple':
    case 'set':
    case 'expression_list':
      return {
        kind: 'list',
        items: named(node).map((item) => ({
          value: lowerValue(lowering, item.type === 'list_splat' ? (named(item)[0] ?? item) : item),
          spread: item.type === 'list_splat',
        })),
        at,
      };
    case 'dictionary':
      return { kind: 'object', entries: named(node).map((entry) => lowerEntry(lowering, entry)), at };
    case 'boolean_operator':
      return {
        kind: 'logic',
        operator: node.field('operator')?.text === 'and' ? 'and' : 'or',
        left: lowerValue(lowering, node.field('left')),
        right: lowerValue(lowering, node.field('right')),
        at,
      };
    case 'not_operator':
      return { kind: 'not', value: lowerValue(lowering, node.field('argument')), at };
    case 'comparison_operator':
      return lowerComparison(lowering, node);
    case 'conditional_expression': {
      const [yes = null, test = null, no = null] = named(node);
      return {
        kind: 'choice',
        test: lowerValue(lowering, test),
        yes: lowerValue(lowering, yes),
        no: lowerValue(lowering, no),
        at,
      };
    }
    case 'named_expression':
    case 'assignment':
    case 'augmented_assignment':
      return {
        kind: 'assign',
        target: lowerPattern(lowering, node.field('left') ?? node.field('name')),
        value: lowerValue(lowering, node.field('right') ?? node.field('value')),
        adds: node.type === 'augmented_assignment',
        at,
      };
    case 'yield': {
      const all = node.children.some(({ type }) => type === 'from');
      return { kind: 'yield', value: lowerValue(lowering, named(node)[0] ?? null), all, at };
    }
    case 'list_comprehension':
    case 'set_comprehension':
    case 'generator_expression':
    case 'dictionary_comprehension':
      return lowerComprehension(lowering, node);
    case 'keyword_argument':
      return lowerValue(lowering, node.field('value'));
    default:
      // Chains such as `prompt | model`, sums and all else: whatever is inside goes into it.
      return lowerMix(lowering, node);
  }
}

export function lowerMix(lowering: Lowering, node: PythonNode): Expression {
  return { kind: 'mix', parts: named(node).map((part) => lowerValue(lowering, part)), at: node.start };
}

function lowerString(lowering: Lowering, node: PythonNode): Expression {
  const pieces: PythonNode[] = [];
  const open = [node];
  for (let piece = open.pop(); piece !== undefined; piece = open.pop()) {
    if (piece.type === 'string_content' || piece.type === 'interpolation') pieces.push(piece);
    else open.push(...[...piece.children].reverse());
  }
  const texts = pieces.map((piece): Expression => {
    return piece.type === 'string_content'
      ? { kind: 'constant', value: piece.text, at: piece.start }
      : lowerValue(lowering, named(piece)[0] ?? null);
  });
  const at = node.start;
  if (texts.every(({ kind }) => kind === 'constant')) {
    return { kind: 'constant', value: pieces.map(({ text }) => text).join(''), at };
  }
  return { kind: 'mix', parts: texts, at };
}

function lowerArguments(lowering: Lowering, node: PythonNode | null): readonly Argument[] {
  if (node === null) return [];
  if (node.type === 'generator_expression') return [{ value: lowerComprehension(lowering, node) }];
  return named(node).map((part): Argument => {
    if (part.type === 'keyword_argument') {
      return { name: part.field('name')?.text ?? '', value: lowerValue(lowering, part.field('value')) };
    }
    if (/_splat$/.test(part.type))
      return { value: lowerValue(lowering, named(part)[0] ?? null), spread: true };
    return { value: lowerValue(lowering, part) };
  });
}

function lowerEntry(lowering: Lowering, node: PythonNode): Entry {
  if (node.type === 'pair') {
    const key = node.field('key');
    const written = lowerValue(lowering, key);
    const constant = written.kind === 'constant' ? String(written.value) : null;
    return { key: constant, value: lowerValue(lowering, node.field('value')), spread: false };
  }
  return { key: null, value: lowerValue(lowering, named(node)[0] ?? node), spread: true };
}

function lowerComparison(lowering: Lowering, node: PythonNode): Expression {
  const at = node.start;
  const [left = null, right = null] = named(node);
  const words = node.children
    .filter((child) => child !== left && child !== right)
    .map(({ text }) => text)
    .join(' ');
  const operator =
    words === 'in'
      ? 'in'
      : words === 'not in'
        ? 'not in'
        : words === '==' || words === 'is'
          ? 'equal'
          : words === '!=' || words === 'is not'
            ? 'unequal'
            : 'order';
  return {
    kind: 'compare',
    operator,
    left: lowerValue(lowering, left),
    right: lowerValue(lowering, right),
    at,
  };
}

/** A comprehension is a callback for each item: `[f(x) for x in list]` is `list.map(x => f(x))`. */
function lowerComprehension(lowering: Lowering, node: PythonNode): Expression {
  const at = node.start;
  const clauses = named(node).filter(({ type }) => type === 'for_in_clause' || type === 'if_clause');
  const build = (index: number): Expression => {
    const clause = clauses[index];
    if (clause === undefined) {
      const body = node.field('body');
      return body?.type === 'pair'
        ? { kind: 'object', entries: [lowerEntry(lowering, body)], at }
        : lowerValue(lowering, body);
    }
    if (clause.type === 'if_clause') {
      return {
        kind: 'choice',
        test: lowerValue(lowering, named(clause)[0] ?? null),
        yes: build(index + 1),
        no: { kind: 'constant', value: undefined, at },
        at,
      };
    }
    const over = lowerValue(lowering, clause.field('right'));
    const left = clause.field('left');
    const callable = lowering.inner(
      (): Callable => {
        bindTargets(lowering, left, new Set());
        return {
          name: '',
          parameters: [{ target: lowerPattern(lowering, left), name: left?.text ?? '', rest: false }],
          body: [{ kind: 'return', value: build(index + 1), at }],
          async: false,
          yields: false,
          decorators: [],
          at,
          end: node.end,
          module: lowering.module,
        };
      },
      { whole: true },
    );
    lowering.callables.push(callable);
    return {
      kind: 'call',
      callee: { kind: 'member', object: over, property: 'map', at },
      arguments: [{ value: { kind: 'function', function: callable, at } }],
      at,
      end: node.end,
    };
  };
  return build(0);
}
