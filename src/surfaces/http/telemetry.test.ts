// Traces through the daemon: from the header of a request, over the decision, to the provider that may know.

import { describe, expect, it } from 'vitest';
import { testDaemon } from '../../../tests/support/daemon.ts';
import { answers, json, leadingTo, startProvider } from '../../../tests/support/llm.ts';
import { heardTelemetry } from '../../../tests/support/telemetry.ts';

const trace = '0af7651916cd43dd8448eb211c80319c';
const headers = { traceparent: `00-${trace}-b7ad6b7169203331-01` };
const question = 'What is in the box of ann?';

describe('a daemon with telemetry', () => {
  it('goes on with the trace of a request, and counts what waits for approval', async () => {
    const { telemetry, spans, metrics, collect } = heardTelemetry();
    const { decide, credential, daemon } = await testDaemon({ world: { telemetry } });
    const token = await credential();
    const { body } = await decide(token, 'https://example.com/', { headers });
    expect(body.decision).toBe('approve');
    expect(spans('sallyport.decide')).toMatchObject([
      { trace, parent: 'b7ad6b7169203331', attributes: { 'sallyport.decision_id': body.decisionId } },
    ]);
    await decide(token, 'https://example.org/');
    expect(spans('sallyport.decide')[1]?.trace).not.toBe(trace);
    await collect();
    expect(metrics('sallyport.approvals.waiting')).toMatchObject([{ value: 2 }]);
    await daemon.stop();
    await collect();
    expect(metrics('sallyport.approvals.waiting')).toHaveLength(1);
  });

  it.each([
    ['that is named', ['llm.openai'], true],
    ['that is not named', ['llm.anthropic'], false],
  ])('tells a provider %s of the trace or not, and counts tokens', async (_, propagateTo, knows) => {
    const { telemetry, all, spans, metrics } = heardTelemetry(propagateTo);
    const provider = await startProvider((__, response) =>
      json(response, answers.chat({ text: ['A secret.'] })),
    );
    const { call, credential } = await testDaemon({
      world: { telemetry },
      environment: { PROVIDER_KEY: 'provider-key' },
      configuration: leadingTo(provider.url),
    });
    const answer = await call('/llm/openai/v1/chat/completions', {
      headers: { ...headers, 'x-sallyport-key': await credential() },
      body: { model: 'gpt-test', messages: [{ role: 'user', content: question }] },
    });
    expect(answer.status).toBe(200);
    const [span] = spans('sallyport.llm');
    expect(span).toMatchObject({
      trace,
      attributes: {
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'gpt-test',
        'http.response.status_code': 200,
      },
      events: [{ name: 'gen_ai.usage', attributes: { 'gen_ai.usage.input_tokens': 7 } }],
    });
    expect(metrics('sallyport.tokens')).toMatchObject([
      { value: 7, attributes: { 'gen_ai.token.type': 'input' } },
      { value: 5, attributes: { 'gen_ai.token.type': 'output' } },
    ]);
    const sent = provider.asked[0]?.headers['traceparent'];
    expect(sent).toBe(knows ? `00-${trace}-${span?.id}-01` : undefined);
    expect(JSON.stringify(all)).not.toMatch(/box of ann|A secret/);
  });
});
