// What `decide/` offers to the rooms below it.

import type { Profile, Settings, Where } from '../config/index.ts';
import type {
  Action,
  CommandView,
  Context,
  Facts,
  Finding,
  GuardInput,
  JsonObject,
  Kind,
  MaybePromise,
  SessionTexts,
  Verdict,
  World,
} from '../core/index.ts';
import type { AnyGuard, ListedGuard } from '../guards/index.ts';
import type { Part } from '../policy/index.ts';
import type { Cleared } from './cleared.ts';
import type { Records } from './record.ts';

/** A verdict, and the clearance to run the action if the verdict let it go. */
export interface Decided<K extends Kind = Kind> {
  readonly verdict: Verdict;
  /** What the guards read in the action, whatever the verdict. */
  readonly facts: Facts;
  /** The action and everything inside it, outermost first, as it was judged. */
  readonly parts: readonly Part[];
  readonly cleared: Cleared<K> | null;
}

/** What became of a piece: what may be shown now, and what was found. */
export interface StreamPiece {
  readonly emit: string;
  readonly findings: readonly Finding[];
}

/** Texts of one answer that are judged while they flow, each in a channel of its own, under one record. */
export interface DecisionStream {
  readonly decisionId: string;
  /** Something was found that stops the stream; nothing more is shown of any channel. */
  readonly blocked: boolean;
  /**
   * The end of what may be shown may be the beginning of a secret that another channel goes on with: a caller that shows the
   * channels as one message waits with it until this is false, or the stream has ended.
   */
  readonly awaits: boolean;
  /**
   * Takes a piece and gives what may be shown now; after a block, always nothing. Whoever is given a promise waits for
   * it before the next piece.
   */
  push(piece: string, channel?: string): MaybePromise<StreamPiece>;
  /** The end of one channel: gives its rest; more text in it afterwards blocks. */
  finish(channel?: string): MaybePromise<StreamPiece>;
  /** Stops the stream: what comes cannot be read, or was found wanting elsewhere. */
  stop(why: string | readonly Finding[]): void;
  /** The end of everything, once: gives the rest of the unnamed channel and the verdict on the whole. */
  end(closing?: JsonObject): Promise<{ readonly emit: string; readonly verdict: Verdict }>;
}

/** The settings in force, and what rules of the user's own find in a text; undefined where there are none. */
export interface InForce {
  readonly settings: Settings;
  readonly find: GuardInput<Settings>['find'] | undefined;
}

/** How a decider judges for one of those who ask it; what is absent stays as it is. */
export interface Terms {
  /** The profile of an agent for which the configuration names none. */
  readonly profile?: Profile;
  /** Gives the settings to judge under, from those in force. */
  readonly settings?: (inForce: Settings) => MaybePromise<Settings>;
  /** The settings to judge under, where they were found for the same call already; they are not looked up again. */
  readonly inForce?: Settings;
  /** The guards that judge, besides programs of the user's own. */
  readonly guards?: readonly (AnyGuard | ListedGuard)[];
  /** What the guards see of the world besides. */
  readonly world?: Partial<World>;
  /** Other ways of finding, using and asking for an approval. */
  readonly approvals?: Partial<Records['approvals']>;
  /** Leaves no trace: nothing is recorded or remembered, nobody is asked, and no program of the user's own runs. */
  readonly dry?: true;
  /** Takes what guards see, arguments and all, for a person who looks on; it is never recorded. */
  readonly observe?: (view: CommandView) => void;
}

export interface Decider {
  /** Judges one action: the only caller of guards, the only place where findings become a verdict. */
  decide<A extends Action>(action: A, context: Context): Promise<Decided<A['kind']>>;
  /** Judges a prompt or a response piece by piece; `opening` goes into the first of its two records. */
  decideStream(kind: 'prompt' | 'response', context: Context, opening?: JsonObject): Promise<DecisionStream>;
  /** The settings that an action of a kind would be judged under now, with the policies that are kept in the store. */
  settingsFor(where: Where, kind: Kind): MaybePromise<Settings>;
  /** What the session heard and read, for surfaces to add to: a tool's answer, a page, what the user said. */
  session(context: Context): MaybePromise<SessionTexts>;
  /** The same decider, with the same sessions and records, judging under other terms. */
  under(terms: Terms): Decider;
}
