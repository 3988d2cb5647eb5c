// Amazon Verified Permissions for one test: the server, with the client of the service pointed to it.

import { onTestFinished } from 'vitest';
import { type AvpServer, avpEnvironment, serveAvp } from './avp-server.ts';

export { type AvpServer, avpEnvironment } from './avp-server.ts';

/** Starts the server, and points the client of the service to it, until the test is over. */
export async function avpServer(storeId: string): Promise<AvpServer> {
  const server = await serveAvp(storeId);
  onTestFinished(() => server.stop());
  useEndpoint(server.url);
  return server;
}

function useEndpoint(url: string): void {
  for (const [name, value] of Object.entries(avpEnvironment(url))) {
    const before = process.env[name];
    process.env[name] = value;
    onTestFinished(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
  }
}
