// A person with a passphrase: makes the key of a home, and answers through its daemon.

import { sendCall } from '../../src/cli/client.ts';
import { daemonOver, PersonSession } from '../../src/cli/person.ts';
import { leastCost } from '../../src/config/index.ts';
import { makeOwner } from '../../src/ledger/open.ts';

/** Makes the key of a home, which counts as the first of its store. */
export async function ownerOf(
  { home }: { readonly home: string },
  passphrase: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  await makeOwner(home, passphrase, { user: 'ann', tenant: 'local' }, leastCost, environment);
}

/** Signs in to the daemon behind a socket. */
export async function personAt(socket: string, passphrase: string): Promise<PersonSession> {
  const ask: Parameters<typeof PersonSession.open>[0] = (path, options) =>
    sendCall(socket, path, { ...options, timeoutMs: 30_000 });
  return await PersonSession.open(ask, passphrase);
}

/** Signs in to the daemon at an address such as `http://127.0.0.1:4719`. */
export async function personOver(origin: string, passphrase: string): Promise<PersonSession> {
  return await PersonSession.open(daemonOver(origin), passphrase);
}
