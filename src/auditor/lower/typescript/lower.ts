// Lowers TypeScript to the intermediate form: expressions, patterns, callables and statements, which hold one another.

import type {
  Argument,
  Block,
  Callable,
  ClassShape,
  Entry,
  Expression,
  Parameter,
  Pattern,
  Statement,
} from '../../ir.ts';
import type { Lowering } from '../lowering.ts';
import { Scope } from '../scope.ts';
import { declare, declareNames, lowerName } from './bindings.ts';
import { child, children, isNode, type Node, text, wrappers } from './nodes.ts';

type Rule<Result> = (lowering: Lowering, node: Node) => Result;
/** `named` is the name that a function or class gets by where it stands. */
type ValueRule = (lowering: Lowering, node: Node, named: string) => Expression;

const lowerThis: ValueRule = (_, node) => ({ kind: 'this', at: node.start });
const lowerFunction: ValueRule = (lowering, node, named) => ({
  kind: 'function',
  function: lowerCallable(lowering, node, named),
  at: node.start,
});
const lowerClassValue: Rule<Expression> = (lowering, node) => ({
  kind: 'class',
  class: lowerClass(lowering, node),
  at: node.start,
});
const lowerCall: ValueRule = (lowering, node) => ({
  kind: 'call',
  callee: lowerValue(lowering, child(node, 'callee')),
  arguments: children(node, 'arguments').map((one) => lowerArgument(lowering, one)),
  at: node.start,
  end: node.end,
});

/** How each kind of node in the place of a value is lowered. */
const values: ReadonlyMap<string, ValueRule> = new Map(
  Object.entries<ValueRule>({
    Identifier: (lowering, node) => lowerName(lowering, text(node, 'name'), node.start),
    Literal: lowerLiteral,
    TemplateLiteral: lowerTemplate,
    TaggedTemplateExpression: (lowering, node) => {
      const quasi = child(node, 'quasi');
      return {
        kind: 'call',
        callee: lowerValue(lowering, child(node, 'tag')),
        arguments: quasi === null ? [] : [{ value: lowerTemplate(lowering, quasi) }],
        at: node.start,
        end: node.end,
      };
    },
    ChainExpression: (lowering, node) => {
      // `a?.b()` happens only where there is an `a`.
      const at = node.start;
      const test: Expression = { kind: 'mix', parts: [], at };
      const yes = lowerValue(lowering, child(node, 'expression'));
      return { kind: 'choice', test, yes, no: { kind: 'constant', value: undefined, at }, at };
    },
    ThisExpression: lowerThis,
    Super: lowerThis,
    MemberExpression: lowerMember,
    CallExpression: lowerCall,
    NewExpression: lowerCall,
    ImportExpression: (lowering, node) => ({
      kind: 'call',
      callee: { kind: 'global', name: 'import', at: node.start },
      arguments: [{ value: lowerValue(lowering, child(node, 'source')) }],
      at: node.start,
      end: node.end,
    }),
    AwaitExpression: (lowering, node) => ({
      kind: 'await',
      value: lowerValue(lowering, child(node, 'argument')),
      at: node.start,
    }),
    ArrowFunctionExpression: lowerFunction,
    FunctionExpression: lowerFunction,
    FunctionDeclaration: lowerFunction,
    ClassExpression: lowerClassValue,
    ClassDeclaration: lowerClassValue,
    ObjectExpression: (lowering, node) => ({
      kind: 'object',
      entries: children(node, 'properties').map((one) => lowerEntry(lowering, one)),
      at: node.start,
    }),
    ArrayExpression: (lowering, node) => ({
      kind: 'list',
      items: children(node, 'elements').map((item) => ({
        value: lowerValue(lowering, item.type === 'SpreadElement' ? child(item, 'argument') : item),
        spread: item.type === 'SpreadElement',
      })),
      at: node.start,
    }),
    LogicalExpression: (lowering, node) => {
      const sign = text(node, 'operator');
      return {
        kind: 'logic',
        operator: sign === '&&' ? 'and' : sign === '||' ? 'or' : 'nullish',
        left: lowerValue(lowering, child(node, 'left')),
        right: lowerValue(lowering, child(node, 'right')),
        at: node.start,
      };
    },
    BinaryExpression: lowerBinary,
    UnaryExpression: lowerUnary,
    ConditionalExpression: (lowering, node) => ({
      kind: 'choice',
      test: lowerValue(lowering, child(node, 'test')),
      yes: lowerValue(lowering, child(node, 'consequent')),
      no: lowerValue(lowering, child(node, 'alternate')),
      at: node.start,
    }),
    AssignmentExpression: lowerAssignment,
    YieldExpression: (lowering, node) => ({
      kind: 'yield',
      value: lowerValue(lowering, child(node, 'argument')),
      all: node['delegate'] === true,
      at: node.start,
    }),
    SequenceExpression: (lowering, node) => ({
      kind: 'mix',
      parts: children(node, 'expressions').map((one) => lowerValue(lowering, one)),
      at: node.start,
    }),
  }),
);

