// npm run gateway:servers: thirteen real MCP servers of npm behind one gateway, each in a sandbox, with one that wants a
// login and one that is poisoned. Prints one line for each thing that was done; exit code 1 if one went wrong.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { findSandbox } from '../src/run/index.ts';
import { protectedServer } from '../tests/support/oauth.ts';
import { type personOver as over, ownerOf, personOver } from '../tests/support/person.ts';
import { terminalWrapper } from '../tests/support/typing.ts';
import { type Bench, withBundle } from './daemon.ts';
import { installServers, packages, variables } from './mcp-servers.ts';
import { twinTools } from './poisoned-twin.ts';

const passphrase = 'correct horse battery staple';

/** What a part of the transcript works with. */
interface Scene {
  readonly bench: Bench;
  readonly folder: string;
  readonly origin: string;
  readonly token: string;
  readonly client: Client;
  readonly person: Awaited<ReturnType<typeof over>>;
  /** Lists that the client was told of, and words of progress. */
  readonly told: { lists: number; readonly words: string[] };
  readonly issuer: string;
}

const print = (text: string) => process.stdout.write(`${text}\n`);
const progress = (text: string) => process.stderr.write(`${text}\n`);
let wrong = 0;

/** Does one thing, and prints what came of it. */
async function step(what: string, work: () => Promise<string>): Promise<void> {
  const began = performance.now();
  const line = (mark: string, told: string) =>
    print(
      `${mark.padEnd(6)} ${what.padEnd(30)} ${`${Math.round(performance.now() - began)} ms`.padStart(9)}  ${told}`,
    );
  try {
    line('ok', await work());
  } catch (error) {
    wrong++;
    line('WRONG', error instanceof Error ? error.message : String(error));
  }
}

function expects(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise);
}

const textOf = ({ content }: CallToolResult): string =>
  content.map((block) => ('text' in block ? block.text : `(${block.type})`)).join(' ');
const short = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 110);

/** A client that stays, so that it is told of changes. */
async function connected(origin: string, token: string, told: Scene['told']): Promise<Client> {
  const client = new Client({ name: 'servers', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
  client.setNotificationHandler('notifications/tools/list_changed', () => void told.lists++);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { requestInit }));
  return client;
}

const namesOf = async (client: Client): Promise<readonly string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);

/** Calls a tool; what a person has to allow first, they allow once. */
async function called(
  { client, person, origin, token, told }: Scene,
  name: string,
  given: Record<string, unknown>,
): Promise<CallToolResult> {
  const onprogress = ({ message }: { message?: string | undefined }) => void told.words.push(message ?? '');
  const call = () => client.callTool({ name, arguments: given }, { onprogress });
  const first = await call();
  if (!textOf(first).includes('sallyport approve')) return first;
  const headers = { authorization: `Bearer ${token}` };
  const open = await fetch(`${origin}/v1/approvals`, { headers });
  const { approvals } = (await open.json()) as { approvals: readonly { id: string }[] };
  for (const { id } of approvals)
    await person.call(`/v1/approvals/${id}/answer`, { body: { answer: 'approve' } });
  return await call();
}

/** The configuration: every program in a sandbox with its package to read, one folder to write and no network. */
function configurationOf(servers: string, data: string, ticketsUrl: string): string {
  const list = (values: readonly string[]) => `[${values.map((one) => JSON.stringify(one)).join(', ')}]`;
  const twin = join(import.meta.dirname, 'poisoned-twin.ts');
  const env = { ...variables, MEMORY_FILE_PATH: join(data, 'memory.json') };
  const settings = Object.entries(env).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  const read = list([servers, realpathSync(process.execPath), twin]);
  const sandbox = `sandbox = { read = ${read}, write = ${list([data])}, network = "off" }\nenv = { ${settings.join(', ')} }\n`;
  const command = `command = ${JSON.stringify(process.execPath)}\n`;
  const programs = packages.map(([name, script, ...args]) => {
    const words = [join(servers, 'node_modules', script), ...args.map((one) => (one === '.' ? data : one))];
    return `[servers.${name}]\n${command}args = ${list(words)}\n${sandbox}`;
  });
  return [
    ...programs,
    `[servers.twin]\n${command}args = ${list([twin])}\n${sandbox}`,
    `[servers.tickets]\nurl = "${ticketsUrl}"\n`,
  ].join('\n');
}

async function lists(scene: Scene): Promise<void> {
  const { client, told } = scene;
  await step('list, servers cold', async () => {
    const first = (await namesOf(client)).length;
    const until = Date.now() + 60_000;
    const owners = async () => new Set((await namesOf(client)).map((name) => name.split('__')[0]));
    while ((await owners()).size < packages.length + 1 && Date.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 250));
    const all = await namesOf(client);
    expects((await owners()).size > packages.length, `only ${[...(await owners())].join(', ')} are there`);
    return `${first} tools at once, ${all.length} in the end, of ${packages.length} packages and the twin; told of ${told.lists} changed lists`;
  });
  await step('list, servers warm', async () => {
    const began = performance.now();
    const { length } = await namesOf(client);
    const ms = performance.now() - began;
    expects(ms <= 2000, `it took ${Math.round(ms)} ms`);
    return `${length} tools`;
  });
}

