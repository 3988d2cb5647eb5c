// What the log tells of the daemon before this one: whether it was stopped or killed, and whether the settings of the home
// changed while none ran. Any process of the same user can do both, so it is recorded.

import type { JsonObject } from '../../core/index.ts';
import type { Ledger } from '../../ledger/index.ts';

/** What a start says of itself beside its place. */
export interface Since {
  /** For the entry of the start. */
  readonly details: JsonObject;
  /** Whether the settings of the home are others than at the last start. */
  readonly hasOtherSettings: boolean;
}

/** Compares with the last start of this home; `settings` is the text of its file, null where there is none. */
export async function sinceLastStart(
  ledger: Pick<Ledger, 'audit' | 'fingerprint'>,
  settings: string | null,
): Promise<Since> {
  const newest = async (eventType: string) =>
    (await ledger.audit.list({ eventType, limit: 100 })).find(({ chain }) => chain === ledger.audit.chain);
  const [started, stopped] = [await newest('daemon_started'), await newest('daemon_stopped')];
  const seal = settings === null ? 'none' : ledger.fingerprint('settings', () => settings);
  const before = started?.details['settings'];
  const wasKilled = started !== undefined && started.place > (stopped?.place ?? 0);
  return {
    details: { settings: seal, ...(wasKilled ? { last_was_killed: true } : {}) },
    // Earlier versions did not say.
    hasOtherSettings: typeof before === 'string' && before !== seal,
  };
}
