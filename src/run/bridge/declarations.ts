// Whatever a server states about its tool, the declaration is TypeScript that declares this tool and nothing else,
// within the length limit. Parts of a schema that TypeScript cannot express are omitted.

import { isJsonObject, type JsonObject, type JsonValue, visible } from '../../core/index.ts';
import { type CodeTool, plainName } from './names.ts';
import { listOf, pointedAt, requiredOf } from './schema.ts';

/** The declaration of a tool, in as many characters at most as there is room for, unless its name takes more. */
export function declarationOf(tool: CodeTool, most: number = longest): string {
  let text = '';
  for (const { depth, parts } of ladder) {
    text = declared(tool, depth, { left: parts });
    if (text.length <= Math.min(most, longest)) break;
  }
  return text;
}

/** Longest declaration, and the longest texts in it, in characters. */
const longest = 8000;
const longestDescription = 1000;
const longestNote = 200;
const longestKey = 200;
const longestName = 60;
const mostLiterals = 60;

/** How deep a schema is declared, and how many parts of it, until the declaration is short enough. */
const ladder = [
  { depth: 10, parts: 400 },
  { depth: 5, parts: 150 },
  { depth: 3, parts: 60 },
  { depth: 2, parts: 25 },
  { depth: 0, parts: 0 },
] as const;

/** How many parts of schemas are still declared. */
interface SchemaBudget {
  left: number;
}

/** Global type names of TypeScript. */
const typeNames: ReadonlySet<string> = new Set([
  ...['any', 'Array', 'asserts', 'bigint', 'boolean', 'infer', 'is', 'keyof', 'never', 'number', 'object'],
  ...['Promise', 'readonly', 'string', 'symbol', 'undefined', 'unique', 'unknown'],
]);

function declared({ name: whole, tool }: CodeTool, depth: number, room: SchemaBudget): string {
  const dot = whole.indexOf('.');
  const name = whole.slice(dot + 1);
  const types = new Types(name, depth, room);
  const { inputSchema, outputSchema } = tool;
  const input = types.root(inputSchema, 'Input');
  const output = outputSchema === undefined ? 'unknown' : types.root(outputSchema, 'Output');
  const optional = requiredOf(inputSchema).length === 0 ? '?' : '';
  return [
    `declare namespace ${whole.slice(0, dot)} {`,
    ...types.named(),
    ...comment(tool.description, longestDescription),
    `  function ${name}(input${optional}: ${indented(input)}): Promise<${indented(output)}>;`,
    '}',
  ].join('\n');
}

/** The types of one tool: those that are referenced have names, the others are inline. */
class Types {
  readonly #owner: string;
  readonly #depth: number;
  readonly #room: SchemaBudget;
  readonly #bodies = new Map<string, string>();

  constructor(owner: string, depth: number, room: SchemaBudget) {
    this.#owner = owner;
    this.#depth = depth;
    this.#room = room;
  }

