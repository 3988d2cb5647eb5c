// Judges a third party's description of a tool, before a model reads it.

import type { Verdict } from '../core/index.ts';

export { textsIn } from './mcp/names.ts';

/**
 * Why the definition of a tool is not shown to a model; undefined if it may be. A model treats a definition as if it
 * came from the user who set the tool up, so a suspicion is enough.
 */
export function definitionProblem({ findings, decision, explanation }: Verdict): string | undefined {
  const found = findings.find(({ rule, contract }) => contract === 'AG-IN-1' || rule === 'hidden_text');
  const shows = decision === 'pass' || decision === 'redact';
  return found?.message ?? (shows ? undefined : explanation);
}
