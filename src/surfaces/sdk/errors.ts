// What the program's own calls of Sallyport say about the caller, and what they throw.

import { type ApprovalNotice, type Finding, messageOf, SallyportError } from '../../core/index.ts';

/** Who calls and where. From the program's own session, never from the model. */
export interface CallContext {
  /** Without it nobody is authenticated, and tools that touch data of a user are refused. */
  readonly userId?: string;
  readonly tenantId?: string;
  readonly sessionId?: string;
  readonly agent?: string;
  /** The folder that the agent works in; default: the current one. */
  readonly workspace?: string;
  /** One of the four modes, or a host's word for one; any other word is `default`. */
  readonly permissionMode?: string;
}

/** Something was stopped, or waits for approval. */
export class GuardrailError extends SallyportError {
  readonly findings: readonly Finding[];
  /** Where a person can say yes; null where nobody can. */
  readonly approval: ApprovalNotice | null;

  constructor(message: string, findings: readonly Finding[], approval: ApprovalNotice | null, hint?: string) {
    super(message, hint === undefined ? {} : { hint });
    this.findings = findings;
    this.approval = approval;
  }

  /** The rule that decided. */
  get rule(): string | undefined {
    const strongest = this.approval === null ? 'block' : 'approve';
    return (this.findings.find(({ decision }) => decision === strongest) ?? this.findings[0])?.rule;
  }
}

/** The error for what could not be judged; the text of a foreign one may hold a payload and is not shown. */
export function refusedError(error: unknown): GuardrailError {
  const known = error instanceof SallyportError;
  const message = known ? messageOf(error) : 'the check failed, so the action is blocked';
  return new GuardrailError(`Blocked: ${message}.`, [], null, known ? error.hint : undefined);
}