  root(schema: JsonObject, name: string): string {
    const names = new Map<JsonValue, string>();
    const refer: Refer = (target, reference, body) => {
      const wanted = reference === '#' ? name : (reference.split('/').at(-1) ?? name);
      const known = names.get(target) ?? this.#free(wanted);
      // INVARIANT: a type has its name before its body is read, which may refer to it.
      if (!names.has(target)) {
        names.set(target, known);
        this.#bodies.set(known, body());
      }
      return `${this.#owner}.${known}`;
    };
    return new Reader(schema, this.#depth, this.#room, refer).type(schema, 0);
  }

  #free(wanted: string): string {
    const plain = plainName(wanted.slice(0, longestName), (word) => typeNames.has(word));
    let name = plain;
    for (let number = 2; this.#bodies.has(name); number++) name = `${plain}_${number}`;
    this.#bodies.set(name, 'unknown');
    return name;
  }

  named(): readonly string[] {
    if (this.#bodies.size === 0) return [];
    const types = [...this.#bodies].map(([name, body]) => `    type ${name} = ${indented(indented(body))};`);
    return [`  namespace ${this.#owner} {`, ...types, '  }'];
  }
}

type Refer = (target: JsonValue, reference: string, body: () => string) => string;

/** One schema as a type. */
class Reader {
  readonly #root: JsonObject;
  readonly #deepest: number;
  readonly #room: SchemaBudget;
  readonly #refer: Refer;

  constructor(root: JsonObject, deepest: number, room: SchemaBudget, refer: Refer) {
    this.#root = root;
    this.#deepest = deepest;
    this.#room = room;
    this.#refer = refer;
  }

  type(schema: JsonValue | undefined, depth: number): string {
    if (schema === false) return 'never';
    if (!isJsonObject(schema) || depth > this.#deepest || this.#room.left <= 0) return 'unknown';
    this.#room.left--;
    const type = intersection(this.#sides(schema, depth));
    return schema['nullable'] === true ? union([type, 'null']) : type;
  }

  /** The constraints that a value of a schema has to satisfy all at once. */
  #sides(schema: JsonObject, depth: number): readonly string[] {
    const { $ref } = schema;
    return [
      ...(typeof $ref === 'string' ? [this.#reference($ref)] : []),
      this.#plain(schema, depth),
      ...['anyOf', 'oneOf'].flatMap((way) => this.#choice(schema[way], depth)),
      ...listOf(schema['allOf'])
        .slice(0, mostLiterals)
        .map((part) => this.type(part, depth + 1)),
    ];
  }

  #choice(ways: JsonValue | undefined, depth: number): readonly string[] {
    const listed = listOf(ways);
    if (listed.length === 0) return [];
    return [listed.length > mostLiterals ? 'unknown' : union(listed.map((way) => this.type(way, depth + 1)))];
  }

  #reference(reference: string): string {
    const target = this.#target(reference);
    if (!isJsonObject(target)) return 'unknown';
    return this.#refer(target, reference, () => this.type(target, 0));
  }

  /** The final target of a reference; undefined if it is circular. */
  #target(reference: string): JsonValue | undefined {
    const seen = new Set<JsonValue>();
    let target = pointedAt(this.#root, reference);
    while (isJsonObject(target) && typeof target['$ref'] === 'string' && Object.keys(target).length === 1) {
      if (seen.has(target)) return undefined;
      seen.add(target);
      target = pointedAt(this.#root, target['$ref']);
    }
    return target;
  }

  /** The type of a schema by itself. */
  #plain(schema: JsonObject, depth: number): string {
    if (Object.hasOwn(schema, 'const')) return literals([schema['const'] ?? null]);
    if (Array.isArray(schema['enum'])) return literals(schema['enum']);
    const { type } = schema;
    const types = Array.isArray(type) ? type.slice(0, 10) : [type ?? kindOf(schema)];
    return union(types.map((one) => this.#kind(one, schema, depth)));
  }

  #kind(type: JsonValue | undefined, schema: JsonObject, depth: number): string {
    switch (type) {
      case 'string':
      case 'boolean':
      case 'null':
      case 'number':
        return type;
      case 'integer':
        return 'number';
      case 'array':
        return this.#list(schema, depth);
      case 'object':
        return this.#object(schema, depth);
      default:
        return 'unknown';
    }
  }

  #list({ items, prefixItems }: JsonObject, depth: number): string {
    const places = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : null;
    if (places === null) return `Array<${this.type(items ?? true, depth + 1)}>`;
    if (places.length === 0 || places.length > mostLiterals) return 'Array<unknown>';
    return `[${places.map((place) => this.type(place, depth + 1)).join(', ')}, ...Array<unknown>]`;
  }

  #object(schema: JsonObject, depth: number): string {
    const { properties, required, additionalProperties: others, patternProperties } = schema;
    const needed = new Set(listOf(required));
    const known = Object.entries(isJsonObject(properties) ? properties : {});
    const short = known.filter(([key]) => key.length <= longestKey);
    // Required members of a call are declared before the length limit is reached.
    const declared = [
      ...short.filter(([key]) => needed.has(key)),
      ...short.filter(([key]) => !needed.has(key)),
    ];
    declared.splice(Math.max(0, this.#room.left));
    const members = declared.flatMap(([key, value]) => {
      const note = isJsonObject(value) ? value['description'] : undefined;
      const type = indented(this.type(value, depth + 1));
      return [
        ...comment(typeof note === 'string' ? note : '', longestNote),
        `  ${keyOf(key)}${needed.has(key) ? '' : '?'}: ${type};`,
      ];
    });
    const more = known.length - declared.length;
    if (more > 0) members.push(`  /** … and ${more} more */`, '  [key: string]: unknown;');
    else if (known.length > 0) {
      // The others may have a different type than the named ones.
      if (isOpen(others) || isJsonObject(patternProperties)) members.push('  [key: string]: unknown;');
    } else if (others !== false) {
      members.push(`  [key: string]: ${indented(this.type(others ?? true, depth + 1))};`);
    }
    return members.length === 0 ? '{}' : `{\n${members.join('\n')}\n}`;
  }
}

/** Whether a schema mentions other keys. */
function isOpen(others: JsonValue | undefined): boolean {
  return others === true || isJsonObject(others);
}

/** The subject of a schema without a type. */
function kindOf({ properties, items, prefixItems, additionalProperties }: JsonObject): string | undefined {
  if (isJsonObject(properties) || isJsonObject(additionalProperties)) return 'object';
  return items === undefined && prefixItems === undefined ? undefined : 'array';
}

function literals(values: readonly JsonValue[]): string {
  if (values.length > mostLiterals) return 'unknown';
  return union(values.map(literal));
}

function literal(value: JsonValue): string {
  if (typeof value === 'string') return value.length > longestNote ? 'string' : quoted(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'number';
  return typeof value === 'boolean' || value === null ? String(value) : 'unknown';
}

function union(types: readonly string[]): string {
  const each = [...new Set(types)];
  if (each.includes('unknown')) return 'unknown';
  const some = each.filter((type) => type !== 'never');
  return some.length === 0 ? 'never' : some.join(' | ');
}

function intersection(types: readonly string[]): string {
  const each = [...new Set(types)].filter((type) => type !== 'unknown');
  if (each.length < 2) return each[0] ?? 'unknown';
  return each.map((type) => (type.includes('|') ? `(${type})` : type)).join(' & ');
}

function keyOf(key: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key) ? key : quoted(key);
}

/** A text as TypeScript writes it, with nothing in it that could deceive the eye. */
function quoted(text: string): string {
  return visible(JSON.stringify(text));
}

function indented(type: string): string {
  return type.replaceAll('\n', '\n  ');
}

/** INVARIANT: no text ends the comment that contains it. */
function comment(text: string, most: number): readonly string[] {
  const lines = text
    .slice(0, most)
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => visible(line.replaceAll('\t', ' ').trim().toWellFormed()).replaceAll('*/', '* /'))
    .filter((line) => line !== '');
  if (text.length > most) lines.push('…');
  if (lines.length === 0) return [];
  if (lines.length === 1) return [`  /** ${lines[0]} */`];
  return ['  /**', ...lines.map((line) => `   * ${line}`), '   */'];
}
