// Brings a syntax tree of Python down to the little language of the machine.

import type {
  Argument,
  ClassCode,
  Expression,
  FunctionCode,
  Parameter,
  Pattern,
  Program,
  Span,
  Statement,
} from '../script/program.ts';
import { member, none, type Thing, text, truth, unknown } from '../script/things.ts';
import { canonical } from './names.ts';
import type { PythonNode } from './tree.ts';

/** Nodes within nodes. */
const deepest = 400;

/** Brings a whole module down. */
export function lower(root: PythonNode): Program {
  return new Lowering().program(root);
}

const constant = (thing: Thing): Expression => ({ form: 'constant', thing });
const name = (given: string): Expression => ({ form: 'name', name: given });
const library = (given: string): Expression => constant(member(given));
const position = (value: Expression): Argument => ({ value, name: null, spread: null });

/** Without tokens and comments. */
function parts(node: PythonNode): readonly PythonNode[] {
  return node.children.filter(isPart);
}

function isPart({ type, children }: PythonNode): boolean {
  // Most tokens are one sign, which need not be looked up.
  if (type.length < 2) return false;
  let named = namedTypes.get(type);
  if (named === undefined) {
    named = type !== 'comment' && type !== 'line_continuation' && /^[a-z_]+$/i.test(type);
    namedTypes.set(type, named);
  }
  return named && !(children.length === 0 && keywords.has(type));
}

/** Whether a type looks like that of a node, and not of a sign or a comment; a grammar has only so many. */
const namedTypes = new Map<string, boolean>();

/** Tokens whose type looks like that of a node. */
const keywords = new Set(
  'if else elif for in as and or not is def class return import from with while try except finally lambda yield await async global nonlocal del raise assert match case pass break continue print exec'.split(
    ' ',
  ),
);

class Lowering {
  readonly #errors: string[] = [];
  #depth = 0;

  program(root: PythonNode): Program {
    this.#findUnreadable(root);
    return { body: this.#statements(root), errors: this.#errors };
  }

  /** INVARIANT: whatever the parser could not read is told, also where lowering does not look. */
  #findUnreadable(root: PythonNode): void {
    const left = [root];
    for (let node = left.pop(); node !== undefined; node = left.pop()) {
      if (node.type === 'ERROR') this.#error(`cannot read: ${node.text.slice(0, 60)}`);
      for (const child of node.children) left.push(child);
    }
  }

  #error(what: string): void {
    if (this.#errors.length < 10) this.#errors.push(what);
  }

  #statements(node: PythonNode | null): readonly Statement[] {
    if (!node) return [];
    return parts(node).flatMap((child) => this.#statement(child));
  }

