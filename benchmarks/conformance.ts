// npm run conformance: the official suite for MCP servers, through the gateway; prints what became of each scenario.
// Exit code 1 if one fails that is not expected to, or one passes that is.

import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ownerOf, personOver } from '../tests/support/person.ts';
import { withBundle } from './daemon.ts';
import { installPeers } from './peers.ts';

const suite = join(
  dirname(fileURLToPath(import.meta.url)),
  'node_modules/@modelcontextprotocol/conformance/dist/index.js',
);
const passphrase = 'correct horse battery staple';

/** The scenarios of the suite for servers; those that the gateway does not pass, with the reason. */
const scenarios: Readonly<Record<string, string | null>> = {
  'server-initialize': null,
  ping: null,
  'logging-set-level':
    'logging is not announced: what a server logs was judged by nobody, so it is not passed on',
  'completion-complete': null,
  'tools-list': null,
  'tools-call-simple-text': null,
  'tools-call-image': null,
  'tools-call-audio': null,
  'tools-call-embedded-resource': null,
  'tools-call-mixed-content': null,
  'tools-call-with-logging': 'logging is not announced',
  'tools-call-error': null,
  'tools-call-with-progress': null,
  'tools-call-sampling': 'a server is never given a model: sampling is refused',
  'tools-call-elicitation': null,
  'json-schema-2020-12': null,
  'elicitation-sep1034-defaults': null,
  'elicitation-sep1330-enums': null,
  'server-sse-multiple-streams': null,
  'resources-list': null,
  'resources-read-text': null,
  'resources-read-binary': null,
  'resources-templates-read': null,
  'resources-subscribe': 'subscribing is not announced',
  'resources-unsubscribe': 'subscribing is not announced',
  'prompts-list': null,
  'prompts-get-simple': null,
  'prompts-get-with-args': null,
  'prompts-get-embedded-resource': null,
  'prompts-get-with-image': null,
  'dns-rebinding-protection': null,
};

/** The name of the server in the configuration, and what the gateway puts before its names and addresses. */
const name = 'suite';
const before = { name: `${name}__`, uri: `mcp.${name}+` };

/**
 * The door of the gateway as the suite expects it: without a credential, and with the names of one server. Everything
 * else goes through as it is, the names of hosts and origins included, save its own.
 */
function door(port: number, token: string): Server {
  return createServer(async (from, to) => {
    const pieces: Buffer[] = [];
    for await (const piece of from) pieces.push(piece);
    const body = named(Buffer.concat(pieces).toString('utf8'));
    const own = `127.0.0.1:${(from.socket.address() as AddressInfo).port}`;
    const through = (value: string | undefined) => value?.replace(own, `127.0.0.1:${port}`);
    const { 'content-length': _, ...headers } = from.headers;
    const { host = '', origin } = headers;
    const sent = request(
      {
        ...{ host: '127.0.0.1', port, path: from.url, method: from.method },
        headers: {
          ...headers,
          host: through(host),
          ...(origin === undefined ? {} : { origin: through(origin) }),
          authorization: `Bearer ${token}`,
          ...(body === '' ? {} : { 'content-length': Buffer.byteLength(body) }),
        },
      },
      (answer) => {
        const { 'content-length': __, ...told } = answer.headers;
        to.writeHead(answer.statusCode ?? 502, told);
        to.flushHeaders();
        let rest = '';
        const give = (end: number) => {
          to.write(rest.slice(0, end).replaceAll(before.name, '').replaceAll(before.uri, ''));
          rest = rest.slice(end);
        };
        answer.setEncoding('utf8');
        answer.on('data', (piece: string) => {
          rest += piece;
          give(rest.lastIndexOf('\n') + 1);
        });
        answer.on('end', () => {
          give(rest.length);
          to.end();
        });
        answer.on('error', () => to.destroy());
      },
    );
    sent.on('error', () => to.destroy());
    to.on('close', () => sent.destroy());
    sent.end(body);
  });
}