function lowerValue(lowering: Lowering, given: Node | null, named = ''): Expression {
  const node = unwrapped(given);
  if (node === null) return { kind: 'constant', value: undefined, at: 0 };
  return (values.get(node.type) ?? lowerMixed)(lowering, node, named);
}

/** A node without the parentheses and types around it. */
function unwrapped(given: Node | null): Node | null {
  let node = given;
  while (node !== null && wrappers.has(node.type)) node = child(node, 'expression');
  return node;
}

function lowerLiteral(_: Lowering, { value, start: at }: Node): Expression {
  const plain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return plain || value === null ? { kind: 'constant', value, at } : { kind: 'mix', parts: [], at };
}

function lowerUnary(lowering: Lowering, node: Node): Expression {
  const at = node.start;
  const value = lowerValue(lowering, child(node, 'argument'));
  const sign = text(node, 'operator');
  if (sign === '!') return { kind: 'not', value, at };
  // What is thrown away (`void`) is not waited for either.
  return { kind: 'mix', parts: sign === 'typeof' || sign === 'delete' ? [] : [value], at };
}

function lowerTemplate(lowering: Lowering, node: Node): Expression {
  const at = node.start;
  const quasis = children(node, 'quasis').map((quasi): Expression => {
    const value = quasi['value'];
    const cooked =
      typeof value === 'object' && value !== null && 'cooked' in value ? String(value.cooked) : '';
    return { kind: 'constant', value: cooked, at: quasi.start };
  });
  const values = children(node, 'expressions').map((one) => lowerValue(lowering, one));
  if (values.length === 0) return quasis[0] ?? { kind: 'constant', value: '', at };
  return {
    kind: 'mix',
    parts: quasis.flatMap((quasi, index) => [quasi, ...values.slice(index, index + 1)]),
    at,
  };
}

function lowerMember(lowering: Lowering, node: Node): Expression {
  const at = node.start;
  const object = lowerValue(lowering, child(node, 'object'));
  const property = child(node, 'property');
  if (node['computed'] !== true) return { kind: 'member', object, property: text(property, 'name'), at };
  const key = lowerValue(lowering, property);
  const constant = key.kind === 'constant' ? key.value : undefined;
  const known = typeof constant === 'string' || typeof constant === 'number';
  return { kind: 'member', object, property: known ? String(constant) : null, key, at };
}

function lowerArgument(lowering: Lowering, node: Node): Argument {
  return node.type === 'SpreadElement'
    ? { value: lowerValue(lowering, child(node, 'argument')), spread: true }
    : { value: lowerValue(lowering, node) };
}

function lowerEntry(lowering: Lowering, node: Node): Entry {
  if (node.type === 'SpreadElement') {
    return { key: null, value: lowerValue(lowering, child(node, 'argument')), spread: true };
  }
  const key = child(node, 'key');
  const plain = node['computed'] !== true || key?.type === 'Literal';
  const name = plain ? text(key, 'name') || String(key?.['value'] ?? '') : null;
  return { key: name, value: lowerValue(lowering, child(node, 'value'), name ?? ''), spread: false };
}

