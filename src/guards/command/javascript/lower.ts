// Brings a syntax tree of JavaScript down to the little language of the machine.

import { byKind, type Rule } from '../script/kinds.ts';
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
import { library } from './names.ts';
import type { JavascriptNode } from './tree.ts';

/** Nodes within nodes. */
const deepest = 400;

/** Brings a whole program down. */
export function lower(program: JavascriptNode, errors: readonly string[]): Program {
  const lowering = new Lowering();
  const body = lowering.statements(program['body']);
  return { body, errors: [...errors, ...lowering.errors] };
}

function isNode(value: unknown): value is JavascriptNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function node(value: unknown): JavascriptNode | null {
  return isNode(value) ? value : null;
}

function nodes(value: unknown): readonly JavascriptNode[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function string(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function span({ start, end }: JavascriptNode): Span {
  return [start, end];
}

const constant = (thing: Thing): Expression => ({ form: 'constant', thing });
const position = (value: Expression): Argument => ({ value, name: null, spread: null });

class Lowering {
  readonly errors: string[] = [];
  #depth = 0;

  statements(value: unknown): readonly Statement[] {
    return nodes(value).flatMap((child) => this.#statement(child));
  }

  #body(value: unknown): readonly Statement[] {
    const given = node(value);
    return given ? this.#statement(given) : [];
  }

  #deeper<T>(otherwise: T, walk: () => T): T {
    if (this.#depth >= deepest) {
      if (this.errors.length < 5) this.errors.push('code is nested too deeply');
      return otherwise;
    }
    this.#depth++;
    try {
      return walk();
    } finally {
      this.#depth--;
    }
  }

  #statement(given: JavascriptNode): readonly Statement[] {
    return this.#deeper<readonly Statement[]>([], () => this.#oneStatement(given));
  }

  static readonly #statementRules: ReadonlyMap<string, Rule<Lowering, JavascriptNode, readonly Statement[]>> =
    byKind<Rule<Lowering, JavascriptNode, readonly Statement[]>>({
      ExpressionStatement: (self, given) => [
        { form: 'expression', value: self.expression(given['expression']) },
      ],
      VariableDeclaration: (self, given) =>
        nodes(given['declarations']).map((declared) => ({
          form: 'assign',
          to: [self.#pattern(declared['id'], true)],
          value: node(declared['init']) ? self.expression(declared['init']) : constant(none),
        })),
      FunctionDeclaration: (self, given) => [
        { form: 'function', code: self.#function(given, 'this'), decorators: [] },
      ],
      ClassDeclaration: (self, given) => [{ form: 'class', code: self.#class(given), decorators: [] }],
      'BlockStatement StaticBlock': (self, given) => [
        { form: 'block', body: self.statements(given['body']) },
      ],
      IfStatement: (self, given) => [
        {
          form: 'if',
          test: self.expression(given['test']),
          yes: self.#body(given['consequent']),
          no: self.#body(given['alternate']),
        },
      ],
      WhileStatement: (self, given) => [self.#loop(given, given['test'], null)],
      DoWhileStatement: (self, given) => [
        ...self.#body(given['body']),
        self.#loop(given, given['test'], null),
      ],
      ForStatement: (self, given) => {
        const first = node(given['init']);
        const start: readonly Statement[] = first
          ? first.type === 'VariableDeclaration'
            ? self.#statement(first)
            : [{ form: 'expression', value: self.expression(first) }]
          : [];
        const step = node(given['update']) ? self.expression(given['update']) : null;
        return [...start, self.#loop(given, given['test'], step)];
      },
      'ForOfStatement ForInStatement': (self, given) => {
        const left = node(given['left']);
        const [declared] = left?.type === 'VariableDeclaration' ? nodes(left['declarations']) : [];
        return [
          {
            form: 'for',
            to: declared ? self.#pattern(declared['id'], true) : self.#pattern(left, false),
            of: self.expression(given['right']),
            keys: given.type === 'ForInStatement',
            body: self.#body(given['body']),
            otherwise: [],
          },
        ];
      },
      ReturnStatement: (self, given) => [
        { form: 'return', value: node(given['argument']) ? self.expression(given['argument']) : null },
      ],
      ThrowStatement: (self, given) => [{ form: 'raise', value: self.expression(given['argument']) }],
      BreakStatement: () => [{ form: 'break' }],
      ContinueStatement: () => [{ form: 'continue' }],
      TryStatement: (self, given) => {
        const handler = node(given['handler']);
        const parameter = node(handler?.['param']);
        return [
          {
            form: 'try',
            body: self.#body(given['block']),
            handlers: handler
              ? [
                  {
                    name: parameter?.type === 'Identifier' ? string(parameter['name']) : null,
                    body: self.#body(handler['body']),
                  },
                ]
              : [],
            otherwise: [],
            last: self.#body(given['finalizer']),
          },
        ];
      },
      SwitchStatement: (self, given) => [
        {
          form: 'cases',
          subject: self.expression(given['discriminant']),
          cases: nodes(given['cases']).map((one) => [
            ...(node(one['test'])
              ? [{ form: 'expression' as const, value: self.expression(one['test']) }]
              : []),
            ...self.statements(one['consequent']),
          ]),
        },
      ],
      WithStatement: (self, given) => {
        // Every name in it may be one of the object's own, so that none of them is known.
        self.errors.push('with: whose names are meant is not known');
        return self.#body(given['body']);
      },
      LabeledStatement: (self, given) => self.#body(given['body']),
      ImportDeclaration: (self, given) => self.#import(given),
      'ExportNamedDeclaration ExportDefaultDeclaration': (self, given) => {
        const declared = node(given['declaration']);
        if (!declared) return [];
        return /Declaration$/.test(declared.type)
          ? self.#statement(declared)
          : [{ form: 'expression', value: self.expression(declared) }];
      },
      PropertyDefinition: (self, given) => {
        const value = node(given['value']);
        const name = self.#keyName(given);
        if (!value || name === null) return [];
        return [
          { form: 'assign', to: [{ form: 'name', name, declares: true }], value: self.expression(value) },
        ];
      },
      MethodDefinition: (self, given) => {
        const value = node(given['value']);
        const name = self.#keyName(given);
        if (!value || name === null) return [];
        return [{ form: 'function', code: { ...self.#function(value, 'this'), name }, decorators: [] }];
      },
    });

  #oneStatement(given: JavascriptNode): readonly Statement[] {
    const rule = Lowering.#statementRules.get(given.type);
    return rule === undefined ? [] : rule(this, given);
  }

  #loop(given: JavascriptNode, test: unknown, step: Expression | null): Statement {
    return {
      form: 'while',
      test: node(test) ? this.expression(test) : constant(truth(true)),
      body: this.#body(given['body']),
      step,
      otherwise: [],
      span: span(given),
    };
  }

  #import(given: JavascriptNode): readonly Statement[] {
    const from = library(string(node(given['source'])?.['value']));
    const specifiers = nodes(given['specifiers']);
    if (specifiers.length === 0) return [{ form: 'import', library: from, to: null, span: span(given) }];
    return specifiers.map((specifier) => {
      const imported = node(specifier['imported']);
      const part = string(imported?.['name'] ?? imported?.['value']);
      const whole = specifier.type !== 'ImportSpecifier' || part === 'default';
      return {
        form: 'import',
        library: whole ? from : `${from}.${part}`,
        to: this.#pattern(specifier['local'], true),
        span: span(given),
      };
    });
  }

  /** The name of a property or method, where it is plain. */
  #keyName(given: JavascriptNode): string | null {
    const key = node(given['key']);
    if (!key || (given['computed'] === true && key.type !== 'Literal')) return null;
    if (key.type === 'PrivateIdentifier') return `#${string(key['name'])}`;
    if (key.type === 'Identifier') return string(key['name']);
    return key.type === 'Literal' ? String(key['value']) : null;
  }

  #function(given: JavascriptNode, receiver: FunctionCode['receiver']): FunctionCode {
    const body = node(given['body']);
    const short =
      given['expression'] === true ||
      (body !== null && body.type !== 'BlockStatement' && body.type !== 'FunctionBody');
    const parameters = node(given['params'])
      ? nodes(node(given['params'])?.['items'])
      : nodes(given['params']);
    return {
      name: string(node(given['id'])?.['name']),
      parameters: parameters.map((parameter) => this.#parameter(parameter)),
      body: short
        ? [
            {
              form: 'return',
              value: this.expression(
                body?.type === 'FunctionBody' ? nodes(body['statements'])[0]?.['expression'] : body,
              ),
            },
          ]
        : this.statements(body?.['body'] ?? body?.['statements']),
      receiver,
      span: span(given),
    };
  }

  #parameter(given: JavascriptNode): Parameter {
    switch (given.type) {
      case 'Identifier':
        return { name: string(given['name']), fallback: null, rest: null, pattern: null };
      case 'AssignmentPattern': {
        const inner = node(given['left']);
        const plain = inner?.type === 'Identifier';
        return {
          name: plain ? string(inner['name']) : '',
          fallback: this.expression(given['right']),
          rest: null,
          pattern: plain ? null : this.#pattern(inner, true),
        };
      }
      case 'RestElement':
        return {
          name: string(node(given['argument'])?.['name']),
          fallback: null,
          rest: 'positions',
          pattern: null,
        };
      default:
        return { name: '', fallback: null, rest: null, pattern: this.#pattern(given, true) };
    }
  }

  #class(given: JavascriptNode): ClassCode {
    const base = node(given['superClass']);
    return {
      name: string(node(given['id'])?.['name']),
      bases: base ? [this.expression(base)] : [],
      body: this.statements(node(given['body'])?.['body']),
    };
  }

  #pattern(value: unknown, declares: boolean): Pattern {
    const given = node(value);
    switch (given?.type) {
      case 'Identifier':
        return { form: 'name', name: string(given['name']), declares };
      case 'MemberExpression':
        return given['computed'] === true
          ? {
              form: 'item',
              object: this.expression(given['object']),
              key: this.expression(given['property']),
            }
          : {
              form: 'attribute',
              object: this.expression(given['object']),
              name: string(node(given['property'])?.['name']),
            };
      case 'ObjectPattern':
        return {
          form: 'map',
          items: nodes(given['properties']).flatMap((property) => {
            if (property.type === 'RestElement') return [];
            const name = this.#keyName(property);
            return [
              {
                key: name === null ? this.expression(property['key']) : constant(text(name)),
                to: this.#pattern(property['value'], declares),
              },
            ];
          }),
        };
      case 'ArrayPattern': {
        const items = Array.isArray(given['elements']) ? given['elements'].map(node) : [];
        const rest = items.findIndex((item) => item?.type === 'RestElement');
        return {
          form: 'list',
          items: items.map((item) =>
            item ? this.#pattern(item.type === 'RestElement' ? item['argument'] : item, declares) : null,
          ),
          rest: rest < 0 ? null : rest,
        };
      }
      case 'AssignmentPattern':
        return {
          form: 'fallback',
          to: this.#pattern(given['left'], declares),
          value: this.expression(given['right']),
        };
      default:
        return { form: 'name', name: '_', declares: true };
    }
  }

  #arguments(value: unknown): readonly Argument[] {
    return nodes(value).map((given) =>
      given.type === 'SpreadElement'
        ? { value: this.expression(given['argument']), name: null, spread: 'positions' as const }
        : position(this.expression(given)),
    );
  }

  expression(value: unknown): Expression {
    const given = node(value);
    if (!given) return constant(unknown);
    return this.#deeper(constant(unknown), () => this.#oneExpression(given));
  }

  static readonly #expressionRules: ReadonlyMap<string, Rule<Lowering, JavascriptNode, Expression>> = byKind<
    Rule<Lowering, JavascriptNode, Expression>
  >({
    'Identifier PrivateIdentifier': (_, given) => ({ form: 'name', name: string(given['name']) }),
    ThisExpression: () => ({ form: 'name', name: 'this' }),
    Super: () => ({ form: 'name', name: 'super' }),
    Literal: (_, given) => constant(literalThing(given)),
    TemplateLiteral: (self, given) => {
      const values = nodes(given['expressions']);
      const parts = nodes(given['quasis']).flatMap((quasi, index): Expression[] => {
        const held = quasi['value'];
        const cooked = typeof held === 'object' && held !== null && 'cooked' in held ? held.cooked : null;
        const inserted = values[index];
        return [
          constant(text(typeof cooked === 'string' ? cooked : '\uE000')),
          ...(inserted ? [self.expression(inserted)] : []),
        ];
      });
      return { form: 'template', parts, bytes: false };
    },
    TaggedTemplateExpression: (self, given) => ({
      form: 'call',
      callee: self.expression(given['tag']),
      args: [position(self.expression(given['quasi']))],
      creates: false,
      span: span(given),
    }),
    MemberExpression: (self, given) => {
      const object = self.expression(given['object']);
      const property = node(given['property']);
      if (given['computed'] === true) return { form: 'item', object, key: self.expression(property) };
      const name = string(property?.['name']);
      return {
        form: 'attribute',
        object,
        name: property?.type === 'PrivateIdentifier' ? `#${name}` : name,
      };
    },
    'CallExpression NewExpression': (self, given) => ({
      form: 'call',
      callee: self.expression(given['callee']),
      args: self.#arguments(given['arguments']),
      creates: given.type === 'NewExpression',
      span: span(given),
    }),
    ImportExpression: (self, given) => ({
      form: 'call',
      callee: constant(member('require')),
      args: [position(self.expression(given['source']))],
      creates: false,
      span: span(given),
    }),
    BinaryExpression: (self, given) => {
      const chain: JavascriptNode[] = [];
      let left: JavascriptNode | null = given;
      while (left?.type === 'BinaryExpression') {
        chain.push(left);
        left = node(left['left']);
      }
      let result = self.expression(left);
      for (const link of chain.toReversed())
        result = {
          form: 'binary',
          operator: string(link['operator']),
          left: result,
          right: self.expression(link['right']),
        };
      return result;
    },
    LogicalExpression: (self, given) => {
      const operator = string(given['operator']);
      return {
        form: 'logic',
        operator: operator === '&&' ? 'and' : operator === '||' ? 'or' : 'else',
        left: self.expression(given['left']),
        right: self.expression(given['right']),
      };
    },
    UnaryExpression: (self, given) => {
      const operator = string(given['operator']);
      return {
        form: 'unary',
        operator: operator === '!' ? 'not' : operator,
        value: self.expression(given['argument']),
      };
    },
    UpdateExpression: (self, given) => {
      const target = given['argument'];
      return {
        form: 'assign',
        to: self.#pattern(target, false),
        value: {
          form: 'binary',
          operator: string(given['operator']).charAt(0),
          left: self.expression(target),
          right: constant({ kind: 'number', value: 1 }),
        },
      };
    },
    AssignmentExpression: (self, given) => {
      const operator = string(given['operator']);
      const right = self.expression(given['right']);
      return {
        form: 'assign',
        to: self.#pattern(given['left'], false),
        value:
          operator === '='
            ? right
            : {
                form: 'binary',
                operator: operator.slice(0, -1),
                left: self.expression(given['left']),
                right,
              },
      };
    },
    ConditionalExpression: (self, given) => ({
      form: 'choice',
      test: self.expression(given['test']),
      yes: self.expression(given['consequent']),
      no: self.expression(given['alternate']),
    }),
    ArrayExpression: (self, given) => ({ form: 'list', items: self.#arguments(given['elements']) }),
    ObjectExpression: (self, given) => ({
      form: 'map',
      items: nodes(given['properties']).map((property) => {
        if (property.type === 'SpreadElement')
          return { key: null, value: self.expression(property['argument']) };
        const name = self.#keyName(property);
        return {
          key: name === null ? self.expression(property['key']) : constant(text(name)),
          value: self.expression(property['value']),
        };
      }),
    }),
    FunctionExpression: (self, given) => ({ form: 'function', code: self.#function(given, 'this') }),
    ArrowFunctionExpression: (self, given) => ({ form: 'function', code: self.#function(given, 'around') }),
    ClassExpression: (self, given) => ({ form: 'class', code: self.#class(given) }),
    SequenceExpression: (self, given) => ({
      form: 'sequence',
      items: nodes(given['expressions']).map((item) => self.expression(item)),
    }),
    'AwaitExpression ParenthesizedExpression ChainExpression TSAsExpression TSNonNullExpression TSSatisfiesExpression TSTypeAssertion':
      (self, given) => self.expression(given['argument'] ?? given['expression']),
    YieldExpression: (self, given) => ({
      form: 'yield',
      value: node(given['argument']) ? self.expression(given['argument']) : null,
      all: given['delegate'] === true,
    }),
  });

  #oneExpression(given: JavascriptNode): Expression {
    const rule = Lowering.#expressionRules.get(given.type);
    return rule === undefined ? constant(unknown) : rule(this, given);
  }
}

function literalThing(given: JavascriptNode): Thing {
  const { value } = given;
  if (given['regex']) return unknown;
  if (typeof value === 'string') return text(value);
  if (typeof value === 'number') return { kind: 'number', value };
  if (typeof value === 'boolean') return truth(value);
  return value === null ? none : unknown;
}
