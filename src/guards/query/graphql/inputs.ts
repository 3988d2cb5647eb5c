// What is handed in with a query: fields of inputs by their types, in the document and in its variables.

import type {
  ArgumentNode,
  GraphQLArgument,
  GraphQLInputType,
  GraphQLSchema,
  OperationDefinitionNode,
  ValueNode,
} from 'graphql';
import type { CodeMode } from '../../../config/sources.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/index.ts';
import type { Unknown } from '../facts.ts';
import type { Graphql } from './schema.ts';

export class Inputs {
  readonly names = new Set<string>();
  /** Fields that are named inside a value without a type: to filter by a field is to read it. */
  readonly fields = new Set<string>();
  readonly unknowns: Unknown[] = [];
  depth = 0;
  readonly #graphql: Graphql;
  readonly #schema: GraphQLSchema;
  /** Fields that are not to be read, by their bare names. */
  readonly #hidden: ReadonlyMap<string, string>;

  constructor(graphql: Graphql, schema: GraphQLSchema, mode: CodeMode) {
    this.#graphql = graphql;
    this.#schema = schema;
    this.#hidden = new Map(
      mode.graphql.blockedFields.map((field) => [field.slice(field.lastIndexOf('.') + 1), field]),
    );
  }

  /** Looks through what a field or a directive is given. */
  given(args: readonly GraphQLArgument[], nodes: readonly ArgumentNode[] | undefined): void {
    for (const { name, value } of nodes ?? []) {
      this.#node(args.find((arg) => arg.name === name.value)?.type, value, 1);
    }
  }

  /** Looks through the variables as the server will see them. */
  variables({ variableDefinitions = [] }: OperationDefinitionNode, values: JsonObject): void {
    for (const { variable, type } of variableDefinitions) {
      const declared = this.#graphql.typeFromAST(this.#schema, type);
      const value = values[variable.name.value];
      if (value !== undefined && this.#graphql.isInputType(declared)) this.#value(declared, value, 1);
    }
  }

  #node(type: GraphQLInputType | null | undefined, node: ValueNode, depth: number): void {
    const { Kind } = this.#graphql;
    this.depth = Math.max(this.depth, depth);
    if (node.kind === Kind.LIST) {
      for (const item of node.values) this.#node(this.#itemOf(type), item, depth);
    } else if (node.kind === Kind.OBJECT) {
      for (const { name, value } of node.fields) {
        this.#node(this.#enter(type, name.value), value, depth + 1);
      }
    } else if (node.kind === Kind.ENUM) this.#addEnum(type, node.value);
  }

  #value(type: GraphQLInputType | null | undefined, value: JsonValue, depth: number): void {
    this.depth = Math.max(this.depth, depth);
    if (Array.isArray(value)) {
      for (const item of value) this.#value(this.#itemOf(type), item, depth);
    } else if (isJsonObject(value)) {
      for (const [name, inner] of Object.entries(value))
        this.#value(this.#enter(type, name), inner, depth + 1);
    } else if (typeof value === 'string') this.#addEnum(type, value);
  }

  /** Notes a field of an input, and gives its type; inside a value without a type there is none. */
  #enter(type: GraphQLInputType | null | undefined, name: string): GraphQLInputType | undefined {
    const named = type === null || type === undefined ? undefined : this.#graphql.getNamedType(type);
    if (named !== undefined && this.#graphql.isInputObjectType(named)) {
      this.names.add(`${named.name}.${name}`);
      return named.getFields()[name]?.type;
    }
    const hidden = this.#hidden.get(name);
    if (hidden !== undefined) this.fields.add(hidden);
    return undefined;
  }

  #addEnum(type: GraphQLInputType | null | undefined, value: string): void {
    const named = type === null || type === undefined ? undefined : this.#graphql.getNamedType(type);
    if (named !== undefined && this.#graphql.isEnumType(named)) this.names.add(`${named.name}.${value}`);
  }

  #itemOf(type: GraphQLInputType | null | undefined): GraphQLInputType | undefined {
    const plain = type === null || type === undefined ? undefined : this.#graphql.getNullableType(type);
    return plain !== undefined && this.#graphql.isListType(plain) ? plain.ofType : (plain ?? undefined);
  }
}
