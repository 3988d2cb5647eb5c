// The routes of policies that are kept outside of files: an administrator reads them and tries others out, a person
// with a session changes them, and every change names the version that it was made from.

import type { Context as Call } from 'hono';
import type { PolicySource } from '../../config/index.ts';
import { whatOf } from '../../core/entry-text.ts';
import { type Decision, decisionShape, InputError, SallyportError } from '../../core/index.ts';
import {
  choice,
  count,
  describe,
  flag,
  type Infer,
  integer,
  listOf,
  milliseconds,
  moment,
  named,
  nullable,
  object,
  optional,
  reply,
  text,
  texts,
  words,
} from '../../core/shape.ts';
import type { Replay } from '../../decide/replay.ts';
import type { Ledger } from '../../ledger/index.ts';
import { type Editor, type PolicyKeeper, type StoredPolicy, UnknownPolicy } from '../../policy/keeper.ts';
import { type Caller, people, scoped } from './callers.ts';
import { numberedStep, type Parameter, type Parts, route, type Surface } from './route.ts';
import { signed, signerFor } from './signing.ts';

/** A change that does not say which version it was made from. */
export class VersionMissing extends SallyportError {}

const policyText = text({ min: 1, max: 10_000, what: 'one policy in Cedar' });

/** What makes a policy. */
const newPolicyShape = object({
  id: optional(text({ min: 1, max: 128, what: 'the id of a policy' })),
  text: policyText,
});

/** What changes one. */
const policyShape = object({ text: policyText });

/** What is tried out: a policy, one taken away, or an older version of them all. */
const dryRunShape = object({
  id: optional(text({ min: 1, max: 128, what: 'the id of a policy' })),
  text: optional(policyText),
  remove: optional(text({ min: 1, max: 128, what: 'the id of a policy' })),
  restore: optional(integer(1, 1_000_000_000)),
  decisions: optional(integer(1, 1000)),
});

const largestBody = 65_536;
/** Decisions that a dry run looks back on, where nothing is said. */
const recentDecisions = 200;
/** Of those that would change, so many are shown one by one. */
const mostShown = 100;

const policy = named(
  'Policy',
  reply({
    id: words,
    text: describe('One policy in Cedar', words),
    version: describe('What If-Match names', words),
    updatedAt: moment,
    updatedBy: nullable(words),
  }),
);

/** INVARIANT: nobody changes a policy that they have not seen as it is. */
const ifMatch: Parameter<string> = {
  in: 'header',
  name: 'if-match',
  schema: { type: 'string' },
  says: 'The ETag of the policy that was seen',
  required: true,
  leadsTo: { 412: 'It was changed since', 428: 'If-Match is missing' },
  read: (value) => {
    const version = /^"([^"]{1,200})"$/.exec(value ?? '')?.[1];
    if (version === undefined) {
      const hint = 'send If-Match with the ETag of the policy';
      throw new VersionMissing('a change names the version that it was made from', { hint });
    }
    return version;
  },
};

const reads = scoped(['admin'], 'this credential may not read policies', 'admin', 'whole');
const edits = people('changes policies', 'admin', 'whole');

/** Who changes policies, and what signs that. */
function editor(
  { world }: Parts,
  { principal: { user, tenant } }: Caller,
  signature: ReturnType<(typeof signed)['read']>,
): Editor {
  const { sign, elsewhere } = signerFor(signature, world.now());
  return { user, tenant, sign, now: elsewhere.at };
}

/** The policies of the ledger, which alone have versions. */
function versionedPolicies({ config, ledger }: Parts): Ledger['policies'] {
  if (config.policyStore === null) return ledger.policies;
  throw new InputError('policies in a policy store are tested and restored there, not here');
}

