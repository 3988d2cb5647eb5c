// Slices policies by their scope: a request sees only those whose principal, action and resource can be its own.

import type { Entity, Placed, Request } from './request.ts';

/** The head of a policy in Cedar's JSON form, as far as slicing reads it. */
export interface Scope {
  readonly principal: EntityScope;
  readonly action: ActionScope;
  readonly resource: EntityScope;
}

type Uid = Entity | { readonly __entity: Entity };
type InScope = { readonly entity: Uid } | { readonly slot: string };

type EntityScope =
  | { readonly op: 'All' }
  | ({ readonly op: '==' } & InScope)
  | ({ readonly op: 'in' } & InScope)
  | { readonly op: 'is'; readonly entity_type: string; readonly in?: InScope };

type ActionScope =
  | { readonly op: 'All' }
  | ({ readonly op: '==' } & InScope)
  | { readonly op: 'in'; readonly entity: Uid }
  | { readonly op: 'in'; readonly entities: readonly Uid[] };

type ByResource = Map<string, number[]>;
type ByAction = Map<string, ByResource>;

/** Finds the policies that can apply to a request. */
export class ScopeIndex {
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

/** The one key that a policy stands under. */
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

/** Every key under which a policy about this entity may stand. */
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
