// npm run test:all [-- --only NAME… --save]: the runs that take too long for `npm test`, one after another; each ends with
// what its last line says. With --save, each result is stored with its commit, and docs/long-runs.md shows them.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
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

/** How a run ended, as it is stored. */
interface Ended {
  readonly status: number | null;
  readonly seconds: number;
  readonly last: string;
  readonly commit: string;
  readonly day: string;
  readonly machine: string;
}

const stored = join(root, 'benchmarks/results/long-runs.json');

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
  const { version, platform, arch } = process;
  return {
    status,
    seconds: Math.round((performance.now() - started) / 1000),
    last: (lines.filter((line) => line !== '').at(-1) ?? '').slice(0, 160),
    commit: execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim(),
    day: new Date().toISOString().slice(0, 10),
    machine: `Node ${version}, ${platform} ${arch}, ${availableParallelism()} cores`,
  };
}

function results(): Readonly<Record<string, Ended>> {
  return existsSync(stored) ? JSON.parse(readFileSync(stored, 'utf8')) : {};
}

/** Stores how a run ended, and writes the page of all that are stored. */
function save(name: string, one: Ended): void {
  const all = { ...results(), [name]: one };
  writeFileSync(stored, `${JSON.stringify(all, null, 2)}\n`);
  writeFileSync(join(root, 'docs/long-runs.md'), page(all));
}

function page(all: Readonly<Record<string, Ended>>): string {
  return formatted(
    'docs/long-runs.md',
    [
      '# Long runs',
      'What is too slow for `npm test`. `npm run test:all -- --save` runs all of it, and `--only NAME` some; each writes its row here, so do not edit this page. [How Sallyport is tested](../tests/README.md) says more about each.',
      table(
        ['command', 'what it proves', 'result', 'last line', 'minutes', 'commit, date'],
        runs.flatMap(({ name, words, proves }) => {
          const one = all[name];
          if (one === undefined) return [];
          const { status, seconds, last, commit, day } = one;
          const result = status === 0 ? 'passed' : `FAILED (${status})`;
          return [
            [
              `\`npm ${words.join(' ')}\``,
              proves,
              result,
              last,
              (seconds / 60).toFixed(1),
              `${commit}, ${day}`,
            ],
          ];
        }),
      ),
      [...new Set(Object.values(all).map(({ machine }) => machine))].join('; '),
      '',
    ].join('\n\n'),
  );
}

const given = process.argv.slice(2);
const done: (readonly [name: string, Ended])[] = [];
for (const run of wantedOf(given)) {
  process.stdout.write(`\n── npm ${run.words.join(' ')}\n`);
  const one = await ended(run);
  done.push([run.name, one]);
  if (given.includes('--save')) save(run.name, one);
}
process.stdout.write('\n');
for (const [name, { status, seconds, last }] of done)
  process.stdout.write(`${status === 0 ? 'passed' : 'FAILED'}  ${name.padEnd(14)} ${seconds} s  ${last}\n`);
process.exitCode = done.every(([, { status }]) => status === 0) ? 0 : 1;
