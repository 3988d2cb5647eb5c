// What the user approved in each session, in memory and bounded: a guard may apply an approval to more than the one
// action, such as to later reads from a host. After a restart of the daemon, the user is asked again.

import { type Context, inSession } from '../core/index.ts';

/** Most sessions that are remembered, and most answers in one; the oldest are evicted first. */
const mostSessions = 500;
const mostAnswers = 256;

const nothing: ReadonlySet<string> = new Set();

export class SessionAnswers {
  readonly #sessions = new Map<string, Set<string>>();

  /** The effects that the user approved in a session, as guards look them up. */
  of(context: Context): ReadonlySet<string> {
    return this.#sessions.get(keyOf(context)) ?? nothing;
  }

  add(context: Context, effects: readonly string[]): void {
    if (effects.length === 0) return;
    const key = keyOf(context);
    const known = this.#sessions.get(key) ?? new Set();
    this.#sessions.delete(key);
    this.#sessions.set(key, known);
    for (const effect of effects) known.add(`${inSession}${effect}`);
    for (const [oldest] of known.entries()) if (known.size > mostAnswers) known.delete(oldest);
    const [longest] = this.#sessions.keys();
    if (this.#sessions.size > mostSessions && longest !== undefined) this.#sessions.delete(longest);
  }
}

/** INVARIANT: nothing that a model writes is part of it. */
function keyOf({ tenant, user, agent, session, workspace }: Context): string {
  return JSON.stringify([tenant, user, agent, session, workspace]);
}
