// The LLM proxy: what it costs a stream to be judged, against a proxy that passes bytes on, interleaved in one run.
// SALLYPORT_BENCH_MINUTES says how long the load lasts that memory is watched under; 10 where it is not set.

import { readFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { withBundle } from './daemon.ts';
import { type Benchmark, median, printNote, type Row, short } from './table.ts';

const minutes = Number(process.env['SALLYPORT_BENCH_MINUTES'] ?? 10);
const rounds = 7;
const clock = () => performance.timeOrigin + performance.now();

interface Place {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export const llm: Benchmark = (progress) =>
  withBundle(progress, async ({ start, daemon }) => {
    const provider = await start('llm-provider.ts');
    const bare = await start('bare.ts', String(provider));
    const where = `form = "openai"\nbase_url = "http://127.0.0.1:${provider}/v1"\nkey_env = "HOME"\n`;
    const { port, token, pid } = await daemon(`[llm.openai]\n${where}`);
    const path = '/v1/chat/completions';
    const places = {
      ours: { port, path, headers: { authorization: `Bearer ${token}` } },
      bare: { port: bare, path, headers: {} },
    };
    return [...(await speeds(places, progress)), await memory(places.ours, pid, progress)];
  });

/** What a client saw of one stream. */
interface Flow {
  /** Until the first piece of text, in milliseconds. */
  readonly first: number;
  /** Of each event that holds text, from the provider to the client, in milliseconds. */
  readonly delays: readonly number[];
  readonly characters: number;
}

/** A connection for each stream, of either proxy. */
const agent = new Agent({ keepAlive: false, maxSockets: 1000 });
const sentAt = /"created":([\d.]+)/;
const content = /"content":"([^"]+)"/;