function lowerBinary(lowering: Lowering, node: Node): Expression {
  const at = node.start;
  const left = lowerValue(lowering, child(node, 'left'));
  const right = lowerValue(lowering, child(node, 'right'));
  switch (text(node, 'operator')) {
    case '==':
    case '===':
      return { kind: 'compare', operator: 'equal', left, right, at };
    case '!=':
    case '!==':
      return { kind: 'compare', operator: 'unequal', left, right, at };
    case 'in':
      return { kind: 'compare', operator: 'in', left, right, at };
    case '<':
    case '>':
    case '<=':
    case '>=':
    case 'instanceof':
      return { kind: 'compare', operator: 'order', left, right, at };
    default:
      return { kind: 'mix', parts: [left, right], at };
  }
}

function lowerAssignment(lowering: Lowering, node: Node): Expression {
  const at = node.start;
  const target = lowerPattern(lowering, child(node, 'left'));
  const value = lowerValue(lowering, child(node, 'right'));
  const sign = text(node, 'operator');
  return { kind: 'assign', target, value, adds: sign !== '=', at };
}

/** Markup and all else: whatever is inside goes into it. */
function lowerMixed(lowering: Lowering, node: Node): Expression {
  const parts: Expression[] = [];
  for (const key of ['openingElement', 'attributes', 'children', 'expression', 'argument', 'value']) {
    for (const inner of [child(node, key), ...children(node, key)]) {
      if (inner !== null) parts.push(lowerValue(lowering, inner));
    }
  }
  return { kind: 'mix', parts, at: node.start };
}

function lowerPattern(lowering: Lowering, given: Node | null): Pattern {
  const node = unwrapped(given);
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
    case 'ObjectPattern':
      return lowerFields(lowering, node);
    case 'ArrayPattern':
      return lowerItems(lowering, node);
  }
  return { kind: 'variable', variable: lowering.scope.fresh(), name: '', at };
}

