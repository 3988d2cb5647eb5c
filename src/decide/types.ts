// What `decide/` offers to the rooms below it.

import type { Action, Context, Facts, Finding, Kind, SessionTexts, Verdict } from '../core/index.ts';
import type { Part } from '../policy/index.ts';
import type { Cleared } from './cleared.ts';

/** A verdict, and the clearance to run the action if the verdict let it go. */
export interface Decided<K extends Kind = Kind> {
  readonly verdict: Verdict;
  /** What the guards read in the action, whatever the verdict. */
  readonly facts: Facts;
  /** The action and everything inside it, outermost first, as it was judged. */
  readonly parts: readonly Part[];
  readonly cleared: Cleared<K> | null;
}

/** A text that is judged while it flows. */
export interface DecisionStream {
  /** Takes a piece and gives what may be shown now; after a block, always nothing. */
  push(piece: string): Promise<{ readonly emit: string; readonly findings: readonly Finding[] }>;
  /** The end of the text: gives the rest and the verdict on the whole. */
  end(): Promise<{ readonly emit: string; readonly verdict: Verdict }>;
}

export interface Decider {
  /** Judges one action: the only caller of guards, the only place where findings become a verdict. */
  decide<A extends Action>(action: A, context: Context): Promise<Decided<A['kind']>>;
  /** Judges a prompt or a response piece by piece, with an opening and a closing record. */
  decideStream(kind: 'prompt' | 'response', context: Context): Promise<DecisionStream>;
  /** What the session heard and read, for surfaces to add to: a tool's answer, a page, what the user said. */
  session(context: Context): Promise<SessionTexts>;
}
