// Sets up as planned, one step after another, and says each when it is done.

import { messageOf, SallyportError } from '../../core/index.ts';
import { type HostName, hosts } from '../../surfaces/hooks/index.ts';
import { askDaemon } from '../client.ts';
import type { Call } from '../command.ts';
import { writeExtension } from '../config-file.ts';
import { connectHost, isChange } from '../host-connection.ts';
import { manage } from '../managed.ts';
import { openHome } from '../open.ts';
import { ownCommand } from '../own.ts';
import { installService } from '../service/index.ts';
import { NoTerminal, openTerminal } from '../terminal.ts';
import type { SetupPlan } from './plan.ts';

/** How long the daemon may take to answer once the service manager started it, in milliseconds. */
const startMs = 20_000;
const lookEvery = 100;

/** Does what the plan says; gives what is left to the person. */
export async function carryOut(call: Call, plan: SetupPlan): Promise<readonly string[]> {
  const notes: string[] = [];
  const done = (says: string) => {
    if (!call.flag('json')) call.io.print(`${call.io.paint('green', 'done')}  ${says}`);
  };
  // Before any host is connected: a first key that is made later counts after a day.
  if (plan.passphrase) notes.push(...(await choosePassphrase(call, plan)));
  if (plan.config !== null) {
    writeExtension(call, plan.config);
    done(`your choices are in ${plan.config.file}`);
  }
  for (const addition of plan.additions) {
    const { title } = hosts[addition.host];
    await connectHost(call, addition, true);
    done(addition.changes.some(isChange) ? `${title} is connected` : `${title} was connected already`);
    if (addition.note !== null) notes.push(addition.note);
  }
  for (const host of plan.managed) notes.push(...(await manageHost(call, host)));
  notes.push(...(await startDaemon(call, plan, done)));
  if (plan.choices.passkey)
    notes.push(`add the passkey: '${plan.program} console', then the page Approvers (docs/console.md)`);
  return notes;
}

/** Lets the person choose the passphrase; what is left to do where nobody can be asked. */
async function choosePassphrase(call: Call, plan: SetupPlan): Promise<readonly string[]> {
  const later = `no approver yet: '${plan.program} passphrase'; chosen after a host is connected, it counts after 24 hours`;
  if (call.flag('json')) return [later];
  try {
    openTerminal('the passphrase is asked for at a terminal').close();
  } catch (error) {
    if (error instanceof NoTerminal) return [later];
    throw error;
  }
  call.io.print('Choose the passphrase that approvals ask for. No agent learns it, and no file holds it.');
  const { choose } = await import('../commands/passphrase.ts');
  await choose(call, openHome(call).home);
  return [];
}

/** Hooks in the settings of the machine; without root, the command that puts them in place. */
async function manageHost(call: Call, host: HostName): Promise<readonly string[]> {
  try {
    await manage(call, host);
    return [];
  } catch (error) {
    const hint = error instanceof SallyportError ? error.hint : undefined;
    if (hint === undefined) throw error;
    return [`${hosts[host].title}, for the whole machine: ${hint}`];
  }
}

/** Starts the daemon by its service, or by itself; a service that cannot be started is no reason to go without. */
async function startDaemon(
  call: Call,
  { service, running }: SetupPlan,
  done: (says: string) => void,
): Promise<readonly string[]> {
  const notes: string[] = [];
  const { paths } = openHome(call);
  if (service !== null) {
    try {
      installService(call, service);
      done(`the service is installed: ${service.name}`);
    } catch (error) {
      notes.push(`the service could not be started: ${messageOf(error)}`);
    }
  }
  if (!running && !(notes.length === 0 && service !== null && (await answers(call, paths.ask)))) {
    await ownCommand(['up', '--detach', '--json', ...configOf(call)]);
  }
  done(running ? 'the daemon runs' : 'the daemon is started');
  return notes;
}

function configOf(call: Call): readonly string[] {
  const file = call.value('config');
  return file === undefined ? [] : ['--config', file];
}

/** Whether the daemon answers soon. */
async function answers(call: Call, socket: string): Promise<boolean> {
  const until = performance.now() + startMs;
  while (performance.now() < until) {
    call.io.progress('starting …');
    if ((await askDaemon(socket, 'GET /livez')) !== null) {
      call.io.progress('');
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, lookEvery));
  }
  call.io.progress('');
  return false;
}