async function calls(scene: Scene, data: string): Promise<void> {
  await step('call, everything', async () => {
    const text = textOf(await called(scene, 'everything__get-sum', { a: 19, b: 23 }));
    expects(text.includes('42'), text);
    return short(text);
  });
  await step('call, files', async () => {
    writeFileSync(join(data, 'notes.txt'), 'Milk and bread.');
    const text = textOf(await called(scene, 'files__read_text_file', { path: join(data, 'notes.txt') }));
    expects(text.includes('Milk and bread.'), text);
    return short(text);
  });
  await step('call, memory', async () => {
    const entities = [{ name: 'Ann', entityType: 'person', observations: ['works at Acme'] }];
    const text = textOf(await called(scene, 'memory__create_entities', { entities }));
    expects(existsSync(join(data, 'memory.json')), text);
    return short(text);
  });
  await step('call, outside of the sandbox', async () => {
    const text = textOf(
      await called(scene, 'everything__gzip-file-as-resource', { data: 'https://example.com/' }),
    );
    expects(/fetch failed|ENOTFOUND|EAI_AGAIN|error/i.test(text), text);
    return short(text);
  });
  await step('link', async () => {
    const { content } = await called(scene, 'everything__get-resource-links', { count: 2 });
    const link = content.find((block) => block.type === 'resource_link');
    if (link?.type !== 'resource_link') throw new Error('there is no link');
    const { contents } = await scene.client.readResource({ uri: link.uri });
    return `${link.uri} → ${short(JSON.stringify(contents[0]))}`;
  });
  await step('notification', async () => {
    scene.told.words.length = 0;
    await called(scene, 'everything__trigger-long-running-operation', { duration: 1, steps: 4 });
    // The answer may overtake the last one.
    expects(scene.told.words.length >= 3, `told of ${scene.told.words.length} steps`);
    return `told of ${scene.told.words.length} steps of 4: ${short(JSON.stringify(scene.told.words))}`;
  });
}

/** The processes of a server: those below the daemon whose words name it. */
function processesOf(script: string): readonly number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      return words.includes(script) && words.includes('bwrap') ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

async function crash(scene: Scene): Promise<void> {
  await step('crash', async () => {
    const [, script = ''] = packages.find(([name]) => name === 'memory') ?? [];
    const killed = processesOf(script);
    expects(killed.length > 0, 'the server has no process');
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    const text = textOf(await called(scene, 'memory__read_graph', {}));
    const isLost = !text.includes('Ann');
    const again = isLost ? textOf(await called(scene, 'memory__read_graph', {})) : text;
    expects(again.includes('Ann'), again);
    return `killed; ${isLost ? 'one call failed, then' : 'the next call'} started it again: ${short(again)}`;
  });
}

async function login(scene: Scene): Promise<void> {
  const { bench, client, issuer } = scene;
  await step('login', async () => {
    const before = textOf(await client.callTool({ name: 'tickets__echo', arguments: {} }));
    expects(before.includes('sallyport mcp login tickets'), before);
    const [wrapper = '', ...words] = [...terminalWrapper, ...bench.command.words, 'mcp', 'login', 'tickets'];
    const child = spawn(wrapper, words, { env: bench.command.env, cwd: scene.folder });
    let shown = '';
    const opened: Promise<Response>[] = [];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
      const page = /http:\S+\/authorize\S+/.exec(shown)?.[0];
      if (page !== undefined && opened.length === 0) opened.push(fetch(page));
    });
    await new Promise((resolve) => child.once('close', resolve));
    expects(shown.includes('Logged in to tickets.'), shown);
    const text = textOf(await called(scene, 'tickets__echo', { said: 'hello' }));
    expects(text.includes('hello'), text);
    return `${issuer} → ${short(text)}`;
  });
}

async function twin(scene: Scene): Promise<void> {
  await step('poisoned twin', async () => {
    const shown = (await namesOf(scene.client)).filter((name) => name.startsWith('twin__'));
    expects(shown.join() === 'twin__twin_ping', `shown: ${shown.join(', ')}`);
    const hidden = twinTools.slice(1).map(({ name }) => name);
    for (const name of hidden) {
      const text = textOf(await scene.client.callTool({ name: `twin__${name}`, arguments: {} }));
      expects(!text.includes('was called'), `${name} was called`);
    }
    expects((await namesOf(scene.client)).includes('memory__read_graph'), 'the real one is gone');
    return `hidden and not called: ${hidden.join(', ')}`;
  });
}

const ends: (() => void)[] = [];
/** Makes a server listen until the end. */
async function listen(server: HttpServer): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function transcript(bench: Bench): Promise<void> {
  const folder = realpathSync(join(bench.home, '..'));
  const data = join(folder, 'data');
  mkdirSync(data);
  const tickets = await protectedServer({ listen });
  await ownerOf({ home: bench.home }, passphrase);
  const servers = realpathSync(installServers(progress));
  const { port, token } = await bench.daemon(configurationOf(servers, data, tickets.url));
  const origin = `http://127.0.0.1:${port}`;
  const told = { lists: 0, words: [] };
  const client = await connected(origin, token, told);
  const person = await personOver(origin, passphrase);
  const scene = { bench, folder, origin, token, client, person, told, issuer: tickets.issuer };
  await lists(scene);
  await calls(scene, data);
  await crash(scene);
  await login(scene);
  await twin(scene);
  await client.close();
}

const found = await findSandbox();
if ('problem' in found) {
  print(`nothing was tried: ${found.problem}`);
} else {
  await withBundle(progress, transcript);
  for (const end of ends) end();
  print(wrong === 0 ? 'all of it went as it should' : `${wrong} went wrong`);
  process.exitCode = wrong === 0 ? 0 : 1;
}
