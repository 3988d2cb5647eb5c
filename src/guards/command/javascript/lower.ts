// Brings a syntax tree of JavaScript down to the little language of the machine.

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

  #oneStatement(given: JavascriptNode): readonly Statement[] {
    switch (given.type) {
      case 'ExpressionStatement':
        return [{ form: 'expression', value: this.expression(given['expression']) }];
      case 'VariableDeclaration':
        return nodes(given['declarations']).map((declared) => ({
          form: 'assign',
          to: [this.#pattern(declared['id'], true)],
          value: node(declared['init']) ? this.expression(declared['init']) : constant(none),
        }));
      case 'FunctionDeclaration':
        return [{ form: 'function', code: this.#function(given, 'this'), decorators: [] }];
      case 'ClassDeclaration':
        return [{ form: 'class', code: this.#class(given), decorators: [] }];
      case 'BlockStatement':
      case 'StaticBlock':
        return [{ form: 'block', body: this.statements(given['body']) }];
      case 'IfStatement':
        return [
          {
            form: 'if',
            test: this.expression(given['test']),
            yes: this.#body(given['consequent']),
            no: this.#body(given['alternate']),
          },
        ];
      case 'WhileStatement':
        return [this.#loop(given, given['test'], null)];
      case 'DoWhileStatement':
        return [...this.#body(given['body']), this.#loop(given, given['test'], null)];
      case 'ForStatement': {
        const first = node(given['init']);
        const start: readonly Statement[] = first
          ? first.type === 'VariableDeclaration'
            ? this.#statement(first)
            : [{ form: 'expression', value: this.expression(first) }]
          : [];
        const step = node(given['update']) ? this.expression(given['update']) : null;
        return [...start, this.#loop(given, given['test'], step)];
      }
      case 'ForOfStatement':
      case 'ForInStatement': {
        const left = node(given['left']);
        const [declared] = left?.type === 'VariableDeclaration' ? nodes(left['declarations']) : [];
        return [
          {
            form: 'for',
            to: declared ? this.#pattern(declared['id'], true) : this.#pattern(left, false),
            of: this.expression(given['right']),
            keys: given.type === 'ForInStatement',
            body: this.#body(given['body']),
            otherwise: [],
          },
        ];
      }
      case 'ReturnStatement':
        return [
          { form: 'return', value: node(given['argument']) ? this.expression(given['argument']) : null },
        ];
      case 'ThrowStatement':
        return [{ form: 'raise', value: this.expression(given['argument']) }];
      case 'BreakStatement':
        return [{ form: 'break' }];
      case 'ContinueStatement':
        return [{ form: 'continue' }];
      case 'TryStatement': {
        const handler = node(given['handler']);
        const parameter = node(handler?.['param']);
        return [
          {
            form: 'try',
            body: this.#body(given['block']),
            handlers: handler
              ? [
                  {
                    name: parameter?.type === 'Identifier' ? string(parameter['name']) : null,
                    body: this.#body(handler['body']),
                  },
                ]
              : [],
            otherwise: [],
            last: this.#body(given['finalizer']),
          },
        ];
      }
      case 'SwitchStatement':
        return [
          {
            form: 'cases',
            subject: this.expression(given['discriminant']),
            cases: nodes(given['cases']).map((one) => [
              ...(node(one['test'])
                ? [{ form: 'expression' as const, value: this.expression(one['test']) }]
                : []),
              ...this.statements(one['consequent']),
            ]),
          },
        ];
      case 'WithStatement':
        // Every name in it may be one of the object's own, so that none of them is known.
        this.errors.push('with: whose names are meant is not known');
        return this.#body(given['body']);
      case 'LabeledStatement':
        return this.#body(given['body']);
      case 'ImportDeclaration':
        return this.#import(given);
      case 'ExportNamedDeclaration':
      case 'ExportDefaultDeclaration': {
        const declared = node(given['declaration']);
        if (!declared) return [];
        return /Declaration$/.test(declared.type)
          ? this.#statement(declared)
          : [{ form: 'expression', value: this.expression(declared) }];
      }
      case 'PropertyDefinition': {
        const value = node(given['value']);
        const name = this.#keyName(given);
        if (!value || name === null) return [];
        return [
          { form: 'assign', to: [{ form: 'name', name, declares: true }], value: this.expression(value) },
        ];
      }
      case 'MethodDefinition': {
        const value = node(given['value']);
        const name = this.#keyName(given);
        if (!value || name === null) return [];
        return [{ form: 'function', code: { ...this.#function(value, 'this'), name }, decorators: [] }];
      }
      default:
        return [];
    }
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

  #oneExpression(given: JavascriptNode): Expression {
    switch (given.type) {
      case 'Identifier':
      case 'PrivateIdentifier':
        return { form: 'name', name: string(given['name']) };
      case 'ThisExpression':
        return { form: 'name', name: 'this' };
      case 'Super':
        return { form: 'name', name: 'super' };
      case 'Literal':
        return constant(literalThing(given));
      case 'TemplateLiteral': {
        const values = nodes(given['expressions']);
        const parts = nodes(given['quasis']).flatMap((quasi, index): Expression[] => {
          const held = quasi['value'];
          const cooked = typeof held === 'object' && held !== null && 'cooked' in held ? held.cooked : null;
          const inserted = values[index];
          return [
            constant(text(typeof cooked === 'string' ? cooked : '\uE000')),
            ...(inserted ? [this.expression(inserted)] : []),
          ];
        });
        return { form: 'template', parts, bytes: false };
      }
      case 'TaggedTemplateExpression':
        return {
          form: 'call',
          callee: this.expression(given['tag']),
          args: [position(this.expression(given['quasi']))],
          creates: false,
          span: span(given),
        };
      case 'MemberExpression': {
        const object = this.expression(given['object']);
        const property = node(given['property']);
        if (given['computed'] === true) return { form: 'item', object, key: this.expression(property) };
        const name = string(property?.['name']);
        return {
          form: 'attribute',
          object,
          name: property?.type === 'PrivateIdentifier' ? `#${name}` : name,
        };
      }
      case 'CallExpression':
      case 'NewExpression':
        return {
          form: 'call',
          callee: this.expression(given['callee']),
          args: this.#arguments(given['arguments']),
          creates: given.type === 'NewExpression',
          span: span(given),
        };
      case 'ImportExpression':
        return {
          form: 'call',
          callee: constant(member('require')),
          args: [position(this.expression(given['source']))],
          creates: false,
          span: span(given),
        };
      case 'BinaryExpression': {
        const chain: JavascriptNode[] = [];
        let left: JavascriptNode | null = given;
        while (left?.type === 'BinaryExpression') {
          chain.push(left);
          left = node(left['left']);
        }
        let result = this.expression(left);
        for (const link of chain.toReversed())
          result = {
            form: 'binary',
            operator: string(link['operator']),
            left: result,
            right: this.expression(link['right']),
          };
        return result;
      }
      case 'LogicalExpression': {
        const operator = string(given['operator']);
        return {
          form: 'logic',
          operator: operator === '&&' ? 'and' : operator === '||' ? 'or' : 'else',
          left: this.expression(given['left']),
          right: this.expression(given['right']),
        };
      }
      case 'UnaryExpression': {
        const operator = string(given['operator']);
        return {
          form: 'unary',
          operator: operator === '!' ? 'not' : operator,
          value: this.expression(given['argument']),
        };
      }
      case 'UpdateExpression': {
        const target = given['argument'];
        return {
          form: 'assign',
          to: this.#pattern(target, false),
          value: {
            form: 'binary',
            operator: string(given['operator']).charAt(0),
            left: this.expression(target),
            right: constant({ kind: 'number', value: 1 }),
          },
        };
      }
      case 'AssignmentExpression': {
        const operator = string(given['operator']);
        const right = this.expression(given['right']);
        return {
          form: 'assign',
          to: this.#pattern(given['left'], false),
          value:
            operator === '='
              ? right
              : {
                  form: 'binary',
                  operator: operator.slice(0, -1),
                  left: this.expression(given['left']),
                  right,
                },
        };
      }
      case 'ConditionalExpression':
        return {
          form: 'choice',
          test: this.expression(given['test']),
          yes: this.expression(given['consequent']),
          no: this.expression(given['alternate']),
        };
      case 'ArrayExpression':
        return { form: 'list', items: this.#arguments(given['elements']) };
      case 'ObjectExpression':
        return {
          form: 'map',
          items: nodes(given['properties']).map((property) => {
            if (property.type === 'SpreadElement')
              return { key: null, value: this.expression(property['argument']) };
            const name = this.#keyName(property);
            return {
              key: name === null ? this.expression(property['key']) : constant(text(name)),
              value: this.expression(property['value']),
            };
          }),
        };
      case 'FunctionExpression':
        return { form: 'function', code: this.#function(given, 'this') };
      case 'ArrowFunctionExpression':
        return { form: 'function', code: this.#function(given, 'around') };
      case 'ClassExpression':
        return { form: 'class', code: this.#class(given) };
      case 'SequenceExpression':
        return { form: 'sequence', items: nodes(given['expressions']).map((item) => this.expression(item)) };
      case 'AwaitExpression':
      case 'ParenthesizedExpression':
      case 'ChainExpression':
      case 'TSAsExpression':
      case 'TSNonNullExpression':
      case 'TSSatisfiesExpression':
      case 'TSTypeAssertion':
        return this.expression(given['argument'] ?? given['expression']);
      case 'YieldExpression':
        return {
          form: 'yield',
          value: node(given['argument']) ? this.expression(given['argument']) : null,
          all: given['delegate'] === true,
        };
      default:
        return constant(unknown);
    }
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
