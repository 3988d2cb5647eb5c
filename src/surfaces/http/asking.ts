// The socket of a system daemon for agents: what exists there is asking, and nothing else does.

/** By method and path. INVARIANT: no session, approval, passphrase, log or setting is reached by any of them. */
const asking: readonly (readonly [string, RegExp])[] = [
  ['GET', /^\/livez$/],
  ['GET', /^\/healthz$/],
  ['POST', /^\/v1\/decide$/],
  ['POST', /^\/v1\/hook\/[a-z]+$/],
];

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
