// npm run fuzz [COUNT [SEED]]: judges so many bent commands and every hostile shape: nothing may throw, nothing may
// take longer than 50 ms; then compares the parser's word on ordinary commands with that of `bash -n`.
// Every hundred thousand have the next seed, so that a run can be gone on with, or parted, by its seeds.

import { spawnSync } from 'node:child_process';
import { parse } from 'unbash';
import { corpus } from '../../benchmarks/texts.ts';
import { commandJudge, hasCommandGuard, shellAction } from '../support/command-judge.ts';
import { bent, hostileShapes, seeds } from './hostile.ts';
import { seeded } from './random.ts';

/** Milliseconds that one input may take. */
const limit = 50;
const mostListed = 20;
const perSeed = 100_000;
const warmUp = 3000;

const [count = 1_000_000, seed = 1] = process.argv.slice(2).map(Number);
if (!Number.isSafeInteger(count) || count < 0 || !Number.isSafeInteger(seed)) {
  process.stderr.write('Usage: npm run fuzz [COUNT [SEED]]\n');
  process.exit(2);
}

/** Commands of the corpora, where they are at hand. */
const known = [
  'metamorphic-verified',
  'benign-controls',
  'ci-run-steps',
  'nl2bash-benign',
  'gtfobins',
  'nah-1.3.1',
]
  .flatMap((name) => corpus<{ cmd: string }>(`shell/${name}.jsonl`))
  .map(({ cmd }) => cmd);

interface Slow {
  readonly took: number;
  readonly name: string;
  readonly text: string;
}

function shown(text: string): string {
  return JSON.stringify(text.length > 160 ? `${text.slice(0, 160)}…` : text);
}

/** Milliseconds that this thread has worked; what else the machine does stays out of it. */
function busy(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

async function judged(): Promise<boolean> {
  const judge = commandJudge();
  const threw: string[] = [];
  const late: Slow[] = [];
  let worst: Slow = { took: 0, name: '', text: '' };
  const one = async (name: string, text: string): Promise<void> => {
    const start = busy();
    const { findings } = await judge(shellAction(text));
    let took = busy() - start;
    if (findings.some(({ rule }) => rule === 'guard_error')) threw.push(text);
    // The collector or the compiler may have been in the way: what is slow is slow thrice.
    for (let again = 0; took > limit / 2 && took < limit * 20 && again < 2; again++) {
      const next = busy();
      await judge(shellAction(text));
      took = Math.min(took, busy() - next);
    }
    if (took > worst.took) worst = { took, name, text };
    if (took > limit) late.push({ took, name, text });
  };

  // The compiler has seen the guard before anything is timed.
  const early = seeded(0);
  const given = seeds(known);
  for (let times = 0; times < warmUp; times++) await judge(shellAction(bent(early, given)));
  const shapes = hostileShapes();
  for (const { name, text } of shapes) await one(name, text);
  const started = busy();
  let last = seed;
  for (let at = 0; at < count; last++) {
    const random = seeded(last);
    for (const end = Math.min(count, at + perSeed); at < end; at++) await one('bent', bent(random, given));
    process.stderr.write(
      `${at} of ${count}, up to seed ${last}: ${threw.length} threw, ${late.length} late, the worst ${worst.took.toFixed(1)} ms\n`,
    );
  }
  const each = ((busy() - started) * 1000) / Math.max(1, count);
  for (const text of threw.slice(0, mostListed)) process.stdout.write(`threw: ${shown(text)}\n`);
  for (const { took, name, text } of late.sort((a, b) => b.took - a.took).slice(0, mostListed)) {
    process.stdout.write(`late: ${took.toFixed(1)} ms  ${name}  ${shown(text)}\n`);
  }
  process.stdout.write(
    `seeds ${seed} to ${last - 1}: ${shapes.length} hostile shapes and ${count} bent commands, ${threw.length} threw, ${late.length} over ${limit} ms; ` +
      `${each.toFixed(0)} µs each, the worst ${worst.took.toFixed(1)} ms: ${worst.name} ${shown(worst.text.slice(0, 60))}\n`,
  );
  return threw.length === 0 && late.length === 0;
}

/** What bash itself says of each text, by reading it and running nothing (`-n`). */
function readableByBash(texts: readonly string[]): readonly boolean[] {
  const loop = `while IFS= read -r -d '' text; do if bash -n -c "$text" 2>/dev/null; then printf 1; else printf 0; fi; done`;
  const { stdout } = spawnSync('bash', ['-c', loop], {
    input: texts.map((text) => `${text}\0`).join(''),
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  return [...stdout].map((sign) => sign === '1');
}

/** The parser may find no fault where bash finds none. */
function compared(): boolean {
  const texts = [...new Set(seeds(known))].filter((text) => !text.includes('\0'));
  const byBash = readableByBash(texts);
  const stricter: string[] = [];
  let looser = 0;
  texts.forEach((text, at) => {
    const faults = parse(text).errors?.length ?? 0;
    if (byBash[at] && faults > 0) stricter.push(text);
    if (!byBash[at] && faults === 0) looser++;
  });
  for (const text of stricter.slice(0, mostListed))
    process.stdout.write(`bash reads it, the parser does not: ${shown(text)}\n`);
  process.stdout.write(
    `${texts.length} commands beside bash -n: ${stricter.length} that bash alone reads, ${looser} that the parser alone reads\n`,
  );
  return byBash.length === texts.length && stricter.length === 0;
}

const same = compared();
if (!hasCommandGuard) process.stdout.write('no guard judges commands yet, so that none was judged\n');
const sound = !hasCommandGuard || (await judged());
process.exitCode = same && sound ? 0 : 1;
