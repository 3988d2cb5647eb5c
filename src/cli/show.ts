// Verdicts, approvals and entries in plain words. Whatever an agent wrote is shown with its tricks made visible.

import {
  type Decision,
  type ExitCode,
  exitCodes,
  type Finding,
  type Verdict,
  visible,
} from '../core/index.ts';
import type { Approval } from '../ledger/index.ts';
import type { Colour, Io } from './io.ts';

const colours: Readonly<Record<Finding['decision'], Colour>> = {
  pass: 'green',
  redact: 'yellow',
  approve: 'yellow',
  block: 'red',
  warn: 'dim',
};

/** The exit code of a decision. */
export function exitCodeOf(decision: Decision): ExitCode {
  if (decision === 'block') return exitCodes.failed;
  return decision === 'approve' ? exitCodes.waiting : exitCodes.pass;
}

/** A decision word in its colour. */
export function decisionWord(io: Io, decision: Finding['decision']): string {
  return io.paint(colours[decision], decision.toUpperCase());
}

/** A verdict for a person. */
export function showVerdict(io: Io, verdict: Verdict): void {
  io.print(`${decisionWord(io, verdict.decision)}  ${visible(verdict.explanation)}`);
  for (const finding of verdict.findings) {
    const { layer, contract } = finding;
    const notes = [
      ...(layer === undefined ? [] : [`layer ${layer}`]),
      ...(contract === undefined ? [] : [contract]),
    ];
    const shown = notes.length === 0 ? '' : ` (${notes.join(', ')})`;
    io.print(`  ${decisionWord(io, finding.decision)} ${finding.guard}/${finding.rule}${shown}`);
  }
}

/** A pending approval for the person who must answer it. */
export function showApproval(io: Io, approval: Approval, now: number): void {
  const left = Math.max(0, Math.round((approval.expiresAt - now) / 1000));
  io.print(`${io.paint('bold', approval.id)}  ${visible(approval.agent)} asks, ${left} s left`);
  if (approval.question === null) return;
  const { action, context, findings } = approval.question;
  const { kind, justification, ...rest } = action;
  io.print(`  what       ${kind} ${visible(JSON.stringify(rest), 2000)}`);
  io.print(
    `  where      ${visible(context.workspace)} (session ${visible(context.session)}, mode ${context.mode})`,
  );
  for (const { rule, guard, message, decision } of findings) {
    io.print(
      `  ${decision === 'approve' ? 'why      ' : decision.padEnd(9)}  ${visible(message)} [${guard}/${rule}]`,
    );
  }
  io.print(`  it says    ${justification === undefined ? 'none given' : visible(justification, 500)}`);
}