export const policyRoutes = [
  route('GET /v1/policies', {
    summary: 'The policies that are kept',
    access: reads,
    answer: [
      'All of them, and whether a person signed them',
      reply({
        engine: choice(['cedar', 'avp']),
        version: words,
        signed: flag(),
        policies: listOf(policy),
      }),
    ],
    handle: async (parts) => {
      const held = await keeperOf(parts);
      const { version, signed: isSigned, policies } = await held.list();
      return { engine: held.engine, version, signed: isSigned, policies: policies.map(shown) };
    },
  }),
  route('POST /v1/policies', {
    summary: 'Keep a policy; it counts at the next decision of every daemon on the store',
    access: edits,
    parameters: { signature: signed },
    body: [newPolicyShape, largestBody],
    status: 201,
    answer: ['The policy', policy],
    also: { 409: 'There is one of that id' },
    handle: async (parts, { call, caller, given, body }) => {
      const by = editor(parts, caller, given.signature);
      return tagged(call, await (await keeperOf(parts)).create(body.id, body.text, by));
    },
  }),
  route('POST /v1/policies/check', {
    summary: 'What is wrong with a policy, and how it should be laid out; nothing is kept',
    access: reads,
    body: [newPolicyShape, largestBody],
    answer: [
      'Its id, its problems, and its text as the formatter has it',
      reply({
        id: nullable(words),
        problems: listOf(reply({ line: count, column: count, message: words })),
        formatted: nullable(words),
      }),
    ],
    handle: async (parts, { body }) =>
      await checked(body.id, body.text, (await (await keeperOf(parts)).list()).policies),
  }),
  route('POST /v1/policies/dry-run', {
    summary: 'Which recent decisions would change; nothing is saved',
    access: reads,
    body: [dryRunShape, largestBody],
    answer: [
      'How many, from what to what, and which',
      reply({
        judged: count,
        of: count,
        changed: count,
        counts: listOf(reply({ from: decisionShape, to: decisionShape, count })),
        changes: listOf(
          reply({
            ...{ from: decisionShape, to: decisionShape, policies: listOf(words) },
            ...texts('agent', 'user', 'kind'),
            what: describe('The redacted command or target, as the log has it', words),
            decision_id: nullable(words),
            time: milliseconds,
          }),
        ),
      }),
    ],
    handle: async (parts, { caller, body }) => {
      const { ledger, config } = parts;
      const after = await proposed(body, versionedPolicies(parts));
      const limit = body.decisions ?? recentDecisions;
      // The newest harmless passes may not be written yet.
      await ledger.audit.drain();
      const entries = await ledger.audit.list({ ...caller.reader, eventType: 'decision', limit });
      const before = await versionedPolicies(parts).sources();
      const { replay } = await import('../../decide/replay.ts');
      return replayed(await replay(entries, config, { before, after }));
    },
  }),
  route('GET /v1/policy-versions', {
    summary: 'The versions that were kept, newest first',
    access: reads,
    answer: [
      'The versions',
      reply({
        versions: listOf(
          reply({
            version: words,
            signed: flag(),
            madeBy: words,
            madeAt: moment,
            policies: listOf(reply({ id: words, text: words })),
          }),
        ),
      }),
    ],
    handle: async (parts) => {
      const versions = await versionedPolicies(parts).versions();
      return {
        versions: versions.map(({ version, signed: isSigned, madeAt, madeBy, policies }) => ({
          ...{ version, signed: isSigned, madeBy, madeAt: new Date(madeAt).toISOString() },
          policies: policies.map(({ id, text: statement }) => ({ id, text: statement })),
        })),
      };
    },
  }),
  route('POST /v1/policy-versions/:version/restore', {
    summary: 'Restore an older version as a new one',
    access: edits,
    parameters: { version: numberedStep(1, 1_000_000_000, 'Which'), seen: ifMatch, signature: signed },
    answer: ['The new version', reply({ version: words })],
    handle: async (parts, { caller, given }) => {
      const by = editor(parts, caller, given.signature);
      const { version } = await versionedPolicies(parts).restore(given.version, given.seen, by);
      return { version };
    },
  }),
  route('GET /v1/policies/:id', {
    summary: 'One policy',
    access: reads,
    answer: ['It', policy],
    handle: async (parts, { call, given: { id } }) => {
      const found = (await (await keeperOf(parts)).list()).policies.find((one) => one.id === id);
      if (found === undefined) throw new UnknownPolicy(`there is no policy "${id}"`);
      return tagged(call, found);
    },
  }),
  route('PUT /v1/policies/:id', {
    summary: 'Change a policy',
    access: edits,
    parameters: { seen: ifMatch, signature: signed },
    body: [policyShape, largestBody],
    answer: ['The policy', policy],
    handle: async (parts, { call, caller, given, body }) => {
      const by = editor(parts, caller, given.signature);
      return tagged(call, await (await keeperOf(parts)).update(given.id, body.text, given.seen, by));
    },
  }),
  route('DELETE /v1/policies/:id', {
    summary: 'Remove a policy',
    access: edits,
    parameters: { seen: ifMatch, signature: signed },
    answer: ['It is gone', reply({ id: words, deleted: flag() })],
    handle: async (parts, { caller, given: { id, seen, signature } }) => {
      await (await keeperOf(parts)).remove(id, seen, editor(parts, caller, signature));
      return { id, deleted: true };
    },
  }),
] as const;

