// The proxy as real clients meet it: the SDKs of both providers, through a daemon, to a provider on the loopback.

import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { testDaemon } from '../../../tests/support/daemon.ts';
import {
  answers,
  events,
  json,
  leadingTo,
  type Reply,
  type Script,
  startProvider,
  streams,
  type WireName,
} from '../../../tests/support/llm.ts';

const wires = ['chat', 'responses', 'messages'] as const;
const key = 'provider-key-for-tests';

async function setUp(reply: Reply, more = '', options: Parameters<typeof testDaemon>[0] = {}) {
  const provider = await startProvider(reply);
  const daemon = await testDaemon({
    environment: { PROVIDER_KEY: key },
    configuration: leadingTo(provider.url, more),
    ...options,
  });
  const token = await daemon.credential({ agent: 'coder' });
  const base = `http://127.0.0.1:${daemon.daemon.port}`;
  const openai = new OpenAI({ apiKey: token, baseURL: `${base}/llm/openai/v1`, maxRetries: 0 });
  const anthropic = new Anthropic({ apiKey: token, baseURL: `${base}/llm/anthropic`, maxRetries: 0 });
  return { provider, daemon, token, base, openai, anthropic };
}

type Setup = Awaited<ReturnType<typeof setUp>>;

/** What a client has of an answer. */
interface Seen {
  readonly text: string;
  readonly reasoning: string;
  readonly call: string;
  readonly end: string | null | undefined;
  readonly error: string | null;
  /** Everything that came, in one text. */
  readonly raw: string;
}

async function collect(setup: Setup, wire: WireName, streamed: boolean, prompt = 'Hello'): Promise<Seen> {
  let [text, reasoning, call, raw] = ['', '', '', ''];
  let end: string | null | undefined;
  const seen = (error: string | null): Seen => ({ text, reasoning, call, end, error, raw });
  const keep = (value: unknown) => {
    raw += JSON.stringify(value);
  };
  const { openai, anthropic } = setup;
  try {
    if (wire === 'chat') {
      const asked = { model: 'gpt-test', messages: [{ role: 'user' as const, content: prompt }] };
      type Told = {
        content?: string | null;
        reasoning_content?: string;
        tool_calls?: { function?: { arguments?: string } }[];
      };
      const tell = (told: Told) => {
        text += told.content ?? '';
        reasoning += told.reasoning_content ?? '';
        for (const { function: named } of told.tool_calls ?? []) call += named?.arguments ?? '';
      };
      if (streamed) {
        for await (const chunk of await openai.chat.completions.create({ ...asked, stream: true })) {
          keep(chunk);
          for (const choice of chunk.choices) {
            tell(choice.delta as Told);
            end = choice.finish_reason ?? end;
          }
        }
      } else {
        const answer = await openai.chat.completions.create(asked);
        keep(answer);
        tell(answer.choices[0]?.message as Told);
        end = answer.choices[0]?.finish_reason;
      }
    } else if (wire === 'responses') {
      const asked = { model: 'gpt-test', input: prompt };
      const tell = (response: OpenAI.Responses.Response) => {
        for (const item of response.output) {
          if (item.type === 'message') {
            for (const part of item.content) if (part.type === 'output_text') text += part.text;
          } else if (item.type === 'reasoning') reasoning += item.summary.map((part) => part.text).join('');
          else if (item.type === 'function_call') call += item.arguments;
        }
        end = response.incomplete_details?.reason ?? response.status;
      };
      if (streamed) {
        const pieces = { text: '', reasoning: '', call: '' };
        for await (const event of await openai.responses.create({ ...asked, stream: true })) {
          keep(event);
          if (event.type === 'response.output_text.delta') pieces.text += event.delta;
          if (event.type === 'response.reasoning_summary_text.delta') pieces.reasoning += event.delta;
          if (event.type === 'response.function_call_arguments.delta') pieces.call += event.delta;
          if (event.type === 'response.completed') {
            tell(event.response);
            expect(pieces).toEqual({ text, reasoning, call });
          }
          if (event.type === 'response.incomplete') tell(event.response);
        }
        ({ text, reasoning, call } = pieces);
      } else {
        const answer = await openai.responses.create(asked);
        keep(answer);
        tell(answer);
      }
    } else {
      const asked = {
        model: 'claude-test',
        max_tokens: 100,
        messages: [{ role: 'user' as const, content: prompt }],
      };
      if (streamed) {
        const stream = anthropic.messages.stream(asked);
        stream.on('streamEvent', keep);
        stream.on('text', (piece) => {
          text += piece;
        });
        stream.on('thinking', (piece) => {
          reasoning += piece;
        });
        stream.on('inputJson', (piece) => {
          call += piece;
        });
        const message = await stream.finalMessage();
        end = message.stop_reason;
      } else {
        const message = await anthropic.messages.create(asked);
        keep(message);
        for (const block of message.content) {
          if (block.type === 'text') text += block.text;
          if (block.type === 'thinking') reasoning += block.thinking;
          if (block.type === 'tool_use') call += JSON.stringify(block.input);
        }
        end = message.stop_reason;
      }
    }
  } catch (error) {
    return seen(error instanceof Error ? error.message : String(error));
  }
  return seen(null);
}

const speaking =
  (script: Script): Reply =>
  (asked, response) => {
    const wire = wireOf(asked.path);
    if (asked.body.stream === true) void events(response, streams[wire](script));
    else json(response, answers[wire](script));
  };

function wireOf(path: string): WireName {
  if (path.endsWith('/chat/completions')) return 'chat';
  return path.endsWith('/responses') ? 'responses' : 'messages';
}

const clean: Script = {
  reasoning: ['Let me ', 'think: ', 'é漢😀.'],
  text: ['Hello', ', ', 'wörld', '! ', '```js\n', 'const a = 1;\n', '```'],
  call: ['{"path":', '"a.ts",', '"content":"x"}'],
};

describe.each(wires)('%s', (wire) => {
  const joined = {
    text: clean.text?.join(''),
    reasoning: clean.reasoning?.join(''),
    call: clean.call?.join(''),
  };

  it('gives clean answers as they are, streamed and whole', async () => {
    const setup = await setUp(speaking(clean));
    for (const streamed of [true, false]) {
      const seen = await collect(setup, wire, streamed);
      expect(seen).toMatchObject({ ...joined, error: null });
      const ends = { chat: 'tool_calls', responses: 'completed', messages: 'tool_use' };
      expect(seen.end).toBe(ends[wire]);
    }
    const whole = await collect(setup, wire, false);
    expect(JSON.parse(whole.raw)).toMatchObject(answers[wire](clean));
    for (const { headers } of setup.provider.asked) {
      const sent = JSON.stringify(headers);
      expect(sent).toContain(key);
      expect(sent).not.toContain(setup.token);
    }
  });
});
