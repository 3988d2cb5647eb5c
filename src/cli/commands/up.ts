// sallyport up: the daemon, in the foreground or, with --detach, behind.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  account,
  type HomePaths,
  homeIsExposed,
  prepareHome,
  readApprover,
  readRegularFile,
  worksForAnother,
  writeHeld,
} from '../../config/index.ts';
import { daemon as daemonKeys } from '../../config/sections/machine.ts';
import { type ExitCode, exitCodes, SallyportError, UsageError, visible } from '../../core/index.ts';
import { closedWorld, type Decider, parseModules, symbolsThread } from '../../decide/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import { openLedger } from '../../ledger/open.ts';
import { SymbolStore } from '../../ledger/symbols/index.ts';
import { prepareEngine } from '../../policy/index.ts';
import { Captures } from '../../run/index.ts';
import { judging } from '../../run/judge.ts';
import { createLog, type LogLevel, logLevels, startDaemon } from '../../surfaces/http/index.ts';
import { askDaemon } from '../client.ts';
import { type Call, type Command, numberFor, onlyWords } from '../command.ts';
import { closeInherited } from '../descriptors.ts';
import { consoleFolder, hostControl } from '../host-control.ts';
import { rightClients } from '../hosts.ts';
import { localAsker, type Opened, openConfig } from '../open.ts';
import { type Running, readDaemonFile } from '../running.ts';
import { lastStart, noteStart } from '../start.ts';
import { upSystem } from '../system/daemon.ts';
import { needsRoot, systemHere } from '../system/here.ts';
import { version } from '../version.ts';

/** The daemon that was started behind did not come up. */
export class DidNotStart extends SallyportError {}

export const command: Command = {
  usage: [
    'up [--port N] [--detach] [--again]',
    'up --system [--for USER] [--as NAME] [--port N] [--detach] [--print]',
  ],
  about:
    "Starts the daemon on 127.0.0.1 and on a Unix socket in the home. Ctrl-C or 'sallyport down' stops it.\n" +
    'With --system (run with sudo), daemon, store and keys get their own user id: agents of your account can ask the daemon,\n' +
    'but not read, stop or trace it. See docs/system.md.',
  examples: ['up', 'up --detach --port 0', 'sudo sallyport up --system'],
  options: {
    port: {
      value: 'N',
      help: `the port; default: [daemon] port, ${daemonKeys.port.initial}; 0 for any free one`,
    },
    detach: { help: 'start in the background' },
    again: {
      help: "start unless it runs or 'sallyport down' stopped it; with --detach, with the last options",
    },
    system: { help: 'under its own user id; needs root and Linux' },
    for: {
      value: 'USER',
      help: 'with --system: the account whose agents it guards; default: the caller of sudo',
    },
    as: {
      value: 'NAME',
      help: 'with --system: the account it runs as, created if missing; default: sallyport',
    },
    print: { help: 'with --system: show commands and files only' },
    log: {
      value: 'LEVEL',
      help: `what to log on standard error: ${logLevels.join(', ')}; default info, at a terminal error`,
    },
  },
  async run(call) {
    onlyWords(call, []);
    closeInherited();
    const port = numberFor(call, 'port', daemonKeys.port);
    const level = readLevel(call.value('log'));
    if (call.flag('system')) return await upSystem(call);
    requirePlain(call);
    const opened = await openConfig(call);
    if (!call.flag('detach')) {
      if (call.flag('again') && (await isLeft(call, opened.paths))) return exitCodes.pass;
      return await foreground(call, opened, port, level);
    }
    return call.flag('again') ? await again(call, opened) : await behind(call, opened);
  },
};

/** Whether a start that a service manager makes is left out: a daemon runs already, or a person stopped it. */
async function isLeft(call: Call, paths: HomePaths): Promise<boolean> {
  const why = (await answers(paths))
    ? 'a daemon runs already'
    : existsSync(paths.stopped)
      ? "'sallyport down' stopped the daemon; 'sallyport up' starts it"
      : null;
  if (why !== null) call.io.warn(`sallyport: not started: ${why}`);
  return why !== null;
}

/** What only --system takes, and a daemon that only --system starts. */
function requirePlain(call: Call): void {
  const option =
    ['print'].find((name) => call.flag(name)) ?? ['for', 'as'].find((name) => call.value(name) !== undefined);
  if (option !== undefined) throw new UsageError(`--${option} goes with --system`);
  const here = systemHere(call.io.environment);
  if (here !== null && here.as !== 'daemon') throw needsRoot(['up', '--system'], here.daemon);
}

