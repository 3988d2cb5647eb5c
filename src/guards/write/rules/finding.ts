// Builds findings and examples, so that every rule of this guard writes them alike.

import { type Example, type Finding, type Given, type Rule, visible } from '../../../core/index.ts';

type Decision = Finding['decision'];

/** Where a finding points, and what is special about it. */
export interface Place {
  readonly pointer: string;
  readonly decision?: Decision;
  readonly suggestion?: string;
  readonly grant?: string | undefined;
}

/** One hit of a rule; the message holds a path at most. */
export function hit(rule: Rule, message: string, place: Place): Finding {
  const suggestion = place.suggestion ?? rule.suggestion;
  return {
    rule: rule.id,
    guard: 'write',
    decision: place.decision ?? rule.decision,
    message,
    ...(rule.contract === undefined ? {} : { contract: rule.contract }),
    pointer: place.pointer,
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(place.grant === undefined ? {} : { grant: place.grant }),
  };
}

/** A path for a sentence. */
export function shown(path: string): string {
  return visible(path, 80);
}

/** An example of a file that is written. */
export function write(path: string, content = 'a\n', given: Given = {}): Example {
  return { action: { kind: 'write', path, content }, given };
}

/** An example of bytes that are written. */
export function writeBytes(contentBase64: string): Example {
  return { action: { kind: 'write', path: 'src/a.ts', contentBase64 } };
}

/** An example of a file that is read. */
export function read(path: string, given: Given = {}): Example {
  return { action: { kind: 'read', path }, given };
}
