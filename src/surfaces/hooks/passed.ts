// Calls that passed and have not ended yet, with what was learned about each: a host's own permission prompt about the
// same call is then answered by what was judged, and nothing is judged twice.

import { type Context, canonicalJson, type JsonObject, type JsonValue } from '../../core/index.ts';
import type { HostPrompt, ToolCall } from './host.ts';

type Named = Pick<ToolCall, 'tool' | 'server' | 'arguments'>;
type Session = Pick<Context, 'user' | 'tenant' | 'agent' | 'session'>;

/** What is known of a call that passed. */
export interface PassedCall extends Named {
  /** Whether it is harmless, or everything that it may change is on disk in a complete pre-image. */
  readonly isReversible: boolean;
  readonly decisionId: string;
}

interface Entry extends PassedCall {
  readonly session: string;
}

/** More calls than a host has open at once; the oldest are forgotten, and their prompts stay the user's. */
const mostCalls = 512;

export class PassedCalls {
  #entries: readonly Entry[] = [];

  add(session: Session, call: PassedCall): void {
    this.#entries = [...this.#entries, { ...call, session: keyOf(session) }].slice(-mostCalls);
  }

  /** Forgets a call that ended. */
  end(session: Session, call: Named): void {
    const key = keyOf(session);
    const { tool, server, arguments: named } = call;
    const at = this.#entries.findIndex(
      (entry) =>
        entry.session === key && entry.tool === tool && entry.server === server && covers(entry, named),
    );
    if (at >= 0) this.#entries = this.#entries.toSpliced(at, 1);
  }

  /**
   * The call that a prompt is about, where it may be answered. A host may name only some of the arguments, so every open
   * call that the prompt could mean must be reversible.
   */
  reversible(session: Session, prompt: HostPrompt): PassedCall | undefined {
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

function keyOf({ user, tenant, agent, session }: Session): string {
  return canonicalJson([user, tenant, agent, session]);
}
