// The HTTP surface and the daemon that serves it.

export { startDaemon } from './daemon.ts';
export type { HostControl } from './host-control.ts';
export { createLog, type LogLevel, logLevels } from './log.ts';
export { openApi, whoMay } from './openapi.ts';
export { routes } from './routes.ts';
