// npm run host-tools [HOST…] [-- --check]: captures the tools that the real agent hosts offer to their model, writes them
// to src/guards/tool/hosts/captured.ts, and prints what is new, what is gone and what has no effect of ours yet.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Capture, captured } from '../src/guards/tool/hosts/captured.ts';
import { hostTools } from '../src/guards/tool/registry.ts';
import { adapters, type HostFolders, type HostName, hostNames, type Setup } from '../tests/hosts/adapters.ts';
import { ScriptedModel } from '../tests/hosts/model.ts';
import { throwawayMachine } from '../tests/support/throwaway.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const programs = join(root, 'tests', 'hosts', 'node_modules', '.bin');
const file = join(root, 'src', 'guards', 'tool', 'hosts', 'captured.ts');
const hostTimeoutMs = 90_000;
/** Where the process inside the sandbox puts what it captured. */
const mailbox = '/srv/captured.json';

type Json = Readonly<Record<string, unknown>>;
type Tools = Readonly<Record<string, string>>;

/** One start of a host: what differs from the usual one. */
interface Start {
  readonly environment?: Readonly<Record<string, string>>;
  readonly args?: (usual: readonly string[]) => readonly string[];
  /** Members of the host's own settings, by their file below the home folder. */
  readonly settings?: { readonly file: string; readonly members: Json };
}

const replacing = (from: string, to: readonly string[]) => (usual: readonly string[]) =>
  usual.flatMap((word) => (word === from ? to : [word]));

const qwenSettings = {
  file: '.qwen/settings.json',
  members: {
    tools: { toolSearch: { enabled: false }, listDirectory: { enabled: true }, todoWrite: { enabled: true } },
  },
};

/** Hosts offer other tools in other modes and to other models. */
const starts: Readonly<Record<HostName, readonly Start[]>> = {
  claude: [
    {},
    // Without the search, every tool is offered at once.
    { environment: { ENABLE_TOOL_SEARCH: 'false' } },
    {
      environment: { ENABLE_TOOL_SEARCH: 'false' },
      args: replacing('--dangerously-skip-permissions', ['--permission-mode', 'plan']),
    },
  ],
  codex: [
    {},
    { args: (usual) => [...usual, '-m', 'gpt-5-codex'] },
    { args: (usual) => [...usual, '-m', 'gpt-6-sol'] },
  ],
  gemini: [{}, { args: replacing('--yolo', ['--approval-mode', 'plan']) }],
  kilo: [{}, { args: (usual) => [...usual, '--agent', 'plan'] }],
  qwen: [
    {},
    // Without the search, every tool is offered at once; some are offered to those who ask for them.
    { settings: qwenSettings },
    { settings: qwenSettings, args: replacing('yolo', ['plan']) },
  ],
  opencode: [{}, { args: (usual) => [...usual, '--agent', 'plan'] }],
  copilot: [
    {},
    { environment: { COPILOT_MODEL: 'gpt-5' } },
    { environment: { COPILOT_MODEL: 'claude-sonnet-4.5' } },
  ],
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    check: { type: 'boolean', default: false },
    /** Set by this script for the process inside the sandbox. */
    inside: { type: 'boolean', default: false },
  },
});
const isHost = (name: string): name is HostName => hostNames.some((known) => known === name);
const hosts = positionals.length > 0 ? positionals.filter(isHost) : hostNames;

