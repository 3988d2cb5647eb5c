// What a module of TypeScript offers, and under which names.

import type { Statement } from '../../ir.ts';
import type { Lowering } from '../lowering.ts';
import { Scope } from '../scope.ts';
import { lowerValue } from './expressions.ts';
import { child, children, type Node, text } from './nodes.ts';
import { declareNames } from './patterns.ts';
import { lowerStatement } from './statements.ts';

export function lowerExport(lowering: Lowering, node: Node): readonly Statement[] {
  const from = child(node, 'source') === null ? null : text(child(node, 'source'), 'value');
  if (node.type === 'ExportAllDeclaration') {
    const name = text(child(node, 'exported'), 'name');
    if (from !== null && name !== '') lowering.offers.set(name, { from, name: '*' });
    else if (from !== null) lowering.stars.push(from);
    return [];
  }
  const declared = child(node, 'declaration');
  if (node.type === 'ExportDefaultDeclaration' && declared !== null) {
    const name = text(child(declared, 'id'), 'name');
    if (name !== '') {
      const lowered = lowerStatement(lowering, declared);
      lowering.offers.set('default', { variable: lowering.scope.declare(name) });
      return lowered;
    }
    const value = lowerValue(lowering, declared, 'default');
    const variable = lowering.scope.fresh();
    lowering.offers.set('default', { variable });
    const at = node.start;
    return [{ kind: 'let', target: { kind: 'variable', variable, name: 'default', at }, value, at }];
  }
  for (const one of children(node, 'specifiers')) {
    const local = text(child(one, 'local'), 'name') || text(child(one, 'local'), 'value');
    const name = text(child(one, 'exported'), 'name') || text(child(one, 'exported'), 'value');
    if (from !== null) lowering.offers.set(name, { from, name: local });
    else lowering.offers.set(name, { variable: lowering.scope.declare(local) });
  }
  if (declared === null) return [];
  const names = new Scope(lowering.counter, null);
  const ids =
    declared.type === 'VariableDeclaration'
      ? children(declared, 'declarations').map((one) => child(one, 'id'))
      : [child(declared, 'id')];
  for (const id of ids) declareNames(id, names);
  for (const name of names.names.keys())
    lowering.offers.set(name, { variable: lowering.scope.declare(name) });
  return lowerStatement(lowering, declared);
}
