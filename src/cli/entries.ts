// Entries of the log as a person reads them: when, what was decided, about what, by which rule, whose, and how long it took.

import { eventText, isProbe, rulesOf, whatOf } from '../core/entry-text.ts';
import { visible } from '../core/index.ts';
import type { Entry } from '../ledger/index.ts';
import type { Colour, Io } from './io.ts';

/** The words of verdicts that people see. */
const words: Readonly<Record<string, readonly [string, Colour]>> = {
  pass: ['Passed', 'green'],
  redact: ['Redacted', 'yellow'],
  approve: ['Asked', 'yellow'],
  block: ['Blocked', 'red'],
};

const wordWidth = 9;
/** Characters of a decision's id: its time and some more, enough for `why` to tell it from the others. */
const shortId = 18;

/** A time in the zone of this machine: 2026-11-18 21:05:07. */
export function localTime(time: number): string {
  const at = new Date(time);
  const two = (number: number) => String(number).padStart(2, '0');
  const date = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${date} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')}`;
}

/** An entry in one line. */
export function entryLine(paint: Io['paint'], entry: Entry): string {
  const { time, event_type: type, agent, decision, decision_id: id, details } = entry;
  const [word, colour] = words[decision ?? ''] ?? ['', 'dim'];
  const isDecision = type === 'decision' && decision !== undefined;
  const shown = isDecision
    ? paint(colour, word.padEnd(wordWidth))
    : paint('dim', type.replaceAll('_', ' ').padEnd(wordWidth));
  const ms = typeof details['ms'] === 'number' ? [`${details['ms']} ms`] : [];
  const notes = [
    ...(isProbe(entry) ? ['a probe of the doctor'] : []),
    ...rulesOf(entry),
    ...(agent === '' ? [] : [visible(agent, 40)]),
    ...ms,
    ...(id === undefined ? [] : [id.slice(0, shortId)]),
  ];
  const about = isDecision ? whatOf(details) : eventText(details);
  return [localTime(time), shown, about, notes.length === 0 ? '' : paint('dim', `(${notes.join(', ')})`)]
    .filter((part) => part !== '')
    .join('  ');
}
