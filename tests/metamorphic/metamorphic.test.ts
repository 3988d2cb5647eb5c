// Every dangerous command that the oracle proves is stopped, and harmless ones are not.

import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandJudge, shellAction } from '../support/command-judge.ts';
import { oneOf } from '../support/share.ts';
import { everyday, mentions } from './benign.ts';
import { type Case, composedCases, singleCases } from './generator.ts';
import { createOracle, type Oracle, oracleProblem, shows } from './oracle.ts';
import { payloads } from './payloads.ts';
import { transforms } from './transforms.ts';

const problem = oracleProblem();
const proofs = problem === null ? 'the oracle' : `the oracle (skipped: ${problem})`;

describe('the generator', () => {
  it('gives the same cases for the same seed', () => {
    const commands = (seed: number) => composedCases(50, seed).map(({ command }) => command);
    expect(commands(3)).toEqual(commands(3));
    expect(commands(3)).not.toEqual(commands(4));
  });

  it('has a name and one line of explanation for each transform, and a case of each', () => {
    expect(new Set(transforms.map(({ name }) => name)).size).toBe(transforms.length);
    expect(transforms.filter(({ about }) => about === '' || about.includes('\n'))).toEqual([]);
    const used = new Set(singleCases(1).flatMap(({ through }) => through));
    expect(transforms.filter((transform) => !used.has(transform)).map(({ name }) => name)).toEqual([]);
  });
});

describe.skipIf(problem !== null)(proofs, () => {
  let oracle: Oracle;
  let proven: readonly Case[];
  const cases = [...singleCases(1), ...composedCases(250 / oneOf(2), 20)];

  beforeAll(async () => {
    oracle = createOracle();
    proven = await oracle.prove(cases);
  }, 600_000);
  afterAll(() => oracle.close());

  it('sees what runs, and lets nothing out', async () => {
    const seen = await oracle.observe(
      'rm -rf "$HOME" /; echo x > /dev/sda; touch /usr/mark /etc/mark; reboot',
    );
    expect(seen.ran).toEqual([['rm', '-rf', '/tmp/home', '/'], ['reboot']]);
    expect(seen.written).toEqual(['/dev/sda']);
    expect(['/usr/mark', '/etc/mark'].filter((path) => existsSync(path))).toEqual([]);
    const looked = await oracle.observe('rm $(ls -A /root /home /sys /run 2>/dev/null | grep -v :)');
    expect(looked.ran).toEqual([['rm']]);
  });

  it('sees no payload where a command only names it', async () => {
    const named = await Promise.all(
      mentions.slice(0, 60 / oneOf(3)).map((command) => oracle.observe(command)),
    );
    const wrong = named.filter((observed) => payloads.some(({ proof }) => shows(observed, proof)));
    expect(wrong).toEqual([]);
  });

  it('proves nearly all cases', () => {
    expect(proven.length / cases.length).toBeGreaterThan(0.85);
  });

  it('has no proven case that passes', async () => {
    const judge = commandJudge();
    const passed: string[] = [];
    for (const { command } of proven)
      if ((await judge(shellAction(command))).stop === 'pass') passed.push(command);
    expect(passed).toEqual([]);
  });
});

describe('harmless commands', () => {
  it.each([
    ['only name something', mentions],
    ['of every day', everyday],
  ])('that are %s pass', async (_, commands) => {
    const judge = commandJudge();
    const stopped: string[] = [];
    for (const command of commands) {
      const { stop, findings } = await judge(shellAction(command));
      if (stop !== 'pass') stopped.push(`${command}: ${findings.map(({ rule }) => rule).join(', ')}`);
    }
    expect(stopped).toEqual([]);
  });
});
