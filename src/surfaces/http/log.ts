// Structured logs: one JSON object a line, names and numbers only, never a payload.

export const logLevels = ['error', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];

export type Log = (
  level: LogLevel,
  event: string,
  fields?: Readonly<Record<string, string | number | null>>,
) => void;

/** A log that writes lines up to a level. */
export function createLog(write: (line: string) => void, most: LogLevel, now: () => number): Log {
  const limit = logLevels.indexOf(most);
  return (level, event, fields = {}) => {
    if (logLevels.indexOf(level) > limit) return;
    write(`${JSON.stringify({ time: new Date(now()).toISOString(), level, event, ...fields })}\n`);
  };
}

/** Tells of a request that was answered. */
export function logRequest(
  log: Log,
  { method, path }: { readonly method: string; readonly path: string },
  status: number,
  started: number,
): void {
  log('debug', 'request', {
    method,
    // A path to the proxy may hold a credential.
    path: path.replace(/\/as\/.*/, '/as/…').slice(0, 100),
    status,
    ms: Math.round((performance.now() - started) * 1000) / 1000,
  });
}
