// Calls that a host asked about and has not reported the end of: what is still open when its session goes on tells that
// the hooks were away in between.

/** A call that may run. */
export interface OpenCall {
  readonly tool: string;
  /** Whether nothing but hooks that are away explains that its end is not heard of. */
  readonly isCertain: boolean;
}

/** Of how many sessions calls are kept. */
const mostSessions = 200;

export class OpenCalls {
  readonly #sessions = new Map<string, Map<string, OpenCall>>();

  /** A call may run. */
  begin(session: string, id: string, call: OpenCall): void {
    const open = this.#sessions.get(session) ?? new Map<string, OpenCall>();
    this.#sessions.delete(session);
    this.#sessions.set(session, open.set(id, call));
    for (const [oldest] of this.#sessions) {
      if (this.#sessions.size <= mostSessions) break;
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
