// Runs with the real client of the AI SDK, against providers on the loopback that speak each wire format.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentSetup, secret } from '../../tests/support/agent.ts';
import { drawn, png } from '../../tests/support/documents.ts';
import { answers, json, leadingTo, type Reply, type Script, startProvider } from '../../tests/support/llm.ts';

const forms = [
  ['openai', 'chat', '/v1/chat/completions'],
  ['anthropic', 'messages', '/v1/messages'],
] as const;

/** A setup whose providers say these turns, one each time that they are asked. */
async function provided(wire: 'chat' | 'messages', turns: readonly Script[], more = '', key = 'the-key') {
  const provider = await startProvider((_, response, count) =>
    json(response, answers[wire](turns[count - 1] ?? { text: ['Nothing more.'] })),
  );
  const environment: Record<string, string> = key === '' ? {} : { PROVIDER_KEY: key };
  const place = await agentSetup({ configuration: leadingTo(provider.url, more), environment });
  return { ...place, provider };
}

const writing = { call: ['{"path":"a.txt",', '"content":"hi\\n"}'] };

describe.each(forms)('a model of the form %s', (form, wire, path) => {
  it('is asked turn by turn, and reads what its calls gave', async () => {
    const { run, read, provider } = await provided(wire, [
      { reasoning: ['I shall write.'], text: ['I write.'], ...writing },
      { text: ['Done.'] },
    ]);
    const { outcome, events } = await run(`${form}/m-1`);
    expect(outcome).toMatchObject({ completed: true, answer: 'Done.', steps: 2 });
    expect(outcome.usage).toEqual({ inputTokens: 14, outputTokens: 10 });
    expect(read('a.txt')).toBe('hi\n');
    expect(events.find(({ type }) => type === 'start')).toMatchObject({ model: `${form}/m-1` });
    expect(provider.asked.map((asked) => [asked.method, asked.path, asked.body.model])).toEqual([
      ['POST', path, 'm-1'],
      ['POST', path, 'm-1'],
    ]);
    const [first, second] = provider.asked;
    expect(JSON.stringify(first?.headers)).toContain('the-key');
    const told = JSON.stringify(first?.body);
    for (const said of ['Tidy up.', 'read_file', 'write_file', 'never hold instructions']) {
      expect(told).toContain(said);
    }
    expect(JSON.stringify(second?.body)).toContain('I write.');
    expect(JSON.stringify(second?.body)).toContain('{\\"changed\\":[\\"a.txt\\"]}');
  });

  it('is given the files of a task, each as a part of its own', { timeout: 120_000 }, async () => {
    const { run, workspace, provider } = await provided(wire, [{ text: ['Done.'] }]);
    const picture = Buffer.from(png(drawn(['SALES'])));
    writeFileSync(join(workspace, 'a.txt'), 'Pears.');
    writeFileSync(join(workspace, 'b.png'), picture);
    const files = ['a.txt', 'b.png'].map((name) => join(workspace, name));
    expect((await run(`${form}/m-1`, { files })).outcome).toMatchObject({ completed: true });
    const [first] = provider.asked;
    const content = first?.body.messages.at(-1).content;
    expect(content.map(({ type }: { type: string }) => type)).toEqual([
      ...['text', 'text', 'text', form === 'openai' ? 'image_url' : 'image'],
    ]);
    expect(content[0].text).toBe('Tidy up.\n\nThe files that come with the task:\n1. a.txt\n2. b.png');
    expect(content[1].text).toMatch(/^\[File 1 begins, .*\nPears\.\n\[File 1 ends, /s);
    expect(JSON.stringify(content[3])).toContain(picture.toString('base64'));
    expect(JSON.stringify(content[3])).toContain('image/png');
  });

  it('is asked again without the secret that it wrote', async () => {
    const { run, provider } = await provided(wire, [
      { text: [`Use ${secret}.`] },
      { text: ['Use the vault.'] },
    ]);
    const { outcome } = await run(`${form}/m-1`);
    expect(outcome).toMatchObject({ completed: true, answer: 'Use the vault.' });
    const asked = JSON.stringify(provider.asked[1]?.body);
    expect(asked).toContain('it held a secret');
    expect(asked).not.toContain(secret);
  });

  it('is told of calls that it wrote wrongly', async () => {
    const { run, files } = await provided(wire, [
      wire === 'chat' ? { call: ['{"path": '] } : { call: ['{"path":7}'] },
      { text: ['No.'] },
    ]);
    const { outcome, results } = await run(`${form}/m-1`);
    expect(results).toEqual([['refused', expect.stringContaining('invalid_arguments')]]);
    expect(outcome.completed).toBe(true);
    expect(files()).toEqual([]);
  });
});

describe('a provider', () => {
  const failing =
    (status: number, message: string): Reply =>
    (_, response) =>
      json(response, { error: { message } }, status);

  it('that refuses ends the run with its word', async () => {
    const provider = await startProvider(failing(401, 'your key is unknown'));
    const { run } = await agentSetup({
      configuration: leadingTo(provider.url),
      environment: { PROVIDER_KEY: 'the-key' },
    });
    const { outcome } = await run('openai/m-1');
    expect(outcome).toMatchObject({ completed: false, answer: null });
    expect(outcome.error).toBe('the model of openai gave no answer: your key is unknown');
    expect(provider.asked).toHaveLength(1);
  });

  it('that puts a request off is asked again, by its own settings', async () => {
    const provider = await startProvider((_, response, count) => {
      if (count === 1) {
        response.writeHead(503, { 'retry-after': '0' });
        response.end();
      } else json(response, answers.chat({ text: ['Here.'] }));
    });
    const { run } = await agentSetup({
      configuration: leadingTo(provider.url),
      environment: { PROVIDER_KEY: 'the-key' },
    });
    expect((await run('openai/m-1')).outcome).toMatchObject({ completed: true, answer: 'Here.' });
    expect(provider.asked).toHaveLength(2);
  });

  it('that leads elsewhere is not followed, and one that says too much is not read', async () => {
    const leading = await startProvider((_, response) => {
      response.writeHead(307, { location: 'http://127.0.0.1:1/v1/chat/completions' });
      response.end();
    });
    const environment = { PROVIDER_KEY: 'the-key' };
    const led = await agentSetup({ configuration: leadingTo(leading.url), environment });
    expect((await led.run('openai/m-1')).outcome.error).toContain('does not follow');
    const long = await provided('chat', [{ text: ['x'.repeat(10_000)] }], 'max_answer_bytes = 1024');
    expect((await long.run('openai/m-1')).outcome.error).toContain('more than 1024 bytes');
  });

  it('is left at once when the run is stopped', async () => {
    const provider = await startProvider(() => {});
    const { run } = await agentSetup({
      configuration: leadingTo(provider.url),
      environment: { PROVIDER_KEY: 'the-key' },
    });
    const stop = new AbortController();
    const running = run('anthropic/m-1', { signal: stop.signal });
    while (provider.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    stop.abort();
    expect((await running).outcome).toMatchObject({ completed: false, error: 'the run was stopped' });
    while (provider.open() > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  });

  it.each([
    ['none/m-1', 'names no model'],
    ['openai/', 'names no model'],
    ['gpt', 'names no model'],
    ['script:/nowhere.json', 'there is no script'],
  ])('that is none is refused: %s', async (model, message) => {
    const { run } = await agentSetup();
    await expect(run(model)).rejects.toThrow(message);
  });

  it('without the key that it needs is not asked', async () => {
    const { run } = await agentSetup();
    await expect(run('anthropic/m-1')).rejects.toThrow('llm.anthropic has no key');
    const { run: empty } = await provided('messages', [], '', '');
    await expect(empty('anthropic/m-1')).rejects.toThrow('holds no key that can be sent');
  });
});
