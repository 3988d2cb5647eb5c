// Findings of the path itself: what is said when a check, an answer or a record could not be had.
// None of them has examples: each needs a fault, and decide.test.ts brings it about.

import type { Finding, Rule } from '../core/index.ts';

function pathRule(
  id: string,
  reason: string,
  suggestion?: string,
  decision: Rule['decision'] = 'block',
): Rule {
  return {
    id,
    guard: 'path',
    decision,
    reason,
    ...(suggestion === undefined ? {} : { suggestion }),
    examples: { hit: [], miss: [] },
  };
}

export const pathRules = {
  noGuard: pathRule('no_guard', 'no guard judges this kind of action, so it is not let through'),
  guardError: pathRule('guard_error', 'the check failed, and what was not checked does not pass'),
  budgetExceeded: pathRule('budget_exceeded', 'the check needed more steps than it may take'),
  tooDeep: pathRule('too_many_parts', 'the action holds more actions inside it than are checked'),
  configInvalid: pathRule(
    'config_invalid',
    'the configuration in force here cannot be used',
    "run 'sallyport config check' in the workspace",
  ),
  policyError: pathRule('policy_error', 'the policy could not be evaluated'),
  approvalDenied: pathRule('approval_denied', 'a person said no to this action'),
  approvalsUnavailable: pathRule('approvals_unavailable', 'a person must say yes, and cannot be asked now'),
  newQuestion: pathRule('new_question', 'behind the approval stood a question that nobody has answered'),
  unreviewedChange: pathRule(
    'unreviewed_change',
    'an earlier call of this session changed protected files that it did not name, and nobody has looked at the change',
    undefined,
    'approve',
  ),
  recordFailed: pathRule('record_failed', 'the decision could not be recorded, so it does not count'),
  streamCannotWait: pathRule(
    'stream_cannot_wait',
    'a person would have to say yes in the middle of a stream',
  ),
  notReadable: pathRule('not_readable', 'what came cannot be read, and so cannot be judged'),
  hookBlocked: pathRule('hook_blocked', 'a program of yours refused it'),
  hookFailed: pathRule(
    'hook_failed',
    'a program of yours gave no answer that can be used',
    'run the program by hand, or take it out of [[hooks]]',
  ),
  approverReset: pathRule(
    'approver_reset',
    'a reset of the approver passphrase waits, and until it is settled nothing destructive is allowed',
    "stop the reset with the old passphrase: 'sallyport approvers veto'",
  ),
  approverResetNotice: pathRule(
    'approver_reset_notice',
    "a reset of the approver passphrase waits; if it is not yours, run 'sallyport approvers veto'",
    undefined,
    'warn',
  ),
  hookNote: pathRule('hook_note', 'a program of yours has a note', undefined, 'warn'),
  hookRewrote: pathRule('hook_rewrote', 'a program of yours changed it', undefined, 'redact'),
} as const;

/** A finding of the path, with what was special this time. */
export function pathFinding(rule: Rule, detail?: string): Finding {
  return {
    rule: rule.id,
    guard: rule.guard,
    decision: rule.decision,
    message: detail === undefined ? rule.reason : `${rule.reason}: ${detail}`,
    ...(rule.suggestion === undefined ? {} : { suggestion: rule.suggestion }),
  };
}
