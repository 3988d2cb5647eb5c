// A small client to the daemon over its Unix socket.

import { request } from 'node:http';

export interface DaemonAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Sends one request to the daemon; null if no daemon answers there. */
export function askDaemon(
  socket: string,
  path: string,
  options: {
    method?: string;
    token?: string;
    body?: unknown;
    timeoutMs?: number;
    headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<DaemonAnswer | null> {
  return new Promise((resolve, reject) => {
    const body = options.body === undefined ? undefined : JSON.stringify(options.body);
    const call = request(
      {
        socketPath: socket,
        path,
        method: options.method ?? (body === undefined ? 'GET' : 'POST'),
        timeout: options.timeoutMs ?? 3000,
        headers: {
          host: 'localhost',
          ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...options.headers,
        },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          try {
            resolve({
              status: answer.statusCode ?? 0,
              body: JSON.parse(Buffer.concat(chunks).toString('utf8')),
            });
          } catch (error) {
            reject(error);
          }
        });
        answer.on('error', () => resolve(null));
      },
    );
    call.on('timeout', () => call.destroy());
    call.on('error', () => resolve(null));
    call.end(body);
  });
}

/** Why a daemon that answers blocks everything, by its own word; null where it does not. */
export function refusalIn({
  status,
  body,
}: {
  readonly status: number;
  readonly body: unknown;
}): string | null {
  if (status === 200) return null;
  const said = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  return typeof said === 'string' ? said : `it answers with status ${status}`;
}

/** The process id of the daemon behind a socket, if one answers. */
export async function daemonPid(socket: string): Promise<number | null> {
  const answer = await askDaemon(socket, '/healthz');
  const body = answer?.body;
  if (typeof body !== 'object' || body === null || !('pid' in body)) return null;
  return typeof body.pid === 'number' ? body.pid : null;
}
