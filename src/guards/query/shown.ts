// The schema of a source as a model may see it: without what the rules would refuse to be asked for. The rules
// themselves are asked about each name, so that what is shown and what is allowed never differ.

import type { DocumentNode, FieldDefinitionNode, InputValueDefinitionNode } from 'graphql';
import { isJsonObject, type JsonObject, type JsonValue, parseJson, type Readers } from '../../core/index.ts';
import { hiddenNames, isAllowed, type RuledSource } from './allowed.ts';
import { entriesOf, SchemaUnreadable } from './entries.ts';
import type { QueryOperation } from './facts.ts';
import { actionOf } from './rest/read.ts';

/** A text that describes the source; empty where nothing is known of it. */
export async function shownSchema(
  source: RuledSource,
  schema: string | null,
  readers: Readers | undefined,
): Promise<string> {
  if (schema === null) return '';
  switch (source.kind) {
    case 'graphql':
      return await shownGraphql(schema, source);
    case 'rest':
      return shownApi(schema, source);
    default:
      return await shownTables(schema, source, readers);
  }
}

async function shownGraphql(schema: string, source: RuledSource): Promise<string> {
  const { parse, print, visit } = await import('graphql');
  const document = parse(schema);
  const roots = rootTypes(document);
  const mayAsk = (type: string, field: string): boolean => {
    const root = roots.get(type);
    if (root === 'subscription') return false;
    const action = root === 'mutation' ? 'write' : 'read';
    const operations: readonly QueryOperation[] =
      root === undefined ? [] : [{ name: field, action, verb: root }];
    return isAllowed(source, { action, operations, fields: [`${type}.${field}`] });
  };
  /** The definition with the members that may be asked for; null, and so gone, where it has none. */
  const narrowed = <
    Node extends {
      readonly name: { readonly value: string };
      readonly fields?: readonly Member[] | undefined;
    },
  >(
    node: Node,
    may: (type: string, field: string) => boolean,
  ): Node | null | undefined => {
    if (node.fields === undefined || node.fields.length === 0) return undefined;
    const fields = node.fields.filter((field) => may(node.name.value, field.name.value));
    return fields.length === 0 ? null : { ...node, fields };
  };
  const mayGive = (type: string, field: string) => isAllowed(source, { inputs: [`${type}.${field}`] });
  const gone = new Set<string>();
  const remember = <Node extends { readonly name: { readonly value: string } }>(
    node: Node,
    made: Node | null | undefined,
  ) => {
    if (made === null) gone.add(node.name.value);
    return made;
  };
  const shown = visit(document, {
    ObjectTypeDefinition: { enter: (node) => remember(node, narrowed(node, mayAsk)) },
    ObjectTypeExtension: { enter: (node) => narrowed(node, mayAsk) },
    InterfaceTypeDefinition: { enter: (node) => narrowed(node, mayAsk) },
    InterfaceTypeExtension: { enter: (node) => narrowed(node, mayAsk) },
    InputObjectTypeDefinition: { enter: (node) => narrowed(node, mayGive) },
    InputObjectTypeExtension: { enter: (node) => narrowed(node, mayGive) },
  });
  return print(
    visit(shown, {
      OperationTypeDefinition: { enter: (node) => (gone.has(node.type.name.value) ? null : undefined) },
    }),
  );
}

type Member = FieldDefinitionNode | InputValueDefinitionNode;

function rootTypes(document: DocumentNode): ReadonlyMap<string, 'query' | 'mutation' | 'subscription'> {
  const named = document.definitions.flatMap((node) =>
    node.kind === 'SchemaDefinition' || node.kind === 'SchemaExtension' ? (node.operationTypes ?? []) : [],
  );
  const usual = [
    ['Query', 'query'],
    ['Mutation', 'mutation'],
    ['Subscription', 'subscription'],
  ] as const;
  return new Map(named.length > 0 ? named.map(({ type, operation }) => [type.name.value, operation]) : usual);
}

/** A line for each table. */
async function shownTables(
  schema: string,
  source: RuledSource,
  readers: Readers | undefined,
): Promise<string> {
  const entries = await entriesOf(source, schema, readers);
  const lines = entries.map(({ name, members }) =>
    members.length === 0 ? name : `${name} (${members.map((member) => member.name).join(', ')})`,
  );
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

const methods: ReadonlySet<string> = new Set([
  ...['get', 'head', 'options', 'put', 'post', 'patch', 'delete', 'trace'],
]);

function shownApi(schema: string, source: RuledSource): string {
  const document = parseJson(schema);
  if (!isJsonObject(document)) throw new SchemaUnreadable('the schema of the source is no OpenAPI document');
  const paths = Object.entries(isJsonObject(document['paths']) ? document['paths'] : {}).flatMap(
    ([path, item]) => {
      if (!isJsonObject(item)) return [];
      const members = Object.entries(item).filter(([method, operation]) => {
        if (!methods.has(method)) return true;
        const id = isJsonObject(operation) ? operation['operationId'] : undefined;
        const verb = method.toUpperCase();
        const action = actionOf(verb);
        // The name that the reader of requests gives an operation that has none.
        const name = typeof id === 'string' ? id : `${verb} ${path}`;
        return isAllowed(source, { action, relations: [path], operations: [{ name, action, verb }] });
      });
      return members.some(([name]) => methods.has(name))
        ? [[path, Object.fromEntries(members)] as const]
        : [];
    },
  );
  const shown = { ...document, paths: Object.fromEntries(paths) };
  return JSON.stringify(withoutProperties(shown, hiddenNames(source.mode)), null, 2);
}

/** The document without properties of these names, wherever its schemas have them. */
function withoutProperties(value: JsonValue, hidden: ReadonlySet<string>): JsonValue {
  if (Array.isArray(value)) return value.map((member) => withoutProperties(member, hidden));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]): [string, JsonValue] => {
      if (key !== 'properties' || !isJsonObject(member)) return [key, withoutProperties(member, hidden)];
      const kept = Object.entries(member).filter(([name]) => !hidden.has(name.toLowerCase()));
      return [key, withoutProperties(Object.fromEntries(kept) as JsonObject, hidden)];
    }),
  );
}
