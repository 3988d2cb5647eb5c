// Every route of the HTTP surface, save `/llm/`, where the proxy offers the same for every provider, `/mcp`, which speaks
// MCP, and the pages of the console.

import type { Infer } from '../../core/shape.ts';
import { approvalRoutes } from './approvals.ts';
import { approverRoutes } from './approvers.ts';
import { auditRoutes } from './audit.ts';
import { type Caller, mayCall } from './callers.ts';
import { changeRoutes } from './changes.ts';
import { hostRoutes } from './hosts.ts';
import { policyRoutes } from './policies.ts';
import { receiptRoutes } from './receipts.ts';
import type { Route } from './route.ts';
import { decisionRoutes, serviceRoutes } from './service.ts';
import { settingRoutes } from './settings.ts';
import { signInRoutes } from './sign-in.ts';
import { streamRoutes } from './stream-routes.ts';

const all = [
  ...serviceRoutes,
  ...decisionRoutes,
  ...signInRoutes,
  ...approvalRoutes,
  ...streamRoutes,
  ...changeRoutes,
  ...receiptRoutes,
  ...policyRoutes,
  ...auditRoutes,
  ...approverRoutes,
  ...hostRoutes,
  ...settingRoutes,
] as const;

export const routes: readonly Route[] = all;

type Typed = (typeof all)[number];
export type ServedName = Typed['name'];
/** What a route answers, for clients. */
export type AnswerOf<Name extends ServedName> = Infer<Extract<Typed, { readonly name: Name }>['answer'][1]>;

/** Every route that a caller may call of those that users may, and every right on one. */
export function callsOf(caller: Caller): readonly string[] {
  return routes.flatMap(({ name, access, rights = {} }) => {
    if (typeof access === 'string' || access.role === null || !mayCall(caller, access)) return [];
    const more = Object.entries(rights).filter(([, rule]) => mayCall(caller, rule));
    return [name, ...more.map(([right]) => `${name} ${right}`)];
  });
}
