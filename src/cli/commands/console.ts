// sallyport console: a link to the console, for the person who knows the passphrase.

import { consoleOrigin, type ExitCode, exitCodes, SallyportError } from '../../core/index.ts';
import { openInBrowser } from '../browser.ts';
import { askDaemon } from '../client.ts';
import { type Call, type Command, onlyWords } from '../command.ts';
import { consoleLink } from '../link.ts';
import { openHome } from '../open.ts';
import { readDaemonFile } from '../running.ts';
import { unlockHere } from '../unlock.ts';
import { requireApprover } from './passphrase.ts';

/** No daemon runs that could show the console. */
export class NotRunning extends SallyportError {}

export const command: Command = {
  usage: ['console [--open]'],
  about:
    'Prints a link to the console. It asks for the passphrase; the link works once, within a minute, and the session lasts at\n' +
    'most 12 hours. --open opens the console in your browser instead, where you sign in.',
  examples: ['console', 'console --open'],
  options: { open: { help: 'open the console in the browser, and sign in there' } },
  async run(call) {
    onlyWords(call, []);
    const { home, paths } = openHome(call);
    const running = readDaemonFile(paths.daemon);
    if (running === null || (await askDaemon(paths.socket, 'GET /healthz')) === null) {
      throw new NotRunning('the daemon is not running', { hint: "start it: 'sallyport up'" });
    }
    requireApprover(home);
    if (call.flag('open')) return open(call, `${consoleOrigin(running.port)}/console/`);
    const signer = await unlockHere(call, 'console');
    const { url, expiresAt } = await consoleLink(paths.socket, running.port, signer).finally(signer.forget);
    if (call.flag('json')) call.io.json({ url, expiresAt });
    else call.io.print(`Open this within a minute; it counts once:\n  ${url}`);
    return exitCodes.pass;
  },
};

/** INVARIANT: what a browser is started with has no secret in it: the arguments of a program are seen by every other. */
function open(call: Call, address: string): ExitCode {
  const opened = openInBrowser(address, call.io.environment);
  if (call.flag('json')) call.io.json({ url: address, opened });
  else call.io.print(opened ? `Opened ${address}` : `There is no browser to start here. Open ${address}`);
  return exitCodes.pass;
}
