// The request path's query to the policy, and the policy's answer.

import type { Settings } from '../config/index.ts';
import type { Action, Context, Facts, Finding, Learned, MaybePromise } from '../core/index.ts';

/** An action, or one inside it, as its guards left it. */
export interface Part {
  /** The position in the whole action; '' for the action itself. */
  readonly pointer: string;
  readonly action: Action;
  readonly facts: Facts;
  readonly sideEffect: boolean;
  /** All paths that code changes, where that is certain. It is no fact for policies, and in no record. */
  readonly writes?: readonly string[];
  /** Why a command cannot run aside from the machine. The same holds of it. */
  readonly notAside?: NonNullable<Learned['notAside']>;
}

export interface Question {
  /** The action itself and everything inside it. */
  readonly parts: readonly Part[];
  readonly findings: readonly Finding[];
}

/** One request to the engine, and its result. */
export interface Asked {
  readonly pointer: string;
  readonly principal: string;
  readonly action: string;
  readonly resource: string;
  /** How many policies could apply by their scope, of how many. */
  readonly considered: number;
  readonly policies: number;
  readonly decision: 'permit' | 'approve' | 'block';
  /** The ids of the policies that decided it. */
  readonly determined: readonly string[];
}

export interface Answer {
  readonly findings: readonly Finding[];
  readonly asked: readonly Asked[];
}

/** Judges facts and findings as a whole; its findings are only added. */
export type Policy = (
  question: Question,
  context: Context,
  settings: Pick<Settings, 'policy' | 'sources'>,
) => MaybePromise<Answer>;
