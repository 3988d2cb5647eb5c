// The data that a tracer receives about decisions; a tracer that fails changes no verdict.

import * as otel from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import {
  context,
  finding,
  guardOf,
  judgement,
  saying,
  stillWorld,
  testDecider,
} from '../../tests/support/decide.ts';
import { openTestLedger } from '../../tests/support/ledger.ts';
import { heardTelemetry } from '../../tests/support/telemetry.ts';
import type { Telemetry } from '../core/index.ts';
import { type Api, telemetryOn } from './telemetry.ts';

const secret = 'https://shop.example/?for=ann';
const action = { kind: 'fetch', url: secret } as const;

async function deciderWith(telemetry: Telemetry, guards = [saying(finding({ message: `no: ${secret}` }))]) {
  return testDecider({ ledger: await openTestLedger(), guards, world: { ...stillWorld(), telemetry } });
}

describe('a decision', () => {
  it('is a span with its verdict, its rules and the time of each guard, and with no text', async () => {
    const { telemetry, all, spans, metrics } = heardTelemetry();
    const decider = await deciderWith(telemetry);
    const { verdict } = await decider.decide(action, context);
    expect(verdict.decision).toBe('block');
    const [span] = spans('sallyport.decide');
    expect(span).toMatchObject({
      attributes: {
        'sallyport.kind': 'fetch',
        'sallyport.decision': 'block',
        'sallyport.rules': ['a_rule'],
        'sallyport.decision_id': verdict.decisionId,
      },
      events: [
        {
          name: 'sallyport.guard',
          attributes: { 'sallyport.guard': 'fetch', 'sallyport.guard.ms': expect.any(Number) },
        },
      ],
    });
    const by = { 'sallyport.kind': 'fetch', 'sallyport.decision': 'block' };
    expect(metrics('sallyport.decisions')).toMatchObject([
      { value: 1, attributes: { ...by, 'sallyport.guard': 'fetch' } },
    ]);
    expect(metrics('sallyport.decision.duration')).toMatchObject([{ attributes: by }]);
    expect(JSON.stringify(all)).not.toContain('shop.example');
  });

  it('tells of a guard that failed by its name alone', async () => {
    const { telemetry, all, spans } = heardTelemetry();
    const failing = guardOf(['fetch'], () => {
      throw new Error(secret);
    });
    await (await deciderWith(telemetry, [failing])).decide(action, context);
    expect(spans('sallyport.decide')[0]?.events).toEqual([
      { name: 'sallyport.guard_error', attributes: { 'sallyport.guard': 'fetch' } },
    ]);
    expect(JSON.stringify(all)).not.toContain('shop.example');
  });

  it('that flows is one span, ended with the stream', async () => {
    const { telemetry, spans, metrics } = heardTelemetry();
    const guard = guardOf(['response'], () => judgement({ findings: [finding()] }));
    const stream = await (await deciderWith(telemetry, [guard])).decideStream('response', context);
    await stream.push('a text');
    expect(spans('sallyport.decide')).toEqual([]);
    const { verdict } = await stream.end();
    expect(stream.blocked).toBe(true);
    expect(spans('sallyport.decide')).toMatchObject([
      { attributes: { 'sallyport.decision': verdict.decision, 'sallyport.decision_id': stream.decisionId } },
    ]);
    expect(metrics('sallyport.decisions')).toHaveLength(1);
  });

  it('that is only tried out is told to nobody', async () => {
    const { telemetry, all } = heardTelemetry();
    const world = { ...stillWorld(), telemetry };
    await testDecider({ guards: [saying(finding())], world }).decide(action, context);
    expect(all.filter((told) => 'metric' in told || told.span === 'sallyport.decide')).toEqual([]);
  });
});

describe('telemetry', () => {
  const broken = new Proxy(
    {},
    {
      get: () => () => {
        throw new Error('the exporter is down');
      },
    },
  );

  it.each([
    ['cannot even be asked for a tracer', { ...otel, trace: broken, metrics: broken }],
    ['fails at each call', { ...otel, context: broken, propagation: broken }],
    ['has a tracer and a meter that fail', { ...otel, trace: { ...otel.trace, getTracer: () => broken } }],
  ])('that %s does the work all the same, once', async (_, api) => {
    const telemetry = telemetryOn(api as unknown as Api, ['llm.openai']);
    let count = 0;
    const work = async () => ++count;
    expect(await telemetry.span('sallyport.decide', {}, work)).toBe(1);
    expect(await telemetry.within({}, work)).toBe(2);
    telemetry.event('sallyport.guard', {});
    telemetry.count('sallyport.decisions', 1, {});
    telemetry.measure('sallyport.decision.duration', 1, {});
    telemetry.open('sallyport.decide', {}).end();
    telemetry.observe('sallyport.approvals.waiting', async () => 1)();
    expect(telemetry.headersFor('llm.openai')).toEqual({});
    const { verdict } = await (await deciderWith(telemetry)).decide(action, context);
    expect(verdict.decision).toBe('block');
  });

  it('hands on what work throws, and names it in the span by its class', async () => {
    const { telemetry, spans, all } = heardTelemetry();
    const failing = telemetry.span('sallyport.call', {}, async () => {
      throw new TypeError(secret);
    });
    await expect(failing).rejects.toThrow(TypeError);
    expect(spans('sallyport.call')).toMatchObject([{ status: 'TypeError' }]);
    expect(JSON.stringify(all)).not.toContain('shop.example');
  });

  it('tells of a trace only the services that are named', async () => {
    const { telemetry } = heardTelemetry(['llm.openai']);
    await telemetry.span('sallyport.llm', {}, async () => {
      expect(telemetry.headersFor('llm.openai')).toEqual({ traceparent: expect.stringMatching(/^00-/) });
      expect(telemetry.headersFor('llm.other')).toEqual({});
      expect(telemetry.headersFor('servers.openai')).toEqual({});
    });
  });
});
