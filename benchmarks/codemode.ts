// Code that calls tools: the runner beside its peers with tools that take no time, the guard beside the usual parser,
// what an idle VM takes, and how long bombs hold the host up.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { runInNewContext } from 'node:vm';
import { settingsFrom } from '../src/config/index.ts';
import type { JsonObject } from '../src/core/index.ts';
import { realWorld } from '../src/decide/index.ts';
import { readFacts } from '../src/guards/code/facts.ts';
import { namespacesOf } from '../src/guards/code/tools.ts';
import { loadEngine } from '../src/run/code/pool.ts';
import { Sandbox } from '../src/run/code/sandbox.ts';
import { loadVms } from '../src/run/code/vm.ts';
import { context, deciderFor } from './parts.ts';
import { installPeers } from './peers.ts';
import { type Benchmark, median, type Row, short } from './table.ts';

const require = createRequire(import.meta.url);
const rounds = 31;

export const codemode: Benchmark = async (progress) => {
  installPeers(progress);
  progress('chains');
  const rows = [...(await chainRows())];
  progress('guard');
  rows.push(...(await guardRows()));
  progress('memory');
  rows.push(await memoryRow());
  progress('bombs');
  rows.push(await bombRow());
  return rows;
};

/** What tools answer: nothing that takes time. */
const answer = async (tool: string, args: JsonObject) => ({
  tool,
  args,
  items: [1, 2, 3],
  title: 'an issue',
});
const tools = ['github.list', 'github.get', 'github.label', 'mail.send', 'shop.order'];

/** Eleven calls, as a model writes them: some after one another, some at once, with a little work between. */
const typical = `
  const found = await github.list({ state: 'open' });
  const issues = await Promise.all(found.items.map((id) => github.get({ id })));
  const open = issues.filter((issue) => issue.title.includes('issue')).map(({ args, title }) => ({ ...args, title }));
  for (const { id } of open) await github.label({ id, label: 'seen' });
  const orders = await Promise.all(open.map(({ id }) => shop.order({ id })));
  const sent = await mail.send({ to: 'team@example.com', text: JSON.stringify(orders) });
  return { count: open.length, sent: sent.tool, titles: open.map(({ title }) => title) };`;

interface Chain {
  readonly what: string;
  readonly source: string;
  /** How many run at once. */
  readonly at?: number;
  /** The ratio that the peer must take at least, by the median and by the minimum; none where it is only told. */
  readonly goal?: { readonly median: number; readonly least?: number };
}

const chains: readonly Chain[] = [
  { what: 'empty', source: 'return 1', goal: { median: 3 } },
  { what: '11 calls', source: typical, goal: { median: 1.5 } },
  {
    what: '30 calls at once',
    source: 'return (await Promise.all(Array.from({ length: 30 }, (_, id) => github.get({ id })))).length',
    goal: { median: 1.8, least: 2.3 },
  },
  {
    what: '30 calls in turn',
    source:
      'let n = 0; for (let id = 0; id < 30; id++) n += (await github.get({ id })).items.length; return n',
    goal: { median: 1.2 },
  },
  { what: '8 chains of 11 calls at once', source: typical, at: 8, goal: { median: 1.2 } },
  {
    what: '300 calls in turn',
    source:
      'let n = 0; for (let id = 0; id < 300; id++) n += (await github.get({ id })).items.length; return n',
    goal: { median: 0.8 },
  },
  {
    what: 'compute: fibonacci of 25',
    source: 'const fib = (n) => (n < 2 ? n : fib(n - 1) + fib(n - 2)); return fib(25)',
  },
  {
    what: 'compute: 1 MB of JSON',
    source:
      'const rows = Array.from({ length: 12000 }, (_, id) => ({ id, name: "row " + id, tags: ["a", "b"], at: { x: id } })); return JSON.parse(JSON.stringify(rows)).length',
  },
];