/** A message with the names that the gateway knows. */
interface Named {
  name?: unknown;
  uri?: unknown;
}

function named(body: string): string {
  if (body === '') return body;
  const message = JSON.parse(body) as { params?: Named & { ref?: Named } };
  const { params } = message;
  for (const place of [params, params?.ref]) {
    if (typeof place?.name === 'string') place.name = before.name + place.name;
    if (typeof place?.uri === 'string') place.uri = before.uri + place.uri;
  }
  return JSON.stringify(message);
}

/** A person sees every definition once, and lets it stand: without that no call goes. */
async function sayYes(origin: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const client = new Client({ name: 'person', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { requestInit: { headers } }),
  );
  const { tools } = await client.listTools();
  for (const tool of tools) {
    const wanted = Object.keys(tool.inputSchema.properties ?? {});
    const required = wanted.filter((one) => tool.inputSchema.required?.includes(one));
    await client.callTool({
      name: tool.name,
      arguments: Object.fromEntries(required.map((one) => [one, 'x'])),
    });
  }
  await client.close();
  const person = await personOver(origin, passphrase);
  const { approvals } = (await (await fetch(`${origin}/v1/approvals`, { headers })).json()) as {
    approvals: readonly { id: string }[];
  };
  for (const { id } of approvals)
    await person.call(`/v1/approvals/${id}/answer`, {
      body: { answer: 'approve', permission: { reach: 'project', seconds: 3600 } },
    });
}

/** Whether a scenario passes: something was checked, and nothing failed. */
async function passes(scenario: string, url: string, folder: string): Promise<{ ok: boolean; why: string }> {
  const output = join(folder, scenario);
  const args = ['server', '--url', url, '--scenario', scenario, '--output-dir', output];
  const child = spawn(process.execPath, [suite, ...args], { cwd: folder, stdio: 'ignore' });
  const status = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  const checks = checksIn(output);
  const failed = checks.filter((check) => check.status === 'FAILURE');
  const ok = status === 0 && failed.length === 0 && checks.some((check) => check.status === 'SUCCESS');
  const told = failed.map(({ id, errorMessage }) => `${id}: ${errorMessage ?? 'failed'}`).join('; ');
  return { ok, why: told === '' ? `the suite ended with ${status} after ${checks.length} checks` : told };
}

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

function checksIn(folder: string): readonly Check[] {
  try {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return files
      .filter((file) => file.endsWith('checks.json'))
      .flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Check[]);
  } catch {
    return [];
  }
}

const progress = (text: string) => process.stderr.write(`${text}\n`);
const print = (text: string) => process.stdout.write(`${text}\n`);

installPeers(progress);
if (!existsSync(suite)) throw new Error('the suite is not in the lock file of the peers');
const unexpected = await withBundle(progress, async ({ home, start, daemon }) => {
  const upstream = await start('conformance-upstream.ts');
  await ownerOf({ home }, passphrase);
  const { port, token } = await daemon(`[servers.${name}]\nurl = "http://127.0.0.1:${upstream}/mcp"\n`);
  await sayYes(`http://127.0.0.1:${port}`, token);
  const open = door(port, token);
  await new Promise<void>((resolve) => open.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(open.address() as AddressInfo).port}/mcp`;
  let wrong = 0;
  for (const [scenario, reason] of Object.entries(scenarios)) {
    const { ok, why } = await passes(scenario, url, dirname(home));
    if (ok !== (reason === null)) wrong++;
    if (ok)
      print(
        `passed    ${scenario}${reason === null ? '' : ' (it was expected to fail: take it off the list)'}`,
      );
    else print(reason === null ? `FAILED    ${scenario}: ${why}` : `expected  ${scenario}: ${reason}`);
  }
  open.closeAllConnections();
  open.close();
  return wrong;
});
print(unexpected === 0 ? 'As expected.' : `${unexpected} otherwise than expected.`);
process.exitCode = unexpected === 0 ? 0 : 1;
