// How a model learns the schema of a source: by searching it, by having parts of it described, and by reading it as a
// resource. A schema that is too large to be read at once is read as an index with a link for each part.

import type { Source } from '../../config/sources.ts';
import { type JsonObject, SallyportError, visible, type World } from '../../core/index.ts';
import { entriesOf } from '../../guards/query/entries.ts';
import type { SchemaEntry, SchemaMember } from '../../guards/query/entry.ts';
import { languages } from '../../guards/query/languages.ts';
import { entryNamed, searchEntries } from '../../guards/query/search.ts';
import { shownSchema } from '../../guards/query/shown.ts';
import { databaseOf } from '../../run/query/index.ts';
import { canReadSchema, readSchema } from '../../run/query/sources.ts';

/** The largest resource, in characters. */
const largestResource = 262_144;
const mostMembers = 400;
const mostMatched = 8;
const mostRelations = 60;
const longestComment = 500;

export class QuerySchema {
  readonly source: Source;
  /** Where the whole schema is read. */
  readonly uri: string;
  readonly #world: World;

  /** With `isOnly` the source is the only one of its server, and its address has no name in it. */
  constructor(source: Source, world: World, isOnly: boolean) {
    this.source = source;
    this.#world = world;
    const language = languages[source.kind];
    this.uri = isOnly ? `${language}://schema` : `${language}://${encodeURIComponent(source.name)}/schema`;
  }

  /** The schema as text, or where that is too large an index of its parts. */
  async text(): Promise<string> {
    const { source } = this;
    const text = await shownSchema(source, await this.#read(), this.#world.readers);
    return text.length <= largestResource ? text : this.#index(await this.#entries(), text.length);
  }

  /** The addresses of the parts. */
  partUri(name: string): string {
    return `${this.uri}/${encodeURIComponent(name)}`;
  }

  /** One part as text. */
  async part(name: string): Promise<string> {
    const entry = entryNamed(await this.#entries(), name);
    if (entry === null) throw new SallyportError(`the schema has no "${visible(name, 100)}"`);
    return JSON.stringify(describedEntry(entry), null, 2);
  }

  async search(words: string, most: number): Promise<JsonObject> {
    const matches = searchEntries(await this.#entries(), words);
    return {
      source: this.source.name,
      matches: matches.slice(0, most).map(({ entry, members }) => ({
        name: entry.name,
        kind: entry.kind,
        ...(entry.type === null ? {} : { type: entry.type }),
        ...commentOf(entry),
        members: (members.length > 0 ? members : entry.members)
          .slice(0, mostMatched)
          .map(({ name, type }) => (type === null ? name : `${name}: ${type}`)),
      })),
      found: matches.length,
    };
  }

  async describe(names: readonly string[]): Promise<JsonObject> {
    const entries = await this.#entries();
    const described = new Map<SchemaEntry, JsonObject>();
    const missing: JsonObject[] = [];
    for (const name of names) {
      const entry = entryNamed(entries, name);
      if (entry !== null) described.set(entry, describedEntry(entry));
      else {
        const near = searchEntries(entries, name)
          .slice(0, 3)
          .map(({ entry: one }) => one.name);
        missing.push({ name: visible(name, 100), did_you_mean: near });
      }
    }
    return {
      source: this.source.name,
      described: [...described.values()],
      ...(missing.length === 0 ? {} : { not_found: missing }),
    };
  }

  async #entries(): Promise<readonly SchemaEntry[]> {
    return await entriesOf(this.source, await this.#read(), this.#world.readers);
  }

  /** The schema file; without one, what the source itself tells; null where it tells nothing. */
  async #read(): Promise<string | null> {
    const { source } = this;
    const { schema: path } = source;
    if (path !== null) {
      const found = (this.#world.schemaText ?? this.#world.readText)(path);
      if (found === null) throw new SallyportError('the schema of the source cannot be read');
      return found;
    }
    const database = databaseOf(source);
    if (database !== null) return (await database.schema())?.text ?? null;
    return canReadSchema(source) ? (await readSchema(source, this.#world.readers)).schema : null;
  }

  #index(entries: readonly SchemaEntry[], size: number): string {
    const head = `The schema of ${this.source.name} has ${size} characters in ${entries.length} parts. Search it with search_schema, have parts described with describe, or read one of these:\n`;
    const lines: string[] = [];
    let left = largestResource - head.length - 200;
    for (const { kind, name } of entries) {
      const line = `${kind} ${name}: ${this.partUri(name)}`;
      left -= line.length + 1;
      if (left < 0) break;
      lines.push(line);
    }
    const more = entries.length - lines.length;
    return `${head}${lines.join('\n')}\n${more === 0 ? '' : `${more} more are found by search_schema.\n`}`;
  }
}

function commentOf({ comment }: Pick<SchemaEntry, 'comment'>): JsonObject {
  return comment === null ? {} : { comment: visible(comment, longestComment) };
}

/** An entry as a model reads it, without what it does not have. */
function describedEntry(entry: SchemaEntry): JsonObject {
  const { name, kind, type, members, relations, example } = entry;
  const shown = members.slice(0, mostMembers).map(describedMember);
  return {
    name,
    kind,
    ...(type === null ? {} : { type }),
    ...commentOf(entry),
    ...(shown.length === 0 ? {} : { members: shown }),
    ...(members.length > shown.length ? { more_members: members.length - shown.length } : {}),
    ...(relations.length === 0 ? {} : { relations: relations.slice(0, mostRelations) }),
    ...(example === null ? {} : { example }),
  };
}

function describedMember(member: SchemaMember): JsonObject {
  const { name, type, marks, values } = member;
  return {
    name,
    ...(type === null ? {} : { type }),
    ...commentOf(member),
    ...(marks.length === 0 ? {} : { marks }),
    ...(values.length === 0 ? {} : { values: values.slice(0, mostMembers) }),
  };
}
