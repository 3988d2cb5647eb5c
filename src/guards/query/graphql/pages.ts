// How many rows a field of GraphQL asks for.

import type { FieldNode, GraphQLField, ValueNode } from 'graphql';
import type { JsonObject } from '../../../core/index.ts';
import type { Graphql } from './schema.ts';

/** The rows of a list that nothing bounds, for the sake of a sum. */
export const assumedPage = 10;

const sizes =
  /^(?:first|last|limit|take|top|count|size|pageSize|page_size|perPage|per_page|maxResults|max_results)$/;

/** Whether a list can be asked for in pages, so that asking for all of it is a choice. */
export function isPagedList(field: GraphQLField<unknown, unknown>): boolean {
  return field.args.some(({ name }) => sizes.test(name));
}

/** The size of the page that a field asks for; null where it names none. */
export function pageSize(
  graphql: Graphql,
  node: FieldNode,
  field: GraphQLField<unknown, unknown>,
  variables: JsonObject,
): number | null | 'unknown' {
  let size: number | null = null;
  for (const argument of field.args) {
    if (!sizes.test(argument.name) || graphql.getNamedType(argument.type).name !== 'Int') continue;
    const given = node.arguments?.find(({ name }) => name.value === argument.name);
    const value = given === undefined ? undefined : readValue(graphql, given.value, variables);
    if (value === undefined || value === null) continue;
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) return 'unknown';
    size = Math.max(size ?? 0, value);
  }
  return size;
}

function readValue(graphql: Graphql, node: ValueNode, variables: JsonObject): unknown {
  switch (node.kind) {
    case graphql.Kind.INT:
      return Number(node.value);
    case graphql.Kind.NULL:
      return null;
    case graphql.Kind.VARIABLE:
      return variables[node.name.value];
    default:
      return Number.NaN;
  }
}
