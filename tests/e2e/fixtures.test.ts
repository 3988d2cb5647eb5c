// sallyport fixtures as people call it: the contract on the one path, the example agents, and agents that misbehave.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { contractFolder, readFixtures, settingFile } from '../../src/cli/fixtures/fixture.ts';
import { cli, ended, jsonLines, newPlace, startCli } from '../support/cli.ts';

const examples = fileURLToPath(new URL('../../examples/agents/', import.meta.url));
const harness = fileURLToPath(new URL('../support/harness-agent.ts', import.meta.url));
const fixtures = (...args: string[]) => cli(newPlace(), ['fixtures', ...args]);
const count = readFixtures([contractFolder()]).length;

/** The results of a run, by the names of the fixtures, and its last line. */
function resultsIn(stdout: string) {
  const lines = jsonLines(stdout);
  const summary = lines.pop();
  return { summary, results: new Map(lines.map((line) => [String(line['fixture']), line])) };
}

describe('sallyport fixtures', () => {
  it('holds the one path to the whole contract', { timeout: 240_000 }, async () => {
    const { status, stdout, stderr } = await fixtures('run', '--json');
    const { summary, results } = resultsIn(stdout);
    expect([...results.values()].filter(({ passed }) => passed !== true)).toEqual([]);
    expect(summary).toEqual({ fixtures: count, failed: 0 });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('holds the harness to the whole contract', { timeout: 240_000 }, async () => {
    const { status, stdout, stderr } = await fixtures('run', '--json', '--agent', `node ${harness}`);
    const { summary, results } = resultsIn(stdout);
    expect([...results.values()].filter(({ passed }) => passed !== true)).toEqual([]);
    expect(summary).toEqual({ fixtures: count, failed: 0 });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('tells people how it went', async () => {
    const { status, stdout } = await fixtures('run', '--filter', 'AG-IN-3');
    expect(stdout.split('\n').slice(-3)).toEqual([
      expect.stringMatching(/^ok {3}input\/jailbreak_\w+ \(AG-IN-3\)$/),
      '3 fixtures, 0 failed',
      '',
    ]);
    expect(status).toBe(0);
  });

  it('lists and shows what there is, and what it stands on', async () => {
    const all = await fixtures('list', '--json');
    expect(jsonLines(all.stdout)).toHaveLength(count);
    const some = await fixtures('list', '--filter', 'output/secret');
    expect(some.stdout).toContain('output/secret_in_response  AG-OUT-1  block\n');
    const file = readFileSync(join(contractFolder(), 'tool/destructive_rm_rf.json'), 'utf8');
    expect((await fixtures('show', 'destructive_rm_rf')).stdout).toBe(file);
    expect((await fixtures('show', 'tool/destructive_rm_rf')).stdout).toBe(file);
    expect((await fixtures('setting')).stdout).toBe(readFileSync(settingFile(), 'utf8'));
    const schema = readFileSync(join(contractFolder(), 'fixture.schema.json'), 'utf8');
    expect((await fixtures('schema')).stdout).toBe(schema);
    const unknown = await fixtures('show', 'destructive_rm_r');
    expect(unknown).toMatchObject({ status: 1, stderr: expect.stringContaining('"destructive_rm_rf"') });
  });

  it('runs fixtures of your own, from files', async () => {
    const place = newPlace();
    const own = {
      version: 1,
      name: 'own',
      rule: 'AG-IN-1',
      layer: 'input',
      context: {},
      input: { kind: 'prompt', text: 'Good morning' },
      expect: { decision: 'block', text: 'x', event_type: 'jailbreak_attempt' },
    };
    writeFileSync(join(place.workspace, 'own.json'), JSON.stringify(own));
    const { status, stdout } = await cli(place, ['fixtures', 'run', 'own.json']);
    expect(stdout).toBe(
      [
        'FAIL input/own (AG-IN-1)',
        '     decision: expected "block", got "pass"',
        '     text: expected "x", got "Good morning"',
        '     event: expected "jailbreak_attempt", got ["decision"]',
        '1 fixtures, 1 failed\n',
      ].join('\n'),
    );
    expect(status).toBe(1);
  });

  it.each([
    [['run', '--filter', 'nothing_like_it'], 'no fixture has'],
    [['run', '/no/such/folder'], 'there is no /no/such/folder'],
    [['run', '--mcp'], '--mcp goes with --agent'],
    [['run', '--timeout', '5'], '--timeout goes with --agent'],
    [['run', '--agent', ''], '--agent is an address or a command'],
    [['run', '--agent', 'http://['], 'no address'],
    [['run', '--agent', 'true', '--timeout', 'x'], '--timeout'],
    [['run', '--agent', 'http://127.0.0.1/', '--token-file', '/no/such/file'], '/no/such/file'],
    [['walk'], 'unknown word "walk"'],
    [['list', 'more'], 'unexpected argument'],
    [['show'], 'NAME is missing'],
  ])('%j is wrong use', async (args, told) => {
    const { status, stderr, stdout } = await fixtures(...args);
    expect(stderr).toContain(told);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  });
});

describe('an agent', () => {
  /** What the example agent gets right is known, and it is the same by every way. */
  const expectExample = ({ status, stdout }: { status: number | null; stdout: string }) => {
    const { summary, results } = resultsIn(stdout);
    expect(results.size).toBe(count);
    expect(results.get('output/secret_in_response')).toMatchObject({
      passed: true,
      got: { decision: 'block' },
    });
    expect(results.get('input/prompt_injection_basic')).toMatchObject({ passed: true });
    expect(results.get('tool/destructive_rm_rf')).toMatchObject({ passed: true });
    expect(results.get('input/pii_cpf_in_user_message')).toMatchObject({
      passed: false,
      expected: { decision: 'redact' },
      got: { decision: 'pass' },
      differences: [{ of: 'decision' }, { of: 'text' }],
    });
    const failed = [...results.values()].filter(({ passed }) => passed === false).length;
    expect(failed).toBeGreaterThan(10);
    expect({ status, summary }).toEqual({ status: 1, summary: { fixtures: count, failed } });
  };
  const command = (name: string) => `'${process.execPath}' '${examples}${name}.mjs'`;

  it('on standard streams is held to the contract', async () => {
    expectExample(await fixtures('run', '--json', '--agent', command('stdio')));
  });

  it('over MCP is held to the contract', async () => {
    expectExample(await fixtures('run', '--json', '--mcp', '--agent', command('mcp')));
  });

  it('over HTTP is held to the contract', async () => {
    const server = spawn(process.execPath, [`${examples}http.mjs`, '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void server.kill('SIGKILL'));
    const url = await new Promise<string>((resolve) => {
      server.stdout.setEncoding('utf8').once('data', (line: string) => resolve(line.trim()));
    });
    expectExample(await fixtures('run', '--json', '--agent', url));
  });

  it('that crashes fails every fixture, and soon is asked no more', async () => {
    const { status, stdout } = await fixtures('run', '--json', '--agent', 'exit 3');
    const { summary, results } = resultsIn(stdout);
    expect(summary).toEqual({ fixtures: count, failed: count });
    const problems = [...results.values()].map(({ problem }) => problem);
    expect(problems.slice(0, 5)).toEqual(Array(5).fill('the program ended (exit code 3)'));
    expect(new Set(problems.slice(5)).size).toBe(1);
    expect(status).toBe(1);
  });

  it('is not left behind when the run is interrupted', async () => {
    const place = newPlace();
    const file = join(place.workspace, 'pid');
    const child = startCli(place, ['fixtures', 'run', '--agent', 'echo $$ > pid; sleep 600']);
    child.stdin?.end();
    while (!existsSync(file) || readFileSync(file, 'utf8') === '')
      await new Promise((go) => setTimeout(go, 20));
    child.kill('SIGINT');
    expect(await ended(child)).toMatchObject({ status: 1, stdout: '' });
    const pid = Number(readFileSync(file, 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
