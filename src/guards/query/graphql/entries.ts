// Types and root fields of GraphQL as entries of a schema.

import type {
  GraphQLArgument,
  GraphQLEnumType,
  GraphQLField,
  GraphQLInputField,
  GraphQLNamedType,
  GraphQLSchema,
} from 'graphql';
import { isAllowed, type RuledSource } from '../allowed.ts';
import type { SchemaEntry, SchemaMember } from '../entry.ts';
import { isSensitive } from '../risk.ts';
import { isPagedList } from './pages.ts';
import { type Graphql, schemaFrom } from './schema.ts';

type Field = GraphQLField<unknown, unknown>;

export async function graphqlEntries(text: string, source: RuledSource): Promise<readonly SchemaEntry[]> {
  const { graphql, schema } = await schemaFrom(text);
  return new Entries(graphql, schema, source).all();
}

class Entries {
  readonly #graphql: Graphql;
  readonly #schema: GraphQLSchema;
  readonly #source: RuledSource;

  constructor(graphql: Graphql, schema: GraphQLSchema, source: RuledSource) {
    this.#graphql = graphql;
    this.#schema = schema;
    this.#source = source;
  }

  all(): readonly SchemaEntry[] {
    const roots = [this.#schema.getQueryType(), this.#schema.getMutationType()] as const;
    const calls = (['query', 'mutation'] as const).flatMap((kind, at) =>
      this.#fields(roots[at] ?? null).map((field) => this.#call(kind, field)),
    );
    const isRoot = (type: GraphQLNamedType) =>
      [...roots, this.#schema.getSubscriptionType()].includes(type as never);
    const types = Object.values(this.#schema.getTypeMap()).filter(
      (type) => !type.name.startsWith('__') && !isRoot(type) && !this.#graphql.isSpecifiedScalarType(type),
    );
    return [...calls, ...types.flatMap((type) => this.#type(type) ?? [])];
  }

  /** The fields of a type that may be asked for. */
  #fields(type: GraphQLNamedType | null): readonly Field[] {
    if (!this.#graphql.isObjectType(type) && !this.#graphql.isInterfaceType(type)) return [];
    const root = this.#rootOf(type);
    return Object.values(type.getFields()).filter(({ name }) => {
      const action = root === 'mutation' ? 'write' : 'read';
      const operations = root === null ? [] : [{ name, action, verb: root } as const];
      return isAllowed(this.#source, { action, operations, fields: [`${type.name}.${name}`] });
    });
  }

  #rootOf(type: GraphQLNamedType): 'query' | 'mutation' | null {
    if (type === this.#schema.getQueryType()) return 'query';
    return type === this.#schema.getMutationType() ? 'mutation' : null;
  }

  /** A root field. */
  #call(kind: 'query' | 'mutation', field: Field): SchemaEntry {
    const given = this.#graphql.getNamedType(field.type);
    const composite = this.#graphql.isCompositeType(given);
    return {
      name: field.name,
      kind,
      comment: field.description ?? null,
      type: String(field.type),
      members: field.args.map((arg) => this.#input(arg, null)),
      relations: composite ? [`It gives ${given.name}.`] : [],
      example: this.#example(kind, field),
    };
  }

  #type(type: GraphQLNamedType): SchemaEntry | null {
    const { graphql } = { graphql: this.#graphql };
    const base = { name: type.name, comment: type.description ?? null, type: null, example: null };
    if (graphql.isEnumType(type)) {
      return { ...base, kind: 'enum', members: valuesOf(type), relations: [] };
    }
    if (graphql.isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter(({ name }) =>
        isAllowed(this.#source, { inputs: [`${type.name}.${name}`] }),
      );
      const members = fields.map((field) => this.#input(field, type));
      return members.length === 0 ? null : { ...base, kind: 'input', members, relations: [] };
    }
    if (graphql.isUnionType(type)) {
      const of = type.getTypes().map(({ name }) => `It may be ${name}.`);
      return { ...base, kind: 'union', members: [], relations: of };
    }
    if (graphql.isScalarType(type)) return { ...base, kind: 'scalar', members: [], relations: [] };
    const fields = this.#fields(type);
    if (fields.length === 0) return null;
    return {
      ...base,
      kind: graphql.isInterfaceType(type) ? 'interface' : 'type',
      members: fields.map((field) => this.#field(type, field)),
      relations: [...this.#interfaces(type), ...this.#givenBy(type)],
    };
  }

  #interfaces(type: GraphQLNamedType): readonly string[] {
    if (this.#graphql.isInterfaceType(type))
      return this.#schema.getPossibleTypes(type).map(({ name }) => `It may be ${name}.`);
    if (!this.#graphql.isObjectType(type)) return [];
    return type.getInterfaces().map(({ name }) => `It is ${name}.`);
  }

  /** The root fields that give a type, by themselves or as a page of it. */
  #givenBy(type: GraphQLNamedType): readonly string[] {
    return this.#fields(this.#schema.getQueryType() ?? null)
      .filter((field) => this.#graphql.getNamedType(field.type) === type)
      .map(({ name }) => `The query ${name} gives it.`);
  }

  #field(type: GraphQLNamedType, field: Field): SchemaMember {
    const args = field.args.map(({ name, type: of }) => `${name}: ${of}`).join(', ');
    return {
      name: field.name,
      type: `${args === '' ? '' : `(${args}) `}${field.type}`,
      comment: field.description ?? null,
      marks: [
        ...(isSensitive(`${type.name}.${field.name}`, this.#source.mode) ? (['sensitive'] as const) : []),
        ...(field.deprecationReason == null ? [] : (['deprecated'] as const)),
      ],
      values: this.#values(this.#graphql.getNamedType(field.type)),
    };
  }

  #input(input: GraphQLArgument | GraphQLInputField, of: GraphQLNamedType | null): SchemaMember {
    const type = this.#graphql.getNamedType(input.type);
    const full = of === null ? input.name : `${of.name}.${input.name}`;
    return {
      name: input.name,
      type: String(input.type),
      comment: input.description ?? null,
      marks: [
        ...(this.#graphql.isNonNullType(input.type) ? (['required'] as const) : []),
        ...(isSensitive(full, this.#source.mode) ? (['sensitive'] as const) : []),
      ],
      values: this.#values(type),
    };
  }

  #values(type: GraphQLNamedType): readonly string[] {
    return this.#graphql.isEnumType(type) ? type.getValues().map(({ name }) => name) : [];
  }

  /** A document that asks for a root field, with a variable for each argument that it must have. */
  #example(kind: 'query' | 'mutation', field: Field): string {
    const required = field.args.filter((arg) => this.#graphql.isRequiredArgument(arg));
    const declared = required.map(({ name, type }) => `$${name}: ${type}`).join(', ');
    const page =
      isPagedList(field) &&
      field.args.find(({ name }) => name === 'first' && !required.some((one) => one.name === name));
    const given = [...required.map(({ name }) => `${name}: $${name}`), ...(page ? ['first: 10'] : [])].join(
      ', ',
    );
    const body = this.#selection(this.#graphql.getNamedType(field.type));
    const head = declared === '' ? kind : `${kind}(${declared})`;
    return `${head} { ${field.name}${given === '' ? '' : `(${given})`}${body} }`;
  }

  /** A few fields without arguments and fields of their own. */
  #selection(type: GraphQLNamedType): string {
    if (!this.#graphql.isCompositeType(type)) return '';
    const plain = this.#fields(type)
      .filter(
        ({ type: of, args, name }) =>
          !this.#graphql.isCompositeType(this.#graphql.getNamedType(of)) &&
          args.every((arg) => !this.#graphql.isRequiredArgument(arg)) &&
          !isSensitive(`${type.name}.${name}`, this.#source.mode),
      )
      .slice(0, 3);
    return ` { ${plain.length === 0 ? '__typename' : plain.map(({ name }) => name).join(' ')} }`;
  }
}

function valuesOf(type: GraphQLEnumType): readonly SchemaMember[] {
  return type.getValues().map(({ name, description, deprecationReason }) => ({
    name,
    type: null,
    comment: description ?? null,
    marks: deprecationReason == null ? [] : ['deprecated'],
    values: [],
  }));
}
