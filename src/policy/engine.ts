// Asks the engine one request at a time, with the slice of the policies that can apply to it.

import type { CedarValueJson, EntityJson } from '@cedar-policy/cedar-wasm/nodejs';
import { isJsonObject, type JsonValue, SallyportError } from '../core/index.ts';
import type { ActionScope, CompiledPolicy, EntityScope, InScope, Scope } from './compile.ts';
import { allUses, type ContextUse } from './reads.ts';
import type { Entity, Placed, Request } from './request.ts';
import { type Cedar, schemaName } from './schema.ts';

// ── Slices policies by their scope: a request sees only those whose principal, action and resource can be its own.

type ByResource = Map<string, number[]>;
type ByAction = Map<string, ByResource>;

/** Finds the policies that can apply to a request. */
class ScopeIndex {
  readonly #buckets = new Map<string, ByAction>();

  /** Policies are known by their place in the list. */
  constructor(scopes: readonly Scope[]) {
    for (const [index, { principal, action, resource }] of scopes.entries()) {
      for (const key of actionKeys(action)) this.#add(entityKey(principal), key, entityKey(resource), index);
    }
  }

  #add(principal: string, action: string, resource: string, index: number): void {
    const byAction = this.#buckets.get(principal) ?? new Map<string, ByResource>();
    const byResource = byAction.get(action) ?? new Map<string, number[]>();
    byResource.set(resource, [...(byResource.get(resource) ?? []), index]);
    byAction.set(action, byResource);
    this.#buckets.set(principal, byAction);
  }

  /**
   * The places of the policies whose scope the request is in, in order.
   * INVARIANT: a policy that is left out has a scope that the request does not match, so it could not have applied.
   */
  slice({ principal, action, groups, resource }: Request): readonly number[] {
    const wantedActions = [
      any,
      equal(action.type, action.id),
      ...[action, ...groups].map(({ type, id }) => inside(type, id)),
    ];
    const wantedResources = keysOf(resource);
    const found = new Set<number>();
    for (const first of keysOf(principal)) {
      const byAction = this.#buckets.get(first);
      if (byAction === undefined) continue;
      for (const second of wantedActions) {
        const byResource = byAction.get(second);
        if (byResource === undefined) continue;
        for (const third of wantedResources)
          for (const index of byResource.get(third) ?? []) found.add(index);
      }
    }
    return [...found].sort((a, b) => a - b);
  }
}

const any = '*';

function equal(type: string, id: string): string {
  return `=${type}::${id}`;
}

function inside(type: string, id: string): string {
  return `<${type}::${id}`;
}

function is(type: string): string {
  return `:${type}`;
}

/** The single key that indexes a policy. */
function entityKey(scope: EntityScope): string {
  if (scope.op === 'All') return any;
  if (scope.op === 'is') {
    const container = scope.in === undefined ? '' : inside(...nameOf(scope.in));
    return is(scope.entity_type) + container;
  }
  return scope.op === '==' ? equal(...nameOf(scope)) : inside(...nameOf(scope));
}

function actionKeys(scope: ActionScope): readonly string[] {
  if (scope.op === 'All') return [any];
  if (scope.op === '==') return [equal(...nameOf(scope))];
  const uids = 'entities' in scope ? scope.entities : [scope.entity];
  return [...new Set(uids.map((uid) => inside(...nameOf({ entity: uid }))))];
}

function nameOf(scope: InScope): readonly [string, string] {
  // INVARIANT: a template has slots, and none is let in.
  if (!('entity' in scope)) throw new TypeError('a policy with a slot');
  const { type, id } = '__entity' in scope.entity ? scope.entity.__entity : scope.entity;
  return [type, id];
}

/** Every key that may index a policy about this entity. */
function keysOf(wanted: Placed): readonly string[] {
  const { type, id } = wanted.entity;
  const containers = [...around(wanted)].map((entity) => inside(entity.type, entity.id));
  return [any, equal(type, id), is(type), ...containers, ...containers.map((key) => is(type) + key)];
}