/** What makes calls, and computes nothing. */
const warming = chains.filter(({ what }) => /calls/.test(what) && !/chains/.test(what));

type Runner = (source: string) => Promise<unknown>;

async function chainRows(): Promise<readonly Row[]> {
  const sandbox = new Sandbox({
    pool: { min: 1, max: 4 },
    limits: { maxToolCalls: 1000, timeoutMs: 60_000, cpuMs: 30_000 },
  });
  await sandbox.warm();
  const ours: Runner = async (source) => {
    const result = await sandbox.run({ source, tools, call: answer, tenant: 'bench' });
    if (result.status !== 'ok') throw new Error(`a chain ended as ${result.status}`);
    return result.value;
  };
  const peers = { utcp: await utcp(), quickjs: await sebastianwessel(), vm: unsafe };
  const rows: Row[] = [];
  try {
    // Both are long-lived: what is measured is neither's first minute, in which their code is still being compiled.
    for (let round = 0; round < 100; round++) {
      for (const run of [ours, peers.utcp]) for (const { source } of warming) await run(source);
    }
    for (const chain of chains) rows.push(...(await chainRow(chain, { ours, ...peers })));
  } finally {
    await sandbox.close();
  }
  return rows;
}

async function chainRow(
  { what, source, at = 1, goal }: Chain,
  runners: Readonly<Record<'ours' | 'utcp' | 'quickjs' | 'vm', Runner>>,
): Promise<readonly Row[]> {
  const names = ['ours', 'utcp', 'quickjs', 'vm'] as const;
  const times = names.map((): number[] => []);
  let wanted: string | undefined;
  for (let round = 0; round <= rounds; round++) {
    // In turns, so that all of them meet the same machine.
    for (const [index, name] of names.entries()) {
      const run = runners[name];
      if (name === 'quickjs' && round > 7) continue;
      const start = performance.now();
      const values = await Promise.all(Array.from({ length: at }, () => run(source)));
      const taken = performance.now() - start;
      const value = JSON.stringify(values[0]);
      wanted ??= value;
      if (value !== wanted) throw new Error(`${name} gave ${value}, not ${wanted}`);
      // The first round is for the compiler.
      if (round > 0) times[index]?.push(taken);
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
  }
  const [ours = [], peer = [], other = [], floor = []] = times;
  const said = `@utcp/code-mode; @sebastianwessel/quickjs ${short(median(other))}, node:vm ${short(median(floor))}`;
  const row = (by: string, of: (list: readonly number[]) => number, least: number | undefined): Row => {
    const ratio = of(peer) / of(ours);
    return {
      what: `${what}, ${by}`,
      ours: `${short(of(ours))} ms`,
      floor: `${short(of(peer))} ms${by === 'median' ? ` (${said})` : ''}`,
      ratio: `${short(ratio)} ×`,
      goal: least === undefined ? 'told' : `≥ ${least} ×`,
      met: least === undefined || ratio >= least,
    };
  };
  return [
    row('median', median, goal?.median),
    row('minimum', (list) => Math.min(...list), goal?.least ?? goal?.median),
  ];
}

/** The peer on V8: an isolate for each chain, tools of the same kind in its registry. */
async function utcp(): Promise<Runner> {
  const { CodeModeUtcpClient } = await import(require.resolve('@utcp/code-mode'));
  const client = await CodeModeUtcpClient.create(tmpdir(), null);
  const inputs = { type: 'object', properties: {} };
  const known = tools.map((name) => ({ name, description: '', tags: [], inputs, outputs: inputs }));
  client.getTools = async () => known;
  client.callTool = answer;
  return async (source) => {
    const { result, logs } = await client.callToolChain(source);
    if (logs.length > 0) throw new Error(`the peer failed: ${logs[0]}`);
    return result;
  };
}

/** The peer on QuickJS: on the thread of the host, with modules of its own. */
async function sebastianwessel(): Promise<Runner> {
  const { loadQuickJs } = await import(require.resolve('@sebastianwessel/quickjs'));
  const variant = await import(require.resolve('@jitl/quickjs-ng-wasmfile-release-sync'));
  const { runSandboxed } = await loadQuickJs(variant.default?.default ?? variant.default);
  const env: Record<string, Record<string, unknown>> = {};
  for (const tool of tools) {
    const [server = '', name = ''] = tool.split('.');
    env[server] = { ...env[server], [name]: (args: never) => answer(tool, args) };
  }
  const names = Object.keys(env).join(', ');
  return async (source) => {
    const code = `const { ${names} } = env; export default await (async () => {${source}\n})()`;
    const result = await runSandboxed(
      async ({ evalCode }: { evalCode: (code: string) => Promise<unknown> }) => await evalCode(code),
      { env, executionTimeout: 60_000 },
    );
    if (!result.ok) throw new Error(`the peer failed: ${JSON.stringify(result.error)}`);
    return result.data;
  };
}

/** The floor: no sandbox at all. */
async function unsafe(source: string): Promise<unknown> {
  const space: Record<string, Record<string, unknown>> = {};
  for (const tool of tools) {
    const [server = '', name = ''] = tool.split('.');
    space[server] = { ...space[server], [name]: (args: never) => answer(tool, args) };
  }
  return JSON.parse(JSON.stringify(await runInNewContext(`(async () => {${source}\n})()`, space)));
}

/** A chain in TypeScript of 12,000 characters, which is the most that the guard reads. */
function longChain(): string {
  const part = (at: number) => `
interface Issue${at} { readonly id: number; readonly title: string; labels?: readonly string[] }
const issues${at} = (await github.list({ state: 'open', page: ${at} })) as unknown as Issue${at}[];
const wanted${at} = issues${at}.filter(({ title, labels = [] }: Issue${at}) => title.length > ${at} && !labels.includes('done'));
if (wanted${at}.length > 0) {
  const path = wanted${at}.map((issue) => \`\${issue.id}: \${issue.title}\`).join('\\n');
  console.log('page', ${at}, path.slice(0, 80));
}`;
  let source = '';
  for (let at = 1; source.length + part(at).length <= 12_000; at++) source += part(at);
  return source;
}

async function guardRows(): Promise<readonly Row[]> {
  const source = longChain();
  const read = await realWorld().readers?.code?.();
  if (read === undefined || read === null) throw new Error('the parser is missing');
  const namespaces = namespacesOf(tools);
  const guard = () => readFacts(source, 'ts', namespaces, read, () => undefined);
  if (guard().violations.length > 0) throw new Error('the guard refuses a harmless chain');
  const { parseAndGenerateServices: _, parse } = require('@typescript-eslint/typescript-estree');
  const { analyze } = require('@typescript-eslint/scope-manager');
  const options = { range: true, loc: true };
  const peer = () => {
    const tree = parse(`(async () => {\n${source}\n})`, options);
    return analyze(tree, { sourceType: 'module' }).globalScope.through.length;
  };
  const decider = deciderFor(settingsFrom({}));
  const whole = () => decider.decide({ kind: 'code', source, tools }, context);
  const times: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < 60; round++) {
    for (const [at, work] of [guard, peer, whole].entries()) {
      const start = performance.now();
      await work();
      if (round >= 20) times[at]?.push(performance.now() - start);
    }
  }
  const [ours, theirs, decided] = times.map(median) as [number, number, number];
  const [least, theirLeast] = [Math.min(...times[0]), Math.min(...times[1])];
  const row = (what: string, own: number, their: number): Row => ({
    what,
    ours: `${short(own)} ms`,
    floor: `${short(their)} ms (typescript-estree and scope-manager)`,
    ratio: `${short(their / own)} ×`,
    goal: '≥ 2 ×',
    met: their / own >= 2,
  });
  return [
    row(`guard, ${source.length.toLocaleString('en')} characters, median`, ours, theirs),
    row('the same, minimum', least, theirLeast),
    {
      what: 'the same, warm',
      ours: `${short(ours)} ms (a whole decision ${short(decided)})`,
      floor: '4 ms',
      ratio: short(ours / 4),
      goal: '≤ 1',
      met: ours <= 4,
    },
  ];
}

