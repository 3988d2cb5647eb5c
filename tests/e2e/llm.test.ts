// The proxy in a daemon of its own process: where agents find it, and what a killed daemon leaves behind.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, ended, jsonLines, newPlace, type Place, startCli } from '../support/cli.ts';
import { leadingTo, startProvider, streams } from '../support/llm.ts';

const environment = { PROVIDER_KEY: 'provider-key' };

async function up(place: Place): Promise<{ kill: () => Promise<void>; port: number }> {
  const child = startCli(place, ['up', '--port', '0', '--json'], { environment });
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout?.once('data', (text: string) => resolve(JSON.parse(text).port));
    child.once('close', () => reject(new Error('the daemon did not start')));
  });
  const end = ended(child);
  return {
    port,
    async kill() {
      child.kill('SIGKILL');
      await end;
    },
  };
}

async function placeBefore(url: string): Promise<Place> {
  const place = newPlace();
  mkdirSync(place.home, { mode: 0o700 });
  writeFileSync(join(place.home, 'sallyport.toml'), leadingTo(url), { mode: 0o600 });
  return place;
}

const tokenOf = ({ home }: Place) => readFileSync(join(home, 'keys', 'decide.token'), 'utf8').trim();

async function logOf(place: Place, event: string) {
  const { stdout } = await cli(place, ['log', '--json']);
  return jsonLines(stdout).filter((entry) => entry['event_type'] === event);
}

describe('the proxy', () => {
  it('is named where the daemon greets', async () => {
    const place = newPlace();
    const child = startCli(place, ['up', '--port', '0']);
    const greeting = await new Promise<string>((resolve) => {
      let said = '';
      child.stdout?.on('data', (text: string) => {
        said += text;
        if (said.includes('Ctrl-C')) resolve(said);
      });
    });
    const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(greeting)?.[1];
    expect(greeting).toContain(`OPENAI_BASE_URL=http://127.0.0.1:${port}/llm/openai/v1`);
    expect(greeting).toContain(`ANTHROPIC_BASE_URL=http://127.0.0.1:${port}/llm/anthropic`);
  });

  it('shows nothing more after a kill, and its open record is closed at the next start', async () => {
    const secret = 'ghp_x7Qm2LzVb9Rk4TnWc8Jd5Hf3Gs6Yp1Aw0EuN'; // sallyport:allow
    const provider = await startProvider((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const pieces = streams.chat({ text: ['Hello there, ', `it is ${secret.slice(0, 20)}`] });
      for (const piece of pieces.slice(0, 3)) response.write(piece);
    });
    const place = await placeBefore(provider.url);
    const first = await up(place);
    const answer = await fetch(`http://127.0.0.1:${first.port}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${tokenOf(place)}` },
      body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
    });
    let seen = '';
    const reading = (async () => {
      for await (const chunk of answer.body ?? []) seen += Buffer.from(chunk).toString('utf8');
    })().catch((error: Error) => error.name);
    while (!seen.includes('there')) await new Promise((resolve) => setTimeout(resolve, 10));
    await first.kill();
    expect(await reading).toBe('TypeError');
    expect(seen).not.toContain('ghp_');
    expect(seen).not.toContain('[DONE]');
    while (provider.open() > 0) await new Promise((resolve) => setTimeout(resolve, 10));

    expect(await logOf(place, 'stream_opened')).toHaveLength(1);
    expect(await logOf(place, 'stream_closed')).toEqual([]);
    const second = await up(place);
    while ((await logOf(place, 'stream_closed')).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 100));
    const [opened] = await logOf(place, 'stream_opened');
    expect(await logOf(place, 'stream_closed')).toMatchObject([
      { decision: 'block', decision_id: opened?.['decision_id'], details: { orphan_of: expect.any(String) } },
    ]);
    await second.kill();
  });
});
