// Functions, their parameters, and classes of TypeScript.

import type { Block, Callable, ClassShape, Expression, Parameter, Statement } from '../../ir.ts';
import type { Lowering } from '../lowering.ts';
import { lowerName } from './bindings.ts';
import { lowerValue } from './expressions.ts';
import { child, children, type Node, text } from './nodes.ts';
import { declareNames, lowerPattern } from './patterns.ts';
import { lowerStatements } from './statements.ts';

export function lowerCallable(lowering: Lowering, node: Node, name: string, owner = false): Callable {
  return lowering.inner(
    () => {
      const own = child(node, 'id');
      if (node.type === 'FunctionExpression' && own !== null && !owner) declareNames(own, lowering.scope);
      const listed = children(node, 'params');
      for (const one of listed) declareNames(one, lowering.scope);
      const parameters = listed.map((one) => lowerParameter(lowering, one));
      const body = child(node, 'body');
      const kept = listed.flatMap((one, index) => keptProperty(one, parameters[index]));
      const lowered: Block =
        body === null
          ? []
          : body.type === 'BlockStatement'
            ? lowerStatements(lowering, children(body, 'body'))
            : [{ kind: 'return', value: lowerValue(lowering, body), at: body.start }];
      const callable: Callable = {
        name,
        parameters,
        body: [...kept, ...lowered],
        async: node['async'] === true,
        yields: node['generator'] === true,
        decorators: [],
        at: node.start,
        end: node.end,
        module: lowering.module,
      };
      lowering.callables.push(callable);
      return callable;
    },
    { whole: true },
  );
}

/** A parameter that is a field too is put into the field. */
function keptProperty(node: Node, parameter: Parameter | undefined): readonly Statement[] {
  if (node.type !== 'TSParameterProperty' || parameter?.target.kind !== 'variable') return [];
  const at = node.start;
  return [
    {
      kind: 'let',
      target: { kind: 'member', object: { kind: 'this', at }, property: parameter.name, at },
      value: parameter.target,
      at,
    },
  ];
}

function lowerParameter(lowering: Lowering, given: Node): Parameter {
  const node = given.type === 'TSParameterProperty' ? (child(given, 'parameter') ?? given) : given;
  const rest = node.type === 'RestElement';
  const inner = rest
    ? child(node, 'argument')
    : node.type === 'AssignmentPattern'
      ? child(node, 'left')
      : node;
  const fallback = node.type === 'AssignmentPattern' ? child(node, 'right') : null;
  const type = lowerType(lowering, child(inner, 'typeAnnotation'));
  return {
    target: lowerPattern(lowering, inner),
    name: text(inner, 'name'),
    rest,
    ...(type === null ? {} : { type }),
    ...(fallback === null ? {} : { fallback: lowerValue(lowering, fallback) }),
  };
}

/** The name of a type, where it is one. */
function lowerType(lowering: Lowering, annotation: Node | null): Expression | null {
  const type = child(annotation, 'typeAnnotation');
  return type?.type === 'TSTypeReference' ? lowerTypeName(lowering, child(type, 'typeName')) : null;
}

function lowerTypeName(lowering: Lowering, node: Node | null): Expression | null {
  if (node?.type === 'Identifier') return lowerName(lowering, text(node, 'name'), node.start);
  if (node?.type !== 'TSQualifiedName') return null;
  const object = lowerTypeName(lowering, child(node, 'left'));
  if (object === null) return null;
  return { kind: 'member', object, property: text(child(node, 'right'), 'name'), at: node.start };
}

export function lowerClass(lowering: Lowering, node: Node): ClassShape {
  return lowering.inner(() => {
    const own = child(node, 'id');
    const outer = own === null ? undefined : lowering.scope.find(text(own, 'name'));
    if (own !== null && outer !== undefined) lowering.scope.names.set(text(own, 'name'), outer);
    const methods = new Map<string, Callable>();
    const fields: { name: string; value: Expression | null; type?: Expression; static: boolean }[] = [];
    const base = child(node, 'superClass');
    for (const part of children(child(node, 'body'), 'body')) {
      const key = child(part, 'key');
      const name = text(key, 'name') || text(key, 'value');
      const fixed = part['static'] === true;
      const value = child(part, 'value');
      if (part.type === 'MethodDefinition' && value !== null) {
        methods.set(name, { ...lowerCallable(lowering, value, name, true), static: fixed });
      } else if (part.type === 'PropertyDefinition' || part.type === 'AccessorProperty') {
        const type = lowerType(lowering, child(part, 'typeAnnotation'));
        fields.push({
          name,
          value: value === null ? null : lowerValue(lowering, value, name),
          ...(type === null ? {} : { type }),
          static: fixed,
        });
      }
    }
    const shape: ClassShape = {
      name: text(own, 'name'),
      base: base === null ? null : lowerValue(lowering, base),
      methods,
      fields,
      at: node.start,
    };
    for (const method of methods.values()) {
      method.class = shape;
      const listed = lowering.callables.findIndex(({ at, end }) => at === method.at && end === method.end);
      if (listed >= 0) lowering.callables[listed] = method;
    }
    return shape;
  });
}
