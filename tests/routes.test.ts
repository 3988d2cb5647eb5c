// The table of routes is what the daemon goes by: who may call what, over real HTTP, and nothing beside it is there.

import { describe, expect, it } from 'vitest';
import { hashPassphrase, leastCost, type Role, roles } from '../src/config/index.ts';
import { type Scope, scopes } from '../src/ledger/index.ts';
import { createApp } from '../src/surfaces/http/app.ts';
import { openApi } from '../src/surfaces/http/openapi.ts';
import type { Route } from '../src/surfaces/http/route.ts';
import { routes } from '../src/surfaces/http/routes.ts';
import { passphrase, testDaemon } from './support/daemon.ts';

const secret = 'the passphrase of a user';
/** A user of each role, once for the whole installation and once for a tenant. */
const users = roles.flatMap((role) => [
  { name: role, role, tenant: null },
  { name: `${role}-acme`, role, tenant: 'acme' },
]);
const sections = users.map(async ({ name, role, tenant }) =>
  [`[users.${name}]`, `role = "${role}"`, `passphrase = "${await hashPassphrase(secret, leastCost)}"`]
    .concat(tenant === null ? [] : [`tenant = "${tenant}"`])
    .join('\n'),
);
const configuration = (await Promise.all(sections)).join('\n');

interface Who {
  readonly name: string;
  readonly scope: Scope | 'owner' | null;
  readonly role: Role | null;
  readonly tenant: string | null;
}
const callers: readonly Who[] = [
  ...scopes.map((scope) => ({ name: `credential ${scope}`, scope, role: null, tenant: 'acme' })),
  { name: 'owner', scope: 'owner', role: null, tenant: null },
  ...users.map(({ name, role, tenant }) => ({ name: `user ${name}`, scope: null, role, tenant })),
];

/** Whether the document says that a caller may, as somebody would read it who knows nothing but the document. */
function documented({ method, path }: Route, who: Who): boolean {
  const { paths } = openApi('0') as unknown as {
    paths: Record<string, Record<string, { 'x-access'?: Access; security?: [] }>>;
  };
  const operation = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
  const access = operation?.['x-access'];
  if (access === undefined) return operation?.security !== undefined;
  if (who.scope === 'owner') return access.owner;
  if (who.scope !== null) return access.scopes.includes(who.scope);
  const enough =
    access.role !== null && who.role !== null && roles.indexOf(who.role) >= roles.indexOf(access.role);
  return enough && !(access.whole && who.tenant !== null);
}
interface Access {
  readonly scopes: readonly string[];
  readonly owner: boolean;
  readonly role: Role | null;
  readonly whole: boolean;
}

/** The proxy answers in the words of providers, to what their clients send. */
const checkedHere = routes.filter(({ access }) => access !== 'proxy');

const sample = (path: string) => path.replace(':host', 'claude').replace(/:\w+/g, '12345678');

async function withCallers() {
  const daemon = await testDaemon({ passphrase: true, configuration });
  const tokenOf = async ({ name, scope }: Who): Promise<string> => {
    if (scope === 'owner') return (await daemon.signIn(passphrase)).body.token;
    if (scope !== null) return await daemon.credential({ scope });
    return (await daemon.signIn(secret, name.replace('user ', ''))).body.token;
  };
  /** What a call of a route is answered; a stream is only begun. */
  const ask = async ({ method, path }: Route, token?: string) => {
    const stop = new AbortController();
    const answer = await fetch(`http://127.0.0.1:${daemon.daemon.port}${sample(path)}`, {
      method,
      signal: stop.signal,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      },
      ...(method === 'GET' ? {} : { body: '{}' }),
    });
    const type = answer.headers.get('content-type') ?? '';
    const said: unknown = type.startsWith('application/json') && !answer.ok ? await answer.json() : {};
    const name = typeof said === 'object' && said !== null && 'name' in said ? said.name : '';
    stop.abort();
    return { status: answer.status, name: String(name) };
  };
  return { ...daemon, tokenOf, ask };
}

