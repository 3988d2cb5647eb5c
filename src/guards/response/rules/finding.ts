// Builds findings and examples, so that every rule of this guard writes them alike.

import type { Example, Finding, Given, Rule } from '../../../core/index.ts';

/** One hit of a rule; the message holds names, and nothing of the text. */
export function hit(rule: Rule, message: string, span?: readonly [number, number]): Finding {
  const { id, decision, suggestion, contract } = rule;
  return {
    rule: id,
    guard: 'response',
    decision,
    message,
    ...(contract === undefined ? {} : { contract }),
    pointer: '/text',
    ...(span === undefined ? {} : { span }),
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

/** A response as an example. */
export function response(text: string, given?: Given): Example {
  return given === undefined
    ? { action: { kind: 'response', text } }
    : { action: { kind: 'response', text }, given };
}
