// What the record of a decision says, in words: at a terminal and on a page.

import { isJsonObject } from './json.ts';
import { visible } from './text.ts';
import { decisions } from './verdict.ts';

type Details = Readonly<Record<string, unknown>>;

/** What an entry is about: the redacted excerpt, or its kind. */
export function whatOf(details: Details): string {
  const { kind, what } = details;
  const name = typeof kind === 'string' ? kind : '';
  if (typeof what === 'string')
    return visible(kind === 'tool' || name === '' ? what : `${name}: ${what}`, 200);
  return name;
}

/** The rules that decided, each once. */
export function rulesOf({
  decision,
  details,
}: {
  readonly decision?: string | undefined;
  readonly details: Details;
}): readonly string[] {
  const { findings } = details;
  if (!Array.isArray(findings) || !decisions.some((one) => one === decision)) return [];
  const deciding = findings.filter(isJsonObject).filter((finding) => finding['decision'] === decision);
  return [...new Set(deciding.map((finding) => String(finding['rule'])))];
}
