// A schema without the data that its author left in it: examples, comments, and texts that contain a secret or personal
// data.

import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';
import { builtin, redact, scan } from '../../detect/index.ts';

/** A text with what looks like a secret or personal data taken out. */
function cleaned(text: string): string {
  return scan(text, builtin('secrets', 'pii')).length === 0
    ? text
    : redact(text, builtin('secrets', 'pii')).text;
}

/** Quoted names, literals and comments of SQL; a backslash is a sign of a literal in MySQL alone. */
const quotedParts = {
  standard: /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\//g,
  mysql: /'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`(?:[^`]|``)*`|--[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\//g,
};

/** SQL without comments, and without literals that hold such data. */
export function sqlWithoutData(sql: string, kind: string): string {
  return sql.replace(quotedParts[kind === 'mysql' ? 'mysql' : 'standard'], (part) => {
    if (/^(?:--|#|\/\*)/.test(part)) return '';
    if (!part.startsWith("'")) return part;
    const text = part.slice(1, -1);
    const clean = cleaned(text);
    return clean === text ? part : `'${clean.replaceAll('\\', '').replace(/'+/g, "''")}'`;
  });
}

/** Members of an OpenAPI document that hold examples. */
const examples: ReadonlySet<string> = new Set(['example', 'examples', 'x-example', 'x-examples']);
/** Members that are sentences for people. */
const sentences: ReadonlySet<string> = new Set(['description', 'summary', 'title']);
/** Members whose own keys are names that the author chose. */
const maps: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'paths', 'schemas', 'responses', 'parameters', 'headers', '$defs'],
  ...['requestBodies', 'securitySchemes', 'definitions', 'callbacks', 'variables', 'mapping', 'links'],
]);

/** An OpenAPI document without examples; descriptions are preserved if they contain no such data. */
export function apiWithoutData(document: JsonObject): JsonObject {
  const member = (value: JsonValue, isMap: boolean): JsonValue => {
    if (Array.isArray(value)) return value.map((one) => member(one, false));
    if (!isJsonObject(value)) return value;
    const kept = Object.entries(value).filter(([key]) => isMap || !examples.has(key));
    return Object.fromEntries(
      kept.map(([key, inner]) => {
        const isSentence = !isMap && sentences.has(key) && typeof inner === 'string';
        return [key, isSentence ? cleaned(inner) : member(inner, !isMap && maps.has(key))];
      }),
    );
  };
  const { info, ...rest } = document;
  const { title = '', version = '', description } = isJsonObject(info) ? info : {};
  // The maintainer of the API is irrelevant here.
  const about = { title, version, ...(description === undefined ? {} : { description }) };
  const clean = member({ info: about, ...rest }, false);
  return isJsonObject(clean) ? clean : {};
}

/** GraphQL SDL whose descriptions hold no such data. */
export async function sdlWithoutData(sdl: string): Promise<string> {
  const { parse, print, visit } = await import('graphql');
  const document = visit(parse(sdl), {
    StringValue(node, key) {
      return key === 'description' ? { ...node, value: cleaned(node.value) } : undefined;
    },
  });
  return `${print(document)}\n`;
}
