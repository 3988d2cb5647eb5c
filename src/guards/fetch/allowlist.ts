// The allowlists in force: parsed once, and asked whether every one of them names a destination.

import {
  type Address,
  type Destination,
  defaultPort,
  hostText,
  namesHost,
  namesTarget,
  parseDestination,
  type Target,
} from '../../core/destination.ts';

/** The lists of an agent; a destination must be on every one. */
export type Allowlists = readonly (readonly string[])[];

const parsedLists = new WeakMap<readonly string[], readonly Destination[]>();

function patternsOf(list: readonly string[]): readonly Destination[] {
  let patterns = parsedLists.get(list);
  if (patterns === undefined) {
    patterns = list.map(parseDestination);
    parsedLists.set(list, patterns);
  }
  return patterns;
}

/**
 * Whether every list names the target.
 * INVARIANT: no lists and an empty list name nothing; one more list never names more.
 */
export function isListed(lists: Allowlists, target: Target): boolean {
  return (
    lists.length > 0 &&
    lists.every((list) => patternsOf(list).some((pattern) => namesTarget(pattern, target)))
  );
}

/** Whether every list names the host with some scheme and port. */
export function isHostListed(lists: Allowlists, host: string | Address): boolean {
  return (
    lists.length > 0 && lists.every((list) => patternsOf(list).some((pattern) => namesHost(pattern, host)))
  );
}

/** The entry that would name the target. */
export function entryFor(target: Target): string {
  const host = hostText(target.host);
  return target.port === defaultPort(target.scheme) ? host : `${host}:${target.port}`;
}
