// Which variable a name stands for.

import type { Counter, Variable } from '../ir.ts';

export class Scope {
  readonly names = new Map<string, Variable>();
  readonly outer: Scope | null;
  /** The scope of a function or a module, where `var` and the names of Python live. */
  readonly whole: boolean;
  /** Names are not looked for here from inside a function: a class body of Python. */
  readonly hidden: boolean;
  readonly #counter: Counter;

  constructor(counter: Counter, outer: Scope | null, { whole = false, hidden = false } = {}) {
    this.#counter = counter;
    this.outer = outer;
    this.whole = whole;
    this.hidden = hidden;
  }

  declare(name: string): Variable {
    const known = this.names.get(name);
    if (known !== undefined) return known;
    const variable = this.#counter.next++;
    this.names.set(name, variable);
    return variable;
  }

  /** A variable that no name stands for. */
  fresh(): Variable {
    return this.#counter.next++;
  }

  find(name: string): Variable | undefined {
    for (let scope: Scope | null = this; scope !== null; scope = scope.outer) {
      if (scope.hidden && scope !== this) continue;
      const found = scope.names.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  get function(): Scope {
    let scope: Scope = this;
    while (!scope.whole && scope.outer !== null) scope = scope.outer;
    return scope;
  }
}
