// From an action and what its guards found to requests in the words of the schema.

import { isAbsolute, relative, resolve } from 'node:path';
import type { Source } from '../config/sources.ts';
import {
  type Action,
  type Context,
  type Facts,
  type Finding,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Kind,
  kinds,
  SallyportError,
  strongest,
} from '../core/index.ts';
import {
  actions,
  codeMode,
  irreversible,
  irreversibleGroup,
  type PolicyAction,
  queryActions,
  type Risk,
  risks,
} from './schema.ts';
import type { Question } from './types.ts';

export interface Entity {
  readonly type: string;
  readonly id: string;
}

/** An entity with everything that it is in. */
export interface Placed {
  readonly entity: Entity;
  readonly parents: readonly Placed[];
}

/** The context, as the schema has it. */
interface AskedContext {
  readonly mode: string;
  readonly risk: Risk;
  readonly decision: string;
  readonly changes: boolean;
  readonly rules: readonly string[];
  readonly contracts: readonly string[];
  readonly workspace: string;
  readonly programs: readonly string[];
  readonly effects: readonly string[];
  readonly tool?: string;
  readonly server?: string;
  readonly host?: string;
  readonly method?: string;
  readonly path?: string;
}

/** Amounts that a source limits. */
type Amounts = Readonly<Record<'depth' | 'selections' | 'aliases' | 'directives' | 'joins' | 'cost', number>>;

/** The context of a query, as the schema has it. */
interface QueryContext extends AskedContext, Amounts {
  readonly source: string;
  readonly language: string;
  readonly operations: readonly string[];
  readonly verbs: readonly string[];
  readonly relations: readonly string[];
  readonly fields: readonly string[];
  readonly inputs: readonly string[];
  readonly functions: readonly string[];
  readonly sensitive: readonly string[];
  readonly flags: readonly string[];
  readonly rows?: number;
  readonly limits: Amounts & { readonly rows: number };
}

export interface Request {
  readonly pointer: string;
  readonly principal: Placed;
  readonly action: Entity;
  /** The groups that the action is in. */
  readonly groups: readonly Entity[];
  readonly resource: Placed;
  readonly context: AskedContext | QueryContext;
}

/** An action has more parts than policies are asked about. */
class TooManyRequests extends SallyportError {}

const mostRequests = 1000;

/** The policies' input about a child action: all of it is names and numbers, and may be recorded. */
export interface PartAsked {
  readonly pointer: string;
  readonly kind: Kind;
  readonly tool?: string;
  readonly server?: string;
  /** The source of a query. */
  readonly target?: string;
  readonly paths: readonly string[];
  readonly facts: Facts;
  readonly sideEffect: boolean;
}

/** The complete input of policies, beside the requester and the place. */
export interface AskedOf {
  readonly decision: string;
  readonly rules: readonly string[];
  readonly contracts: readonly string[];
  readonly changes: boolean;
  readonly parts: readonly PartAsked[];
}

/** Of an action and of what its guards found, what policies look at; made once, for the policies and for the record. */
export function askedOf(question: Question, workspace: string): AskedOf {
  const known = looked.get(question);
  if (known?.workspace === workspace) return known.asked;
  const asked = lookAt(question, workspace);
  looked.set(question, { workspace, asked });
  return asked;
}

const looked = new WeakMap<Question, { readonly workspace: string; readonly asked: AskedOf }>();

function lookAt({ parts, findings }: Question, workspace: string): AskedOf {
  const unique = (ids: readonly string[]) => [...new Set(ids)].sort();
  return {
    decision: strongest(findings.map((finding) => finding.decision)),
    rules: unique(findings.map(({ rule }: Finding) => rule)),
    contracts: unique(findings.flatMap(({ contract }) => contract ?? [])),
    changes: parts.some(({ sideEffect }) => sideEffect),
    parts: parts.map(({ pointer, action, facts, sideEffect }) => ({
      ...{ pointer, facts, sideEffect, kind: action.kind, paths: pathsOf(action, workspace) },
      ...(action.kind === 'tool' ? { tool: action.tool } : {}),
      ...(action.kind === 'tool' && action.server !== undefined ? { server: action.server } : {}),
      ...(action.kind === 'query' ? { target: action.target } : {}),
    })),
  };
}