describe('the table of routes', () => {
  it('names every route once, and those that nobody has to sign in for', () => {
    const names = routes.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    expect(routes.filter(({ access }) => access === 'open').map(({ name }) => name)).toEqual([
      'GET /healthz',
      'GET /livez',
      'GET /openapi.json',
      'GET /v1/session/login',
      'POST /v1/session/challenge',
      'POST /v1/session',
      'POST /v1/session/link',
      'POST /v1/session/claim',
    ]);
  });

  it('describes every route that it serves, and no other', async () => {
    const { call, ledger, ...rest } = await testDaemon();
    const { body } = await call('/openapi.json');
    expect(body).toEqual(JSON.parse(JSON.stringify(openApi('0.0.0-test'))));
    const { signal: stopping } = new AbortController();
    const app = createApp({ ...rest, ledger, stopping } as unknown as Parameters<typeof createApp>[0]);
    const served = app.routes
      // The pages of the console are for people.
      .filter(({ method, path }) => method !== 'ALL' && !/^\/(?:console|$)/.test(path))
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    const described = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(new Set(served)).toEqual(new Set(described));
  });

  it('leaves to agents what no user may', () => {
    const forNobody = routes.filter(({ access }) => typeof access === 'object' && access.role === null);
    expect(forNobody.map(({ name }) => name).sort()).toEqual([
      'POST /v1/changes',
      'POST /v1/decide',
      'POST /v1/hook/:host',
      'POST /v1/streams',
      'POST /v1/streams/:id/end',
      'POST /v1/streams/:id/finish',
      'POST /v1/streams/:id/push',
      'POST /v1/streams/:id/stop',
    ]);
  });

  it.each(callers)('is what the daemon goes by, route for route: $name', async (who) => {
    const { tokenOf, ask } = await withCallers();
    const token = await tokenOf(who);
    const found: Record<string, boolean> = {};
    // Signing out is for the end.
    const inOrder = checkedHere.toSorted(
      (a, b) => Number(a.name === 'DELETE /v1/session') - Number(b.name === 'DELETE /v1/session'),
    );
    for (const route of inOrder) {
      const { status, name } = await ask(route, token);
      expect([route.name, status === 403], `${status} ${name}`).toEqual([route.name, name === 'NotAllowed']);
      found[route.name] = status !== 403;
    }
    expect(found).toEqual(Object.fromEntries(inOrder.map((route) => [route.name, documented(route, who)])));
  });

  it('answers nobody who is not known, save on the open routes', async () => {
    const { ask } = await withCallers();
    for (const route of checkedHere) {
      const { status } = await ask(route);
      // Whoever signs in with nothing is refused for that, and not for want of a credential.
      const open = route.access === 'open';
      expect([route.name, status === 401]).toEqual([route.name, !open]);
    }
  });

  it('is all that is there: other paths and methods are answered with 404', async () => {
    const { call, tokenOf } = await withCallers();
    for (const who of callers) {
      const token = await tokenOf(who);
      for (const [method, path] of [
        ['GET', '/v1/nothing'],
        ['GET', '/v1/approvals/x/y/z'],
        ['PUT', '/v1/approvals'],
        ['DELETE', '/v1/log'],
        ['PATCH', '/v1/policies/x'],
        ['GET', '/v2/decide'],
      ] as const)
        expect([who.name, path, await call(path, { method, token })]).toMatchObject([
          who.name,
          path,
          { status: 404, body: { error: 'there is nothing here', name: 'NotFound' } },
        ]);
    }
    expect((await call('/v1/nothing')).status).toBe(401);
    expect((await call('/nothing')).status).toBe(404);
  });

  it.each([
    ['POST /v1/approvals/x/answer', {}, '"answer" is missing'],
    ['POST /v1/approvals/x/answer', { answer: 'yes' }, '/answer: must be one of approve, deny, not "yes"'],
    [
      'POST /v1/approvals/x/answer',
      { answer: 'approve', permission: { reach: 'project', seconds: 31_622_401 } },
      '/permission/seconds: must be between 60 and 31622400, not 31622401',
    ],
    ['POST /v1/changes/x/apply', { result: 'x' }, '/result: must be the hash of a result'],
    ['POST /v1/rollback', { last: 'x' }, '/last: must be true or false, not text'],
    ['POST /v1/policies', { text: '' }, '/text: must not be empty'],
    ['POST /v1/policies', { txt: 'x' }, '/txt: unknown key "txt"; did you mean "text"?'],
    ['POST /v1/session/claim', { secret: 1 }, '/secret: must be text, not a number'],
    ['GET /v1/log?limit=0', undefined, '"limit" must be a whole number between 1 and 1000'],
    ['GET /v1/log?since=x', undefined, '"since" must be a time such as 2026-01-31T10:00:00Z'],
    ['GET /v1/overview?minutes=4', undefined, '"minutes" must be a whole number between 5 and 10080'],
    ['POST /v1/decide?wait=601', {}, '"wait" must be a whole number between 0 and 600'],
  ])('refuses what does not fit %s: %j', async (name, body, error) => {
    const { call, session } = await testDaemon({ passphrase: true });
    const [method = '', path = ''] = name.split(' ');
    const answer = await call(path, {
      method,
      token: await session(),
      ...(body === undefined ? {} : { body }),
    });
    expect(answer).toMatchObject({ status: 400, body: { error } });
  });
});
