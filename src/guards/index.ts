// All guards. The one path asks each of them about the kinds that it names, and loads it with the first such action.

import type { Settings } from '../config/settings.ts';
import { type Guard, type Kind, type Lazy, lazily } from '../core/index.ts';

/** A guard of whatever kinds; it may be asked only about an action whose kind is in its `kinds`. */
export type AnyGuard = Guard<Kind, Settings, unknown>;

/** What stands for a guard until it is needed. */
export interface ListedGuard extends Pick<AnyGuard, 'name' | 'kinds'> {
  /** Uses the guard, which is loaded when it is first asked for. */
  readonly use: Lazy<AnyGuard>;
}

function listed<K extends Kind, Reading>(
  name: AnyGuard['name'],
  kinds: readonly K[],
  load: () => Promise<Guard<K, Settings, Reading>>,
): ListedGuard {
  // The compiler cannot follow from `kinds` to what `check` takes; the path looks guards up by kind and nothing else.
  return { name, kinds, use: lazily(async () => (await load()) as unknown as AnyGuard) };
}

/** The guards, in the order in which they are asked. */
export const guards: readonly ListedGuard[] = [
  listed('prompt', ['prompt'], async () => (await import('./prompt/index.ts')).promptGuard),
  listed('response', ['response'], async () => (await import('./response/index.ts')).responseGuard),
  listed('tool', ['tool'], async () => (await import('./tool/index.ts')).toolGuard),
  listed('command', ['shell', 'python'], async () => (await import('./command/index.ts')).commandGuard),
  listed('code', ['code'], async () => (await import('./code/index.ts')).codeGuard),
  listed('query', ['query'], async () => (await import('./query/index.ts')).queryGuard),
  listed('write', ['write', 'read'], async () => (await import('./write/index.ts')).writeGuard),
  listed('symbols', ['write'], async () => (await import('./symbols/index.ts')).symbolsGuard),
  listed('fetch', ['fetch'], async () => (await import('./fetch/index.ts')).fetchGuard),
];

/** The guards of requests that carry queries: those above, with the one for carriers where requests are judged. */
export const carrierGuards: readonly ListedGuard[] = guards.map((guard) =>
  guard.name === 'fetch'
    ? listed('fetch', ['fetch'], async () => (await import('./fetch/index.ts')).carrierGuard)
    : guard,
);

/** All guards, loaded. */
export function loadGuards(): Promise<readonly AnyGuard[]> {
  return Promise.all(guards.map(({ use }) => use((guard) => guard)));
}
