// The routes of approver keys: whose approval counts, and passkeys that a person adds in the browser.

import { approverPayload, clockSlackMs, consoleOrigin, InputError, passkeyName } from '../../core/index.ts';
import { flag, listOf, milliseconds, nullable, object, reply, text, words } from '../../core/shape.ts';
import { approverKey, ownerRole } from '../../ledger/index.ts';
import { people, scoped } from './callers.ts';
import { route } from './route.ts';
import { signed, signerFor } from './signing.ts';

const encoded = (max: number) => text({ min: 1, max, pattern: /^[\w-]+$/, what: 'base64url text' });

const keyName = text({ min: 1, max: 4000, pattern: /^[\w.-]+$/, what: 'a key' });
/** A key that is to end, or whose reset is to be stopped, and the key that signs for that. */
const ending = object({ key: keyName, by: keyName });

export const approverRoutes = [
  route('GET /v1/approvers', {
    summary: 'Whose approval counts, since when, and who vouched for them',
    access: scoped(['approve', 'admin'], 'this credential may not see whose approval counts', 'viewer'),
    answer: [
      'All keys, and the reset that waits',
      reply({
        approvers: listOf(approverKey),
        reset: nullable(reply({ key: words, name: words, countsFrom: milliseconds })),
      }),
    ],
    handle: async ({ ledger }, { caller: { reader } }) => {
      const all = await ledger.approvers.list();
      // Whose approval counts for others says nothing to who sees one tenant.
      const approvers = all.filter(
        ({ tenant }) => tenant === null || reader.tenant === undefined || tenant === reader.tenant,
      );
      return { approvers, reset: await ledger.approvers.pendingReset() };
    },
  }),
  route('POST /v1/approvers/passkeys', {
    summary: 'Add a passkey; the call is signed by the key that vouches for it',
    access: people('adds passkeys', 'approver'),
    parameters: { signature: signed },
    /** A passkey that the browser made: its public key (SPKI), its id, and the key that vouches for it. */
    body: [object({ public_key: encoded(2000), credential: encoded(1400), by: encoded(100) }), 8192],
    status: 201,
    answer: ['The key', approverKey],
    handle: async ({ ledger, world, port }, { caller, given, body }) => {
      const { public_key: spki, credential, by } = body;
      const voucher = (await ledger.approvers.list()).find(
        ({ key, state }) => key === by && state === 'counts',
      );
      const { user, tenant } = caller.principal;
      const isOwn = voucher !== undefined && (caller.role === null) === (voucher.role === ownerRole);
      if (!isOwn || (caller.role !== null && voucher.name !== user))
        throw new InputError('"by" must be the key that you sign with');
      const { sign, elsewhere } = signerFor(given.signature, world.now());
      const statement = ledger.approvers.statement('passkey', {
        key: passkeyName(spki, consoleOrigin(port())),
        ...{ name: voucher.name, role: voucher.role, tenant: voucher.tenant, home: voucher.home },
        ...{ credential, at: elsewhere.at },
      });
      return await ledger.approvers.record(statement, by, sign(approverPayload(statement)), { user, tenant });
    },
  }),
  route('POST /v1/approvers/end', {
    summary: 'End a key, such as a passkey; the call is signed by a key that may end it',
    access: people('ends keys', 'admin'),
    parameters: { signature: signed },
    body: [ending, 8192],
    answer: ['The key', reply({ key: words, ended: flag() })],
    handle: async ({ ledger, world }, { caller, given, body: { key, by } }) => {
      const { sign, at } = signedNow(given.signature, world.now());
      const { user, tenant } = caller.principal;
      await ledger.approvers.end(key, { publicKey: by, sign }, { user, tenant }, at);
      return { key, ended: true };
    },
  }),
  route('POST /v1/approvers/veto', {
    summary: 'Stop the reset of a passphrase that waits; the call is signed by a key that counts',
    access: people('stops a reset', 'admin'),
    parameters: { signature: signed },
    body: [ending, 8192],
    answer: ['The key that will not count', reply({ key: words, stopped: flag() })],
    handle: async ({ ledger, world }, { caller, given, body: { key, by } }) => {
      const { sign, at } = signedNow(given.signature, world.now());
      const { user, tenant } = caller.principal;
      await ledger.approvers.veto(key, { publicKey: by, sign }, { user, tenant }, at);
      return { key, stopped: true };
    },
  }),
] as const;

/** Signs, and when; a signature of another time than now counts for nothing. */
function signedNow(signature: Parameters<typeof signerFor>[0], now: number) {
  const { sign, elsewhere } = signerFor(signature, now);
  if (Math.abs(elsewhere.at - now) > clockSlackMs) {
    throw new InputError('the signature is not of now; check the clock of your machine');
  }
  return { sign, at: elsewhere.at };
}
