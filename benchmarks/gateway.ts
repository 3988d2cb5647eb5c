// The MCP gateway: what it adds to a call, against the same upstream called directly, interleaved in one run.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createApprover } from '../src/config/index.ts';
import { withBundle } from './daemon.ts';
import { type Benchmark, median, type Row, short } from './table.ts';

const rounds = 7;
const callsInRow = 200;
const clients = 100;
const callsEach = 10;
const passphrase = 'correct horse battery staple';
const said = 'The quick brown fox jumps over the lazy dog, and the dog sleeps on. '.repeat(8);

interface Place {
  readonly url: string;
  readonly tool: string;
  readonly headers: Readonly<Record<string, string>>;
}

type Places = Readonly<Record<'ours' | 'direct', Place>>;

export const gateway: Benchmark = (progress) =>
  withBundle(progress, async ({ home, start, daemon }) => {
    const upstream = await start('gateway-upstream.ts');
    const direct = { url: `http://127.0.0.1:${upstream}/mcp`, tool: 'echo', headers: {} };
    await createApprover(home, passphrase);
    const { port, token } = await daemon(`[servers.up]\nurl = "${direct.url}"\n`);
    const origin = `http://127.0.0.1:${port}`;
    const ours = { url: `${origin}/mcp`, tool: 'up__echo', headers: { authorization: `Bearer ${token}` } };
    await sayYes(ours, origin);
    const places = { ours, direct };
    return [await latency(places, progress), await throughput(places, progress)];
  });

/** A person sees the definition once, and lets it stand: without that no call goes. */
async function sayYes(ours: Place, origin: string): Promise<void> {
  const client = await connect(ours);
  await client.callTool({ name: ours.tool, arguments: { text: said } });
  await client.close();
  const headers = { 'content-type': 'application/json' };
  const post = async (path: string, token: string | null, body: object) => {
    const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
    const init = { method: 'POST', headers: { ...headers, ...authorization }, body: JSON.stringify(body) };
    return (await (await fetch(`${origin}${path}`, init)).json()) as { token: string };
  };
  const { token } = await post('/v1/session', null, { passphrase });
  const waiting = await fetch(`${origin}/v1/approvals`, { headers: ours.headers });
  const { approvals } = (await waiting.json()) as { approvals: readonly { id: string }[] };
  const id = approvals[0]?.id;
  await post(`/v1/approvals/${id}/answer`, token, { answer: 'approve', grant_seconds: 3600 });
}

async function connect({ url, headers }: Place): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

/** One call; what was measured counts only if it gave what was asked for. */
async function call(client: Client, { tool }: Place): Promise<number> {
  const started = performance.now();
  const result = await client.callTool({ name: tool, arguments: { text: said } });
  const took = performance.now() - started;
  const [block] = result.content;
  if (block?.type !== 'text' || block.text !== said) throw new Error(`${tool}: ${JSON.stringify(result)}`);
  return took;
}

async function latency(places: Places, progress: (text: string) => void): Promise<Row> {
  const medians: Record<keyof Places, number[]> = { ours: [], direct: [] };
  const open = { ours: await connect(places.ours), direct: await connect(places.direct) };
  for (let round = 0; round <= rounds; round++) {
    progress(`one client, round ${round} of ${rounds}`);
    for (const which of ['ours', 'direct'] as const) {
      const times: number[] = [];
      for (let calls = 0; calls < callsInRow; calls++) times.push(await call(open[which], places[which]));
      // The first round warms both.
      if (round > 0) medians[which].push(median(times));
    }
  }
  await Promise.all([open.ours.close(), open.direct.close()]);
  const [ours, direct] = [median(medians.ours), median(medians.direct)];
  return {
    what: 'one call, p50',
    ours: `${short(ours)} ms`,
    floor: `${short(direct)} ms`,
    ratio: `+${short(ours - direct)} ms`,
    goal: '≤ +1.5 ms',
    met: ours - direct <= 1.5,
  };
}

async function throughput(places: Places, progress: (text: string) => void): Promise<Row> {
  const rates: Record<keyof Places, number[]> = { ours: [], direct: [] };
  const many = async (place: Place) =>
    await Promise.all(Array.from({ length: clients }, () => connect(place)));
  const open = { ours: await many(places.ours), direct: await many(places.direct) };
  for (let round = 0; round <= rounds; round++) {
    progress(`${clients} clients, round ${round} of ${rounds}`);
    for (const which of ['ours', 'direct'] as const) {
      const started = performance.now();
      await Promise.all(
        open[which].map(async (client) => {
          for (let calls = 0; calls < callsEach; calls++) await call(client, places[which]);
        }),
      );
      const seconds = (performance.now() - started) / 1000;
      if (round > 0) rates[which].push((clients * callsEach) / seconds);
    }
  }
  await Promise.all([...open.ours, ...open.direct].map((client) => client.close()));
  const [ours, direct] = [median(rates.ours), median(rates.direct)];
  return {
    what: `${clients} clients at once`,
    ours: `${short(ours)} calls/s`,
    floor: `${short(direct)} calls/s`,
    ratio: `${short(ours / direct)}×`,
    goal: '≥ 0.6×',
    met: ours / direct >= 0.6,
  };
}
