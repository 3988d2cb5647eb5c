// Lowers Python, as tree-sitter reads it.

import type { ParsePython, PythonNode } from '../../core/index.ts';
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

export function lowerPython(path: string, source: string, parse: ParsePython, counter: Counter): Module {
  return new Lowering(path, source, parse(source), counter).module;
}

/** The children that are no tokens and no comments. */
function named(node: PythonNode): PythonNode[] {
  return node.children.filter((child) => child.type !== 'comment' && !isToken(child));
}

function isToken(node: PythonNode): boolean {
  if (node.type === 'not in' || node.type === 'is not') return true;
  return node.children.length === 0 && node.type === node.text;
}

class Lowering {
  readonly module: Module;
  #scope: Scope;
  readonly #counter: Counter;
  readonly #imports: Import[] = [];
  readonly #stars: string[] = [];
  readonly #callables: Callable[] = [];
  readonly #comments: { text: string; at: number }[] = [];
  readonly #broken: { message: string; at: number }[] = [];

  constructor(path: string, source: string, root: PythonNode, counter: Counter) {
    this.#counter = counter;
    this.#scope = new Scope(counter, null, { whole: true });
    this.#survey(root);
    this.#declareIn(root);
    const body: Statement[] = [];
    const offers = new Map<string, Offer>();
    this.module = {
      path,
      language: 'python',
      source,
      body,
      imports: this.#imports,
      offers,
      names: this.#scope.names,
      stars: this.#stars,
      callables: this.#callables,
      comments: this.#comments,
      broken: this.#broken,
    };
    body.push(...this.#block(root));
    for (const callable of this.#callables) callable.module = this.module;
    for (const [name, variable] of this.#scope.names) offers.set(name, { variable });
  }

  /** Comments, and what could not be read. */
  #survey(root: PythonNode): void {
    const open = [root];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (node.type === 'comment') this.#comments.push({ text: node.text, at: node.start });
      if (node.type === 'ERROR') this.#broken.push({ message: 'this cannot be read', at: node.start });
      open.push(...node.children);
    }
  }

  /** Declares what is bound in a function or a module, before its statements are lowered. */
  #declareIn(body: PythonNode): void {
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
          this.#bind(node.field('name'), outside);
          continue;
        case 'lambda':
          continue;
        case 'assignment':
        case 'augmented_assignment':
        case 'for_statement':
        case 'for_in_clause':
          this.#bindTargets(node.field('left'), outside);
          break;
        case 'named_expression':
          this.#bind(node.field('name'), outside);
          break;
        case 'as_pattern':
          for (const part of node.children.filter(({ type }) => type === 'as_pattern_target'))
            this.#bindTargets(part, outside);
          break;
        case 'case_pattern':
          for (const name of identifiers(node)) this.#bind(name, outside);
          break;
        case 'import_statement':
        case 'import_from_statement':
          this.#import(node);
          continue;
      }
      open.push(...node.children);
    }
  }

  #bind(name: PythonNode | null, outside: ReadonlySet<string>): void {
    if (name !== null && name.type === 'identifier' && !outside.has(name.text))
      this.#scope.declare(name.text);
  }

  #bindTargets(target: PythonNode | null, outside: ReadonlySet<string>): void {
    if (target === null) return;
    if (target.type === 'identifier') this.#bind(target, outside);
    else if (target.type !== 'attribute' && target.type !== 'subscript')
      for (const part of named(target)) this.#bindTargets(part, outside);
  }

  #import(node: PythonNode): void {
    const from = node.field('module_name');
    const after = from === null ? -1 : node.children.indexOf(from);
    for (const part of node.children.slice(after + 1)) {
      if (part.type === 'wildcard_import' && from !== null) this.#stars.push(from.text);
      if (part.type !== 'dotted_name' && part.type !== 'aliased_import') continue;
      const path = part.type === 'dotted_name' ? part.text : (part.field('name')?.text ?? '');
      const alias = part.field('alias')?.text;
      const first = path.split('.')[0] ?? path;
      const variable = this.#scope.declare(alias ?? (from === null ? first : path));
      if (from !== null) this.#imports.push({ variable, from: from.text, name: path });
      else this.#imports.push({ variable, from: alias === undefined ? first : path, name: '*' });
    }
  }

  // ── statements

  #block(node: PythonNode | null): Block {
    return node === null ? [] : named(node).flatMap((child) => this.#statement(child));
  }

  #statement(node: PythonNode): readonly Statement[] {
    const at = node.start;
    switch (node.type) {
      case 'expression_statement':
        return named(node).map((value) => ({ kind: 'do', value: this.#value(value), at }));
      case 'return_statement': {
        const [value] = named(node);
        return [{ kind: 'return', value: value === undefined ? null : this.#value(value), at }];
      }
      case 'raise_statement': {
        const [value] = named(node);
        return [{ kind: 'throw', value: value === undefined ? null : this.#value(value), at }];
      }
      case 'assert_statement': {
        const [test] = named(node);
        if (test === undefined) return [];
        return [
          {
            kind: 'branch',
            test: this.#value(test),
            yes: [],
            no: [{ kind: 'throw', value: null, at }],
            at,
          },
        ];
      }
      case 'if_statement':
        return [
          this.#branch(
            node,
            node.children.filter(({ type }) => /^el(if|se)_clause$/.test(type)),
          ),
        ];
      case 'for_statement':
        return [
          {
            kind: 'each',
            target: this.#pattern(node.field('left')),
            over: this.#value(node.field('right')),
            body: this.#block(node.field('body')),
            waits: node.children.some(({ type }) => type === 'async'),
            at,
          },
          ...this.#block(node.field('alternative')?.field('body') ?? null),
        ];
      case 'while_statement':
        return [
          {
            kind: 'while',
            test: this.#value(node.field('condition')),
            body: this.#block(node.field('body')),
            update: null,
            first: false,
            at,
          },
          ...this.#block(node.field('alternative')?.field('body') ?? null),
        ];
      case 'try_statement':
        return [this.#try(node)];
      case 'with_statement':
        return this.#with(node);
      case 'match_statement':
        return [this.#match(node)];
      case 'break_statement':
        return [{ kind: 'break', at }];
      case 'continue_statement':
        return [{ kind: 'continue', at }];
      case 'function_definition':
        return [this.#define(node, [])];
      case 'class_definition':
        return [this.#defineClass(node)];
      case 'decorated_definition': {
        const definition = node.field('definition');
        if (definition === null) return [];
        const decorators = node.children
          .filter(({ type }) => type === 'decorator')
          .flatMap((decorator) => named(decorator).map((value) => this.#value(value)));
        return [
          definition.type === 'class_definition'
            ? this.#defineClass(definition)
            : this.#define(definition, decorators),
        ];
      }
      case 'import_statement':
      case 'import_from_statement':
      case 'future_import_statement':
      case 'pass_statement':
      case 'global_statement':
      case 'nonlocal_statement':
      case 'comment':
        return [];
      case 'block':
        return this.#block(node);
      default:
        return [{ kind: 'do', value: this.#mix(node), at }];
    }
  }

  #branch(node: PythonNode, rest: readonly PythonNode[]): Statement {
    const [next, ...others] = rest;
    const no =
      next === undefined
        ? []
        : next.type === 'else_clause'
          ? this.#block(next.field('body'))
          : [this.#branch(next, others)];
    return {
      kind: 'branch',
      test: this.#value(node.field('condition')),
      yes: this.#block(node.field('consequence')),
      no,
      at: node.start,
    };
  }

  #try(node: PythonNode): Statement {
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
          : [{ kind: 'let', target: this.#pattern(target), value: null, at: target.start }];
      return [...bound, ...this.#block(body)];
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
      body: [...this.#block(node.field('body')), ...this.#block(otherwise?.field('body') ?? null)],
      error: null,
      handler,
      last: this.#block(last?.children.find(({ type }) => type === 'block') ?? null),
      at,
    };
  }

  #with(node: PythonNode): readonly Statement[] {
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
      const given = this.#value(manager);
      opened.push(
        target === undefined
          ? { kind: 'do', value: given, at: item.start }
          : { kind: 'let', target: this.#pattern(target), value: { kind: 'await', value: given, at }, at },
      );
    }
    const body = this.#block(node.field('body'));
    return suppresses
      ? [...opened, { kind: 'try', body, error: null, handler: [], last: [], at }]
      : [...opened, ...body];
  }

  #match(node: PythonNode): Statement {
    const cases = named(node)
      .flatMap((part) => (part.type === 'block' ? named(part) : [part]))
      .filter(({ type }) => type === 'case_clause');
    const subject = node.field('subject');
    const value = this.#value(subject);
    return {
      kind: 'switch',
      value,
      arms: cases.map((clause) => {
        const patterns = named(clause).filter(({ type }) => type === 'case_pattern');
        const bound = patterns.flatMap(identifiers).map(
          (name): Statement => ({
            kind: 'let',
            target: this.#pattern(name),
            value: this.#value(subject),
            at: name.start,
          }),
        );
        const text = patterns.map(({ text: written }) => written).join(',');
        const open = text === '_' || bound.length > 0;
        return {
          test: open ? null : { kind: 'constant', value: text.replaceAll(/['"]/g, ''), at: clause.start },
          body: [...bound, ...this.#block(clause.field('consequence')), { kind: 'break', at: clause.end }],
        };
      }),
      at: node.start,
    };
  }

  #define(node: PythonNode, decorators: readonly Expression[]): Statement {
    const name = node.field('name');
    const callable = this.#callable(node, name?.text ?? '', node.field('body'), decorators);
    const value: Expression = { kind: 'function', function: callable, at: node.start };
    return { kind: 'let', target: this.#pattern(name), value, at: node.start };
  }

  #defineClass(node: PythonNode): Statement {
    const name = node.field('name');
    const [base] = named(node.field('superclasses') ?? { ...emptyNode, start: node.start });
    const outer = this.#scope;
    this.#scope = new Scope(this.#counter, outer, { hidden: true });
    const methods = new Map<string, Callable>();
    const fields: { name: string; value: Expression | null; type?: Expression; static: boolean }[] = [];
    for (const part of named(node.field('body') ?? emptyNode)) {
      const definition = part.type === 'decorated_definition' ? part.field('definition') : part;
      if (definition?.type === 'function_definition') {
        const marks = part.children
          .filter(({ type }) => type === 'decorator')
          .flatMap((decorator) => named(decorator).map((value) => this.#value(value)));
        const own = definition.field('name')?.text ?? '';
        methods.set(own, this.#callable(definition, own, definition.field('body'), marks, true));
      } else if (part.type === 'expression_statement') {
        for (const assignment of named(part)) {
          const left = assignment.field('left');
          if (assignment.type !== 'assignment' || left?.type !== 'identifier') continue;
          const right = assignment.field('right');
          const type = typeName(assignment.field('type'));
          fields.push({
            name: left.text,
            value: right === null ? null : this.#value(right),
            ...(type === null ? {} : { type: this.#named(type, left.start) }),
            static: right !== null,
          });
        }
      }
    }
    this.#scope = outer;
    const shape: ClassShape = {
      name: name?.text ?? '',
      base: base === undefined || base.type === 'keyword_argument' ? null : this.#value(base),
      methods,
      fields,
      at: node.start,
    };
    for (const method of methods.values()) method.class = shape;
    const value: Expression = { kind: 'class', class: shape, at: node.start };
    return { kind: 'let', target: this.#pattern(name), value, at: node.start };
  }

  #callable(
    node: PythonNode,
    name: string,
    body: PythonNode | null,
    decorators: readonly Expression[],
    method = false,
  ): Callable {
    const outer = this.#scope;
    this.#scope = new Scope(this.#counter, outer, { whole: true });
    const listed = named(node.field('parameters') ?? emptyNode);
    const fixed = decorators.some(
      ({ kind, ...rest }) => kind === 'global' && 'name' in rest && rest.name === 'staticmethod',
    );
    const self = method && !fixed ? listed[0]?.text : undefined;
    const parameters = listed.flatMap((one) => this.#parameter(one));
    if (body !== null) this.#declareIn(node.type === 'lambda' ? { ...emptyNode, children: [body] } : body);
    const lowered: Statement[] = [];
    if (self !== undefined && parameters[0] !== undefined) {
      const { target } = parameters[0];
      lowered.push({ kind: 'let', target, value: { kind: 'this', at: node.start }, at: node.start });
    }
    if (node.type === 'lambda') {
      lowered.push({ kind: 'return', value: this.#value(body), at: node.start });
    } else lowered.push(...this.#block(body));
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
      module: this.module,
    };
    this.#callables.push(callable);
    this.#scope = outer;
    return callable;
  }

  #parameter(node: PythonNode): readonly Parameter[] {
    const inner = node.type === 'typed_parameter' ? (named(node)[0] ?? node) : (node.field('name') ?? node);
    const rest = /splat_pattern$/.test(inner.type);
    const name = rest ? (named(inner)[0] ?? inner) : inner;
    if (name.type !== 'identifier') return [];
    const variable = this.#scope.declare(name.text);
    const type = typeName(node.field('type'));
    const value = node.field('value');
    return [
      {
        target: { kind: 'variable', variable, name: name.text, at: name.start },
        name: name.text,
        rest,
        ...(type === null ? {} : { type: this.#named(type, node.start) }),
        ...(value === null ? {} : { fallback: this.#value(value) }),
      },
    ];
  }

  /** A dotted name as an expression. */
  #named(path: string, at: number): Expression {
    const [first = '', ...rest] = path.split('.');
    return rest.reduce<Expression>(
      (object, property) => ({ kind: 'member', object, property, at }),
      this.#name(first, at),
    );
  }

  #name(name: string, at: number): Expression {
    const variable = this.#scope.find(name);
    return variable === undefined ? { kind: 'global', name, at } : { kind: 'variable', variable, name, at };
  }

  // ── expressions

  #value(node: PythonNode | null): Expression {
    if (node === null) return { kind: 'constant', value: null, at: 0 };
    const at = node.start;
    switch (node.type) {
      case 'identifier':
        return this.#name(node.text, at);
      case 'string':
      case 'concatenated_string':
        return this.#string(node);
      case 'integer':
      case 'float':
        return { kind: 'constant', value: Number(node.text.replaceAll('_', '')), at };
      case 'true':
        return { kind: 'constant', value: true, at };
      case 'false':
        return { kind: 'constant', value: false, at };
      case 'none':
        return { kind: 'constant', value: null, at };
      case 'parenthesized_expression':
      case 'type':
        return this.#value(named(node)[0] ?? null);
      case 'attribute':
        return {
          kind: 'member',
          object: this.#value(node.field('object')),
          property: node.field('attribute')?.text ?? null,
          at,
        };
      case 'subscript': {
        const key = this.#value(node.field('subscript'));
        const constant = key.kind === 'constant' && typeof key.value !== 'boolean' ? key.value : undefined;
        return {
          kind: 'member',
          object: this.#value(node.field('value')),
          property: typeof constant === 'string' || typeof constant === 'number' ? String(constant) : null,
          key,
          at,
        };
      }
      case 'call':
        return {
          kind: 'call',
          callee: this.#value(node.field('function')),
          arguments: this.#arguments(node.field('arguments')),
          at,
          end: node.end,
        };
      case 'await':
        return { kind: 'await', value: this.#value(named(node)[0] ?? null), at };
      case 'lambda':
        return {
          kind: 'function',
          function: this.#callable(node, 'lambda', node.field('body'), []),
          at,
        };
      case 'list':
      case 'tuple':
      case 'set':
      case 'expression_list':
        return {
          kind: 'list',
          items: named(node).map((item) => ({
            value: this.#value(item.type === 'list_splat' ? (named(item)[0] ?? item) : item),
            spread: item.type === 'list_splat',
          })),
          at,
        };
      case 'dictionary':
        return { kind: 'object', entries: named(node).map((entry) => this.#entry(entry)), at };
      case 'boolean_operator':
        return {
          kind: 'logic',
          operator: node.field('operator')?.text === 'and' ? 'and' : 'or',
          left: this.#value(node.field('left')),
          right: this.#value(node.field('right')),
          at,
        };
      case 'not_operator':
        return { kind: 'not', value: this.#value(node.field('argument')), at };
      case 'comparison_operator':
        return this.#comparison(node);
      case 'conditional_expression': {
        const [yes = null, test = null, no = null] = named(node);
        return {
          kind: 'choice',
          test: this.#value(test),
          yes: this.#value(yes),
          no: this.#value(no),
          at,
        };
      }
      case 'named_expression':
        return {
          kind: 'assign',
          target: this.#pattern(node.field('name')),
          value: this.#value(node.field('value')),
          adds: false,
          at,
        };
      case 'assignment':
        return {
          kind: 'assign',
          target: this.#pattern(node.field('left')),
          value: this.#value(node.field('right')),
          adds: false,
          at,
        };
      case 'augmented_assignment':
        return {
          kind: 'assign',
          target: this.#pattern(node.field('left')),
          value: this.#value(node.field('right')),
          adds: true,
          at,
        };
      case 'yield': {
        const all = node.children.some(({ type }) => type === 'from');
        return { kind: 'yield', value: this.#value(named(node)[0] ?? null), all, at };
      }
      case 'list_comprehension':
      case 'set_comprehension':
      case 'generator_expression':
      case 'dictionary_comprehension':
        return this.#comprehension(node);
      case 'keyword_argument':
        return this.#value(node.field('value'));
      case 'binary_operator':
        // `prompt | model` is how chains are put together; the rest mixes too.
        return this.#mix(node);
      default:
        return this.#mix(node);
    }
  }

  #mix(node: PythonNode): Expression {
    return { kind: 'mix', parts: named(node).map((part) => this.#value(part)), at: node.start };
  }

  #string(node: PythonNode): Expression {
    const pieces: PythonNode[] = [];
    const open = [node];
    for (let piece = open.pop(); piece !== undefined; piece = open.pop()) {
      if (piece.type === 'string_content' || piece.type === 'interpolation') pieces.push(piece);
      else open.push(...[...piece.children].reverse());
    }
    const texts = pieces.map((piece): Expression => {
      return piece.type === 'string_content'
        ? { kind: 'constant', value: piece.text, at: piece.start }
        : this.#value(named(piece)[0] ?? null);
    });
    const at = node.start;
    if (texts.every(({ kind }) => kind === 'constant')) {
      return { kind: 'constant', value: pieces.map(({ text }) => text).join(''), at };
    }
    return { kind: 'mix', parts: texts, at };
  }

  #arguments(node: PythonNode | null): readonly Argument[] {
    if (node === null) return [];
    if (node.type === 'generator_expression') return [{ value: this.#comprehension(node) }];
    return named(node).map((part): Argument => {
      if (part.type === 'keyword_argument') {
        return { name: part.field('name')?.text ?? '', value: this.#value(part.field('value')) };
      }
      if (/_splat$/.test(part.type)) return { value: this.#value(named(part)[0] ?? null), spread: true };
      return { value: this.#value(part) };
    });
  }

  #entry(node: PythonNode): Entry {
    if (node.type === 'pair') {
      const key = node.field('key');
      const written = this.#value(key);
      const constant = written.kind === 'constant' ? String(written.value) : null;
      return { key: constant, value: this.#value(node.field('value')), spread: false };
    }
    return { key: null, value: this.#value(named(node)[0] ?? node), spread: true };
  }

  #comparison(node: PythonNode): Expression {
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
    return { kind: 'compare', operator, left: this.#value(left), right: this.#value(right), at };
  }

  /** A comprehension is a callback for each item: `[f(x) for x in list]` is `list.map(x => f(x))`. */
  #comprehension(node: PythonNode): Expression {
    const at = node.start;
    const outer = this.#scope;
    const clauses = named(node).filter(({ type }) => type === 'for_in_clause' || type === 'if_clause');
    const build = (index: number): Expression => {
      const clause = clauses[index];
      if (clause === undefined) {
        const body = node.field('body');
        return body?.type === 'pair'
          ? { kind: 'object', entries: [this.#entry(body)], at }
          : this.#value(body);
      }
      if (clause.type === 'if_clause') {
        return {
          kind: 'choice',
          test: this.#value(named(clause)[0] ?? null),
          yes: build(index + 1),
          no: { kind: 'constant', value: undefined, at },
          at,
        };
      }
      const over = this.#value(clause.field('right'));
      this.#scope = new Scope(this.#counter, this.#scope, { whole: true });
      const left = clause.field('left');
      this.#bindTargets(left, new Set());
      const callable: Callable = {
        name: '',
        parameters: [{ target: this.#pattern(left), name: left?.text ?? '', rest: false }],
        body: [{ kind: 'return', value: build(index + 1), at }],
        async: false,
        yields: false,
        decorators: [],
        at,
        end: node.end,
        module: this.module,
      };
      this.#callables.push(callable);
      return {
        kind: 'call',
        callee: { kind: 'member', object: over, property: 'map', at },
        arguments: [{ value: { kind: 'function', function: callable, at } }],
        at,
        end: node.end,
      };
    };
    const value = build(0);
    this.#scope = outer;
    return value;
  }

  // ── patterns

  #pattern(node: PythonNode | null): Pattern {
    const at = node?.start ?? 0;
    switch (node?.type) {
      case 'identifier': {
        const variable = this.#scope.find(node.text) ?? this.#scope.declare(node.text);
        return { kind: 'variable', variable, name: node.text, at };
      }
      case 'attribute':
      case 'subscript': {
        const value = this.#value(node);
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
        if (node.type === 'as_pattern_target' && parts.length === 1) return this.#pattern(parts[0] ?? null);
        return { kind: 'items', items: parts.map((part) => this.#pattern(part)), at };
      }
      case 'list_splat_pattern':
      case 'parenthesized_expression':
        return this.#pattern(named(node)[0] ?? null);
    }
    return { kind: 'variable', variable: this.#scope.fresh(), name: '', at };
  }
}

const emptyNode: PythonNode = { type: '', text: ' ', start: 0, end: 0, children: [], field: () => null };

function unknown(at: number): Expression {
  return { kind: 'mix', parts: [], at };
}

/** The name in a type, without what it is made of. */
function typeName(node: PythonNode | null): string | null {
  return /^["']?(?:Optional\[)?([A-Za-z_][\w.]*)/.exec(node?.text ?? '')?.[1] ?? null;
}

/** The names that a pattern of `case` binds. */
function identifiers(node: PythonNode): PythonNode[] {
  if (node.type === 'identifier') return [node];
  if (node.type === 'dotted_name') {
    const parts = named(node);
    const [only] = parts;
    return parts.length === 1 && only !== undefined && only.text !== '_' ? [only] : [];
  }
  const skipped = node.type === 'class_pattern' || node.type === 'keyword_pattern' ? 1 : 0;
  return named(node).slice(skipped).flatMap(identifiers);
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
