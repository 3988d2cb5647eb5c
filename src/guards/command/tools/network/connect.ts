// What every program that reaches another machine has in common: the connection, and where what it sends comes from.

import type { Effect, Origin, Value } from '../../effects.ts';
import { type Call, effect, hostTarget } from '../tool.ts';

/** All origins, each once. */
export function union(...lists: readonly (readonly Origin[])[]): readonly Origin[] {
  return [...new Set(lists.flat())];
}

/** A connection to a host, with what the arguments carry along. */
export function connect(call: Call, host: Value, detail: string, origins: readonly Origin[] = []): Effect {
  return effect(call, 'connect', {
    target: hostTarget(host),
    detail,
    origins: union(origins, call.io.argumentOrigins ?? []),
  });
}

/** The origin that a set of reads gives to what is sent on. */
export function originsOf(effects: readonly Effect[]): readonly Origin[] {
  return effects.some(({ kind }) => kind === 'secret') ? ['secret'] : [];
}
