// The routes of policies that are kept outside of files: an administrator reads them and tries others out, a person
// with a session changes them, and every change names the version that it was made from.

import type { Context as Call, Hono } from 'hono';
import type { Config, PolicySource } from '../../config/index.ts';
import { InputError, NotAllowed, SallyportError, type World } from '../../core/index.ts';
import { type Infer, integer, object, optional, readShape, text } from '../../core/shape.ts';
import type { Replay } from '../../decide/replay.ts';
import type { Ledger } from '../../ledger/index.ts';
import { type Editor, type KeptPolicy, type PolicyKeeper, UnknownPolicy } from '../../policy/keeper.ts';
import { readJsonBody } from './body.ts';
import { type Caller, requirePerson } from './callers.ts';
import { signerIn } from './signing.ts';
import { type Surface, whole } from './surface.ts';

/** A change that does not say which version it was made from. */
export class VersionMissing extends SallyportError {}

export interface PolicyRoutes {
  readonly ledger: Ledger;
  readonly config: Pick<Config, 'policyStore' | 'settingsFor'>;
  readonly world: World;
}

const policyText = text({ min: 1, max: 10_000, what: 'one policy in Cedar' });

/** What makes a policy. */
export const newPolicyShape = object({
  id: optional(text({ min: 1, max: 128, what: 'the id of a policy' })),
  text: policyText,
});

/** What changes one. */
export const policyShape = object({ text: policyText });

/** What is tried out: a policy, one taken away, or an older version of them all. */
export const dryRunShape = object({
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

/** Adds the routes to an application that knows its callers. */
export function addPolicyRoutes(app: Hono<Surface>, options: PolicyRoutes): void {
  const { world, ledger } = options;
  const keeper = () => keeperOf(options);
  const editor = (call: Call<Surface>): Editor => {
    const caller = call.get('caller');
    requirePerson(caller, 'changes policies');
    const { user, tenant } = caller.principal;
    const { sign, elsewhere } = signerIn(call, world.now());
    return { user, tenant, sign, now: elsewhere.at };
  };
  const reader = ({ principal }: Caller): void => {
    if (principal.scope !== 'admin') throw new NotAllowed('this credential may not read policies');
  };

  const kept = (): Ledger['policies'] => {
    if (options.config.policyStore === null) return ledger.policies;
    throw new InputError('policies in a policy store are tried out and brought back there, not here');
  };

  app.post('/v1/policies/check', async (call) => {
    reader(call.get('caller'));
    const body = readShape(newPolicyShape, await readJsonBody(call.req.raw, largestBody));
    return call.json(await checked(body.id, body.text, (await (await keeper()).list()).policies));
  });

  app.post('/v1/policies/dry-run', async (call) => {
    const caller = call.get('caller');
    reader(caller);
    const said = readShape(dryRunShape, await readJsonBody(call.req.raw, largestBody));
    const after = await proposed(said, kept());
    const limit = said.decisions ?? recentDecisions;
    // The newest harmless passes may not be written yet.
    await ledger.audit.drain();
    const entries = await ledger.audit.list({ ...caller.reader, eventType: 'decision', limit });
    const before = await kept().sources();
    const { replay } = await import('../../decide/replay.ts');
    return call.json(replayed(await replay(entries, options.config, { before, after })));
  });

  app.get('/v1/policy-versions', async (call) => {
    reader(call.get('caller'));
    const versions = await kept().versions();
    return call.json({
      versions: versions.map(({ version, signed, madeAt, madeBy, policies }) => ({
        ...{ version, signed, madeBy, madeAt: new Date(madeAt).toISOString() },
        policies: policies.map(({ id, text: statement }) => ({ id, text: statement })),
      })),
    });
  });

  app.post('/v1/policy-versions/:version/restore', async (call) => {
    const by = editor(call);
    const number = whole(call.req.param('version'), 'version', 1, 1_000_000_000) ?? 0;
    const { version } = await kept().restore(number, seenVersion(call.req.header('if-match')), by);
    return call.json({ version });
  });

  app.get('/v1/policies', async (call) => {
    reader(call.get('caller'));
    const held = await keeper();
    const { version, signed, policies } = await held.list();
    return call.json({ engine: held.engine, version, signed, policies: policies.map(shown) });
  });

  app.get('/v1/policies/:id', async (call) => {
    reader(call.get('caller'));
    const id = call.req.param('id');
    const found = (await (await keeper()).list()).policies.find((policy) => policy.id === id);
    if (found === undefined) throw new UnknownPolicy(`there is no policy "${id}"`);
    call.header('etag', `"${found.version}"`);
    return call.json(shown(found));
  });

  app.post('/v1/policies', async (call) => {
    const by = editor(call);
    const body = readShape(newPolicyShape, await readJsonBody(call.req.raw, largestBody));
    const made = await (await keeper()).create(body.id, body.text, by);
    call.header('etag', `"${made.version}"`);
    return call.json(shown(made), 201);
  });

  app.put('/v1/policies/:id', async (call) => {
    const by = editor(call);
    const version = seenVersion(call.req.header('if-match'));
    const body = readShape(policyShape, await readJsonBody(call.req.raw, largestBody));
    const made = await (await keeper()).update(call.req.param('id'), body.text, version, by);
    call.header('etag', `"${made.version}"`);
    return call.json(shown(made));
  });

  app.delete('/v1/policies/:id', async (call) => {
    const by = editor(call);
    const id = call.req.param('id');
    await (await keeper()).remove(id, seenVersion(call.req.header('if-match')), by);
    return call.json({ id, deleted: true });
  });
}

/** What is wrong with a policy beside the others, and how it should be laid out. */
async function checked(id: string | undefined, statement: string, policies: readonly KeptPolicy[]) {
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
  const counts = new Map<string, { readonly from: string; readonly to: string; count: number }>();
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
      kind: entry.details['kind'] ?? '',
      ...{ from, to, policies },
    })),
  };
}

/** The ledger, or the store that the configuration names instead; its changes are recorded before they are made. */
async function keeperOf({ config: { policyStore }, ledger }: PolicyRoutes): Promise<PolicyKeeper> {
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

function shown({ id, text: statement, version, updatedAt, updatedBy }: KeptPolicy) {
  return { id, text: statement, version, updatedAt: new Date(updatedAt).toISOString(), updatedBy };
}

/** INVARIANT: nobody changes a policy that they have not seen as it is. */
function seenVersion(header: string | undefined): string {
  const version = /^"([^"]{1,200})"$/.exec(header ?? '')?.[1];
  if (version === undefined) {
    const hint = 'send If-Match with the ETag of the policy';
    throw new VersionMissing('a change names the version that it was made from', { hint });
  }
  return version;
}
