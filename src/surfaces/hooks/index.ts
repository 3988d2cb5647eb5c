// The hooks surface: agent hosts ask before a tool runs, and are answered in their own words.

export {
  type ClientParts,
  clientScript,
  type DaemonStart,
  hookWaitMs,
  nodeCarrier,
  plainReply,
  unansweredReply,
} from './client.ts';
export { type ConnectedHost, recordedHosts, writeConnectedHosts, writeSettings } from './connected.ts';
export { HookFiles, type HookFilesOptions } from './files.ts';
export { type Host, type HostName, hostNames } from './host.ts';
export { hosts } from './hosts.ts';
export { machineFiles, managedClients, managedScript } from './managed.ts';
export { oursAsText } from './own-hooks.ts';
export { proofOf } from './proven.ts';
export { connectedIn, hooksSeal, namedIn } from './registry.ts';
export {
  actionOf,
  contextOf,
  type HookService,
  type HostSessions,
  openHostSessions,
  serveHook,
} from './serve.ts';
export { SessionWorkspaces } from './sessions.ts';
export { switchedOff, switchedOffBy } from './switches.ts';
export { hasPrefix, type WiringScope, wirings, withoutOurs } from './wiring.ts';
