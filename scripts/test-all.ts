// npm run test:all [-- --only NAME… --save]: the runs that take too long for `npm test`, one after another; each ends with
// what its last line says. With --save, docs/long-runs.md has the results.

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatted, table } from './pages.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

interface Run {
  readonly name: string;
  /** What is given to npm. */
  readonly words: readonly string[];
  readonly proves: string;
}

const runs: readonly Run[] = [
  { name: 'test', words: ['test'], proves: 'lint, types, unused code and every test' },
  {
    name: 'redteam',
    words: ['run', 'redteam'],
    proves: 'an attacker with your account approves nothing, reads no key, unhooks no host',
  },
  {
    name: 'hosts',
    words: ['run', 'hosts'],
    proves: 'every scenario in every real agent host ends as it must',
  },
  {
    name: 'crash',
    words: ['run', 'crash', '--', '200'],
    proves: 'no acknowledged decision is lost when the daemon is killed',
  },
  {
    name: 'crash:changes',
    words: ['run', 'crash:changes', '--', '200'],
    proves: 'a change set that is killed at any step is old or new',
  },
  {
    name: 'undo',
    words: ['run', 'eval', 'undo'],
    proves: 'undo restores histories byte for byte, and leaves the files of a person alone',
  },
  {
    name: 'metamorphic',
    words: ['run', 'metamorphic', '--', '20000'],
    proves: 'a dangerous command stays dangerous, however it is written',
  },
  {
    name: 'mutate',
    words: ['run', 'mutate', '--', '400'],
    proves: 'a changed word of a program card breaks a test',
  },
  {
    name: 'fuzz',
    words: ['run', 'fuzz'],
    proves: 'no foreign text makes a reader throw, change its answer or hang',
  },
  {
    name: 'restarts',
    words: ['run', 'restarts'],
    proves: 'no acknowledged decision is lost when PostgreSQL restarts',
  },
  {
    name: 'conformance',
    words: ['run', 'conformance'],
    proves: 'the gateway passes the official suite of MCP',
  },
  { name: 'soak', words: ['run', 'soak'], proves: 'ten minutes of load with faults lose nothing' },
];

interface Ended {
  readonly run: Run;
  readonly status: number | null;
  readonly seconds: number;
  readonly last: string;
}

function wantedOf(given: readonly string[]): readonly Run[] {
  const names = given.filter((word) => word !== '--only' && word !== '--save');
  const unknown = names.filter((name) => !runs.some((run) => run.name === name));
  if (unknown.length > 0 || given.includes('--help')) {
    process.stderr.write(
      `Usage: npm run test:all [-- [--only NAME…] [--save]]   names: ${runs.map(({ name }) => name).join(', ')}\n` +
        'Example: npm run test:all -- --only hosts redteam\n',
    );
    process.exit(given.includes('--help') ? 0 : 2);
  }
  return names.length === 0 ? runs : runs.filter(({ name }) => names.includes(name));
}

/** Runs one to its end; what it prints is shown as it comes. */
async function ended(run: Run): Promise<Ended> {
  const started = performance.now();
  const child = spawn('npm', [...run.words], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  let tail = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text);
    tail = (tail + text).slice(-4000);
  });
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  const lines = tail.split('\n').map((line) => line.replaceAll(/\x1b\[[\d;]*m/g, '').trim());
  const last = lines.filter((line) => line !== '').at(-1) ?? '';
  return { run, status, seconds: Math.round((performance.now() - started) / 1000), last };
}

function page(all: readonly Ended[]): string {
  const { version, platform, arch } = process;
  const day = new Date().toISOString().slice(0, 10);
  return formatted(
    'docs/long-runs.md',
    [
      '# Long runs',
      'What is too slow for `npm test`, run on one state of the code. `npm run test:all -- --save` runs all of it and writes this page; do not edit it. [How Sallyport is tested](../tests/README.md) says more about each.',
      `${day}, Node ${version}, ${platform} ${arch}, ${availableParallelism()} cores.`,
      table(
        ['command', 'what it proves', 'result', 'last line', 'minutes'],
        all.map(({ run, status, seconds, last }) => [
          `\`npm ${run.words.join(' ')}\``,
          run.proves,
          status === 0 ? 'passed' : `FAILED (${status})`,
          last.slice(0, 160),
          (seconds / 60).toFixed(1),
        ]),
      ),
      '',
    ].join('\n\n'),
  );
}

const given = process.argv.slice(2);
const all: Ended[] = [];
for (const run of wantedOf(given)) {
  process.stdout.write(`\n── npm ${run.words.join(' ')}\n`);
  all.push(await ended(run));
}
process.stdout.write('\n');
for (const { run, status, seconds, last } of all)
  process.stdout.write(
    `${status === 0 ? 'passed' : 'FAILED'}  ${run.name.padEnd(14)} ${seconds} s  ${last}\n`,
  );
if (given.includes('--save')) writeFileSync(join(root, 'docs/long-runs.md'), page(all));
process.exitCode = all.every(({ status }) => status === 0) ? 0 : 1;
