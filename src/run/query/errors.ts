// The reasons why a query was not run, or did not complete.

import { exitCodes, SallyportError, type Verdict } from '../../core/index.ts';

/** The query was refused; carries the verdict. */
export class QueryRefused extends SallyportError {
  readonly verdict: Verdict;

  constructor(verdict: Verdict) {
    const hint = verdict.approval?.how;
    const exitCode = verdict.decision === 'approve' ? exitCodes.waiting : exitCodes.failed;
    super(verdict.explanation, { exitCode, ...(hint === undefined ? {} : { hint }) });
    this.verdict = verdict;
  }
}

/** The source rejected the query, or disconnected; its own words are passed on only as far as they are harmless. */
export class QueryFailed extends SallyportError {}

/** The query exceeded its time limit and was cancelled. */
export class QueryTimedOut extends SallyportError {}

/** The database account has more privileges than any query should. */
export class PostureRefused extends SallyportError {}
