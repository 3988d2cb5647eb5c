// npm run walks [-- --json | --write]: walks the five walks of src/README.md and counts what was called on the way.
// Ends with 1 where a walk does not end as it should, where a function of its table was not called, or where the page
// says another count; --write writes the counts into the page.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { prepareHome } from '../src/config/index.ts';
import { ownerOf, personOver } from '../tests/support/person.ts';
import { callableIn, countsIn, type Step, sectionOf, walksIn, withCounts } from '../tests/support/walks.ts';
import { type Called, Watch, watchable } from './coverage.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const entry = join(root, 'tests/support/entry.ts');
const passphrase = 'correct horse battery staple';

// ── a place, and processes in it that are watched

interface Place {
  readonly home: string;
  readonly workspace: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** A home and a workspace of its own for a walk, under a configuration. */
function newPlace(folder: string, configuration = ''): Place {
  const [home, workspace] = [join(folder, 'home'), join(folder, 'workspace')];
  for (const one of [home, workspace]) mkdirSync(one, { mode: 0o700 });
  prepareHome(home);
  writeFileSync(join(home, 'sallyport.toml'), configuration, { mode: 0o600 });
  const environment = { PATH: process.env['PATH'] ?? '', HOME: folder, SALLYPORT_HOME: home };
  return { home, workspace, environment };
}

/** What a process ended with, and what it had called. */
interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly called: Called;
}

function started({ workspace, environment }: Place, args: readonly string[], more: object = {}) {
  const words = [...watchable, entry, ...args];
  const child = spawn(process.execPath, words, { cwd: workspace, env: { ...environment, ...more } });
  child.stdin.end();
  child.stdout.setEncoding('utf8');
  return child;
}

/** Runs `sallyport …` to its end. */
async function sallyport(place: Place, args: readonly string[]): Promise<Ended> {
  const child = started(place, args);
  const out = textOf(child);
  const watch = await Watch.over(child.stderr);
  await watch.ending;
  const called = await watch.called();
  watch.close();
  return { ...(await out), called };
}

/** What a process wrote, once it has ended. */
function textOf(child: ChildProcess): Promise<{ status: number | null; stdout: string }> {
  let stdout = '';
  child.stdout?.on('data', (text: string) => {
    stdout += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, stdout }));
  });
}

interface Daemon {
  readonly url: string;
  readonly token: string;
}

/** Starts a daemon, does something with it, and gives what was called meanwhile: its start is left out. */
async function withDaemon(
  place: Place,
  work: (daemon: Daemon) => Promise<void>,
  more: object = {},
): Promise<Called> {
  const child = started(place, ['up', '--port', '0', '--json', '--log', 'error'], more);
  const gone = new Promise((resolve) => child.once('close', resolve));
  const ready = new Promise<string>((resolve) => child.stdout.once('data', resolve));
  const watch = await Watch.over(child.stderr);
  try {
    const said = await Promise.race([ready, watch.ending.then(() => null)]);
    if (said === null) throw new Error('the daemon did not start');
    const { port } = JSON.parse(said);
    const token = readFileSync(join(place.home, 'keys', 'decide.token'), 'utf8').trim();
    await watch.forget();
    await work({ url: `http://127.0.0.1:${port}`, token });
    return await watch.settled();
  } finally {
    // It waits for whoever watches it before it ends.
    watch.close();
    child.kill('SIGTERM');
    await gone;
  }
}

function expect(holds: boolean, what: string): void {
  if (!holds) throw new Error(`the walk did not end as it should: ${what}`);
}

// ── the five walks

interface Walked {
  readonly called: Called;
  /** What was called before, to write the program that the walk begins with: it is not counted, and proves its first step. */
  readonly before?: Called;
}

async function hook(folder: string): Promise<Walked> {
  const place = newPlace(folder);
  const { status, called: before } = await sallyport(place, ['init', 'claude', '--yes']);
  expect(status === 0, `init ended with ${status}`);
  const called = await withDaemon(place, async () => {
    const child = spawn(join(place.home, 'bin', 'claude'), ['PreToolUse'], { env: place.environment });
    child.stdin.end(
      JSON.stringify({
        hook_event_name: 'PreToolUse',
        session_id: 'one',
        cwd: place.workspace,
        tool_name: 'Bash',
        tool_input: { command: 'rm -rf /' },
      }),
    );
    const { status: code, stdout } = await textOf(child);
    expect(code === 2 && stdout.includes('"deny"'), `the client ended with ${code}: ${stdout}`);
  });
  return { called, before };
}

