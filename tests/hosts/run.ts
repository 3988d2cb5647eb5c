// npm run hosts [HOST…] [-- --scenario TEXT] [--guard sallyport|none|cc-safety-net] [--latest] [--json]: runs the real
// agent hosts against a scripted model inside bubblewrap and prints what became of each scenario in each host.

import { parseArgs } from 'node:util';
import { adapters, type HostName, hostNames } from './adapters.ts';
import { allScenarios } from './catalog.ts';
import { type Cell, isExpected } from './cell.ts';
import { type GuardName, guardNames } from './guards.ts';
import { installLatest, installPinned, versionOf } from './install.ts';
import { canSandbox, openSandbox, type Sandbox } from './sandbox.ts';
import type { Scenario } from './scenarios.ts';

/** A host has 60 seconds; the rest is for the guard to start and to end. */
const cellTimeoutMs = 150_000;

const usage = `Usage: npm run hosts [HOST…] [-- --scenario TEXT] [--guard NAME] [--latest] [--jobs N] [--transcript] [--json]
  HOST             ${hostNames.join(', ')}; all of them where none is named
  --scenario TEXT  only scenarios whose name contains it; may be given several times
  --guard NAME     ${guardNames.join(', ')}; sallyport where none is named
  --latest         the newest versions of the hosts, installed into the user's cache folder
  --jobs N         so many cells at the same time; 1 where none is named
  --transcript     what the model called and received, and what the person was asked
  --json           one object a line
Example: npm run hosts claude codex -- --scenario folder`;

function misuse(message: string): never {
  process.stderr.write(`${message}\n${usage}\n`);
  process.exit(2);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scenario: { type: 'string', multiple: true, default: [''] },
    guard: { type: 'string', default: 'sallyport' },
    latest: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '1' },
    transcript: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}
const isHost = (name: string): name is HostName => hostNames.some((known) => known === name);
const isGuard = (name: string): name is GuardName => guardNames.some((known) => known === name);
const named = positionals.map((name) => (isHost(name) ? name : misuse(`there is no host "${name}"`)));
const hosts = named.length > 0 ? named : hostNames;
const guard = isGuard(values.guard) ? values.guard : misuse(`there is no guard "${values.guard}"`);
const chosen = allScenarios.filter(({ name }) => values.scenario.some((part) => name.includes(part)));
if (chosen.length === 0) misuse(`no scenario contains "${values.scenario.join('" or "')}"`);
const jobs = Number(values.jobs);
if (!Number.isInteger(jobs) || jobs < 1) misuse(`--jobs takes a number, not "${values.jobs}"`);
if (!canSandbox()) misuse('nothing was tried: bubblewrap (bwrap) is not installed or cannot be used here');

const modules = values.latest ? installLatest() : installPinned();
const versions = hosts.map((host) => `${host} ${versionOf(modules, adapters[host].packageName)}`);
if (guard === 'cc-safety-net') versions.push(`cc-safety-net ${versionOf(modules, 'cc-safety-net')}`);
process.stderr.write(`${versions.join(', ')}\n`);
const sandbox = openSandbox(modules);
try {
  const cells = await runAll(sandbox);
  if (!values.json) process.stdout.write(`${tableOf(cells)}${versions.join(', ')}\n`);
  process.exitCode = cells.every((cell) => cell.isExpected) ? 0 : 1;
} finally {
  sandbox.remove();
}

async function runAll(where: Sandbox): Promise<readonly Cell[]> {
  const wanted = chosen.flatMap((scenario) => hosts.map((host) => ({ scenario, host })));
  const cells: Cell[] = [];
  const queue = [...wanted];
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const cell = await runCell(where, next.host, next.scenario);
      cells.push(cell);
      const mark = `[${cells.length}/${wanted.length}]`;
      const line = `${mark} ${cell.outcome.padEnd(9)} ${cell.host.padEnd(9)} ${cell.scenario}  (${cell.seconds.toFixed(0)} s) ${cell.detail}`;
      process.stdout.write(values.json ? `${JSON.stringify(cell)}\n` : `${line}\n`);
      if (values.transcript && !values.json) {
        for (const one of cell.transcript ?? []) process.stdout.write(`    ${one}\n`);
      }
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return cells;
}

async function runCell(where: Sandbox, host: HostName, scenario: Scenario): Promise<Cell> {
  const ended = await where.run(
    'cell.ts',
    [host, scenario.name, guard, modules],
    cellTimeoutMs,
    scenario.isOrdinary,
  );
  if (ended?.code === 0) return JSON.parse(ended.output);
  const outcome = ended === null ? 'hung' : 'failed';
  return {
    host,
    scenario: scenario.name,
    outcome,
    seconds: ended === null ? cellTimeoutMs / 1000 : 0,
    isExpected: isExpected(guard, scenario, outcome, []),
    detail: ended === null ? 'the cell did not end in time' : `the cell ended with ${ended.code}`,
    questions: 0,
    output: ended?.output ?? '',
  };
}

function tableOf(cells: readonly Cell[]): string {
  const width = Math.max(...chosen.map(({ name }) => name.length));
  const rows = [`\n${'scenario'.padEnd(width)}  ${hosts.map((host) => host.padEnd(9)).join(' ')}`];
  for (const { name } of chosen) {
    const own = hosts.map(
      (host) => cells.find((cell) => cell.host === host && cell.scenario === name)?.outcome ?? '',
    );
    rows.push(`${name.padEnd(width)}  ${own.map((outcome) => outcome.padEnd(9)).join(' ')}`);
  }
  const count = (outcome: Cell['outcome']) => cells.filter((cell) => cell.outcome === outcome).length;
  const all = (['held', 'bypassed', 'unusable', 'hung', 'n/a', 'failed'] as const).map(
    (outcome) => `${count(outcome)} ${outcome}`,
  );
  const proofs = cells
    .filter(({ outcome }) => outcome === 'n/a')
    .map(({ host, scenario, detail }) => `n/a ${host}, ${scenario}: ${detail}\n`);
  return `${rows.join('\n')}\n${proofs.join('')}${cells.length} cells with ${guard}: ${all.join(', ')}\n`;
}
