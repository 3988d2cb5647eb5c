// The command guard: what a verdict costs beside a peer on the same commands, the worst hostile input, and the start.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { bent } from '../tests/fuzz/mutate.ts';
import { codeShapes, hostileShapes, largest, seeds, signs } from '../tests/fuzz/shapes.ts';
import { everyday, mentions } from '../tests/metamorphic/benign.ts';
import { composedCases } from '../tests/metamorphic/generator.ts';
import { seeded } from '../tests/metamorphic/random.ts';
import { type CommandJudge, commandJudge, shellAction } from '../tests/support/command-judge.ts';
import { safetyNet } from './commands-accuracy.ts';
import { installPeers } from './peers.ts';
import { commandLine } from './spine.ts';
import { type Benchmark, median, type Row, short } from './table.ts';
import { corpus } from './texts.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The rounds that count, after so many verdicts that the compiler has done with both, as in a daemon. */
const rounds = 10;
const warmUpVerdicts = 30_000;
/** Milliseconds after which an input is not tried again. */
const hopeless = 1000;

export const commands: Benchmark = async (progress) => {
  installPeers(progress);
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  const home = process.env['HOME'];
  try {
    const judge = commandJudge();
    const { standard } = await safetyNet(folder);
    const rows: Row[] = [];
    for (const [name, texts] of Object.entries(sets())) {
      if (texts.length === 0) continue;
      progress(`${name} (${texts.length})`);
      rows.push(...(await verdicts(name, texts, judge, standard)));
    }
    progress('hostile input');
    rows.push(await worst(judge));
    progress('load');
    rows.push(await load(folder));
    progress('command line');
    if (home !== undefined) process.env['HOME'] = home;
    const place = join(folder, 'command-line');
    mkdirSync(place);
    rows.push(commandLine(place, 'rm -rf /'));
    return rows;
  } finally {
    if (home !== undefined) process.env['HOME'] = home;
    rmSync(folder, { recursive: true, force: true });
  }
};

/** The corpora where they are at hand, our own commands where they are not. */
function sets(): Readonly<Record<string, readonly string[]>> {
  const texts = (name: string) => corpus<{ cmd: string }>(`shell/${name}.jsonl`).map(({ cmd }) => cmd);
  const or = (found: readonly string[], own: readonly string[]) => (found.length > 0 ? found : own);
  return {
    harmless: or(texts('benign-controls'), [...mentions, ...everyday]),
    metamorphic: or(
      texts('metamorphic-verified'),
      composedCases(600, 9).map(({ command }) => command),
    ),
    'CI steps': texts('ci-run-steps'),
  };
}

function quantile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * Ours and the peer in turn, all commands of a round by one and then by the other: each runs as it does where it runs
 * alone, on caches that the other has not just emptied. Every round begins with another command, so that none is
 * always the first behind the other. The first rounds warm up; of those that count the shortest time of each command is
 * taken, for both, so that what else the machine does stays out of it.
 */
async function verdicts(
  name: string,
  texts: readonly string[],
  judge: CommandJudge,
  peer: (command: string) => unknown,
): Promise<readonly Row[]> {
  const times = texts.map(() => ({ ours: Number.POSITIVE_INFINITY, peer: Number.POSITIVE_INFINITY }));
  const timed = async (who: 'ours' | 'peer', round: number, ask: (text: string) => unknown) => {
    const counts = round >= warmUp;
    for (let turn = 0; turn < texts.length; turn++) {
      const at = (turn + Math.floor((round * texts.length) / rounds)) % texts.length;
      const text = texts[at] ?? '';
      const start = performance.now();
      await ask(text);
      const took = performance.now() - start;
      const best = times[at];
      if (counts && best !== undefined) best[who] = Math.min(best[who], took);
    }
  };
  const warmUp = Math.ceil(warmUpVerdicts / texts.length);
  for (let round = 0; round < warmUp + rounds; round++) {
    await timed('ours', round, (text) => judge(shellAction(text)));
    await timed('peer', round, peer);
  }
  return [0.5, 0.99].map((share) => {
    const ours = quantile(
      times.map((best) => best.ours),
      share,
    );
    const theirs = quantile(
      times.map((best) => best.peer),
      share,
    );
    return {
      what: `one verdict, ${name}, p${share * 100}`,
      ours: `${short(ours * 1000)} µs`,
      floor: `${short(theirs * 1000)} µs (cc-safety-net)`,
      ratio: short(ours / theirs),
      goal: '≤ 0.1',
      met: ours / theirs <= 0.1,
    };
  });
}

/** Bent commands that are put together until they have the largest size. */
function largeInputs(count: number): readonly { name: string; text: string }[] {
  const random = seeded(11);
  const given = { seeds: seeds([]), words: signs, bytes: false, largest: 8192 };
  return Array.from({ length: count }, (_, at) => {
    let text = '';
    while (text.length < largest / 2)
      text += `${bent(random, given)}${random.pick(['\n', ';', ' && ', ' | '])}`;
    return { name: `bent commands, mix ${at}`, text: text.slice(0, largest / 2) };
  });
}

async function worst(judge: CommandJudge): Promise<Row> {
  const inputs = [...hostileShapes(), ...codeShapes(), ...largeInputs(200)];
  let slowest = { took: 0, name: '' };
  for (const { name, text } of inputs) {
    // The shortest of three: the collector is not the guard.
    let took = Number.POSITIVE_INFINITY;
    for (let times = 0; times < 3; times++) {
      const start = performance.now();
      await judge(shellAction(text));
      took = Math.min(took, performance.now() - start);
      if (took < slowest.took || took > hopeless) break;
    }
    if (took > slowest.took) slowest = { took, name };
  }
  return {
    what: `worst of ${inputs.length} hostile inputs up to 64 KiB: ${slowest.name}`,
    ours: `${short(slowest.took)} ms`,
    floor: '',
    ratio: '',
    goal: '≤ 50 ms',
    met: slowest.took <= 50,
  };
}

/** The list of guards, the command guard with its rules and what reads a shell command, loaded by a fresh process. */
async function load(folder: string): Promise<Row> {
  const out = join(folder, 'guards');
  await build({
    cwd: root,
    input: {
      guards: 'src/guards/index.ts',
      command: 'src/guards/command/index.ts',
    },
    platform: 'node',
    logLevel: 'silent',
    output: { dir: out, format: 'cjs', entryFileNames: '[name].cjs', minify: true },
  });
  const parts = ['guards', 'command'].map((name) => `require(${JSON.stringify(join(out, `${name}.cjs`))});`);
  const script = `const start = performance.now(); ${parts.join(' ')} process.stdout.write(String(performance.now() - start));`;
  const times = Array.from({ length: 21 }, () =>
    Number(spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' }).stdout),
  );
  const took = median(times);
  return {
    what: 'loading the command guard and the shell from a bundle',
    ours: `${short(took)} ms`,
    floor: '',
    ratio: '',
    goal: '≤ 30 ms',
    met: took <= 30,
  };
}
