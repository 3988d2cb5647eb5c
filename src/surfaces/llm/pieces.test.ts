// A secret that a message tells half in its text and half in the arguments of a call is shown on no wire, whole or as it
// flows; what only looks like the first half is shown.

import { describe, expect, it } from 'vitest';
import { testDaemon } from '../../../tests/support/daemon.ts';
import { answers, events, json, leadingTo, startProvider, streams } from '../../../tests/support/llm.ts';

const token = `ghp_${'aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW3xY5zA7'}`;
const paths = {
  chat: '/llm/openai/v1/chat/completions',
  responses: '/llm/openai/v1/responses',
  messages: '/llm/anthropic/v1/messages',
} as const;

async function ask(
  wire: keyof typeof paths,
  script: Parameters<(typeof streams)[typeof wire]>[0],
  stream: boolean,
) {
  const provider = await startProvider((_, response) =>
    stream ? events(response, streams[wire](script)) : json(response, answers[wire](script)),
  );
  const { daemon, credential } = await testDaemon({
    environment: { PROVIDER_KEY: 'key' },
    configuration: leadingTo(provider.url),
  });
  const key = await credential();
  const answer = await fetch(`http://127.0.0.1:${daemon.port}${paths[wire]}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-sallyport-key': key },
    body: JSON.stringify({
      model: 'm',
      stream,
      input: 'Hi',
      max_tokens: 10,
      messages: [{ role: 'user', content: 'Hi' }],
    }),
  });
  return await answer.text();
}

describe.each(['chat', 'responses', 'messages'] as const)('on the wire %s', (wire) => {
  it.each([true, false])('a secret over a text and a call is not shown (stream: %s)', async (stream) => {
    const said = await ask(
      wire,
      { text: ['The token is ', token.slice(0, 20)], call: ['{"rest":"', token.slice(20), '"}'] },
      stream,
    );
    // One of the parts may be seen, never both.
    const seen = [token.slice(0, 12), token.slice(28)].filter((part) => said.includes(part));
    expect(seen.length).toBeLessThan(2);
    if (wire === 'messages' || !stream) expect(said).not.toContain(token.slice(0, 12));
  });

  it('a text that ends like the beginning of a token comes with its call', async () => {
    const said = await ask(
      wire,
      { text: ['Tokens begin with ', 'ghp_'], call: ['{"path":', '"readme"}'] },
      true,
    );
    expect(said).toContain('Tokens begin with ');
    expect(said).toContain('ghp_');
    expect(said).toContain('readme');
    expect(said.match(/(?:path)/g)?.length).toBeGreaterThan(0);
  });
});
