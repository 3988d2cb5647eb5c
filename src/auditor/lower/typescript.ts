// Lowers TypeScript and JavaScript, as oxc reads them.

import type { JavascriptNode, ModuleReader } from '../../core/index.ts';
import type {
  Argument,
  Block,
  Callable,
  ClassShape,
  Counter,
  Entry,
  Expression,
  Import,
  Module,
  Offer,
  Parameter,
  Pattern,
  Statement,
} from '../ir.ts';
import { Scope } from './scope.ts';

type Node = JavascriptNode;

export function lowerTypescript(
  path: string,
  source: string,
  reader: Pick<ModuleReader, 'read'>,
  counter: Counter,
): Module {
  const { program, errors, comments } = reader.read(source, path);
  const broken = errors.length > 0 ? [{ message: 'this cannot be read', at: 0 }] : [];
  const notes = comments.map(({ value, start }) => ({ text: value, at: start }));
  return new Lowering({ path, source, comments: notes, broken }, program, counter).module;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function child(node: Node | null, key: string): Node | null {
  const value = node?.[key];
  return isNode(value) ? value : null;
}

function children(node: Node | null, key: string): readonly Node[] {
  const value = node?.[key];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function text(node: Node | null, key: string): string {
  const value = node?.[key];
  return typeof value === 'string' ? value : '';
}

/** What only the compiler reads around a value. */
const wrappers: ReadonlySet<string> = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
  'ChainExpression',
  'ParenthesizedExpression',
]);

class Lowering {
  readonly module: Module;
  #scope: Scope;
  readonly #counter: Counter;
  readonly #imports: Import[] = [];
  readonly #offers = new Map<string, Offer>();
  readonly #stars: string[] = [];
  readonly #callables: Callable[] = [];

  constructor(
    about: Pick<Module, 'path' | 'source' | 'comments' | 'broken'>,
    program: Node,
    counter: Counter,
  ) {
    this.#counter = counter;
    this.#scope = new Scope(counter, null, { whole: true });
    const body: Statement[] = [];
    this.module = {
      ...about,
      language: 'typescript',
      body,
      imports: this.#imports,
      offers: this.#offers,
      names: this.#scope.names,
      stars: this.#stars,
      callables: this.#callables,
    };
    body.push(...this.#statements(children(program, 'body')));
  }

  // ── statements

  /** Statements in the scope at hand, functions first, as they are hoisted. */
  #statements(nodes: readonly Node[]): Block {
    for (const node of nodes) this.#declare(node);
    const isFunction = (node: Node) =>
      node.type === 'FunctionDeclaration' || child(node, 'declaration')?.type === 'FunctionDeclaration';
    const hoisted = nodes.filter(isFunction);
    return [...hoisted, ...nodes.filter((node) => !isFunction(node))].flatMap((node) =>
      this.#statement(node),
    );
  }

  #declare(node: Node): void {
    switch (node.type) {
      case 'VariableDeclaration': {
        const scope = text(node, 'kind') === 'var' ? this.#scope.function : this.#scope;
        for (const one of children(node, 'declarations')) declareNames(child(one, 'id'), scope);
        return;
      }
      case 'FunctionDeclaration':
      case 'ClassDeclaration':
      case 'TSEnumDeclaration':
        declareNames(child(node, 'id'), this.#scope);
        return;
      case 'ExportNamedDeclaration':
      case 'ExportDefaultDeclaration': {
        const inner = child(node, 'declaration');
        if (inner !== null) this.#declare(inner);
        return;
      }
      case 'ImportDeclaration':
        this.#import(node);
    }
  }

