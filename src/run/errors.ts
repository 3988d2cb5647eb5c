// The reasons why an allowed action ended without a result.

import { exitCodes, SallyportError, type Verdict } from '../core/index.ts';

/** A request or a redirect that was refused; carries the verdict if there is one. */
export class FetchRefused extends SallyportError {
  readonly verdict: Verdict | undefined;

  constructor(message: string, options: { hint?: string; cause?: unknown; verdict?: Verdict } = {}) {
    const waits = options.verdict?.decision === 'approve';
    super(message, { ...options, exitCode: waits ? exitCodes.waiting : exitCodes.failed });
    this.verdict = options.verdict;
  }
}

/** The connection could not be opened, broke, or did not speak HTTP. */
export class FetchFailed extends SallyportError {}

/** The response has more bytes or headers than are allowed. */
export class FetchTooLarge extends SallyportError {}

/** The whole fetch, including redirects, exceeded its timeout. */
export class FetchTimedOut extends SallyportError {}

/** The caller aborted. */
export class FetchAborted extends SallyportError {}

/** The response redirected too often. */
export class TooManyRedirects extends SallyportError {}

/** Commands run in a sandbox, and none can be created here. */
export class SandboxUnavailable extends SallyportError {}

/** The changes of the command could not be reverted, and no approval was requested; it did not start. */
export class NotUndoable extends SallyportError {}

/** The sandbox did not start; the command did not run. */
export class SandboxFailed extends SallyportError {}

/** A folder that is not permitted as the workspace of a command. */
export class WorkspaceUnfit extends SallyportError {}

/** The caller aborted; the command and all of its processes were terminated. */
export class CommandAborted extends SallyportError {}

/** The output of a model may not be shown; carries the verdict on it. */
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