  /** The block of a clause, which has no name of its own in the tree. */
  #clause(node: PythonNode): readonly Statement[] {
    return this.#statements(
      node.field('body') ??
        node.field('consequence') ??
        parts(node).find(({ type }) => type === 'block') ??
        null,
    );
  }

  #statement(node: PythonNode): readonly Statement[] {
    if (this.#depth >= deepest) {
      this.#error('statements are nested too deeply');
      return [];
    }
    this.#depth++;
    try {
      return this.#oneStatement(node);
    } finally {
      this.#depth--;
    }
  }

  #oneStatement(node: PythonNode): readonly Statement[] {
    const field = (key: string): PythonNode | null => node.field(key);
    switch (node.type) {
      case 'expression_statement':
        return parts(node).flatMap((child) => this.#simple(child));
      case 'if_statement': {
        let no: readonly Statement[] = [];
        const clauses = node.children.filter(({ type }) => type === 'elif_clause' || type === 'else_clause');
        for (const clause of clauses.toReversed()) {
          no =
            clause.type === 'else_clause'
              ? this.#clause(clause)
              : [
                  {
                    form: 'if',
                    test: this.#expression(clause.field('condition')),
                    yes: this.#clause(clause),
                    no,
                  },
                ];
        }
        return [{ form: 'if', test: this.#expression(field('condition')), yes: this.#clause(node), no }];
      }
      case 'while_statement':
        return [
          {
            form: 'while',
            test: this.#expression(field('condition')),
            body: this.#clause(node),
            step: null,
            otherwise: this.#otherwise(node),
            span: span(node),
          },
        ];
      case 'for_statement':
        return [
          {
            form: 'for',
            to: this.#pattern(field('left')),
            of: this.#expression(field('right')),
            keys: false,
            body: this.#clause(node),
            otherwise: this.#otherwise(node),
          },
        ];
      case 'try_statement': {
        const clauses = node.children;
        const last = clauses.find(({ type }) => type === 'finally_clause');
        return [
          {
            form: 'try',
            body: this.#clause(node),
            handlers: clauses
              .filter(({ type }) => type === 'except_clause' || type === 'except_group_clause')
              .map((clause) => ({ name: nameOfAlias(clause), body: this.#clause(clause) })),
            otherwise: this.#otherwise(node),
            last: last ? this.#clause(last) : [],
          },
        ];
      }
      case 'with_statement': {
        const clause = node.children.find(({ type }) => type === 'with_clause');
        const items = clause
          ? parts(clause).flatMap((item) =>
              item.type === 'with_item' ? [item] : parts(item).filter(({ type }) => type === 'with_item'),
            )
          : [];
        return [
          {
            form: 'with',
            items: items.map((item) => {
              const value = item.field('value') ?? item.children[0] ?? null;
              if (value?.type !== 'as_pattern') return { value: this.#expression(value), to: null };
              const [given] = parts(value);
              const target = value.field('alias');
              const to = target?.type === 'as_pattern_target' ? (target.children[0] ?? null) : target;
              return { value: this.#expression(given ?? null), to: this.#pattern(to) };
            }),
            body: this.#clause(node),
          },
        ];
      }
      case 'return_statement': {
        const [value] = parts(node);
        return [{ form: 'return', value: value ? this.#expression(value) : null }];
      }
      case 'raise_statement': {
        const [value] = parts(node);
        return [{ form: 'raise', value: value ? this.#expression(value) : null }];
      }
      case 'break_statement':
        return [{ form: 'break' }];
      case 'continue_statement':
        return [{ form: 'continue' }];
      case 'function_definition':
        return [{ form: 'function', code: this.#function(node), decorators: [] }];
      case 'class_definition':
        return [{ form: 'class', code: this.#class(node), decorators: [] }];
      case 'decorated_definition': {
        const decorators = node.children
          .filter(({ type }) => type === 'decorator')
          .map((decorator) => this.#expression(parts(decorator)[0] ?? null));
        const definition = field('definition');
        if (definition?.type === 'function_definition')
          return [{ form: 'function', code: this.#function(definition), decorators }];
        if (definition?.type === 'class_definition')
          return [{ form: 'class', code: this.#class(definition), decorators }];
        return [];
      }
      case 'import_statement':
        return parts(node).flatMap((child) => this.#import(child));
      case 'import_from_statement':
        return this.#importFrom(node);
      case 'global_statement':
      case 'nonlocal_statement':
        return [
          {
            form: 'outer',
            names: parts(node).map((child) => child.text),
            top: node.type === 'global_statement',
          },
        ];
      case 'delete_statement':
      case 'assert_statement':
      case 'print_statement':
        return parts(node).map((child) => ({ form: 'expression', value: this.#expression(child) }));
      case 'exec_statement':
        return [
          {
            form: 'expression',
            value: {
              form: 'call',
              callee: library('builtins.exec'),
              args: [position(this.#expression(field('code')))],
              creates: false,
              span: span(node),
            },
          },
        ];
      case 'match_statement': {
        const subject = this.#expression(field('subject'));
        const body = field('body');
        const clauses = body ? parts(body).filter(({ type }) => type === 'case_clause') : [];
        return [
          {
            form: 'cases',
            subject,
            cases: clauses.map((clause) => {
              const bare = parts(clause).find(({ type }) => type === 'case_pattern');
              const captured = bare && /^[a-z_]\w*$/i.test(bare.text) ? bare.text : null;
              const statements = this.#clause(clause);
              if (captured === null) return statements;
              return [
                { form: 'assign', to: [{ form: 'name', name: captured, declares: true }], value: subject },
                ...statements,
              ];
            }),
          },
        ];
      }
      case 'block':
      case 'module':
        return this.#statements(node);
      case 'ERROR':
        return this.#statements(node);
      default:
        return isStatement(node.type) ? [] : this.#simple(node);
    }
  }

  /** The `else` of a loop or of a try. */
  #otherwise(node: PythonNode): readonly Statement[] {
    const clause = node.children.find(({ type }) => type === 'else_clause');
    return clause ? this.#clause(clause) : [];
  }

  #simple(node: PythonNode): readonly Statement[] {
    if (node.type === 'assignment') {
      const targets: PythonNode[] = [];
      let value: PythonNode | null = node;
      while (value?.type === 'assignment') {
        const left = value.field('left');
        if (left) targets.push(left);
        value = value.field('right');
      }
      if (!value) return [];
      return [
        {
          form: 'assign',
          to: targets.map((target) => this.#pattern(target)),
          value: this.#expression(value),
        },
      ];
    }
    if (node.type === 'augmented_assignment') {
      const left = node.field('left');
      const operator = (node.field('operator')?.text ?? '+=').slice(0, -1);
      return [
        {
          form: 'assign',
          to: [this.#pattern(left)],
          value: {
            form: 'binary',
            operator,
            left: this.#expression(left),
            right: this.#expression(node.field('right')),
          },
        },
      ];
    }
    return [{ form: 'expression', value: this.#expression(node) }];
  }

  #import(node: PythonNode): readonly Statement[] {
    if (node.type === 'aliased_import') {
      const given = canonical(node.field('name')?.text ?? '');
      return [
        {
          form: 'import',
          library: given,
          to: { form: 'name', name: node.field('alias')?.text ?? given, declares: true },
          span: span(node),
        },
      ];
    }
    if (node.type !== 'dotted_name') return [];
    const [top = ''] = node.text.split('.');
    return [
      { form: 'import', library: canonical(node.text), to: null, span: span(node) },
      {
        form: 'assign',
        to: [{ form: 'name', name: top, declares: true }],
        value: library(canonical(top)),
      },
    ];
  }

  #importFrom(node: PythonNode): readonly Statement[] {
    const from = node.field('module_name');
    const module = canonical(from?.text ?? '');
    if (node.children.some(({ type }) => type === 'wildcard_import'))
      return [
        { form: 'import', library: module, to: null, span: span(node) },
        { form: 'wildcard', library: module },
      ];
    const named = parts(node).filter((child) => child.start !== from?.start);
    return named.flatMap((child): readonly Statement[] => {
      const given = child.type === 'aliased_import' ? (child.field('name')?.text ?? '') : child.text;
      const alias = child.type === 'aliased_import' ? (child.field('alias')?.text ?? given) : given;
      return [
        {
          form: 'import',
          library: canonical(`${module}.${given}`),
          to: { form: 'name', name: alias, declares: true },
          span: span(node),
        },
      ];
    });
  }

  #function(node: PythonNode): FunctionCode {
    return {
      name: node.field('name')?.text ?? '',
      parameters: this.#parameters(node.field('parameters')),
      body: this.#statements(node.field('body')),
      receiver: 'first',
      span: span(node),
    };
  }

  #class(node: PythonNode): ClassCode {
    const bases = node.field('superclasses');
    return {
      name: node.field('name')?.text ?? '',
      bases: bases
        ? parts(bases)
            .filter(({ type }) => type !== 'keyword_argument')
            .map((base) => this.#expression(base))
        : [],
      body: this.#statements(node.field('body')),
    };
  }

  #parameters(node: PythonNode | null): readonly Parameter[] {
    if (!node) return [];
    return parts(node).flatMap((child): readonly Parameter[] => {
      const plain = (
        given: string,
        rest: Parameter['rest'] = null,
        fallback: Expression | null = null,
      ): Parameter[] => [{ name: given, fallback, rest, pattern: null }];
      switch (child.type) {
        case 'identifier':
          return plain(child.text);
        case 'default_parameter':
        case 'typed_default_parameter':
          return plain(child.field('name')?.text ?? '', null, this.#expression(child.field('value')));
        case 'typed_parameter':
          return this.#parameters({ ...child, children: child.children.slice(0, 1), field: () => null });
        case 'list_splat_pattern':
          return plain(child.text.replace(/^\*\s*/, ''), 'positions');
        case 'dictionary_splat_pattern':
          return plain(child.text.replace(/^\*\*\s*/, ''), 'names');
        default:
          return [];
      }
    });
  }

  #pattern(node: PythonNode | null): Pattern {
    switch (node?.type) {
      case 'identifier':
        return { form: 'name', name: node.text, declares: true };
      case 'attribute':
        return {
          form: 'attribute',
          object: this.#expression(node.field('object')),
          name: node.field('attribute')?.text ?? '',
        };
      case 'subscript':
        return {
          form: 'item',
          object: this.#expression(node.field('value')),
          key: this.#expression(node.field('subscript')),
        };
      case 'pattern_list':
      case 'tuple_pattern':
      case 'list_pattern':
      case 'tuple':
      case 'list':
      case 'expression_list': {
        const items = parts(node);
        const rest = items.findIndex(({ type }) => type === 'list_splat_pattern' || type === 'list_splat');
        return {
          form: 'list',
          items: items.map((item) => this.#pattern(item)),
          rest: rest < 0 ? null : rest,
        };
      }
      case 'list_splat_pattern':
      case 'list_splat':
      case 'parenthesized_expression':
      case 'as_pattern_target':
        return this.#pattern(parts(node)[0] ?? null);
      default:
        return { form: 'name', name: '_', declares: true };
    }
  }

  #expressions(nodes: readonly PythonNode[]): readonly Expression[] {
    return nodes.map((node) => this.#expression(node));
  }

  #expression(node: PythonNode | null): Expression {
    if (!node) return constant(unknown);
    if (this.#depth >= deepest) {
      this.#error('expressions are nested too deeply');
      return constant(unknown);
    }
    this.#depth++;
    try {
      return this.#oneExpression(node);
    } finally {
      this.#depth--;
    }
  }

  #oneExpression(node: PythonNode): Expression {
    const field = (key: string): PythonNode | null => node.field(key);
    switch (node.type) {
      case 'identifier':
        return name(node.text);
      case 'string':
        return this.#string(node);
      case 'concatenated_string': {
        const strings = parts(node).map((part) => this.#string(part));
        const bytes = strings.some(
          (part) => part.form === 'constant' && part.thing.kind === 'text' && part.thing.form === 'bytes',
        );
        return { form: 'template', parts: strings, bytes };
      }
      case 'integer':
        return constant(integer(node.text));
      case 'float':
        return constant({ kind: 'number', value: Number(node.text.replaceAll('_', '')) });
      case 'true':
      case 'false':
        return constant(truth(node.type === 'true'));
      case 'none':
        return constant(none);
      case 'attribute':
        return {
          form: 'attribute',
          object: this.#expression(field('object')),
          name: field('attribute')?.text ?? '',
        };
      case 'subscript':
        return this.#subscript(node);
      case 'call':
        return this.#call(node);
      case 'binary_operator': {
        // A long sum leans to the left: it is walked, not descended into.
        const chain: PythonNode[] = [];
        let left: PythonNode | null = node;
        while (left?.type === 'binary_operator') {
          chain.push(left);
          left = left.field('left');
        }
        let result = this.#expression(left);
        for (const link of chain.toReversed()) {
          result = {
            form: 'binary',
            operator: link.field('operator')?.text ?? '+',
            left: result,
            right: this.#expression(link.field('right')),
          };
        }
        return result;
      }
      case 'boolean_operator':
        return {
          form: 'logic',
          operator: field('operator')?.text === 'and' ? 'and' : 'or',
          left: this.#expression(field('left')),
          right: this.#expression(field('right')),
        };
      case 'not_operator':
        return { form: 'unary', operator: 'not', value: this.#expression(field('argument')) };
      case 'unary_operator':
        return {
          form: 'unary',
          operator: field('operator')?.text ?? '-',
          value: this.#expression(field('argument')),
        };
      case 'comparison_operator': {
        const operands = parts(node);
        const operators = node.children
          .filter((child) => !operands.includes(child))
          .map((child) => child.text);
        const [left, right] = operands;
        if (operands.length !== 2 || !left || !right)
          return { form: 'sequence', items: [...this.#expressions(operands), constant(unknown)] };
        return {
          form: 'binary',
          operator: operators.join(' ').replace(/\s+/g, ' ').trim(),
          left: this.#expression(left),
          right: this.#expression(right),
        };
      }
      case 'conditional_expression': {
        const [yes, test, no] = parts(node);
        return {
          form: 'choice',
          test: this.#expression(test ?? null),
          yes: this.#expression(yes ?? null),
          no: this.#expression(no ?? null),
        };
      }
      case 'parenthesized_expression':
      case 'await':
      case 'as_pattern': {
        const [value] = parts(node);
        return this.#expression(value ?? null);
      }
      case 'tuple':
      case 'list':
      case 'set':
      case 'expression_list':
        return { form: 'list', items: parts(node).map((child) => this.#argument(child)) };
      case 'dictionary':
        return {
          form: 'map',
          items: parts(node).map((child) =>
            child.type === 'pair'
              ? { key: this.#expression(child.field('key')), value: this.#expression(child.field('value')) }
              : { key: null, value: this.#expression(parts(child)[0] ?? null) },
          ),
        };
      case 'list_comprehension':
      case 'set_comprehension':
      case 'generator_expression':
      case 'dictionary_comprehension':
        return this.#comprehension(node);
      case 'lambda': {
        const body = field('body');
        const code: FunctionCode = {
          name: '',
          parameters: this.#parameters(field('parameters')),
          body: [{ form: 'return', value: this.#expression(body) }],
          receiver: 'none',
          span: span(node),
        };
        return { form: 'function', code };
      }
      case 'named_expression':
        return { form: 'assign', to: this.#pattern(field('name')), value: this.#expression(field('value')) };
      case 'yield': {
        const [value] = parts(node);
        return {
          form: 'yield',
          value: value ? this.#expression(value) : null,
          all: node.children.some(({ type }) => type === 'from'),
        };
      }
      case 'list_splat':
      case 'dictionary_splat':
        return this.#expression(parts(node)[0] ?? null);
      default:
        return { form: 'sequence', items: [...this.#expressions(parts(node)), constant(unknown)] };
    }
  }

  #comprehension(node: PythonNode): Expression {
    const body = node.field('body');
    const pair = body?.type === 'pair' ? body : null;
    return {
      form: 'comprehension',
      shape: pair ? 'map' : 'list',
      clauses: parts(node)
        .filter(({ type }) => type === 'for_in_clause' || type === 'if_clause')
        .map((clause) =>
          clause.type === 'if_clause'
            ? { test: this.#expression(parts(clause)[0] ?? null) }
            : { to: this.#pattern(clause.field('left')), of: this.#expression(clause.field('right')) },
        ),
      key: pair ? this.#expression(pair.field('key')) : null,
      value: this.#expression(pair ? pair.field('value') : body),
    };
  }

  #subscript(node: PythonNode): Expression {
    const object = this.#expression(node.field('value'));
    const value = node.field('value');
    const keys = parts(node).filter((child) => child.start !== value?.start);
    const [only] = keys;
    if (keys.length !== 1 || !only)
      return {
        form: 'item',
        object,
        key: { form: 'list', items: keys.map((key) => position(this.#expression(key))) },
      };
    if (only.type !== 'slice') return { form: 'item', object, key: this.#expression(only) };
    const bounds: (Expression | null)[] = [null];
    for (const child of only.children) {
      if (child.type === ':') bounds.push(null);
      else if (child.type !== 'comment') bounds[bounds.length - 1] = this.#expression(child);
    }
    return { form: 'slice', object, bounds };
  }

  #call(node: PythonNode): Expression {
    const given = node.field('arguments');
    const args: readonly Argument[] =
      given?.type === 'argument_list'
        ? parts(given).map((child) => this.#argument(child))
        : given
          ? [position(this.#expression(given))]
          : [];
    return {
      form: 'call',
      callee: this.#expression(node.field('function')),
      args,
      creates: false,
      span: span(node),
    };
  }

  #argument(node: PythonNode): Argument {
    switch (node.type) {
      case 'keyword_argument':
        return {
          value: this.#expression(node.field('value')),
          name: node.field('name')?.text ?? '',
          spread: null,
        };
      case 'list_splat':
        return { value: this.#expression(parts(node)[0] ?? null), name: null, spread: 'positions' };
      case 'dictionary_splat':
        return { value: this.#expression(parts(node)[0] ?? null), name: null, spread: 'names' };
      default:
        return position(this.#expression(node));
    }
  }

  #string(node: PythonNode): Expression {
    if (node.type !== 'string') return this.#expression(node);
    const start = (node.children[0]?.text ?? '').toLowerCase();
    const raw = start.includes('r');
    const bytes = start.includes('b');
    const formatted = start.includes('f') || start.includes('t');
    const pieces: Expression[] = [];
    for (const child of node.children) {
      if (child.type === 'string_content') {
        let content = raw ? child.text : resolveEscapes(child.text, bytes);
        if (formatted) content = content.replaceAll('{{', '{').replaceAll('}}', '}');
        pieces.push(constant(text(content, { form: bytes ? 'bytes' : 'string' })));
      } else if (child.type === 'interpolation') {
        const value = this.#expression(child.field('expression'));
        const format = child.field('format_specifier');
        pieces.push(
          format
            ? {
                form: 'call',
                callee: library('builtins.format'),
                args: [position(value), position(constant(text(format.text.slice(1))))],
                creates: false,
                span: span(child),
              }
            : value,
        );
      }
    }
    const [only] = pieces;
    if (!only) return constant(text('', { form: bytes ? 'bytes' : 'string' }));
    return pieces.length === 1 && only.form === 'constant'
      ? only
      : { form: 'template', parts: pieces, bytes };
  }
}

function span({ start, end }: PythonNode): Span {
  return [start, end];
}

function isStatement(type: string): boolean {
  return /_statement$|_definition$|^comment$|^escape_sequence$|^type$/.test(type);
}

/** The name that `except … as name` gives. */
function nameOfAlias(clause: PythonNode): string | null {
  const value = clause.field('value');
  if (value?.type === 'as_pattern') return value.field('alias')?.text ?? null;
  return clause.field('alias')?.text ?? null;
}

function integer(given: string): Thing {
  const digits = given.replaceAll('_', '').replace(/[lLjJ]$/, '');
  // Python 2 wrote octal numbers with a leading zero.
  const value = /^0[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number(digits);
  return Number.isSafeInteger(value) ? { kind: 'number', value } : unknown;
}

const simpleEscapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '\n': '',
};

/** Resolves the escapes of a Python literal. */
function resolveEscapes(source: string, bytes = false): string {
  if (!source.includes('\\')) return source;
  return source.replace(
    /\\(?:([0-7]{1,3})|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|N\{[^}]*\}|(\r\n|[\s\S]))/g,
    (
      whole,
      octal: string | undefined,
      two: string | undefined,
      four: string | undefined,
      eight: string | undefined,
      other: string | undefined,
    ) => {
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
      if (two !== undefined) return String.fromCharCode(Number.parseInt(two, 16));
      const wide = bytes ? undefined : (four ?? eight);
      if (wide !== undefined) {
        const point = Number.parseInt(wide, 16);
        return point <= 0x10ffff ? String.fromCodePoint(point) : '\uE000';
      }
      if (other === '\r\n') return '';
      if (whole.startsWith('\\N{')) return '\uE000';
      return other === undefined ? whole : (simpleEscapes[other] ?? whole);
    },
  );
}
