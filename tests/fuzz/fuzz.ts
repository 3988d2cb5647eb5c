// npm run fuzz [TARGET…] [--count N] [--seed S] [--json]: reads so many bent texts with each target, as many of each as they
// are cheap; nothing may throw, break its invariant, change its mind or be late. Commands are also compared with `bash -n`.

import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { parse } from 'unbash';
import { printColumns, short } from '../../benchmarks/table.ts';
import { type Report, runTarget } from './harness.ts';
import type { Target } from './target.ts';
import { shellSeeds } from './targets/commands.ts';
import { targets } from './targets/index.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});
const [count, seed] = [Number(values.count), Number(values.seed)];
const unknown = positionals.filter((name) => !targets.some((target) => target.name === name));
if (!Number.isSafeInteger(count) || count < 0 || !Number.isSafeInteger(seed) || unknown.length > 0) {
  process.stderr.write(
    `Usage: npm run fuzz [TARGET…] [--count N] [--seed S] [--json]\nTargets: ${targets.map(({ name }) => name).join(' ')}\n`,
  );
  process.exit(2);
}
const wanted = positionals.length === 0 ? targets : targets.filter(({ name }) => positionals.includes(name));

/** How many texts each target is given: the cheaper, the more, and none fewer than this. */
const least = 500;

function shareOf(target: Target): number {
  const ease = (one: Target): number => 1 / one.cost;
  const all = wanted.reduce((sum, one) => sum + ease(one), 0);
  return Math.max(Math.min(least, count), Math.ceil((count * ease(target)) / all));
}

function shown(text: string): string {
  return JSON.stringify(text.length > 400 ? `${text.slice(0, 400)}…` : text);
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

/** The parser may find no fault where bash finds none; gives the commands where it does. */
function stricterThanBash(): readonly string[] {
  const texts = shellSeeds.filter((text) => !text.includes('\0'));
  const byBash = readableByBash(texts);
  if (byBash.length !== texts.length) return ['bash did not read them all'];
  return texts.filter((text, at) => byBash[at] && (parse(text).errors?.length ?? 0) > 0);
}

const reports: Report[] = [];
for (const target of wanted) {
  const share = shareOf(target);
  const progress = (done: number, faulty: number): void => {
    process.stderr.write(`\r${target.name}: ${done} of ${share}, ${faulty} at fault \u001b[K`);
  };
  const report = await runTarget(target, {
    count: share,
    seed,
    timed: true,
    ...(process.stderr.isTTY ? { progress } : {}),
  });
  reports.push(report);
  process.stderr.write(
    `${process.stderr.isTTY ? '\r\u001b[K' : ''}${target.name}: ${report.inputs} read, ${report.faulty} at fault\n`,
  );
  for (const { kind, what, text } of report.faults) {
    process.stderr.write(`  ${kind}: ${what}\n    ${shown(text)}\n`);
  }
}
const stricter = wanted.some(({ name }) => name === 'shell') ? stricterThanBash() : [];
for (const text of stricter) process.stderr.write(`bash reads it, the parser does not: ${shown(text)}\n`);

const faulty = reports.reduce((sum, report) => sum + report.faulty, stricter.length);
const inputs = reports.reduce((sum, report) => sum + report.inputs, 0);
if (values.json) process.stdout.write(`${JSON.stringify({ seed, inputs, faulty, stricter, reports })}\n`);
else {
  printColumns(
    ['target', 'texts', 'answers', 'at fault', 'each', 'the slowest', 'may take'],
    reports.map(({ target, inputs: texts, answers, faulty: wrong, each, worst }) => [
      target,
      texts.toLocaleString('en'),
      answers.toLocaleString('en'),
      String(wrong),
      `${short(each)} µs`,
      `${short(worst)} ms`,
      `${targets.find(({ name }) => name === target)?.limit ?? 50} ms`,
    ]),
  );
  process.stdout.write(`seed ${seed}: ${inputs.toLocaleString('en')} texts, ${faulty} at fault\n`);
}
process.exitCode = faulty === 0 ? 0 : 1;
