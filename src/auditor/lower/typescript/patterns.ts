// Patterns of TypeScript: what a value is put into.

import type { Pattern } from '../../ir.ts';
import type { Lowering } from '../lowering.ts';
import type { Scope } from '../scope.ts';
import { lowerMember, lowerValue } from './expressions.ts';
import { child, children, isNode, type Node, text, wrappers } from './nodes.ts';

export function lowerPattern(lowering: Lowering, given: Node | null): Pattern {
  let node = given;
  while (node !== null && wrappers.has(node.type)) node = child(node, 'expression');
  const at = node?.start ?? 0;
  switch (node?.type) {
    case 'Identifier': {
      const name = text(node, 'name');
      const variable = lowering.scope.find(name) ?? lowering.scope.fresh();
      return { kind: 'variable', variable, name, at };
    }
    case 'MemberExpression': {
      const value = lowerMember(lowering, node);
      if (value.kind === 'member') return value;
      break;
    }
    case 'AssignmentPattern':
      return lowerPattern(lowering, child(node, 'left'));
    case 'RestElement':
      return lowerPattern(lowering, child(node, 'argument'));
    case 'ObjectPattern': {
      const listed = children(node, 'properties');
      const rest = listed.find(({ type }) => type === 'RestElement');
      const fields = listed
        .filter(({ type }) => type !== 'RestElement')
        .map((one) => {
          const key = child(one, 'key');
          const value = child(one, 'value');
          const fallback = value?.type === 'AssignmentPattern' ? child(value, 'right') : null;
          return {
            key: one['computed'] === true ? null : text(key, 'name') || String(key?.['value'] ?? ''),
            target: lowerPattern(lowering, value),
            ...(fallback === null ? {} : { fallback: lowerValue(lowering, fallback) }),
          };
        });
      return {
        kind: 'fields',
        fields,
        at,
        ...(rest === undefined ? {} : { rest: lowerPattern(lowering, rest) }),
      };
    }
    case 'ArrayPattern': {
      const elements = node['elements'];
      const listed = Array.isArray(elements) ? elements.map((one) => (isNode(one) ? one : null)) : [];
      const rest = listed.find((one) => one?.type === 'RestElement');
      const items = listed
        .filter((one) => one?.type !== 'RestElement')
        .map((one) => (one === null ? null : lowerPattern(lowering, one)));
      return {
        kind: 'items',
        items,
        at,
        ...(rest === undefined || rest === null ? {} : { rest: lowerPattern(lowering, rest) }),
      };
    }
  }
  return { kind: 'variable', variable: lowering.scope.fresh(), name: '', at };
}

export function declareNames(node: Node | null, scope: Scope): void {
  switch (node?.type) {
    case 'Identifier':
      scope.declare(text(node, 'name'));
      return;
    case 'TSParameterProperty':
      declareNames(child(node, 'parameter'), scope);
      return;
    case 'AssignmentPattern':
      declareNames(child(node, 'left'), scope);
      return;
    case 'RestElement':
      declareNames(child(node, 'argument'), scope);
      return;
    case 'ObjectPattern':
      for (const one of children(node, 'properties')) {
        declareNames(one.type === 'RestElement' ? one : child(one, 'value'), scope);
      }
      return;
    case 'ArrayPattern':
      for (const one of children(node, 'elements')) declareNames(one, scope);
  }
}
