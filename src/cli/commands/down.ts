// sallyport down: stops the daemon and waits until it has written everything.

import { existsSync } from 'node:fs';
import { writePrivate } from '../../config/index.ts';
import { exitCodes, SallyportError } from '../../core/index.ts';
import { daemonPid } from '../client.ts';
import { type Command, onlyWords } from '../command.ts';
import { openHome } from '../open.ts';
import { downSystem } from '../system/daemon.ts';
import { needsRoot, systemHere } from '../system/here.ts';

/** The daemon did not end in time. */
export class StillRunning extends SallyportError {}

const waitMs = 15_000;
const lookEvery = 50;

export const command: Command = {
  usage: ['down', 'down --system [--for USER] [--remove]'],
  about:
    'Stops the daemon: calls under way end first, and nothing recorded is lost. It stays down, and agent hosts are\n' +
    "denied everything, until 'sallyport up'. With --system, run with sudo, the same for a daemon of another user id.",
  options: {
    system: { help: 'the daemon with a user id of its own; needs root' },
    for: {
      value: 'USER',
      help: 'with --system: whose agents it guards; default: the account that called sudo',
    },
    remove: { help: 'with --system: also remove its unit, script and record; its store stays' },
  },
  async run(call) {
    onlyWords(call, []);
    if (call.flag('system')) return await downSystem(call);
    const here = systemHere(call.io.environment);
    if (here !== null && here.as !== 'daemon') throw needsRoot(['down', '--system'], here.daemon);
    const { paths } = openHome(call);
    // Written first, so that no client starts the daemon again while it ends.
    if (existsSync(paths.run)) writePrivate(paths.stopped, '');
    // The daemon itself says which process it is: a number in an old file may be anybody's by now.
    const pid = await daemonPid(paths.socket);
    if (pid === null) {
      if (call.flag('json')) call.io.json({ stopped: false });
      else call.io.print('It is not running.');
      return exitCodes.pass;
    }
    if (isAlive(pid)) process.kill(pid, 'SIGTERM');
    const until = performance.now() + waitMs;
    while (isAlive(pid)) {
      if (performance.now() > until) throw new StillRunning(`the daemon (process ${pid}) has not ended yet`);
      call.io.progress('waiting for calls under way …');
      await new Promise((resolve) => setTimeout(resolve, lookEvery));
    }
    call.io.progress('');
    if (call.flag('json')) call.io.json({ stopped: true, pid });
    else call.io.print('Stopped.');
    return exitCodes.pass;
  },
};

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
