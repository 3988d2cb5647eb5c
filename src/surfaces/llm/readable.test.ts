// A stopped answer: asked for again while nothing of it was shown; then a text for agent hosts, an error for other clients.

import { describe, expect, it } from 'vitest';
import { testDaemon } from '../../../tests/support/daemon.ts';
import {
  answers,
  json,
  leadingTo,
  type Reply,
  type Script,
  startProvider,
  streams,
  type WireName,
} from '../../../tests/support/llm.ts';

const token = 'ghp_x7Qm2LzVb9Rk4TnWc8Jd5Hf3Gs6Yp1Aw0EuN'; // sallyport:allow
const message = 'Hello';

interface Asking {
  readonly path: (streamed: boolean) => string;
  readonly body: object;
  /** What ends an answer that the model itself ended. */
  readonly end: string;
  readonly userAgent: string;
}

const asking: Readonly<Record<WireName, Asking>> = {
  chat: {
    path: () => '/llm/openai/v1/chat/completions',
    body: { model: 'm', messages: [{ role: 'user', content: message }] },
    end: '"finish_reason":"stop"',
    userAgent: 'opencode/1.18.33 ai-sdk/provider-utils/3.0.20',
  },
  responses: {
    path: () => '/llm/openai/v1/responses',
    body: { model: 'm', input: message },
    end: '"incomplete_details":null',
    userAgent: 'codex_exec/0.169.0 (Debian 12.0.0; x86_64) unknown (codex_exec; 0.169.0)',
  },
  messages: {
    path: () => '/llm/anthropic/v1/messages',
    body: { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: message }] },
    end: '"stop_reason":"end_turn"',
    userAgent: 'claude-cli/2.1.326 (external, sdk-cli)',
  },
  gemini: {
    path: (streamed) =>
      `/llm/gemini/v1beta/models/m:${streamed ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: { contents: [{ role: 'user', parts: [{ text: message }] }] },
    end: '"finishReason":"STOP"',
    userAgent: 'GeminiCLI-tui/0.61.0/gemini-2.5-pro (linux; x64; terminal)',
  },
};

const filtered = /content_filter|"refusal"|"SAFETY"/;
const stopped =
  /\[Sallyport stopped this answer of the model\. Blocked: .*secret.* Details: sallyport why [0-9a-f-]+\]/;

async function setUp(wire: WireName, scripts: readonly Script[]) {
  const reply: Reply = (_, response, count) => {
    const script = scripts[Math.min(count, scripts.length) - 1] ?? {};
    if (streamed) void slowly(response, streams[wire](script));
    else json(response, answers[wire](script));
  };
  let streamed = true;
  const provider = await startProvider(reply);
  const setup = await testDaemon({
    environment: { PROVIDER_KEY: 'provider-key' },
    configuration: leadingTo(provider.url),
  });
  const key = await setup.credential();
  const ask = async (flows: boolean, userAgent: string) => {
    streamed = flows;
    const { path, body } = asking[wire];
    const answer = await fetch(`http://127.0.0.1:${setup.daemon.port}${path(flows)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-sallyport-key': key, 'user-agent': userAgent },
      body: JSON.stringify(wire === 'gemini' ? body : { ...body, stream: flows }),
    });
    return {
      status: answer.status,
      text: await answer.text(),
      decision: answer.headers.get('x-sallyport-decision'),
    };
  };
  return { ...setup, provider, ask };
}

/** Each event by itself, so that the first text is shown before the next one comes. */
async function slowly(response: Parameters<Reply>[1], texts: readonly string[]): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const text of texts) {
    response.write(text);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  response.end();
}

const leak: Script = { text: [`It is ${token}, keep it.`] };
const wires = ['chat', 'responses', 'messages', 'gemini'] as const;

describe.each(wires)('a stopped answer, %s', (wire) => {
  const { userAgent, end } = asking[wire];

  it('is asked for again while nothing of it was shown, and nobody sees the first', async () => {
    const setup = await setUp(wire, [leak, { text: ['It is in ', 'the vault.'] }]);
    for (const agent of [userAgent, 'OpenAI/JS 6.0.0']) {
      setup.provider.asked.length = 0;
      const seen = await setup.ask(true, agent);
      expect(seen.status).toBe(200);
      expect(seen.text).toContain('the vault');
      expect(seen.text).not.toMatch(/Sallyport|decision_id|ghp_/);
      expect(setup.provider.asked).toHaveLength(2);
      const again = JSON.stringify(setup.provider.asked[1]?.body);
      expect(again).toContain('Answer again without it');
      expect(again).not.toContain(token);
    }
    const closed = await setup.ledger.audit.list({ eventType: 'stream_closed', limit: 2 });
    expect(closed).toMatchObject([
      { decision: 'pass', details: { ended: 'complete' } },
      { decision: 'block', details: { ended: 'blocked' } },
    ]);
    const [opened] = await setup.ledger.audit.list({ eventType: 'stream_opened', limit: 1 });
    expect(opened?.details['regenerates']).toBe(closed[1]?.decision_id);
    expect(await setup.ledger.audit.list({ eventType: 'response_rejected' })).toHaveLength(2);
  });

  it('then ends for an agent host as a text, asked for twice', async () => {
    const setup = await setUp(wire, [leak]);
    const seen = await setup.ask(true, userAgent);
    expect(seen.status).toBe(200);
    expect(seen.text).toMatch(stopped);
    expect(seen.text).toContain(end);
    expect(seen.text).not.toMatch(/content_filter|"stop_reason":"refusal"|"SAFETY"|ghp_/);
    expect(seen.text).toContain(`sallyport why ${seen.decision}]`);
    expect(setup.provider.asked).toHaveLength(2);
  });

  it('and for any other client as what the provider stopped', async () => {
    const setup = await setUp(wire, [leak]);
    const seen = await setup.ask(true, 'OpenAI/JS 6.0.0');
    expect(seen.text).toMatch(filtered);
    expect(seen.text).not.toMatch(stopped);
    expect(setup.provider.asked).toHaveLength(2);
  });

  it('is not asked for again once some of it was shown', async () => {
    const script = {
      text: ['I looked for it in all the files, ', 'and then I found it. ', ...(leak.text ?? [])],
    };
    const setup = await setUp(wire, [script]);
    const seen = await setup.ask(true, userAgent);
    expect(seen.text).toContain('I looked for it');
    expect(seen.text).toMatch(stopped);
    expect(seen.text).toContain(end);
    expect(seen.text).not.toContain('ghp_');
    expect(setup.provider.asked).toHaveLength(1);
  });

  it('shows nothing of a call that was stopped before any of it was shown', async () => {
    const setup = await setUp(wire, [{ call: [JSON.stringify({ token })] }]);
    const seen = await setup.ask(true, userAgent);
    expect(seen.text).toMatch(stopped);
    expect(seen.text).not.toMatch(/write_file|ghp_/);
  });

  it('ends as a text for an agent host that does not stream, too', async () => {
    const setup = await setUp(wire, [leak]);
    const seen = await setup.ask(false, userAgent);
    expect(seen.status).toBe(200);
    expect(seen.text).toMatch(/\[Sallyport stopped this answer of the model\. .*secret/);
    expect(seen.text).toContain(end);
    const other = await setup.ask(false, 'OpenAI/JS 6.0.0');
    expect(other.status).toBe(400);
  });
});
