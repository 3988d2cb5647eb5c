// Rejected promises of the code that have no handler.

import type { JSValueHandle, QuickJS } from 'quickjs-wasi';

/** The failed promises of one VM. A handle keeps each of them alive, so that no other takes its place in memory. */
export class Rejections {
  readonly #vm: QuickJS;
  readonly #failed = new Map<number, JSValueHandle>();

  /** `places` are those of a VM that was paused. */
  constructor(vm: QuickJS, places: readonly number[] = []) {
    this.#vm = vm;
    for (const place of places) {
      const promise = vm.importHandle(place);
      this.#failed.set(promise.identity, promise);
    }
  }

  /** A promise was rejected without a handler, or has one now. */
  change(promise: JSValueHandle, isHandled: boolean): void {
    const { identity } = promise;
    const known = this.#failed.get(identity);
    if (!isHandled && known === undefined) this.#failed.set(identity, promise.dup());
    if (!isHandled || known === undefined) return;
    this.#failed.delete(identity);
    known.dispose();
  }

  /** The first one that was rejected; null if there is none. */
  first(): JSValueHandle | null {
    const [promise = null] = this.#failed.values();
    return promise;
  }

  /** Their addresses in the memory of the VM. */
  places(): readonly number[] {
    return [...this.#failed.values()].map((promise) => this.#vm.exportHandle(promise));
  }
}
