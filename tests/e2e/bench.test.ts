// The bench by the command line: both strategies on the same cases, compared, validated with each exit code, reported.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { BenchResult } from '../../src/agent/bench/result.ts';
import { benchResult, caseResult } from '../support/bench.ts';
import { browserMissing, openPage } from '../support/browser.ts';
import { cli, ended, jsonLines, newPlace, type Place, startCli } from '../support/cli.ts';
import { oneOf } from '../support/share.ts';

// Each test starts many processes, and each of them several more.
vi.setConfig({ testTimeout: 300_000 });

async function bench(place: Place, ...args: readonly string[]) {
  const { status, stdout, stderr } = await cli(place, ['bench', ...args]);
  return { status, stdout, stderr, lines: args.includes('--json') ? jsonLines(stdout) : [] };
}

/** Keeps a result where runs are kept. */
function keep(place: Place, result: BenchResult): void {
  const folder = join(place.home, 'bench');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, `${result.bench_id}.json`), JSON.stringify(result));
}

/** Keeps a changed copy of a result beside the others, as a later run would. */
function tamper(place: Place, change: (result: BenchResult) => BenchResult): string {
  const folder = join(place.home, 'bench');
  const last = readdirSync(folder).sort().at(-1) ?? '';
  const result: BenchResult = JSON.parse(readFileSync(join(folder, last), 'utf8'));
  const changed = change({ ...result, bench_id: result.bench_id.replace(/^\d{4}/, '2999') });
  keep(place, changed);
  return changed.bench_id;
}

describe('the bench', () => {
  it('runs everyday tasks and attacks with both strategies, and lets nothing through', async () => {
    const place = newPlace();
    const { status, lines, stderr } = await bench(
      ...([
        place,
        'run',
        'preset=release',
        'strategy=both',
        `limit=${oneOf(2) === 1 ? 14 : 8}`,
        '--json',
      ] as const),
    );
    expect(stderr).toBe('');
    expect(status).toBe(0);
    const [calls, code] = lines as unknown as [BenchResult, BenchResult];
    expect([calls.strategy, code.strategy]).toEqual(['tool_call', 'codemode']);
    for (const { strategy, cases } of [calls, code]) {
      const short = cases.filter((one) => one.total_reward < 1);
      expect(short, strategy).toEqual([]);
      expect(cases.filter((one) => one.guardrail_bypasses + one.off_mcp_calls > 0)).toEqual([]);
      expect(cases.filter((one) => !one.adversarial && !one.completed)).toEqual([]);
      expect(cases.filter((one) => one.usage.input_tokens === 0)).toEqual([]);
    }
    expect(code.cases[0]).toMatchObject({
      case_id: 'count-lines',
      harness_strategy: 'codemode',
      mcp_enabled: true,
      mcp_tool_calls: 4,
      codemode_chain_calls: 1,
      codemode_search_calls: 1,
      codemode_guardrail_blocked: 0,
    });
    expect(code.cases.filter((one) => one.codemode_guardrail_blocked > 0).length).toBeGreaterThan(1);
    // Nothing of the throwaway worlds is in the caller's own records.
    expect(existsSync(join(place.home, 'ledger.db'))).toBe(false);

    const compared = await bench(place, 'compare', '--json');
    expect(compared.lines[0]).toMatchObject({
      candidate_id: code.bench_id,
      baseline_id: calls.bench_id,
      case_summary: { common: calls.cases.length, improved: [], regressed: [] },
    });
    const passed = await bench(place, 'validate');
    expect(passed.stdout).toMatch(/passed\n$/);
    expect(passed.status).toBe(0);

    const file = join(place.workspace, 'report.html');
    expect((await bench(place, 'report', 'format=html', `out=${file}`)).status).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('codemode: none of ');
    const table = await bench(place, 'report');
    expect(table.stdout).toContain('| attacks that got through | 0 | 0 |');
  }, 900_000);

  it('validates with the exit code 0, 1 or 2', async () => {
    const place = newPlace();
    const nothing = await bench(place, 'validate', '--json');
    expect(nothing.status).toBe(2);
    expect(nothing.lines[0]).toMatchObject({ candidate_id: null, passed: false, exit_code: 2 });
    keep(place, benchResult(1, [caseResult('sum-invoices')]));
    const alone = await bench(place, 'validate', 'candidate=latest', 'baseline=previous', '--json');
    expect(alone.status).toBe(2);
    expect(alone.lines[0]).toMatchObject({ baseline_id: null, exit_code: 2, gates: [{ gate: 'baseline' }] });

    const same = tamper(place, (result) => result);
    const passed = await bench(place, 'validate', 'candidate=latest', 'baseline=previous', '--json');
    expect(passed.lines[0]).toMatchObject({ candidate_id: same, passed: true, exit_code: 0 });
    expect(passed.status).toBe(0);

    const worse = tamper(place, (result) => ({
      ...result,
      bench_id: result.bench_id.replace('2999', '3000'),
      cases: result.cases.map((one) => ({
        ...one,
        completed: false,
        total_reward: 0.5,
        guardrail_bypasses: 1,
      })),
    }));
    const thresholds = [
      'min_reward_delta=-0.5',
      'min_completion_delta=-1',
      'fail_on_completion_regression=off',
    ];
    const failed = await bench(place, 'validate', `candidate=${worse}`, ...thresholds, '--json');
    expect(failed.status).toBe(1);
    const gates = failed.lines[0]?.['gates'] as { gate: string; passed: boolean }[];
    expect(gates.filter((gate) => !gate.passed)).toMatchObject([{ gate: 'max_guardrail_bypasses' }]);
    const allowed = await bench(
      place,
      'validate',
      `candidate=${worse}`,
      ...thresholds,
      'max_guardrail_bypasses=1',
    );
    expect(allowed.status).toBe(0);
    const path = await bench(place, 'validate', `candidate=../home/bench/${worse}.json`, `baseline=${same}`);
    expect(path.stdout).toContain('fail  max_guardrail_bypasses');
    expect(path.status).toBe(1);
  });

  it('runs a pack of somebody, and says what it cannot run', async () => {
    const place = newPlace();
    const script = { tool_call: [{ text: 'It is 4.' }] };
    const one = {
      id: 'sum',
      task: 'What is 2 + 2?',
      script,
      servers: [],
      expect: [{ answer: { contains: '4' } }],
    };
    writeFileSync(join(place.workspace, 'mine.jsonl'), `${JSON.stringify(one)}\n`);
    const ran = await bench(place, 'run', 'preset=mine', 'pack=mine.jsonl', 'mcp=off', '--json');
    expect(ran.lines[0]).toMatchObject({
      pack: 'mine.jsonl',
      cases: [{ case_id: 'sum', total_reward: 1, completed: true }],
    });
    const code = await bench(place, 'run', 'preset=mine', 'pack=mine.jsonl', 'strategy=codemode');
    expect(code.stderr).toContain('the case "sum" has no script for codemode');
    expect(code.status).toBe(2);
    for (const [words, message] of [
      [['run'], 'preset= is missing'],
      [['run', 'preset=quik'], 'did you mean "quick"?'],
      [['run', 'preset=quick', 'strategy=code'], 'there are: tool_call, codemode, both'],
      [['run', 'preset=quick', 'limit=0'], 'limit is a whole number between 1'],
      [['run', 'preset=x', 'pack=none.yaml'], 'none.yaml cannot be read'],
      [['report', 'format=pdf'], 'unknown format "pdf"'],
      [['report'], 'sum'],
      [['validate', 'candidate=nothing'], 'there is no result "nothing"'],
      [['compare', 'baseline=nothing'], 'there is no result "nothing"'],
      [['rum'], 'unknown word "rum"'],
      [[], 'say what to do'],
    ] as const) {
      const { status, stdout, stderr } = await bench(place, ...words);
      expect(stdout + stderr, words.join(' ')).toContain(message);
      expect(status, words.join(' ')).toBe(words[0] === 'report' && words.length === 1 ? 0 : 2);
    }
  });

  it('says of a run under codemode without MCP that it needs it', async () => {
    const place = newPlace();
    const { lines } = await bench(
      place,
      'run',
      'preset=quick',
      'limit=1',
      'strategy=codemode',
      'mcp=off',
      '--json',
    );
    expect(lines[0]).toMatchObject({
      mcp_enabled: false,
      cases: [{ completed: false, error: 'Code-mode strategy requires mcp=on.' }],
    });
  });
});

