// The workspace of each session of a host: the folder that the session was first heard of in. A host names the folder of
// every call, which the model may choose; so later folders say where a call is made, and never what it may change.

import { existsSync, readFileSync } from 'node:fs';
import { writePrivate } from '../../config/index.ts';
import { type Context, canonicalJson, InputError, messageOf, parseJson, visible } from '../../core/index.ts';
import { integer, list, object, readShape, text } from '../../core/shape.ts';

/** Who a session belongs to, from the credential and the host. */
export type SessionKey = Pick<Context, 'user' | 'tenant' | 'agent' | 'session'>;

interface Pinned {
  readonly key: string;
  /** The real path of the folder. */
  readonly workspace: string;
  /** When the session was last heard of, in milliseconds. */
  readonly time: number;
}

/** How many sessions are kept, the last heard of first, and for how long after that. */
const mostSessions = 1000;
const day = 86_400_000;
const longestSilence = 30 * day;

const fileShape = object({
  sessions: list(
    object({
      key: text({ min: 1, max: 8192 }),
      workspace: text({ min: 1, max: 4096 }),
      time: integer(0, Number.MAX_SAFE_INTEGER),
    }),
    { max: mostSessions },
  ),
});

export class SessionWorkspaces {
  readonly #file: string;
  #pinned: Map<string, Pinned> | undefined;

  /** `file`: where they are kept, so that a restart of the daemon forgets none. */
  constructor(file: string) {
    this.#file = file;
  }

  /**
   * The workspace of a session. It is the given folder (a real path) where the host has just started or resumed the session
   * there, or where the session was not known before; null where neither is known. Throws where the file cannot be read
   * or written: without it, any folder could become one.
   */
  workspaceOf(session: SessionKey, folder: string | null, now: number, starts = false): string | null {
    const key = keyOf(session);
    const pinned = this.#read();
    const known = pinned.get(key);
    const found = starts && folder !== null && known?.workspace !== folder ? undefined : known;
    if (found === undefined && folder === null) return null;
    const workspace = found?.workspace ?? folder ?? '';
    // Once a day is often enough to know which sessions are still alive.
    if (found !== undefined && now - found.time < day) {
      pinned.delete(key);
      pinned.set(key, found);
      return workspace;
    }
    this.#write(new Map([...pinned].filter(([other]) => other !== key)), { key, workspace, time: now });
    return workspace;
  }

  /** The agents and workspaces of the sessions that are known, the last heard of last. */
  recent(): readonly { readonly agent: string; readonly workspace: string }[] {
    return [...this.#read().values()].map(({ key, workspace }) => {
      const parts = parseJson(key);
      const agent = Array.isArray(parts) ? parts[2] : undefined;
      return { agent: typeof agent === 'string' ? agent : '', workspace };
    });
  }

  #read(): Map<string, Pinned> {
    this.#pinned ??= new Map(readSessions(this.#file).map((one) => [one.key, one]));
    return this.#pinned;
  }

  /** Writes first: what is not on the disk is not known. */
  #write(others: ReadonlyMap<string, Pinned>, newest: Pinned): void {
    const kept = [...others.values(), newest]
      .filter(({ time }) => newest.time - time < longestSilence)
      .slice(-mostSessions);
    writePrivate(this.#file, `${JSON.stringify({ sessions: kept })}\n`);
    this.#pinned = new Map(kept.map((one) => [one.key, one]));
  }
}

function keyOf({ user, tenant, agent, session }: SessionKey): string {
  return canonicalJson([user, tenant, agent, session]);
}

function readSessions(file: string): readonly Pinned[] {
  if (!existsSync(file)) return [];
  try {
    return readShape(fileShape, parseJson(readFileSync(file, 'utf8'))).sessions;
  } catch (error) {
    throw new InputError(`${visible(file)} cannot be read: ${messageOf(error)}`, {
      hint: 'move it away: sessions that run then begin anew in the folder of their next call',
      cause: error,
    });
  }
}