  #import(node: Node): void {
    const from = text(child(node, 'source'), 'value');
    for (const one of children(node, 'specifiers')) {
      const variable = this.#scope.declare(text(child(one, 'local'), 'name'));
      const imported = child(one, 'imported');
      const name =
        one.type === 'ImportNamespaceSpecifier'
          ? '*'
          : one.type === 'ImportDefaultSpecifier'
            ? 'default'
            : text(imported, 'name') || text(imported, 'value');
      this.#imports.push({ variable, from, name });
    }
  }

  #inner<Result>(work: () => Result, whole = false): Result {
    const outer = this.#scope;
    this.#scope = new Scope(this.#counter, outer, { whole });
    try {
      return work();
    } finally {
      this.#scope = outer;
    }
  }

  #block(node: Node | null): Block {
    if (node === null) return [];
    return this.#inner(() =>
      this.#statements(node.type === 'BlockStatement' ? children(node, 'body') : [node]),
    );
  }

  #statement(node: Node): readonly Statement[] {
    const at = node.start;
    switch (node.type) {
      case 'ExpressionStatement':
        return [{ kind: 'do', value: this.#value(child(node, 'expression')), at }];
      case 'VariableDeclaration':
        return children(node, 'declarations').map((one): Statement => {
          const init = child(one, 'init');
          const value = init === null ? null : this.#value(init, text(child(one, 'id'), 'name'));
          return { kind: 'let', target: this.#pattern(child(one, 'id')), value, at };
        });
      case 'FunctionDeclaration': {
        const callable = this.#callable(node, text(child(node, 'id'), 'name'));
        const value: Expression = { kind: 'function', function: callable, at };
        return [{ kind: 'let', target: this.#pattern(child(node, 'id')), value, at }];
      }
      case 'ClassDeclaration': {
        const value: Expression = { kind: 'class', class: this.#class(node), at };
        return [{ kind: 'let', target: this.#pattern(child(node, 'id')), value, at }];
      }
      case 'ReturnStatement': {
        const value = child(node, 'argument');
        return [{ kind: 'return', value: value === null ? null : this.#value(value), at }];
      }
      case 'ThrowStatement':
        return [{ kind: 'throw', value: this.#value(child(node, 'argument')), at }];
      case 'IfStatement':
        return [
          {
            kind: 'branch',
            test: this.#value(child(node, 'test')),
            yes: this.#block(child(node, 'consequent')),
            no: this.#block(child(node, 'alternate')),
            at,
          },
        ];
      case 'BlockStatement':
        return this.#block(node);
      case 'LabeledStatement':
        return this.#block(child(node, 'body'));
      case 'ForStatement':
        return this.#inner(() => {
          const init = child(node, 'init');
          const first = init === null ? [] : this.#statements([asStatement(init)]);
          const test = child(node, 'test');
          const update = child(node, 'update');
          return [
            ...first,
            {
              kind: 'while' as const,
              test: test === null ? { kind: 'constant' as const, value: true, at } : this.#value(test),
              body: this.#block(child(node, 'body')),
              update: update === null ? null : this.#value(update),
              first: false,
              at,
            },
          ];
        });
      case 'WhileStatement':
      case 'DoWhileStatement':
        return [
          {
            kind: 'while',
            test: this.#value(child(node, 'test')),
            body: this.#block(child(node, 'body')),
            update: null,
            first: node.type === 'DoWhileStatement',
            at,
          },
        ];
      case 'ForOfStatement':
      case 'ForInStatement':
        return this.#inner(() => {
          const left = child(node, 'left');
          const over = this.#value(child(node, 'right'));
          if (left?.type === 'VariableDeclaration') this.#declare(left);
          const target =
            left?.type === 'VariableDeclaration'
              ? child(children(left, 'declarations')[0] ?? null, 'id')
              : left;
          return [
            {
              kind: 'each' as const,
              target: this.#pattern(target),
              over,
              body: this.#block(child(node, 'body')),
              waits: node['await'] === true,
              at,
            },
          ];
        });
      case 'SwitchStatement':
        return this.#inner(() => {
          const cases = children(node, 'cases');
          for (const one of cases) for (const inside of children(one, 'consequent')) this.#declare(inside);
          return [
            {
              kind: 'switch' as const,
              value: this.#value(child(node, 'discriminant')),
              arms: cases.map((one) => {
                const test = child(one, 'test');
                return {
                  test: test === null ? null : this.#value(test),
                  body: children(one, 'consequent').flatMap((inside) => this.#statement(inside)),
                };
              }),
              at,
            },
          ];
        });
      case 'TryStatement': {
        const clause = child(node, 'handler');
        const caught =
          clause === null
            ? null
            : this.#inner(() => {
                const parameter = child(clause, 'param');
                if (parameter !== null) declareNames(parameter, this.#scope);
                const error = parameter === null ? null : this.#pattern(parameter);
                return { error, body: this.#block(child(clause, 'body')) };
              });
        return [
          {
            kind: 'try',
            body: this.#block(child(node, 'block')),
            error: caught?.error ?? null,
            handler: caught?.body ?? null,
            last: this.#block(child(node, 'finalizer')),
            at,
          },
        ];
      }
      case 'BreakStatement':
        return [{ kind: 'break', at }];
      case 'ContinueStatement':
        return [{ kind: 'continue', at }];
      case 'ExportNamedDeclaration':
      case 'ExportDefaultDeclaration':
      case 'ExportAllDeclaration':
        return this.#export(node);
      case 'TSExportAssignment':
        this.#offers.set('default', { value: this.#value(child(node, 'expression')) });
        return [];
      default:
        return [];
    }
  }

  #export(node: Node): readonly Statement[] {
    const from = child(node, 'source') === null ? null : text(child(node, 'source'), 'value');
    if (node.type === 'ExportAllDeclaration') {
      const name = text(child(node, 'exported'), 'name');
      if (from !== null && name !== '') this.#offers.set(name, { from, name: '*' });
      else if (from !== null) this.#stars.push(from);
      return [];
    }
    const declared = child(node, 'declaration');
    if (node.type === 'ExportDefaultDeclaration' && declared !== null) {
      const name = text(child(declared, 'id'), 'name');
      if (name !== '') {
        const lowered = this.#statement(declared);
        this.#offers.set('default', { variable: this.#scope.declare(name) });
        return lowered;
      }
      const value = this.#value(declared, 'default');
      const variable = this.#scope.fresh();
      this.#offers.set('default', { variable });
      const at = node.start;
      return [{ kind: 'let', target: { kind: 'variable', variable, name: 'default', at }, value, at }];
    }
    for (const one of children(node, 'specifiers')) {
      const local = text(child(one, 'local'), 'name') || text(child(one, 'local'), 'value');
      const name = text(child(one, 'exported'), 'name') || text(child(one, 'exported'), 'value');
      if (from !== null) this.#offers.set(name, { from, name: local });
      else this.#offers.set(name, { variable: this.#scope.declare(local) });
    }
    if (declared === null) return [];
    const names = new Scope(this.#counter, null);
    const ids =
      declared.type === 'VariableDeclaration'
        ? children(declared, 'declarations').map((one) => child(one, 'id'))
        : [child(declared, 'id')];
    for (const id of ids) declareNames(id, names);
    for (const name of names.names.keys()) this.#offers.set(name, { variable: this.#scope.declare(name) });
    return this.#statement(declared);
  }

  // ── functions and classes

  #callable(node: Node, name: string, owner = false): Callable {
    return this.#inner(() => {
      const own = child(node, 'id');
      if (node.type === 'FunctionExpression' && own !== null && !owner) declareNames(own, this.#scope);
      const listed = children(node, 'params');
      for (const one of listed) declareNames(one, this.#scope);
      const parameters = listed.map((one) => this.#parameter(one));
      const body = child(node, 'body');
      const kept = listed.flatMap((one, index) => this.#property(one, parameters[index]));
      const lowered: Block =
        body === null
          ? []
          : body.type === 'BlockStatement'
            ? this.#statements(children(body, 'body'))
            : [{ kind: 'return', value: this.#value(body), at: body.start }];
      const callable: Callable = {
        name,
        parameters,
        body: [...kept, ...lowered],
        async: node['async'] === true,
        yields: node['generator'] === true,
        decorators: [],
        at: node.start,
        end: node.end,
        module: this.module,
      };
      this.#callables.push(callable);
      return callable;
    }, true);
  }

  /** A parameter that is a field too is put into the field. */
  #property(node: Node, parameter: Parameter | undefined): readonly Statement[] {
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

  #parameter(given: Node): Parameter {
    const node = given.type === 'TSParameterProperty' ? (child(given, 'parameter') ?? given) : given;
    const rest = node.type === 'RestElement';
    const inner = rest
      ? child(node, 'argument')
      : node.type === 'AssignmentPattern'
        ? child(node, 'left')
        : node;
    const fallback = node.type === 'AssignmentPattern' ? child(node, 'right') : null;
    const type = this.#type(child(inner, 'typeAnnotation'));
    return {
      target: this.#pattern(inner),
      name: text(inner, 'name'),
      rest,
      ...(type === null ? {} : { type }),
      ...(fallback === null ? {} : { fallback: this.#value(fallback) }),
    };
  }

  /** The name of a type, where it is one. */
  #type(annotation: Node | null): Expression | null {
    const type = child(annotation, 'typeAnnotation');
    return type?.type === 'TSTypeReference' ? this.#typeName(child(type, 'typeName')) : null;
  }

  #typeName(node: Node | null): Expression | null {
    if (node?.type === 'Identifier') return this.#name(text(node, 'name'), node.start);
    if (node?.type !== 'TSQualifiedName') return null;
    const object = this.#typeName(child(node, 'left'));
    if (object === null) return null;
    return { kind: 'member', object, property: text(child(node, 'right'), 'name'), at: node.start };
  }

  #class(node: Node): ClassShape {
    return this.#inner(() => {
      const own = child(node, 'id');
      const outer = own === null ? undefined : this.#scope.find(text(own, 'name'));
      if (own !== null && outer !== undefined) this.#scope.names.set(text(own, 'name'), outer);
      const methods = new Map<string, Callable>();
      const fields: { name: string; value: Expression | null; type?: Expression; static: boolean }[] = [];
      const base = child(node, 'superClass');
      for (const part of children(child(node, 'body'), 'body')) {
        const key = child(part, 'key');
        const name = text(key, 'name') || text(key, 'value');
        const fixed = part['static'] === true;
        const value = child(part, 'value');
        if (part.type === 'MethodDefinition' && value !== null) {
          methods.set(name, { ...this.#callable(value, name, true), static: fixed });
        } else if (part.type === 'PropertyDefinition' || part.type === 'AccessorProperty') {
          const type = this.#type(child(part, 'typeAnnotation'));
          fields.push({
            name,
            value: value === null ? null : this.#value(value, name),
            ...(type === null ? {} : { type }),
            static: fixed,
          });
        }
      }
      const shape: ClassShape = {
        name: text(own, 'name'),
        base: base === null ? null : this.#value(base),
        methods,
        fields,
        at: node.start,
      };
      for (const method of methods.values()) {
        method.class = shape;
        const listed = this.#callables.findIndex(({ at, end }) => at === method.at && end === method.end);
        if (listed >= 0) this.#callables[listed] = method;
      }
      return shape;
    });
  }

  // ── expressions

  #name(name: string, at: number): Expression {
    if (name === 'undefined') return { kind: 'constant', value: undefined, at };
    const variable = this.#scope.find(name);
    return variable === undefined ? { kind: 'global', name, at } : { kind: 'variable', variable, name, at };
  }

  #value(given: Node | null, named = ''): Expression {
    let node = given;
    while (node !== null && wrappers.has(node.type)) node = child(node, 'expression');
    if (node === null) return { kind: 'constant', value: undefined, at: 0 };
    const at = node.start;
    switch (node.type) {
      case 'Identifier':
        return this.#name(text(node, 'name'), at);
      case 'Literal': {
        const { value } = node;
        const plain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
        return plain || value === null ? { kind: 'constant', value, at } : { kind: 'mix', parts: [], at };
      }
      case 'TemplateLiteral':
        return this.#template(node);
      case 'TaggedTemplateExpression': {
        const quasi = child(node, 'quasi');
        return {
          kind: 'call',
          callee: this.#value(child(node, 'tag')),
          arguments: quasi === null ? [] : [{ value: this.#template(quasi) }],
          at,
          end: node.end,
        };
      }
      case 'ThisExpression':
      case 'Super':
        return { kind: 'this', at };
      case 'MemberExpression':
        return this.#member(node);
      case 'CallExpression':
      case 'NewExpression':
        return {
          kind: 'call',
          callee: this.#value(child(node, 'callee')),
          arguments: children(node, 'arguments').map((one) => this.#argument(one)),
          at,
          end: node.end,
        };
      case 'ImportExpression':
        return {
          kind: 'call',
          callee: { kind: 'global', name: 'import', at },
          arguments: [{ value: this.#value(child(node, 'source')) }],
          at,
          end: node.end,
        };
      case 'AwaitExpression':
        return { kind: 'await', value: this.#value(child(node, 'argument')), at };
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
        return { kind: 'function', function: this.#callable(node, named), at };
      case 'ClassExpression':
      case 'ClassDeclaration':
        return { kind: 'class', class: this.#class(node), at };
      case 'FunctionDeclaration':
        return { kind: 'function', function: this.#callable(node, named), at };
      case 'ObjectExpression':
        return { kind: 'object', entries: children(node, 'properties').map((one) => this.#entry(one)), at };
      case 'ArrayExpression':
        return {
          kind: 'list',
          items: children(node, 'elements').map((item) => ({
            value: this.#value(item.type === 'SpreadElement' ? child(item, 'argument') : item),
            spread: item.type === 'SpreadElement',
          })),
          at,
        };
      case 'LogicalExpression': {
        const sign = text(node, 'operator');
        return {
          kind: 'logic',
          operator: sign === '&&' ? 'and' : sign === '||' ? 'or' : 'nullish',
          left: this.#value(child(node, 'left')),
          right: this.#value(child(node, 'right')),
          at,
        };
      }
      case 'BinaryExpression':
        return this.#binary(node);
      case 'UnaryExpression': {
        const value = this.#value(child(node, 'argument'));
        const sign = text(node, 'operator');
        if (sign === '!') return { kind: 'not', value, at };
        // What is thrown away is not waited for either.
        if (sign === 'void') return { kind: 'mix', parts: [value], at };
        return { kind: 'mix', parts: sign === 'typeof' || sign === 'delete' ? [] : [value], at };
      }
      case 'ConditionalExpression':
        return {
          kind: 'choice',
          test: this.#value(child(node, 'test')),
          yes: this.#value(child(node, 'consequent')),
          no: this.#value(child(node, 'alternate')),
          at,
        };
      case 'AssignmentExpression':
        return this.#assignment(node);
      case 'YieldExpression':
        return {
          kind: 'yield',
          value: this.#value(child(node, 'argument')),
          all: node['delegate'] === true,
          at,
        };
      case 'SequenceExpression':
        return { kind: 'mix', parts: children(node, 'expressions').map((one) => this.#value(one)), at };
      default:
        return this.#mixed(node);
    }
  }

  #template(node: Node): Expression {
    const at = node.start;
    const quasis = children(node, 'quasis').map((quasi): Expression => {
      const value = quasi['value'];
      const cooked =
        typeof value === 'object' && value !== null && 'cooked' in value ? String(value.cooked) : '';
      return { kind: 'constant', value: cooked, at: quasi.start };
    });
    const values = children(node, 'expressions').map((one) => this.#value(one));
    if (values.length === 0) return quasis[0] ?? { kind: 'constant', value: '', at };
    return {
      kind: 'mix',
      parts: quasis.flatMap((quasi, index) => [quasi, ...values.slice(index, index + 1)]),
      at,
    };
  }

  #member(node: Node): Expression {
    const at = node.start;
    const object = this.#value(child(node, 'object'));
    const property = child(node, 'property');
    if (node['computed'] !== true) return { kind: 'member', object, property: text(property, 'name'), at };
    const key = this.#value(property);
    const constant = key.kind === 'constant' ? key.value : undefined;
    const known = typeof constant === 'string' || typeof constant === 'number';
    return { kind: 'member', object, property: known ? String(constant) : null, key, at };
  }

  #argument(node: Node): Argument {
    return node.type === 'SpreadElement'
      ? { value: this.#value(child(node, 'argument')), spread: true }
      : { value: this.#value(node) };
  }

  #entry(node: Node): Entry {
    if (node.type === 'SpreadElement') {
      return { key: null, value: this.#value(child(node, 'argument')), spread: true };
    }
    const key = child(node, 'key');
    const plain = node['computed'] !== true || key?.type === 'Literal';
    const name = plain ? text(key, 'name') || String(key?.['value'] ?? '') : null;
    return { key: name, value: this.#value(child(node, 'value'), name ?? ''), spread: false };
  }

  #binary(node: Node): Expression {
    const at = node.start;
    const left = this.#value(child(node, 'left'));
    const right = this.#value(child(node, 'right'));
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

  #assignment(node: Node): Expression {
    const at = node.start;
    const target = this.#pattern(child(node, 'left'));
    const value = this.#value(child(node, 'right'));
    const sign = text(node, 'operator');
    return { kind: 'assign', target, value, adds: sign !== '=', at };
  }

  /** Markup and all else: whatever is inside goes into it. */
  #mixed(node: Node): Expression {
    const parts: Expression[] = [];
    for (const key of ['openingElement', 'attributes', 'children', 'expression', 'argument', 'value']) {
      for (const inner of [child(node, key), ...children(node, key)]) {
        if (inner !== null) parts.push(this.#value(inner));
      }
    }
    return { kind: 'mix', parts, at: node.start };
  }

  // ── patterns

  #pattern(given: Node | null): Pattern {
    let node = given;
    while (node !== null && wrappers.has(node.type)) node = child(node, 'expression');
    const at = node?.start ?? 0;
    switch (node?.type) {
      case 'Identifier': {
        const name = text(node, 'name');
        const variable = this.#scope.find(name) ?? this.#scope.fresh();
        return { kind: 'variable', variable, name, at };
      }
      case 'MemberExpression': {
        const value = this.#member(node);
        if (value.kind === 'member') return value;
        break;
      }
      case 'AssignmentPattern':
        return this.#pattern(child(node, 'left'));
      case 'RestElement':
        return this.#pattern(child(node, 'argument'));
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
              target: this.#pattern(value),
              ...(fallback === null ? {} : { fallback: this.#value(fallback) }),
            };
          });
        return { kind: 'fields', fields, at, ...(rest === undefined ? {} : { rest: this.#pattern(rest) }) };
      }
      case 'ArrayPattern': {
        const elements = node['elements'];
        const listed = Array.isArray(elements) ? elements.map((one) => (isNode(one) ? one : null)) : [];
        const rest = listed.find((one) => one?.type === 'RestElement');
        const items = listed
          .filter((one) => one?.type !== 'RestElement')
          .map((one) => (one === null ? null : this.#pattern(one)));
        return {
          kind: 'items',
          items,
          at,
          ...(rest === undefined || rest === null ? {} : { rest: this.#pattern(rest) }),
        };
      }
    }
    return { kind: 'variable', variable: this.#scope.fresh(), name: '', at };
  }
}

function declareNames(node: Node | null, scope: Scope): void {
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

/** What stands at the head of `for` as a statement. */
function asStatement(node: Node): Node {
  return node.type === 'VariableDeclaration'
    ? node
    : { type: 'ExpressionStatement', start: node.start, end: node.end, expression: node };
}
