// Named errors. Each states what was refused and what to do instead, and has an exit code.

/** Exit codes of the command line. */
export const exitCodes = { pass: 0, failed: 1, usage: 2, waiting: 3 } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Everything that Sallyport refuses on purpose; anything else thrown is a fault of ours. */
export class SallyportError extends Error {
  readonly hint: string | undefined;
  readonly exitCode: ExitCode;

  constructor(message: string, options: { hint?: string; exitCode?: ExitCode; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.hint = options.hint;
    this.exitCode = options.exitCode ?? exitCodes.failed;
  }
}

/** A request that cannot be read: broken JSON, an unknown kind, a wrong field. */
export class InputError extends SallyportError {
  /** JSON Pointer of the place in the input, where one is known. */
  readonly pointer: string | undefined;

  constructor(message: string, options: { hint?: string; pointer?: string; cause?: unknown } = {}) {
    super(message, { ...options, exitCode: exitCodes.usage });
    this.pointer = options.pointer;
  }
}

/** A command line that cannot be understood. */
export class UsageError extends SallyportError {
  constructor(message: string, hint?: string) {
    super(message, { exitCode: exitCodes.usage, ...(hint === undefined ? {} : { hint }) });
  }
}

/** A guard used up its steps or was given more than it may read. */
export class BudgetExceeded extends SallyportError {}

/** The credential does not permit the request. */
export class NotAllowed extends SallyportError {}

/** The named object does not exist, or is not the caller's. */
export class NotFoundError extends SallyportError {}

/** It cannot be done as things are now. */
export class ConflictError extends SallyportError {}

/** So many there may be, and no more. */
export class LimitError extends SallyportError {}

/** The text of any thrown value, for a log line or a user. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
