// The hooks surface: agent hosts ask before a tool runs, and are answered in their own words.

export { OpenCalls } from './calls.ts';
export {
  type ClientParts,
  clientScript,
  hookWaitMs,
  nodeCarrier,
  plainReply,
  unansweredReply,
} from './client.ts';
export { type Alarm, alarmText, HookFiles } from './files.ts';
export { type Host, type HostName, hostNames } from './host.ts';
export { hostNamed, hosts } from './hosts.ts';
export { type HookService, serveHook, wireAction } from './serve.ts';
export { SessionWorkspaces } from './sessions.ts';
export { type WiredHost, wiredHosts, writeSettings, writeWiredHosts } from './wired.ts';
export { type WiringScope, wirings } from './wiring.ts';