/** One request for each part of the action, and for each path that a part names. */
export function requestsOf(
  { parts, ...whole }: AskedOf,
  context: Pick<Context, 'user' | 'tenant' | 'agent' | 'workspace' | 'mode'>,
  sources: readonly Source[] = [],
): readonly Request[] {
  const principal = principalOf(context);
  const workspace = placed('Workspace', context.workspace);
  const common = { mode: context.mode, workspace: context.workspace, ...whole };
  const requests: Request[] = [];
  for (const part of parts) {
    const action = actionOf(part);
    const asked = { ...common, ...partContext(part), risk: riskOf(part, action, common.decision) };
    const { pointer } = part;
    if (part.kind === 'query') {
      const { target = '' } = part;
      const source = sources.find(({ name }) => name === target);
      requests.push({ pointer, principal, ...queryRequest(part.facts, target, source, workspace, asked) });
      continue;
    }
    const request = {
      pointer,
      principal,
      action: { type: 'Action', id: action },
      groups: isIrreversible(action) ? [{ type: 'Action', id: irreversibleGroup }] : [],
      resource: resourceOf(part, workspace),
      context: asked,
    };
    if (part.paths.length === 0) requests.push(request);
    for (const path of part.paths) requests.push({ ...request, context: { ...request.context, path } });
    if (requests.length > mostRequests)
      throw new TooManyRequests('the action has more parts than are judged');
  }
  return requests;
}

function placed(type: string, id: string, ...parents: readonly Placed[]): Placed {
  return { entity: { type, id }, parents };
}

function principalOf({ agent, user, tenant }: Pick<Context, 'agent' | 'user' | 'tenant'>): Placed {
  return placed('Agent', agent, placed('User', user, placed('Tenant', tenant)));
}

/** A tool acts by its effect, if its guard knows one; any other child action by its kind. */
function actionOf({ kind, facts }: PartAsked): PolicyAction | 'query' {
  const effect = kind === 'tool' ? facts['effect'] : undefined;
  return actions.find((known) => known === effect) ?? kind;
}

/** A query in its own namespace. An unreadable part counts as the strongest effect of a query. */
function queryRequest(
  facts: Facts,
  target: string,
  source: Source | undefined,
  workspace: Placed,
  asked: AskedContext,
): Omit<Request, 'pointer' | 'principal'> {
  const said = facts['action'];
  const action = queryActions.find((known) => known.toLowerCase() === said) ?? 'Admin';
  const { graphql, sql, maxCost } = source?.mode ?? {};
  const context: QueryContext = {
    ...asked,
    source: target,
    language: typeof facts['language'] === 'string' ? facts['language'] : '',
    operations: texts(facts['operations']),
    verbs: texts(facts['verbs']),
    relations: texts(facts['relations']),
    fields: texts(facts['fields']),
    inputs: texts(facts['inputs']),
    functions: texts(facts['functions']),
    sensitive: texts(facts['sensitive']),
    flags: texts(facts['flags']),
    depth: whole(facts['depth']),
    selections: whole(facts['selections']),
    aliases: whole(facts['aliases']),
    directives: whole(facts['directives']),
    joins: whole(facts['joins']),
    cost: whole(facts['cost']),
    ...(facts['rows'] === undefined ? {} : { rows: whole(facts['rows']) }),
    limits: {
      depth: whole(graphql?.maxDepth),
      selections: whole(graphql?.maxFields),
      aliases: whole(graphql?.maxAliases),
      directives: whole(graphql?.maxDirectives),
      joins: whole(sql?.maxJoins),
      cost: whole(maxCost),
      rows: whole(sql?.maxRows),
    },
  };
  return {
    action: { type: `${codeMode}::Action`, id: action },
    groups: [],
    resource: placed(`${codeMode}::Server`, source?.mode.serverId ?? target, workspace),
    context,
  };
}

/** A number as the engine takes it: an integer, and no larger than it can represent exactly. */
function whole(value: Facts[string] | undefined): number {
  if (typeof value !== 'number' || Number.isNaN(value)) return 0;
  return Math.min(Math.ceil(value), Number.MAX_SAFE_INTEGER);
}

function isIrreversible(action: string): boolean {
  return irreversible.some((known) => known === action);
}

function resourceOf({ kind, tool = '', server, facts }: PartAsked, workspace: Placed): Placed {
  if (kind === 'tool') {
    return placed('Tool', tool, ...(server === undefined ? [] : [placed('ToolServer', server)]), workspace);
  }
  const host = kind === 'fetch' ? facts['host'] : undefined;
  return typeof host === 'string' ? hostOf(host) : workspace;
}

/** A name is in every name that it ends in; an address is in nothing. */
function hostOf(host: string): Placed {
  const rest = /^[\d.]+$|:/.test(host) ? '' : host.replace(/^[^.]*\.?/, '');
  return rest === '' ? placed('Host', host) : placed('Host', host, hostOf(rest));
}

function partContext({ tool, server, facts }: PartAsked) {
  const { host, method } = facts;
  return {
    programs: texts(facts['programs']),
    effects: texts(facts['effects']),
    ...(tool === undefined ? {} : { tool }),
    ...(server === undefined ? {} : { server }),
    ...(typeof host === 'string' ? { host } : {}),
    ...(typeof method === 'string' ? { method } : {}),
  };
}

