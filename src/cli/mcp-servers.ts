// sallyport mcp list, status, scan, test and trust: the MCP servers of the configuration at a terminal.

import type { Config } from '../config/index.ts';
import {
  anyOf,
  type Context,
  type ExitCode,
  exitCodes,
  messageOf,
  SallyportError,
  type ToolSpec,
  UsageError,
  usualPermissionMs,
  visible,
} from '../core/index.ts';
import { createDecider, readContext } from '../decide/index.ts';
import { definitionFindings } from '../guards/tool/rules/call.ts';
import type { Ledger, ProposedPermission } from '../ledger/index.ts';
import { McpCalls, type OfferedTool } from '../run/mcp/calls.ts';
import { openUpstreams, type Upstreams } from '../run/mcp/index.ts';
import { type Call, onlyWords } from './command.ts';
import { requireApprover } from './commands/passphrase.ts';
import { withLedger } from './ledger.ts';
import { localAsker, openConfig } from './open.ts';
import { recorderOf, unlockHere } from './unlock.ts';
import { version } from './version.ts';

/** The server gives no tool that a person could trust. */
class NothingToTrust extends SallyportError {}

/** A tool, and whether a person has to see its definition before it is used. */
interface Seen {
  readonly tool: OfferedTool;
  readonly spec: ToolSpec;
  readonly isNew: boolean;
}

/** A server that was asked. */
export interface Asked {
  readonly server: string;
  readonly ms: number;
  /** Why it gave nothing; null where it answered. */
  readonly problem: string | null;
  readonly tools: readonly Seen[];
  /** What is hidden or left out, and why. */
  readonly hidden: readonly string[];
}

export type Server = Config['servers'][number];

export async function listServers(call: Call): Promise<ExitCode> {
  onlyWords(call, ['list']);
  const { config } = await openConfig(call);
  if (call.flag('json')) {
    call.io.json({
      servers: config.servers.map((server) => ({
        name: server.name,
        place: placeOf(server),
        tools: server.tools,
        agents: server.agents,
      })),
    });
    return exitCodes.pass;
  }
  if (config.servers.length === 0)
    call.io.print("There are no MCP servers. Add one with 'sallyport mcp add NAME ADDRESS'.");
  for (const server of config.servers) {
    const { name, tools, agents } = server;
    const only = tools === null ? '' : `; tools ${tools.join(', ')}`;
    const whose = agents === null ? '' : `; agents ${agents.join(', ')}`;
    call.io.print(`${name}  ${visible(placeOf(server), 200)}${only}${whose}`);
  }
  return exitCodes.pass;
}

function placeOf({ place }: Server): string {
  return place.kind === 'http' ? place.url : [place.command, ...place.args].join(' ');
}

/** What the gateway does not pass on of any server. */
const notRelayed = 'logging, subscriptions, sampling, roots';

/** Asks every server, or one, and tells what it gives; 1 where one does not answer. */
export async function serverStatus(call: Call): Promise<ExitCode> {
  const asked = await askServers(call, namedIn(call));
  if (call.flag('json')) call.io.json({ servers: asked.map(plain), notRelayed });
  else {
    for (const one of asked) call.io.print(statusLine(one));
    call.io.print(`Not passed on: ${notRelayed}.`);
  }
  return asked.some(({ problem }) => problem !== null) ? exitCodes.failed : exitCodes.pass;
}

function statusLine({ server, ms, problem, tools, hidden }: Asked): string {
  if (problem !== null) return `${server}  does not answer: ${visible(problem, 300)}`;
  const fresh = tools.filter(({ isNew }) => isNew).length;
  const told = [
    `${tools.length} tools in ${Math.round(ms)} ms`,
    ...(fresh > 0 ? [`${fresh} to be seen first: sallyport mcp trust ${server}`] : []),
    ...(hidden.length > 0 ? [`${hidden.length} hidden: sallyport mcp scan ${server}`] : []),
  ];
  return `${server}  ${told.join('; ')}`;
}

/** Tells what the servers say that no model is shown; 1 where there is anything. */
export async function scanServers(call: Call): Promise<ExitCode> {
  const asked = await askServers(call, namedIn(call));
  if (call.flag('json')) call.io.json({ servers: asked.map(plain) });
  else {
    for (const { server, problem, tools, hidden } of asked) {
      call.io.print(
        `${server}  ${problem === null ? `${tools.length} tools are shown, ${hidden.length} findings` : `does not answer: ${visible(problem, 300)}`}`,
      );
      for (const line of hidden) call.io.print(`  ${visible(line, 300)}`);
    }
  }
  const isClean = asked.every(({ problem, hidden }) => problem === null && hidden.length === 0);
  return isClean ? exitCodes.pass : exitCodes.failed;
}

/** Starts one server and tells what it gives, tool by tool. */
export async function testServer(call: Call): Promise<ExitCode> {
  onlyWords(call, ['test', 'the name of a server']);
  const [asked] = await askServers(call, namedIn(call));
  if (asked === undefined) return exitCodes.failed;
  if (call.flag('json')) call.io.json(plain(asked));
  else {
    call.io.print(statusLine(asked));
    for (const one of asked.tools) call.io.print(`  ${toolLine(one)}`);
  }
  return asked.problem === null ? exitCodes.pass : exitCodes.failed;
}

function toolLine({ tool, spec, isNew }: Seen): string {
  const words = visible(tool.description.trim().split('\n')[0] ?? '', 90);
  return `${isNew ? 'new ' : '    '}${spec.effect.padEnd(12)} ${visible(tool.name, 60)}${words === '' ? '' : `: ${words}`}`;
}

