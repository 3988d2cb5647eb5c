// The explanation of a verdict: deterministic, from its findings, in words that a person can check.

import type { ApprovalNotice, Decision, Finding } from '../core/index.ts';

const openings: Readonly<Record<Decision, string>> = {
  pass: 'Passes',
  redact: 'Passes with parts removed',
  approve: 'A person must say yes',
  block: 'Blocked',
};

/** One to three sentences: what was decided, why, and what to do instead. */
export function explain(
  decision: Decision,
  findings: readonly Finding[],
  approval: ApprovalNotice | null,
): string {
  const deciding = findings.filter((finding) => finding.decision === decision);
  const warnings = findings.filter((finding) => finding.decision === 'warn');
  const reasons = unique((decision === 'pass' ? [] : deciding).map(({ message }) => clause(message)));
  const sentences = [
    reasons.length === 0 ? openings[decision] : `${openings[decision]}: ${reasons.join('; ')}`,
  ];
  if (warnings.length > 0)
    sentences.push(`Note: ${unique(warnings.map(({ message }) => clause(message))).join('; ')}`);
  const advice = unique(
    deciding.flatMap(({ suggestion = '' }) => (suggestion === '' ? [] : clause(suggestion))),
  );
  if (advice.length > 0) sentences.push(`Instead: ${advice.join('; ')}`);
  if (approval !== null) sentences.push(`To approve: ${approval.how}`);
  return sentences.map((sentence) => `${sentence}.`).join(' ');
}

/** A sentence as part of a longer one. */
export function clause(sentence: string): string {
  return sentence.replace(/\.$/, '');
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
