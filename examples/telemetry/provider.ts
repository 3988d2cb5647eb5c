// A provider of OpenTelemetry in one page, against the API alone: it hands on each span as it ends and each number as it
// is counted. For a look, and for tests; the SDK of OpenTelemetry does the same with exporters, batches and sampling.

import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import {
  type Attributes,
  type Context,
  type ContextManager,
  context,
  type MeterProvider,
  metrics,
  type ObservableCallback,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type TextMapPropagator,
  TraceFlags,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';

export type Reported =
  | {
      readonly span: string;
      readonly trace: string;
      readonly id: string;
      readonly parent: string | null;
      readonly attributes: Attributes;
      readonly events: readonly { readonly name: string; readonly attributes: Attributes }[];
      readonly status: string | null;
    }
  | { readonly metric: string; readonly value: number; readonly attributes: Attributes };

/** Registers the provider for this process; gives the way to ask for numbers that are looked up, and to take it away. */
export function register(tell: (told: Reported) => void): { collect(): Promise<void>; unregister(): void } {
  const gauges = new Map<string, Set<ObservableCallback>>();
  context.setGlobalContextManager(contexts());
  propagation.setGlobalPropagator(traceparent);
  trace.setGlobalTracerProvider({
    getTracer: () => ({ startSpan: (...given: Given) => startSpan(tell, ...given) }),
  } as unknown as TracerProvider);
  const instrument = (metric: string) => {
    const add = (value: number, attributes: Attributes = {}) => tell({ metric, value, attributes });
    return { add, record: add };
  };
  metrics.setGlobalMeterProvider({
    getMeter: () => ({
      createCounter: instrument,
      createHistogram: instrument,
      createObservableGauge: (name: string) => {
        const callbacks = gauges.get(name) ?? new Set();
        gauges.set(name, callbacks);
        return {
          addCallback: (callback: ObservableCallback) => callbacks.add(callback),
          removeCallback: (callback: ObservableCallback) => callbacks.delete(callback),
        };
      },
    }),
  } as unknown as MeterProvider);
  return {
    async collect() {
      for (const [metric, callbacks] of gauges) {
        const observe = (value: number, attributes: Attributes = {}) => tell({ metric, value, attributes });
        for (const callback of callbacks) await callback({ observe });
      }
    },
    unregister() {
      for (const api of [context, propagation, trace, metrics]) api.disable();
    },
  };
}

/** Keeps the context through everything that is awaited. */
function contexts(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (inside, work, self, ...given) => storage.run(inside, () => work.apply(self, given)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}

/** The W3C header `traceparent`. */
const traceparent: TextMapPropagator = {
  fields: () => ['traceparent'],
  inject(from, carrier, setter) {
    const { traceId, spanId } = trace.getSpanContext(from) ?? {};
    if (spanId !== undefined) setter.set(carrier, 'traceparent', `00-${traceId}-${spanId}-01`);
  },
  extract(into, carrier, getter) {
    const header = String(getter.get(carrier, 'traceparent') ?? '');
    const [, traceId, spanId] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(header) ?? [];
    if (traceId === undefined || spanId === undefined) return into;
    return trace.setSpanContext(into, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true });
  },
};

type Given = readonly [name: string, options?: { attributes?: Attributes }, parent?: Context];

function startSpan(
  tell: (told: Reported) => void,
  ...[name, options, parent = context.active()]: Given
): Span {
  const above = trace.getSpanContext(parent);
  const traceId = above?.traceId ?? randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  const attributes = { ...options?.attributes };
  const events: { name: string; attributes: Attributes }[] = [];
  let status: string | null = null;
  const span: Pick<Span, 'spanContext' | 'setAttributes' | 'addEvent' | 'setStatus' | 'end'> = {
    spanContext: () => ({ traceId, spanId, traceFlags: TraceFlags.SAMPLED }),
    setAttributes: (more) => {
      Object.assign(attributes, more);
      return span as Span;
    },
    addEvent: (event, more) => {
      events.push({ name: event, attributes: (more ?? {}) as Attributes });
      return span as Span;
    },
    setStatus: ({ message = '' }) => {
      status = message;
      return span as Span;
    },
    end: () =>
      tell({
        span: name,
        trace: traceId,
        id: spanId,
        parent: above?.spanId ?? null,
        attributes,
        events,
        status,
      }),
  };
  return span as Span;
}
