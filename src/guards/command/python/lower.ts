// Brings a syntax tree of Python down to the little language of the machine: its statements, with the expressions in them.

import { byKind, type Rule } from '../script/kinds.ts';
import type { ClassCode, FunctionCode, Program, Statement } from '../script/program.ts';
import { Expressions, library, position } from './expressions.ts';
import { canonical } from './names.ts';
import { parts, span, Way } from './nodes.ts';
import type { PythonNode } from './tree.ts';

/** Brings a whole module down. */
export function lower(root: PythonNode): Program {
  return new Lowering().program(root);
}

class Lowering {
  readonly #way = new Way();
  readonly #expressions = new Expressions(this.#way);

  program(root: PythonNode): Program {
    this.#findUnreadable(root);
    return { body: this.#statements(root), errors: this.#way.errors };
  }

  /** INVARIANT: whatever the parser could not read is told, also where lowering does not look. */
  #findUnreadable(root: PythonNode): void {
    const left = [root];
    for (let node = left.pop(); node !== undefined; node = left.pop()) {
      if (node.type === 'ERROR') this.#way.error(`cannot read: ${node.text.slice(0, 60)}`);
      for (const child of node.children) left.push(child);
    }
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
    if (!this.#way.enter('statements')) return [];
    try {
      return this.#oneStatement(node);
    } finally {
      this.#way.leave();
    }
  }

  static readonly #rules: ReadonlyMap<string, Rule<Lowering, PythonNode, readonly Statement[]>> = byKind<
    Rule<Lowering, PythonNode, readonly Statement[]>
  >({
    expression_statement: (self, node) => parts(node).flatMap((child) => self.#simple(child)),
    if_statement: (self, node) => {
      let no: readonly Statement[] = [];
      const clauses = node.children.filter(({ type }) => type === 'elif_clause' || type === 'else_clause');
      for (const clause of clauses.toReversed()) {
        no =
          clause.type === 'else_clause'
            ? self.#clause(clause)
            : [
                {
                  form: 'if',
                  test: self.#expressions.read(clause.field('condition')),
                  yes: self.#clause(clause),
                  no,
                },
              ];
      }
      return [
        { form: 'if', test: self.#expressions.read(node.field('condition')), yes: self.#clause(node), no },
      ];
    },
    while_statement: (self, node) => [
      {
        form: 'while',
        test: self.#expressions.read(node.field('condition')),
        body: self.#clause(node),
        step: null,
        otherwise: self.#otherwise(node),
        span: span(node),
      },
    ],
    for_statement: (self, node) => [
      {
        form: 'for',
        to: self.#expressions.pattern(node.field('left')),
        of: self.#expressions.read(node.field('right')),
        keys: false,
        body: self.#clause(node),
        otherwise: self.#otherwise(node),
      },
    ],
    try_statement: (self, node) => {
      const clauses = node.children;
      const last = clauses.find(({ type }) => type === 'finally_clause');
      return [
        {
          form: 'try',
          body: self.#clause(node),
          handlers: clauses
            .filter(({ type }) => type === 'except_clause' || type === 'except_group_clause')
            .map((clause) => ({ name: nameOfAlias(clause), body: self.#clause(clause) })),
          otherwise: self.#otherwise(node),
          last: last ? self.#clause(last) : [],
        },
      ];
    },
    with_statement: (self, node) => {
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
            if (value?.type !== 'as_pattern') return { value: self.#expressions.read(value), to: null };
            const [given] = parts(value);
            const target = value.field('alias');
            const to = target?.type === 'as_pattern_target' ? (target.children[0] ?? null) : target;
            return { value: self.#expressions.read(given ?? null), to: self.#expressions.pattern(to) };
          }),
          body: self.#clause(node),
        },
      ];
    },
    return_statement: (self, node) => {
      const [value] = parts(node);
      return [{ form: 'return', value: value ? self.#expressions.read(value) : null }];
    },
    raise_statement: (self, node) => {
      const [value] = parts(node);
      return [{ form: 'raise', value: value ? self.#expressions.read(value) : null }];
    },
    break_statement: () => [{ form: 'break' }],
    continue_statement: () => [{ form: 'continue' }],
    function_definition: (self, node) => [
      ...self.#annotations(node),
      { form: 'function', code: self.#function(node), decorators: [] },
    ],
    class_definition: (self, node) => [{ form: 'class', code: self.#class(node), decorators: [] }],
    decorated_definition: (self, node) => {
      const decorators = node.children
        .filter(({ type }) => type === 'decorator')
        .map((decorator) => self.#expressions.read(parts(decorator)[0] ?? null));
      const definition = node.field('definition');
      if (definition?.type === 'function_definition')
        return [
          ...self.#annotations(definition),
          { form: 'function', code: self.#function(definition), decorators },
        ];
      if (definition?.type === 'class_definition')
        return [{ form: 'class', code: self.#class(definition), decorators }];
      return [];
    },
    import_statement: (self, node) => parts(node).flatMap((child) => self.#import(child)),
    import_from_statement: (self, node) => self.#importFrom(node),
    'global_statement nonlocal_statement': (_, node) => [
      {
        form: 'outer',
        names: parts(node).map((child) => child.text),
        top: node.type === 'global_statement',
      },
    ],
    'delete_statement assert_statement print_statement': (self, node) =>
      parts(node).map((child) => ({ form: 'expression', value: self.#expressions.read(child) })),
    exec_statement: (self, node) => [
      {
        form: 'expression',
        value: {
          form: 'call',
          callee: library('builtins.exec'),
          args: [position(self.#expressions.read(node.field('code')))],
          creates: false,
          span: span(node),
        },
      },
    ],
    match_statement: (self, node) => {
      const subject = self.#expressions.read(node.field('subject'));
      const body = node.field('body');
      const clauses = body ? parts(body).filter(({ type }) => type === 'case_clause') : [];
      return [
        {
          form: 'cases',
          subject,
          cases: clauses.map((clause) => {
            const bare = parts(clause).find(({ type }) => type === 'case_pattern');
            const captured = bare && /^[a-z_]\w*$/i.test(bare.text) ? bare.text : null;
            const statements = self.#clause(clause);
            if (captured === null) return statements;
            return [
              { form: 'assign', to: [{ form: 'name', name: captured, declares: true }], value: subject },
              ...statements,
            ];
          }),
        },
      ];
    },
    'block module': (self, node) => self.#statements(node),
    ERROR: (self, node) => self.#statements(node),
  });

  #oneStatement(node: PythonNode): readonly Statement[] {
    const rule = Lowering.#rules.get(node.type);
    return rule === undefined ? (isStatement(node.type) ? [] : this.#simple(node)) : rule(this, node);
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
      const annotated = this.#annotation(node.field('type'));
      if (!value) return annotated;
      return [
        ...annotated,
        {
          form: 'assign',
          to: targets.map((target) => this.#expressions.pattern(target)),
          value: this.#expressions.read(value),
        },
      ];
    }
    if (node.type === 'augmented_assignment') {
      const left = node.field('left');
      const operator = (node.field('operator')?.text ?? '+=').slice(0, -1);
      return [
        {
          form: 'assign',
          to: [this.#expressions.pattern(left)],
          value: {
            form: 'binary',
            operator,
            left: this.#expressions.read(left),
            right: this.#expressions.read(node.field('right')),
          },
        },
      ];
    }
    return [{ form: 'expression', value: this.#expressions.read(node) }];
  }

  /** What stands as a type is evaluated where it stands; only a call in it does anything. */
  #annotation(type: PythonNode | null): readonly Statement[] {
    if (!type?.text.includes('(')) return [];
    return parts(type).map((child) => ({ form: 'expression', value: this.#expressions.read(child) }));
  }

  #annotations(definition: PythonNode): readonly Statement[] {
    const parameters = definition.field('parameters');
    if (!parameters?.text.includes(':') && !definition.field('return_type')) return [];
    return [
      ...(parameters ? parts(parameters) : []).flatMap((one) => this.#annotation(one.field('type'))),
      ...this.#annotation(definition.field('return_type')),
    ];
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
      parameters: this.#expressions.parameters(node.field('parameters')),
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
            .map((base) => this.#expressions.read(base))
        : [],
      body: this.#statements(node.field('body')),
    };
  }
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