/** VMs that wait for code, as threads hold them. */
async function memoryRow(): Promise<Row> {
  const { wasm } = await loadEngine();
  const maker = await loadVms(wasm, { memoryMb: 64, stackKb: 256 });
  const resident = async () =>
    Number(/VmRSS:\s+(\d+)/.exec(await readFile('/proc/self/status', 'utf8'))?.[1] ?? Number.NaN) / 1024;
  const held = [await maker.fresh()];
  const before = await resident();
  const count = 50;
  for (let n = 0; n < count; n++) held.push(await maker.fresh());
  const each = ((await resident()) - before) / count;
  for (const { vm } of held) vm.dispose();
  return {
    what: 'memory of an idle VM',
    ours: `${short(each)} MB`,
    floor: '2 MB',
    ratio: short(each / 2),
    goal: '≤ 1',
    met: each <= 2,
  };
}

/** Code that does not end by itself, in each of the ways in which an engine can be held up. */
const bombs = [
  'for (;;) {}',
  'await github.list({}); for (;;) {}',
  'const again = () => Promise.resolve().then(again); await again()',
  'for (;;) await null',
  'return "a".repeat(4e6).indexOf("a".repeat(2e6) + "b")',
  'return /^(a+)+$/.test("a".repeat(40) + "b")',
  'let n = 3n; for (;;) n = (n * n + 1n) % 2n ** 90000n',
  'for (;;) Array.from({ length: 2e5 }, (_, i) => -i).sort((a, b) => a - b)',
  'const f = (n) => 1 + f(n + 1); return f(0)',
  'const a = []; for (;;) a.push(new Uint8Array(1e6))',
  'const a = []; for (;;) a.push(new Array(1e5).fill(1.5))',
  'return JSON.parse("[".repeat(2e5) + "]".repeat(2e5))',
  'for (;;) setTimeout(() => {}, 1)',
  'for (;;) { try { await github.list({}) } catch {} }',
  'await Promise.all(Array.from({ length: 1e5 }, () => github.list({})))',
  'return "x".repeat(5e6)',
  'for (let i = 0; i < 5e4; i++) console.log("x".repeat(1000))',
];