function captureOutside(): void {
  if (spawnSync('bwrap', ['--version']).status !== 0) stop('bubblewrap (bwrap) is not installed');
  if (!existsSync(programs)) stop('the hosts are not installed: npm run hosts installs them');
  const temporary = mkdtempSync(join(tmpdir(), 'sallyport-host-tools-'));
  try {
    const { args } = throwawayMachine(temporary, [root]);
    const box = join(temporary, 'captured.json');
    writeFileSync(box, '');
    const own = [process.execPath, fileURLToPath(import.meta.url), '--inside', ...hosts];
    const { status } = spawnSync('bwrap', [...args, '--bind', box, mailbox, ...own], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    if (status !== 0) stop('the hosts could not be run');
    report(JSON.parse(readFileSync(box, 'utf8')));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function stop(message: string): never {
  process.stderr.write(`nothing was captured: ${message}\n`);
  process.exit(2);
}

/** Prints how what was captured differs from the table, and writes the table. */
function report(found: Readonly<Partial<Record<HostName, Capture>>>): void {
  const all: Record<string, Capture> = { ...captured };
  for (const host of hosts) {
    const now = found[host];
    if (now === undefined || Object.keys(now.tools).length === 0) stop(`${host} offered no tool`);
    const before: Capture = captured[host] ?? { version: 'none', tools: {} };
    const lines = [...differences(before.tools, now.tools), ...withoutEffect(host, now.tools)];
    process.stdout.write(
      `${host} ${before.version} → ${now.version}: ${Object.keys(now.tools).length} tools, ${lines.length} differences\n`,
    );
    for (const line of lines) process.stdout.write(`  ${line}\n`);
    if (lines.length > 0) process.exitCode = values.check ? 1 : 0;
    all[host] = now;
  }
  if (!values.check) writeFileSync(file, sourceOf(all));
}

function differences(before: Tools, now: Tools): readonly string[] {
  const fields = (text: string) => text.split(' ').filter(Boolean);
  const lines: string[] = [];
  for (const [name, text] of Object.entries(now)) {
    const old = before[name];
    if (old === undefined) lines.push(`new tool ${name}: ${text}`);
    else {
      for (const field of fields(text))
        if (!fields(old).includes(field)) lines.push(`new in ${name}: ${field}`);
      for (const field of fields(old))
        if (!fields(text).includes(field)) lines.push(`gone from ${name}: ${field}`);
    }
  }
  for (const name of Object.keys(before)) if (!Object.hasOwn(now, name)) lines.push(`gone: ${name}`);
  return lines;
}

/** Tools that the hand-written tables say nothing about: calls of them ask a person. */
function withoutEffect(host: HostName, tools: Tools): readonly string[] {
  return Object.keys(tools)
    .filter((name) => !hostTools(name).some((tool) => tool.host === host))
    .map((name) => `no effect yet: ${name} (add it to src/guards/tool/hosts/${host}.ts)`);
}

function sourceOf(all: Readonly<Record<string, Capture>>): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const key = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name));
  const body = Object.entries(all)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([host, { version, tools }]) => {
      const rows = Object.entries(tools).map(([name, fields]) => {
        const row = `      ${key(name)}: ${quoted(fields)},`;
        return row.length > 110 ? `      ${key(name)}:\n        ${quoted(fields)},` : row;
      });
      return [`  ${host}: {`, `    version: '${version}',`, '    tools: {', ...rows, '    },', '  },'].join(
        '\n',
      );
    });
  return `// The tools that each host offered to its model, as captured from a real run. Written by \`npm run host-tools\`; do not
// edit. A field is a name, with \`?\` where it may be left out, and with its type where that is not text.

/** What one host offered, and the version that did. */
export interface Capture {
  readonly version: string;
  readonly tools: Readonly<Record<string, string>>;
}

/** The tools of each host. */
export const captured: Readonly<Record<string, Capture>> = {
${body.join('\n')}
};
`;
}

// ── inside the sandbox

async function captureInside(): Promise<void> {
  const found: Partial<Record<HostName, Capture>> = {};
  for (const host of hosts) {
    const tools = new Map<string, string>();
    for (const start of starts[host]) {
      for (const body of await requestsOf(host, start)) {
        for (const [name, fields] of toolsIn(body)) tools.set(name, joined(tools.get(name), fields));
      }
    }
    const sorted = [...tools].sort(([a], [b]) => (a < b ? -1 : 1));
    found[host] = { version: versionOf(host), tools: Object.fromEntries(sorted) };
  }
  writeFileSync(mailbox, JSON.stringify(found));
}

/** One form of a tool for all starts: a field that is missing in one of them may be left out. */
function joined(one: string | undefined, other: string): string {
  if (one === undefined || one === other) return other;
  const read = (text: string) =>
    new Map(
      text
        .split(' ')
        .filter(Boolean)
        .map((field) => [field.replace(/[?:].*$/, ''), field] as const),
    );
  const [a, b] = [read(one), read(other)];
  const may = (name: string, field: string) => field.replace(/^([^?:]+)\??/, `${name}?`);
  return [...new Set([...a.keys(), ...b.keys()])]
    .map((name) => {
      const [left, right] = [a.get(name), b.get(name)];
      if (left === right && left !== undefined) return left;
      return may(name, left ?? right ?? name);
    })
    .join(' ');
}

function versionOf(host: HostName): string {
  const { stdout } = spawnSync(join(programs, adapters[host].program), ['--version'], {
    encoding: 'utf8',
    env: { ...process.env, HOME: '/home/dev', CI: '1' },
  });
  return /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? 'unknown';
}

