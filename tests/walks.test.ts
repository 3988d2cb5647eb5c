// The walks of src/README.md are true: every file that they name is there, and has the function beside it.
// `npm run walks` walks them.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Watch, watchable } from '../scripts/coverage.ts';
import { temporaryFolder } from './support/ledger.ts';
import { callableIn, countsIn, sectionOf, walksIn } from './support/walks.ts';

const section = sectionOf(readFileSync('src/README.md', 'utf8'));
const walks = walksIn(section);

it('walks five ways, each from a surface to the ledger or to what runs', () => {
  expect(walks).toHaveLength(5);
  for (const { steps } of walks) {
    expect(steps.length).toBeGreaterThan(10);
    expect(steps[0]?.file).toMatch(/^src\/(surfaces|cli)\//);
    expect(steps.map(({ file }) => file)).toContain('src/decide/decide.ts');
  }
  // Every row of every table is a step: none is left unread because of its form.
  const tables = section.slice(section.indexOf('\n### '));
  const rows = [...tables.matchAll(/^\| (?!file|-)/gm)].length;
  expect(walks.flatMap(({ steps }) => steps)).toHaveLength(rows);
});

it('says how many steps each walk has, and in how many files', () => {
  const told = countsIn(section).map(({ steps, named }) => ({ steps, named }));
  const counted = walks.map(({ steps }) => ({
    steps: steps.length,
    named: new Set(steps.map(({ file }) => file)).size,
  }));
  expect(told).toEqual(counted);
});

/** The goals: 90 files for the hook, and no walk longer than before. */
const mostCalled = [90, 122, 115, 166, 121];

it('calls no more files than its goal allows', () => {
  const counts = countsIn(section);
  expect(counts).toHaveLength(5);
  expect(counts.filter(({ called }, walk) => called > (mostCalled[walk] ?? 0))).toEqual([]);
});

describe.each(walks)('$title', ({ steps }) => {
  it.each(steps)('$file has $name', ({ file, name }) => {
    expect(existsSync(file), file).toBe(true);
    expect(callableIn(file).has(name)).toBe(true);
  });
});

it('counts what a process and its threads call, and not what they only load', async () => {
  const file = join(temporaryFolder(), 'program.mjs');
  writeFileSync(
    file,
    `import { isMainThread, Worker } from 'node:worker_threads';
function early() {}
function inProcess() {}
const inThread = () => {};
function never() {}
if (isMainThread) {
  early();
  const thread = new Worker(new URL(import.meta.url), { env: {}, execArgv: [] });
  process.stdin.once('data', () => { inProcess(); thread.postMessage(1); }).once('end', () => process.exit());
} else (await import('node:worker_threads')).parentPort.on('message', inThread);
`,
  );
  const child = spawn(process.execPath, [...watchable, file]);
  const gone = new Promise((resolve) => child.once('close', resolve));
  const watch = await Watch.over(child.stderr);
  await watch.forget();
  child.stdin.write('go');
  const source = readFileSync(file, 'utf8');
  const called = ((await watch.settled()).get(file) ?? []).map(([from, to]) => source.slice(from, to));
  child.stdin.end();
  await watch.ending;
  watch.close();
  await gone;
  expect(called).toContain('function inProcess() {}');
  expect(called).toContain('() => {}');
  expect(called.join('\n')).not.toMatch(/early|never|import/);
});
