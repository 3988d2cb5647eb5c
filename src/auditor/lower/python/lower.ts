// Lowers Python to the intermediate form: expressions, patterns, callables and statements, which hold one another.

import type { PythonNode } from '../../../core/index.ts';
import type {
  Argument,
  Block,
  Callable,
  ClassShape,
  Constant,
  Entry,
  Expression,
  Parameter,
  Pattern,
  Statement,
} from '../../ir.ts';
import type { Lowering } from '../lowering.ts';
import { bindTargets, declareIn, lowerDotted, lowerName } from './bindings.ts';
import { emptyNode, identifiers, named } from './nodes.ts';

type Rule<Result> = (lowering: Lowering, node: PythonNode) => Result;

const constant =
  (read: (text: string) => Constant): Rule<Expression> =>
  (_, node) => ({ kind: 'constant', value: read(node.text), at: node.start });
const lowerFirst: Rule<Expression> = (lowering, node) => lowerValue(lowering, named(node)[0] ?? null);
const lowerNumber = constant((text) => Number(text.replaceAll('_', '')));

/** How each kind of node in the place of a value is lowered. */
const values: ReadonlyMap<string, Rule<Expression>> = new Map(
  Object.entries<Rule<Expression>>({
    identifier: (lowering, node) => lowerName(lowering, node.text, node.start),
    string: lowerString,
    concatenated_string: lowerString,
    integer: lowerNumber,
    float: lowerNumber,
    true: constant(() => true),
    false: constant(() => false),
    none: constant(() => null),
    parenthesized_expression: lowerFirst,
    type: lowerFirst,
    attribute: (lowering, node) => ({
      kind: 'member',
      object: lowerValue(lowering, node.field('object')),
      property: node.field('attribute')?.text ?? null,
      at: node.start,
    }),
    subscript: lowerSubscript,
    call: (lowering, node) => ({
      kind: 'call',
      callee: lowerValue(lowering, node.field('function')),
      arguments: lowerArguments(lowering, node.field('arguments')),
      at: node.start,
      end: node.end,
    }),
    await: (lowering, node) => ({ kind: 'await', value: lowerFirst(lowering, node), at: node.start }),
    lambda: (lowering, node) => ({
      kind: 'function',
      function: lowerCallable(lowering, node, 'lambda', node.field('body'), []),
      at: node.start,
    }),
    list: lowerList,
    tuple: lowerList,
    set: lowerList,
    expression_list: lowerList,
    dictionary: (lowering, node) => ({
      kind: 'object',
      entries: named(node).map((entry) => lowerEntry(lowering, entry)),
      at: node.start,
    }),
    boolean_operator: (lowering, node) => ({
      kind: 'logic',
      operator: node.field('operator')?.text === 'and' ? 'and' : 'or',
      left: lowerValue(lowering, node.field('left')),
      right: lowerValue(lowering, node.field('right')),
      at: node.start,
    }),
    not_operator: (lowering, node) => ({
      kind: 'not',
      value: lowerValue(lowering, node.field('argument')),
      at: node.start,
    }),
    comparison_operator: lowerComparison,
    conditional_expression: (lowering, node) => {
      const [yes = null, test = null, no = null] = named(node);
      return {
        kind: 'choice',
        test: lowerValue(lowering, test),
        yes: lowerValue(lowering, yes),
        no: lowerValue(lowering, no),
        at: node.start,
      };
    },
    named_expression: lowerAssignment,
    assignment: lowerAssignment,
    augmented_assignment: lowerAssignment,
    yield: (lowering, node) => ({
      kind: 'yield',
      value: lowerFirst(lowering, node),
      all: node.children.some(({ type }) => type === 'from'),
      at: node.start,
    }),
    list_comprehension: lowerComprehension,
    set_comprehension: lowerComprehension,
    generator_expression: lowerComprehension,
    dictionary_comprehension: lowerComprehension,
    keyword_argument: (lowering, node) => lowerValue(lowering, node.field('value')),
  }),
);

function lowerValue(lowering: Lowering, node: PythonNode | null): Expression {
  if (node === null) return { kind: 'constant', value: null, at: 0 };
  // Chains such as `prompt | model`, sums and all else: whatever is inside goes into it.
  return (values.get(node.type) ?? lowerMix)(lowering, node);
}

function lowerSubscript(lowering: Lowering, node: PythonNode): Expression {
  const at = node.start;
  const cut = node.field('subscript');
  if (cut?.type === 'slice') {
    const object = lowerValue(lowering, node.field('value'));
    const callee: Expression = { kind: 'member', object, property: 'slice', at };
    const bounds = named(cut).map((value) => ({ value: lowerValue(lowering, value) }));
    return { kind: 'call', callee, arguments: bounds, at, end: node.end };
  }
  const key = lowerValue(lowering, node.field('subscript'));
  const value = key.kind === 'constant' && typeof key.value !== 'boolean' ? key.value : undefined;
  return {
    kind: 'member',
    object: lowerValue(lowering, node.field('value')),
    property: typeof value === 'string' || typeof value === 'number' ? String(value) : null,
    key,
    at,
  };
}

