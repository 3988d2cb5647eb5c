// npm run hosts:proxy [HOST…] [-- --scenario TEXT] [--json]: runs the real agent hosts against a scripted model through
// the daemon's LLM proxy, inside bubblewrap, and prints what became of each scenario in each host.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { throwawayMachine } from '../support/throwaway.ts';
import { adapters, type HostFolders, type HostName, hostNames, type Setup } from './adapters.ts';
import { installPinned } from './install.ts';
import { ScriptedModel, type ToolCall, type Turn } from './model.ts';
import { runHost } from './place.ts';
import { installServer, type ProxyScenario, proxyScenarios } from './proxy-scenarios.ts';

const folder = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(folder));
const hostTimeoutMs = 120_000;

/** Which provider of the proxy each host speaks to. */
const providers = {
  claude: 'anthropic',
  codex: 'openai',
  gemini: 'gemini',
  opencode: 'openai',
  copilot: 'openai',
  qwen: 'openai',
  kilo: 'openai',
};

/** The hosts run with their permissions wide open; scenarios configure their own server. */
const setup: Setup = { way: 'open', servers: {} };

const usage = `Usage: npm run hosts:proxy [HOST…] [-- --scenario TEXT] [--json]
  HOST             ${hostNames.join(', ')}; claude, codex and gemini where none is named
  --scenario TEXT  only scenarios whose name contains it
  --json           one object a line, with what the host printed and what the model received
Example: npm run hosts:proxy claude -- --scenario secret`;

function misuse(message: string): never {
  process.stderr.write(`${message}\n${usage}\n`);
  process.exit(2);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scenario: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    /** Set by this script for the process inside the sandbox. */
    inside: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}
const isHost = (name: string): name is HostName => hostNames.some((known) => known === name);
const named = positionals.map((name) => (isHost(name) ? name : misuse(`there is no host "${name}"`)));
const hosts: readonly HostName[] = named.length > 0 ? named : ['claude', 'codex', 'gemini'];
const chosen = proxyScenarios.filter(({ name }) => name.includes(values.scenario));
if (chosen.length === 0) misuse(`no scenario contains "${values.scenario}"`);

/** One cell of the table. */
interface Cell {
  readonly host: HostName;
  readonly scenario: string;
  /** Undefined where everything held. */
  readonly problem: string | undefined;
  readonly upstreamRequests: number;
  readonly seconds: number;
  readonly output: string;
  /** Tool results as the model received them. */
  readonly results: readonly string[];
}

if (values.inside) await runInside();
else runOutside();

