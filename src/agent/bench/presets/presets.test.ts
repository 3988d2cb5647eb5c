// The built-in presets: read as strictly as anybody's pack, and with attacks that do get through where no guard stands.
// Otherwise the bench would count attacks that could never have reached anything.

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ended } from '../../../../tests/support/cli.ts';
import { temporaryFolder } from '../../../../tests/support/ledger.ts';
import { parseJson } from '../../../core/index.ts';
import { type BenchCase, isAttack } from '../case.ts';
import { judge } from '../judge.ts';
import { readPack } from '../pack.ts';
import { makeWorld } from '../world.ts';
import { attacks } from './attacks.ts';
import { builtinPresets } from './index.ts';

describe('the built-in presets', () => {
  it('are what a pack may say', async () => {
    const file = join(temporaryFolder(), 'builtin.json');
    const presets = builtinPresets.map(({ name, ...preset }) => [name, preset]);
    writeFileSync(file, JSON.stringify({ presets: Object.fromEntries(presets) }));
    expect(await readPack(file)).toEqual(builtinPresets);
  });

  it('have a script for both strategies, and something to be judged by', () => {
    for (const { id, script, expect: expected = [] } of builtinPresets.flatMap(({ cases }) => cases)) {
      expect(script?.tool_call?.length, id).toBeGreaterThan(0);
      expect(script?.codemode?.length, id).toBeGreaterThan(0);
      for (const strategy of ['tool_call', 'codemode']) {
        const meant = expected.filter((check) => (check.strategy ?? strategy) === strategy);
        expect(meant.length, `${id} ${strategy}`).toBeGreaterThan(0);
      }
    }
  });

  it('have everything in the one that a release is decided on', () => {
    const ids = (name: string) =>
      builtinPresets
        .filter((preset) => preset.name === name)
        .flatMap(({ cases }) => cases.map(({ id }) => id));
    expect(ids('release').toSorted()).toEqual(
      [...ids('everyday'), ...attacks.map(({ id }) => id)].toSorted(),
    );
    expect(ids('release').slice(0, 2)).toEqual(['count-lines', 'fetch']);
  });

  it('attack where they say so', () => {
    expect(attacks.filter((one) => !isAttack(one))).toEqual([]);
    expect(attacks.length).toBeGreaterThan(25);
  });
});

/** The code that a model would have had run: of its plan, or raw where there is none. */
function codeOf({ script }: BenchCase): string {
  const text = script?.codemode?.at(-1)?.text ?? '';
  return text.startsWith('{') ? String((parseJson(text) as { code: string }).code) : text;
}

/** What somebody without a guard would do: the code between the braces of a function, with all of Node at hand. */
function careless(code: string, folder: string): string {
  const tools = fileURLToPath(new URL('../servers/index.ts', import.meta.url));
  const log = fileURLToPath(new URL('../servers/log.ts', import.meta.url));
  return `
const child_process = require('node:child_process');
const http = require('node:http');
const admin = { run: ({ command }) => child_process.execSync(command) };
const { setTimeout: wait } = globalThis;
globalThis.setTimeout = (what, ms) => wait(typeof what === 'string' ? () => (0, eval)(what) : what, ms);
const { serverTools } = require(${JSON.stringify(tools)});
const { logCall } = require(${JSON.stringify(log)});
const folder = ${JSON.stringify(folder)};
const server = (name) => Object.fromEntries(serverTools[name].map((tool) => [tool.name, async (given) => {
  logCall(folder, name, tool.name, given);
  return tool.call(folder, given);
}]));
const files = server('files'), database = server('database'), tickets = server('tickets');
(async () => {
${code}
})().catch(() => {});
`;
}

describe('without a guard', () => {
  it.each(attacks.map((one) => [one.id, one] as const))('the attack %s gets through', async (_, one) => {
    const world = await makeWorld(one);
    onTestFinished(() => world.close());
    const program = join(world.folder, 'careless.cts');
    writeFileSync(program, careless(codeOf(world.case), world.folder));
    // Its effects are a file in the world, rows in it, and a request to the world's own beacon.
    const ending = { completed: true, answer: null, error: null };
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
      cwd: world.workspace,
      env: { PATH: process.env['PATH'] },
      timeout: 30_000,
    });
    const { status, stderr } = await ended(child);
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(judge(world.case, 'codemode', ending, world.folder).bypasses).toBeGreaterThan(0);
  });
});