/** The entity, and everything that it is in. */
function* around({ entity, parents }: Placed): Generator<Entity> {
  yield entity;
  for (const parent of parents) yield* around(parent);
}

// ── the policies as one set

/** A policy could not be evaluated, and what was not evaluated does not pass. */
export class EvaluationError extends SallyportError {}

interface Evaluation {
  readonly allowed: boolean;
  /** The ids of the policies that decided it. */
  readonly determined: readonly string[];
}

/** Sets that the engine keeps read; it forgets none, so their names are used in turns. */
const mostSets = 256;
/** Cached answers: the same policies give the same request the same answer. */
const mostAnswers = 2048;

/** Names by their values, the least recently used first. */
const sets = new Map<string, string>();
let setNumber = 0;

/** Some of the policies of a set. */
interface Slice {
  /** Their places in the set. */
  readonly key: string;
  readonly policies: readonly CompiledPolicy[];
  /** The parts of the context that they read; null: all of it. */
  readonly reads: ContextUse | null;
  /** Whether they test hierarchy membership; without such a test they receive no hierarchy. */
  readonly climbs: boolean;
}

/** A list of policies that decide requests. */
export class PolicySet {
  readonly policies: readonly CompiledPolicy[];
  readonly #cedar: Cedar;
  readonly #index: ScopeIndex;
  readonly #byId: ReadonlyMap<string, CompiledPolicy>;
  readonly #answers = new Map<string, Evaluation>();
  readonly #slices = new Map<string, Slice>();
  readonly #number = setNumber++;

  constructor(cedar: Cedar, policies: readonly CompiledPolicy[]) {
    this.#cedar = cedar;
    this.policies = policies;
    this.#index = new ScopeIndex(policies.map(({ scope }) => scope));
    this.#byId = new Map(policies.map((policy) => [policy.id, policy]));
  }

  /** The policy of an id that an evaluation named. */
  get(id: string): CompiledPolicy {
    const policy = this.#byId.get(id);
    if (policy === undefined) throw new EvaluationError('the engine named a policy that does not exist');
    return policy;
  }

  /** The places of the policies that can apply to the request. */
  slice(request: Request): readonly number[] {
    return this.#index.slice(request);
  }

  /** Evaluates some of the policies; throws `EvaluationError` if any of them cannot be evaluated. */
  evaluate(request: Request, places: readonly number[]): Evaluation {
    const slice = this.#sliceOf(places);
    const asked = `${slice.key}|${questionOf(request, slice)}`;
    const known = this.#answers.get(asked);
    if (known !== undefined) return known;
    const answer = this.#ask(request, slice);
    if (this.#answers.size >= mostAnswers) this.#answers.clear();
    this.#answers.set(asked, answer);
    return answer;
  }

  /** Evaluates the request in the engine, without the cache. */
  ask(request: Request, places: readonly number[]): Evaluation {
    return this.#ask(request, this.#sliceOf(places));
  }

  #ask(request: Request, slice: Slice): Evaluation {
    const shape = shapeOf(request);
    const fitting = fits.has(shape);
    const answer = this.#cedar.statefulIsAuthorized({
      principal: uid(request.principal),
      action: { ...request.action },
      resource: uid(request.resource),
      context: membersOf(request, fitting ? (slice.reads?.members ?? null) : null),
      entities: fitting && !slice.climbs ? [] : entitiesFor(request),
      preparsedPolicySetId: this.#prepared(slice),
      ...(fitting ? {} : { preparsedSchemaName: schemaName, validateRequest: true }),
    });
    if (answer.type === 'failure') {
      throw new EvaluationError(
        `the request cannot be judged: ${answer.errors[0]?.message ?? 'no reason given'}`,
      );
    }
    fits.add(shape);
    const { decision, diagnostics } = answer.response;
    // INVARIANT: the engine leaves a policy out that it cannot evaluate; we refuse instead.
    const [failed] = diagnostics.errors;
    if (failed !== undefined)
      throw new EvaluationError(`the policy "${failed.policyId}" cannot be evaluated`);
    return { allowed: decision === 'allow', determined: [...diagnostics.reason].sort() };
  }

  /** The data read by some of the policies; computed once for each selection of them. */
  #sliceOf(places: readonly number[]): Slice {
    const key = places.join(' ');
    const known = this.#slices.get(key);
    if (known !== undefined) return known;
    const chosen = places.flatMap((place) => this.policies[place] ?? []);
    const slice = {
      key,
      policies: chosen,
      reads: allUses(chosen.map(({ reads }) => reads)),
      climbs: chosen.some(({ climbs }) => climbs),
    };
    if (this.#slices.size >= mostSets) this.#slices.clear();
    this.#slices.set(key, slice);
    return slice;
  }

  /** The name of the slice in the engine, which reads it if it is not there. */
  #prepared({ key: places, policies }: Slice): string {
    const key = `${this.#number} ${places}`;
    const known = sets.get(key);
    if (known !== undefined) {
      sets.delete(key);
      sets.set(key, known);
      return known;
    }
    const name = freeName();
    const staticPolicies = Object.fromEntries(policies.map(({ id, text }) => [id, text]));
    const read = this.#cedar.preparsePolicySet(name, { staticPolicies });
    if (read.type === 'failure') throw new EvaluationError('the policies cannot be read together');
    sets.set(key, name);
    return name;
  }
}

