// What providers may send that no model would: each stream of tests/fixtures/llm goes through the proxy, and what
// comes out is the file beside it.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { testDaemon } from '../../../tests/support/daemon.ts';
import { leadingTo, startProvider } from '../../../tests/support/llm.ts';

const folder = fileURLToPath(new URL('../../../tests/fixtures/llm/', import.meta.url));
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.in.sse'))
  .map((name) => name.slice(0, -'.in.sse'.length));
const token = 'ghp_x7Qm2LzVb9Rk4TnWc8Jd5Hf3Gs6Yp1Aw0EuN'; // sallyport:allow
const [head, tail] = [token.slice(0, 14), token.slice(14)];
const paths = {
  chat: '/llm/openai/v1/chat/completions',
  responses: '/llm/openai/v1/responses',
  messages: '/llm/anthropic/v1/messages',
  gemini: '/llm/gemini/v1beta/models/m:streamGenerateContent?alt=sse',
};
/** Sealed by the provider: nobody but the provider reads it, and it must go back as it came. */
const sealed = /"(?:signature|thoughtSignature|data)":"[^"]*"/g;

/** The files hold the token in two names, so that nobody takes them for a leak. */
function streamOf(name: string): Uint8Array {
  const text = readFileSync(`${folder}${name}.in.sse`, 'latin1');
  return Buffer.from(text.replaceAll('{{HEAD}}', head).replaceAll('{{TAIL}}', tail), 'latin1');
}

/** A daemon before a provider that sends the bytes that it is given. */
async function setUp() {
  let bytes: Uint8Array = new Uint8Array();
  const provider = await startProvider((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(bytes);
  });
  const { daemon, credential } = await testDaemon({
    environment: { PROVIDER_KEY: 'key' },
    configuration: leadingTo(provider.url, 'max_answer_bytes = 8192'),
  });
  const key = await credential();
  return async (path: string, stream: Uint8Array): Promise<string> => {
    bytes = stream;
    const messages = [{ role: 'user', content: 'Hi' }];
    const answer = await fetch(`http://127.0.0.1:${daemon.port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-sallyport-key': key },
      body: JSON.stringify({ model: 'm', stream: true, input: 'Hi', messages, contents: [] }),
    });
    expect(answer.status).toBe(200);
    return (await answer.text()).replace(/"decision_id":"[^"]+"/g, '"decision_id":"…"');
  };
}

describe('a stream from a provider', () => {
  it('is shown as far as it may be, and ends as it must', async () => {
    const ask = await setUp();
    expect(names.length).toBeGreaterThanOrEqual(55);
    for (const name of names) {
      const [wire = ''] = name.split('-');
      const said = await ask(paths[wire as keyof typeof paths], streamOf(name));
      const named = said.replaceAll(head, '{{HEAD}}').replaceAll(tail, '{{TAIL}}');
      await expect(named, name).toMatchFileSnapshot(`${folder}${name}.out.sse`);
      const visible = said.replace(sealed, '');
      for (let at = 0; at + 8 <= token.length; at++) {
        expect(visible, name).not.toContain(token.slice(at, at + 8));
      }
    }
  });
});