function runOutside(): void {
  if (spawnSync('bwrap', ['--version']).status !== 0)
    misuse('nothing was tried: bubblewrap (bwrap) is not installed');
  installPinned();
  const temporary = mkdtempSync(join(tmpdir(), 'sallyport-proxy-'));
  try {
    const { args } = throwawayMachine(temporary, [root]);
    const own = [process.execPath, fileURLToPath(import.meta.url), '--inside', ...process.argv.slice(2)];
    const { status } = spawnSync('bwrap', [...args, ...own], { stdio: ['ignore', 'inherit', 'inherit'] });
    process.exitCode = status ?? 1;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

async function runInside(): Promise<void> {
  const cells: Cell[] = [];
  for (const scenario of chosen) {
    for (const host of hosts.filter((name) => scenario.hosts?.includes(name) ?? true)) {
      const cell = await tryOne(host, scenario);
      cells.push(cell);
      process.stdout.write(`${values.json ? JSON.stringify(cell) : lineOf(cell)}\n`);
    }
  }
  const held = cells.filter(({ problem }) => problem === undefined).length;
  if (!values.json) process.stdout.write(`${cells.length} cells through the proxy: ${held} held\n`);
  process.exitCode = held === cells.length ? 0 : 1;
}

function lineOf({ host, scenario, problem, upstreamRequests, seconds }: Cell): string {
  const outcome = problem === undefined ? 'held  ' : 'FAILED';
  const asked = `${upstreamRequests} upstream request${upstreamRequests === 1 ? '' : 's'}`;
  const why = problem === undefined ? '' : `: ${problem}`;
  return `${outcome} ${host.padEnd(9)} ${scenario}  (${asked}, ${seconds.toFixed(0)} s)${why}`;
}

/** One host, one scenario, with a new home and a new daemon. */
async function tryOne(host: HostName, scenario: ProxyScenario): Promise<Cell> {
  const person = '/home/dev';
  mkdirSync(person, { recursive: true });
  for (const name of readdirSync(person)) rmSync(join(person, name), { recursive: true, force: true });
  const project = join(person, 'project');
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, 'README.md'), '# A project\n');
  const adapter = adapters[host];
  const model = new ScriptedModel(scenario.script(host, (step) => callIn(adapter.calls(step))));
  const environment = {
    PATH: [join(folder, 'node_modules', '.bin'), process.env['PATH'] ?? '/usr/bin:/bin'].join(delimiter),
    HOME: person,
    LANG: 'C.UTF-8',
    CI: '1',
    NO_COLOR: '1',
  };
  const daemon = await startDaemon(await model.listen(), { person, project }, environment);
  const folders: HostFolders = { person, project, model: baseUrlOf(host, daemon) };
  const began = performance.now();
  try {
    adapter.prepare(folders, setup);
    scenario.prepare?.(folders);
    if (scenario.needsServer === true) installServer(host, folders);
    const own = { ...environment, ...adapter.environment(folders, setup), ...credentialOf(host, daemon) };
    const ended = await runHost(
      adapter.program,
      adapter.args('Follow the plan.', setup.way),
      own,
      project,
      hostTimeoutMs,
    );
    const seen = { ...folders, host, results: model.results, asked: model.asked, output: ended.output };
    const problem = ended.timedOut ? 'the host did not end' : scenario.problem(seen);
    return {
      host,
      scenario: scenario.name,
      problem: problem && `${problem}; the host printed: ${ended.output.replace(/\s+/g, ' ').slice(-500)}`,
      upstreamRequests: model.asked.length,
      seconds: (performance.now() - began) / 1000,
      output: ended.output,
      results: model.results,
    };
  } finally {
    await end(daemon.process);
    model.close();
  }
}

/** The call of a step that takes one turn. */
function callIn([turn]: readonly Turn[]): ToolCall | null {
  return Array.isArray(turn) ? (turn[0] ?? null) : null;
}

interface Daemon {
  readonly process: ChildProcess;
  readonly url: string;
  readonly credential: string;
}

/** As docs/llm.md says: Claude Code sends the credential in a header, the others as a part of the address. */
function baseUrlOf(host: HostName, { url, credential }: Daemon): string {
  return `${url}/llm/${providers[host]}${host === 'claude' ? '' : `/as/${credential}`}`;
}

function credentialOf(host: HostName, { credential }: Daemon): Readonly<Record<string, string>> {
  return host === 'claude' ? { ANTHROPIC_CUSTOM_HEADERS: `x-sallyport-key: ${credential}` } : {};
}

/** Starts a daemon whose providers are all the scripted model. */
async function startDaemon(
  model: string,
  { person, project }: Pick<HostFolders, 'person' | 'project'>,
  env: Readonly<Record<string, string>>,
): Promise<Daemon> {
  const home = join(person, '.sallyport');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const section = (name: string, base: string) => `[llm.${name}]\nform = "${name}"\nbase_url = "${base}"\n`;
  appendFileSync(
    join(home, 'sallyport.toml'),
    section('openai', `${model}/v1`) + section('anthropic', model) + section('gemini', model),
    { mode: 0o600 },
  );
  const entry = join(root, 'bin', 'sallyport.cjs');
  const child = spawn(process.execPath, [entry, 'up', '--port', '0', '--json', '--log', 'error'], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { port } = await new Promise<{ port: number }>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the daemon ended with ${code} instead of starting`)));
    child.stdout.setEncoding('utf8').once('data', (line: string) => resolve(JSON.parse(line)));
  });
  const credential = readFileSync(join(home, 'keys', 'decide.token'), 'utf8').trim();
  return { process: child, url: `http://127.0.0.1:${port}`, credential };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}
