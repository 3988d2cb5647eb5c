// The socket of a system daemon for agents: only the routes by which they ask exist there.

import { routes } from './routes.ts';

/** By method and path. INVARIANT: no session, approval, passphrase, log or setting is reached by any of them. */
const asking = routes
  .filter((route) => route.asking === true)
  .map(({ method, path }) => [method, new RegExp(`^${path.replace(/:\w+/g, '[a-z]+')}$`)] as const);

/** Whether a request asks for a verdict, or whether the daemon is there. */
export function isAsking({ method, url }: Pick<Request, 'method' | 'url'>): boolean {
  const { pathname } = new URL(url);
  return asking.some(([verb, path]) => verb === method && path.test(pathname));
}

/** The answer to everything else. */
export function notHere(): Response {
  return Response.json(
    { error: 'on this socket agents ask, and do nothing else', name: 'NotFound' },
    { status: 404, headers: { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } },
  );
}
