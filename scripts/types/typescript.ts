// Types in TypeScript from an OpenAPI document: of its named schemas, and of what each route takes and answers.

import { isJsonObject, type JsonObject } from '../../src/core/index.ts';
import { namedTypes, type Type, typeAt } from './schema.ts';

const head = `// Made by "npm run contract" from the OpenAPI document; do not edit.

`;

/** The module that holds the types; the formatter lays it out. */
export function typescriptTypes(document: JsonObject): string {
  const types = namedTypes(document);
  const named = types.map(({ name, type }) =>
    type.is === 'record' && type.members.length > 0
      ? `interface ${name} ${text(type)}`
      : `type ${name} = ${text(type)};`,
  );
  const all = types.map(({ name }) => `readonly ${name}: ${name};`);
  const table = `/** The types that have names. */\nexport interface Types {\n${all.join('\n')}\n}`;
  const paths = Object.entries(tableIn(document, 'paths')).flatMap(([path, methods]) =>
    Object.entries(isJsonObject(methods) ? methods : {}).map(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`;
      return `${JSON.stringify(name)}: ${operationText(isJsonObject(operation) ? operation : {}, name)};`;
    }),
  );
  const routes = `/** What each route takes and answers. */\nexport interface Routes {\n${paths.join('\n')}\n}`;
  return `${head}${[...named, table, routes].join('\n\n')}\n`;
}

function operationText(operation: JsonObject, place: string): string {
  const { parameters, requestBody, responses } = operation;
  const all = (Array.isArray(parameters) ? parameters : []).filter(isJsonObject);
  const of = (where: string) =>
    all
      .filter((one) => one['in'] === where)
      .map((one) => `readonly ${String(one['name'])}${where === 'path' ? '' : '?'}: string | number;`);
  const [path, query] = [of('path'), of('query')];
  const [answered] = Object.entries(isJsonObject(responses) ? responses : {});
  return [
    '{',
    ...(path.length === 0 ? [] : [`readonly path: { ${path.join(' ')} };`]),
    ...(query.length === 0 ? [] : [`readonly query: { ${query.join(' ')} };`]),
    ...(isJsonObject(requestBody) ? [`readonly body: ${contentText(requestBody, place)};`] : []),
    `readonly answer: ${contentText(answered?.[1], place)};`,
    '}',
  ].join('\n');
}

/** The type of what is sent, in whatever form it is sent. */
function contentText(sent: unknown, place: string): string {
  const [media] = Object.values(isJsonObject(sent) ? tableIn(sent, 'content') : {});
  return text(typeAt(isJsonObject(media) ? tableIn(media, 'schema') : {}, place));
}

function text(type: Type): string {
  switch (type.is) {
    case 'any':
      return 'unknown';
    case 'text':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'flag':
      return 'boolean';
    case 'words':
      return type.words.map((word) => JSON.stringify(word)).join(' | ');
    case 'list':
      return type.length === undefined
        ? `readonly (${text(type.of)})[]`
        : `readonly [${Array(type.length).fill(text(type.of)).join(', ')}]`;
    case 'table':
      return `Readonly<Record<string, ${text(type.of)}>>`;
    case 'nullable':
      return `${text(type.of)} | null`;
    case 'union':
      return type.of.map(text).join(' | ');
    case 'name':
      return type.name;
    case 'record':
      if (type.members.length === 0) return 'Readonly<Record<string, never>>';
      return `{\n${type.members
        .map(({ name, type: member, required }) => `readonly ${name}${required ? '' : '?'}: ${text(member)};`)
        .join('\n')}\n}`;
  }
}

function tableIn(value: JsonObject, key: string): JsonObject {
  const found = value[key];
  return isJsonObject(found) ? found : {};
}
