// sallyport console: a link to the console, for the person who knows the passphrase.

import { exitCodes, SallyportError } from '../../core/index.ts';
import { askDaemon } from '../client.ts';
import { type Command, onlyWords } from '../command.ts';
import { consoleLink } from '../link.ts';
import { openHome } from '../open.ts';
import { readDaemonFile } from '../running.ts';
import { unlockHere } from '../unlock.ts';
import { requireApprover } from './passphrase.ts';

/** No daemon runs that could show the console. */
export class NotRunning extends SallyportError {}

export const command: Command = {
  usage: ['console'],
  about:
    'Prints a link to the console in the browser: decisions as they happen, approvals, changes, receipts, policies.\n' +
    'It asks for the passphrase at the terminal. The link counts once and for a minute; the session behind it lasts for as\n' +
    'long as the page is used, at most 12 hours. To approve in the page, type the passphrase there, or use a passkey.',
  examples: ['console'],
  options: {},
  async run(call) {
    onlyWords(call, []);
    const { home, paths } = openHome(call);
    const running = readDaemonFile(paths.daemon);
    if (running === null || (await askDaemon(paths.socket, 'GET /healthz')) === null) {
      throw new NotRunning('the daemon is not running', { hint: "start it: 'sallyport up'" });
    }
    requireApprover(home);
    const signer = await unlockHere(call, 'console');
    const { url, expiresAt } = await consoleLink(paths.socket, running.port, signer).finally(signer.forget);
    if (call.flag('json')) call.io.json({ url, expiresAt });
    else call.io.print(`Open this within a minute; it counts once:\n  ${url}`);
    return exitCodes.pass;
  },
};