async function proxy(folder: string): Promise<Walked> {
  const secret = 'ghp_x7Qm2LzVb9Rk4TnWc8Jd5Hf3Gs6Yp1Aw0EuN'; // sallyport:allow
  const provider = createServer(async (request, response) => {
    for await (const _ of request);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const deltas = ['Hello there, ', 'it is ', secret.slice(0, 15), secret.slice(15), '.'].map((content) => ({
      content,
    }));
    for (const delta of deltas) {
      const choices = [{ index: 0, delta, finish_reason: null }];
      response.write(
        `data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', model: 'm', choices })}\n\n`,
      );
      // Each piece comes by itself, or all of them would be read as one.
      await setTimeout(50);
    }
    response.end('data: [DONE]\n\n');
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const { port } = provider.address() as AddressInfo;
  const place = newPlace(
    folder,
    `[llm.openai]\nform = "openai"\nbase_url = "http://127.0.0.1:${port}/v1"\nkey_env = "PROVIDER_KEY"\n`,
  );
  try {
    const called = await withDaemon(
      place,
      async ({ url, token }) => {
        const answer = await fetch(`${url}/llm/openai/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
          body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
        });
        const text = await answer.text();
        const stopped = text.includes('there') && text.includes('"content_filter"');
        expect(stopped && !text.includes('ghp_'), `the stream said ${text}`);
      },
      { PROVIDER_KEY: 'provider-key' },
    );
    return { called };
  } finally {
    provider.closeAllConnections();
    provider.close();
  }
}

async function query(folder: string): Promise<Walked> {
  const schema = join(root, 'examples/shop/schema.graphql');
  const place = newPlace(
    folder,
    `[sources.shop]\nkind = "graphql"\nschema = ${JSON.stringify(schema)}\n[sources.shop.code_mode]\nallow_mutations = false\n`,
  );
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...watchable, entry, 'mcp', 'query', '--source', 'shop'],
    cwd: place.workspace,
    env: { ...place.environment },
    stderr: 'pipe',
  });
  const client = new Client({ name: 'walk', version: '1' });
  const connected = client.connect(transport);
  const watch = await watchOf(transport);
  try {
    await connected;
    const text = 'mutation { ...Gone } fragment Gone on Mutation { deleteOrder(id: 1) }';
    const answer = await client.callTool({ name: 'validate_query', arguments: { query: text } });
    const said = JSON.stringify(answer.structuredContent ?? answer);
    expect(said.includes('"valid":false') && said.includes('allow_mutations'), said);
    return { called: await watch.settled() };
  } finally {
    watch.close();
    await client.close();
  }
}

async function watchOf({ stderr }: StdioClientTransport): Promise<Watch> {
  if (stderr === null) throw new Error('the server has no standard error');
  return await Watch.over(stderr as Parameters<typeof Watch.over>[0]);
}

async function chain(folder: string): Promise<Walked> {
  const server = (name: string) =>
    `[servers.${name}]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(join(root, 'tests/support/mcp-server.ts'))}, "usual"]\n`;
  const reads = '[tools.echo]\nserver = "one"\neffect = "read"\n';
  const place = newPlace(folder, server('one') + server('two') + reads);
  await ownerOf(place, passphrase);
  // A tool that is met for the first time is asked about: that is not the question of this walk.
  await withDaemon(place, async (daemon) => {
    await runChain(daemon, 'return await one.echo({ n: 0 });', {
      permission: { reach: 'project', seconds: 600 },
    });
  });
  const called = await withDaemon(place, async (daemon) => {
    const code = 'return [await one.echo({ n: 1 }), await two.echo({ n: 2 })];';
    const { first, last } = await runChain(daemon, code);
    expect(first.calls?.length === 1 && last.success === true, JSON.stringify({ first, last }));
  });
  return { called };
}

interface ChainSaid {
  readonly success?: boolean;
  readonly calls?: readonly object[];
  readonly run?: string;
  readonly approvals?: readonly { readonly id: string }[];
}

/** Runs code by the bridge, says yes where it waits, and goes on. */
async function runChain(
  { url, token }: Daemon,
  code: string,
  yes = {},
): Promise<{ first: ChainSaid; last: ChainSaid }> {
  const client = new Client({ name: 'walk', version: '1' });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp/code`), { requestInit: { headers } }),
  );
  const run = async (given: Record<string, unknown>) =>
    (await client.callTool({ name: 'call_tool_chain', arguments: given })).structuredContent as ChainSaid;
  const first = await run({ code });
  const [approval] = first.approvals ?? [];
  expect(approval !== undefined, `the chain did not wait: ${JSON.stringify(first)}`);
  const person = await personOver(url, passphrase);
  await person.call(`/v1/approvals/${approval?.id}/answer`, { body: { answer: 'approve', ...yes } });
  const last = await run({ run: first.run });
  await client.close();
  return { first, last };
}

async function change(folder: string): Promise<Walked> {
  const place = newPlace(folder);
  const file = join(place.workspace, 'a.txt');
  writeFileSync(file, 'old\n');
  writeFileSync(join(place.workspace, 'change.patch'), '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\n');
  const applied = await sallyport(place, ['apply', 'change.patch']);
  expect(readFileSync(file, 'utf8') === 'new\n', applied.stdout);
  const undone = await sallyport(place, ['undo']);
  expect(readFileSync(file, 'utf8') === 'old\n', undone.stdout);
  return { called: both(applied.called, undone.called) };
}

function both(one: Called, other: Called): Called {
  const files = new Set([...one.keys(), ...other.keys()]);
  return new Map([...files].map((file) => [file, [...(one.get(file) ?? []), ...(other.get(file) ?? [])]]));
}

/** In the order of the page. */
const walkers = [hook, proxy, query, chain, change];

// ── what was called

/** Whether a step's function was called, or one that stands in it: what answers a request is often made at the start. */
function wasCalled({ file, name }: Step, called: Called): boolean {
  const path = join(root, file);
  const ranges = called.get(path) ?? [];
  return (callableIn(path).get(name) ?? []).some(([from, to]) =>
    ranges.some(([start, end]) => from <= start && end <= to),
  );
}

interface Counted {
  readonly walk: string;
  readonly steps: number;
  /** Files that the table names, and files of `src/` in which a function was called. */
  readonly named: number;
  readonly called: number;
  /** The steps whose function was not called. */
  readonly missed: readonly string[];
  readonly files: readonly string[];
}

async function walk(
  title: string,
  steps: readonly Step[],
  walker: (typeof walkers)[number],
): Promise<Counted> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-walk-'));
  try {
    const { called, before = new Map() } = await walker(folder);
    const files = [...called.keys()]
      .map((file) => relative(root, file))
      .filter((file) => /^src\//.test(file));
    const missed = steps.filter((step, at) => !wasCalled(step, at === 0 ? both(before, called) : called));
    return {
      walk: title,
      steps: steps.length,
      named: new Set(steps.map(({ file }) => file)).size,
      called: files.length,
      missed: missed.map(({ file, name }) => `${file} ${name}`),
      files: files.sort(),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// ── the call

const given = process.argv.slice(2);
if (given.some((argument) => argument !== '--json' && argument !== '--write')) {
  const usage = 'Usage: npm run walks [-- --json | --write]\n';
  const isHelp = given.length === 1 && given[0] === '--help';
  (isHelp ? process.stdout : process.stderr).write(usage);
  process.exit(isHelp ? 0 : 2);
}
const pageFile = join(root, 'src/README.md');
const page = readFileSync(pageFile, 'utf8');
const walks = walksIn(sectionOf(page));
if (walks.length !== walkers.length)
  throw new Error(`there are ${walks.length} walks, and ${walkers.length} are known`);
const counted: Counted[] = [];
for (const [at, walker] of walkers.entries()) {
  const { title = '', steps = [] } = walks[at] ?? {};
  counted.push(await walk(title, steps, walker));
}
if (given.includes('--json')) process.stdout.write(`${JSON.stringify(counted, null, 2)}\n`);
else {
  const line = (cells: readonly (string | number)[]) =>
    `${cells.map((cell, at) => (at === 0 ? `${cell}`.padEnd(60) : `${cell}`.padStart(16))).join('')}\n`;
  process.stdout.write(line(['walk', 'steps', 'files in table', 'files called', 'steps missed']));
  for (const { walk: title, steps, named, called, missed } of counted) {
    process.stdout.write(line([title, steps, named, called, missed.length]));
    for (const one of missed) process.stdout.write(`  NOT CALLED: ${one}\n`);
  }
}
/** A daemon's own timers make a difference of a few files. */
const slack = 3;
const known = countsIn(sectionOf(page));
const differing = counted.filter(({ called }, at) => Math.abs(called - (known[at]?.called ?? 0)) > slack);
if (given.includes('--write')) writeFileSync(pageFile, withCounts(page, counted));
else if (differing.length > 0)
  process.stderr.write(
    `src/README.md says other counts for ${differing.length} walks: run npm run walks -- --write\n`,
  );
const isRight = given.includes('--write') || differing.length === 0;
process.exitCode = isRight && counted.every(({ missed }) => missed.length === 0) ? 0 : 1;
