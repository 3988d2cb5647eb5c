// What users of the configuration may call, in one table; a call that does not stand in it is refused to them.
// The owner and credentials are not asked here: the owner may do everything, and a credential what its scope says.

import type { Context as Call } from 'hono';
import { matchedRoutes } from 'hono/route';
import { type Role, roles } from '../../config/index.ts';
import { NotAllowed } from '../../core/index.ts';
import type { Caller } from './callers.ts';
import type { Surface } from './surface.ts';

interface Allowed {
  /** The least role that may. */
  readonly from: Role;
  /** It is about the whole installation, so a user of one tenant may not. */
  readonly whole?: true;
}

/** An approval that makes a grant too: the same route as any answer, and not the same right. */
export const grantCall = 'POST /v1/approvals/:id/answer with a grant';

/** By method and path as the application names them. */
export const allowed: Readonly<Record<string, Allowed>> = {
  'GET /v1/session': { from: 'viewer' },
  'DELETE /v1/session': { from: 'viewer' },
  'GET /v1/events': { from: 'viewer' },
  'GET /v1/overview': { from: 'viewer' },
  'GET /v1/log': { from: 'viewer' },
  'GET /v1/approvals': { from: 'viewer' },
  'GET /v1/approvals/:id': { from: 'viewer' },
  'GET /v1/grants': { from: 'viewer' },
  'GET /v1/approvers': { from: 'viewer' },
  'POST /v1/approvers/passkeys': { from: 'approver' },
  'POST /v1/approvers/end': { from: 'admin' },
  'POST /v1/approvers/veto': { from: 'admin' },
  'GET /v1/changes': { from: 'viewer' },
  'GET /v1/changes/:id': { from: 'viewer' },
  'GET /v1/receipts': { from: 'viewer' },
  'GET /v1/receipts/:id': { from: 'viewer' },
  'GET /v1/receipts/:id/export': { from: 'viewer' },

  'POST /v1/approvals/:id/answer': { from: 'approver' },
  'POST /v1/changes/:id/decisions': { from: 'approver' },
  'POST /v1/changes/:id/apply': { from: 'approver' },
  'POST /v1/changes/:id/reject': { from: 'approver' },
  'POST /v1/rollback': { from: 'approver' },
  // It looks at files of this machine, whosever they are.
  'POST /v1/try': { from: 'approver', whole: true },

  [grantCall]: { from: 'admin' },
  'DELETE /v1/grants/:id': { from: 'admin' },
  'GET /v1/policies': { from: 'admin', whole: true },
  'GET /v1/policies/:id': { from: 'admin', whole: true },
  'POST /v1/policies': { from: 'admin', whole: true },
  'PUT /v1/policies/:id': { from: 'admin', whole: true },
  'DELETE /v1/policies/:id': { from: 'admin', whole: true },
  'POST /v1/policies/check': { from: 'admin', whole: true },
  'POST /v1/policies/dry-run': { from: 'admin', whole: true },
  'GET /v1/policy-versions': { from: 'admin', whole: true },
  'POST /v1/policy-versions/:version/restore': { from: 'admin', whole: true },
  'GET /v1/log/verify': { from: 'admin', whole: true },
  'GET /v1/receipts/verify': { from: 'admin', whole: true },
  'GET /v1/receipts/chain-head': { from: 'admin', whole: true },
  'GET /v1/hosts': { from: 'admin', whole: true },
  'POST /v1/hosts/check': { from: 'admin', whole: true },
  'POST /v1/hosts/:host/wire': { from: 'admin', whole: true },
};

/** What a request calls, as the table names it. */
export function routeOf(call: Call<Surface>): string {
  // What stands for every method is ours and goes on to the next; the first of the others answers.
  const route = matchedRoutes(call).find(({ method }) => method !== 'ALL');
  return route === undefined ? '' : `${route.method} ${route.path}`;
}

/** Throws `NotAllowed` where the role of a user does not reach so far. */
export function requireRole(caller: Caller, name: string): void {
  if (may(caller, name)) return;
  throw new NotAllowed(`${caller.role === 'admin' ? 'an' : 'a'} ${caller.role} may not do this here`);
}

/** Everything that a person may call. */
export function callsOf(caller: Caller): readonly string[] {
  return Object.keys(allowed).filter((name) => may(caller, name));
}

function may({ role, reader }: Caller, name: string): boolean {
  if (role === null) return true;
  const rule = Object.hasOwn(allowed, name) ? allowed[name] : undefined;
  if (rule === undefined || (rule.whole === true && reader.tenant !== undefined)) return false;
  return roles.indexOf(role) >= roles.indexOf(rule.from);
}