async function bombRow(): Promise<Row> {
  const sandbox = new Sandbox({ limits: { cpuMs: 400, timeoutMs: 2000 } });
  await sandbox.warm();
  const stalls: number[] = [];
  try {
    for (const source of bombs) {
      const each: number[] = [];
      // A stall that code causes comes every time; one of the machine does not.
      for (let time = 0; time < 3; time++) each.push(await stallOf(sandbox, source));
      stalls.push(Math.min(...each));
    }
  } finally {
    await sandbox.close();
  }
  const longest = Math.max(...stalls);
  return {
    what: `${bombs.length} bombs, longest stall of the host`,
    ours: `${short(longest)} ms`,
    floor: '100 ms',
    ratio: short(longest / 100),
    goal: '≤ 1',
    met: longest <= 100,
  };
}

/** The longest time in which the host did nothing else while code ran, and the next. */
async function stallOf(sandbox: Sandbox, source: string): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const clock = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 5);
    last = now;
  }, 5);
  const job = { tools, call: answer, tenant: 'bench' };
  await sandbox.run({ ...job, source });
  const next = await sandbox.run({ ...job, source: 'return 1' });
  clearInterval(clock);
  if (next.status !== 'ok') throw new Error(`after ${source} the next run ended as ${next.status}`);
  return longest;
}
