// Which files connect agent hosts to this home, by the log. The registry beside the settings is a file that an agent
// can write; a file that it no longer names stays connected until a valid key signs for the disconnection.

import { disconnectionPayload, type JsonObject, NotAllowed } from '../core/index.ts';
import type { ApproverSigner, Approvers } from './approvers.ts';
import type { AuditLog, Entry } from './audit.ts';

/** One file of a host that names our client. */
export interface Connection {
  readonly host: string;
  readonly file: string;
  readonly scope?: string;
  /** Keyed hash of the client as it was written. */
  readonly client?: string;
  /** Keyed hash of our hooks in the file as they were written. */
  readonly hooks?: string;
}

/** The user who connects or disconnects, and the time. */
interface Act {
  readonly user: string;
  readonly tenant: string;
  readonly time: number;
}

/** More than a home ever has: the log is read newest first, so that the oldest would be missing. */
const mostEntries = 10_000;

export class Connections {
  readonly #audit: AuditLog;
  readonly #approvers: Approvers;
  readonly #store: string;

  constructor(audit: AuditLog, approvers: Approvers, store: string) {
    this.#audit = audit;
    this.#approvers = approvers;
    this.#store = store;
  }

  /** The connections of this home, oldest first. Entries of versions that did not name the file are left out. */
  async list(): Promise<readonly Connection[]> {
    const [made, ended, keys] = await Promise.all(
      (['host_connected', 'host_disconnected', 'approver_added'] as const).map((eventType) =>
        this.#audit.list({ eventType, limit: mostEntries }),
      ),
    );
    const firstKey = Math.min(...(keys ?? []).map(({ place }) => place));
    const own = [...(made ?? []), ...(ended ?? [])].filter(({ chain }) => chain === this.#audit.chain);
    const connected = new Map<string, { readonly connection: Connection; readonly since: number }>();
    for (const entry of own.sort((a, b) => a.place - b.place)) {
      const connection = connectionIn(entry.details);
      if (connection === null) continue;
      const key = keyOf(connection);
      const known = connected.get(key);
      if (entry.event_type === 'host_connected') connected.set(key, { connection, since: entry.time });
      // INVARIANT: from the first approver key on, only a signature disconnects, and an old one is never valid again.
      else if (
        known !== undefined &&
        (entry.place < firstKey || (await this.#isSigned(entry, connection, known.since)))
      ) {
        connected.delete(key);
      }
    }
    return [...connected.values()].map(({ connection }) => connection);
  }

  async connect(connection: Connection, act: Act): Promise<void> {
    await this.#append('host_connected', { ...connection }, act);
  }

  /** Records a disconnection; `signer` is required once there is an approver. Throws `NotAllowed`. */
  async disconnect(
    { host, file }: Connection,
    signer: ApproverSigner | null,
    { user, tenant, time }: Act,
  ): Promise<void> {
    const payload = disconnectionPayload(this.#store, this.#audit.chain, host, file, time);
    const signature = signer?.sign(payload) ?? null;
    if ((await this.#approvers.first()) !== null) {
      if (signature === null || !(await this.#approvers.signedAt(payload, signature, time))) {
        throw new NotAllowed('an agent host is disconnected with the signature of a key that counts', {
          hint: "see 'sallyport approvers'",
        });
      }
    }
    await this.#append('host_disconnected', { host, file, at: time, signature }, { user, tenant, time });
  }

  async #isSigned(
    { details: { at, signature } }: Entry,
    { host, file }: Connection,
    since: number,
  ): Promise<boolean> {
    if (typeof at !== 'number' || at < since || typeof signature !== 'string') return false;
    const payload = disconnectionPayload(this.#store, this.#audit.chain, host, file, at);
    return await this.#approvers.signedAt(payload, signature, at);
  }

  async #append(
    type: 'host_connected' | 'host_disconnected',
    details: JsonObject,
    { user, tenant, time }: Act,
  ): Promise<void> {
    await this.#audit.append({ time, event_type: type, user, tenant, agent: '', details });
  }
}

function keyOf({ host, file }: Connection): string {
  return `${host} ${file}`;
}

function connectionIn({ host, file, scope, client, hooks }: JsonObject): Connection | null {
  if (typeof host !== 'string' || typeof file !== 'string') return null;
  return {
    host,
    file,
    ...(typeof scope === 'string' ? { scope } : {}),
    ...(typeof client === 'string' ? { client } : {}),
    ...(typeof hooks === 'string' ? { hooks } : {}),
  };
}
