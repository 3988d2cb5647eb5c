// The names of Python: where they are bound, and which variable each stands for.

import type { PythonNode } from '../../../core/index.ts';
import type { Expression } from '../../ir.ts';
import type { Lowering } from '../lowering.ts';
import { identifiers, named } from './nodes.ts';

/** Declares what is bound in a function or a module, before its statements are lowered. */
export function declareIn(lowering: Lowering, body: PythonNode): void {
  const outside = new Set<string>();
  const open = [...body.children];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    switch (node.type) {
      case 'global_statement':
      case 'nonlocal_statement':
        for (const name of named(node)) outside.add(name.text);
        continue;
      case 'function_definition':
      case 'class_definition':
        bind(lowering, node.field('name'), outside);
        continue;
      case 'lambda':
        continue;
      case 'assignment':
      case 'augmented_assignment':
      case 'for_statement':
      case 'for_in_clause':
        bindTargets(lowering, node.field('left'), outside);
        break;
      case 'named_expression':
        bind(lowering, node.field('name'), outside);
        break;
      case 'as_pattern':
        for (const part of node.children.filter(({ type }) => type === 'as_pattern_target'))
          bindTargets(lowering, part, outside);
        break;
      case 'case_pattern':
        for (const name of identifiers(node)) bind(lowering, name, outside);
        break;
      case 'import_statement':
      case 'import_from_statement':
        declareImport(lowering, node);
        continue;
    }
    open.push(...node.children);
  }
}

function bind(lowering: Lowering, name: PythonNode | null, outside: ReadonlySet<string>): void {
  if (name !== null && name.type === 'identifier' && !outside.has(name.text))
    lowering.scope.declare(name.text);
}

export function bindTargets(
  lowering: Lowering,
  target: PythonNode | null,
  outside: ReadonlySet<string>,
): void {
  if (target === null) return;
  if (target.type === 'identifier') bind(lowering, target, outside);
  else if (target.type !== 'attribute' && target.type !== 'subscript')
    for (const part of named(target)) bindTargets(lowering, part, outside);
}

function declareImport(lowering: Lowering, node: PythonNode): void {
  const from = node.field('module_name');
  const after = from === null ? -1 : node.children.indexOf(from);
  for (const part of node.children.slice(after + 1)) {
    if (part.type === 'wildcard_import' && from !== null) lowering.stars.push(from.text);
    if (part.type !== 'dotted_name' && part.type !== 'aliased_import') continue;
    const path = part.type === 'dotted_name' ? part.text : (part.field('name')?.text ?? '');
    const alias = part.field('alias')?.text;
    const first = path.split('.')[0] ?? path;
    const variable = lowering.scope.declare(alias ?? (from === null ? first : path));
    if (from !== null) lowering.imports.push({ variable, from: from.text, name: path });
    else lowering.imports.push({ variable, from: alias === undefined ? first : path, name: '*' });
  }
}

/** A dotted name as an expression. */
export function lowerDotted(lowering: Lowering, path: string, at: number): Expression {
  const [first = '', ...rest] = path.split('.');
  return rest.reduce<Expression>(
    (object, property) => ({ kind: 'member', object, property, at }),
    lowerName(lowering, first, at),
  );
}

export function lowerName(lowering: Lowering, name: string, at: number): Expression {
  const variable = lowering.scope.find(name);
  return variable === undefined ? { kind: 'global', name, at } : { kind: 'variable', variable, name, at };
}
