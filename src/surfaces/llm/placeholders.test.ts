// What the user gave never reaches the model, and comes back where the model uses it, on every wire.

import { describe, expect, it } from 'vitest';
import { testDaemon } from '../../../tests/support/daemon.ts';
import { answers, events, json, leadingTo, startProvider, streams } from '../../../tests/support/llm.ts';
import { PieceRestorer, Vault, Vaults } from '../../run/placeholders.ts';

const address = 'ann.lee@acme-post.net';
const task = `Write a mail to ${address} and say hello.`;
const redacted = 'Write a mail to <redacted:email> and say hello.';

describe('a vault', () => {
  it('gives the same value the same placeholder, and only its own session gives it back', () => {
    const [vault, other] = [new Vault(), new Vault()];
    const sent = vault.shown(task, redacted, true);
    expect(sent).toMatch(/^Write a mail to <redacted:email:[a-z0-9]{6}-1> and say hello\.$/);
    expect(vault.shown(task, redacted, true)).toBe(sent);
    expect(vault.hide(`Sent to ${address}.`)).not.toContain(address);
    expect(vault.restore(sent)).toBe(task);
    expect(vault.shown(`To ${address}`, 'To <redacted:email>', false)).not.toContain('<redacted:email>');
    expect(other.shown(`To ${address}`, 'To <redacted:email>', false)).toBe('To <redacted:email>');
    expect(other.restore(sent)).toBe(sent);
    expect(vault.restore('<redacted:email:aaaaaa-1>')).toBe('<redacted:email:aaaaaa-1>');
  });

  it.each([
    ['a secret', 'key sk', 'key <redacted:api-key>'],
    ['what the guard did not find there', 'Hello there', 'Hello <redacted:email>'],
  ])('does not learn %s', (_, original, shown) => {
    const vault = new Vault();
    expect(vault.shown(original, shown, true)).toBe(shown);
    expect(vault.isEmpty).toBe(true);
  });

  it('is another one for another tenant, user, agent or session', () => {
    const vaults = new Vaults();
    const context = {
      tenant: 't',
      user: 'u',
      agent: 'a',
      session: 's',
      workspace: '/',
      mode: 'default',
    } as const;
    expect(vaults.of(context)).toBe(vaults.of({ ...context }));
    for (const other of [{ tenant: 'x' }, { user: 'x' }, { agent: 'x' }, { session: 'x' }])
      expect(vaults.of({ ...context, ...other })).not.toBe(vaults.of(context));
  });

  it('gives back wherever a stream is cut', () => {
    const vault = new Vault();
    const text = `${vault.shown(task, redacted, true)} <b> <redacted:cpf> 1 < 2 <`;
    for (let cut = 0; cut <= text.length; cut++) {
      const restorer = new PieceRestorer(vault);
      const pieces = [text.slice(0, cut), text.slice(cut)].map((piece) => restorer.push('0/text', piece));
      expect(pieces.join('') + restorer.rest('0/text')).toBe(`${task} <b> <redacted:cpf> 1 < 2 <`);
    }
    const restorer = new PieceRestorer(vault);
    expect([...text].map((sign) => restorer.push('c', sign)).join('') + restorer.rest('c')).toContain(
      address,
    );
  });
});

const requests = {
  chat: {
    path: '/llm/openai/v1/chat/completions',
    first: { model: 'm', messages: [{ role: 'user', content: task }] },
    next: (args: string) => ({
      model: 'm',
      messages: [
        { role: 'user', content: task },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'write_file', arguments: args } }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: `Sent to ${address}.` },
      ],
    }),
  },
  responses: {
    path: '/llm/openai/v1/responses',
    first: { model: 'm', input: task },
    next: (args: string) => ({
      model: 'm',
      input: [
        { role: 'user', content: task },
        { type: 'function_call', call_id: 'call_1', name: 'write_file', arguments: args },
        { type: 'function_call_output', call_id: 'call_1', output: `Sent to ${address}.` },
      ],
    }),
  },
  messages: {
    path: '/llm/anthropic/v1/messages',
    first: { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: task }] },
    next: (args: string) => ({
      model: 'm',
      max_tokens: 100,
      messages: [
        { role: 'user', content: task },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'call_1', name: 'write_file', input: JSON.parse(args) }],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'call_1', content: `Sent to ${address}.` }],
        },
      ],
    }),
  },
} as const;

/** The arguments of the calls in an answer, whole or in pieces. */
function argumentsIn(body: string): string {
  const pieces = body.matchAll(/"(?:arguments|partial_json|delta)":("(?:[^"\\]|\\.)*")/g);
  return [...pieces].map(([, text = '']) => JSON.parse(text)).join('') || body;
}

describe.each(['chat', 'responses', 'messages'] as const)('a task with an address, over %s', (wire) => {
  it.each([true, false])('reaches the tool, and the model never saw it (streamed: %s)', async (stream) => {
    const provider = await startProvider((asked, response) => {
      const [placeholder = ''] = /<redacted:email:[a-z0-9]+-\d+>/.exec(JSON.stringify(asked.body)) ?? [];
      const args = JSON.stringify({ to: placeholder, text: 'Hello!' });
      const call = args.match(/.{1,7}/g) ?? [];
      if (stream) void events(response, streams[wire]({ call }));
      else json(response, answers[wire]({ call }));
    });
    const { credential, call } = await testDaemon({
      environment: { PROVIDER_KEY: 'provider-key' },
      configuration: leadingTo(provider.url),
    });
    const { path, first, next } = requests[wire];
    const headers = { 'x-sallyport-key': credential === undefined ? '' : await credential() };
    const answer = await call(path, { body: { ...first, stream }, headers });
    expect(answer.status).toBe(200);
    expect(
      argumentsIn(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)),
    ).toContain(address);
    expect(JSON.stringify(provider.asked[0]?.body)).not.toContain(address);
    const later = next(JSON.stringify({ to: address, text: 'Hello!' }));
    await call(path, { body: { ...later, stream }, headers });
    const sent = JSON.stringify(provider.asked[1]?.body);
    expect(sent).not.toContain(address);
    expect(sent.match(/<redacted:email:[a-z0-9]+-1>/g)?.length).toBe(3);
  });
});
