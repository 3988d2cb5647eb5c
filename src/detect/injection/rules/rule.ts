// What a rule is. Its confidence says how sure a hit alone makes us, for what a user writes and for what a tool or a
// document brings; from 0.5 on it is a finding.

import type { NearbyWords } from '../phrases.ts';

const injectionKinds = [
  'instruction_override',
  'role_spoofing',
  'tool_call_syntax',
  'prompt_extraction',
  'jailbreak_persona',
  'exfiltration_markup',
] as const;

export type InjectionKind = (typeof injectionKinds)[number];

interface RuleBase {
  readonly id: string;
  readonly kind: InjectionKind;
  readonly user: number;
  readonly tool: number;
  readonly examples: { readonly hit: readonly string[]; readonly miss: readonly string[] };
}

export interface PhraseRule extends RuleBase {
  /** See phrases.ts. */
  readonly phrases: readonly string[];
  readonly together?: readonly NearbyWords[];
  /** What a document must say as an order: elsewhere the same words are a name, a report or a heading. */
  readonly commanded?: true | 'phrases';
  /** What it looks for is speech: with signs of a program between its words they are code. */
  readonly spoken?: true;
}

export interface MarkupRule extends RuleBase {
  /** The pattern is tried on texts that have one of these words: every match contains one. */
  readonly words: string;
  /** Global; every run in it is bounded. */
  readonly pattern: RegExp;
}