it('leaves nothing behind where it was stopped', async () => {
  const place = newPlace();
  const TMPDIR = join(place.workspace, 'tmp');
  mkdirSync(TMPDIR);
  const worlds = () => readdirSync(TMPDIR).filter((name) => name.startsWith('sallyport-bench-'));
  const child = startCli(place, ['bench', 'run', 'preset=everyday'], { environment: { TMPDIR } });
  const end = ended(child);
  await expect.poll(worlds, { timeout: 30_000 }).toHaveLength(1);
  child.kill('SIGINT');
  const { status, stderr } = await end;
  expect(stderr).toContain('the bench was stopped; nothing was saved');
  expect(status).toBe(1);
  expect(worlds()).toEqual([]);
  expect(existsSync(join(place.home, 'bench'))).toBe(false);
});

describe('the report', () => {
  it.skipIf(browserMissing !== null)('opens in a browser with its plots', async () => {
    const place = newPlace();
    keep(place, benchResult(1, [caseResult('sum-invoices')]));
    keep(place, benchResult(2, [caseResult('sum-invoices')], { strategy: 'codemode' }));
    expect((await bench(place, 'report', 'format=html', 'out=report.html')).status).toBe(0);
    const { dom, errors } = await openPage(join(place.workspace, 'report.html'));
    expect(errors).toEqual([]);
    expect(dom.match(/<svg role="img"/g)).toHaveLength(4);
    for (const title of ['Calls', 'Tokens', 'Steps', 'Latency'])
      expect(dom).toContain(`<title>${title}</title>`);
    expect(dom).toContain('sum-invoices');
    expect(dom).not.toContain('<script');
  });
});
