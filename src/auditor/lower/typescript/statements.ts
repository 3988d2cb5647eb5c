// Statements of TypeScript: what is done, in which order, and where the ways part.

import type { Block, Expression, Statement } from '../../ir.ts';
import type { Lowering } from '../lowering.ts';
import { declare } from './bindings.ts';
import { lowerCallable, lowerClass } from './callables.ts';
import { lowerExport } from './exports.ts';
import { lowerValue } from './expressions.ts';
import { child, children, type Node, text } from './nodes.ts';
import { declareNames, lowerPattern } from './patterns.ts';

/** Statements in the scope at hand, functions first, as they are hoisted. */
export function lowerStatements(lowering: Lowering, nodes: readonly Node[]): Block {
  for (const node of nodes) declare(lowering, node);
  const isFunction = (node: Node) =>
    node.type === 'FunctionDeclaration' || child(node, 'declaration')?.type === 'FunctionDeclaration';
  const hoisted = nodes.filter(isFunction);
  return [...hoisted, ...nodes.filter((node) => !isFunction(node))].flatMap((node) =>
    lowerStatement(lowering, node),
  );
}

function lowerBlock(lowering: Lowering, node: Node | null): Block {
  if (node === null) return [];
  return lowering.inner(() =>
    lowerStatements(lowering, node.type === 'BlockStatement' ? children(node, 'body') : [node]),
  );
}

export function lowerStatement(lowering: Lowering, node: Node): readonly Statement[] {
  const at = node.start;
  switch (node.type) {
    case 'ExpressionStatement':
      return [{ kind: 'do', value: lowerValue(lowering, child(node, 'expression')), at }];
    case 'VariableDeclaration':
      return children(node, 'declarations').map((one): Statement => {
        const init = child(one, 'init');
        const value = init === null ? null : lowerValue(lowering, init, text(child(one, 'id'), 'name'));
        return { kind: 'let', target: lowerPattern(lowering, child(one, 'id')), value, at };
      });
    case 'FunctionDeclaration': {
      const callable = lowerCallable(lowering, node, text(child(node, 'id'), 'name'));
      const value: Expression = { kind: 'function', function: callable, at };
      return [{ kind: 'let', target: lowerPattern(lowering, child(node, 'id')), value, at }];
    }
    case 'ClassDeclaration': {
      const value: Expression = { kind: 'class', class: lowerClass(lowering, node), at };
      return [{ kind: 'let', target: lowerPattern(lowering, child(node, 'id')), value, at }];
    }
    case 'ReturnStatement': {
      const value = child(node, 'argument');
      return [{ kind: 'return', value: value === null ? null : lowerValue(lowering, value), at }];
    }
    case 'ThrowStatement':
      return [{ kind: 'throw', value: lowerValue(lowering, child(node, 'argument')), at }];
    case 'IfStatement':
      return [
        {
          kind: 'branch',
          test: lowerValue(lowering, child(node, 'test')),
          yes: lowerBlock(lowering, child(node, 'consequent')),
          no: lowerBlock(lowering, child(node, 'alternate')),
          at,
        },
      ];
    case 'BlockStatement':
      return lowerBlock(lowering, node);
    case 'LabeledStatement':
      return lowerBlock(lowering, child(node, 'body'));
    case 'ForStatement':
      return lowering.inner(() => {
        const init = child(node, 'init');
        const first = init === null ? [] : lowerStatements(lowering, [asStatement(init)]);
        const test = child(node, 'test');
        const update = child(node, 'update');
        return [
          ...first,
          {
            kind: 'while' as const,
            test: test === null ? { kind: 'constant' as const, value: true, at } : lowerValue(lowering, test),
            body: lowerBlock(lowering, child(node, 'body')),
            update: update === null ? null : lowerValue(lowering, update),
            first: false,
            at,
          },
        ];
      });
    case 'WhileStatement':
    case 'DoWhileStatement':
      return [
        {
          kind: 'while',
          test: lowerValue(lowering, child(node, 'test')),
          body: lowerBlock(lowering, child(node, 'body')),
          update: null,
          first: node.type === 'DoWhileStatement',
          at,
        },
      ];
    case 'ForOfStatement':
    case 'ForInStatement':
      return lowering.inner(() => {
        const left = child(node, 'left');
        const over = lowerValue(lowering, child(node, 'right'));
        if (left?.type === 'VariableDeclaration') declare(lowering, left);
        const target =
          left?.type === 'VariableDeclaration'
            ? child(children(left, 'declarations')[0] ?? null, 'id')
            : left;
        return [
          {
            kind: 'each' as const,
            target: lowerPattern(lowering, target),
            over,
            body: lowerBlock(lowering, child(node, 'body')),
            waits: node['await'] === true,
            at,
          },
        ];
      });
    case 'SwitchStatement':
      return lowering.inner(() => {
        const cases = children(node, 'cases');
        for (const one of cases) for (const inside of children(one, 'consequent')) declare(lowering, inside);
        return [
          {
            kind: 'switch' as const,
            value: lowerValue(lowering, child(node, 'discriminant')),
            arms: cases.map((one) => {
              const test = child(one, 'test');
              return {
                test: test === null ? null : lowerValue(lowering, test),
                body: children(one, 'consequent').flatMap((inside) => lowerStatement(lowering, inside)),
              };
            }),
            at,
          },
        ];
      });
    case 'TryStatement': {
      const clause = child(node, 'handler');
      const caught =
        clause === null
          ? null
          : lowering.inner(() => {
              const parameter = child(clause, 'param');
              if (parameter !== null) declareNames(parameter, lowering.scope);
              const error = parameter === null ? null : lowerPattern(lowering, parameter);
              return { error, body: lowerBlock(lowering, child(clause, 'body')) };
            });
      return [
        {
          kind: 'try',
          body: lowerBlock(lowering, child(node, 'block')),
          error: caught?.error ?? null,
          handler: caught?.body ?? null,
          last: lowerBlock(lowering, child(node, 'finalizer')),
          at,
        },
      ];
    }
    case 'BreakStatement':
      return [{ kind: 'break', at }];
    case 'ContinueStatement':
      return [{ kind: 'continue', at }];
    case 'ExportNamedDeclaration':
    case 'ExportDefaultDeclaration':
    case 'ExportAllDeclaration':
      return lowerExport(lowering, node);
    case 'TSExportAssignment':
      lowering.offers.set('default', { value: lowerValue(lowering, child(node, 'expression')) });
      return [];
    default:
      return [];
  }
}

/** What stands at the head of `for` as a statement. */
function asStatement(node: Node): Node {
  return node.type === 'VariableDeclaration'
    ? node
    : { type: 'ExpressionStatement', start: node.start, end: node.end, expression: node };
}
