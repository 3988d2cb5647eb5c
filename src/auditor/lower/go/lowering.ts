// One file of Go while it is lowered: the package that it is part of, and what its functions have started.

import type { TreeNode } from '../../../core/index.ts';
import type { Block, Callable, ClassShape, Counter, Expression, Statement, Variable } from '../../ir.ts';
import { Lowering } from '../lowering.ts';
import { plainName } from './names.ts';

/** A class while it is lowered: its methods may stand in other files. */
export interface TypeShape {
  readonly name: string;
  base: Expression | null;
  readonly methods: Map<string, Callable>;
  readonly fields: ClassShape['fields'][number][];
  readonly at: number;
}

/** A type that a package declares. */
export interface TypeDeclaration {
  readonly name: string;
  readonly kind: 'struct' | 'interface' | 'other';
  readonly node: TreeNode;
  readonly shape: TypeShape;
  /** The names and types of the fields of a struct, in their order. */
  readonly fields: readonly {
    readonly name: string;
    readonly type: TreeNode | null;
    readonly tagged: boolean;
    readonly embedded: boolean;
  }[];
  /** What an interface asks for. */
  readonly asked: readonly string[];
  /** Methods that it has, wherever they are declared. */
  readonly methods: Set<string>;
}

/** The files of one folder with one package clause. */
export interface GoPackage {
  /** The file that declares a name at its top. */
  readonly names: Map<string, string>;
  readonly types: Map<string, TypeDeclaration>;
}

/** A function that runs beside the one that started it. */
interface Task {
  readonly variable: Variable;
  readonly text: string;
}

/** The function at hand. */
interface FunctionAtHand {
  readonly tasks: Task[];
  /** The names of its results, if they have some. */
  readonly results: readonly string[];
}

export class GoLowering extends Lowering {
  readonly package: GoPackage;
  /** Types that implement an interface, in all packages. */
  readonly implementers: (type: TypeDeclaration) => readonly TypeDeclaration[];
  readonly blockOf: (lowering: GoLowering, node: TreeNode | null) => Block;
  /** What has to happen before the statement at hand. */
  before: Statement[] = [];
  function: FunctionAtHand = { tasks: [], results: [] };

  constructor(
    about: ConstructorParameters<typeof Lowering>[0],
    counter: Counter,
    around: Pick<GoLowering, 'package' | 'implementers' | 'blockOf'>,
  ) {
    super(about, counter);
    this.package = around.package;
    this.implementers = around.implementers;
    this.blockOf = around.blockOf;
  }

  /** A name as an expression; one of another file of the package is imported from there. */
  name(written: string, at: number): Expression {
    const name = plainName(written);
    const variable = this.scope.find(written) ?? this.#sibling(written);
    return variable === undefined ? { kind: 'global', name, at } : { kind: 'variable', variable, name, at };
  }

  #sibling(written: string): Variable | undefined {
    const path = this.package.names.get(written);
    if (path === undefined || path === this.module.path) return undefined;
    let { scope } = this;
    while (scope.outer !== null) scope = scope.outer;
    const variable = scope.declare(written);
    this.imports.push({ variable, from: `./${path.slice(path.lastIndexOf('/') + 1)}`, name: written });
    return variable;
  }

  /** The type of the package that a name stands for, unless something else is called so here. */
  typeNamed(name: string): TypeDeclaration | undefined {
    for (let scope: typeof this.scope | null = this.scope; scope?.outer != null; scope = scope.outer)
      if (scope.names.has(name)) return undefined;
    return this.package.types.get(name);
  }

  /** Lowers the body of a function. */
  inFunction<Result>(results: readonly string[], work: () => Result): Result {
    const outer = { function: this.function, before: this.before };
    this.function = { tasks: [], results };
    this.before = [];
    try {
      return this.inner(work, { whole: true });
    } finally {
      this.function = outer.function;
      this.before = outer.before;
    }
  }

  /** The statements that an expression of `work` needs before it, and then what it gives. */
  withBefore(work: () => readonly Statement[]): readonly Statement[] {
    const outer = this.before;
    this.before = [];
    try {
      const statements = work();
      return [...this.before, ...statements];
    } finally {
      this.before = outer;
    }
  }

  /** Waits for the tasks that speak of a name; gives the variables of what they gave. */
  waitFor(name: string, at: number): readonly Expression[] {
    const word = new RegExp(`\\b${name.replaceAll(/\W/g, '\\$&')}\\b`);
    const ended = this.function.tasks.filter(({ text }) => word.test(text));
    return ended.map((task): Expression => {
      const result = this.scope.fresh();
      const value: Expression = { kind: 'variable', variable: task.variable, name: '', at };
      const target = { kind: 'variable', variable: result, name: '', at } as const;
      this.before.push({ kind: 'let', target, value: { kind: 'await', value, at }, at });
      return target;
    });
  }
}
