// The keys that people sign in with: the owner's of this home, and those of users, as far as somebody vouched for them.

import { ApproverError, hardCost, readApprover, type User } from '../../config/index.ts';
import { passkeyName } from '../../core/index.ts';
import { type ApproverKey, type Ledger, NotVouchedFor, ownerRole, type UserKey } from '../../ledger/index.ts';
import type { SignIn } from './callers.ts';

/** A user of the configuration as approver keys name them. */
export function userKey({ name, role, tenant, passphrase }: User): UserKey {
  return { key: passphrase.publicKey, name, role, tenant };
}

/**
 * How the owner of a home signs in, or a user, at pages of an origin; throws `NotVouchedFor` where that person's key does
 * not count.
 */
export async function signInOf(
  home: string,
  ledger: Pick<Ledger, 'approvers' | 'audit'>,
  user: User | null,
  origin: string,
): Promise<SignIn> {
  const all = await ledger.approvers.list();
  const counts = all.filter(({ state }) => state === 'counts');
  const own = user === null ? readApprover(home) : null;
  if (user === null && own === null) {
    throw new ApproverError(noKeyHere(counts), { hint: "choose a passphrase: 'sallyport passphrase'" });
  }
  const publicKey = own?.publicKey ?? user?.passphrase.publicKey ?? '';
  const key = counts.find((one) => one.key === publicKey && (user === null || isOf(one, user)));
  if (key === undefined) throw notVouched(all, publicKey, user);
  if (own?.login === null) {
    throw new ApproverError('the key of this home was made by an older version', {
      hint: "open it once at a terminal: 'sallyport console'",
    });
  }
  const passkeys = counts.filter(
    ({ kind, name, role, home: chain, key: passkey }) =>
      kind === 'passkey' &&
      name === key.name &&
      role === key.role &&
      chain === key.home &&
      isOfOrigin(passkey, origin),
  );
  const { N, r, p, salt } = own?.kdf ?? user?.passphrase ?? noKdf;
  return {
    login: own?.login ?? publicKey,
    approver: publicKey,
    kdf: { N, r, p, salt },
    keys: [...(own === null ? [] : [publicKey]), ...passkeys.map((one) => one.key)],
    credentials: passkeys.flatMap(({ credential }) => credential ?? []),
  };
}

/** Whether pages of an origin can sign with a passkey; a browser would use one of another port, and it would not count. */
function isOfOrigin(passkey: string, origin: string): boolean {
  const [, spki = ''] = passkey.split('.');
  return passkey === passkeyName(spki, origin);
}

const noKdf = { ...hardCost, salt: 'A'.repeat(22) };

/** The answer for a name that does not exist, which cannot be distinguished from one that does. */
export function decoyFor(ledger: Pick<Ledger, 'fingerprint'>, name: string): SignIn {
  const salt = Buffer.from(
    ledger.fingerprint('decoy', () => name),
    'base64url',
  ).subarray(0, 16);
  return {
    login: null,
    approver: '',
    kdf: { ...hardCost, salt: salt.toString('base64url') },
    keys: [],
    credentials: [],
  };
}

function isOf(key: ApproverKey, user: User): boolean {
  return (
    key.kind === 'user' && key.name === user.name && key.role === user.role && key.tenant === user.tenant
  );
}

/** Whose keys count, in a sentence, for a home that has none. */
function noKeyHere(counts: readonly ApproverKey[]): string {
  const names = [...new Set(counts.filter(({ role }) => role === ownerRole).map(({ name }) => name))];
  return names.length === 0
    ? 'no approver yet: no passphrase was chosen'
    : `this home has no approver key; the approval of ${names.join(', ')} counts`;
}

function notVouched(all: readonly ApproverKey[], publicKey: string, user: User | null): NotVouchedFor {
  const key = all.findLast((one) => one.key === publicKey);
  if (key?.state === 'waits' && key.countsFrom !== null) {
    return new NotVouchedFor(`the key counts from ${new Date(key.countsFrom).toISOString()} on`);
  }
  const name = user?.name ?? 'this home';
  return new NotVouchedFor(`no approver vouched for the key of ${name}, so it does not count`, {
    hint: `an approver runs 'sallyport approvers vouch ${user?.name ?? publicKey}'`,
  });
}
