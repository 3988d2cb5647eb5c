// What the page signs, checked before it signs it: the daemon says what is to be signed, and the page signs only what the
// person saw. Pure functions; each returns the payload that may be signed, or throws `NotAsShown`.

import { canonicalJson, isJsonObject, type JsonValue } from '../../src/core/json.ts';
import { type PermissionTerms, permissionFields, permissionsFor } from '../../src/core/permission.ts';
import { clockSlackMs, type Payload, passkeyName, purposes } from '../../src/core/signing.ts';
import { type Asked, permittableIn, readQuestion } from './question.ts';
import type { Types } from './routes.ts';

/** The daemon asks for a signature over something else than the page shows. Nothing is signed. */
export class NotAsShown extends Error {}

/** What the daemon asks to have signed, as it came. */
export interface Needed {
  readonly payload: unknown;
  readonly at: unknown;
  readonly text: unknown;
}

/** The longest that an answer counts: `[approvals] expiry_seconds` is at most seven days. */
const longestAnswerMs = 7 * 24 * 60 * 60 * 1000;

/** Throws with the reason where something does not hold. */
function demand(holds: boolean, otherwise: string): asserts holds {
  if (!holds) {
    throw new NotAsShown(
      `Not signed: ${otherwise}. This page signs only what it shows. Reload the page; if this happens again, stop the daemon and check the machine.`,
    );
  }
}

/** The list that is to be signed, if it is one of this purpose and length. */
function payloadFor({ payload }: Needed, purpose: string, length: number): Payload {
  const wrongKind = 'the daemon asked for a signature of another kind';
  demand(Array.isArray(payload) && payload.length === length, wrongKind);
  const [first, ...rest] = payload;
  demand(first === purpose, wrongKind);
  return [purpose, ...rest];
}

function isNow(at: unknown, now: number): at is number {
  return typeof at === 'number' && Number.isInteger(at) && Math.abs(at - now) <= clockSlackMs;
}

const clockDiffers = 'the time to be signed is not now; check the clock of this machine';

/** What the person approved: the question as it was shown, once or with a permission. */
export interface Approved {
  readonly asked: Asked;
  /** Null for once. */
  readonly terms: PermissionTerms | null;
}

/** The answer to a question: of this text, now, with the permissions that the person chose and no other. */
export function checkAnswer(needed: Needed, approved: Approved, now: number): Payload {
  const payload = payloadFor(needed, purposes.answer, 7);
  const [, id, bound, shown, at, until, permissions] = payload;
  const { asked } = approved;
  demand(id === asked.id, 'the daemon asked for the answer to another question');
  demand(bound === asked.bound, 'the answer would be bound to another action than the one shown');
  demand(shown === asked.digest, 'the daemon has another text than the one shown');
  demand(needed.text === asked.text, 'the daemon has another text than the one shown');
  demand(at === needed.at && isNow(at, now), clockDiffers);
  const counts = typeof until === 'number' ? until - at : Number.NaN;
  demand(counts > 0 && counts <= longestAnswerMs, 'the answer would count for longer than an answer may');
  demand(
    Array.isArray(permissions) &&
      canonicalJson(permissions) === canonicalJson(permissionsOf(approved, at, permissions)),
    'the daemon added a permission that you did not choose, or changed it',
  );
  return payload;
}

/** The permissions that the person chose, in the order of the findings; their ids are the daemon's. */
function permissionsOf(
  { asked, terms }: Approved,
  at: number,
  given: readonly unknown[],
): readonly JsonValue[] {
  if (terms === null) return [];
  const covered = permittableIn(asked.findings);
  // A question that is asked every time fits no list.
  if (covered === null) return [null];
  return permissionsFor(covered, asked.context, terms, at).map((permission, index) => {
    const one = given[index];
    const id: unknown = Array.isArray(one) ? one[0] : null;
    const named = typeof id === 'string' && /^[0-9a-f]{8}$/.test(id) ? id : '';
    return permissionFields({ id: named, ...permission });
  });
}

/** A change as the page shows it. */
export interface ShownChange {
  readonly user: string;
  readonly agent: string;
  readonly workspace: string;
  readonly files: readonly {
    readonly path: string;
    readonly to: string | null;
    readonly op: string;
    readonly hunks: readonly { readonly decision: 'accept' | 'reject' | null }[];
  }[];
}

/** The answer that applying a change asks for: a write of the files that were accepted, and of no other. */
export function checkApply(needed: Needed, change: ShownChange, now: number): Payload {
  const [, id] = payloadFor(needed, purposes.answer, 7);
  const { text } = needed;
  const asked = typeof text === 'string' && typeof id === 'string' ? readQuestion(text, id) : null;
  demand(asked !== null, 'the daemon did not say what applying this change asks for');
  const { user, agent, workspace } = asked.context;
  const written = writtenBy(asked);
  const { must, may, gone } = filesOf(change);
  demand(written !== null, 'applying the change asks for something else than writing files');
  demand(
    workspace === change.workspace && agent === change.agent && user === change.user,
    'the files are of another workspace, agent or user than the change shown',
  );
  const paths = [...written.keys()];
  demand(
    [...must].every((path) => written.has(path)),
    'a file that you accepted is missing',
  );
  demand(
    paths.every((path) => may.has(path)),
    'a file would be written that is not shown',
  );
  demand(
    paths.every((path) => (written.get(path) === 'delete') === gone.has(path)),
    'a file would be deleted that is not shown as deleted, or the reverse',
  );
  return checkAnswer(needed, { asked, terms: null }, now);
}

