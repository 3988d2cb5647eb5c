// The record of a decision in words: at a terminal and on a page.

import { isJsonObject } from './json.ts';
import { visible } from './text.ts';
import { decisions } from './verdict.ts';

type Details = Readonly<Record<string, unknown>>;

interface DecidedEntry {
  readonly decision?: string | undefined;
  readonly details: Details;
}

/** The subject of an entry: the redacted excerpt, or its kind. */
export function whatOf(details: Details): string {
  const { kind, what } = details;
  const name = typeof kind === 'string' ? kind : '';
  if (typeof what === 'string')
    return visible(kind === 'tool' || name === '' ? what : `${name}: ${what}`, 200);
  return name;
}

/** Members of an event's details that are not displayed: they are redundant, or for programs. */
const untold = /(?:_at|_key|^session|^settings|^workspace|^justification)$/;

/** The subject of an event that is not a decision: the files of a change, or its plain details by their names. */
export function eventText(details: Details): string {
  const { receipt } = details;
  if (isJsonObject(receipt)) {
    const files = Array.isArray(receipt['files']) ? receipt['files'].filter(isJsonObject) : [];
    return visible(`${receipt['action']} ${files.map(({ path }) => String(path)).join(', ')}`, 200);
  }
  const told = Object.entries(details).filter(
    ([name, value]) => ['string', 'number', 'boolean'].includes(typeof value) && !untold.test(name),
  );
  return visible(told.map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`).join(', '), 200);
}

/** The session name of the doctor's probes; one that a host sends is followed by its folder. */
export const probeSession = 'doctor';

/**
 * Whether a decision was a probe of the doctor, which is stopped. One that passed is not a probe, whatever its name.
 */
export function isProbe({ decision, details: { session } }: DecidedEntry): boolean {
  return (
    decision === 'block' &&
    typeof session === 'string' &&
    (session === probeSession || session.startsWith(`${probeSession} /`))
  );
}

/** The rules that decided, each once. */
export function rulesOf({ decision, details }: DecidedEntry): readonly string[] {
  const { findings } = details;
  if (!Array.isArray(findings) || !decisions.some((one) => one === decision)) return [];
  const deciding = findings.filter(isJsonObject).filter((finding) => finding['decision'] === decision);
  return [...new Set(deciding.map((finding) => String(finding['rule'])))];
}
