// The text for a model in place of a withheld tool result.

import type { Verdict } from '../core/index.ts';

/**
 * The note in place of a withheld result. INVARIANT: the same result under the same settings gives the same text, with
 * no id and no time in it: clients repeat the conversation with each request, and providers cache what is repeated.
 */
export function withheldNote(verdict: Pick<Verdict, 'findings'> | null): string {
  const stopping = verdict?.findings.filter(({ decision }) => decision === 'block' || decision === 'approve');
  const why = [...new Set((stopping ?? []).map(({ message }) => message))].join(' ');
  const isAttack = stopping?.some(({ contract }) => contract === 'AG-IN-1') === true;
  const see = isAttack ? ' The user can read it with: sallyport log --type jailbreak_attempt' : '';
  return `[Sallyport withheld this tool result. ${why === '' ? 'It could not be checked.' : why}${see}]`;
}
