// Something from outside reached a place where a rule has a say.

import type { Kinds } from '../roles/guards.ts';
import type { Effect } from '../roles/tools.ts';
import type { GuardUse, Place, Tag } from '../value.ts';

/** Where something ends up. */
export type Sink =
  | 'prompt'
  | 'show'
  | 'dispatch'
  | 'interpret'
  | 'write'
  | 'delete'
  | 'http'
  | 'message'
  | 'owner'
  | 'refusal';

/** Something reached a sink. */
export interface Reach {
  readonly sink: Sink;
  /** The statement that it happens in, before which a check would stand. */
  readonly place: Place;
  /** With all that holds at this moment written into them. */
  readonly tags: readonly Tag[];
  /** What holds for the agent as a whole. */
  readonly held: Kinds;
  /** Guards that were called on some way to here. */
  readonly attempts: readonly GuardUse[];
  /** What the tools that may run can do; null where nobody knows. */
  readonly effects: ReadonlySet<Effect> | null;
  /** For a refusal: whether it was recorded. */
  readonly recorded?: boolean;
  readonly what: string;
  /** The statements of all calls on the way, the outermost first, and this one. */
  readonly chain: readonly Place[];
}
