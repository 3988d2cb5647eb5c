// A provider of OpenTelemetry for tests, which keeps what it is told.

import * as api from '@opentelemetry/api';
import { onTestFinished } from 'vitest';
import { type Reported, register } from '../../examples/telemetry/provider.ts';
import { telemetryOn } from '../../src/decide/telemetry.ts';

export type Spanned = Extract<Reported, { readonly span: string }>;
export type Metered = Extract<Reported, { readonly metric: string }>;

/** Registers the provider until the test is over; services that are named learn of traces. */
export function heardTelemetry(propagateTo: readonly string[] = []) {
  const all: Reported[] = [];
  const { collect, unregister } = register((told) => all.push(told));
  onTestFinished(unregister);
  return {
    telemetry: telemetryOn(api, propagateTo),
    collect,
    all,
    spans: (name: string) => all.filter((told): told is Spanned => 'span' in told && told.span === name),
    metrics: (name: string) =>
      all.filter((told): told is Metered => 'metric' in told && told.metric === name),
  };
}
