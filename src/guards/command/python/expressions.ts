// Brings the expressions of Python down, and what stands around them: patterns, parameters, arguments, strings.

import { byKind, type Rule } from '../script/kinds.ts';
import type { Argument, Expression, FunctionCode, Parameter, Pattern } from '../script/program.ts';
import { member, none, type Thing, text, truth, unknown } from '../script/things.ts';
import { parts, span, type Way } from './nodes.ts';
import type { PythonNode } from './tree.ts';

const constant = (thing: Thing): Expression => ({ form: 'constant', thing });
const name = (given: string): Expression => ({ form: 'name', name: given });
/** A name of a library. */
export const library = (given: string): Expression => constant(member(given));
/** An argument by its position. */
export const position = (value: Expression): Argument => ({ value, name: null, spread: null });

/** Reads the expressions of one program. */
export class Expressions {
  readonly #way: Way;

  constructor(way: Way) {
    this.#way = way;
  }

  /** The parameters of a function. */
  parameters(node: PythonNode | null): readonly Parameter[] {
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
          return plain(child.field('name')?.text ?? '', null, this.read(child.field('value')));
        case 'typed_parameter':
          return this.parameters({ ...child, children: child.children.slice(0, 1), field: () => null });
        case 'list_splat_pattern':
          return plain(child.text.replace(/^\*\s*/, ''), 'positions');
        case 'dictionary_splat_pattern':
          return plain(child.text.replace(/^\*\*\s*/, ''), 'names');
        default:
          return [];
      }
    });
  }

  /** What something is assigned to. */
  pattern(node: PythonNode | null): Pattern {
    switch (node?.type) {
      case 'identifier':
        return { form: 'name', name: node.text, declares: true };
      case 'attribute':
        return {
          form: 'attribute',
          object: this.read(node.field('object')),
          name: node.field('attribute')?.text ?? '',
        };
      case 'subscript':
        return {
          form: 'item',
          object: this.read(node.field('value')),
          key: this.read(node.field('subscript')),
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
          items: items.map((item) => this.pattern(item)),
          rest: rest < 0 ? null : rest,
        };
      }
      case 'list_splat_pattern':
      case 'list_splat':
      case 'parenthesized_expression':
      case 'as_pattern_target':
        return this.pattern(parts(node)[0] ?? null);
      default:
        return { form: 'name', name: '_', declares: true };
    }
  }

  #all(nodes: readonly PythonNode[]): readonly Expression[] {
    return nodes.map((node) => this.read(node));
  }

  /** One expression; what is not known of it is `unknown`. */
  read(node: PythonNode | null): Expression {
    if (!node) return constant(unknown);
    if (!this.#way.enter('expressions')) return constant(unknown);
    try {
      return this.#one(node);
    } finally {
      this.#way.leave();
    }
  }

  static readonly #rules: ReadonlyMap<string, Rule<Expressions, PythonNode, Expression>> = byKind<
    Rule<Expressions, PythonNode, Expression>
  >({
    identifier: (_, node) => name(node.text),
    string: (self, node) => self.#string(node),
    concatenated_string: (self, node) => {
      const strings = parts(node).map((part) => self.#string(part));
      const bytes = strings.some(
        (part) => part.form === 'constant' && part.thing.kind === 'text' && part.thing.form === 'bytes',
      );
      return { form: 'template', parts: strings, bytes };
    },
    integer: (_, node) => constant(integer(node.text)),
    float: (_, node) => constant({ kind: 'number', value: Number(node.text.replaceAll('_', '')) }),
    'true false': (_, node) => constant(truth(node.type === 'true')),
    none: () => constant(none),
    attribute: (self, node) => ({
      form: 'attribute',
      object: self.read(node.field('object')),
      name: node.field('attribute')?.text ?? '',
    }),
    subscript: (self, node) => self.#subscript(node),
    call: (self, node) => self.#call(node),
    binary_operator: (self, node) => {
      // A long sum leans to the left: it is walked, not descended into.
      const chain: PythonNode[] = [];
      let left: PythonNode | null = node;
      while (left?.type === 'binary_operator') {
        chain.push(left);
        left = left.field('left');
      }
      let result = self.read(left);
      for (const link of chain.toReversed()) {
        result = {
          form: 'binary',
          operator: link.field('operator')?.text ?? '+',
          left: result,
          right: self.read(link.field('right')),
        };
      }
      return result;
    },
    boolean_operator: (self, node) => ({
      form: 'logic',
      operator: node.field('operator')?.text === 'and' ? 'and' : 'or',
      left: self.read(node.field('left')),
      right: self.read(node.field('right')),
    }),
    not_operator: (self, node) => ({
      form: 'unary',
      operator: 'not',
      value: self.read(node.field('argument')),
    }),
    unary_operator: (self, node) => ({
      form: 'unary',
      operator: node.field('operator')?.text ?? '-',
      value: self.read(node.field('argument')),
    }),
    comparison_operator: (self, node) => {
      const operands = parts(node);
      const operators = node.children.filter((child) => !operands.includes(child)).map((child) => child.text);
      const [left, right] = operands;
      if (operands.length !== 2 || !left || !right)
        return { form: 'sequence', items: [...self.#all(operands), constant(unknown)] };
      return {
        form: 'binary',
        operator: operators.join(' ').replace(/\s+/g, ' ').trim(),
        left: self.read(left),
        right: self.read(right),
      };
    },
    conditional_expression: (self, node) => {
      const [yes, test, no] = parts(node);
      return {
        form: 'choice',
        test: self.read(test ?? null),
        yes: self.read(yes ?? null),
        no: self.read(no ?? null),
      };
    },
    'parenthesized_expression await as_pattern': (self, node) => {
      const [value] = parts(node);
      return self.read(value ?? null);
    },
    'tuple list set expression_list': (self, node) => ({
      form: 'list',
      items: parts(node).map((child) => self.#argument(child)),
    }),
    dictionary: (self, node) => ({
      form: 'map',
      items: parts(node).map((child) =>
        child.type === 'pair'
          ? { key: self.read(child.field('key')), value: self.read(child.field('value')) }
          : { key: null, value: self.read(parts(child)[0] ?? null) },
      ),
    }),
    'list_comprehension set_comprehension generator_expression dictionary_comprehension': (self, node) =>
      self.#comprehension(node),
    lambda: (self, node) => {
      const body = node.field('body');
      const code: FunctionCode = {
        name: '',
        parameters: self.parameters(node.field('parameters')),
        body: [{ form: 'return', value: self.read(body) }],
        receiver: 'none',
        span: span(node),
      };
      return { form: 'function', code };
    },
    named_expression: (self, node) => ({
      form: 'assign',
      to: self.pattern(node.field('name')),
      value: self.read(node.field('value')),
    }),
    yield: (self, node) => {
      const [value] = parts(node);
      return {
        form: 'yield',
        value: value ? self.read(value) : null,
        all: node.children.some(({ type }) => type === 'from'),
      };
    },
    'list_splat dictionary_splat': (self, node) => self.read(parts(node)[0] ?? null),
  });

  #one(node: PythonNode): Expression {
    const rule = Expressions.#rules.get(node.type);
    return rule === undefined
      ? { form: 'sequence', items: [...this.#all(parts(node)), constant(unknown)] }
      : rule(this, node);
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
            ? { test: this.read(parts(clause)[0] ?? null) }
            : { to: this.pattern(clause.field('left')), of: this.read(clause.field('right')) },
        ),
      key: pair ? this.read(pair.field('key')) : null,
      value: this.read(pair ? pair.field('value') : body),
    };
  }

  #subscript(node: PythonNode): Expression {
    const object = this.read(node.field('value'));
    const value = node.field('value');
    const keys = parts(node).filter((child) => child.start !== value?.start);
    const [only] = keys;
    if (keys.length !== 1 || !only)
      return {
        form: 'item',
        object,
        key: { form: 'list', items: keys.map((key) => position(this.read(key))) },
      };
    if (only.type !== 'slice') return { form: 'item', object, key: this.read(only) };
    const bounds: (Expression | null)[] = [null];
    for (const child of only.children) {
      if (child.type === ':') bounds.push(null);
      else if (child.type !== 'comment') bounds[bounds.length - 1] = this.read(child);
    }
    return { form: 'slice', object, bounds };
  }

  #call(node: PythonNode): Expression {
    const given = node.field('arguments');
    const args: readonly Argument[] =
      given?.type === 'argument_list'
        ? parts(given).map((child) => this.#argument(child))
        : given
          ? [position(this.read(given))]
          : [];
    return {
      form: 'call',
      callee: this.read(node.field('function')),
      args,
      creates: false,
      span: span(node),
    };
  }

  #argument(node: PythonNode): Argument {
    switch (node.type) {
      case 'keyword_argument':
        return {
          value: this.read(node.field('value')),
          name: node.field('name')?.text ?? '',
          spread: null,
        };
      case 'list_splat':
        return { value: this.read(parts(node)[0] ?? null), name: null, spread: 'positions' };
      case 'dictionary_splat':
        return { value: this.read(parts(node)[0] ?? null), name: null, spread: 'names' };
      default:
        return position(this.read(node));
    }
  }

  #string(node: PythonNode): Expression {
    if (node.type !== 'string') return this.read(node);
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
        const value = this.read(child.field('expression'));
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