/** The files that an action writes and how, by their paths; null where it is no such action. */
function writtenBy({ action }: Asked): ReadonlyMap<string, string> | null {
  const { kind, changes } = action;
  if (kind !== 'write' || !Array.isArray(changes) || changes.length === 0) return null;
  const written = new Map<string, string>();
  for (const change of changes as readonly unknown[]) {
    const { path, op } = isJsonObject(change) ? change : {};
    if (typeof path !== 'string' || typeof op !== 'string' || written.has(path)) return null;
    written.set(path, op);
  }
  return written;
}

/** The files that applying a change must write, those that it may write, and those that it deletes. */
function filesOf({ files }: ShownChange) {
  const having = (wanted: readonly (string | null)[]) =>
    files.filter(({ hunks }) => hunks.some(({ decision }) => wanted.includes(decision)));
  const paths = (some: ShownChange['files']) =>
    new Set(some.flatMap(({ path, to }) => (to === null ? [path] : [path, to])));
  const gone = files.filter(({ op, to }) => op === 'delete' || to !== null);
  return {
    must: paths(having(['accept'])),
    // What nobody decided about is written where the configuration says so.
    may: paths(having(['accept', null])),
    gone: new Set(gone.map(({ path }) => path)),
  };
}

type Policy = Types['Policy'];

/** The policies that the page shows, and the one change that the person makes. */
export interface PolicyEdit {
  readonly version: string;
  readonly policies: readonly Policy[];
  /** Who makes it. */
  readonly user: string;
  readonly change:
    | { readonly put: { readonly id: string | null; readonly text: string } }
    | { readonly remove: string }
    | { readonly restore: readonly { readonly id: string; readonly text: string }[] };
}

/** A new version of the policies: those that are shown, with this one change. */
export function checkPolicies(needed: Needed, edit: PolicyEdit, now: number): Payload {
  const payload = payloadFor(needed, purposes.policies, 3);
  const [, number, body] = payload;
  const { at } = needed;
  const next = Number(edit.version) + 1;
  demand(number === next, 'the policies were changed since they were shown');
  demand(isNow(at, now), clockDiffers);
  const signed = typeof body === 'string' ? membersIn(body) : null;
  demand(signed !== null, 'the daemon did not send policies');
  const fresh = { version: String(next), updatedAt: at, updatedBy: edit.user };
  const expected = policiesAfter(edit, newIdIn(signed, edit), fresh);
  const inOrder = (list: readonly JsonValue[]) => list.map((one) => canonicalJson(one)).sort();
  demand(
    canonicalJson(inOrder(signed)) === canonicalJson(inOrder(expected)),
    'the policies to be signed are others than those shown with your change',
  );
  return payload;
}

function membersIn(body: string): readonly JsonValue[] | null {
  try {
    const value: JsonValue = JSON.parse(body);
    return Array.isArray(value) && canonicalJson(value) === body ? value : null;
  } catch {
    return null;
  }
}

/** The id that the daemon gives to a policy that names itself: one that no other has. */
function newIdIn(signed: readonly JsonValue[], { change, policies }: PolicyEdit): string {
  if (!('put' in change)) return '';
  if (change.put.id !== null) return change.put.id;
  const ids = signed.flatMap((one) =>
    isJsonObject(one) && typeof one['id'] === 'string' ? [one['id']] : [],
  );
  return ids.find((id) => policies.every((policy) => policy.id !== id)) ?? '';
}

function policiesAfter(
  { policies, change }: PolicyEdit,
  newId: string,
  fresh: { readonly version: string; readonly updatedAt: number; readonly updatedBy: string },
): readonly JsonValue[] {
  const kept = ({ id, text, version, updatedAt, updatedBy }: Policy) => ({
    ...{ id, text, version, updatedAt: Date.parse(updatedAt), updatedBy },
  });
  const made = (id: string, text: string) => ({ id, text, ...fresh });
  const without = (name: string) => policies.filter(({ id }) => id !== name).map(kept);
  if ('put' in change) return [...without(newId), made(newId, change.put.text)];
  if ('remove' in change) return without(change.remove);
  return change.restore.map(({ id, text }) => {
    const same = policies.find((policy) => policy.id === id && policy.text === text);
    return same === undefined ? made(id, text) : kept(same);
  });
}

/** A passkey that this browser made, and the person whom it is for. */
export interface NewPasskey {
  readonly publicKey: string;
  readonly credential: string;
  readonly origin: string;
  readonly owner: {
    readonly name: string;
    readonly role: string;
    readonly tenant: string | null;
    readonly home: string;
  };
}

/** The statement that makes a passkey count: this one, for the person who signs, with no more than that person's rights. */
export function checkPasskey(needed: Needed, made: NewPasskey, now: number): Payload {
  const payload = payloadFor(needed, purposes.approver, 11);
  const [, store, key, kind, name, role, tenant, home, credential, replaces, at] = payload;
  const { owner } = made;
  const mine = key === passkeyName(made.publicKey, made.origin) && credential === made.credential;
  demand(mine, 'the key is not the passkey that was just made');
  demand(kind === 'passkey' && replaces === null, 'the key would take the place of another');
  demand(
    name === owner.name && role === owner.role && tenant === owner.tenant && home === owner.home,
    'the passkey would be for another user, or may do more than you',
  );
  demand(typeof store === 'string', 'the statement names no store');
  demand(at === needed.at && isNow(at, now), clockDiffers);
  return payload;
}

/** The end of a key, or of the reset that would make one count: of this key, now. */
export function checkEnding(needed: Needed, purpose: 'ending' | 'veto', key: string, now: number): Payload {
  const payload = payloadFor(needed, purposes[purpose], 4);
  const [, store, ended, at] = payload;
  demand(ended === key, 'the daemon asked to end another key than the one that you chose');
  demand(typeof store === 'string', 'the statement names no store');
  demand(at === needed.at && isNow(at, now), clockDiffers);
  return payload;
}