/** The names in a fact: a list of them, or a table by name. */
function texts(fact: Facts[string] | undefined): readonly string[] {
  if (typeof fact !== 'object' || fact === null) return [];
  const names: readonly unknown[] = Array.isArray(fact) ? fact : Object.keys(fact);
  return names.filter((name) => typeof name === 'string');
}

/**
 * A guard's statement of the risk takes precedence; otherwise it follows from the decision so far and from the changes.
 */
function riskOf({ facts, sideEffect }: PartAsked, action: string, decision: string): Risk {
  const said = typeof facts['risk'] === 'string' ? facts['risk'].toLowerCase() : undefined;
  const known = risks.find((risk) => risk === said);
  if (known !== undefined) return known;
  if (decision === 'block') return 'critical';
  if (decision === 'approve' || isIrreversible(action)) return 'high';
  return sideEffect ? 'medium' : 'low';
}

function pathsOf(action: Action, workspace: string): readonly string[] {
  const within = (path: string) => {
    const inside = relative(workspace, resolve(workspace, path));
    return inside === '..' || inside.startsWith('../') || isAbsolute(inside)
      ? resolve(workspace, path)
      : inside || '.';
  };
  if (action.kind === 'read') return [within(action.path)];
  if (action.kind !== 'write') return [];
  const changes = (action.changes ?? []).flatMap(({ path, to }) => [path, ...(to === undefined ? [] : [to])]);
  const named = action.path === undefined ? changes : [action.path, ...changes];
  return [...new Set(named.map(within))];
}

// ── What policies looked at, as a decision's record keeps it: enough to ask other policies the same later, and no text
// of the action.

/** Facts that policies read. Those of the action itself are in its record already. */
const factNames = [
  ...(['effect', 'programs', 'effects', 'host', 'method', 'risk', 'action', 'language'] as const),
  ...(['operations', 'verbs', 'relations', 'fields', 'inputs', 'functions', 'sensitive', 'flags'] as const),
  ...(['depth', 'selections', 'aliases', 'directives', 'joins', 'cost', 'rows'] as const),
];
/** Above this size nothing of an action is stored: a part of it would be evaluated wrongly. */
const mostParts = 32;
const mostPaths = 64;

/** The recorded form of a question; null if it is too large. */
export function recordedOf(question: Question, workspace: string): JsonObject | null {
  const { parts, decision, rules, contracts, changes } = askedOf(question, workspace);
  const paths = parts.reduce((sum, part) => sum + part.paths.length, 0);
  if (parts.length > mostParts || paths > mostPaths) return null;
  return {
    decision,
    ...(changes ? { changes } : {}),
    ...(rules.length === 0 ? {} : { rules }),
    ...(contracts.length === 0 ? {} : { contracts }),
    parts: parts.map(recordedPart),
  };
}

function recordedPart({ pointer, kind, tool, server, target, paths, facts, sideEffect }: PartAsked) {
  return {
    kind,
    ...(pointer === '' ? {} : { pointer }),
    ...(tool === undefined ? {} : { tool }),
    ...(server === undefined ? {} : { server }),
    ...(target === undefined ? {} : { target }),
    ...(paths.length === 0 ? {} : { paths }),
    ...(sideEffect ? { changes: true } : {}),
    ...(pointer === '' ? {} : factsOf(facts)),
  } as JsonObject;
}

function factsOf(facts: Facts): { readonly facts?: Facts } {
  const looked = factNames.flatMap((name) => (name in facts ? [[name, facts[name]]] : []));
  return looked.length === 0 ? {} : { facts: Object.fromEntries(looked) };
}

/** The data recorded with a decision; null if there is none, or none that can be read. */
export function recordedIn({ asked, facts }: JsonObject): AskedOf | null {
  if (!isJsonObject(asked) || typeof asked['decision'] !== 'string' || !Array.isArray(asked['parts']))
    return null;
  const parts = asked['parts'].map((part: JsonValue) => partIn(part, isJsonObject(facts) ? facts : {}));
  if (parts.some((part) => part === null)) return null;
  return {
    decision: asked['decision'],
    rules: textsIn(asked['rules']),
    contracts: textsIn(asked['contracts']),
    changes: asked['changes'] === true,
    parts: parts.filter((part) => part !== null),
  };
}

function partIn(part: JsonValue, own: Facts): PartAsked | null {
  if (!isJsonObject(part)) return null;
  const { pointer = '', tool, server, target, facts } = part;
  const kind = kinds.find((known) => known === part['kind']);
  if (kind === undefined || typeof pointer !== 'string') return null;
  return {
    pointer,
    kind,
    ...(typeof tool === 'string' ? { tool } : {}),
    ...(typeof server === 'string' ? { server } : {}),
    ...(typeof target === 'string' ? { target } : {}),
    paths: textsIn(part['paths']),
    facts: pointer === '' ? own : isJsonObject(facts) ? facts : {},
    sideEffect: part['changes'] === true,
  };
}

function textsIn(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
