// Why something that was allowed ended without a result.

import { exitCodes, SallyportError, type Verdict } from '../core/index.ts';

/** A request or a redirect that may not go on; carries the verdict where one was given. */
export class FetchRefused extends SallyportError {
  readonly verdict: Verdict | undefined;

  constructor(message: string, options: { hint?: string; cause?: unknown; verdict?: Verdict } = {}) {
    const waits = options.verdict?.decision === 'approve';
    super(message, { ...options, exitCode: waits ? exitCodes.waiting : exitCodes.failed });
    this.verdict = options.verdict;
  }
}

/** The connection could not be made, broke, or spoke something that is not HTTP. */
export class FetchFailed extends SallyportError {}

/** The response has more bytes or headers than are allowed. */
export class FetchTooLarge extends SallyportError {}

/** The whole fetch, redirects included, took longer than it may. */
export class FetchTimedOut extends SallyportError {}

/** The caller gave up. */
export class FetchAborted extends SallyportError {}

/** The response led from one place to the next too often. */
export class TooManyRedirects extends SallyportError {}

/** Commands run in a sandbox, and none can be made here. */
export class SandboxUnavailable extends SallyportError {}

/** What the command changes could not be reverted, and no approval was asked for; it did not start. */
export class NotUndoable extends SallyportError {}

/** The sandbox did not come up; the command did not start. */
export class SandboxFailed extends SallyportError {}

/** A folder that a command may not have as its workspace. */
export class WorkspaceUnfit extends SallyportError {}

/** The caller gave up; the command and all that it started were ended. */
export class CommandAborted extends SallyportError {}

/** What a model said may not be shown; carries the verdict on it. */
export class ResponseRefused extends SallyportError {
  readonly verdict: Verdict;

  constructor(message: string, verdict: Verdict) {
    const { approval, decision } = verdict;
    super(message, {
      ...(approval === null ? {} : { hint: approval.how }),
      exitCode: decision === 'approve' ? exitCodes.waiting : exitCodes.failed,
    });
    this.verdict = verdict;
  }
}

/** A model repeatedly wrote a secret into its answer. */
export class SecretInResponse extends ResponseRefused {}
