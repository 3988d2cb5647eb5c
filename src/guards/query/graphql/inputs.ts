// What is handed in with a query: fields of inputs by their types, in the document and in its variables. To filter, to
// order or to group by a field is to read it, so that the names of inputs are held against the fields of the type that
// the inputs are about.

import type {
  ArgumentNode,
  GraphQLArgument,
  GraphQLInputType,
  GraphQLNamedType,
  GraphQLSchema,
  OperationDefinitionNode,
  ValueNode,
} from 'graphql';
import type { CodeMode } from '../../../config/sources.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/index.ts';
import type { Unknown } from '../facts.ts';
import { choosing, naming, spelled, wordsOf } from '../spelling.ts';
import type { Graphql } from './schema.ts';

/** What an input is about. */
interface About {
  /** The type whose fields it can name; null where that is not known. */
  readonly type: GraphQLNamedType | null;
  /** Whether it chooses or orders what is there; in a change an input may also be what is written. */
  readonly chooses: boolean;
}

/** Words around the name of a field in the name of an input: how it is compared, or what is made of it. */
const around = new Set(
  'asc desc nulls first last eq ne neq not in nin gt gte lt lte ge le contains icontains starts istarts ends iends with like ilike nlike similar regex iregex exact iexact is null isnull exists between range from to some none every any all matches search insensitive distinct max min sum avg average count stddev variance var pop samp length'.split(
    ' ',
  ),
);

export class Inputs {
  readonly names = new Set<string>();
  /** Fields that are not to be read, where a value names them and nothing says of which type. */
  readonly fields = new Set<string>();
  readonly unknowns: Unknown[] = [];
  depth = 0;
  readonly #graphql: Graphql;
  readonly #schema: GraphQLSchema;
  /** Fields that are blocked or sensitive, by their bare names in one spelling. */
  readonly #guarded: ReadonlyMap<string, readonly string[]>;
  readonly #read: (type: GraphQLNamedType, field: string) => void;

  /** `read` is called for each field that an input names. */
  constructor(
    graphql: Graphql,
    schema: GraphQLSchema,
    mode: CodeMode,
    read: (type: GraphQLNamedType, field: string) => void,
  ) {
    this.#graphql = graphql;
    this.#schema = schema;
    this.#read = read;
    const guarded = new Map<string, readonly string[]>();
    for (const field of [...mode.graphql.blockedFields, ...mode.sensitiveFields]) {
      const bare = spelled(field.slice(field.lastIndexOf('.') + 1));
      guarded.set(bare, [...(guarded.get(bare) ?? []), field]);
    }
    this.#guarded = guarded;
  }