async function foreground(
  call: Call,
  opened: Opened,
  port: number | undefined,
  level: LogLevel,
): Promise<ExitCode> {
  const { home, paths, config } = opened;
  const ledger = await openLedger(home, config.ledger);
  opened.trustKeysOf(ledger);
  // The daemon lives long enough to make indexes behind the checks that want them, and to keep them up.
  const symbols = new SymbolStore({
    store: paths.symbols,
    reader: parseModules,
    thread: symbolsThread(),
    background: true,
  });
  const log = createLog((line) => void process.stderr.write(line), level, opened.world.now);
  const captures = new Captures({
    store: paths.snapshots,
    personHome: account().home,
    config,
    ledger,
    world: opened.world,
    report: (event, error) => log('error', event, { name: error instanceof Error ? error.name : 'unknown' }),
    alarmed: ({ of, file, restored }) =>
      log('error', 'guard_unhooked', { of, file, restored: String(restored) }),
  });
  const { user, tenant } = localAsker();
  const { decider, world, close } = judging({
    config,
    ledger,
    world: {
      ...closedWorld(opened.world),
      symbols,
      ...captures.forGuards,
    },
    owner: { user, tenant },
  });
  let daemon: Awaited<ReturnType<typeof startDaemon>>;
  try {
    await firstCredential(paths.token, ledger, { user, tenant }, world.now());
    daemon = await startDaemon({
      home,
      paths,
      config,
      ledger,
      world,
      decider,
      owner: { user, tenant },
      captures,
      log,
      version,
      port: port ?? config.daemon.port,
      consoleFolder: consoleFolder(),
      hostControl: hostControl(paths),
      clients: (host, text) => rightClients(home, host, text, { ledger, environment: call.io.environment }),
    });
  } catch (error) {
    await ledger.close();
    throw error;
  }
  noteStart(call, paths);
  if (call.flag('json')) call.io.json({ pid: process.pid, port: daemon.port, socket: daemon.socket, home });
  else if (worksForAnother()) call.io.print(`Sallyport ${version} is up for the agents of ${user}.`);
  else welcome(call, opened, daemon.port);
  const told = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  await prepareEngine();
  await warmUp(decider, { user, tenant });
  await told;
  await daemon.stop();
  await close();
  symbols.close();
  return exitCodes.pass;
}

/** Judges a call that does nothing, without a trace: the first real one then finds guards and policies loaded. */
async function warmUp(
  decider: Decider,
  owner: { readonly user: string; readonly tenant: string },
): Promise<void> {
  const context = { ...owner, agent: 'claude', session: '', workspace: '/', mode: 'default' } as const;
  const call = { kind: 'tool', tool: 'Bash', server: 'host:claude', arguments: { command: 'true' } } as const;
  await decider.under({ dry: true }).decide(call, context);
}

/** Makes the credential that hooks and local agents use, once: it may ask for verdicts and nothing else. */
async function firstCredential(
  file: string,
  ledger: Ledger,
  owner: { readonly user: string; readonly tenant: string },
  now: number,
): Promise<void> {
  const held = readRegularFile(file)?.trim();
  const known = held === undefined ? undefined : await ledger.credentials.find(held);
  if (known !== undefined) return;
  const { token } = await ledger.credentials.make({ ...owner, scope: 'decide', agent: null }, now);
  writeHeld(file, `${token}\n`);
}

function welcome(call: Call, { home, paths }: Opened, port: number): void {
  const { io } = call;
  io.print(`${io.paint('green', `Sallyport ${version} is up.`)}
  API          http://127.0.0.1:${port}
  socket       ${paths.ask}
  credential   ${paths.token}
  ledger       ${paths.ledger}

Models, under guard, for agents that send the credential (docs/llm.md):
  OPENAI_BASE_URL=http://127.0.0.1:${port}/llm/openai/v1
  ANTHROPIC_BASE_URL=http://127.0.0.1:${port}/llm/anthropic
  GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:${port}/llm/gemini/as/CREDENTIAL

What to do next, in another terminal:
${readApprover(home) === null ? '  npx sallyport passphrase                           choose the passphrase for approvals, before an agent runs\n' : ''}  npx sallyport test http://169.254.169.254/latest   see a verdict
  npx sallyport init claude                          let an agent host ask before every tool
  npx sallyport console                              see and decide in the browser
  npx sallyport log                                  see what was decided
  npx sallyport doctor                               check that it really blocks`);
  if (homeIsExposed(home, io.folder())) {
    io.warn(`Note: ${home} lies inside the current folder; an agent that works here could reach it.`);
  }
  io.print('\nCtrl-C stops it.');
}

