// All guards. The one path asks each of them about the kinds that it names.

import type { Settings } from '../config/settings.ts';
import type { Guard, Kind } from '../core/index.ts';
import { commandGuard } from './command/guard.ts';
import { fetchGuard } from './fetch/index.ts';
import { promptGuard } from './prompt/index.ts';
import { responseGuard } from './response/index.ts';
import { symbolsGuard } from './symbols/index.ts';
import { toolGuard } from './tool/index.ts';
import { writeGuard } from './write/index.ts';

/** A guard of whatever kinds; it may be asked only about an action whose kind is in its `kinds`. */
export type AnyGuard = Guard<Kind, Settings>;

// The compiler cannot follow from `kinds` to what `check` takes; the path looks guards up by kind and nothing else.
function admit<K extends Kind>(guard: Guard<K, Settings>): AnyGuard {
  return guard as unknown as AnyGuard;
}

/** The guards, in the order in which they are asked. */
export const guards: readonly AnyGuard[] = [
  admit(promptGuard),
  admit(responseGuard),
  admit(toolGuard),
  admit(commandGuard),
  admit(writeGuard),
  admit(symbolsGuard),
  admit(fetchGuard),
];
