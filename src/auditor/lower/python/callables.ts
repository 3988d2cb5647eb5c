// Functions, their parameters, and classes of Python.

import type { PythonNode } from '../../../core/index.ts';
import type { Callable, ClassShape, Expression, Parameter, Statement } from '../../ir.ts';
import type { Lowering } from '../lowering.ts';
import { declareIn, lowerDotted } from './bindings.ts';
import { lowerValue } from './expressions.ts';
import { emptyNode, named } from './nodes.ts';
import { lowerPattern } from './patterns.ts';
import { lowerBlock } from './statements.ts';

export function lowerDefinition(
  lowering: Lowering,
  node: PythonNode,
  decorators: readonly Expression[],
): Statement {
  const name = node.field('name');
  const callable = lowerCallable(lowering, node, name?.text ?? '', node.field('body'), decorators);
  const value: Expression = { kind: 'function', function: callable, at: node.start };
  return { kind: 'let', target: lowerPattern(lowering, name), value, at: node.start };
}

export function lowerClass(lowering: Lowering, node: PythonNode): Statement {
  const name = node.field('name');
  const [base] = named(node.field('superclasses') ?? { ...emptyNode, start: node.start });
  const methods = new Map<string, Callable>();
  const fields: Field[] = [];
  lowering.inner(() => lowerMembers(lowering, node.field('body'), methods, fields), { hidden: true });
  const shape: ClassShape = {
    name: name?.text ?? '',
    base: base === undefined || base.type === 'keyword_argument' ? null : lowerValue(lowering, base),
    methods,
    fields,
    at: node.start,
  };
  for (const method of methods.values()) method.class = shape;
  const value: Expression = { kind: 'class', class: shape, at: node.start };
  return { kind: 'let', target: lowerPattern(lowering, name), value, at: node.start };
}

type Field = ClassShape['fields'][number];

/** What stands in the body of a class: its methods, and what it has. */
function lowerMembers(
  lowering: Lowering,
  body: PythonNode | null,
  methods: Map<string, Callable>,
  fields: Field[],
): void {
  for (const part of named(body ?? emptyNode)) {
    const definition = part.type === 'decorated_definition' ? part.field('definition') : part;
    if (definition?.type === 'function_definition') {
      const marks = part.children
        .filter(({ type }) => type === 'decorator')
        .flatMap((decorator) => named(decorator).map((value) => lowerValue(lowering, value)));
      const own = definition.field('name')?.text ?? '';
      methods.set(own, lowerCallable(lowering, definition, own, definition.field('body'), marks, true));
    } else if (part.type === 'expression_statement') {
      for (const assignment of named(part)) {
        const left = assignment.field('left');
        if (assignment.type !== 'assignment' || left?.type !== 'identifier') continue;
        const right = assignment.field('right');
        const type = typeName(assignment.field('type'));
        fields.push({
          name: left.text,
          value: right === null ? null : lowerValue(lowering, right),
          ...(type === null ? {} : { type: lowerDotted(lowering, type, left.start) }),
          static: right !== null,
        });
      }
    }
  }
}

export function lowerCallable(
  lowering: Lowering,
  node: PythonNode,
  name: string,
  body: PythonNode | null,
  decorators: readonly Expression[],
  method = false,
): Callable {
  return lowering.inner(
    () => {
      const listed = named(node.field('parameters') ?? emptyNode);
      const fixed = decorators.some(
        ({ kind, ...rest }) => kind === 'global' && 'name' in rest && rest.name === 'staticmethod',
      );
      const self = method && !fixed ? listed[0]?.text : undefined;
      const parameters = listed.flatMap((one) => lowerParameter(lowering, one));
      if (body !== null)
        declareIn(lowering, node.type === 'lambda' ? { ...emptyNode, children: [body] } : body);
      const lowered: Statement[] = [];
      if (self !== undefined && parameters[0] !== undefined) {
        const { target } = parameters[0];
        lowered.push({ kind: 'let', target, value: { kind: 'this', at: node.start }, at: node.start });
      }
      if (node.type === 'lambda') {
        lowered.push({ kind: 'return', value: lowerValue(lowering, body), at: node.start });
      } else lowered.push(...lowerBlock(lowering, body));
      const callable: Callable = {
        name,
        parameters: self === undefined ? parameters : parameters.slice(1),
        body: lowered,
        async: node.children.some(({ type }) => type === 'async'),
        yields: body !== null && yieldsIn(body),
        decorators,
        at: node.start,
        end: node.end,
        static: method && fixed,
        module: lowering.module,
      };
      lowering.callables.push(callable);
      return callable;
    },
    { whole: true },
  );
}

function lowerParameter(lowering: Lowering, node: PythonNode): readonly Parameter[] {
  const inner = node.type === 'typed_parameter' ? (named(node)[0] ?? node) : (node.field('name') ?? node);
  const rest = /splat_pattern$/.test(inner.type);
  const name = rest ? (named(inner)[0] ?? inner) : inner;
  if (name.type !== 'identifier') return [];
  const variable = lowering.scope.declare(name.text);
  const type = typeName(node.field('type'));
  const value = node.field('value');
  return [
    {
      target: { kind: 'variable', variable, name: name.text, at: name.start },
      name: name.text,
      rest,
      ...(type === null ? {} : { type: lowerDotted(lowering, type, node.start) }),
      ...(value === null ? {} : { fallback: lowerValue(lowering, value) }),
    },
  ];
}

/** The name in a type, without what it is made of. */
function typeName(node: PythonNode | null): string | null {
  return /^["']?(?:Optional\[)?([A-Za-z_][\w.]*)/.exec(node?.text ?? '')?.[1] ?? null;
}

function yieldsIn(body: PythonNode): boolean {
  const open = [...body.children];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.type === 'yield' && node.children.length > 0) return true;
    if (node.type === 'function_definition' || node.type === 'lambda') continue;
    open.push(...node.children);
  }
  return false;
}
