// A small client to the daemon over its Unix socket.

import { request } from 'node:http';
import { SallyportError } from '../core/index.ts';
import type { Refusal } from '../surfaces/http/route.ts';
import type { AnswerOf, ServedName } from '../surfaces/http/routes.ts';

/** A route of the daemon, or of the proxy in it. */
type Called = ServedName | `POST /llm/${string}`;

/** What a daemon answers; one of another version may leave out any of it. */
export interface DaemonAnswer<R extends Called> {
  readonly status: number;
  readonly body: Partial<Refusal> & Partial<R extends ServedName ? AnswerOf<R> : object>;
}

interface CallOptions {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** Something listens at the daemon's socket and does not answer. It must not be taken for a daemon that is not running. */
class DaemonSilent extends SallyportError {}

/** How long a daemon may take to answer: on a machine that is busy it waits for its turn like everything else. */
const longestSilenceMs = 30_000;

/** Calls a route of the daemon; null where none is running. Throws `DaemonSilent`. */
export function askDaemon<R extends Called>(
  socket: string,
  route: R,
  options: CallOptions & {
    /** What stands in the places of the path that vary. */
    readonly path?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string | number>>;
  } = {},
): Promise<DaemonAnswer<R> | null> {
  const { path = {}, query = {}, ...rest } = options;
  const [method = '', pattern = ''] = route.split(' ');
  const filled = pattern.replace(/:(\w+)/g, (_, step: string) => encodeURIComponent(path[step] ?? ''));
  const members = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return sendCall(socket, members.length === 0 ? filled : `${filled}?${members.join('&')}`, {
    ...rest,
    method,
  });
}

/** Sends one request to the daemon; null where none is running. Throws `DaemonSilent`. */
export function sendCall<Body = unknown>(
  socket: string,
  path: string,
  options: CallOptions & { readonly method?: string } = {},
): Promise<{ readonly status: number; readonly body: Body } | null> {
  const { timeoutMs = longestSilenceMs } = options;
  return new Promise((resolve, reject) => {
    const body = options.body === undefined ? undefined : JSON.stringify(options.body);
    const call = request(
      {
        socketPath: socket,
        path,
        method: options.method ?? (body === undefined ? 'GET' : 'POST'),
        timeout: timeoutMs,
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
            const said = JSON.parse(Buffer.concat(chunks).toString('utf8'));
            resolve({ status: answer.statusCode ?? 0, body: said ?? {} });
          } catch (error) {
            reject(error);
          }
        });
        answer.on('error', (error) => (error instanceof DaemonSilent ? reject(error) : resolve(null)));
      },
    );
    call.on('timeout', () =>
      call.destroy(
        new DaemonSilent(`the daemon has not answered for ${timeoutMs / 1000} seconds`, {
          hint: 'the machine may be too busy: try again; if it stays so, end its process and start it again',
        }),
      ),
    );
    call.on('error', (error) => (error instanceof DaemonSilent ? reject(error) : resolve(null)));
    call.end(body);
  });
}

/** Why a daemon that answers blocks everything, by its own word; null where it does not. */
export function refusalIn({ status, body: { error } }: DaemonAnswer<'GET /healthz'>): string | null {
  return status === 200 ? null : (error ?? `it answers with status ${status}`);
}

/** The process id of the daemon behind a socket; null where none is running. */
export async function daemonPid(socket: string): Promise<number | null> {
  return (await askDaemon(socket, 'GET /healthz'))?.body.pid ?? null;
}
