// The interface of `decide/` for the layers below it.

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

/** A verdict, and the clearance to run the action if the verdict allows it. */
export interface Decided<K extends Kind = Kind> {
  readonly verdict: Verdict;
  /** The facts that the guards found in the action, whatever the verdict. */
  readonly facts: Facts;
  /** The action and everything inside it, outermost first, as it was judged. */
  readonly parts: readonly Part[];
  readonly cleared: Cleared<K> | null;
}

/** The result for a chunk: the text that may be shown now, and the findings. */
export interface StreamPiece {
  readonly emit: string;
  readonly findings: readonly Finding[];
}

/** Texts of one answer that are judged while they are streamed, each in a channel of its own, under one record. */
export interface DecisionStream {
  readonly decisionId: string;
  /** A finding stopped the stream; nothing more is shown of any channel. */
  readonly blocked: boolean;
  /**
   * The end of the text that may be shown may be the beginning of a secret that another channel continues: a caller
   * that shows the channels as one message holds it back until this is false, or the stream has ended.
   */
  readonly awaits: boolean;
  /**
   * Takes a chunk and returns the text that may be shown now; after a block, always the empty text. A caller that
   * receives a promise awaits it before the next chunk.
   */
  push(piece: string, channel?: string): MaybePromise<StreamPiece>;
  /** The end of one channel: returns its rest; more text in it afterwards blocks. */
  finish(channel?: string): MaybePromise<StreamPiece>;
  /** Stops the stream: its input cannot be read, or was rejected elsewhere. */
  stop(why: string | readonly Finding[]): void;
  /** The end of all channels, once: returns the rest of the unnamed channel and the verdict on the whole. */
  end(closing?: JsonObject): Promise<{ readonly emit: string; readonly verdict: Verdict }>;
}

/** The current settings, and the matches of the user's own rules in a text; undefined if there are none. */
export interface InForce {
  readonly settings: Settings;
  readonly find: GuardInput<Settings>['find'] | undefined;
}

/** The terms of a decider for one kind of caller; an absent member stays as it is. */
export interface Terms {
  /** The profile of an agent for which the configuration names none. */
  readonly profile?: Profile;
  /** Derives the settings to judge under from the current ones. */
  readonly settings?: (inForce: Settings) => MaybePromise<Settings>;
  /** The settings to judge under, if they were already determined for the same call; they are not looked up again. */
  readonly inForce?: Settings;
  /** The guards that judge, besides the user's hook programs. */
  readonly guards?: readonly (AnyGuard | ListedGuard)[];
  /** Additional facts about the world for the guards. */
  readonly world?: Partial<World>;
  /** Replaces how an approval is found, used and requested. */
  readonly approvals?: Partial<Records['approvals']>;
  /** Leaves no trace: records and remembers nothing, asks for no approval, and runs no program of the user's own. */
  readonly dry?: true;
  /** Receives the input of the guards, with all arguments, for a user who watches; it is never recorded. */
  readonly observe?: (view: CommandView) => void;
}

export interface Decider {
  /** Judges one action: the only caller of guards, the only place where findings become a verdict. */
  decide<A extends Action>(action: A, context: Context): Promise<Decided<A['kind']>>;
  /** Judges a prompt or a response chunk by chunk; `opening` is stored in the first of its two records. */
  decideStream(kind: 'prompt' | 'response', context: Context, opening?: JsonObject): Promise<DecisionStream>;
  /** The settings that an action of a kind would be judged under now, with the policies in the store. */
  settingsFor(where: Where, kind: Kind): MaybePromise<Settings>;
  /** The texts that the session read, for surfaces to add to: a tool's result, a page, the user's messages. */
  session(context: Context): MaybePromise<SessionTexts>;
  /** The same decider, with the same sessions and records, judging under other terms. */
  under(terms: Terms): Decider;
}
