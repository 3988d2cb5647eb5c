// sallyport uninstall: takes everything out again: hooks, clients, service, daemon. The records are the person's to decide on.

import { displayPath, type HomePaths, removeHome, writePrivate } from '../../config/index.ts';
import { type ExitCode, exitCodes, NotAllowed, UsageError, visible } from '../../core/index.ts';
import { type HostName, hosts } from '../../surfaces/hooks/index.ts';
import { daemonPid } from '../client.ts';
import { type Call, type Command, onlyWords } from '../command.ts';
import { signerToDisconnect } from '../connecting.ts';
import {
  disconnectHost,
  type HostPlan,
  isChange,
  planRemoval,
  showChanges,
  summaryOf,
} from '../host-connection.ts';
import { connectedHosts, recordedHosts } from '../hosts.ts';
import { hostStates } from '../installed.ts';
import { openHome } from '../open.ts';
import { endDaemon } from '../running.ts';
import { removeService, serviceFile, stateOf } from '../service/index.ts';
import { removalHint } from '../setup/program.ts';
import { needsRoot, systemHere } from '../system/here.ts';
import { confirm, NoTerminal, openTerminal } from '../terminal.ts';

/** What becomes of the records: the log, approvals, snapshots, keys and the configuration. */
type Records = 'keep' | 'delete';

interface Removal {
  readonly plans: readonly HostPlan[];
  /** The file of the service, where there is one. */
  readonly service: string | null;
  /** Hosts that settings of the whole machine hook: those are root's. */
  readonly managed: readonly HostName[];
}

export const command: Command = {
  usage: ['uninstall [--records keep|delete] [--yes]', 'uninstall --dry-run'],
  about:
    'Removes what setup and init installed: the hooks in the settings of your hosts, the clients and their credentials, the\n' +
    'service and the daemon. It asks for your passphrase, and whether to keep or delete the records. The last line says how to\n' +
    'remove the program itself.',
  examples: ['uninstall --dry-run', 'uninstall', 'uninstall --records keep --yes'],
  options: {
    records: {
      value: 'keep|delete',
      help: 'keep or delete the records; default: ask, with --yes keep',
    },
    yes: { help: 'do not ask, except for the passphrase' },
    'dry-run': { help: 'show what would be removed' },
  },
  async run(call) {
    onlyWords(call, []);
    const here = systemHere(call.io.environment);
    if (here !== null) throw needsRoot(['down', '--system', '--remove'], here.daemon);
    const given = recordsNamed(call.value('records'));
    const removal = await planned(call);
    if (!call.flag('json') || call.flag('dry-run')) show(call, removal);
    if (call.flag('dry-run')) return exitCodes.pass;
    await agree(call);
    await takeOut(call, removal);
    const records = given ?? (call.flag('yes') ? 'keep' : await askRecords(call));
    const { home } = openHome(call);
    if (records === 'delete') removeHome(home);
    report(call, removal, records);
    return exitCodes.pass;
  },
};

function recordsNamed(value: string | undefined): Records | undefined {
  if (value === undefined || value === 'keep' || value === 'delete') return value;
  throw new UsageError(`--records is keep or delete, not "${visible(value, 40)}"`);
}

async function planned(call: Call): Promise<Removal> {
  const { paths } = openHome(call);
  const connected = await connectedHosts(call, recordedHosts(paths));
  const plans: HostPlan[] = [];
  for (const { host, file } of connected) plans.push(await planRemoval(call, { host, file }));
  const service = serviceFile(call);
  return {
    plans,
    service: stateOf(service) === 'none' ? null : service.file,
    managed: hostStates(call, paths)
      .filter(({ managed }) => managed)
      .map(({ host }) => host),
  };
}

function show(call: Call, { plans, service, managed }: Removal): void {
  if (call.flag('json')) {
    const changes = plans.flatMap((plan) => plan.changes.map(({ file, wanted }) => ({ file, text: wanted })));
    call.io.json({ changes, service, managed });
    return;
  }
  for (const plan of plans)
    if (call.flag('dry-run')) showChanges(call, plan.changes);
    else
      for (const change of plan.changes.filter(isChange)) {
        const { title } = hosts[plan.host];
        call.io.print(`${title} is disconnected: ${summaryOf(call, change)}`);
      }
  if (plans.length === 0) call.io.print('No host is connected.');
  if (service !== null) call.io.print(`${visible(service)} (the service goes)`);
  for (const host of managed)
    call.io.print(
      `${hosts[host].title} is hooked for the whole machine, which root ends: 'sallyport init ${host} --managed --remove' prints the command.`,
    );
}

async function agree(call: Call): Promise<void> {
  if (call.flag('yes')) return;
  let yes: boolean;
  try {
    yes = await confirm('Take all of this out, and stop the daemon?');
  } catch (error) {
    if (!(error instanceof NoTerminal)) throw error;
    throw new UsageError('nothing was removed', 'add --yes to do it without being asked');
  }
  if (!yes) throw new NotAllowed('nothing was removed');
}

async function takeOut(call: Call, { plans }: Removal): Promise<void> {
  const { paths } = openHome(call);
  const signer = await signerToDisconnect(call, plans, 'uninstall');
  try {
    for (const plan of plans) await disconnectHost(call, plan, signer);
  } finally {
    signer?.forget();
  }
  removeService(call);
  await stopDaemon(paths);
}

/** Stops the daemon, so that nothing starts it again. */
export async function stopDaemon(paths: HomePaths): Promise<void> {
  const pid = await daemonPid(paths.socket);
  if (pid === null) return;
  writePrivate(paths.stopped, '');
  await endDaemon(pid);
}

async function askRecords(call: Call): Promise<Records> {
  const { home } = openHome(call);
  const terminal = openTerminal('the question is asked at a terminal');
  try {
    terminal.write(
      `The records stay in ${displayPath(home, call.io.environment['HOME'])}: log, approvals, snapshots for undo, keys, configuration.\n`,
    );
    for (;;) {
      terminal.write('Delete them? [y/n] ');
      const key = (await terminal.key())?.toLowerCase();
      terminal.write('\n');
      if (key === 'y') return 'delete';
      if (key === 'n') return 'keep';
    }
  } finally {
    terminal.close();
  }
}

function report(call: Call, { plans, service }: Removal, records: Records): ExitCode {
  const { home } = openHome(call);
  if (call.flag('json')) {
    call.io.json({ disconnected: plans.map(({ host, file }) => ({ host, file })), service, records });
    return exitCodes.pass;
  }
  for (const { host, file } of plans)
    call.io.print(
      `${hosts[host].title} is no longer connected: ${displayPath(file, call.io.environment['HOME'])}`,
    );
  if (service !== null) call.io.print('The service is removed.');
  call.io.print('The daemon is stopped.');
  call.io.print(records === 'delete' ? 'The records are deleted.' : `The records stay in ${visible(home)}.`);
  call.io.print(`Remove the program: ${removalHint()}`);
  return exitCodes.pass;
}