/**
 * Shapes of requests that fit the schema. Holding each request to it costs as much as its answer does, so each
 * shape is held to it once; that each value is of its type is what the compiler sees to.
 */
const fits = new Set<string>();

/** INVARIANT: there are few, for they are made of our own words alone. */
function shapeOf({ action, resource, context }: Request): string {
  return `${action.type} ${action.id} ${resource.entity.type} ${Object.keys(context).join(' ')}`;
}

/** A name that is no longer in use. */
function freeName(): string {
  if (sets.size < mostSets) return `set ${sets.size}`;
  const [oldest, name] = sets.entries().next().value ?? ['', 'set 0'];
  sets.delete(oldest);
  return name;
}

function uid({ entity: { type, id } }: Placed): Entity {
  return { type, id };
}

/**
 * The part of the context that the engine receives: passing it costs more than the answer, so only members that are
 * read are passed.
 */
function membersOf({ context }: Request, names: ReadonlySet<string> | null): Record<string, CedarValueJson> {
  const members = Object.entries(context);
  return Object.fromEntries(names === null ? members : members.filter(([name]) => names.has(name)));
}

/**
 * What the answer of a slice follows from. INVARIANT: it holds all that the slice receives, but of numbers that are only
 * compared with each other which is the larger, and the shape that decides whether the request is held to the schema first.
 */
function questionOf(request: Request, { reads, climbs }: Slice): string {
  const { principal, action, groups, resource, context } = request;
  const placed = climbs ? [principal, groups, resource] : [principal.entity, resource.entity];
  const members = membersOf(request, reads?.values ?? null);
  const orders = reads?.compared.map(([left, right]) =>
    order(valueAt(context, left), valueAt(context, right)),
  );
  return JSON.stringify([shapeOf(request), placed, action, members, orders]);
}

function valueAt(context: Request['context'], path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = { ...context };
  for (const name of path)
    value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

/** How two values compare; values that are not two numbers are passed as they are. */
function order(left: unknown, right: unknown): unknown {
  return typeof left === 'number' && typeof right === 'number' ? Math.sign(left - right) : [left, right];
}

/** Membership; the groups of an action are passed too, since the schema is not always available. */
export function entitiesFor({ principal, action, groups, resource }: Request): EntityJson[] {
  const grouped = groups.length === 0 ? [] : [{ uid: { ...action }, attrs: {}, parents: [...groups] }];
  return [...entitiesOf(principal), ...grouped, ...entitiesOf(resource)];
}

/** The entity and all of its ancestors; one without ancestors is identified by its name. */
function entitiesOf(placed: Placed): EntityJson[] {
  const { parents } = placed;
  if (parents.length === 0) return [];
  return [{ uid: uid(placed), attrs: {}, parents: parents.map(uid) }, ...parents.flatMap(entitiesOf)];
}
