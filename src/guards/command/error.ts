// The tool error of a refused command, and the same finding as a sentence for a person: every surface uses these.

import type { Finding } from '../../core/index.ts';

/** What a tool that was refused answers. */
export interface CommandError {
  readonly error: string;
  readonly rule: string;
  readonly layer?: 1 | 2 | 3;
}

/** The error of a refused command: that of the lowest layer that refuses it. Null: nothing does. */
export function refusal(findings: readonly Finding[]): CommandError | null {
  const [first] = findings
    .filter(({ decision }) => decision === 'block')
    .sort((a, b) => (a.layer ?? 0) - (b.layer ?? 0));
  return first === undefined ? null : commandError(first);
}

/**
 * The error of one finding. Its sentence is the beginning of the finding's message, up to the rule's id in quotes;
 * a finding of the path itself has no layer and is shown whole.
 */
export function commandError({ message, rule, layer }: Finding): CommandError {
  const end = message.indexOf(`'${rule}': `);
  const sentence = end === -1 || layer === undefined ? message : message.slice(0, end + rule.length + 2);
  const error = `Command blocked by safety rule: ${sentence}`;
  return layer === undefined ? { error, rule } : { error, rule, layer };
}

/**
 * The message of a finding as a person reads it: "`rm -rf /` deletes / (mass_deletion)" instead of the sentence of the tool error. A finding
 * without a layer has no such sentence, and is given whole.
 */
export function plainMessage({ message, rule, layer }: Pick<Finding, 'message' | 'rule' | 'layer'>): string {
  if (layer === undefined) return message;
  const marker = `'${rule}': `;
  const end = message.indexOf(marker);
  const subject = /^[A-Z][a-z]+ '(.*)' (?:matches|violates) [a-z ]+$/s.exec(
    message.slice(0, Math.max(0, end)),
  )?.[1];
  if (subject === undefined) return message;
  const why = message.slice(end + marker.length).replace(/\.$/, '');
  const quoted = subject.includes('`') ? `"${subject}"` : `\`${subject}\``;
  return `${quoted}${why.startsWith('it ') ? why.slice('it'.length) : `: ${why}`} (${rule})`;
}

/** The same for a message alone, as the log and permissions hold it: the rule and the layer stand in its sentence. */
export function plainSentence(message: string): string {
  const [, rule] = /' (?:matches|violates) [a-z ]+'(\w+)': /.exec(message) ?? [];
  return rule === undefined ? message : plainMessage({ message, rule, layer: 1 });
}
