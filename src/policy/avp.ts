// Amazon Verified Permissions: policies about queries in an Amazon policy store. It is queried for every query, in
// addition to the built-in policies, the sources and the files; its answers are not cached.

import type {
  AttributeValue,
  EntityItem,
  PolicyItem,
  VerifiedPermissionsClient,
} from '@aws-sdk/client-verifiedpermissions';
import type { PolicyStore } from '../config/sources.ts';
import { InputError } from '../core/index.ts';
import { type CompiledPolicy, compileSource } from './compile.ts';
import { EvaluationError, entitiesFor } from './engine.ts';
import {
  ownId,
  PolicyChanged,
  type PolicyKeeper,
  requirePolicy,
  type StoredPolicies,
  type StoredPolicy,
  UnknownPolicy,
} from './keeper.ts';
import type { Entity, Request } from './request.ts';

type Sdk = typeof import('@aws-sdk/client-verifiedpermissions');
interface Parts {
  readonly sdk: Sdk;
  readonly client: VerifiedPermissionsClient;
}

/** The store or its answer could not be had. */
export class PolicyStoreUnreachable extends EvaluationError {}

/** The store's result for a request. */
export interface StoreAnswer {
  /** Whether some policy of the store permits it, and none forbids it. */
  readonly allowed: boolean;
  readonly forbids: readonly Pick<CompiledPolicy, 'id' | 'decision' | 'message'>[];
  /** The ids of the policies that decided it. */
  readonly determined: readonly string[];
}

const connectionTimeout = 1000;
const requestTimeout = 3000;
const pageSize = 50;

const stores = new Map<string, Avp>();

/** The one client of a store. */
export function avpFor(store: PolicyStore): Avp {
  const key = `${store.region} ${store.id}`;
  const known = stores.get(key) ?? new Avp(store);
  stores.set(key, known);
  return known;
}

export class Avp implements PolicyKeeper {
  readonly engine = 'avp';
  readonly #store: PolicyStore;
  /** Texts by the policy and the time of its last change. */
  readonly #texts = new Map<string, string>();
  #client: Promise<Parts> | undefined;

  constructor(store: PolicyStore) {
    this.#store = store;
  }

