// Tells tokens from names of variables and words that stand where a token would.

import type { Check } from './check.ts';

/** A drawn value has digits among its letters, and not only at the end of words as names have. */
function isDrawn(secret: string): boolean {
  const runs = secret.match(/[A-Za-z]+|\d+/g) ?? [];
  const digitRuns = runs.filter((run) => /^\d/.test(run)).length;
  if (digitRuns < 2 || !/[A-Za-z]/.test(secret)) return false;
  if (/x{6}|X{6}|\.\.\.|(?:example|your|placeholder|redacted|dummy|sample)/i.test(secret)) return false;
  // A path or a chain of properties: its parts are words.
  const words = secret.split(/[./_-]/).filter((part) => /^[A-Za-z]*\d{0,2}$/.test(part) && part.length > 2);
  return words.join('').length < secret.length / 2;
}

export const tokenChecks = { 'oauth-token': isDrawn } satisfies Readonly<Record<string, Check>>;
