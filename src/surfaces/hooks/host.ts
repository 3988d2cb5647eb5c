// What an agent host is to Sallyport: how it speaks of a moment in its session, and how it is answered.

import {
  type HostEvent,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Mode,
} from '../../core/index.ts';

export const hostNames = ['claude', 'codex', 'gemini', 'cursor', 'copilot', 'opencode'] as const;

export type HostName = (typeof hostNames)[number];

/** A tool call as a host describes it. */
export interface ToolCall {
  readonly tool: string;
  /** The MCP server that it belongs to; absent for the host's own tools. */
  readonly server?: string;
  readonly arguments: JsonObject;
  /** The host's own name of this one call, by which its end is known. */
  readonly call?: string;
  /** The model's stated reason, where the host hands one on. */
  readonly justification?: string;
}

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
} & (
  | ({ readonly event: 'tool_call_pre' } & ToolCall)
  | ({ readonly event: 'tool_call_post'; readonly output: JsonValue } & ToolCall)
  | { readonly event: 'user_prompt_submit'; readonly prompt: string }
  | { readonly event: 'session_start' | 'session_end' }
  /** Settings of the host changed: which, and in which file where it names one. */
  | { readonly event: 'config_change'; readonly source: string; readonly file?: string }
);

/** What is to happen, in no host's words yet. There is no "allow": a host's own rules keep their say. */
export type Answer =
  | { readonly does: 'nothing' }
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
  | { readonly does: 'note'; readonly reason: string; readonly output?: JsonValue };

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
  /** Whether the host's own question to the user can be relied on. */
  readonly asks: boolean;
  /** Whether the host would really run the tool with these arguments instead of those. */
  rewrites(before: JsonObject, after: JsonObject): boolean;
  /** The host's own names of the moments that it is asked about. */
  readonly events: Readonly<Record<string, HostEvent>>;
  /** What the host would send before a tool that no setting lets through; `sallyport doctor` provokes with it. */
  provocation(folder: string): { readonly event: string; readonly value: JsonObject };
  /** Reads what the host sends at a moment of its own naming; throws `InputError` for what it does not understand. */
  read(event: string, value: JsonObject): HookCall;
  /** Says an answer in the host's words. INVARIANT: at a moment that is not known, a deny stops a tool. */
  answer(event: string, answer: Answer): Reply;
}

/** A command that nobody wants run. It is only ever spoken of. */
export const forbidden = 'rm -rf /';

/** The session of a provocation: one for each folder, since a session keeps the folder that it began in. */
export function doctorSession(folder: string): string {
  return `doctor ${folder}`;
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