function lowerList(lowering: Lowering, node: PythonNode): Expression {
  return {
    kind: 'list',
    items: named(node).map((item) => ({
      value: lowerValue(lowering, item.type === 'list_splat' ? (named(item)[0] ?? item) : item),
      spread: item.type === 'list_splat',
    })),
    at: node.start,
  };
}

function lowerAssignment(lowering: Lowering, node: PythonNode): Expression {
  return {
    kind: 'assign',
    target: lowerPattern(lowering, node.field('left') ?? node.field('name')),
    value: lowerValue(lowering, node.field('right') ?? node.field('value')),
    adds: node.type === 'augmented_assignment',
    at: node.start,
  };
}

function lowerMix(lowering: Lowering, node: PythonNode): Expression {
  return { kind: 'mix', parts: named(node).map((part) => lowerValue(lowering, part)), at: node.start };
}

function lowerString(lowering: Lowering, node: PythonNode): Expression {
  const pieces: PythonNode[] = [];
  const open = [node];
  for (let piece = open.pop(); piece !== undefined; piece = open.pop()) {
    if (piece.type === 'string_content' || piece.type === 'interpolation') pieces.push(piece);
    else open.push(...[...piece.children].reverse());
  }
  const texts = pieces.map((piece): Expression => {
    return piece.type === 'string_content'
      ? { kind: 'constant', value: piece.text, at: piece.start }
      : lowerValue(lowering, named(piece)[0] ?? null);
  });
  const at = node.start;
  if (texts.every(({ kind }) => kind === 'constant')) {
    return { kind: 'constant', value: pieces.map(({ text }) => text).join(''), at };
  }
  return { kind: 'mix', parts: texts, at };
}

function lowerArguments(lowering: Lowering, node: PythonNode | null): readonly Argument[] {
  if (node === null) return [];
  if (node.type === 'generator_expression') return [{ value: lowerComprehension(lowering, node) }];
  return named(node).map((part): Argument => {
    if (part.type === 'keyword_argument') {
      return { name: part.field('name')?.text ?? '', value: lowerValue(lowering, part.field('value')) };
    }
    if (/_splat$/.test(part.type))
      return { value: lowerValue(lowering, named(part)[0] ?? null), spread: true };
    return { value: lowerValue(lowering, part) };
  });
}

function lowerEntry(lowering: Lowering, node: PythonNode): Entry {
  if (node.type === 'pair') {
    const key = node.field('key');
    const written = lowerValue(lowering, key);
    const constant = written.kind === 'constant' ? String(written.value) : null;
    return { key: constant, value: lowerValue(lowering, node.field('value')), spread: false };
  }
  return { key: null, value: lowerValue(lowering, named(node)[0] ?? node), spread: true };
}

function lowerComparison(lowering: Lowering, node: PythonNode): Expression {
  const at = node.start;
  const [left = null, right = null] = named(node);
  const words = node.children
    .filter((child) => child !== left && child !== right)
    .map(({ text }) => text)
    .join(' ');
  const operator =
    words === 'in'
      ? 'in'
      : words === 'not in'
        ? 'not in'
        : words === '==' || words === 'is'
          ? 'equal'
          : words === '!=' || words === 'is not'
            ? 'unequal'
            : 'order';
  return {
    kind: 'compare',
    operator,
    left: lowerValue(lowering, left),
    right: lowerValue(lowering, right),
    at,
  };
}

/** A comprehension is a callback for each item: `[f(x) for x in list]` is `list.map(x => f(x))`. */
function lowerComprehension(lowering: Lowering, node: PythonNode): Expression {
  const at = node.start;
  const clauses = named(node).filter(({ type }) => type === 'for_in_clause' || type === 'if_clause');
  const build = (index: number): Expression => {
    const clause = clauses[index];
    if (clause === undefined) {
      const body = node.field('body');
      return body?.type === 'pair'
        ? { kind: 'object', entries: [lowerEntry(lowering, body)], at }
        : lowerValue(lowering, body);
    }
    if (clause.type === 'if_clause') {
      return {
        kind: 'choice',
        test: lowerValue(lowering, named(clause)[0] ?? null),
        yes: build(index + 1),
        no: { kind: 'constant', value: undefined, at },
        at,
      };
    }
    const over = lowerValue(lowering, clause.field('right'));
    const left = clause.field('left');
    const callable = lowering.inner(
      (): Callable => {
        bindTargets(lowering, left, new Set());
        return {
          name: '',
          parameters: [{ target: lowerPattern(lowering, left), name: left?.text ?? '', rest: false }],
          body: [{ kind: 'return', value: build(index + 1), at }],
          async: false,
          yields: false,
          decorators: [],
          at,
          end: node.end,
          module: lowering.module,
        };
      },
      { whole: true },
    );
    lowering.callables.push(callable);
    return {
      kind: 'call',
      callee: { kind: 'member', object: over, property: 'map', at },
      arguments: [{ value: { kind: 'function', function: callable, at } }],
      at,
      end: node.end,
    };
  };
  return build(0);
}

