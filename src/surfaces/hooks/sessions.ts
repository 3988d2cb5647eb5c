// What is kept of each session of a host: its workspace, its open calls, warnings that wait for its next prompt, and the calls
// that passed.

import { existsSync, readFileSync } from 'node:fs';
import { writePrivate } from '../../config/index.ts';
import {
  type Context,
  canonicalJson,
  InputError,
  type JsonObject,
  type JsonValue,
  messageOf,
  parseJson,
  visible,
} from '../../core/index.ts';
import { integer, list, object, readShape, text } from '../../core/shape.ts';
import type { HostPrompt, ToolCall } from './host.ts';

// ── The workspace of each session of a host: the folder that the session was first heard of in. A host names the folder of
// every call, which the model may choose; so later folders say where a call is made, and never what it may change.

/** Who a session belongs to, from the credential and the host. */
type SessionKey = Pick<Context, 'user' | 'tenant' | 'agent' | 'session'>;

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

// ── Calls that a host asked about and has not reported the end of: what is still open when its session goes on tells that
// the hooks were away in between.

/** A call that may run. */
interface OpenCall {
  readonly tool: string;
  /** Whether nothing but hooks that are away explains that its end is not heard of. */
  readonly isCertain: boolean;
}

/** Of how many sessions calls are kept. */
const mostOpenSessions = 200;

export class OpenCalls {
  readonly #sessions = new Map<string, Map<string, OpenCall>>();

  /** A call may run. */
  begin(session: string, id: string, call: OpenCall): void {
    const open = this.#sessions.get(session) ?? new Map<string, OpenCall>();
    this.#sessions.delete(session);
    this.#sessions.set(session, open.set(id, call));
    for (const [oldest] of this.#sessions) {
      if (this.#sessions.size <= mostOpenSessions) break;
      this.#sessions.delete(oldest);
    }
  }

  /** The host said how a call ended. */
  end(session: string, id: string): void {
    this.#sessions.get(session)?.delete(id);
  }

  /** The calls of a session whose end was never reported; each is given once. */
  take(session: string): readonly OpenCall[] {
    const open = [...(this.#sessions.get(session)?.values() ?? [])];
    this.#sessions.delete(session);
    return open;
  }
}

// ── Warnings about something that a host cannot be answered about at once; the next prompt of the session carries them.

/** How many sessions may have warnings waiting, and how many one session may have. */
const mostWarnedSessions = 100;
const mostWarnings = 5;

export class SessionWarnings {
  readonly #waiting = new Map<string, readonly string[]>();

  add(session: SessionKey, warning: string): void {
    const key = keyOf(session);
    const before = this.#waiting.get(key) ?? [];
    if (before.includes(warning) || before.length >= mostWarnings) return;
    this.#waiting.set(key, [...before, warning]);
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > mostWarnedSessions && oldest !== undefined) this.#waiting.delete(oldest);
  }

  /** The warnings of a session, once. */
  take(session: SessionKey): readonly string[] {
    const key = keyOf(session);
    const found = this.#waiting.get(key) ?? [];
    this.#waiting.delete(key);
    return found;
  }
}

// ── Calls that passed and have not ended yet, with what was learned about each: a host's own permission prompt about the
// same call is then answered by what was judged, and nothing is judged twice.

type Named = Pick<ToolCall, 'tool' | 'server' | 'arguments'>;

/** What is known of a call that passed. */
interface PassedCall extends Named {
  /** Whether it is harmless, or everything that it may change is on disk in a complete pre-image. */
  readonly isReversible: boolean;
  readonly decisionId: string;
  /** What the model receives once the call has ended: names in it that do not exist. */
  readonly warnings: readonly string[];
}

interface Entry extends PassedCall {
  readonly session: string;
}

/** More calls than a host has open at once; the oldest are forgotten, and their prompts stay the user's. */
const mostCalls = 512;

export class PassedCalls {
  #entries: readonly Entry[] = [];

  add(session: SessionKey, call: PassedCall): void {
    this.#entries = [...this.#entries, { ...call, session: keyOf(session) }].slice(-mostCalls);
  }

  /** Forgets a call that ended, and gives what was known of it. */
  end(session: SessionKey, call: Named): PassedCall | undefined {
    const key = keyOf(session);
    const { tool, server, arguments: named } = call;
    const at = this.#entries.findIndex(
      (entry) =>
        entry.session === key && entry.tool === tool && entry.server === server && covers(entry, named),
    );
    const ended = this.#entries[at];
    if (ended !== undefined) this.#entries = this.#entries.toSpliced(at, 1);
    return ended;
  }

  /**
   * The call that a prompt is about, where it may be answered. A host may name only some of the arguments, so every open
   * call that the prompt could mean must be reversible.
   */
  reversible(session: SessionKey, prompt: HostPrompt): PassedCall | undefined {
    const { tools, server, arguments: named } = prompt;
    if (Object.keys(named).length === 0) return undefined;
    const key = keyOf(session);
    const meant = this.#entries.filter(
      (entry) =>
        entry.session === key &&
        tools.includes(entry.tool) &&
        entry.server === server &&
        covers(entry, named),
    );
    return meant.every(({ isReversible }) => isReversible) ? meant.at(-1) : undefined;
  }
}

/** Whether a call has every argument that is named, with the same value. */
function covers({ arguments: given }: Named, named: JsonObject): boolean {
  return Object.entries(named).every(
    ([name, value]) => Object.hasOwn(given, name) && comparable(given[name]) === comparable(value),
  );
}

/** A value in a form that can be compared; a host may leave out the line break at the end of a text. */
function comparable(value: JsonValue | undefined): string {
  return canonicalJson(typeof value === 'string' ? value.trimEnd() : (value ?? null));
}
