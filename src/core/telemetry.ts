// The data for an operator's tracer: operations, their results and durations. INVARIANT: never their content.

/** Names, numbers and flags of ours and of the configuration; no text that an agent, a user or a tool wrote. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** A piece of work that is under way. */
export interface Span {
  set(attributes: Attributes): void;
}

/** A span that its opener ends. */
export interface OpenSpan extends Span {
  end(): void;
}

/** The counters, and the durations in seconds. */
type Counted = 'sallyport.decisions' | 'sallyport.tokens';
type Measured = 'sallyport.decision.duration';

/** Hands on to the tracer and the meter of the operator's own. INVARIANT: never throws, and never does work twice. */
export interface Telemetry {
  /** Runs work under a span; its own spans are children of that span, and its error marks it. */
  span<T>(name: string, attributes: Attributes, work: (span: Span) => Promise<T>): Promise<T>;
  /** A span over work that does not end where it begins, such as a stream. */
  open(name: string, attributes: Attributes): OpenSpan;
  /** Notes something in the span under way. */
  event(name: string, attributes: Attributes): void;
  /** Does some work as a part of the trace that the headers of a request name. */
  within<T>(headers: Readonly<Record<string, unknown>>, work: () => Promise<T>): Promise<T>;
  /** The headers by which another service continues the trace; empty for one that the operator did not name. */
  headersFor(service: string): Readonly<Record<string, string>>;
  count(name: Counted, by: number, attributes: Attributes): void;
  measure(name: Measured, seconds: number, attributes: Attributes): void;
  /** Reads a number whenever the meter requests it; returns the function to stop. */
  observe(name: 'sallyport.approvals.waiting', read: () => Promise<number>): () => void;
}

/** Reports a model's input and output tokens. */
export function countTokens(
  telemetry: Telemetry | undefined,
  { input, output }: { readonly input: number; readonly output: number },
  provider: string,
): void {
  telemetry?.event('gen_ai.usage', {
    'gen_ai.usage.input_tokens': input,
    'gen_ai.usage.output_tokens': output,
  });
  for (const [type, tokens] of Object.entries({ input, output })) {
    const attributes = { 'gen_ai.token.type': type, 'gen_ai.provider.name': provider };
    telemetry?.count('sallyport.tokens', tokens, attributes);
  }
}

const noSpan: Span = { set: () => undefined };

/** Does some work under a span where telemetry is on, and just does it where it is off. */
export function spanned<T>(
  telemetry: Telemetry | undefined,
  name: string,
  attributes: Attributes,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  return telemetry === undefined ? work(noSpan) : telemetry.span(name, attributes, work);
}
