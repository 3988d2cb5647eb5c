// Patterns of Python: what a value is put into.

import type { PythonNode } from '../../../core/index.ts';
import type { Pattern } from '../../ir.ts';
import type { Lowering } from '../lowering.ts';
import { lowerValue } from './expressions.ts';
import { named } from './nodes.ts';

export function lowerPattern(lowering: Lowering, node: PythonNode | null): Pattern {
  const at = node?.start ?? 0;
  switch (node?.type) {
    case 'identifier': {
      const variable = lowering.scope.find(node.text) ?? lowering.scope.declare(node.text);
      return { kind: 'variable', variable, name: node.text, at };
    }
    case 'attribute':
    case 'subscript': {
      const value = lowerValue(lowering, node);
      if (value.kind === 'member') return value;
      break;
    }
    case 'pattern_list':
    case 'tuple_pattern':
    case 'list_pattern':
    case 'as_pattern_target':
    case 'tuple':
    case 'expression_list': {
      const parts = named(node);
      if (node.type === 'as_pattern_target' && parts.length === 1)
        return lowerPattern(lowering, parts[0] ?? null);
      return { kind: 'items', items: parts.map((part) => lowerPattern(lowering, part)), at };
    }
    case 'list_splat_pattern':
    case 'parenthesized_expression':
      return lowerPattern(lowering, named(node)[0] ?? null);
  }
  return { kind: 'variable', variable: lowering.scope.fresh(), name: '', at };
}
