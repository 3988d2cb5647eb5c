// Removes personal data from results: the detector's matches in a value, and values whose column indicates such data.

import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';
import { meaningOfName } from '../../detect/field-names.ts';
import { builtin } from '../../detect/index.ts';
import { createEgress, type Redactions } from '../../guards/egress/index.ts';

/** Numbers below this are no card, account or telephone. */
const leastNumber = 1_000_000;

/** The data without personal data, and how many of each kind were taken out. */
export function withoutPersonalData(data: JsonValue): {
  readonly data: JsonValue;
  readonly redactions: Redactions;
} {
  const egress = createEgress({ workspace: '', ruleset: builtin('pii') });
  const counts: Record<string, number> = {};
  const note = (kind: string, count = 1): void => {
    counts[kind] = (counts[kind] ?? 0) + count;
  };
  const scanned = (key: string, text: string): string => {
    const { value, redactions } = egress.value({ [key]: text });
    for (const [kind, count] of Object.entries(redactions)) note(kind, count);
    return String(value[key]);
  };
  const clean = (value: JsonValue, key: string): JsonValue => {
    if (Array.isArray(value)) return value.map((one) => clean(one, key));
    if (isJsonObject(value)) return cleanMembers(value);
    if (typeof value !== 'string' && typeof value !== 'number') return value;
    const meaning = meaningOfName(key);
    if (meaning === 'identity' || meaning === 'contact') {
      note('personal-data');
      return '[REDACTED:personal-data]';
    }
    if (typeof value === 'string') return scanned(key, value);
    if (Math.abs(value) < leastNumber || !Number.isInteger(value)) return value;
    const text = scanned(key, String(value));
    return text === String(value) ? value : text;
  };
  const cleanMembers = (value: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(value).map(([key, one]) => [key, clean(one, key)]));
  return { data: clean(data, ''), redactions: counts };
}
