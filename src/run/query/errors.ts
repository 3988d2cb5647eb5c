// Why a query was not run, or did not come to its end.

import { exitCodes, SallyportError, type Verdict } from '../../core/index.ts';

/** The one path did not let the query go; carries the verdict. */
export class QueryRefused extends SallyportError {
  readonly verdict: Verdict;

  constructor(verdict: Verdict) {
    const hint = verdict.approval?.how;
    const exitCode = verdict.decision === 'approve' ? exitCodes.waiting : exitCodes.failed;
    super(verdict.explanation, { exitCode, ...(hint === undefined ? {} : { hint }) });
    this.verdict = verdict;
  }
}

/** The source did not take the query, or broke off; its own words are passed on only as far as they are harmless. */
export class QueryFailed extends SallyportError {}

/** The query took longer than it may, and was ended. */
export class QueryTimedOut extends SallyportError {}

/** The account that a source is reached with may do more than any query should. */
export class PostureRefused extends SallyportError {}