  /**
   * When the store reports its last update. One call, however many policies there are. INVARIANT: no query runs on the
   * stamp alone; the policies are evaluated again when it runs.
   */
  async stamp(): Promise<string> {
    return stampOf(await this.#updated());
  }

  /** Asks about one request; throws `EvaluationError` where a policy, or the store, gives no answer. */
  async evaluate(request: Request): Promise<StoreAnswer> {
    const answer = await this.#call(({ sdk, client }) =>
      client.send(
        new sdk.IsAuthorizedCommand({
          policyStoreId: this.#store.id,
          principal: identifier(request.principal.entity),
          action: { actionType: request.action.type, actionId: request.action.id },
          resource: identifier(request.resource.entity),
          context: { contextMap: recordOf(request.context) },
          entities: { entityList: entitiesFor(request).map(entityItem) },
        }),
      ),
    );
    const { decision, determiningPolicies = [], errors = [] } = answer;
    // INVARIANT: a policy that cannot be evaluated is left out by the store; we refuse instead.
    if (errors.length > 0) {
      throw new EvaluationError('a policy of the policy store cannot be evaluated');
    }
    const ids = determiningPolicies.flatMap(({ policyId }) => policyId ?? []);
    if (decision === 'ALLOW') return { allowed: true, forbids: [], determined: ids };
    if (decision !== 'DENY') throw new PolicyStoreUnreachable('the policy store gave no decision');
    const forbids = await Promise.all(ids.map((id) => this.#forbidOf(id)));
    return { allowed: false, forbids, determined: forbids.map(({ id }) => id) };
  }

  async list(): Promise<StoredPolicies> {
    const [updated, items] = await Promise.all([this.#updated(), this.#items()]);
    const policies = await Promise.all(
      items.map(async ({ policyId = '', lastUpdatedDate }) => ({
        id: policyId,
        text: await this.#textOf(policyId, lastUpdatedDate),
        version: stampOf(lastUpdatedDate),
        updatedAt: lastUpdatedDate?.getTime() ?? 0,
        updatedBy: null,
      })),
    );
    return { version: versionOf(updated, items), signed: true, policies };
  }

  /** The store gives the id; the policy's own `@id` is what findings name it by. */
  async create(id: string | undefined, text: string): Promise<StoredPolicy> {
    if (id !== undefined) {
      const hint = 'leave it out; @id in the policy is what findings name it by';
      throw new InputError('the policy store gives the ids', { pointer: '/id', hint });
    }
    await requirePolicy(await sourceFor(text), []);
    const { policyId = '', lastUpdatedDate } = await this.#call(({ sdk, client }) =>
      client.send(
        new sdk.CreatePolicyCommand({
          policyStoreId: this.#store.id,
          definition: { static: { statement: text } },
        }),
      ),
    );
    return storedPolicy(policyId, text, lastUpdatedDate);
  }

  async update(id: string, text: string, version: string): Promise<StoredPolicy> {
    await requirePolicy(await sourceFor(text), []);
    await this.#requireSeen(id, version);
    const { lastUpdatedDate } = await this.#call(({ sdk, client }) =>
      client.send(
        new sdk.UpdatePolicyCommand({
          policyStoreId: this.#store.id,
          policyId: id,
          definition: { static: { statement: text } },
        }),
      ),
    );
    return storedPolicy(id, text, lastUpdatedDate);
  }

  async remove(id: string, version: string): Promise<void> {
    await this.#requireSeen(id, version);
    await this.#call(({ sdk, client }) =>
      client.send(new sdk.DeletePolicyCommand({ policyStoreId: this.#store.id, policyId: id })),
    );
  }

  async #requireSeen(id: string, version: string): Promise<void> {
    const found = (await this.#items()).find(({ policyId }) => policyId === id);
    if (found === undefined) throw new UnknownPolicy(`there is no policy "${id}"`);
    const now = stampOf(found.lastUpdatedDate);
    if (now !== version) throw new PolicyChanged(`the policy "${id}" is at version ${now}`);
  }

  async #updated(): Promise<Date | undefined> {
    const { lastUpdatedDate } = await this.#call(({ sdk, client }) =>
      client.send(new sdk.GetPolicyStoreCommand({ policyStoreId: this.#store.id })),
    );
    return lastUpdatedDate;
  }

  async #items(): Promise<readonly PolicyItem[]> {
    return await this.#call(async ({ sdk, client }) => {
      const items: PolicyItem[] = [];
      let nextToken: string | undefined;
      do {
        const page = await client.send(
          new sdk.ListPoliciesCommand({
            policyStoreId: this.#store.id,
            maxResults: pageSize,
            ...(nextToken === undefined ? {} : { nextToken }),
          }),
        );
        items.push(...(page.policies ?? []));
        ({ nextToken } = page);
      } while (nextToken !== undefined);
      return items;
    });
  }

  /** The statement of a policy; empty for one created from a template, which has none of its own. */
  async #textOf(id: string, updated: Date | undefined): Promise<string> {
    const key = `${id} ${stampOf(updated)}`;
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const { definition } = await this.#call(({ sdk, client }) =>
      client.send(new sdk.GetPolicyCommand({ policyStoreId: this.#store.id, policyId: id })),
    );
    const text = definition?.static?.statement ?? '';
    if (this.#texts.size >= 5000) this.#texts.clear();
    this.#texts.set(key, text);
    return text;
  }

  /** The annotations of a policy that forbids; one that does not match our schema blocks all the same. */
  async #forbidOf(id: string): Promise<StoreAnswer['forbids'][number]> {
    const { definition } = await this.#call(({ sdk, client }) =>
      client.send(new sdk.GetPolicyCommand({ policyStoreId: this.#store.id, policyId: id })),
    );
    const text = definition?.static?.statement ?? '';
    const named = (await ownId(text)) ?? id;
    const { policies, problems } = await compileSource({ name: id, id: named, text, workspace: false });
    const [policy] = problems.length > 0 ? [] : policies;
    const { decision = 'block', message = `the policy "${named}" forbids it` } = policy ?? {};
    return { id: named, decision, message };
  }

  async #call<T>(work: (parts: Parts) => Promise<T>): Promise<T> {
    this.#client ??= this.#open();
    let parts: Parts;
    try {
      parts = await this.#client;
    } catch (error) {
      this.#client = undefined;
      throw error;
    }
    try {
      return await work(parts);
    } catch (error) {
      if (error instanceof parts.sdk.ValidationException) {
        throw new InputError(`the policy store refuses it: ${error.message}`, {
          pointer: '/text',
          cause: error,
        });
      }
      if (error instanceof parts.sdk.ResourceNotFoundException) {
        throw new UnknownPolicy('the policy store has no such policy, or there is no such store', {
          cause: error,
        });
      }
      throw new PolicyStoreUnreachable('the policy store cannot be asked', { cause: error });
    }
  }

  async #open(): Promise<Parts> {
    let sdk: Sdk;
    try {
      sdk = await import('@aws-sdk/client-verifiedpermissions');
    } catch (error) {
      const hint = 'run npm install @aws-sdk/client-verifiedpermissions';
      throw new PolicyStoreUnreachable('the package for Amazon Verified Permissions is not installed', {
        hint,
        cause: error,
      });
    }
    const client = new sdk.VerifiedPermissionsClient({
      region: this.#store.region,
      maxAttempts: 2,
      requestHandler: { connectionTimeout, requestTimeout },
    });
    return { sdk, client };
  }
}

function storedPolicy(id: string, text: string, updated: Date | undefined): StoredPolicy {
  return { id, text, version: stampOf(updated), updatedAt: updated?.getTime() ?? 0, updatedBy: null };
}

/** A policy as it is held to our words, under the name that findings will give it. */
async function sourceFor(text: string) {
  const id = (await ownId(text)) ?? 'policy';
  return { name: `kept/${id}`, id, text, workspace: false };
}

function stampOf(updated: Date | undefined): string {
  return updated?.toISOString() ?? '';
}

function versionOf(updated: Date | undefined, items: readonly PolicyItem[]): string {
  const policies = items.map(({ policyId, lastUpdatedDate }) =>
    [policyId, stampOf(lastUpdatedDate)].join(' '),
  );
  return [stampOf(updated), ...policies.sort()].join('\n');
}

function identifier({ type, id }: Entity) {
  return { entityType: type, entityId: id };
}

function entityItem({ uid, parents }: ReturnType<typeof entitiesFor>[number]): EntityItem {
  return {
    identifier: identifier(uidOf(uid)),
    attributes: {},
    parents: parents.map((one) => identifier(uidOf(one))),
  };
}

function uidOf(uid: ReturnType<typeof entitiesFor>[number]['uid']): Entity {
  return '__entity' in uid ? uid.__entity : uid;
}

type Value = string | number | boolean | readonly string[] | { readonly [name: string]: Value };

function recordOf(context: object): Record<string, AttributeValue> {
  return Object.fromEntries(
    Object.entries(context).map(([key, value]: [string, Value]) => [key, attributeOf(value)]),
  );
}

function attributeOf(value: Value): AttributeValue {
  if (typeof value === 'string') return { string: value };
  if (typeof value === 'number') return { long: value };
  if (typeof value === 'boolean') return { boolean: value };
  if (isTexts(value)) return { set: value.map((text) => ({ string: text })) };
  return { record: recordOf(value) };
}

function isTexts(value: Value): value is readonly string[] {
  return Array.isArray(value);
}
