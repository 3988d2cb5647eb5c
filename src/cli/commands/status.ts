// sallyport status: whether the daemon runs, and where.

import { exitCodes, visible } from '../../core/index.ts';
import { askDaemon, refusalIn } from '../client.ts';
import { type Call, type Command, onlyWords } from '../command.ts';
import { unhookedHosts } from '../hosts.ts';
import { openHome } from '../open.ts';
import { readDaemonFile } from '../running.ts';
import { serviceFile, stateOf } from '../service/index.ts';
import { systemHere } from '../system/here.ts';
import { version } from '../version.ts';

export const command: Command = {
  usage: ['status'],
  about:
    'Shows whether the daemon runs, its version and that of this program, and its service.\n' +
    'Exit code: 0 if it runs, 1 if it does not, or if it blocks everything.',
  examples: ['status'],
  options: {},
  async run(call) {
    onlyWords(call, []);
    const { home, paths } = openHome(call);
    const system = systemHere(call.io.environment)?.daemon;
    const health = await askDaemon(paths.ask, 'GET /healthz');
    const running = health !== null;
    const refused = health === null ? null : refusalIn(health);
    const { alarms = 0, unreviewed = 0, pid, passphrase_reset: reset = null } = health?.body ?? {};
    const versions = { program: version, daemon: health?.body.version ?? null, node: process.versions.node };
    const service = serviceFile(call);
    const hasService = stateOf(service) !== 'none';
    // The file of a system daemon is closed to the account; the daemon says its process, and the record its port.
    const found = running ? readDaemonFile(paths.daemon) : null;
    const where = running && system !== undefined ? { pid, port: system.port, as: system.as } : found;
    // A daemon that runs restores such files itself.
    const unhooked = running ? [] : await unhookedHosts(call);
    if (call.flag('json')) {
      const counts = { alarms, unreviewed };
      const more = { ...(refused === null ? {} : { refused }), ...(reset === null ? {} : { reset }) };
      const loose = unhooked.map(({ host, file }) => ({ host, file }));
      call.io.json({
        ...{ running, home, ...where, ...counts, ...more, ...(running ? {} : { unhooked: loose }) },
        ...{ versions, service: hasService ? service.file : null },
      });
    } else if (running) {
      const who = system === undefined ? '' : `, as the user ${system.as}`;
      call.io.print(
        `Running (process ${where?.pid}${who}) on http://127.0.0.1:${where?.port} and ${paths.ask}`,
      );
      printVersions(call, versions, hasService);
      printWarnings(call, { refused, alarms, unreviewed, reset });
    } else {
      call.io.print(
        `Not running. Start it with '${system === undefined ? 'sallyport up' : 'sudo sallyport up --system'}'.`,
      );
      for (const { host, file } of unhooked) {
        call.io.print(
          `${call.io.paint('red', 'Alarm')}: ${visible(file)} no longer holds the hooks of ${host}, and you did not disconnect it: the host runs unguarded. 'sallyport up' restores them.`,
        );
      }
    }
    return running && refused === null ? exitCodes.pass : exitCodes.failed;
  },
};

/** The versions, and what to do where the daemon is another than the program. */
function printVersions(
  call: Call,
  {
    program,
    daemon,
    node,
  }: { readonly program: string; readonly daemon: string | null; readonly node: string },
  hasService: boolean,
): void {
  const service = hasService ? '; a service starts it when you sign in' : '';
  if (daemon === program) call.io.print(`Sallyport ${program} on Node ${node}${service}`);
  else
    call.io.print(
      `${call.io.paint('yellow', 'Two versions')}: this program is ${program}, the daemon ${daemon ?? 'unknown'}${service}. 'sallyport upgrade' replaces it.`,
    );
}

/** What the user of a running daemon should know. */
function printWarnings(
  call: Call,
  {
    refused,
    alarms,
    unreviewed,
    reset,
  }: {
    readonly refused: string | null;
    readonly alarms: number;
    readonly unreviewed: number;
    readonly reset: string | null;
  },
): void {
  if (refused !== null) call.io.print(`${call.io.paint('red', 'It blocks everything')}: ${visible(refused)}`);
  if (alarms > 0) {
    const times = alarms === 1 ? 'once' : `${alarms} times`;
    call.io.print(
      `${call.io.paint('red', 'Alarm')}: something tried to unhook or loosen Sallyport ${times} since the daemon started. See sallyport log --type guard_unhooked`,
    );
  }
  if (unreviewed > 0) {
    const files = unreviewed === 1 ? 'file was' : 'files were';
    call.io.print(
      `${unreviewed} protected ${files} changed by a call that did not name them; the next command of that session asks with the difference. See sallyport log --type protected_change`,
    );
  }
  if (reset !== null)
    call.io.print(
      `${call.io.paint('red', 'A reset of the passphrase waits')} until ${visible(reset)}. Not yours? Stop it: 'sallyport approvers veto'`,
    );
}
