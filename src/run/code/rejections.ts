// Promises of the code that failed and that nothing in the code waits for.

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

  /** A promise failed and nothing waits for it, or something does now. */
  change(promise: JSValueHandle, isHandled: boolean): void {
    const { identity } = promise;
    const known = this.#failed.get(identity);
    if (!isHandled && known === undefined) this.#failed.set(identity, promise.dup());
    if (!isHandled || known === undefined) return;
    this.#failed.delete(identity);
    known.dispose();
  }

  /** The one that failed first; null where there is none. */
  first(): JSValueHandle | null {
    const [promise = null] = this.#failed.values();
    return promise;
  }

  /** Where they are in the memory of the VM. */
  places(): readonly number[] {
    return [...this.#failed.values()].map((promise) => this.#vm.exportHandle(promise));
  }
}
