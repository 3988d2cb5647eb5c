// The names that a piece of TypeScript declares, and what a name stands for.

import type { Expression } from '../../ir.ts';
import type { Lowering } from '../lowering.ts';
import type { Scope } from '../scope.ts';
import { child, children, type Node, text } from './nodes.ts';

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
