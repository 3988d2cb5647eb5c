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
  type World,
} from '../../core/index.ts';
import { type Decider, fileReadBy } from '../../decide/index.ts';
import { definitionProblem, withheldNote } from '../../run/index.ts';
import type { Vault } from '../../run/placeholders.ts';
import type { RepeatedCall, RepeatedCalls } from './calls.ts';
import { withheldDefinition } from './definitions.ts';
import type { Place, RequestPart, Withheld } from './parts.ts';

export interface RequestJudge {
  readonly decider: Pick<Decider, 'decide' | 'settingsFor' | 'under'>;
  readonly world: World;
  readonly known: KnownTexts;
  /** What the user of this session gave, and what stands for it. */
  readonly vault: Vault;
}

/** What a request says. */
interface Said {
  readonly body: JsonObject;
  readonly parts: readonly RequestPart[];
  readonly calls: RepeatedCalls;
}

/** What became of a request. */
export type JudgedRequest =
  | {
      readonly body: JsonObject;
      readonly redacted: number;
      /** Parts of tool results that a note stands for. */
      readonly withheld: number;
    }
  | { readonly refused: Verdict; readonly pointer: string };

/**
 * Judges every part of a request, in order. A note stands for a part of a tool's result that may not go: the next request
 * repeats it, and would be refused again. Any other part that may not go stops the request.
 */
export async function judgeRequest(
  { body, parts, calls }: Said,
  context: Context,
  judge: RequestJudge,
): Promise<JudgedRequest> {
  // A request repeats the conversation so far; what was judged under the same settings need not be judged again.
  const { version, prompt } = await judge.decider.settingsFor(context, 'prompt');
  const vault = prompt.piiGiveBack === 'off' ? undefined : judge.vault;
  const { tenant, user, agent, session, workspace, mode } = context;
  const where = JSON.stringify([tenant, user, agent, session, workspace, mode, version]);
  let judged = body;
  let redacted = 0;
  const gone: Place[] = [];
  for (const part of parts) {
    if (gone.some((place) => isWithin(part.place, place))) continue;
    const outcome = await outcomeOf(part, { where, call: callOf(part, calls) }, context, judge);
    if ('refused' in outcome) return { refused: outcome.refused, pointer: jsonPointer(part.place) };
    if (outcome.note !== undefined && part.withheld !== undefined) {
      judged = replaced(judged, part.withheld.place, noteIn(part, part.withheld.form, outcome.note));
      gone.push(part.withheld.place);
    } else {
      const text = hidden(part, outcome, vault);
      if (text === undefined) continue;
      judged = replaced(judged, part.place, () => text);
      redacted++;
    }
  }
  return { body: judged, redacted, withheld: gone.length };
}

/** The text that goes to the model in a part's place; undefined where it goes as it came. */
function hidden(part: RequestPart, { text }: Shown, vault: Vault | undefined): string | undefined {
  if (part.is !== 'text' || vault === undefined) return text;
  const { origin } = part;
  const shown = text === undefined ? part.text : vault.shown(part.text, text, origin === 'user');
  const gone = vault.hide(shown);
  return gone === part.text ? undefined : gone;
}

function isWithin(place: Place, outer: Place): boolean {
  return outer.every((key, at) => place[at] === key);
}

/** The call that a part answers; undefined where it is not known for certain. */
function callOf(part: RequestPart, calls: RepeatedCalls): RepeatedCall | undefined {
  if (part.is !== 'text' || part.answers === undefined) return undefined;
  return calls.get(part.answers) ?? undefined;
}

async function outcomeOf(
  part: RequestPart,
  { where, call }: { readonly where: string; readonly call: RepeatedCall | undefined },
  context: Context,
  judge: RequestJudge,
): Promise<Shown | { readonly refused: Verdict }> {
  const { decider, known } = judge;
  const key = hash('sha256', JSON.stringify([where, call, part.is, part]));
  const before = known.find(key);
  if (before !== undefined) return before;
  if (part.is === 'fixed' && part.text === null) {
    return { note: `[Sallyport withheld this tool ${part.what}. It is nested too deeply to be read.]` };
  }
  const file = call === undefined ? undefined : await fileReadBy(call, context, judge);
  const { cleared, verdict } = await decider.decide(actionOf(part, file), context);
  if (part.is === 'fixed') {
    const problem = definitionProblem(verdict);
    const note = `[Sallyport withheld this tool ${part.what}. ${problem}]`;
    const shown = problem === undefined ? unchanged : { note };
    if (verdict.decision !== 'block' || isLasting(verdict)) known.keep(key, shown);
    return shown;
  }
  const text = cleared === null ? undefined : rewrittenText(part, cleared.action);
  if (text === undefined && part.withheld === undefined) return { refused: verdict };
  const isChanged = part.is === 'text' && text !== part.text;
  const shown: Shown =
    text === undefined ? { note: withheldNote(verdict) } : isChanged ? { text } : unchanged;
  if (text !== undefined || isLasting(verdict)) known.keep(key, shown);
  return shown;
}

