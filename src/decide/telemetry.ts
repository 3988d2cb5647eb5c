// Telemetry over the API of OpenTelemetry, which hands it to the provider that the operator registered. The package is
// loaded only where the configuration asks for it. INVARIANT: a tracer that fails changes no verdict and stops no work.

import type * as Otel from '@opentelemetry/api';
import { type Attributes, type OpenSpan, SallyportError, type Telemetry } from '../core/index.ts';

/** The configuration enables telemetry, and the package that it needs is not installed. */
class TelemetryMissing extends SallyportError {}

/** The part of the API that is used. */
export type Api = Pick<typeof Otel, 'context' | 'metrics' | 'propagation' | 'trace' | 'SpanStatusCode'>;

/** Telemetry for the named services; throws `TelemetryMissing`. */
export async function openTelemetry(propagateTo: readonly string[]): Promise<Telemetry> {
  try {
    return telemetryOn(await import('@opentelemetry/api'), propagateTo);
  } catch (error) {
    throw new TelemetryMissing('telemetry needs the package @opentelemetry/api', {
      hint: 'install it with sallyport, or set telemetry.enabled to false',
      cause: error,
    });
  }
}

/** An error in a part of an exporter stays there. */
function quietly<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Telemetry over an API; `propagateTo` names the services that may learn which trace a request belongs to. */
export function telemetryOn(api: Api, propagateTo: readonly string[]): Telemetry {
  const { context, trace, propagation } = api;
  const tracer = quietly(() => trace.getTracer('sallyport'));
  const meter = quietly(() => api.metrics.getMeter('sallyport'));
  const decisions = quietly(() =>
    meter?.createCounter('sallyport.decisions', { description: 'Decisions, by kind, verdict and guard.' }),
  );
  const tokens = quietly(() =>
    meter?.createCounter('sallyport.tokens', { description: 'Tokens of models.', unit: '{token}' }),
  );
  const duration = quietly(() =>
    meter?.createHistogram('sallyport.decision.duration', {
      description: 'How long decisions take.',
      unit: 's',
    }),
  );
  const counters = { 'sallyport.decisions': decisions, 'sallyport.tokens': tokens };

  function begin(
    name: string,
    attributes: Attributes,
  ): { span: Otel.Span; inside: Otel.Context } | undefined {
    return quietly(() => {
      const span = tracer?.startSpan(name, { attributes: plain(attributes) });
      return span === undefined ? undefined : { span, inside: trace.setSpan(context.active(), span) };
    });
  }

  /** Runs work in a context. INVARIANT: once, however the context manager behaves. */
  async function inContext<T>(inside: Otel.Context | undefined, work: () => Promise<T>): Promise<T> {
    let begun: Promise<T> | undefined;
    const start = () => {
      begun ??= (async () => await work())();
    };
    if (inside !== undefined) quietly(() => context.with(inside, start));
    return await (begun ?? work());
  }

  const openSpan = (span: Otel.Span | undefined): OpenSpan => ({
    set: (more) => void quietly(() => span?.setAttributes(plain(more))),
    end: () => void quietly(() => span?.end()),
  });

  return {
    async span(name, attributes, work) {
      const begun = begin(name, attributes);
      const open = openSpan(begun?.span);
      try {
        return await inContext(begun?.inside, () => work(open));
      } catch (error) {
        // The message of an error may contain judged data; its name does not.
        const message = error instanceof Error ? error.name : 'unknown';
        quietly(() => begun?.span.setStatus({ code: api.SpanStatusCode.ERROR, message }));
        throw error;
      } finally {
        open.end();
      }
    },
    open: (name, attributes) => openSpan(begin(name, attributes)?.span),
    event: (name, attributes) => void quietly(() => trace.getActiveSpan()?.addEvent(name, plain(attributes))),
    within: (headers, work) =>
      inContext(
        quietly(() => propagation.extract(context.active(), headers)),
        work,
      ),
    headersFor(service) {
      const headers: Record<string, string> = {};
      if (propagateTo.includes(service)) quietly(() => propagation.inject(context.active(), headers));
      return headers;
    },
    count: (name, by, attributes) => void quietly(() => counters[name]?.add(by, plain(attributes))),
    measure: (_, seconds, attributes) => void quietly(() => duration?.record(seconds, plain(attributes))),
    observe(name, read) {
      const gauge = quietly(() => meter?.createObservableGauge(name));
      const callback: Otel.ObservableCallback = async (result) => {
        const value = await read().catch(() => undefined);
        if (value !== undefined) quietly(() => result.observe(value));
      };
      quietly(() => gauge?.addCallback(callback));
      return () => void quietly(() => gauge?.removeCallback(callback));
    },
  };
}

/** Attributes as the API takes them, whose lists may be written to. */
function plain(attributes: Attributes): Otel.Attributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, typeof value === 'object' ? [...value] : value]),
  );
}
