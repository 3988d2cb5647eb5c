// The routes of approver keys: whose approval counts, and passkeys that a person adds in the browser.

import type { Context as Call, Hono } from 'hono';
import {
  approverPayload,
  clockSlackMs,
  consoleOrigin,
  InputError,
  NotAllowed,
  passkeyName,
  type World,
} from '../../core/index.ts';
import { object, readShape, text } from '../../core/shape.ts';
import { type Ledger, ownerRole } from '../../ledger/index.ts';
import { readJsonBody } from './body.ts';
import { requirePerson } from './callers.ts';
import { signerIn } from './signing.ts';
import type { Surface } from './surface.ts';

export interface ApproverRoutes {
  readonly ledger: Ledger;
  readonly world: Pick<World, 'now'>;
  readonly port: () => number;
}

const encoded = (max: number) => text({ min: 1, max, pattern: /^[\w-]+$/, what: 'base64url text' });

/** A passkey that the browser made: its public key (SPKI), its id, and the key that vouches for it. */
export const passkeyShape = object({
  public_key: encoded(2000),
  credential: encoded(1400),
  by: encoded(100),
});

/** A key that is to end, or whose reset is to be stopped, and the key that signs for that. */
export const endingShape = object({
  key: text({ min: 1, max: 4000, pattern: /^[\w.-]+$/, what: 'a key' }),
  by: text({ min: 1, max: 4000, pattern: /^[\w.-]+$/, what: 'a key' }),
});

/** Adds the routes to an application that knows its callers. */
export function addApproverRoutes(app: Hono<Surface>, { ledger, world, port }: ApproverRoutes): void {
  app.get('/v1/approvers', async (call) => {
    const { principal, reader } = call.get('caller');
    if (principal.scope === 'decide')
      throw new NotAllowed('this credential may not see whose approval counts');
    const all = await ledger.approvers.list();
    // Whose approval counts for others says nothing to who sees one tenant.
    const approvers = all.filter(
      ({ tenant }) => tenant === null || reader.tenant === undefined || tenant === reader.tenant,
    );
    return call.json({ approvers, reset: await ledger.approvers.pendingReset() });
  });

  app.post('/v1/approvers/passkeys', async (call) => {
    const caller = call.get('caller');
    requirePerson(caller, 'adds passkeys');
    const {
      public_key: spki,
      credential,
      by,
    } = readShape(passkeyShape, await readJsonBody(call.req.raw, 8192));
    const voucher = (await ledger.approvers.list()).find(
      ({ key, state }) => key === by && state === 'counts',
    );
    const { user, tenant } = caller.principal;
    const isOwn = voucher !== undefined && (caller.role === null) === (voucher.role === ownerRole);
    if (!isOwn || (caller.role !== null && voucher.name !== user))
      throw new InputError('"by" must be the key that you sign with');
    const { sign, elsewhere } = signerIn(call, world.now());
    const statement = ledger.approvers.statement('passkey', {
      key: passkeyName(spki, consoleOrigin(port())),
      ...{ name: voucher.name, role: voucher.role, tenant: voucher.tenant, home: voucher.home },
      ...{ credential, at: elsewhere.at },
    });
    const signature = sign(approverPayload(statement));
    return call.json(await ledger.approvers.record(statement, by, signature, { user, tenant }), 201);
  });

  /** Whose key it is, what signs and when; a signature of another time than now counts for nothing. */
  async function ending(call: Call<Surface>, does: string) {
    const caller = call.get('caller');
    requirePerson(caller, does);
    const { key, by } = readShape(endingShape, await readJsonBody(call.req.raw, 8192));
    const now = world.now();
    const { sign, elsewhere } = signerIn(call, now);
    if (Math.abs(elsewhere.at - now) > clockSlackMs) {
      throw new InputError('the signature is not of now; check the clock of your machine');
    }
    const { user, tenant } = caller.principal;
    return { key, signer: { publicKey: by, sign }, actor: { user, tenant }, at: elsewhere.at };
  }

  app.post('/v1/approvers/end', async (call) => {
    const { key, signer, actor, at } = await ending(call, 'ends keys');
    await ledger.approvers.end(key, signer, actor, at);
    return call.json({ key, ended: true });
  });
  app.post('/v1/approvers/veto', async (call) => {
    const { key, signer, actor, at } = await ending(call, 'stops a reset');
    await ledger.approvers.veto(key, signer, actor, at);
    return call.json({ key, stopped: true });
  });
}
