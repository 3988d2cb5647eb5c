// Policies in the store: every change creates another version of the whole set, signed by the user who made it, and
// every daemon on the store reads the newest before it decides.

import type { PolicySource } from '../config/index.ts';
import { noPolicies } from '../config/reading.ts';
import {
  canonicalJson,
  InputError,
  isJsonObject,
  type JsonValue,
  type MaybePromise,
  type Payload,
  parseJson,
  purposes,
} from '../core/index.ts';
import type {
  Editor,
  PolicyKeeper,
  StoredPolicies,
  StoredPolicy,
  StoredPolicyVersion,
} from '../policy/keeper.ts';
import { digestOf } from './approver-history.ts';
import { NotVouchedFor, type Verifier } from './approvers.ts';
import type { AuditLog } from './audit.ts';
import { type Row, type Sql, type Store, StoreDamaged } from './store.ts';

/** The engines and errors of policies are loaded with the first of them. */
const keeping = () => import('../policy/keeper.ts');

const engine = 'cedar';
/** Versions of the set that are retained. */
const mostVersions = 100;
const mostPolicies = 1000;
const longestPolicy = 10_000;
const idPattern = /^[A-Za-z0-9][\w.:/-]{0,127}$/;

interface PolicySet extends StoredPolicies {
  readonly number: number;
}

const none: PolicySet = { number: 0, version: '0', signed: true, policies: [] };

