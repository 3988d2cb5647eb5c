// A decider that reports its decisions to a tracer: their kind, their verdict and the rules that were hit.

import type { OpenSpan, Span, Telemetry, Verdict } from '../core/index.ts';
import type { Decider, DecisionStream } from './types.ts';

/** The decider with a span, a count and a duration for each decision. */
export function traced(decider: Decider, telemetry: Telemetry): Decider {
  const note = (
    span: Span,
    kind: string,
    { decision, findings, decisionId }: Verdict,
    start: number,
  ): void => {
    const deciding = findings.find((finding) => finding.decision === decision);
    const verdict = { 'sallyport.kind': kind, 'sallyport.decision': decision };
    span.set({
      ...verdict,
      'sallyport.rules': [...new Set(findings.map(({ rule }) => rule))],
      'sallyport.decision_id': decisionId,
    });
    telemetry.count('sallyport.decisions', 1, { ...verdict, 'sallyport.guard': deciding?.guard ?? 'none' });
    telemetry.measure('sallyport.decision.duration', (performance.now() - start) / 1000, verdict);
  };
  return {
    ...decider,
    decide: (action, context) =>
      telemetry.span('sallyport.decide', { 'sallyport.kind': action.kind }, async (span) => {
        const start = performance.now();
        const decided = await decider.decide(action, context);
        note(span, action.kind, decided.verdict, start);
        return decided;
      }),
    async decideStream(kind, context, opening) {
      const start = performance.now();
      const span = telemetry.open('sallyport.decide', { 'sallyport.kind': kind, 'sallyport.streamed': true });
      try {
        const stream = await decider.decideStream(kind, context, opening);
        return ending(stream, span, (verdict) => note(span, kind, verdict, start));
      } catch (error) {
        span.end();
        throw error;
      }
    },
    under: (terms) => traced(decider.under(terms), telemetry),
  };
}

/** The stream, with a span that ends when it ends; a second call of its end reports nothing. */
function ending(stream: DecisionStream, span: OpenSpan, note: (verdict: Verdict) => void): DecisionStream {
  let over = false;
  return {
    decisionId: stream.decisionId,
    get blocked() {
      return stream.blocked;
    },
    get awaits() {
      return stream.awaits;
    },
    push: (piece, channel) => stream.push(piece, channel),
    finish: (channel) => stream.finish(channel),
    stop: (why) => stream.stop(why),
    async end(closing) {
      const ended = await stream.end(closing);
      if (!over) note(ended.verdict);
      if (!over) span.end();
      over = true;
      return ended;
    },
  };
}
