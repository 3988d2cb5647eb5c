// sallyport mcp login and logout: a person's login to a server of the configuration, made at a terminal.

import type { UpstreamServer } from '../config/index.ts';
import { type ExitCode, exitCodes, SallyportError, UsageError, visible } from '../core/index.ts';
import { createDecider } from '../decide/index.ts';
import type { Call } from './command.ts';
import { withLedger } from './ledger.ts';
import { localAsker, openConfig } from './open.ts';
import { openTerminal, type Terminal } from './terminal.ts';

/** How long a person has for the pages. */
const patienceMs = 10 * 60 * 1000;

export async function logIn(call: Call): Promise<ExitCode> {
  const { config, world } = await openConfig(call);
  const server = serverNamed(call, config.servers);
  const { user, tenant } = localAsker();
  const scope = call.value('scope');
  const terminal = openTerminal('log in at a terminal');
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(new SallyportError('the sign-in took too long')), patienceMs);
  void watchKeys(terminal, stop);
  try {
    await withLedger(call, async (ledger) => {
      const { logIn: begin } = await import('../run/mcp/login.ts');
      await begin({
        ...{ server, ledger, world, owner: { user, tenant }, signal: stop.signal },
        decider: createDecider({ config, ledger, world }),
        ...(scope === undefined ? {} : { scope }),
        show: (page) => {
          const place = visible(page.origin, 300);
          terminal.write(
            `${server.name} sends you to ${place} to log in. Open this page, and come back:\r\n${page.href}\r\n`,
          );
        },
      });
    });
  } finally {
    clearTimeout(timer);
    terminal.close();
  }
  call.io.print(`Logged in to ${server.name}.`);
  return exitCodes.pass;
}

export async function logOut(call: Call): Promise<ExitCode> {
  const [, name = ''] = call.words;
  const { world } = await openConfig(call);
  const removed = await withLedger(call, (ledger) => ledger.logins.remove(name, localAsker(), world.now()));
  if (!removed) throw new SallyportError(`there is no login to "${visible(name, 80)}"`);
  call.io.print(`Logged out of ${name}.`);
  return exitCodes.pass;
}

function serverNamed(call: Call, servers: readonly UpstreamServer[]): UpstreamServer {
  const [, name = ''] = call.words;
  const server = servers.find((one) => one.name === name);
  if (server === undefined) {
    throw new UsageError(
      `there is no server "${visible(name, 80)}"`,
      'add [servers.NAME] to your sallyport.toml',
    );
  }
  return server;
}

/** Ctrl-C gives up. */
async function watchKeys(terminal: Terminal, stop: AbortController): Promise<void> {
  try {
    for (;;) await terminal.key();
  } catch (error) {
    stop.abort(error);
  }
}
