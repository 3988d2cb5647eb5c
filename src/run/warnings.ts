// The information for a model about its own edit once it is made.

import type { Finding } from '../core/index.ts';

/** Most missing names that the model sees after one edit. */
const mostWarnings = 8;

/** The names in an edit that do not exist, each with the likely intended one: the model can correct them at once. */
export function warningsIn(findings: readonly Finding[]): readonly string[] {
  const found = findings.flatMap(({ guard, decision, message }) =>
    guard === 'symbols' && decision === 'warn' ? [message] : [],
  );
  if (found.length <= mostWarnings) return found;
  return [...found.slice(0, mostWarnings), `${found.length - mostWarnings} more names do not exist.`];
}
