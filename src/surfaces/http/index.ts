// The HTTP surface and the daemon that serves it.

export { type AppOptions, createApp } from './app.ts';
export type { Check, HostDesk } from './console.ts';
export { CannotListen, type Daemon, type DaemonOptions, startDaemon } from './daemon.ts';
export { AlreadyRunning, lockHome } from './lock.ts';
export { createLog, type Log, type LogLevel, logLevels } from './log.ts';
export { openApi } from './openapi.ts';