export class Policies implements PolicyKeeper {
  readonly engine = engine;
  readonly #store: Store;
  readonly #audit: AuditLog;
  readonly #verify: Verifier;
  #known: { readonly set: PolicySet; readonly sources: readonly PolicySource[] } = {
    set: none,
    sources: noPolicies,
  };
  /** Whether the store was compared with the log once: from then on this process knows what it read. */
  #held = false;

  constructor(store: Store, audit: AuditLog, verify: Verifier) {
    this.#store = store;
    this.#audit = audit;
    this.#verify = verify;
  }

  async list(): Promise<StoredPolicies> {
    const { number: _, ...shown } = await this.#store.read((sql) => this.#newest(sql));
    return shown;
  }

  /**
   * The current policies, the same list until something changes; throws `StoreDamaged` if they are not as a user signed
   * them, so that nothing is decided without them.
   */
  sources(): MaybePromise<readonly PolicySource[]> {
    const { set: known, sources } = this.#known;
    const set = this.#store.recall('policies', async (sql) => {
      const number = await newestNumber(sql);
      const before = this.#held ? known.number : (await logged(sql)).newest;
      // INVARIANT: versions are only added, so an older one means that the newer ones were removed.
      if (number < before)
        throw new StoreDamaged('policies that were in the store are gone', { hint: again });
      this.#held = true;
      return number === known.number ? known : await this.#newest(sql);
    });
    return set === known ? sources : this.#put(set, known);
  }

  /** Activates policies that differ from the known ones. */
  async #put(found: MaybePromise<PolicySet>, known: PolicySet): Promise<readonly PolicySource[]> {
    const set = await found;
    if (set !== known) {
      if (!set.signed) {
        throw new StoreDamaged('the policies in the store are not as a person signed them', { hint: again });
      }
      const { sourceOf } = await keeping();
      this.#known = { set, sources: set.policies.length === 0 ? noPolicies : set.policies.map(sourceOf) };
    }
    return this.#known.sources;
  }

  async create(id: string | undefined, text: string, by: Editor): Promise<StoredPolicy> {
    const { PolicyExists, ownId } = await keeping();
    const named = id ?? (await ownId(text));
    if (named === undefined) throw new InputError('a policy has an id', { pointer: '/id' });
    return await this.#change('created', named, by, (before) => {
      if (before !== undefined) throw new PolicyExists(`there is a policy "${named}" already`);
      return text;
    });
  }

  async update(id: string, text: string, version: string, by: Editor): Promise<StoredPolicy> {
    const seen = await seenCheck(id, version);
    return await this.#change('updated', id, by, (before) => {
      seen(before);
      return text;
    });
  }

  async remove(id: string, version: string, by: Editor): Promise<void> {
    const seen = await seenCheck(id, version);
    await this.#change('deleted', id, by, (before) => {
      seen(before);
      return null;
    });
  }

  /** The stored sets, newest first. */
  async versions(): Promise<readonly StoredPolicyVersion[]> {
    return await this.#store.read(async (sql) => {
      const rows = await sql.all('SELECT * FROM policy_sets ORDER BY version DESC');
      const { digests } = await logged(sql);
      const sets: StoredPolicyVersion[] = [];
      for (const row of rows) sets.push(await this.#version(sql, row, sets.length === 0 ? null : digests));
      return sets;
    });
  }

  /** One of them; throws `UnknownPolicy`. */
  async version(number: number): Promise<StoredPolicyVersion> {
    const { UnknownPolicy } = await keeping();
    return await this.#store.read(async (sql) => {
      const [row] = await sql.all('SELECT * FROM policy_sets WHERE version = ?', number);
      if (row === undefined) throw new UnknownPolicy(`version ${number} of the policies is not kept`);
      const isNewest = number === (await newestNumber(sql));
      return await this.#version(sql, row, isNewest ? null : (await logged(sql)).digests);
    });
  }

  /** Restores an older version as the newest; `seen` is the newest that was seen. */
  async restore(number: number, seen: string, by: Editor): Promise<StoredPolicies> {
    const { PolicyChanged, sourceOf } = await keeping();
    const { requirePolicies } = await import('../policy/check.ts');
    const old = await this.version(number);
    // INVARIANT: a version that was unsigned then is not signed now.
    if (!old.signed) throw new InputError(`version ${number} of the policies is not as a person signed it`);
    const before = await this.#store.read((sql) => this.#newest(sql));
    if (before.version !== seen) {
      throw new PolicyChanged(`the policies are at version ${before.version}`, { hint: 'look again' });
    }
    await requirePolicies(old.policies.map(sourceOf));
    const next = before.number + 1;
    const made = { version: String(next), updatedAt: by.now, updatedBy: by.user };
    const policies = old.policies.map((policy) => {
      const same = before.policies.find(({ id, text }) => id === policy.id && text === policy.text);
      return same ?? { ...policy, ...made };
    });
    await this.#write(next, policies, by, { change: 'restored', of: String(number) });
    return { version: String(next), signed: true, policies };
  }

  /** Writes the next version of the set, with one policy replaced, or removed. */
  async #change(
    change: 'created' | 'updated' | 'deleted',
    id: string,
    by: Editor,
    next: (before: StoredPolicy | undefined) => string | null,
  ): Promise<StoredPolicy> {
    const { requirePolicy, sourceOf } = await keeping();
    const before = await this.#store.read((sql) => this.#newest(sql));
    const text = next(before.policies.find((policy) => policy.id === id));
    const others = before.policies.filter((policy) => policy.id !== id);
    const number = before.number + 1;
    const changed = { id, text: text ?? '', version: String(number), updatedAt: by.now, updatedBy: by.user };
    if (text !== null) {
      refuseOddities(id, text, others.length);
      await requirePolicy(sourceOf(changed), others.map(sourceOf));
    }
    const policies = [...others, ...(text === null ? [] : [changed])].sort((a, b) => (a.id < b.id ? -1 : 1));
    await this.#write(number, policies, by, { change, policy: id });
    return changed;
  }

  /** Writes a version, signed and recorded; throws `PolicyChanged` if another was written meanwhile. */
  async #write(
    number: number,
    policies: readonly StoredPolicy[],
    by: Editor,
    said: Readonly<Record<string, string>>,
  ): Promise<void> {
    const { PolicyChanged } = await keeping();
    const body = canonicalJson(policies.map((policy) => ({ ...policy })));
    const signature = by.sign(payload(number, body));
    await this.#store.write(async (sql) => {
      if (!(await this.#verify(sql, payload(number, body), signature, null))) {
        throw new NotVouchedFor(
          'the signature does not count: no approver vouched for this key, or it may not keep policies',
          {
            hint: "'sallyport approvers' lists whose approval counts",
          },
        );
      }
      const added = await sql.run(
        'INSERT INTO policy_sets (version, made_at, made_by, body, signature) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
        ...[number, by.now, by.user, body, signature],
      );
      if (added === 0 || (await newestNumber(sql)) !== number) {
        throw new PolicyChanged('the policies were changed at the same time', { hint: 'look again' });
      }
      await sql.run('DELETE FROM policy_sets WHERE version <= ?', number - mostVersions);
      const { user, tenant } = by;
      const details = { engine: this.engine, ...said, version: String(number), digest: digestOf(body) };
      await this.#audit.insert(sql, [
        { time: by.now, event_type: 'policy_changed', user, tenant, agent: '', details },
      ]);
    });
  }

  async #newest(sql: Sql): Promise<PolicySet> {
    const [row] = await sql.all('SELECT * FROM policy_sets ORDER BY version DESC LIMIT 1');
    if (row === undefined) return none;
    const { madeAt: _, madeBy: __, ...set } = await this.#version(sql, row, null);
    return { number: Number(set.version), ...set };
  }

  /** A stored set. An inactive one may be signed by a key that ended since, unless the log contradicts it. */
  async #version(
    sql: Sql,
    row: Row,
    digests: ReadonlyMap<number, string> | null,
  ): Promise<StoredPolicyVersion> {
    const number = Number(row['version']);
    const body = String(row['body']);
    const signature = String(row['signature']);
    const isLogged = (digests?.get(number) ?? digestOf(body)) === digestOf(body);
    const when = digests === null ? 'now' : 'then';
    const signed = isLogged && (await this.#verify(sql, payload(number, body), signature, null, when));
    return {
      version: String(number),
      signed,
      policies: policiesIn(row, body),
      madeAt: Number(row['made_at']),
      madeBy: String(row['made_by']),
    };
  }
}