/** Whether the same part is refused again: for what it says, and not since a reader was busy or a person is asked. */
function isLasting({ decision, findings }: Verdict): boolean {
  const blocking = findings.filter((finding) => finding.decision === 'block');
  return (
    decision === 'block' && blocking.every(({ contract }) => contract === 'AG-IN-1' || contract === 'AG-IN-2')
  );
}

/** A picture of one white point: where a screen must be shown, no note can stand. */
const blank = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj2FAAAAABJRU5ErkJggg==';

/** A note in the form of what it stands for. */
function noteIn(
  { is, place }: RequestPart,
  form: Withheld['form'],
  note: string,
): (member: JsonValue | undefined) => JsonValue {
  if (form === 'text') return () => note;
  if (form === 'definition') return (member) => withheldDefinition(member, note);
  if (form === 'screen') return () => (is === 'text' ? note : `data:image/png;base64,${blank}`);
  if (form === 'part') return () => ({ text: note });
  if (form === 'blob') return () => ({ inlineData: { mimeType: 'image/png', data: blank } });
  if (form === 'response') return () => ({ output: note });
  // What the Responses API calls the parts of an output, no other calls them.
  const type = place[0] === 'input' ? 'input_text' : 'text';
  return (block) => {
    const cache = isJsonObject(block) ? block['cache_control'] : undefined;
    return { type, text: note, ...(cache === undefined ? {} : { cache_control: cache }) };
  };
}

/** An address in a request is one that the provider would fetch on the agent's behalf, so it is judged as that. */
function actionOf(part: RequestPart, file: string | undefined): ActionOf<'prompt' | 'fetch'> {
  if (part.is === 'address') return { kind: 'fetch', url: part.url, method: 'GET' };
  if (part.is === 'fixed') return { kind: 'prompt', text: part.text ?? '', origin: 'tool' };
  if (part.is === 'text') {
    const { text, origin } = part;
    return { kind: 'prompt', text, origin, ...(file === undefined ? {} : { name: file }) };
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
  if (part.is === 'text' || part.is === 'fixed') return action.text;
  return action.contentBase64 === part.base64 ? '' : undefined;
}

/** A copy of a value with another member in one place. */
function replaced(
  value: JsonObject,
  place: Place,
  by: (member: JsonValue | undefined) => JsonValue,
): JsonObject {
  const [first, ...rest] = place;
  const set = (member: JsonValue | undefined, path: Place): JsonValue => {
    const [key, ...deeper] = path;
    if (key === undefined) return by(member);
    if (Array.isArray(member)) return member.with(Number(key), set(member[Number(key)], deeper));
    return isJsonObject(member) ? { ...member, [key]: set(member[String(key)], deeper) } : (member ?? null);
  };
  return first === undefined ? value : { ...value, [first]: set(value[String(first)], rest) };
}

/** How a part goes on: with another text, as a note that stands for it, or as it is. */
interface Shown {
  readonly text?: string;
  readonly note?: string;
}

const unchanged: Shown = {};

/** Parts that were judged, by their hash. */
export class KnownTexts {
  readonly #most: number;
  readonly #known = new Map<string, Shown>();

  constructor(most = 20_000) {
    this.#most = most;
  }

  find(key: string): Shown | undefined {
    const found = this.#known.get(key);
    if (found === undefined) return undefined;
    this.#known.delete(key);
    this.#known.set(key, found);
    return found;
  }

  keep(key: string, shown: Shown): void {
    this.#known.set(key, shown);
    const [oldest] = this.#known.keys();
    if (this.#known.size > this.#most && oldest !== undefined) this.#known.delete(oldest);
  }
}