/** A policy as it is answered, with the version that a change of it has to name. */
function tagged(call: Call<Surface>, found: StoredPolicy) {
  call.header('etag', `"${found.version}"`);
  return shown(found);
}

/** What is wrong with a policy beside the others, and how it should be laid out. */
async function checked(id: string | undefined, statement: string, policies: readonly StoredPolicy[]) {
  const { ownId, problemsOf, sourceOf } = await import('../../policy/keeper.ts');
  const named = id ?? (await ownId(statement)) ?? null;
  const source = sourceOf({ id: named ?? 'policy', text: statement });
  const others = policies.filter((policy) => policy.id !== named);
  // One that is edited keeps its name; a new one may not take it.
  const taken = id === undefined && others.length < policies.length;
  const problems = [
    ...(taken ? [{ line: 1, column: 1, message: `there is a policy "${named}" already` }] : []),
    ...(await problemsOf(source, others.map(sourceOf))),
  ];
  if (problems.length > 0) return { id: named, problems, formatted: null };
  const { formatPolicies } = await import('../../policy/check.ts');
  return { id: named, problems, formatted: (await formatPolicies(source)).trimEnd() };
}

/** The policies as they would be kept; throws `InputError` for what could not be. */
async function proposed(
  { id, text: statement, remove, restore }: Infer<typeof dryRunShape>,
  kept: Ledger['policies'],
): Promise<readonly PolicySource[]> {
  if ([statement, remove, restore].filter((one) => one !== undefined).length !== 1)
    throw new InputError('a dry run has exactly one of "text", "remove" and "restore"');
  const { ownId, requirePolicy, sourceOf } = await import('../../policy/keeper.ts');
  if (restore !== undefined) return (await kept.version(restore)).policies.map(sourceOf);
  const { policies } = await kept.list();
  const without = (name: string | undefined) => policies.filter((policy) => policy.id !== name).map(sourceOf);
  if (statement === undefined) {
    if (!policies.some((policy) => policy.id === remove))
      throw new UnknownPolicy(`there is no policy "${remove}"`);
    return without(remove);
  }
  const named = id ?? (await ownId(statement)) ?? 'policy';
  const source = sourceOf({ id: named, text: statement });
  await requirePolicy(source, without(named));
  return [...without(named), source];
}

/** How many decisions would be others, from what to what, and which. */
function replayed({ judged, of, changed }: Replay) {
  const counts = new Map<string, { readonly from: Decision; readonly to: Decision; count: number }>();
  for (const { from, to } of changed) {
    const known = counts.get(`${from} ${to}`) ?? { from, to, count: 0 };
    known.count++;
    counts.set(`${from} ${to}`, known);
  }
  return {
    judged,
    of,
    changed: changed.length,
    counts: [...counts.values()].sort((a, b) => b.count - a.count),
    changes: changed.slice(0, mostShown).map(({ entry, from, to, policies }) => ({
      decision_id: entry.decision_id ?? null,
      time: entry.time,
      agent: entry.agent,
      user: entry.user,
      kind: String(entry.details['kind'] ?? ''),
      what: whatOf(entry.details),
      ...{ from, to, policies },
    })),
  };
}

/** The ledger, or the store that the configuration names instead; its changes are recorded before they are made. */
async function keeperOf({ config: { policyStore }, ledger }: Parts): Promise<PolicyKeeper> {
  if (policyStore === null) return ledger.policies;
  const { avpFor } = await import('../../policy/avp.ts');
  const avp = avpFor(policyStore);
  const record = async (change: string, { user, tenant, now }: Editor, named: { policy?: string }) => {
    const details = { engine: avp.engine, store: policyStore.id, change, ...named };
    await ledger.audit.append({
      time: now,
      event_type: 'policy_changed',
      user,
      tenant,
      agent: '',
      details,
    });
  };
  return {
    engine: avp.engine,
    list: () => avp.list(),
    create: async (id, statement, by) => {
      await record('created', by, {});
      return await avp.create(id, statement);
    },
    update: async (id, statement, version, by) => {
      await record('updated', by, { policy: id });
      return await avp.update(id, statement, version);
    },
    remove: async (id, version, by) => {
      await record('deleted', by, { policy: id });
      await avp.remove(id, version);
    },
  };
}

function shown({ id, text: statement, version, updatedAt, updatedBy }: StoredPolicy) {
  return { id, text: statement, version, updatedAt: new Date(updatedAt).toISOString(), updatedBy };
}