/** The data that the user signs: the whole set and its position, so that none can be removed, added or restored. */
function payload(version: number, body: string): Payload {
  return [purposes.policies, version, body];
}

const again = "look at them with 'sallyport policy list', and save one of them again";

/** The record of sets in the log: the number of the newest, and the digest of each that an entry names. */
async function logged(
  sql: Sql,
): Promise<{ readonly newest: number; readonly digests: ReadonlyMap<number, string> }> {
  const rows = await sql.all(
    `SELECT body FROM audit WHERE facet IN (SELECT id FROM facets WHERE event_type = 'policy_changed')
     AND body IS NOT NULL ORDER BY place`,
  );
  const digests = new Map<number, string>();
  let newest = 0;
  for (const { body } of rows) {
    const entry = parseJson(String(body));
    const details = isJsonObject(entry) ? entry['details'] : undefined;
    // Policies in another store have other versions.
    if (!isJsonObject(details) || details['engine'] !== engine) continue;
    newest = Number(details['version']);
    if (typeof details['digest'] === 'string') digests.set(newest, details['digest']);
  }
  return { newest, digests };
}

/** The number of the newest set; 0 where there is none. */
async function newestNumber(sql: Sql): Promise<number> {
  const [row] = await sql.all('SELECT max(version) AS version FROM policy_sets');
  return Number(row?.['version'] ?? 0);
}

async function seenCheck(id: string, version: string): Promise<(before: StoredPolicy | undefined) => void> {
  const { PolicyChanged, UnknownPolicy } = await keeping();
  return (before) => {
    if (before === undefined) throw new UnknownPolicy(`there is no policy "${id}"`);
    if (before.version !== version) {
      throw new PolicyChanged(`the policy "${id}" is at version ${before.version}`, { hint: 'look again' });
    }
  };
}

function refuseOddities(id: string, text: string, others: number): void {
  if (!idPattern.test(id)) {
    throw new InputError('the id of a policy has letters, digits and _ . : / -', { pointer: '/id' });
  }
  if (text.length > longestPolicy) {
    throw new InputError(`a policy has at most ${longestPolicy} characters`, { pointer: '/text' });
  }
  if (others >= mostPolicies) throw new InputError(`there are ${mostPolicies} policies already`);
}

function policiesIn(row: Row, body: string): readonly StoredPolicy[] {
  let read: JsonValue;
  try {
    read = parseJson(body);
  } catch (error) {
    throw new StoreDamaged(`version ${row['version']} of the policies cannot be read`, { cause: error });
  }
  return (Array.isArray(read) ? read : []).filter(isJsonObject).map((policy) => ({
    id: String(policy['id']),
    text: String(policy['text']),
    version: String(policy['version']),
    updatedAt: Number(policy['updatedAt']),
    updatedBy: String(policy['updatedBy']),
  }));
}
