// Reads members of what a host sends. Hosts add members as they grow, so what is not known is left alone.

import {
  InputError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Mode,
  parseJson,
  visible,
} from '../../core/index.ts';
import type { HostEvent, ToolCall } from './host.ts';

/** A text that must be there. */
export function textIn(value: JsonObject, name: string): string {
  const found = value[name];
  if (typeof found !== 'string' || found === '') throw new InputError(`the host sent no "${name}"`);
  return found;
}

/** A text that may be there. */
export function textOrNone(value: JsonObject, name: string): string | undefined {
  const found = value[name];
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** A table that must be there; some hosts send it as JSON in a text. */
export function tableIn(value: JsonObject, name: string): JsonObject {
  const sent = value[name];
  const found = typeof sent === 'string' ? parseJson(sent) : sent;
  if (!isJsonObject(found)) throw new InputError(`the host sent no "${name}"`);
  return found;
}

/** The moment that a host's own name for it means. */
export function eventOf<E extends HostEvent>(name: string, events: Readonly<Record<string, E>>): E {
  const event = Object.hasOwn(events, name) ? events[name] : undefined;
  if (event === undefined) throw new InputError(`unknown event "${visible(name, 60)}"`);
  return event;
}

/** Hosts' words for their permission modes. What only lifts the host's own questions is `auto`, where ours stay. */
const modes: Readonly<Record<string, Mode>> = {
  default: 'default',
  acceptEdits: 'acceptEdits',
  auto_edit: 'acceptEdits',
  'auto-edit': 'acceptEdits',
  autoEdit: 'acceptEdits',
  plan: 'plan',
  auto: 'auto',
  bypassPermissions: 'auto',
  dontAsk: 'auto',
  yolo: 'auto',
};

/** The mode that a host's word means: nothing where it says none, `default` where it is not known. */
export function modeOf(word: JsonValue | undefined): { readonly mode?: Mode } {
  if (word === undefined || word === null) return {};
  return { mode: (typeof word === 'string' && Object.hasOwn(modes, word) && modes[word]) || 'default' };
}

/** The longest name of a tool, a server or a session. */
const longestName = 256;

/** The beginning of a text, without half of a character at its end. */
function cut(text: string, length: number): string {
  return text.slice(0, length).toWellFormed();
}

/** Where the call stands, from the members that name it. */
export function placeOf(
  session: string | undefined,
  folder: string | undefined,
): { readonly session?: string; readonly folder?: string } {
  return {
    ...(session === undefined ? {} : { session: cut(session, longestName) }),
    ...(folder === undefined ? {} : { folder }),
  };
}

/** A tool call; the model's reason is the argument that tools have for it. */
export function toolCall(
  tool: string,
  server: string | undefined,
  input: JsonObject,
  call?: string | undefined,
): ToolCall {
  if (tool.length > longestName) {
    throw new InputError(`the host sent the name of a tool with more than ${longestName} characters`);
  }
  const reason = textOrNone(input, 'justification') ?? textOrNone(input, 'description');
  return {
    tool,
    ...(server === undefined ? {} : { server: cut(server, longestName) }),
    arguments: input,
    ...(call === undefined ? {} : { call: cut(call, longestName) }),
    ...(reason === undefined ? {} : { justification: cut(reason, 8192) }),
  };
}

/** Server and tool of a name such as `mcp__server__tool`; the host's own tools have no such name. */
export function mcpName(
  name: string,
  prefix: string,
  divider: string,
): { readonly server: string; readonly tool: string } | undefined {
  if (!name.startsWith(prefix)) return undefined;
  const rest = name.slice(prefix.length);
  const at = rest.indexOf(divider);
  // A name that cannot be divided still belongs to some server, and never to the host.
  return at <= 0
    ? { server: 'unknown', tool: rest || name }
    : { server: rest.slice(0, at), tool: rest.slice(at + divider.length) || rest };
}
