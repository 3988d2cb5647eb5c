// What happens in a run, in plain words: each event in a line or two, with the tricks of whatever a model or a tool wrote
// made visible.

import type { RunEvent, RunOutcome } from '../agent/index.ts';
import { isJsonObject, type JsonValue, visible } from '../core/index.ts';
import type { Colour, Io } from './io.ts';

const longest = 160;

const colours = {
  ran: 'green',
  failed: 'yellow',
  refused: 'red',
  waits: 'yellow',
} as const satisfies Readonly<Record<string, Colour>>;

/** Shows one event. */
export function showEvent({ print, paint }: Pick<Io, 'print' | 'paint'>, event: RunEvent): void {
  for (const line of linesOf(event, paint)) print(line);
}

function linesOf(event: RunEvent, paint: Io['paint']): readonly string[] {
  switch (event.type) {
    case 'start': {
      const { runId, strategy, model, mode } = event;
      return [`run ${runId}: ${strategy}, ${visible(model, 80)}, mode ${mode}`];
    }
    case 'file':
      return [`file ${visible(event.name, longest)}: ${event.format}, as a ${event.as}`];
    case 'step':
      return [paint('dim', `step ${event.step}`)];
    case 'text':
      return [`  ${visible(event.text, 10 * longest)}`];
    case 'again':
      return [`  ${paint('yellow', 'asked again')}: what the model said may not be shown`];
    case 'call': {
      const server = event.server === undefined ? '' : `${event.server} `;
      return [`  ${server}${paint('bold', visible(event.tool, 80))} ${argumentsIn(event.arguments)}`];
    }
    case 'waiting':
      return [
        `  ${paint('yellow', 'waits for approval')}: ${visible(event.why, 2 * longest)}`,
        `  to approve, in another terminal: ${event.approval.how}`,
      ];
    case 'result': {
      const { outcome, output } = event;
      return [`  ${paint(colours[outcome], outcome)} ${visible(output, longest)}`];
    }
    case 'note':
      return [`  ${paint('yellow', 'note')}: ${visible(event.text, 2 * longest)}`];
    case 'end':
      return [endOf(event.outcome, paint)];
  }
}

/** How a run ended, in one line. */
function endOf(outcome: RunOutcome, paint: Io['paint']): string {
  const { completed, error = '', steps, durationSeconds, usage } = outcome;
  const word = completed ? paint('green', 'completed') : paint('red', 'incomplete');
  const why = completed ? '' : `: ${visible(error, 4 * longest)}`;
  const tokens = `${usage.inputTokens} + ${usage.outputTokens} tokens`;
  return `${word}${why} (${steps} step(s), ${durationSeconds} s, ${tokens})`;
}

/** The arguments of a call: the one text that most calls are about, or all of them. */
function argumentsIn(given: JsonValue): string {
  const entries = isJsonObject(given) ? Object.entries(given) : [];
  const [first] = entries;
  const plain = entries.length === 1 && typeof first?.[1] === 'string';
  return visible(plain ? String(first[1]) : JSON.stringify(given), longest);
}
