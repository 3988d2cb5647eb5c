// The definitions of tools in a request. The client wrote those of its own tools; those of MCP servers were written by
// third parties, and agent hosts say so in the name.

import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';
import { textsIn } from '../../run/index.ts';
import type { Place, RequestPart } from './parts.ts';

/**
 * Names that hosts give to the tools of MCP servers: `mcp__SERVER__TOOL` (Claude Code), the namespace `mcp__SERVER` (Codex),
 * `mcp_SERVER_TOOL` (Gemini CLI). A server cannot choose a name without this prefix.
 */
const ofServer = /^mcp_/;

/** Members that say what a tool is called and how it is loaded; nothing else of a withheld definition is sent. */
const structural = ['type', 'name', 'defer_loading', 'cache_control'] as const;
const schemas = ['input_schema', 'parameters', 'parametersJsonSchema', 'parameters_json_schema'] as const;

/** Every text that describes a tool: the client's own are reported and not blocked, those of MCP servers are judged. */
export function* toolDefinitions(
  value: JsonValue | undefined,
  place: Place,
  isThirdParty = false,
): Generator<RequestPart> {
  if (Array.isArray(value)) {
    for (const [index, member] of value.entries())
      yield* toolDefinitions(member, [...place, index], isThirdParty);
  } else if (isJsonObject(value)) {
    const { name, tools } = value;
    const judged = isThirdParty || (typeof name === 'string' && ofServer.test(name));
    if (judged && Array.isArray(tools)) yield* namespace(value, tools, place);
    else if (judged) yield definition(value, place);
    else yield* ownDescriptions(value, place);
  }
}

function* ownDescriptions(value: JsonObject, place: Place): Generator<RequestPart> {
  for (const [key, member] of Object.entries(value)) {
    const at = [...place, key];
    if (key === 'description' && typeof member === 'string' && member !== '') {
      yield { is: 'text', place: at, origin: 'agent', text: member };
    } else yield* toolDefinitions(member, at);
  }
}

/** The tools of one server, each judged by itself, so that one of them does not take the others with it. */
function* namespace(value: JsonObject, tools: readonly JsonValue[], place: Place): Generator<RequestPart> {
  const { tools: _, description, ...about } = value;
  const at = [...place, 'description'];
  const text = textsIn([description ?? '', about])?.join('\n') ?? null;
  yield { is: 'fixed', what: 'definition', place: at, text, withheld: { place: at, form: 'text' } };
  yield* toolDefinitions([...tools], [...place, 'tools'], true);
}

function definition(value: JsonObject, place: Place): RequestPart {
  // What is nested too deeply to be read is withheld, like any definition that cannot be judged.
  const text = textsIn(value)?.join('\n') ?? null;
  return { is: 'fixed', what: 'definition', place, text, withheld: { place, form: 'definition' } };
}

/** A definition of which only the name is left; the conversation may refer to it, so it stays in its place. */
export function withheldDefinition(member: JsonValue | undefined, note: string): JsonValue {
  if (!isJsonObject(member)) return note;
  const kept = structural.flatMap((key) => (member[key] === undefined ? [] : [[key, member[key]] as const]));
  const empty = schemas.flatMap((key) =>
    member[key] === undefined ? [] : [[key, { type: 'object', properties: {} }] as const],
  );
  return { ...Object.fromEntries(kept), description: note, ...Object.fromEntries(empty) };
}
