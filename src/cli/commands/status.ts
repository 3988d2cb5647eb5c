// sallyport status: whether the daemon runs, and where.

import { exitCodes, visible } from '../../core/index.ts';
import { askDaemon, refusalIn } from '../client.ts';
import { type Command, onlyWords } from '../command.ts';
import { openHome } from '../open.ts';
import { readDaemonFile } from '../running.ts';

export const command: Command = {
  usage: ['status'],
  about: 'Says whether the daemon runs. Exit code 0 if it does, 1 if not, or if it blocks everything.',
  options: {},
  async run(call) {
    onlyWords(call, []);
    const { home, paths } = openHome(call);
    const health = await askDaemon(paths.socket, '/healthz');
    const running = health !== null;
    const refused = health === null ? null : refusalIn(health);
    const alarms = health === null ? 0 : alarmsIn(health);
    const reset = health === null ? null : resetIn(health);
    const where = running ? readDaemonFile(paths.daemon) : null;
    if (call.flag('json')) {
      const more = { ...(refused === null ? {} : { refused }), ...(reset === null ? {} : { reset }) };
      call.io.json({ running, home, ...where, alarms, ...more });
    } else if (running) {
      call.io.print(`Running (process ${where?.pid}) on http://127.0.0.1:${where?.port} and ${paths.socket}`);
      if (refused !== null)
        call.io.print(`${call.io.paint('red', 'It blocks everything')}: ${visible(refused)}`);
      if (alarms > 0) {
        const times = alarms === 1 ? 'once' : `${alarms} times`;
        call.io.print(
          `${call.io.paint('red', 'Alarm')}: something tried to unhook an agent host ${times} since the daemon started. See sallyport log --type guard_unhooked`,
        );
      }
      if (reset !== null)
        call.io.print(
          `${call.io.paint('red', 'A reset of the passphrase waits')} until ${visible(reset)}. Not yours? Stop it: 'sallyport approvers veto'`,
        );
    } else {
      call.io.print("Not running. Start it with 'sallyport up'.");
    }
    return running && refused === null ? exitCodes.pass : exitCodes.failed;
  },
};

/** Until when a reset of the passphrase waits, as the daemon says. */
function resetIn({ body }: { readonly body: unknown }): string | null {
  const said =
    typeof body === 'object' && body !== null && 'passphrase_reset' in body ? body.passphrase_reset : null;
  return typeof said === 'string' ? said : null;
}

/** How often something tried to unhook a host, as the daemon says. */
function alarmsIn({ body }: { readonly body: unknown }): number {
  const said = typeof body === 'object' && body !== null && 'alarms' in body ? body.alarms : undefined;
  return typeof said === 'number' ? said : 0;
}