/** The bodies that a host sends to its model in one short session. */
async function requestsOf(
  host: HostName,
  { environment = {}, args = (usual) => usual, settings }: Start,
): Promise<readonly Json[]> {
  const person = '/home/dev';
  rmSync(join(person, 'project'), { recursive: true, force: true });
  const project = join(person, 'project');
  mkdirSync(project, { recursive: true });
  spawnSync('git', ['-C', project, 'init', '-q']);
  const model = new ScriptedModel([]);
  const bodies: Json[] = [];
  const recorder = recording(await model.listen(), bodies);
  const address = await new Promise<string>((resolve) =>
    recorder.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(recorder.address() as AddressInfo).port}`),
    ),
  );
  const folders: HostFolders = { person, project, model: address };
  const adapter = adapters[host];
  const setup: Setup = { way: 'open', servers: {} };
  adapter.prepare(folders, setup);
  if (settings !== undefined) {
    const own = join(person, settings.file);
    writeFileSync(own, JSON.stringify({ ...JSON.parse(readFileSync(own, 'utf8')), ...settings.members }));
  }
  const env = {
    PATH: [programs, process.env['PATH'] ?? '/usr/bin:/bin'].join(delimiter),
    HOME: person,
    LANG: 'C.UTF-8',
    CI: '1',
    NO_COLOR: '1',
    ...adapter.environment(folders, setup),
    ...environment,
  };
  await ended(
    spawn(adapter.program, args(adapter.args('Say hello.', setup.way)), {
      cwd: project,
      env,
      stdio: 'ignore',
    }),
  );
  recorder.closeAllConnections();
  recorder.close();
  model.close();
  return bodies;
}

function ended(child: ReturnType<typeof spawn>): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => child.kill('SIGKILL'), hostTimeoutMs);
    child.once('error', reject);
    child.once('exit', () => {
      clearTimeout(late);
      resolve();
    });
  });
}

/** Hands every request on to the model, and keeps the JSON that it carries. */
function recording(model: string, bodies: Json[]) {
  return createServer(async (incoming, answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    try {
      const value: unknown = JSON.parse(body.toString('utf8'));
      if (isObject(value)) bodies.push(value);
    } catch {
      // A request without JSON has no tools.
    }
    const onward = request(`${model}${incoming.url ?? '/'}`, {
      method: incoming.method,
      headers: incoming.headers,
    });
    onward.on('response', (reply) => {
      answer.writeHead(reply.statusCode ?? 200, reply.headers);
      reply.pipe(answer);
    });
    onward.on('error', () => answer.end());
    onward.end(body);
  });
}

// ── the wire formats

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const objects = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
const word = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The tools of a request in any of the formats: Messages, Responses, Chat Completions, Gemini. */
function toolsIn(body: Json): readonly (readonly [string, string])[] {
  const added = objects(body['input'])
    .filter(({ type }) => type === 'additional_tools')
    .flatMap(({ tools }) => objects(tools));
  return [...objects(body['tools']), ...added].flatMap(definitionsIn).map((definition) => {
    const schema = [definition['input_schema'], definition['parameters'], definition['parametersJsonSchema']];
    return [
      word(definition['name']) || word(definition['type']),
      fieldsOf(schema.find(isObject) ?? {}),
    ] as const;
  });
}

function definitionsIn(tool: Json): readonly Json[] {
  if (isObject(tool['function'])) return [tool['function']];
  const inner = [...objects(tool['functionDeclarations']), ...objects(tool['tools'])];
  return inner.length === 0 ? [tool] : inner.flatMap(definitionsIn);
}

function fieldsOf({ properties, required }: Json): string {
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {})
    .map(([name, schema]) => {
      if (/[\s?:]/.test(name)) throw new Error(`an argument cannot be written down: ${name}`);
      const type = typeOf(isObject(schema) ? schema : {});
      return `${name}${needed.includes(name) ? '' : '?'}${type === 'text' ? '' : `:${type}`}`;
    })
    .join(' ');
}

function typeOf({ type, items }: Json): string {
  const of = word(type).toLowerCase();
  if (of === 'string') return 'text';
  if (of === 'boolean') return 'flag';
  if (of === 'integer' || of === 'number') return 'number';
  const texts = isObject(items) && word(items['type']).toLowerCase() === 'string';
  return of === 'array' && texts ? 'list' : 'any';
}

if (values.inside) await captureInside();
else captureOutside();
