// People are told of questions over the wire formats of the places that they chose, on loopback servers.

import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { context, testDecider } from '../../../tests/support/decide.ts';
import { openEnrolledLedger, person } from '../../../tests/support/ledger.ts';
import { settingsFrom } from '../../config/index.ts';
import { Notifier } from './notify.ts';

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server that keeps what it is sent; it refuses as often as it is told to. */
async function receiver(refusals = 0) {
  const received: Received[] = [];
  const waiting: (() => void)[] = [];
  let left = refusals;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (left-- > 0) return void response.writeHead(503).end();
    received.push({
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    });
    response.end('ok');
    for (const resolve of waiting.splice(0)) resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const until = async (count: number) => {
    while (received.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  return { received, origin, until };
}

const off = {
  webhook: '',
  webhookSecret: '',
  slack: '',
  ntfy: '',
  desktop: false,
  afterSeconds: 0,
  link: '',
};

async function setting(config: Partial<typeof off>) {
  const ledger = await openEnrolledLedger();
  const problems: string[] = [];
  // The clock of a decider in tests stands still, so that the notifier has it, too.
  const clock = { now: 1_700_000_000_000 };
  const notifier = new Notifier({
    ...{ ledger, config: { ...off, ...config }, now: () => clock.now, port: 4719, lookEveryMs: 5 },
    log: (_, event) => void problems.push(event),
  });
  await notifier.start();
  onTestFinished(() => notifier.stop());
  const decider = testDecider({ ledger });
  const ask = async (command: string) => (await decider.decide({ kind: 'shell', command }, context)).verdict;
  return { ledger, ask, problems, clock, notifier };
}

it('a question reaches a signed webhook, Slack and ntfy, redacted and with a link', async () => {
  const place = await receiver();
  const { ask } = await setting({
    ...{ webhook: `${place.origin}/hook`, webhookSecret: 'key' },
    ...{ slack: `${place.origin}/slack`, ntfy: `${place.origin}/topic`, link: 'https://door.example/' },
  });
  const secret = ['ghp_', 'x7Kq2Lm9Rt4Vw8Zb', '3Nc6Pd1Fs5Gh0JyAeUiQ'].join('');
  const { approval, decision } = await ask(`kill 12345 # ${secret} <b>`);
  expect(decision).toBe('approve');
  await place.until(3);
  const at = (path: string) => place.received.find((one) => one.path === path)!;
  const { body, headers } = at('/hook');
  const link = `https://door.example/#/approvals/${approval?.id}`;
  expect(JSON.parse(body)).toMatchObject({
    event: 'question',
    id: approval?.id,
    agent: context.agent,
    workspace: context.workspace,
    what: expect.stringMatching(/^kill 12345 /),
    why: [expect.stringMatching(/^`kill 12345.*` signals 12345 \(process_signal\)$/)],
    link,
    until: approval?.expiresAt,
    answer: `sallyport approve ${approval?.id}`,
  });
  const mac = createHmac('sha256', 'key').update(`${headers['sallyport-timestamp']}.${body}`).digest('hex');
  expect(headers['sallyport-signature']).toBe(`sha256=${mac}`);
  const slack = JSON.parse(at('/slack').body) as { readonly text: string };
  expect(slack.text).toContain(`<${link}|`);
  expect(slack.text).toContain('&lt;b&gt;');
  expect(at('/topic')).toMatchObject({
    headers: { title: 'Sallyport: a question waits', click: link },
    body: expect.stringContaining('kill 12345'),
  });
  for (const one of place.received) expect(one.body).not.toContain(secret);
});

it('a place that is away for a moment is tried again, and one that stays away is in the log of the daemon', async () => {
  const [shaky, gone] = [await receiver(1), await receiver(99)];
  const { ask, problems } = await setting({ webhook: shaky.origin, ntfy: gone.origin });
  await ask('kill 12345');
  await shaky.until(1);
  await expect.poll(() => problems, { timeout: 60_000 }).toEqual(['notify_ntfy_failed']);
});

it('a question that was answered in time sends nothing', async () => {
  const place = await receiver();
  const { ask, ledger, clock } = await setting({ webhook: place.origin, afterSeconds: 15 });
  const first = await ask('kill 11111');
  const second = await ask('kill 22222');
  await ledger.approvals.answer(first.approval!.id, 'approve', 'ann', person, {}, clock.now);
  clock.now += 15_000;
  await place.until(1);
  expect(place.received.map(({ body }) => JSON.parse(body).id)).toEqual([second.approval!.id]);
});

it('is off unless a place is named', () => {
  expect(settingsFrom({})).toBeDefined();
  expect(Notifier.isWanted(off)).toBe(false);
  expect(Notifier.isWanted({ ...off, ntfy: 'https://ntfy.example/x' })).toBe(true);
});
