// Scripts that stand in words: what `$(…)` prints, what `<(…)` is read as, and what `>(…)` is fed.

import type { ParsedScript } from 'unbash';
import { Input } from '../environment.ts';
import type { Expander } from '../fields.ts';
import { type Span, TooManySteps } from '../findings.ts';
import { type Text, unknownText } from '../values.ts';
import { type Analysis, type Frame, maxWalkDepth, type Sink } from './analysis.ts';

/** What the expansion of words asks of the walk. */
export function expanderFor(frame: Frame, span: Span): Expander {
  return {
    environment: frame.environment,
    spend: (steps) => frame.analysis.spend(steps),
    noteLost: () => frame.analysis.noteUnknown('a text that is too long to be followed', span),
    capture: (script) => frame.analysis.walker.statements(script.commands, insideOf(script, frame, span)),
    substitute: (script, operator) => substitute(script, operator, frame, span),
  };
}

function insideOf(script: ParsedScript, frame: Frame, span: Span): Frame {
  const own = script.source !== undefined;
  if (frame.depth > maxWalkDepth) throw new TooManySteps('the command is nested too deeply to be followed');
  return {
    ...frame,
    environment: frame.environment.child(),
    source: script.source ?? frame.source,
    span: frame.span ?? (own ? span : null),
    depth: frame.depth + 1,
  };
}

function substitute(script: ParsedScript, operator: '<' | '>', frame: Frame, span: Span): string {
  frame.analysis.counter += 1;
  const path = `/dev/fd/${1000 - frame.analysis.counter}`;
  const inner = insideOf(script, frame, span);
  if (operator === '>') frame.analysis.sinks.set(path, { script, frame: inner, fed: false });
  else
    frame.analysis.files.set(path, {
      text: frame.analysis.walker.statements(script.commands, inner),
      substitution: true,
    });
  return path;
}

/** Runs the script behind `>(…)` with what was sent to it. */
export function feedSink(sink: Sink, text: Text): void {
  sink.fed = true;
  // `exec > >(…)` sends there what the shell prints, and not what the script there prints.
  const environment = sink.frame.environment.child();
  environment.descriptors.set('1', null);
  sink.frame.analysis.walker.statements(sink.script.commands, {
    ...sink.frame,
    environment,
    input: new Input(text, true),
  });
}

/** Scripts behind `>(…)` that nothing was sent to run all the same. */
export function feedRest(analysis: Analysis, before: number): void {
  if (analysis.sinks.size === before) return;
  for (const sink of [...analysis.sinks.values()].slice(before)) if (!sink.fed) feedSink(sink, unknownText());
}
