// Authorship in the ledger: contents that agents wrote and no user accepted, files and processes of a session.

import { contentEffect, type Finding, type World } from '../core/index.ts';
import type { Records } from './record.ts';

/** The part of the world that is known only from records. */
export type Recorded = Pick<World, 'writtenByAgents' | 'madeBySession' | 'startedBySession'>;

/** The authorship that guards query from the ledger; absent if it is not recorded. */
export function recordedIn(
  { authored, permissions }: Pick<Records, 'authored' | 'permissions'>,
  { now }: Pick<World, 'now'>,
): Recorded | undefined {
  if (authored === undefined) return undefined;
  return {
    madeBySession: (files, context) => authored.madeBySession(files, context),
    startedBySession: (processes, context) => authored.startedBySession(processes, context),
    writtenByAgents: async (texts, context) => {
      const written = await authored.writtenByAgents(texts, context);
      if (!written.includes(true)) return written;
      const accepting = await permissions.covering(texts.map(asFinding), context, now());
      // INVARIANT: only a permission that names the content accepts it; one for a rule or for everything does not.
      return written.map((isWritten, at) => isWritten && accepting[at]?.covers !== 'effect');
    },
  };
}

function asFinding(text: string): Finding {
  const effect = contentEffect(process.getBuiltinModule('node:crypto').hash('sha256', text));
  return { rule: 'accepted_content', guard: 'command', decision: 'approve', message: effect, grant: effect };
}
