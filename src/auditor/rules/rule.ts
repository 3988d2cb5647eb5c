// What a rule of the contract is for the auditor: what it demands of everything that reaches a sink.

import type { Reach, Sink } from '../flow/reach.ts';
import type { Language } from '../languages.ts';
import { type Kinds, kinds } from '../roles/guards.ts';
import type { SourceKind, Tag } from '../value.ts';

/** What is known about the program as a whole. */
export interface ProgramFacts {
  /** Guards that are named somewhere. */
  readonly named: Kinds;
}

/** What a rule says of one thing that reaches a sink. */
export interface Judgement {
  readonly answer: 'proved' | 'violated' | 'unknown';
  /** The kinds of guards that are missing. */
  readonly missing: Kinds;
  readonly tag: Tag | null;
  /** What is wrong, where it is not what the rule says of itself. */
  readonly wrong?: string;
}

export interface Rule {
  readonly id: string;
  readonly title: string;
  /** What is wrong, where it is violated. */
  readonly wrong: string;
  /** A check that would do, as code. */
  readonly fix: Readonly<Record<Language, string>>;
  judge(reach: Reach, around: ProgramFacts): readonly Judgement[];
}

export const proved: Judgement = { answer: 'proved', missing: 0, tag: null };

/** Everything of these kinds that reaches the sink must have passed guards of all the needed kinds. */
export function passed(sinks: readonly Sink[], sources: readonly SourceKind[], needed: Kinds): Rule['judge'] {
  return ({ sink, tags }) => {
    if (!sinks.includes(sink)) return [];
    return tags
      .filter(({ label }) => sources.includes(label.kind))
      .map((tag) => {
        const missing = needed & ~tag.cleared;
        return missing === 0 ? { ...proved, tag } : { answer: 'violated', missing, tag };
      });
  };
}

/** What comes from a model. */
export const spoken: readonly SourceKind[] = ['model', 'chunk', 'call'];

export function isSpoken({ label }: Tag): boolean {
  return spoken.includes(label.kind);
}

/** A tool with such an effect may run only behind a guard; where nobody knows what it does, a named guard must hold. */
export function behind(
  { effects }: Reach,
  wanted: readonly string[],
  needed: Kinds,
  around: ProgramFacts,
): 'needed' | 'unknown' | 'free' {
  if (effects === null) return (around.named & needed) !== 0 ? 'needed' : 'unknown';
  return wanted.some((effect) => effects.has(effect as never)) ? 'needed' : 'free';
}

export const { injection, pii, secrets, policy, tool, approval, snapshot, egress, owner } = kinds;
