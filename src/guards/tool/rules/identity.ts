// Law: whose data a call touches, the session says and not the model.

import { type Finding, type Rule, type ToolSpec, visible } from '../../../core/index.ts';
import type { Identified } from '../identity.ts';
import { call, having, hit } from './finding.ts';
import { shown } from './registry.ts';

const contract = 'AG-TOOL-5';

const readDoc: ToolSpec = {
  name: 'read_doc',
  effect: 'read',
  arguments: { '/user_id': { role: 'user_id' }, '/tenant': { role: 'tenant_id' } },
};
const own = { user_id: 'example', tenant: 'example' };

const noUser: Rule = {
  id: 'no_user',
  guard: 'tool',
  decision: 'block',
  reason: 'A tool that touches data of a user is not called where nobody is authenticated.',
  suggestion: 'A person signs in, or the program hands the user of its session on.',
  contract,
  examples: {
    hit: [
      call('read_doc', own, { ...having(readDoc), nobody: true }),
      call('export', {}, { ...having({ name: 'export', effect: 'read', userData: true }), nobody: true }),
    ],
    miss: [call('read_doc', own, having(readDoc)), call('Read', { file_path: 'a.txt' }, { nobody: true })],
  },
};

const sessionIds: Rule = {
  id: 'session_ids',
  guard: 'tool',
  decision: 'redact',
  reason: "Ids of users and tenants come from the session; what the model wrote is replaced by the caller's.",
  contract,
  examples: {
    hit: [
      call('read_doc', { user_id: 999, tenant: 'example' }, having(readDoc)),
      call('read_doc', { ...own, filter: [{ userId: 'bob' }] }, having(readDoc)),
      call('read_doc', {}, having(readDoc)),
    ],
    miss: [call('read_doc', own, having(readDoc)), call('Read', { file_path: 'user_id/999' })],
  },
};

const disguisedId: Rule = {
  id: 'disguised_id',
  guard: 'tool',
  decision: 'block',
  reason: 'An id is spelled so that one reader finds it and another does not.',
  suggestion: 'Write the name of the argument in plain letters, and URLs without encoded slashes or "..".',
  contract,
  examples: {
    hit: [
      call('read_doc', { ...own, 'us\u0435r_id': 'bob' }, having(readDoc)),
      call('read_doc', { ...own, 'user\u200b_id': 'bob' }, having(readDoc)),
      call(
        'get',
        { path: '/users/example/%2e%2e/bob' },
        having({
          name: 'get',
          effect: 'read',
          arguments: { '/path': { role: 'text', user: ['/users/{}'] } },
        }),
      ),
    ],
    miss: [call('read_doc', own, having(readDoc)), call('read_doc', { ...own, größe: 3 }, having(readDoc))],
  },
};

/** The rules on whose data a call touches. */
export const identityRules: readonly Rule[] = [noUser, sessionIds, disguisedId];

export function noUserFinding(tool: ToolSpec): Finding {
  return hit(noUser, `"${shown(tool.name)}" touches data of a user, and nobody is authenticated.`);
}

const mostShown = 5;

/** What is to be said about the ids of a call. */
export function identityFindings({ foreign, filled, disguised }: Identified): readonly Finding[] {
  const list = (pointers: readonly string[]) =>
    pointers
      .slice(0, mostShown)
      .map((pointer) => visible(pointer, 80))
      .join(', ');
  const at = (pointers: readonly string[]) => ({ pointer: `/arguments${pointers[0] ?? ''}` });
  return [
    ...(disguised.length === 0
      ? []
      : [hit(disguisedId, `The id at ${list(disguised)} is spelled to be missed.`, at(disguised))]),
    ...(foreign.length === 0
      ? []
      : [hit(sessionIds, `The id at ${list(foreign)} is replaced by the caller's.`, at(foreign))]),
    ...(filled.length === 0
      ? []
      : [hit(sessionIds, `The id at ${list(filled)} is filled in from the session.`, at(filled))]),
  ];
}
