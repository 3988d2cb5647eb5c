// The OpenAPI document, made from the routes: for each how it is called, by whom, and what it answers.

import { hostModes, isJsonObject, type JsonObject, type JsonValue, modes } from '../../core/index.ts';
import { scopes as allScopes } from '../../ledger/index.ts';
import type { Access, Rule } from './callers.ts';
import { bodyOf, type Route, refusal } from './route.ts';
import { routes } from './routes.ts';

/** The document of all routes. A schema with a title is described once, under that name, and referred to. */
export function openApi(version: string): JsonObject {
  const schemas = new Map<string, JsonObject>();
  const referring = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(referring);
    if (!isJsonObject(value)) return value;
    const { $schema: _, title: name, ...schema } = value;
    if (typeof name !== 'string') return withReferences(value);
    if (!schemas.has(name)) {
      const more = name === 'Mode' ? { 'x-host-words': hostModes } : {};
      schemas.set(name, { ...withReferences(schema), ...more });
    }
    return { $ref: `#/components/schemas/${name}` };
  };
  const withReferences = (value: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(value).map(([key, member]) => [key, referring(member)]));
  const grouped = Map.groupBy(routes, ({ path }) => path.replace(/:(\w+)/g, '{$1}'));
  const paths = [...grouped].map(([path, some]) => [
    path,
    withReferences(Object.fromEntries(some.map((one) => [one.method.toLowerCase(), operation(one)]))),
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sallyport',
      version,
      description: `One decision path for AI agents. Permission modes: ${modes.join(', ')}.`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    components: {
      schemas: Object.fromEntries(schemas),
      securitySchemes: { credential: { type: 'http', scheme: 'bearer' } },
    },
    security: [{ credential: [] }],
    paths: Object.fromEntries(paths),
  };
}

/** One route; every one may be refused. */
function operation(route: Route): JsonObject {
  const { summary, access, status = 200 } = route;
  const [body] = bodyOf(route.body);
  const parameters = Object.entries(route.parameters).map(([key, one]) => {
    const { in: place, name = key, required = place === 'path', schema, says } = one;
    return { name, in: place, required, schema, description: says };
  });
  return {
    summary,
    ...(typeof access === 'string' ? {} : { description: `Who may call: ${whoMay(access)}.` }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: content(body.schema()) } }),
    ...(access === 'open' ? { security: [] } : {}),
    ...rights(access),
    responses: {
      [status]: {
        description: route.answer[0],
        content: content(route.answer[1].schema(), route.contentType),
      },
      ...otherAnswers(route),
      default: { description: 'What was refused, and why', content: content(refusal.schema()) },
    },
  };
}

function content(schema: JsonObject, type = 'application/json'): JsonObject {
  return { [type]: { schema } };
}

function otherAnswers({ parameters, also = {} }: Route): JsonObject {
  const led = Object.values(parameters).flatMap(({ leadsTo = {} }) => Object.entries(leadsTo));
  const declared = Object.entries(also);
  const by = Map.groupBy([...led, ...declared], ([status]) => status);
  return Object.fromEntries(
    [...by].map(([status, some]) => {
      const texts = some.map(([, one]) => (typeof one === 'string' ? one : one[0]));
      const [shape = refusal] = some.flatMap(([, one]) => (typeof one === 'string' ? [] : [one[1]]));
      return [status, { description: texts.join('; or: '), content: content(shape.schema()) }];
    }),
  );
}

/** Whether the owner's session may: it may what an administrator's credential may, and what only people may. */
const isOwners = ({ scopes }: Rule): boolean => scopes.length === 0 || scopes.includes('admin');

/** Who may call, for programs. */
function rights(access: Access): JsonObject {
  if (typeof access === 'string') return {};
  const { scopes, role, whole = false } = access;
  return { 'x-access': { scopes, owner: isOwners(access), role, whole } };
}

/** Who may call, in words. */
export function whoMay(access: Access): string {
  if (access === 'open') return 'everyone';
  if (access === 'proxy') return 'scope decide';
  const { scopes, role, whole } = access;
  const named = scopes.length === allScopes.length ? 'every credential' : `scope ${scopes.join(' or ')}`;
  const tenants = whole ? ', of no tenant' : '';
  return [
    ...(scopes.length === 0 ? [] : [named]),
    ...(isOwners(access) ? ['the owner'] : []),
    ...(role === null ? [] : [`users from the role ${role} on${tenants}`]),
  ].join('; ');
}
