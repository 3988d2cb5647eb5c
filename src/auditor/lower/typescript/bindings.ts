// The names of TypeScript: where they are declared, and which variable each stands for.

import type { Expression } from '../../ir.ts';
import type { Lowering } from '../lowering.ts';
import { child, children, type Node, text } from './nodes.ts';
import { declareNames } from './patterns.ts';

export function declare(lowering: Lowering, node: Node): void {
  switch (node.type) {
    case 'VariableDeclaration': {
      const scope = text(node, 'kind') === 'var' ? lowering.scope.function : lowering.scope;
      for (const one of children(node, 'declarations')) declareNames(child(one, 'id'), scope);
      return;
    }
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
    case 'TSEnumDeclaration':
      declareNames(child(node, 'id'), lowering.scope);
      return;
    case 'ExportNamedDeclaration':
    case 'ExportDefaultDeclaration': {
      const inner = child(node, 'declaration');
      if (inner !== null) declare(lowering, inner);
      return;
    }
    case 'ImportDeclaration':
      declareImport(lowering, node);
  }
}

function declareImport(lowering: Lowering, node: Node): void {
  const from = text(child(node, 'source'), 'value');
  for (const one of children(node, 'specifiers')) {
    const variable = lowering.scope.declare(text(child(one, 'local'), 'name'));
    const imported = child(one, 'imported');
    const name =
      one.type === 'ImportNamespaceSpecifier'
        ? '*'
        : one.type === 'ImportDefaultSpecifier'
          ? 'default'
          : text(imported, 'name') || text(imported, 'value');
    lowering.imports.push({ variable, from, name });
  }
}

export function lowerName(lowering: Lowering, name: string, at: number): Expression {
  if (name === 'undefined') return { kind: 'constant', value: undefined, at };
  const variable = lowering.scope.find(name);
  return variable === undefined ? { kind: 'global', name, at } : { kind: 'variable', variable, name, at };
}