  /** Looks through what a field or a directive is given; `of` is the type that the field gives. */
  given(
    args: readonly GraphQLArgument[],
    nodes: readonly ArgumentNode[] | undefined,
    { of, changes, values }: Given,
  ): void {
    const type = of === null ? null : this.#rowType(of);
    for (const { name, value } of nodes ?? []) {
      const chooses = !changes || choosing.test(name.value);
      const about = this.#name(name.value, { type, chooses });
      this.#node(args.find((arg) => arg.name === name.value)?.type, value, 1, {
        about,
        under: name.value,
        values,
      });
    }
  }

  /** Looks through the variables as the server will see them. */
  variables({ variableDefinitions = [] }: OperationDefinitionNode, values: JsonObject): void {
    for (const { variable, type } of variableDefinitions) {
      const declared = this.#graphql.typeFromAST(this.#schema, type);
      const value = values[variable.name.value];
      if (value !== undefined && this.#graphql.isInputType(declared))
        this.#value(declared, value, 1, nowhere);
    }
  }

  #node(type: GraphQLInputType | null | undefined, node: ValueNode, depth: number, place: Place): void {
    const { Kind } = this.#graphql;
    this.depth = Math.max(this.depth, depth);
    if (node.kind === Kind.LIST) {
      for (const item of node.values) this.#node(this.#itemOf(type), item, depth, place);
    } else if (node.kind === Kind.OBJECT) {
      for (const { name, value } of node.fields) {
        this.#node(this.#enter(type, name.value), value, depth + 1, this.#inside(place, name.value));
      }
    } else if (node.kind === Kind.ENUM) this.#addEnum(type, node.value, place);
    else if (node.kind === Kind.STRING) this.#addText(node.value, place);
    else if (node.kind === Kind.VARIABLE) {
      const value = place.values[node.name.value];
      if (value !== undefined) this.#value(type, value, depth, place);
    }
  }

  #value(type: GraphQLInputType | null | undefined, value: JsonValue, depth: number, place: Place): void {
    this.depth = Math.max(this.depth, depth);
    if (Array.isArray(value)) {
      for (const item of value) this.#value(this.#itemOf(type), item, depth, place);
    } else if (isJsonObject(value)) {
      for (const [name, inner] of Object.entries(value))
        this.#value(this.#enter(type, name), inner, depth + 1, this.#inside(place, name));
    } else if (typeof value === 'string') {
      this.#addEnum(type, value, place);
      this.#addText(value, place);
    }
  }

  /** Notes a field of an input, and gives its type; inside a value without a type there is none. */
  #enter(type: GraphQLInputType | null | undefined, name: string): GraphQLInputType | undefined {
    const named = type === null || type === undefined ? undefined : this.#graphql.getNamedType(type);
    if (named === undefined || !this.#graphql.isInputObjectType(named)) return undefined;
    this.names.add(`${named.name}.${name}`);
    return named.getFields()[name]?.type;
  }

  #inside({ about, under, values }: Place, name: string): Place {
    if (about === null) return nowhere;
    const next = { ...about, chooses: about.chooses || choosing.test(name) };
    // A text belongs to the nearest name that says that it names fields.
    return { about: this.#name(name, next), under: naming.test(under) ? under : name, values };
  }

  #addEnum(type: GraphQLInputType | null | undefined, value: string, { about }: Place): void {
    const named = type === null || type === undefined ? undefined : this.#graphql.getNamedType(type);
    if (named === undefined || !this.#graphql.isEnumType(named)) return;
    this.names.add(`${named.name}.${value}`);
    if (about !== null) this.#name(value, about);
  }

  /** A text such as "ssn:asc" names fields where it is there to order or to choose columns. */
  #addText(value: string, { about, under }: Place): void {
    if (about === null || !naming.test(under)) return;
    for (const word of value.split(/[^A-Za-z0-9_]+/)) if (word !== '') this.#name(word, about);
  }

  /** Notes the field that a name means, and gives what is inside of it. */
  #name(name: string, about: About): About {
    const fields = about.type === null ? new Map<string, string>() : this.#fieldsOf(about.type);
    const spellings = spellingsOf(name);
    const own = spellings.map((one) => fields.get(one)).find((field) => field !== undefined);
    if (own !== undefined && about.type !== null) {
      if (about.chooses) this.#read(about.type, own);
      return { ...about, type: this.#typeOf(about.type, own) ?? about.type };
    }
    if (about.chooses)
      for (const field of spellings.flatMap((one) => this.#guarded.get(one) ?? [])) this.fields.add(field);
    return about;
  }

  /** The fields of a type by one spelling of their names. */
  #fieldsOf(type: GraphQLNamedType): ReadonlyMap<string, string> {
    const { isObjectType, isInterfaceType } = this.#graphql;
    if (!isObjectType(type) && !isInterfaceType(type)) return new Map();
    const known = fieldNames.get(type);
    if (known !== undefined) return known;
    const made = new Map(Object.keys(type.getFields()).map((field) => [spelled(field), field]));
    fieldNames.set(type, made);
    return made;
  }

  /** The type that a field gives, where it has fields itself. */
  #typeOf(type: GraphQLNamedType, field: string): GraphQLNamedType | null {
    const { isObjectType, isInterfaceType, getNamedType } = this.#graphql;
    if (!isObjectType(type) && !isInterfaceType(type)) return null;
    const found = type.getFields()[field]?.type;
    const named = found === undefined ? undefined : getNamedType(found);
    return named !== undefined && (isObjectType(named) || isInterfaceType(named))
      ? this.#rowType(named)
      : null;
  }

  /** The type of the rows of a page: what lies in `nodes`, or in `edges` under `node`. */
  #rowType(type: GraphQLNamedType): GraphQLNamedType {
    const { isObjectType, getNamedType } = this.#graphql;
    if (!isObjectType(type)) return type;
    const { nodes, edges } = type.getFields();
    if (nodes !== undefined) return getNamedType(nodes.type);
    const edge = edges === undefined ? undefined : getNamedType(edges.type);
    const node = isObjectType(edge) ? edge.getFields()['node'] : undefined;
    return node === undefined ? type : getNamedType(node.type);
  }

  #itemOf(type: GraphQLInputType | null | undefined): GraphQLInputType | undefined {
    const plain = type === null || type === undefined ? undefined : this.#graphql.getNullableType(type);
    return plain !== undefined && this.#graphql.isListType(plain) ? plain.ofType : (plain ?? undefined);
  }
}

/** Kept with the type: a schema is asked about the same types again and again. */
const fieldNames = new WeakMap<GraphQLNamedType, ReadonlyMap<string, string>>();

/** What the inputs of a field are read with. */
interface Given {
  readonly of: GraphQLNamedType | null;
  /** Whether the field changes something. */
  readonly changes: boolean;
  readonly values: JsonObject;
}

/** Where a value stands; `about` is null where the names in it are looked at elsewhere. */
interface Place {
  readonly about: About | null;
  /** The name of the argument or the input that it is given to. */
  readonly under: string;
  readonly values: JsonObject;
}

const nowhere: Place = { about: null, under: '', values: {} };

/** A name, and what is left of it without the words around the name of a field. */
function spellingsOf(name: string): readonly string[] {
  const words = wordsOf(name);
  const spellings = new Set([words.join('_')]);
  for (let start = 0; start < words.length; start++) {
    if (start > 0 && !around.has(words[start - 1] ?? '')) break;
    for (let end = words.length; end > start; end--) {
      spellings.add(words.slice(start, end).join('_'));
      if (!around.has(words[end - 1] ?? '')) break;
    }
  }
  return [...spellings];
}
