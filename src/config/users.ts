// The content of [users.NAME]: a user who signs in to the console with a name and a passphrase.

import {
  checked,
  choice,
  describe,
  type Infer,
  object,
  optional,
  type Path,
  type Problem,
  record,
  secret,
  text,
} from '../core/shape.ts';
import { kdfLimits } from '../core/signing.ts';

/** The roles of users, each with more rights than the one before. */
export const roles = ['viewer', 'approver', 'admin'] as const;
export type Role = (typeof roles)[number];

/** The stored data of a passphrase: the key derivation parameters, and the public half of the derived key. */
export interface PassphraseVerifier {
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly salt: string;
  /** Signs what the user answers, and signs the user in. */
  readonly publicKey: string;
}

export interface User {
  readonly name: string;
  readonly role: Role;
  /** The only tenant whose things the user sees; null: everybody's. */
  readonly tenant: string | null;
  readonly passphrase: PassphraseVerifier;
}

const verifierForm = /^scrypt:(\d{5,6}):(8):([1-4]):([\w-]{21}[AQgw]):([\w-]{42}[AEIMQUYcgkosw048])$/;

/** Reads what `sallyport user hash` prints; undefined if it is no such thing. */
export function readVerifier(line: string): PassphraseVerifier | undefined {
  const [, N, r, p, salt, publicKey] = verifierForm.exec(line) ?? [];
  if (salt === undefined || publicKey === undefined) return undefined;
  const cost = Number(N);
  if (cost < kdfLimits.leastN || cost > kdfLimits.mostN || !Number.isInteger(Math.log2(cost)))
    return undefined;
  return { N: cost, r: Number(r), p: Number(p), salt, publicKey };
}

const kept = checked(secret(text({ max: 200 })), (value, path, report) => {
  if (readVerifier(value) !== undefined) return;
  report({ path, message: "must be what 'sallyport user hash' prints, and never a passphrase itself" });
});

const userFields = object({
  passphrase: describe('What `sallyport user hash` prints; the passphrase itself is not stored.', kept),
  role: describe(
    '`viewer` reads; `approver` answers approvals and decides about changes too; `admin` also keeps policies, makes permissions and wires hosts in.',
    choice(roles),
  ),
  tenant: describe(
    'The only tenant whose things the user sees and answers; everybody’s where nothing is said.',
    optional(text({ min: 1, max: 128 })),
  ),
});

/** The table of users. */
export const usersShape = checked(
  record(userFields, {
    fits: (name) => /^[A-Za-z0-9][\w.@-]{0,63}$/.test(name),
    message: 'a user has a name of at most 64 letters, digits and _ . @ -',
  }),
  checkUsers,
);

function checkUsers(
  users: Readonly<Record<string, Infer<typeof userFields>>>,
  path: Path,
  report: (problem: Problem) => void,
): void {
  const seen = new Set<string>();
  for (const [name, user] of Object.entries(users)) {
    // The key identifies the approver, so two people never have the same.
    if (seen.has(user.passphrase)) {
      report({ path: [...path, name, 'passphrase'], message: 'another user has the same; hash each anew' });
    }
    seen.add(user.passphrase);
  }
}

/** The users as they are used. */
export function usersFrom(section: Infer<typeof usersShape> = {}): readonly User[] {
  return Object.entries(section).flatMap(([name, { role, tenant = null, passphrase }]) => {
    const read = readVerifier(passphrase);
    // INVARIANT: a line that cannot be read was refused with the file; it grants no access.
    return read === undefined ? [] : [{ name, role, tenant, passphrase: read }];
  });
}
