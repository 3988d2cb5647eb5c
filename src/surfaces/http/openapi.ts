// The OpenAPI document, made from the routes: for each how it is called, by whom, and what it answers.

import {
  actionSchema,
  actionSchemas,
  hostModes,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  kinds,
  modes,
  weightSchema,
  wireContext,
} from '../../core/index.ts';
import { scopes as allScopes } from '../../ledger/index.ts';
import type { Access, Rule } from './access.ts';
import { approval, grant, question } from './approvals.ts';
import { approver } from './approvers.ts';
import { entry } from './audit.ts';
import { changeOutline, changeSummary, changeView } from './changes.ts';
import { policy } from './policies.ts';
import { receipt } from './receipts.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';
import { decision, finding, fullContext, notice, refusal, verdict } from './shapes.ts';
import {
  endShape,
  finishShape,
  openShape,
  pushShape,
  stopShape,
  streamEnd,
  streamOpened,
  streamPiece,
} from './stream-routes.ts';

/** The schemas that clients in other languages make their types from: each has its name once, here. */
function namedSchemas(): Readonly<Record<string, JsonObject>> {
  const actions = kinds.map((kind, index) => [`${capital(kind)}Action`, actionSchemas()[index] ?? {}]);
  return {
    Mode: wireContext.fields.mode.schema(),
    Decision: decision.schema(),
    Weight: weightSchema,
    Context: wireContext.schema(),
    ...Object.fromEntries(actions),
    Action: actionSchema,
    Finding: finding.schema(),
    ApprovalNotice: notice.schema(),
    Verdict: verdict.schema(),
    FullContext: fullContext.schema(),
    Question: question.schema(),
    Approval: approval.schema(),
    Grant: grant.schema(),
    Entry: entry.schema(),
    ChangeSummary: changeSummary.schema(),
    ChangeOutline: changeOutline.schema(),
    Change: changeView.schema(),
    Receipt: receipt.schema(),
    Policy: policy.schema(),
    ApproverKey: approver.schema(),
    Error: refusal.schema(),
    StreamOpening: openShape.schema(),
    StreamOpened: streamOpened.schema(),
    StreamPush: pushShape.schema(),
    StreamFinish: finishShape.schema(),
    StreamStop: stopShape.schema(),
    StreamPiece: streamPiece.schema(),
    StreamClosing: endShape.schema(),
    StreamEnd: streamEnd.schema(),
  };
}

function capital(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

/** The document of all routes. */
export function openApi(version: string): JsonObject {
  const named = namedSchemas();
  const names = new Map(Object.entries(named).map(([name, schema]) => [schema, name]));
  /** The value with a reference wherever a named schema stands in it. */
  const withReferences = (value: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(value).map(([key, member]) => [key, referring(member)]));
  const referring = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(referring);
    if (!isJsonObject(value)) return value;
    const name = names.get(value);
    return name === undefined ? withReferences(value) : { $ref: `#/components/schemas/${name}` };
  };
  const schemas = Object.entries(named).map(([name, { $schema: _, title: __, ...schema }]) => [
    name,
    name === 'Mode' ? { enum: modes, 'x-host-words': hostModes } : withReferences(schema),
  ]);
  const paths = Map.groupBy(routes, ({ path }) => path.replace(/:(\w+)/g, '{$1}'));
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
    paths: Object.fromEntries(
      [...paths].map(([path, some]) => [
        path,
        withReferences(Object.fromEntries(some.map((one) => [one.method.toLowerCase(), operation(one)]))),
      ]),
    ),
  };
}

/** One route; every one may be refused. */
function operation(route: Route): JsonObject {
  const { summary, access, body, requestBody = body?.schema, status = 200 } = route;
  const parameters = Object.entries(route.parameters).map(([key, one]) => {
    const { in: place, name = key, required = place === 'path', schema, says } = one;
    return { name, in: place, required, schema, description: says };
  });
  return {
    summary,
    ...(typeof access === 'string' ? {} : { description: `Who may call: ${whoMay(access)}.` }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === undefined
      ? {}
      : { requestBody: { required: true, content: content(requestBody()) } }),
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
