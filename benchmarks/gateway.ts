// The MCP gateway: what it adds to a call, against the same upstream called directly, interleaved in one run. On two cores
// a third process takes its share of them whatever it does, so a proxy that passes bytes on is shown beside it. Two daemons
// of the same code differ by a tenth for as long as they run, so that several are measured, and the middle one counts.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ownerOf, personOver } from '../tests/support/person.ts';
import { withBundle } from './daemon.ts';
import { type Benchmark, median, printNote, type Row, short } from './table.ts';

/** The rounds that count, after so many that the compiler has done with all of them: a gateway runs for days. */
const rounds = 9;
const warmUp = 20;
/** How often all processes are started anew. */
const sets = 5;
const callsInRow = 200;
const clients = 100;
const callsEach = 10;
export const passphrase = 'correct horse battery staple';
const said = 'The quick brown fox jumps over the lazy dog, and the dog sleeps on. '.repeat(8);

export interface Place {
  readonly url: string;
  readonly tool: string;
  readonly headers: Readonly<Record<string, string>>;
}

const names = ['ours', 'bare', 'direct'] as const;
type Name = (typeof names)[number];
type Places = Readonly<Record<Name, Place>>;
/** What was measured in one set. */
type Figures = Readonly<Record<Name, number>>;

export const gateway: Benchmark = async (progress) => {
  const one: Figures[] = [];
  const many: Figures[] = [];
  for (let set = 1; set <= sets; set++) {
    const tell = (text: string) => progress(`set ${set} of ${sets}: ${text}`);
    await withPlaces(tell, async (places) => {
      many.push(await throughput(places, tell));
      one.push(await latency(places, tell));
    });
  }
  const added = ({ ours, direct }: Figures) => ours - direct;
  const share = ({ ours, direct }: Figures) => ours / direct;
  const all = (figures: readonly Figures[], of: (figure: Figures) => number) =>
    figures
      .map(of)
      .sort((a, b) => a - b)
      .map(short)
      .join(', ');
  printNote(
    `${sets} sets of fresh processes: one call +${all(one, added)} ms; ${clients} clients ${all(many, share)}×`,
  );
  return [addedRow(middle(one, added)), shareRow(middle(many, share))];
};

/** Those in the middle, by a figure that is made of them. */
function middle(all: readonly Figures[], of: (figures: Figures) => number): Figures {
  const wanted = median(all.map(of));
  return all.find((figures) => of(figures) === wanted) ?? { ours: NaN, bare: NaN, direct: NaN };
}

function addedRow({ ours, bare, direct }: Figures): Row {
  return {
    what: 'one call, p50',
    ours: `${short(ours)} ms`,
    floor: `${short(direct)} ms (through a proxy that passes bytes on: ${short(bare)})`,
    ratio: `+${short(ours - direct)} ms`,
    goal: '≤ +1.5 ms',
    met: ours - direct <= 1.5,
  };
}

function shareRow({ ours, bare, direct }: Figures): Row {
  return {
    what: `${clients} clients at once`,
    ours: `${short(ours)} calls/s`,
    floor: `${short(direct)} calls/s (through a proxy that passes bytes on: ${short(bare)})`,
    ratio: `${short(ours / direct)}×`,
    goal: '≥ 0.6×',
    met: ours / direct >= 0.6,
  };
}

/** Starts an upstream, the daemon and a bare proxy before it, and ends them when the work is done. */
async function withPlaces(
  progress: (text: string) => void,
  work: (places: Places) => Promise<void>,
): Promise<void> {
  await withBundle(progress, async ({ home, start, daemon }) => {
    const upstream = await start('gateway-upstream.ts');
    const direct = { url: `http://127.0.0.1:${upstream}/mcp`, tool: 'echo', headers: {} };
    await ownerOf({ home }, passphrase);
    const { port, token } = await daemon(`[servers.up]\nurl = "${direct.url}"\n`);
    const origin = `http://127.0.0.1:${port}`;
    const ours = { url: `${origin}/mcp`, tool: 'up__echo', headers: { authorization: `Bearer ${token}` } };
    await sayYes(ours, origin);
    const bare = { ...direct, url: `http://127.0.0.1:${await start('bare.ts', String(upstream))}/mcp` };
    await work({ ours, bare, direct });
  });
}

/** A person sees the definition once, and lets it stand: without that no call goes. */
export async function sayYes(ours: Place, origin: string): Promise<void> {
  const client = await connect(ours);
  await client.callTool({ name: ours.tool, arguments: { text: said } });
  await client.close();
  const person = await personOver(origin, passphrase);
  const waiting = await fetch(`${origin}/v1/approvals`, { headers: ours.headers });
  const { approvals } = (await waiting.json()) as { approvals: readonly { id: string }[] };
  const id = approvals[0]?.id;
  await person.call(`/v1/approvals/${id}/answer`, {
    body: { answer: 'approve', permission: { reach: 'project', seconds: 3600 } },
  });
}

export async function connect({ url, headers }: Place): Promise<Client> {
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

/** Milliseconds of one call; all of them are warm when this begins. */
async function latency(places: Places, progress: (text: string) => void): Promise<Figures> {
  const medians: Record<Name, number[]> = { ours: [], bare: [], direct: [] };
  const open = await connected(places, 1);
  for (let round = 1; round <= rounds; round++) {
    progress(`one client, round ${round} of ${rounds}`);
    for (const name of names) {
      const times: number[] = [];
      for (const client of open[name]) {
        for (let calls = 0; calls < callsInRow; calls++) times.push(await call(client, places[name]));
      }
      medians[name].push(median(times));
    }
  }
  await closed(open);
  const { ours, bare, direct } = medians;
  return { ours: median(ours), bare: median(bare), direct: median(direct) };
}

/** Calls a second, over all rounds that count: what is only now and then in the way counts too. */
async function throughput(places: Places, progress: (text: string) => void): Promise<Figures> {
  const seconds = { ours: 0, bare: 0, direct: 0 };
  const open = await connected(places, clients);
  for (let round = 1 - warmUp; round <= rounds; round++) {
    progress(`${clients} clients, round ${round} of ${rounds}${round > 0 ? '' : ' (warming up)'}`);
    for (const name of names) {
      const started = performance.now();
      await Promise.all(
        open[name].map(async (client) => {
          for (let calls = 0; calls < callsEach; calls++) await call(client, places[name]);
        }),
      );
      if (round > 0) seconds[name] += (performance.now() - started) / 1000;
    }
  }
  await closed(open);
  const all = clients * callsEach * rounds;
  return { ours: all / seconds.ours, bare: all / seconds.bare, direct: all / seconds.direct };
}

type Connected = Readonly<Record<Name, readonly Client[]>>;

async function connected(places: Places, count: number): Promise<Connected> {
  const many = (place: Place) => Promise.all(Array.from({ length: count }, () => connect(place)));
  return {
    ours: await many(places.ours),
    bare: await many(places.bare),
    direct: await many(places.direct),
  };
}

async function closed(open: Connected): Promise<void> {
  await Promise.all(names.flatMap((name) => open[name].map((client) => client.close())));
}