/** How long a daemon may take to come up. */
const startMs = 30_000;
/** How long another daemon, which has the lock, may take to come up. */
const otherStartMs = 5000;
const lookEvery = 50;

/** Starts this same command in the background and waits until it answers. */
async function behind(call: Call, { home, paths }: Opened): Promise<ExitCode> {
  const args = process.argv.slice(1).filter((argument) => !['--detach', '--json'].includes(argument));
  const from = logLength(paths);
  const child = startBehind(home, paths, args, process.env);
  const running = await answering(call, paths, ({ pid }) => pid === child.pid, child, 0);
  if (running === null) throw notStarted(paths, from);
  if (call.flag('json')) call.io.json({ pid: running.pid, port: running.port, socket: paths.socket, home });
  else call.io.print(`Running (process ${running.pid}) on http://127.0.0.1:${running.port}`);
  return exitCodes.pass;
}

/**
 * Starts the daemon as it was started last. Clients of hosts call this, several at once, so a daemon that another of them
 * started serves as well: the lock of the home lets only one of them run.
 */
async function again(call: Call, { home, paths }: Opened): Promise<ExitCode> {
  if (await answers(paths)) return exitCodes.pass;
  if (existsSync(paths.stopped)) {
    throw new DidNotStart("'sallyport down' stopped the daemon", { hint: "start it with 'sallyport up'" });
  }
  const { options, path } = lastStart(paths);
  const [entry = ''] = process.argv.slice(1);
  const env = path === '' ? process.env : { ...process.env, PATH: path };
  const from = logLength(paths);
  const child = startBehind(home, paths, [entry, 'up', ...options], env);
  const running = await answering(call, paths, () => true, child);
  if (running === null) throw notStarted(paths, from);
  return exitCodes.pass;
}

function startBehind(
  home: string,
  paths: HomePaths,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): ChildProcess {
  prepareHome(home);
  const log = openSync(logFile(paths), 'a', 0o600);
  const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', log, log], env });
  closeSync(log);
  child.unref();
  return child;
}

/** The daemon that is wanted, once it answers; null if `child` ended some time ago, or the time did. */
async function answering(
  call: Call,
  paths: HomePaths,
  isWanted: (running: Running) => boolean,
  child: ChildProcess,
  graceMs = otherStartMs,
): Promise<Running | null> {
  let until = performance.now() + startMs;
  child.once('exit', () => {
    until = Math.min(until, performance.now() + graceMs);
  });
  let found: Running | null = null;
  while (found === null && performance.now() <= until) {
    call.io.progress('starting …');
    const running = readDaemonFile(paths.daemon);
    if (running !== null && isWanted(running) && (await answers(paths))) found = running;
    else await new Promise((resolve) => setTimeout(resolve, lookEvery));
  }
  call.io.progress('');
  if (found === null) child.kill('SIGTERM');
  return found;
}

async function answers({ socket }: HomePaths): Promise<boolean> {
  return (await askDaemon(socket, 'GET /healthz')) !== null;
}

function logFile({ run }: HomePaths): string {
  return join(run, 'daemon.log');
}

function logLength(paths: HomePaths): number {
  return statSync(logFile(paths), { throwIfNoEntry: false })?.size ?? 0;
}

/** The error with the reason that the daemon gave; `from` is how long its log was before. */
function notStarted(paths: HomePaths, from: number): DidNotStart {
  const file = logFile(paths);
  const said = existsSync(file) ? readFileSync(file).subarray(from).toString('utf8') : '';
  const [last] = [...said.matchAll(/^sallyport: (?<why>.*)(?:\n {2}(?<hint>\S.*))?/gm)].slice(-1);
  const { why, hint } = last?.groups ?? {};
  return new DidNotStart(`the daemon did not start${why === undefined ? '' : `: ${visible(why, 500)}`}`, {
    hint: hint === undefined ? `see ${file}` : `${visible(hint, 500)}; its log is ${file}`,
  });
}

function readLevel(text: string | undefined): LogLevel {
  // A person at a terminal has the greeting to read; a file or a service manager wants the events.
  const usual = process.stderr.isTTY ? 'error' : 'info';
  const level = logLevels.find((known) => known === (text ?? usual));
  if (level === undefined) throw new UsageError(`--log is one of ${logLevels.join(', ')}`);
  return level;
}