function lowerFields(lowering: Lowering, node: Node): Pattern {
  const at = node.start;
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

function lowerItems(lowering: Lowering, node: Node): Pattern {
  const at = node.start;
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

function lowerCallable(lowering: Lowering, node: Node, name: string, owner = false): Callable {
  return lowering.inner(
    () => {
      const own = child(node, 'id');
      if (node.type === 'FunctionExpression' && own !== null && !owner) declareNames(own, lowering.scope);
      const listed = children(node, 'params');
      for (const one of listed) declareNames(one, lowering.scope);
      const parameters = listed.map((one) => lowerParameter(lowering, one));
      const body = child(node, 'body');
      const kept = listed.flatMap((one, index) => parameterProperty(one, parameters[index]));
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
function parameterProperty(node: Node, parameter: Parameter | undefined): readonly Statement[] {
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

function lowerClass(lowering: Lowering, node: Node): ClassShape {
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

const lowerWhile: Rule<readonly Statement[]> = (lowering, node) => [
  {
    kind: 'while',
    test: lowerValue(lowering, child(node, 'test')),
    body: lowerBlock(lowering, child(node, 'body')),
    update: null,
    first: node.type === 'DoWhileStatement',
    at: node.start,
  },
];

/** How each kind of node in the place of a statement is lowered; any other is none. */
const statements: ReadonlyMap<string, Rule<readonly Statement[]>> = new Map(
  Object.entries<Rule<readonly Statement[]>>({
    ExpressionStatement: (lowering, node) => [
      { kind: 'do', value: lowerValue(lowering, child(node, 'expression')), at: node.start },
    ],
    VariableDeclaration: (lowering, node) =>
      children(node, 'declarations').map((one): Statement => {
        const init = child(one, 'init');
        const value = init === null ? null : lowerValue(lowering, init, text(child(one, 'id'), 'name'));
        return { kind: 'let', target: lowerPattern(lowering, child(one, 'id')), value, at: node.start };
      }),
    FunctionDeclaration: (lowering, node) => {
      const value = lowerFunction(lowering, node, text(child(node, 'id'), 'name'));
      return [{ kind: 'let', target: lowerPattern(lowering, child(node, 'id')), value, at: node.start }];
    },
    ClassDeclaration: (lowering, node) => {
      const value = lowerClassValue(lowering, node);
      return [{ kind: 'let', target: lowerPattern(lowering, child(node, 'id')), value, at: node.start }];
    },
    ReturnStatement: (lowering, node) => {
      const value = child(node, 'argument');
      return [{ kind: 'return', value: value === null ? null : lowerValue(lowering, value), at: node.start }];
    },
    ThrowStatement: (lowering, node) => [
      { kind: 'throw', value: lowerValue(lowering, child(node, 'argument')), at: node.start },
    ],
    IfStatement: (lowering, node) => [
      {
        kind: 'branch',
        test: lowerValue(lowering, child(node, 'test')),
        yes: lowerBlock(lowering, child(node, 'consequent')),
        no: lowerBlock(lowering, child(node, 'alternate')),
        at: node.start,
      },
    ],
    BlockStatement: lowerBlock,
    LabeledStatement: (lowering, node) => lowerBlock(lowering, child(node, 'body')),
    ForStatement: lowerFor,
    WhileStatement: lowerWhile,
    DoWhileStatement: lowerWhile,
    ForOfStatement: lowerEach,
    ForInStatement: lowerEach,
    SwitchStatement: lowerSwitch,
    TryStatement: lowerTry,
    BreakStatement: (_, node) => [{ kind: 'break', at: node.start }],
    ContinueStatement: (_, node) => [{ kind: 'continue', at: node.start }],
    ExportNamedDeclaration: lowerExport,
    ExportDefaultDeclaration: lowerExport,
    ExportAllDeclaration: lowerExport,
    TSExportAssignment: (lowering, node) => {
      lowering.offers.set('default', { value: lowerValue(lowering, child(node, 'expression')) });
      return [];
    },
  }),
);

function lowerStatement(lowering: Lowering, node: Node): readonly Statement[] {
  return statements.get(node.type)?.(lowering, node) ?? [];
}

function lowerFor(lowering: Lowering, node: Node): readonly Statement[] {
  return lowering.inner((): Statement[] => {
    const at = node.start;
    const init = child(node, 'init');
    const first = init === null ? [] : lowerStatements(lowering, [asStatement(init)]);
    const test = child(node, 'test');
    const update = child(node, 'update');
    return [
      ...first,
      {
        kind: 'while',
        test: test === null ? { kind: 'constant', value: true, at } : lowerValue(lowering, test),
        body: lowerBlock(lowering, child(node, 'body')),
        update: update === null ? null : lowerValue(lowering, update),
        first: false,
        at,
      },
    ];
  });
}

function lowerEach(lowering: Lowering, node: Node): readonly Statement[] {
  return lowering.inner((): Statement[] => {
    const left = child(node, 'left');
    const over = lowerValue(lowering, child(node, 'right'));
    if (left?.type === 'VariableDeclaration') declare(lowering, left);
    const target =
      left?.type === 'VariableDeclaration' ? child(children(left, 'declarations')[0] ?? null, 'id') : left;
    return [
      {
        kind: 'each',
        target: lowerPattern(lowering, target),
        over,
        body: lowerBlock(lowering, child(node, 'body')),
        waits: node['await'] === true,
        at: node.start,
      },
    ];
  });
}

function lowerSwitch(lowering: Lowering, node: Node): readonly Statement[] {
  return lowering.inner((): Statement[] => {
    const cases = children(node, 'cases');
    for (const one of cases) for (const inside of children(one, 'consequent')) declare(lowering, inside);
    return [
      {
        kind: 'switch',
        value: lowerValue(lowering, child(node, 'discriminant')),
        arms: cases.map((one) => {
          const test = child(one, 'test');
          return {
            test: test === null ? null : lowerValue(lowering, test),
            body: children(one, 'consequent').flatMap((inside) => lowerStatement(lowering, inside)),
          };
        }),
        at: node.start,
      },
    ];
  });
}

function lowerTry(lowering: Lowering, node: Node): readonly Statement[] {
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
      at: node.start,
    },
  ];
}

/** What stands at the head of `for` as a statement. */
function asStatement(node: Node): Node {
  return node.type === 'VariableDeclaration'
    ? node
    : { type: 'ExpressionStatement', start: node.start, end: node.end, expression: node };
}

function lowerExport(lowering: Lowering, node: Node): readonly Statement[] {
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
