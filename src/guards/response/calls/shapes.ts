// Tells which JSON values are calls of tools: the forms that models and their harnesses write them in.

import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/index.ts';

/** A call as a text writes it. */
export interface Written {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** How deep a value is searched for calls, such as an answer of an API that was copied whole. */
const deepest = 8;

/** Every call in a value. */
export function callsIn(value: JsonValue, depth = 0): readonly Written[] {
  if (depth > deepest) return [];
  if (Array.isArray(value)) return value.flatMap((item: JsonValue) => callsIn(item, depth + 1));
  if (!isJsonObject(value)) return [];
  const call = callOf(value);
  if (call !== null) return [call];
  return Object.values(value).flatMap((member) => callsIn(member, depth + 1));
}

/** By the key of the name, the keys under which the arguments stand; one of them must be there. */
const forms: readonly (readonly [name: string, given: readonly string[]])[] = [
  ['name', ['arguments', 'input', 'parameters', 'args', 'params']],
  ['tool', ['arguments', 'tool_input', 'input', 'parameters', 'args', 'params']],
  ['tool_name', ['arguments', 'tool_input', 'tool_args', 'input', 'parameters', 'args', 'tool_arguments']],
  ['toolName', ['args', 'input', 'arguments']],
  ['function_name', ['arguments', 'args', 'parameters']],
  ['function', ['arguments', 'args', 'parameters']],
  ['action', ['action_input', 'actionInput']],
  ['recipient_name', ['parameters']],
];

function callOf(value: JsonObject): Written | null {
  const inner = value['function'];
  // {"type":"function","function":{"name":…,"arguments":…}}
  if (isJsonObject(inner)) return callOf(inner);
  for (const [nameKey, keys] of forms) {
    const name = value[nameKey];
    if (typeof name !== 'string' || !isToolName(name)) continue;
    const key = keys.find((one) => Object.hasOwn(value, one));
    const given = key === undefined ? null : argumentsOf(value[key], nameKey === 'action');
    if (given === null || isDefinition(value, key)) continue;
    return { tool: name.replace(/^functions\./, ''), arguments: given };
  }
  return null;
}

export function isToolName(name: string): boolean {
  return /^[A-Za-z_][\w.:/-]{0,127}$/.test(name);
}

/** Arguments stand as an object, or as the JSON text of one; a plain text where the form has such. */
export function argumentsOf(given: JsonValue | undefined, plain: boolean): JsonObject | null {
  if (isJsonObject(given)) return given;
  if (given === null) return {};
  if (typeof given !== 'string') return null;
  try {
    const read: unknown = JSON.parse(given === '' ? '{}' : given);
    if (isJsonObject(read)) return read;
  } catch {
    // It is no JSON, so it is a text.
  }
  return plain ? { input: given } : null;
}

/** Whether an object tells what a tool is: its parameters are a schema. */
function isDefinition(value: JsonObject, key: string | undefined): boolean {
  const given = key === undefined ? undefined : value[key];
  if (!isJsonObject(given)) return false;
  return isJsonObject(given['properties']) || ('description' in value && given['type'] === 'object');
}
