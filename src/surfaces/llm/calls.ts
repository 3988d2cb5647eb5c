// The calls of tools that a request repeats, by the id that their results name.

import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../core/index.ts';

/** A call as the model made it. */
export interface RepeatedCall {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** Calls by their ids; null for an id that more than one call has, so that nobody knows which is meant. */
export type RepeatedCalls = ReadonlyMap<string, RepeatedCall | null>;

/** An id, the name of a tool, and its arguments: a table, or a text that holds one. */
type Said = readonly [id: JsonValue | undefined, tool: JsonValue | undefined, given: JsonValue | undefined];

/** The keys by which a result names its call. */
const answering = ['tool_call_id', 'tool_use_id', 'call_id'];

/** The id of the call that an object says it is the result of. */
export function answeredBy(value: JsonObject): string | undefined {
  const id = answering.map((key) => value[key]).find((given) => given !== undefined);
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** The calls in the messages of Chat Completions. */
export function chatCalls({ messages }: JsonObject): RepeatedCalls {
  return callsOf(
    tablesIn(messages)
      .filter(({ role }) => role === 'assistant')
      .flatMap(({ tool_calls: calls }) => tablesIn(calls))
      .map(({ id, function: called }): Said => {
        const { name, arguments: given } = isJsonObject(called) ? called : {};
        return [id, name, given];
      }),
  );
}

/** The calls in the messages of the Messages API; those of tools that the provider runs are not among them. */
export function messagesCalls({ messages }: JsonObject): RepeatedCalls {
  return callsOf(
    tablesIn(messages)
      .filter(({ role }) => role === 'assistant')
      .flatMap(({ content }) => tablesIn(content))
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }): Said => [id, name, input]),
  );
}

/** The calls in the input of the Responses API. */
export function responsesCalls({ input }: JsonObject): RepeatedCalls {
  return callsOf(
    tablesIn(input).flatMap(({ type, call_id: id, name, arguments: given, action }): readonly Said[] => {
      if (type === 'function_call') return [[id, name, given]];
      // The one tool that has no name of its own there.
      if (type !== 'local_shell_call' || !isJsonObject(action)) return [];
      const { command, working_directory: workdir } = action;
      return [[id, 'local_shell', { command: command ?? '', ...(workdir == null ? {} : { workdir }) }]];
    }),
  );
}

/** The calls in the contents of Gemini's API, where a call may go without an id. */
export function geminiCalls({ contents }: JsonObject): RepeatedCalls {
  return callsOf(
    tablesIn(contents)
      .filter(({ role }) => role === 'model')
      .flatMap(({ parts }) => tablesIn(parts))
      .map(({ functionCall, function_call: call }) => functionCall ?? call)
      .filter(isJsonObject)
      .map(({ id, name, args }): Said => [id, name, args]),
  );
}

function tablesIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function callsOf(said: readonly Said[]): RepeatedCalls {
  const calls = new Map<string, RepeatedCall | null>();
  for (const [id, tool, given] of said) {
    if (typeof id !== 'string' || id === '') continue;
    const table = tableOf(given);
    const call = typeof tool === 'string' && table !== undefined ? { tool, arguments: table } : null;
    calls.set(id, calls.has(id) ? null : call);
  }
  return calls;
}

function tableOf(given: JsonValue | undefined): JsonObject | undefined {
  if (typeof given !== 'string') return isJsonObject(given) ? given : undefined;
  try {
    const value = parseJson(given);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
