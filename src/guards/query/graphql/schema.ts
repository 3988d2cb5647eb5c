// Schemas of GraphQL, built once for each text: a large one takes half a second.

import type { GraphQLSchema } from 'graphql';
import { once } from '../../../core/index.ts';

/** The package, which is loaded with the first schema. */
export type Graphql = typeof import('graphql');

const loadGraphql = once((): Promise<Graphql> => import('graphql'));

const cacheLimit = 8;
const kept = new Map<string, GraphQLSchema>();

/** The package, and the schema that a text of its language describes; throws where it describes none. */
export async function schemaFrom(text: string): Promise<{ graphql: Graphql; schema: GraphQLSchema }> {
  const graphql = await loadGraphql();
  let schema = kept.get(text);
  if (schema === undefined) {
    // Servers accept schemas that break rules of style; what a query reads there is the same.
    schema = graphql.buildSchema(text, { assumeValid: true });
    const [oldest] = kept.keys();
    if (kept.size >= cacheLimit && oldest !== undefined) kept.delete(oldest);
    kept.set(text, schema);
  }
  return { graphql, schema };
}
