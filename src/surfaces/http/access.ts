// Who may call a route: credentials by their scope, the owner, and users of the configuration by their role. A route says it
// where it is declared; one that does not say it does not compile.

import { type Role, roles } from '../../config/index.ts';
import { NotAllowed } from '../../core/index.ts';
import { scopes as allScopes, type Scope } from '../../ledger/index.ts';
import type { Caller } from './callers.ts';

export interface Rule {
  /** The scopes of the credentials that may; none where only people with a session may. */
  readonly scopes: readonly Scope[];
  /** What a credential of another scope is answered. */
  readonly refusal: string;
  /** The least role of the users who may; null where no user may. */
  readonly role: Role | null;
  /** It is about the whole installation, so a user of one tenant may not. */
  readonly whole?: true;
}

/** A rule; or nobody has to be known, or the proxy knows its callers in its own way: by what a provider's client sends. */
export type Access = Rule | 'open' | 'proxy';

/** Every credential, and users from a role on. */
export function anyone(role: Role, whole?: 'whole'): Rule {
  return scoped(allScopes, '', role, whole);
}

/** Credentials of some scopes, and users from a role on, or none. */
export function scoped(
  scopes: readonly Scope[],
  refusal: string,
  role: Role | null = null,
  whole?: 'whole',
): Rule {
  return { scopes, refusal, role, ...(whole === undefined ? {} : { whole: true }) };
}

/** People with a session alone: the owner, and users from a role on. */
export function people(does: string, role: Role, whole?: 'whole'): Rule {
  return scoped([], `only a person with the passphrase ${does}`, role, whole);
}

/** Throws `NotAllowed` where the caller may not. */
export function requireAccess(caller: Caller, rule: Rule): void {
  if (mayCall(caller, rule)) return;
  const { role } = caller;
  throw new NotAllowed(
    role === null ? rule.refusal : `${role === 'admin' ? 'an' : 'a'} ${role} may not do this here`,
  );
}

/** Whether a caller may. INVARIANT: a role goes before the scope that the session of a user has. */
export function mayCall(
  { role, person, principal, reader }: Caller,
  { scopes, whole, role: least }: Rule,
): boolean {
  if (role !== null) {
    if (least === null || (whole === true && reader.tenant !== undefined)) return false;
    return roles.indexOf(role) >= roles.indexOf(least);
  }
  return scopes.includes(principal.scope) || (person && scopes.length === 0);
}

/** Who asks for verdicts: agents, and an administrator. */
export const asksForDecisions = scoped(['decide', 'admin'], 'this credential may not ask for decisions');

/** Who verifies: it walks the whole log, and names what is wrong with anybody's part of it. */
export const verifies = scoped(['admin'], 'only an administrator verifies', 'admin', 'whole');
