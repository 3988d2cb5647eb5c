// Warnings about something that a host cannot be answered about at once; the next prompt of the session carries them.

import { type Context, canonicalJson } from '../../core/index.ts';

type Session = Pick<Context, 'user' | 'tenant' | 'agent' | 'session'>;

/** How many sessions may have warnings waiting, and how many one session may have. */
const mostSessions = 100;
const mostWarnings = 5;

export class SessionWarnings {
  readonly #waiting = new Map<string, readonly string[]>();

  add(session: Session, warning: string): void {
    const key = keyOf(session);
    const before = this.#waiting.get(key) ?? [];
    if (before.includes(warning) || before.length >= mostWarnings) return;
    this.#waiting.set(key, [...before, warning]);
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > mostSessions && oldest !== undefined) this.#waiting.delete(oldest);
  }

  /** The warnings of a session, once. */
  take(session: Session): readonly string[] {
    const key = keyOf(session);
    const found = this.#waiting.get(key) ?? [];
    this.#waiting.delete(key);
    return found;
  }
}

function keyOf({ user, tenant, agent, session }: Session): string {
  return canonicalJson([user, tenant, agent, session]);
}