/** Reads one stream; looks no deeper into it than it must, so that the client is no part of what is measured. */
function flow({ port, path, headers }: Place, pieces: number, pause: number | `~${number}`): Promise<Flow> {
  const body = JSON.stringify({
    model: 'gpt-benchmark',
    stream: true,
    stream_options: { include_usage: false },
    seed: pieces,
    user: String(pause),
    messages: [{ role: 'user', content: 'How many tokens flow through?' }],
  });
  return new Promise((resolve, reject) => {
    const started = clock();
    let first = 0;
    let characters = 0;
    let rest = '';
    let done = false;
    const delays: number[] = [];
    const take = (answer: IncomingMessage): void => {
      answer.setEncoding('utf8');
      answer.on('data', (text: string) => {
        const now = clock();
        const events = (rest + text).split('\n\n');
        rest = events.pop() ?? '';
        for (const event of events) {
          if (event === 'data: [DONE]') done = true;
          const said = content.exec(event)?.[1];
          if (said === undefined) continue;
          delays.push(now - Number(sentAt.exec(event)?.[1]));
          characters += said.length;
          if (first === 0) first = now - started;
        }
      });
      answer.on('end', () =>
        done
          ? resolve({ first, delays, characters })
          : reject(new Error(`cut off: ${answer.statusCode} ${rest}`)),
      );
      answer.on('error', reject);
    };
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: 'POST',
        agent,
        headers: {
          ...headers,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      },
      take,
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

function p99(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
}

function more(difference: number, unit: string): string {
  return `${difference < 0 ? '' : '+'}${short(difference)} ${unit}`;
}

async function speeds(
  places: Readonly<Record<'ours' | 'bare', Place>>,
  progress: (text: string) => void,
): Promise<Row[]> {
  const names = ['bare', 'ours'] as const;
  const rates: Record<string, number[]> = { ours: [], bare: [] };
  const firsts: Record<string, number[]> = { ours: [], bare: [] };
  /** Of one stream; of eight that each speak in their own time, as models do; of eight that all speak in the same moment. */
  const alone: Record<string, number[]> = { ours: [], bare: [] };
  const delays: Record<string, number[]> = { ours: [], bare: [] };
  const bursts: Record<string, number[]> = { ours: [], bare: [] };
  for (let round = 0; round < rounds + 1; round++) {
    progress(`round ${round} of ${rounds}`);
    for (const name of names) {
      const place = places[name];
      const began = performance.now();
      const streams = await Promise.all(Array.from({ length: 16 }, () => flow(place, 1500, 0)));
      const took = performance.now() - began;
      // Pieces that come together may be shown together, so text is counted and not events.
      const count = streams.reduce((sum, { characters }) => sum + characters, 0);
      const seen: number[] = [];
      for (let call = 0; call < 20; call++) seen.push((await flow(place, 3, 1)).first);
      const together = async (streams: number, pieces: number, pause: 5 | '~5') => {
        const flows = await Promise.all(Array.from({ length: streams }, () => flow(place, pieces, pause)));
        return p99(flows.flatMap(({ delays: all }) => all));
      };
      const [one, late, burst] = [
        await together(1, 1000, '~5'),
        await together(8, 400, '~5'),
        await together(8, 400, 5),
      ];
      // The first round only warms up.
      if (round === 0) continue;
      rates[name]?.push(count / (took / 1000));
      firsts[name]?.push(median(seen));
      alone[name]?.push(one);
      delays[name]?.push(late);
      bursts[name]?.push(burst);
    }
  }
  const [ours, bare] = [median(rates['ours'] ?? []), median(rates['bare'] ?? [])];
  const [first, floor] = [median(firsts['ours'] ?? []), median(firsts['bare'] ?? [])];
  const later = (found: typeof delays) => {
    const [late, least] = [median(found['ours'] ?? []), median(found['bare'] ?? [])];
    return { late, least, added: late - least };
  };
  for (const [how, found] of [
    ['each in its own time', delays],
    ['all in the same moment', bursts],
  ] as const) {
    const { late, least, added } = later(found);
    const told = `${more(added, 'ms')} (${short(late)} ms against ${short(least)} ms)`;
    printNote(`p99 of a piece of text where 8 streams speak 200 times a second, ${how}: ${told}`);
  }
  const { late, least, added } = later(alone);
  return [
    {
      what: 'text of 16 streams, as fast as it comes',
      ours: `${short(ours / 1000)} k characters/s`,
      floor: `${short(bare / 1000)} k characters/s (a proxy that passes bytes on)`,
      ratio: short(ours / bare),
      goal: '≥ 0.7',
      met: ours / bare >= 0.7,
    },
    {
      what: 'time to the first text, recorded',
      ours: `${short(first)} ms`,
      floor: `${short(floor)} ms`,
      ratio: more(first - floor, 'ms'),
      goal: '≤ +2 ms',
      met: first - floor <= 2,
    },
    {
      what: 'p99 of a piece of text, one stream that speaks 200 times a second',
      ours: `${short(late)} ms`,
      floor: `${short(least)} ms`,
      ratio: more(added, 'ms'),
      goal: '≤ +0.5 ms',
      met: added <= 0.5,
    },
  ];
}

/**
 * 200 streams at once, one after the other, for as long as it says. What counts is what is added after the first tenth:
 * until then the engine sizes its heap by the load.
 */
async function memory(place: Place, pid: number, progress: (text: string) => void): Promise<Row> {
  const resident = () =>
    Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  const warmUp = minutes * 6000;
  const ends = performance.now() + warmUp + minutes * 60_000;
  let streams = 0;
  const load = async (): Promise<void> => {
    while (performance.now() < ends) {
      await flow(place, 100, 50);
      streams++;
    }
  };
  const all = Array.from({ length: 200 }, load);
  await new Promise((resolve) => setTimeout(resolve, warmUp));
  const before = resident();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, resident());
    progress(`${streams} streams, ${short(resident())} MB`);
  }, 10_000);
  await Promise.all(all);
  clearInterval(watch);
  most = Math.max(most, resident());
  return {
    what: `memory under 200 streams at once, ${minutes} min, ${streams.toLocaleString('en')} streams`,
    ours: `${short(most)} MB`,
    floor: `${short(before)} MB (once warm)`,
    ratio: more(most - before, 'MB'),
    goal: '≤ +100 MB',
    met: most - before <= 100,
  };
}
