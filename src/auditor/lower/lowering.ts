// One module while it is lowered: the scope at hand, and what was found so far.

import type { Callable, Counter, Import, Module, Offer, Statement } from '../ir.ts';
import { Scope } from './scope.ts';

export class Lowering {
  readonly module: Module;
  scope: Scope;
  readonly counter: Counter;
  readonly body: Statement[] = [];
  readonly imports: Import[] = [];
  readonly offers = new Map<string, Offer>();
  readonly stars: string[] = [];
  readonly callables: Callable[] = [];

  constructor(about: Pick<Module, 'path' | 'language' | 'source' | 'comments' | 'broken'>, counter: Counter) {
    this.counter = counter;
    this.scope = new Scope(counter, null, { whole: true });
    const { body, imports, offers, stars, callables } = this;
    this.module = { ...about, body, imports, offers, names: this.scope.names, stars, callables };
  }

  /** Works in a scope of its own inside the one at hand. */
  inner<Result>(
    work: () => Result,
    kind: { readonly whole?: boolean; readonly hidden?: boolean } = {},
  ): Result {
    const outer = this.scope;
    this.scope = new Scope(this.counter, outer, kind);
    try {
      return work();
    } finally {
      this.scope = outer;
    }
  }
}
