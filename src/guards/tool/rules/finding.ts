// Builds findings and examples, so that every rule of this guard writes them alike.

import type { ActionOf, Example, Finding, Given, JsonObject, Rule, ToolSpec } from '../../../core/index.ts';

/** Where a finding points, and what it offers. */
export interface Place {
  readonly pointer?: string;
  readonly suggestion?: string;
  readonly grant?: string;
}

/** One hit of a rule; the message holds names, and no values of arguments. */
export function hit(rule: Rule, message: string, { pointer, suggestion, grant }: Place = {}): Finding {
  const advice = suggestion ?? rule.suggestion;
  return {
    rule: rule.id,
    guard: 'tool',
    decision: rule.decision,
    message,
    ...(rule.contract === undefined ? {} : { contract: rule.contract }),
    ...(pointer === undefined ? {} : { pointer }),
    ...(advice === undefined ? {} : { suggestion: advice }),
    ...(grant === undefined ? {} : { grant }),
  };
}

/** A call as an example. */
export function call(
  tool: string,
  given: JsonObject = {},
  surroundings?: Given,
  rest: Partial<ActionOf<'tool'>> = {},
): Example {
  const action: ActionOf<'tool'> = { ...rest, kind: 'tool', tool, arguments: given };
  return surroundings === undefined ? { action } : { action, given: surroundings };
}

/** Surroundings in which these tools are registered. */
export function having(...tools: readonly ToolSpec[]): Given {
  return { tools };
}
