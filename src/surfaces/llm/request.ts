// Judges what a request carries before any of it goes to a provider, and writes back what was taken out.

import { hash } from 'node:crypto';
import {
  type ActionOf,
  type Context,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonPointer,
  type Verdict,
} from '../../core/index.ts';
import type { Decider } from '../../decide/index.ts';
import type { Place, RequestPart } from './parts.ts';

export interface RequestJudge {
  readonly decider: Pick<Decider, 'decide' | 'settingsFor'>;
  readonly known: KnownTexts;
}

/** What became of a request. */
export type JudgedRequest =
  | { readonly body: JsonObject; readonly redacted: number }
  | { readonly refused: Verdict; readonly pointer: string };

/** Judges every part of a request, in order; stops at the first that may not go. */
export async function judgeRequest(
  body: JsonObject,
  parts: readonly RequestPart[],
  context: Context,
  { decider, known }: RequestJudge,
): Promise<JudgedRequest> {
  // A request repeats the conversation so far; what was let go under the same settings need not be judged again.
  const { version } = await decider.settingsFor(context, 'prompt');
  const { tenant, user, agent, session, workspace, mode } = context;
  const where = JSON.stringify([tenant, user, agent, session, workspace, mode, version]);
  let judged = body;
  let redacted = 0;
  for (const part of parts) {
    const key = hash('sha256', JSON.stringify([where, part.is, part]));
    const before = known.find(key);
    if (before === undefined) {
      const action = actionOf(part);
      const { cleared, verdict } = await decider.decide(action, context);
      const shown = cleared === null ? undefined : rewrittenText(part, cleared.action);
      if (shown === undefined) return { refused: verdict, pointer: jsonPointer(part.place) };
      known.keep(key, part.is === 'text' && shown !== part.text ? shown : null);
      if (part.is !== 'text' || shown === part.text) continue;
      judged = replaced(judged, part.place, shown);
      redacted++;
    } else if (before !== null) {
      judged = replaced(judged, part.place, before);
      redacted++;
    }
  }
  return { body: judged, redacted };
}

/** An address in a request is one that the provider would fetch on the agent's behalf, so it is judged as that. */
function actionOf(part: RequestPart): ActionOf<'prompt' | 'fetch'> {
  if (part.is === 'address') return { kind: 'fetch', url: part.url, method: 'GET' };
  if (part.is === 'text') {
    const { text, origin } = part;
    return { kind: 'prompt', text, ...(origin === undefined ? {} : { origin }) };
  }
  return {
    kind: 'prompt',
    contentBase64: part.base64,
    origin: part.origin,
    ...(part.name === undefined ? {} : { name: part.name.slice(0, 4096) }),
  };
}

/** The text as it may go; undefined where what may go cannot be put in the place of what came. */
function rewrittenText(part: RequestPart, action: ActionOf<'prompt' | 'fetch'>): string | undefined {
  if (part.is === 'address') return action.kind === 'fetch' ? part.url : undefined;
  if (action.kind !== 'prompt') return undefined;
  if (part.is === 'text') return action.text;
  return action.contentBase64 === part.base64 ? '' : undefined;
}

/** A copy of a value with another text in one place. */
function replaced(value: JsonObject, place: Place, text: string): JsonObject {
  const [first, ...rest] = place;
  const set = (member: JsonValue | undefined, path: Place): JsonValue => {
    const [key, ...deeper] = path;
    if (key === undefined) return text;
    if (Array.isArray(member)) return member.with(Number(key), set(member[Number(key)], deeper));
    return isJsonObject(member) ? { ...member, [key]: set(member[String(key)], deeper) } : (member ?? null);
  };
  return first === undefined ? value : { ...value, [first]: set(value[String(first)], rest) };
}

/** Parts that were let go, by their hash: what goes in their place, or null where they go as they are. */
export class KnownTexts {
  readonly #most: number;
  readonly #known = new Map<string, string | null>();

  constructor(most = 20_000) {
    this.#most = most;
  }

  find(key: string): string | null | undefined {
    const found = this.#known.get(key);
    if (found === undefined) return undefined;
    this.#known.delete(key);
    this.#known.set(key, found);
    return found;
  }

  keep(key: string, shown: string | null): void {
    this.#known.set(key, shown);
    const [oldest] = this.#known.keys();
    if (this.#known.size > this.#most && oldest !== undefined) this.#known.delete(oldest);
  }
}
