// The routes of policies that are kept outside of files: an administrator reads them, a person with a session changes
// them, and every change names the version that it was made from.

import type { Hono } from 'hono';
import type { Config } from '../../config/index.ts';
import { NotAllowed, SallyportError, type World } from '../../core/index.ts';
import { object, optional, readShape, text } from '../../core/shape.ts';
import type { Ledger } from '../../ledger/index.ts';
import { type Editor, type KeptPolicy, type PolicyKeeper, UnknownPolicy } from '../../policy/keeper.ts';
import { readJsonBody } from './body.ts';
import { asPerson, type Caller } from './callers.ts';
import type { Surface } from './surface.ts';

/** A change that does not say which version it was made from. */
export class VersionMissing extends SallyportError {}

export interface PolicyRoutes {
  readonly ledger: Ledger;
  readonly config: Pick<Config, 'policyStore'>;
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

const largestBody = 65_536;

/** Adds the routes to an application that knows its callers. */
export function addPolicyRoutes(app: Hono<Surface>, options: PolicyRoutes): void {
  const { world } = options;
  const keeper = () => keeperOf(options);
  const editor = (caller: Caller): Editor => {
    const signer = asPerson(caller, 'changes policies');
    const { user, tenant } = caller.principal;
    return { user, tenant, sign: (payload) => signer.sign(payload), now: world.now() };
  };
  const reader = ({ principal }: Caller): void => {
    if (principal.scope !== 'admin') throw new NotAllowed('this credential may not read policies');
  };

  app.get('/v1/policies', async (call) => {
    reader(call.get('caller'));
    const kept = await keeper();
    const { version, signed, policies } = await kept.list();
    return call.json({ engine: kept.engine, version, signed, policies: policies.map(shown) });
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
    const by = editor(call.get('caller'));
    const body = readShape(newPolicyShape, await readJsonBody(call.req.raw, largestBody));
    const made = await (await keeper()).create(body.id, body.text, by);
    call.header('etag', `"${made.version}"`);
    return call.json(shown(made), 201);
  });

  app.put('/v1/policies/:id', async (call) => {
    const by = editor(call.get('caller'));
    const version = seenVersion(call.req.header('if-match'));
    const body = readShape(policyShape, await readJsonBody(call.req.raw, largestBody));
    const made = await (await keeper()).update(call.req.param('id'), body.text, version, by);
    call.header('etag', `"${made.version}"`);
    return call.json(shown(made));
  });

  app.delete('/v1/policies/:id', async (call) => {
    const by = editor(call.get('caller'));
    const id = call.req.param('id');
    await (await keeper()).remove(id, seenVersion(call.req.header('if-match')), by);
    return call.json({ id, deleted: true });
  });
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
