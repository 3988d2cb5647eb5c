// The HTTP surface and the daemon that serves it.

export type { HostDesk } from './console.ts';
export { startDaemon } from './daemon.ts';
export { createLog, type LogLevel, logLevels } from './log.ts';
export { openApi } from './openapi/index.ts';