function lowerPattern(lowering: Lowering, node: PythonNode | null): Pattern {
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

function lowerDefinition(lowering: Lowering, node: PythonNode, decorators: readonly Expression[]): Statement {
  const name = node.field('name');
  const callable = lowerCallable(lowering, node, name?.text ?? '', node.field('body'), decorators);
  const value: Expression = { kind: 'function', function: callable, at: node.start };
  return { kind: 'let', target: lowerPattern(lowering, name), value, at: node.start };
}

function lowerClass(lowering: Lowering, node: PythonNode): Statement {
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
      const marks = lowerDecorators(lowering, part);
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

function lowerCallable(
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

export function lowerBlock(lowering: Lowering, node: PythonNode | null): Block {
  return node === null ? [] : named(node).flatMap((child) => lowerStatement(lowering, child));
}

const nothing: Rule<readonly Statement[]> = () => [];

/** How each kind of node in the place of a statement is lowered. */
const statements: ReadonlyMap<string, Rule<readonly Statement[]>> = new Map(
  Object.entries<Rule<readonly Statement[]>>({
    expression_statement: (lowering, node) =>
      named(node).map((value) => ({ kind: 'do', value: lowerValue(lowering, value), at: node.start })),
    return_statement: (lowering, node) => [
      { kind: 'return', value: lowerOptional(lowering, node), at: node.start },
    ],
    raise_statement: (lowering, node) => [
      { kind: 'throw', value: lowerOptional(lowering, node), at: node.start },
    ],
    assert_statement: (lowering, node) => {
      const test = lowerOptional(lowering, node);
      const at = node.start;
      return test === null
        ? []
        : [{ kind: 'branch', test, yes: [], no: [{ kind: 'throw', value: null, at }], at }];
    },
    if_statement: (lowering, node) => [
      lowerBranch(
        lowering,
        node,
        node.children.filter(({ type }) => /^el(if|se)_clause$/.test(type)),
      ),
    ],
    for_statement: (lowering, node) => [
      {
        kind: 'each',
        target: lowerPattern(lowering, node.field('left')),
        over: lowerValue(lowering, node.field('right')),
        body: lowerBlock(lowering, node.field('body')),
        waits: node.children.some(({ type }) => type === 'async'),
        at: node.start,
      },
      ...lowerBlock(lowering, node.field('alternative')?.field('body') ?? null),
    ],
    while_statement: (lowering, node) => [
      {
        kind: 'while',
        test: lowerValue(lowering, node.field('condition')),
        body: lowerBlock(lowering, node.field('body')),
        update: null,
        first: false,
        at: node.start,
      },
      ...lowerBlock(lowering, node.field('alternative')?.field('body') ?? null),
    ],
    try_statement: (lowering, node) => [lowerTry(lowering, node)],
    with_statement: lowerWith,
    match_statement: (lowering, node) => [lowerMatch(lowering, node)],
    break_statement: (_, node) => [{ kind: 'break', at: node.start }],
    continue_statement: (_, node) => [{ kind: 'continue', at: node.start }],
    function_definition: (lowering, node) => [lowerDefinition(lowering, node, [])],
    class_definition: (lowering, node) => [lowerClass(lowering, node)],
    decorated_definition: (lowering, node) => {
      const definition = node.field('definition');
      if (definition === null) return [];
      const decorators = lowerDecorators(lowering, node);
      return [
        definition.type === 'class_definition'
          ? lowerClass(lowering, definition)
          : lowerDefinition(lowering, definition, decorators),
      ];
    },
    import_statement: nothing,
    import_from_statement: nothing,
    future_import_statement: nothing,
    pass_statement: nothing,
    global_statement: nothing,
    nonlocal_statement: nothing,
    comment: nothing,
    block: lowerBlock,
  }),
);

function lowerStatement(lowering: Lowering, node: PythonNode): readonly Statement[] {
  const rule = statements.get(node.type);
  return rule?.(lowering, node) ?? [{ kind: 'do', value: lowerMix(lowering, node), at: node.start }];
}

/** The value behind a keyword, if there is one. */
function lowerOptional(lowering: Lowering, node: PythonNode): Expression | null {
  const [value] = named(node);
  return value === undefined ? null : lowerValue(lowering, value);
}

function lowerDecorators(lowering: Lowering, node: PythonNode): readonly Expression[] {
  return node.children
    .filter(({ type }) => type === 'decorator')
    .flatMap((decorator) => named(decorator).map((value) => lowerValue(lowering, value)));
}

function lowerBranch(lowering: Lowering, node: PythonNode, rest: readonly PythonNode[]): Statement {
  const [next, ...others] = rest;
  const no =
    next === undefined
      ? []
      : next.type === 'else_clause'
        ? lowerBlock(lowering, next.field('body'))
        : [lowerBranch(lowering, next, others)];
  return {
    kind: 'branch',
    test: lowerValue(lowering, node.field('condition')),
    yes: lowerBlock(lowering, node.field('consequence')),
    no,
    at: node.start,
  };
}

function lowerTry(lowering: Lowering, node: PythonNode): Statement {
  const at = node.start;
  const clauses = node.children.filter(({ type }) => /^except_(group_)?clause$/.test(type));
  const otherwise = node.children.find(({ type }) => type === 'else_clause');
  const last = node.children.find(({ type }) => type === 'finally_clause');
  const handlers = clauses.map((clause) => {
    const body = clause.children.find(({ type }) => type === 'block') ?? null;
    const target = named(clause)
      .filter(({ type }) => type === 'as_pattern')
      .flatMap((part) => part.children.filter(({ type }) => type === 'as_pattern_target'))
      .flatMap(named)[0];
    const bound: Statement[] =
      target === undefined
        ? []
        : [{ kind: 'let', target: lowerPattern(lowering, target), value: null, at: target.start }];
    return [...bound, ...lowerBlock(lowering, body)];
  });
  // One of several handlers is taken, and nobody knows which.
  const handler = handlers.reduceRight<Block | null>(
    (others, body) =>
      others === null
        ? body
        : [{ kind: 'branch', test: unknown(at), yes: body, no: others, at: body[0]?.at ?? at }],
    null,
  );
  return {
    kind: 'try',
    body: [
      ...lowerBlock(lowering, node.field('body')),
      ...lowerBlock(lowering, otherwise?.field('body') ?? null),
    ],
    error: null,
    handler,
    last: lowerBlock(lowering, last?.children.find(({ type }) => type === 'block') ?? null),
    at,
  };
}

function lowerWith(lowering: Lowering, node: PythonNode): readonly Statement[] {
  const at = node.start;
  const items = named(node)
    .filter(({ type }) => type === 'with_clause')
    .flatMap(named);
  const opened: Statement[] = [];
  let suppresses = false;
  for (const item of items) {
    const value = item.field('value') ?? item;
    const [target] = value.children.filter(({ type }) => type === 'as_pattern_target').flatMap(named);
    const [manager = value] = value.type === 'as_pattern' ? named(value) : [value];
    suppresses ||= /^(contextlib\.)?suppress\(/.test(manager.text);
    const given = lowerValue(lowering, manager);
    opened.push(
      target === undefined
        ? { kind: 'do', value: given, at: item.start }
        : {
            kind: 'let',
            target: lowerPattern(lowering, target),
            value: { kind: 'await', value: given, at },
            at,
          },
    );
  }
  const body = lowerBlock(lowering, node.field('body'));
  return suppresses
    ? [...opened, { kind: 'try', body, error: null, handler: [], last: [], at }]
    : [...opened, ...body];
}

function lowerMatch(lowering: Lowering, node: PythonNode): Statement {
  const cases = named(node)
    .flatMap((part) => (part.type === 'block' ? named(part) : [part]))
    .filter(({ type }) => type === 'case_clause');
  const subject = node.field('subject');
  const value = lowerValue(lowering, subject);
  return {
    kind: 'switch',
    value,
    arms: cases.map((clause) => {
      const patterns = named(clause).filter(({ type }) => type === 'case_pattern');
      const bound = patterns.flatMap(identifiers).map(
        (name): Statement => ({
          kind: 'let',
          target: lowerPattern(lowering, name),
          value: lowerValue(lowering, subject),
          at: name.start,
        }),
      );
      const text = patterns.map(({ text: written }) => written).join(',');
      const open = text === '_' || bound.length > 0;
      return {
        test: open ? null : { kind: 'constant', value: text.replaceAll(/['"]/g, ''), at: clause.start },
        body: [
          ...bound,
          ...lowerBlock(lowering, clause.field('consequence')),
          { kind: 'break', at: clause.end },
        ],
      };
    }),
    at: node.start,
  };
}

function unknown(at: number): Expression {
  return { kind: 'mix', parts: [], at };
}
