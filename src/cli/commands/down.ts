// sallyport down: stops the daemon and waits until it has written everything.

import { existsSync } from 'node:fs';
import { writePrivate } from '../../config/index.ts';
import { exitCodes, NotAllowed } from '../../core/index.ts';
import { askDaemon, daemonPid } from '../client.ts';
import { type Command, onlyWords } from '../command.ts';
import { openHome } from '../open.ts';
import { endDaemon } from '../running.ts';
import { downSystem } from '../system/daemon.ts';
import { needsRoot, systemHere } from '../system/here.ts';
import { confirm, NoTerminal } from '../terminal.ts';

export const command: Command = {
  usage: ['down', 'down --system [--for USER] [--remove]'],
  about:
    "Stops the daemon after the calls in progress. Until 'sallyport up', agent hosts are denied everything. While hosts are\n" +
    "connected, it asks at a terminal, so an agent's script cannot stop it unnoticed.",
  examples: ['down'],
  options: {
    system: { help: 'the system daemon; needs root' },
    for: {
      value: 'USER',
      help: 'with --system: the account whose agents it guards; default: the caller of sudo',
    },
    remove: { help: 'with --system: also remove unit, script and record; the store stays' },
  },
  async run(call) {
    onlyWords(call, []);
    if (call.flag('system')) return await downSystem(call);
    const here = systemHere(call.io.environment);
    if (here !== null && here.as !== 'daemon') throw needsRoot(['down', '--system'], here.daemon);
    const { paths } = openHome(call);
    // Only root acts for the account of a system daemon.
    if (here === null) await agreeToStop(await connectedHosts(paths.socket));
    // Written first, so that no client starts the daemon again while it ends.
    if (existsSync(paths.run)) writePrivate(paths.stopped, '');
    // The daemon itself says which process it is: a number in an old file may be anybody's by now.
    const pid = await daemonPid(paths.socket);
    if (pid === null) {
      if (call.flag('json')) call.io.json({ stopped: false });
      else call.io.print('It is not running.');
      return exitCodes.pass;
    }
    await endDaemon(pid, () => call.io.progress('waiting for calls under way …'));
    call.io.progress('');
    if (call.flag('json')) call.io.json({ stopped: true, pid });
    else call.io.print('Stopped.');
    return exitCodes.pass;
  },
};

/** How many files of hosts the daemon looks after; 0 where none runs. */
async function connectedHosts(socket: string): Promise<number> {
  return (await askDaemon(socket, 'GET /healthz'))?.body.connected ?? 0;
}

/** Asks the person; throws `NotAllowed` where nobody can be asked, or the answer is no. */
async function agreeToStop(connected: number): Promise<void> {
  if (connected === 0) return;
  const hosts = connected === 1 ? 'An agent host is' : `${connected} agent hosts are`;
  let yes: boolean;
  try {
    yes = await confirm(
      `${hosts} connected. Until 'sallyport up', their calls are denied and their settings are not watched. Stop?`,
    );
  } catch (error) {
    if (!(error instanceof NoTerminal)) throw error;
    throw new NotAllowed('agent hosts are connected, so the daemon can only be stopped at a terminal', {
      hint: "run 'sallyport down' yourself in a terminal",
    });
  }
  if (!yes) throw new NotAllowed('the daemon keeps running');
}
