// Builds findings and examples, so that every rule of this guard writes them alike.

import type { ActionOf, Example, Finding, Given, Rule } from '../../../core/index.ts';
import type { Span } from '../facts.ts';

/** The clause of the agent contract that this guard serves. */
export const contract = 'AG-TOOL-6';

/** Where a finding points, and what it offers. */
export interface Place {
  readonly pointer: string;
  readonly span?: Span | undefined;
  readonly suggestion?: string | undefined;
  readonly decision?: Finding['decision'];
  readonly grant?: string;
}

/** One hit of a rule; the message holds no payload beyond a host, a method or a header's name. */
export function hit(rule: Rule, message: string, place: Place): Finding {
  const suggestion = place.suggestion ?? rule.suggestion;
  return {
    rule: rule.id,
    guard: 'fetch',
    decision: place.decision ?? rule.decision,
    message,
    ...(rule.contract === undefined ? {} : { contract: rule.contract }),
    pointer: place.pointer,
    ...(place.span === undefined ? {} : { span: place.span }),
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(place.grant === undefined ? {} : { grant: place.grant }),
  };
}

/** An example of a request; the rest of the action may follow the surroundings. */
export function request(url: string, given: Given = {}, rest: Partial<ActionOf<'fetch'>> = {}): Example {
  return { action: { ...rest, kind: 'fetch', url }, given };
}

/** Surroundings in which the list holds these entries. */
export function listing(...entries: readonly string[]): Given {
  return { agent: { egress_allowlist: entries } };
}

/** Surroundings in which the list holds one name, and what that name resolves to. */
export function resolving(name: string, ...addresses: readonly string[]): Given {
  return { ...listing(name), resolves: { [name]: addresses } };
}
