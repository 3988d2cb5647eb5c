// Builds findings and examples, so that every rule of this guard writes them alike.

import type { ActionOf, Example, Extraction, Finding, Given, Rule } from '../../../core/index.ts';
import type { PromptText } from '../facts.ts';

/** Where a finding points, and what is special about it. */
export interface Place extends Pick<PromptText, 'pointer'> {
  readonly span?: readonly [number, number] | undefined;
  readonly decision?: Finding['decision'];
  readonly confidence?: number;
}

/** One hit of a rule; the message holds nothing of the text. */
export function hit(rule: Rule, message: string, place: Place): Finding {
  const { pointer, span, decision = rule.decision, confidence } = place;
  return {
    rule: rule.id,
    guard: 'prompt',
    decision,
    message,
    ...(rule.contract === undefined ? {} : { contract: rule.contract }),
    pointer,
    ...(span === undefined ? {} : { span }),
    ...(rule.suggestion === undefined ? {} : { suggestion: rule.suggestion }),
    ...(confidence === undefined ? {} : { confidence }),
  };
}

type Origin = NonNullable<ActionOf<'prompt'>['origin']>;

/** An example of a text. */
export function says(text: string, origin: Origin = 'user', given: Given = {}): Example {
  return { action: { kind: 'prompt', text, origin }, given };
}

/** An example of a text file with a name. */
export function named(name: string, text: string, given: Given = {}): Example {
  return { action: { kind: 'prompt', text, origin: 'file', name }, given };
}

/** An example of a file, and of what is read out of it. */
export function file(extracted: Extraction, origin: Origin = 'file', given: Given = {}): Example {
  return { action: { kind: 'prompt', contentBase64: 'AA==', origin }, given: { ...given, extracted } };
}

/** What is read out of a file whose reader sees this. */
export function showing(text: string, type = 'pdf'): Extraction {
  return { problem: null, type, texts: [{ text, place: 'the text' }] };
}
