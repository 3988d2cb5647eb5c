// The hooks surface: agent hosts ask before a tool runs, and are answered in their own words.

export {
  type ClientParts,
  clientScript,
  hookWaitMs,
  hostTimeout,
  nodeCarrier,
  plainReply,
  quote,
  unansweredReply,
} from './client.ts';
export { type Answer, type HookCall, type Host, type HostName, hostNames, type Reply } from './host.ts';
export { hostNamed, hosts } from './hosts.ts';
export { type HookRequest, type HookService, serveHook, wireAction } from './serve.ts';
export { scopes as wiringScopes, type Wiring, type WiringScope, wirings } from './wiring.ts';
