// What an agent host is to Sallyport: how it speaks of a moment in its session, and how it is answered.

import { probeSession } from '../../core/entry-text.ts';
import {
  type HookEvent,
  type HostName,
  InputError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Mode,
  parseJson,
  visible,
} from '../../core/index.ts';

export { type HostName, hostNames } from '../../core/index.ts';

/** A tool call as a host describes it. */
export interface ToolCall {
  readonly tool: string;
  /** The MCP server that it belongs to; absent for the host's own tools. */
  readonly server?: string;
  /** What the host says of where that server comes from. */
  readonly provenance?: {
    /** Whose configuration names it. */
    readonly source?: string;
    /** The program that it is, with its arguments. */
    readonly command?: readonly string[];
  };
  readonly arguments: JsonObject;
  /** The host's own name of this one call, by which its end is known. */
  readonly call?: string;
  /** The model's stated reason, where the host hands one on. */
  readonly justification?: string;
}

/** What a host's own permission prompt is about, as far as the host says. */
export interface HostPrompt extends Pick<ToolCall, 'server' | 'arguments'> {
  /** The tools that may be meant: some hosts name a kind of tool. */
  readonly tools: readonly string[];
}

/** Moments that only some hosts have, beside those that users' own programs share with them. */
export type HostEvent =
  | HookEvent
  /** The host is about to ask its user about a call. */
  | 'permission_request'
  /** A piece of the model's answer is about to be shown. */
  | 'message_display'
  /** A file with instructions for the agent was loaded. */
  | 'instructions_loaded'
  /** Settings of the host have changed. */
  | 'config_change';

/** What a host said: the moment, where it is, and what it is about. */
export type HookCall = {
  readonly session?: string;
  readonly folder?: string;
  /** Absent where the host names no mode. */
  readonly mode?: Mode;
  /** Whether a subagent makes the call, as far as the host says. */
  readonly isSubagent?: true;
  /** Where the host keeps what was said, line by line. */
  readonly transcript?: string;
  /** The process that called the client; null where that is not known. */
  readonly parent?: number | null;
} & (
  | ({ readonly event: 'tool_call_pre' } & ToolCall)
  | ({
      readonly event: 'tool_call_post';
      readonly output: JsonValue;
      /** The tool failed, so that what it was to write is not there. */
      readonly failed?: true;
    } & ToolCall)
  | ({ readonly event: 'permission_request' } & HostPrompt)
  | { readonly event: 'user_prompt_submit'; readonly prompt: string }
  | { readonly event: 'message_display'; readonly text: string }
  | { readonly event: 'instructions_loaded'; readonly path: string }
  | {
      readonly event: 'session_start' | 'session_end';
      /** True where the host started or resumed the session in this folder; a call cannot cause that. */
      readonly starts?: boolean;
    }
  /** Settings of the host changed: which, and in which file where it names one. */
  | { readonly event: 'config_change'; readonly source: string; readonly file?: string }
);

/**
 * What is to happen, in no host's words yet. Before a tool there is no "allow": a host's own rules keep their say. Only
 * the host's own prompt is answered with it, where the user chose that.
 */
export type Answer =
  | { readonly does: 'nothing' }
  | { readonly does: 'allow'; readonly reason: string }
  | {
      readonly does: 'deny';
      readonly reason: string;
      /** What a tool gave back, where that is what must not be seen. */
      readonly of?: Pick<ToolCall, 'tool' | 'server'> & { readonly output: JsonValue };
    }
  | { readonly does: 'ask'; readonly reason: string }
  | { readonly does: 'rewrite'; readonly arguments: JsonObject; readonly reason: string }
  | {
      readonly does: 'replace';
      readonly output: JsonValue;
      readonly reason: string;
      /** A warning to the model beside it. */
      readonly note?: string;
    }
  /** A warning: to the model about a tool's output, which goes with it, or to the user about a prompt. */
  | {
      readonly does: 'note';
      readonly reason: string;
      readonly output?: JsonValue;
      /** What the model receives as well, where the host has a way to. */
      readonly context?: string;
    };