/** All tools of a server on one screen, and one yes to their definitions as they are. */
export async function trustServer(call: Call): Promise<ExitCode> {
  const [, name] = onlyWords(call, ['trust', 'the name of a server']);
  return await withServers(call, async (parts) => {
    const [asked] = await asking(parts, serverNamed(parts.config, name));
    if (asked === undefined || asked.problem !== null)
      throw new NothingToTrust(`the server "${name}" does not answer: ${asked?.problem ?? ''}`);
    const fresh = asked.tools.filter(({ isNew }) => isNew);
    if (!call.flag('json')) for (const one of asked.tools) call.io.print(toolLine(one));
    for (const line of asked.hidden) call.io.warn(`hidden: ${visible(line, 300)}`);
    if (fresh.length === 0) {
      call.io.print(`Every definition of ${name} has been seen.`);
      return exitCodes.pass;
    }
    const { ledger, context, now, home } = parts;
    requireApprover(home);
    call.io.print(
      `${fresh.length} definitions of ${name} count from now on as they are, for 30 days. What a tool does is judged and asked about as before, and a definition that changes is asked about again.`,
    );
    const proposed = fresh.flatMap(({ spec }) => permissionsOf(spec, context, now()));
    const signer = await unlockHere(call, 'approve', recorderOf(ledger));
    try {
      const made = await ledger.permissions.make(proposed, signer, now());
      if (call.flag('json')) call.io.json({ trusted: made.map(({ effect }) => effect) });
      else call.io.print(`Trusted: ${made.length} definitions of ${name}.`);
    } finally {
      signer.forget();
    }
    return exitCodes.pass;
  });
}

/** INVARIANT: each names one definition by its hash, so that it answers nothing else. */
function permissionsOf(
  spec: ToolSpec,
  { user, tenant }: Context,
  now: number,
): readonly ProposedPermission[] {
  return definitionFindings(spec).flatMap(({ grant }) =>
    grant === undefined
      ? []
      : [
          {
            ...({
              covers: 'effect',
              effect: grant,
              says: grant,
              user,
              tenant,
              agent: anyOf,
              workspace: anyOf,
            } as const),
            ...{ session: null, uses: null, createdAt: now, expiresAt: now + usualPermissionMs },
          },
        ],
  );
}

/** Starts a server that is not in the configuration yet. */
export async function askCandidate(call: Call, server: Server): Promise<Asked> {
  return await withServers(call, (parts) => askOne(parts, server.name), [server]);
}

interface Parts {
  readonly config: Config;
  readonly ledger: Ledger;
  readonly upstreams: Upstreams;
  readonly calls: McpCalls;
  readonly told: readonly (readonly [server: string, problem: string])[];
  readonly context: Context;
  readonly home: string;
  readonly now: () => number;
}

async function withServers<T>(
  call: Call,
  work: (parts: Parts) => Promise<T>,
  servers?: readonly Server[],
): Promise<T> {
  const { config, world, home } = await openConfig(call);
  const folder = call.io.folder();
  const { user, tenant } = localAsker();
  const agent = call.value('agent');
  const asked = { session: 'mcp', workspace: folder, ...(agent === undefined ? {} : { agent }) };
  const context = await readContext(asked, { asker: localAsker(), folder, config, world });
  return await withLedger(call, async (ledger) => {
    const decider = createDecider({ config, ledger, world });
    const told: (readonly [string, string])[] = [];
    const report = (server: string, problem: string) => void told.push([server, problem]);
    const shared = { decider, ledger, world, onProblem: report };
    const owner = { user, tenant };
    const upstreams = openUpstreams({
      ...shared,
      servers: servers ?? config.servers,
      owner,
      environment: process.env,
      version,
    });
    const calls = new McpCalls({ ...shared, config, upstreams });
    try {
      return await work({ config, ledger, upstreams, calls, told, context, home, now: () => world.now() });
    } finally {
      await upstreams.close();
    }
  });
}

function namedIn(call: Call): string | undefined {
  if (call.words.length > 2) onlyWords(call, ['what to do', 'the name of a server']);
  return call.words[1];
}

function serverNamed(config: Config, name: string): readonly Server[] {
  const found = config.servers.filter((one) => one.name === name);
  if (found.length > 0) return found;
  throw new UsageError(`there is no server "${visible(name, 80)}"`, "see 'sallyport mcp list'");
}

async function askServers(call: Call, name: string | undefined): Promise<readonly Asked[]> {
  return await withServers(call, async (parts) =>
    asking(parts, name === undefined ? parts.config.servers : serverNamed(parts.config, name)),
  );
}

/** Asks servers at once. */
async function asking(parts: Parts, servers: readonly Server[]): Promise<readonly Asked[]> {
  return await Promise.all(servers.map((server) => askOne(parts, server.name)));
}

async function askOne(
  { upstreams, calls, ledger, context, told, now }: Parts,
  server: string,
): Promise<Asked> {
  const began = performance.now();
  let problem: string | null = null;
  try {
    await upstreams.tools(server, { fresh: true });
  } catch (error) {
    problem = messageOf(error);
  }
  const offered = problem === null ? await calls.offered(server, context) : [];
  const tools: Seen[] = [];
  for (const { tool, spec } of offered) {
    const findings = definitionFindings(spec);
    const covering = await ledger.permissions.covering(findings, context, now());
    tools.push({ tool, spec, isNew: covering.some((one) => one === null) });
  }
  const hidden = [...new Set(told.filter(([whose]) => whose === server).map(([, what]) => what))];
  return { server, ms: performance.now() - began, problem, tools, hidden };
}

function plain({ tools, ...rest }: Asked) {
  return {
    ...rest,
    ms: Math.round(rest.ms),
    tools: tools.map(({ tool, spec, isNew }) => ({ name: tool.name, effect: spec.effect, new: isNew })),
  };
}
