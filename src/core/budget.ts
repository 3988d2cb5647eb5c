// A budget of steps. Guards spend from it, so that hostile input ends in a refusal and not in a long wait.

import { BudgetExceeded } from './errors.ts';

export class Budget {
  #left: number;
  readonly #total: number;

  constructor(steps: number) {
    this.#left = steps;
    this.#total = steps;
  }

  /** Takes steps off the budget; throws `BudgetExceeded` when there are none left. */
  spend(steps = 1): void {
    this.#left -= steps;
    if (this.#left < 0) throw new BudgetExceeded(`the check needed more than ${this.#total} steps`);
  }
}
