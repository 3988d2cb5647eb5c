// What else judges queries on npm: graphql-armor, with every limit that it has set to what the row asks for. It knows no
// rules about fields or mutations; what it does not know it lets pass, and the table says so.

import { createRequire } from 'node:module';
import type { JsonObject } from '../src/core/index.ts';

type Graphql = Pick<
  typeof import('graphql'),
  'parse' | 'buildSchema' | 'validate' | 'specifiedRules' | 'NoSchemaIntrospectionCustomRule'
>;
type Rule = Graphql['specifiedRules'][number];
type MakeRule = (options: Readonly<Record<string, unknown>>) => Rule;
type Parser = new (
  text: string,
  options: { readonly n: number },
) => { parseDocument(): ReturnType<Graphql['parse']> };

const load = createRequire(import.meta.url);

/** Whether the peer lets a document run; false where it is refused, for whatever reason. */
export type GraphqlPeer = (text: string, schema: string, mode: JsonObject) => boolean;

/** The peer with the version of graphql that it is made for. */
export function graphqlArmor(): GraphqlPeer {
  const graphql: Graphql = load('graphql');
  const { maxDepthRule }: Record<'maxDepthRule', MakeRule> = load('@escape.tech/graphql-armor-max-depth');
  const { costLimitRule }: Record<'costLimitRule', MakeRule> = load('@escape.tech/graphql-armor-cost-limit');
  const { maxAliasesRule }: Record<'maxAliasesRule', MakeRule> = load(
    '@escape.tech/graphql-armor-max-aliases',
  );
  const { maxDirectivesRule }: Record<'maxDirectivesRule', MakeRule> = load(
    '@escape.tech/graphql-armor-max-directives',
  );
  const { MaxTokensParserWLexer: Parser }: Record<'MaxTokensParserWLexer', Parser> = load(
    '@escape.tech/graphql-armor-max-tokens',
  );
  const schemas = new Map<string, ReturnType<Graphql['buildSchema']>>();
  return (text, schemaText, mode) => {
    const schema = schemas.get(schemaText) ?? graphql.buildSchema(schemaText, { assumeValid: true });
    schemas.set(schemaText, schema);
    const number = (name: string, fallback: number) => {
      const value = mode[name];
      return typeof value === 'number' ? value : fallback;
    };
    const exact = { propagateOnRejection: false, ignoreIntrospection: false, exposeLimits: false };
    let refused = false;
    const options = (own: Readonly<Record<string, unknown>>) => ({
      ...exact,
      ...own,
      onReject: [
        () => {
          refused = true;
        },
      ],
    });
    const rules = [
      ...graphql.specifiedRules,
      ...(mode['allow_introspection'] === true ? [] : [graphql.NoSchemaIntrospectionCustomRule]),
      maxDepthRule(options({ n: number('max_depth', 10) })),
      costLimitRule(options({ maxCost: number('max_cost', 1000) })),
      maxAliasesRule(options({ n: number('max_aliases', 30) })),
      maxDirectivesRule(options({ n: number('max_directives', 30) })),
    ];
    try {
      const document = new Parser(text, { n: number('max_tokens', 2000) }).parseDocument();
      return graphql.validate(schema, document, rules).length === 0 && !refused;
    } catch {
      return false;
    }
  };
}