/** What the host's hook command prints and ends with. INVARIANT: each text is one line or empty. */
export interface Reply {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: 0 | 2;
}

export interface Host {
  readonly name: HostName;
  /** Its name as people know it. */
  readonly title: string;
  /** Whether the host's own question about a call reaches a person; where it may not, the question is Sallyport's. */
  asks(call: HookCall): boolean;
  /** Whether nobody sits in front of the session, as far as the host says: then a call does not wait for an answer. */
  isUnattended?(call: HookCall): boolean;
  /** Whether the host would really run the tool with these arguments instead of those. */
  rewrites(before: JsonObject, after: JsonObject): boolean;
  /** The host's own names of the moments that it is asked about. */
  readonly events: Readonly<Record<string, HostEvent>>;
  /** What the host would send before a tool that no setting lets through; `sallyport doctor` provokes with it. */
  provocation(folder: string): { readonly event: string; readonly value: JsonObject };
  /** The moments at which the client itself asks about a command that the host starts through it. */
  readonly shellEvents?: readonly string[];
  /** Whether the host tells of a moment at which nothing happened. */
  isVoid?(event: string, value: JsonObject): boolean;
  /** Reads what the host sends at a moment of its own naming; throws `InputError` for what it does not understand. */
  read(event: string, value: JsonObject): HookCall;
  /** Says an answer in the host's words. INVARIANT: at a moment that is not known, a deny stops a tool. */
  answer(event: string, answer: Answer): Reply;
}

/** A command that nobody wants run. It is only ever spoken of. */
export const forbidden = 'rm -rf /';

/** The session of a provocation: one for each folder, since a session keeps the folder that it began in. */
export function doctorSession(folder: string): string {
  return `${probeSession} ${folder}`;
}

/** Says nothing, and lets the host go on by its own rules. */
export const silence: Reply = { stdout: '', stderr: '', exit: 0 };

/** Where a host can do no more than show a text. */
export function shown(answer: Answer): Reply {
  return answer.does === 'nothing' ? silence : { ...silence, stderr: answer.reason };
}

/** The reply that stops something: in JSON for hosts that read it, on standard error and by exit code for all. */
export function stop(reason: string, json: JsonObject): Reply {
  return { stdout: JSON.stringify(json), stderr: reason, exit: 2 };
}

/** A reply that is read from standard output alone. */
export function say(json: JsonObject): Reply {
  return { stdout: JSON.stringify(json), stderr: '', exit: 0 };
}

/** The answer to a host's own permission prompt; where nothing is said, the prompt stays the user's. */
export function promptDecision(given: Exclude<Answer, { does: 'nothing' }>): JsonObject {
  return given.does === 'allow' ? { behavior: 'allow' } : { behavior: 'deny', message: given.reason };
}

/** An output with a warning in front, where it is a text or holds one for the model; undefined where it does not. */
export function annotated(output: JsonValue | undefined, note: string): JsonValue | undefined {
  if (typeof output === 'string') return `${note}\n\n${output}`;
  if (output === undefined || !isJsonObject(output)) return undefined;
  const text = output['textResultForLlm'];
  return typeof text === 'string' ? { ...output, textResultForLlm: `${note}\n\n${text}` } : undefined;
}

/** What stands in place of an output: itself without secrets, with a warning in front where there is one. */
export function replacement({ output, note }: Extract<Answer, { does: 'replace' }>): JsonValue {
  return note === undefined ? output : (annotated(output, note) ?? output);
}

/** The text that stands in place of an output that must not be seen. */
export function withheld(reason: string): string {
  return `[output withheld] ${reason}`;
}

/** What the model would have been given of a tool's response, where that has a member for it as in Gemini CLI's form. */
export function modelText(output: JsonValue): string {
  const content = isJsonObject(output) ? (output['llmContent'] ?? output) : output;
  return typeof content === 'string' ? content : JSON.stringify(content);
}

// ── Reads members of what a host sends. Hosts add members as they grow, so what is not known is left alone.

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
