// What each session heard and read, in memory and bounded: a session that is gone has to read again.

import {
  type Action,
  attempt,
  type Context,
  lazily,
  type Origins,
  type SessionTexts,
  type World,
  whenReady,
} from '../core/index.ts';
import type { Judged } from './judge.ts';

/** Sessions that are remembered; the longest unused goes first. */
const mostSessions = 500;

/** Loaded with the first text: a verdict without one starts sooner. */
const loaded = lazily(() => import('../guards/tool/provenance-session.ts'));

/** What sessions heard and read. Its owner makes it, and hands it to every decider whose callers may share a session. */
export class SessionMemory {
  readonly #now: () => number;
  readonly #sessions = new Map<string, SessionTexts>();
  #taking: Promise<void> | undefined;

  constructor(world: Pick<World, 'now'>) {
    this.#now = () => world.now();
  }

  /** What is known of a session; null if it has heard and read nothing. */
  find(context: Context): Origins | null {
    return this.#sessions.size === 0 ? null : (this.#sessions.get(keyOf(context)) ?? null);
  }

  /** The session, to be told of texts. */
  open(context: Context): SessionTexts | Promise<SessionTexts> {
    return loaded(({ Session }) => {
      const key = keyOf(context);
      const session = this.#sessions.get(key) ?? new Session(this.#now);
      this.#sessions.delete(key);
      this.#sessions.set(key, session);
      const [oldest] = this.#sessions.keys();
      if (this.#sessions.size > mostSessions && oldest !== undefined) this.#sessions.delete(oldest);
      return session;
    });
  }

  /**
   * Takes in what the user or somebody untrusted wrote; what does not say it, or is the agent's own, is neither side's. Any other action, a file too,
   * waits for texts that came before it and are still being taken in.
   */
  remember(action: Action, context: Context): Promise<void> | undefined {
    if (action.kind !== 'prompt') return this.#taking;
    const { text, origin, name = '' } = action;
    if (text === undefined || origin === undefined || origin === 'agent') return this.#taking;
    return this.#take(context, (session) => {
      if (origin === 'user') session.heard(text);
      else session.read(text, { kind: origin, name });
    });
  }

  /** Takes in texts that a guard read out of a file. */
  read(texts: Judged['texts'], context: Context): Promise<void> | undefined {
    if (texts.length === 0) return undefined;
    return this.#take(context, (session) => {
      for (const { text, source } of texts) session.read(text, source);
    });
  }

  #take(context: Context, tell: (session: SessionTexts) => void): Promise<void> | undefined {
    const taking = attempt(
      () => whenReady(this.open(context), tell),
      (error) => Promise.reject(error),
    );
    if (this.#taking === undefined && !(taking instanceof Promise)) return undefined;
    // INVARIANT: after a text that could not be taken in, where things come from is not known, and all is refused.
    const all = Promise.all([this.#taking, taking]).then(() => {
      if (this.#taking === all) this.#taking = undefined;
    });
    this.#taking = all;
    return all;
  }
}

/** INVARIANT: nothing that a model says is part of it. */
function keyOf({ tenant, user, agent, session }: Context): string {
  return JSON.stringify([tenant, user, agent, session]);
}
