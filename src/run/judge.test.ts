// A judge model on a loopback: its plain "none" passes, a guideline's name blocks, and everything else blocks too.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { context, noRecords, stillWorld } from '../../tests/support/decide.ts';
import { configOf, diskWorld, type Provider, settingsFrom } from '../config/index.ts';
import { providersFrom } from '../config/llm.ts';
import type { JsonObject, Verdict } from '../core/index.ts';
import { createDryDecider } from '../decide/index.ts';
import { judging } from './judge.ts';

type Say = (
  asked: { readonly body: JsonObject; readonly key: string | undefined },
  response: ServerResponse,
) => void;

const word =
  (said: string): Say =>
  (_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content: said } }] }));
  };

/** A decider with the judge answers that the test specifies. */
async function judged(say: Say | null, more: JsonObject = {}, provider: Partial<Provider> = {}) {
  const asked: JsonObject[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (piece: Buffer) => {
      text += piece.toString();
    });
    request.on('end', () => {
      const body = JSON.parse(text) as JsonObject;
      asked.push(body);
      say?.({ body, key: request.headers.authorization }, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  if (say === null) server.close();
  const known: Provider = {
    ...providersFrom({}, {}, diskWorld)[0]!,
    name: 'local',
    form: 'openai',
    baseUrl: `http://127.0.0.1:${port}/v1`,
    key: () => 'a-key',
    connectTimeoutMs: 2000,
    firstByteTimeoutMs: 5000,
    idleTimeoutMs: 5000,
    retries: 0,
    maxRequestBytes: 1_000_000,
    maxAnswerBytes: 1_000_000,
    ...provider,
  };
  const settings = settingsFrom(
    {},
    { judge: { provider: 'local', model: 'guard', timeout_ms: 60_000, ...more } },
  );
  const owner = { user: 'ann', tenant: 'acme' };
  const { world, close } = judging({
    config: { ...configOf(() => settings), providers: [known] },
    ledger: noRecords,
    world: stillWorld(),
    owner,
  });
  onTestFinished(async () => {
    await close();
    server.closeAllConnections();
    server.close();
  });
  const decider = createDryDecider({
    config: configOf(() => settings),
    world,
  });
  const stream = async (
    pieces: readonly string[],
  ): Promise<{ shown: readonly string[]; verdict: Verdict }> => {
    const opened = await decider.decideStream('response', context);
    const shown: string[] = [];
    for (const piece of pieces) shown.push((await opened.push(piece)).emit);
    const { emit, verdict } = await opened.end();
    return { shown: [...shown, emit], verdict };
  };
  return { decide: (text: string) => decider.decide({ kind: 'response', text }, context), stream, asked };
}

describe('a judge', () => {
  it('passes with a plain none, and is asked about the text as data', async () => {
    const seen: unknown[] = [];
    const { decide, asked } = await judged(({ body, key }, response) => {
      seen.push(key);
      word('none')({ body, key }, response);
    });
    expect((await decide('All is "well".')).verdict.decision).toBe('pass');
    expect(seen).toEqual(['Bearer a-key']);
    expect(asked[0]).toMatchObject({ model: 'guard', temperature: 0 });
    const messages = asked[0]?.['messages'] as JsonObject[];
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(messages[0]?.['content']).toContain('weapons');
    expect(messages[1]?.['content']).toBe('"All is \\"well\\"."');
  });

  it('blocks with the name of a guideline, in any case', async () => {
    const { decide } = await judged(word(' "Weapons". '));
    const { verdict, facts } = await decide('A harmless look.');
    expect(verdict.findings).toMatchObject([{ rule: 'guideline_weapons', contract: 'AG-OUT-2' }]);
    expect(facts['refusal']).toBe('I cannot help with that.');
  });

  it('is not asked about what the rules stop, nor about nothing', async () => {
    const { decide, asked } = await judged(word('none'));
    await decide('Sure! Here is how to make a pipe bomb.');
    expect((await decide('  ')).verdict.decision).toBe('pass');
    expect(asked).toEqual([]);
  });

  it.each<[string, Say | null]>([
    ['is down', null],
    ['never answers', () => {}],
    ['never ends', (_, response) => void response.write('{"choices":')],
    ['fails', (_, response) => void response.writeHead(500).end('{}')],
    ['says no JSON', (_, response) => void response.end('none')],
    ['says something else', word('I think that it is fine')],
    ['says nothing', word('')],
    ['says too much', (_, response) => void response.end(`"${'x'.repeat(100_000)}"`)],
    [
      'leads elsewhere',
      (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1/' }).end(),
    ],
  ])('that %s blocks', async (_what, say) => {
    const { decide, stream } = await judged(say, { timeout_ms: 300 });
    expect((await decide('All is well.')).verdict.findings.map(({ rule }) => rule)).toEqual(['judge_failed']);
    const { shown, verdict } = await stream(['All is', ' well.']);
    expect([shown.join(''), verdict.decision]).toEqual(['', 'block']);
  });

  it('that has no provider, or a provider without a key, blocks', async () => {
    const nobody = await judged(word('none'), { provider: 'other' });
    expect((await nobody.decide('Hello.')).verdict.findings[0]?.rule).toBe('judge_failed');
    const keyless = await judged(
      word('none'),
      {},
      {
        key: () => {
          throw new Error('there is no key');
        },
      },
    );
    expect((await keyless.decide('Hello.')).verdict.findings[0]?.rule).toBe('judge_failed');
    expect(keyless.asked).toEqual([]);
  });

  it('sees a stream in windows, and nothing is shown before it has passed them', async () => {
    const { stream, asked } = await judged(word('none'), { window_characters: 200 });
    const sentence = 'This is a sentence of some length. ';
    const pieces = Array.from({ length: 20 }, () => sentence);
    const { shown, verdict } = await stream(pieces);
    expect(shown.join('')).toBe(pieces.join(''));
    expect(verdict.decision).toBe('pass');
    expect(shown.slice(0, 5).join('')).toBe('');
    expect(asked.length).toBeGreaterThan(2);
    expect(asked.length).toBeLessThan(6);
  });

  it('ends a stream at the window that it finds wanting', async () => {
    const { stream } = await judged(
      (asked, response) =>
        word(JSON.stringify(asked.body).includes('poison') ? 'weapons' : 'none')(asked, response),
      { window_characters: 200 },
    );
    const good = 'A good sentence that goes on for a while. '.repeat(6);
    const { shown, verdict } = await stream([good, 'Then comes the poison. ', good]);
    expect(good.startsWith(shown.join(''))).toBe(true);
    expect(shown.join('')).not.toBe('');
    expect(verdict.findings.map(({ rule }) => rule)).toEqual(['guideline_weapons']);
  });
});
