// sallyport init: connects an agent host, so that it asks before every tool, or takes that out again.

import { existsSync } from 'node:fs';
import { displayPath } from '../../config/index.ts';
import { exitCodes, nearest, UsageError, visible } from '../../core/index.ts';
import { type HostName, hostNames, hosts, type WiringScope } from '../../surfaces/hooks/index.ts';
import { askDaemon } from '../client.ts';
import { type Call, type Command, flagsOf, onlyWords } from '../command.ts';
import { approverFirst, signerToDisconnect } from '../connecting.ts';
import {
  connectHost,
  disconnectHost,
  type FileChange,
  isChange,
  planAddition,
  planRemoval,
  showChanges,
} from '../host-connection.ts';
import { clientFiles, settingsFile, startsShell } from '../hosts.ts';
import { hostLines, hostStates } from '../installed.ts';
import { initFlags, manage, managedClientText } from '../managed.ts';
import { openHome } from '../open.ts';
import { needsRoot, systemHere } from '../system/here.ts';
import { runInside } from '../system/inside.ts';
import { agreeToWrite } from '../terminal.ts';

export const command: Command = {
  usage: [
    'init',
    `init ${hostNames.join('|')} [--project] [--no-start] [--yes]`,
    'init HOST --remove [--project] [--yes]',
    'init HOST --managed [--no-start] [--remove]',
    'init HOST --client',
  ],
  about:
    'Connects an agent host, so that it asks Sallyport before every tool call; without a host, lists the hosts. It shows the\n' +
    'change first and keeps the rest of the file. --remove disconnects the host, with your passphrase if you have one.\n' +
    "The client starts the daemon if it is not running, unless 'sallyport down' stopped it or --no-start was given. Variables\n" +
    'such as CLAUDE_CONFIG_DIR and CODEX_HOME are respected. Run it again after you change [shell] transactional, and with\n' +
    "sudo for a system daemon. Then run 'sallyport doctor'.",
  examples: ['init', 'init claude', 'init codex --project', 'init claude --remove'],
  options: {
    user: { help: 'in your settings of the host (default)' },
    project: { help: 'in the settings of the current folder' },
    start: { help: 'let the client start the daemon (default)' },
    'no-start': { help: 'let the client deny while the daemon is down' },
    managed: {
      help: 'in machine-wide settings, which users and projects cannot override',
    },
    client: { help: 'print the client that --managed installs' },
    remove: { help: 'disconnect the host' },
    yes: { help: 'do not ask' },
  },
  async run(call) {
    if (call.words.length === 0) return list(call);
    const [name] = onlyWords(call, ['the host']);
    const host = hostNames.find((known) => known === name);
    if (host === undefined) {
      const near = nearest(name, hostNames);
      throw new UsageError(
        `unknown host "${visible(name, 40)}"${near === undefined ? '' : `; did you mean "${near}"?`}`,
        `known hosts: ${hostNames.join(', ')}`,
      );
    }
    if (call.flag('user') && call.flag('project')) throw new UsageError('--user or --project, not both');
    if (call.flag('start') && call.flag('no-start')) throw new UsageError('--start or --no-start, not both');
    if (call.flag('client')) return await printClient(call, host);
    if (call.flag('managed')) {
      if (call.flag('user') || call.flag('project')) throw new UsageError('--managed takes no other option');
      return await manage(call, host);
    }
    const system = systemHere(call.io.environment);
    const words = ['init', host, ...flagsOf(call, initFlags)];
    if (system?.as === 'account') throw needsRoot(words, system.daemon);
    if (system?.as === 'root') return await runInside(system.daemon, words);
    const scope = call.flag('project') ? 'project' : 'user';
    return call.flag('remove') ? await remove(call, host, scope) : await add(call, host, scope);
  },
};

/** Lists the hosts; options ask for a change, which takes a host. */
function list(call: Call) {
  const option = [...initFlags, 'client'].find((name) => name !== 'json' && call.flag(name));
  if (option !== undefined)
    throw new UsageError(`--${option} takes a host`, `known hosts: ${hostNames.join(', ')}`);
  const states = hostStates(call, openHome(call).paths);
  if (call.flag('json')) call.io.json({ hosts: states });
  else {
    for (const line of hostLines(call, states)) call.io.print(line);
    call.io.print("Connect one: 'sallyport init HOST'.");
  }
  return exitCodes.pass;
}

async function printClient(call: Call, host: HostName) {
  const client = await managedClientText(call, host);
  if (call.flag('json')) call.io.json({ host, client });
  else call.io.print(client);
  return exitCodes.pass;
}

function fileOf(call: Call, host: HostName, scope: WiringScope): string {
  return settingsFile(host, scope, { environment: call.io.environment, folder: call.io.folder() });
}

async function add(call: Call, host: HostName, scope: WiringScope) {
  const { home, paths } = openHome(call);
  const approver = await approverFirst(call, home);
  const plan = await planAddition(call, { host, scope, file: fileOf(call, host, scope) });
  await agree(call, plan.changes);
  const start = !call.flag('no-start');
  await connectHost(call, plan, start);
  const { file } = plan;
  const changed = plan.changes.some(isChange);
  if (call.flag('json')) {
    call.io.json({ host, scope, file, client: clientFiles(home, host).script, changed });
    return exitCodes.pass;
  }
  const word = changed ? 'is connected' : 'was connected already';
  call.io.print(`${hosts[host].title} ${word}: ${displayPath(file, call.io.environment['HOME'])}`);
  const ready = await readiness(paths, start);
  for (const note of [notes[host], shellNote(host, plan.shell), plan.note, approver, ready]) {
    if (note !== undefined && note !== null) call.io.print(`  ${note}`);
  }
  return exitCodes.pass;
}

/** What is said of commands as transactions. */
function shellNote(host: HostName, isOn: boolean): string | null {
  if (!startsShell(host)) return null;
  return isOn
    ? 'Its commands are transactions: what they change in the workspace is judged before it counts.'
    : `Its commands can be transactions, judged by what they really change: put "[shell] transactional = true" into your sallyport.toml, then run 'sallyport init ${host}' again.`;
}

const notes: Readonly<Partial<Record<HostName, string>>> = {
  copilot: 'Copilot loads hooks of a project only once its folder is trusted.',
};

/** What is left to do for the daemon. */
async function readiness(
  { ask, stopped }: { readonly ask: string; readonly stopped: string },
  start: boolean,
): Promise<string> {
  const proof = "'sallyport doctor' proves that it blocks.";
  if ((await askDaemon(ask, 'GET /livez')) !== null) return `The daemon runs; ${proof}`;
  if (existsSync(stopped))
    return `'sallyport down' stopped the daemon: start it with 'sallyport up'. ${proof}`;
  return start
    ? `The daemon starts by itself with the first call; ${proof}`
    : `Start the daemon with 'sallyport up'; ${proof}`;
}

async function remove(call: Call, host: HostName, scope: WiringScope) {
  const file = fileOf(call, host, scope);
  const plan = await planRemoval(call, { host, file });
  await agree(call, plan.changes);
  const signer = await signerToDisconnect(call, [plan], 'init --remove');
  try {
    await disconnectHost(call, plan, signer);
  } finally {
    signer?.forget();
  }
  const changed = plan.changes.some(isChange);
  if (call.flag('json')) call.io.json({ host, scope, file, changed });
  else {
    const shown = displayPath(file, call.io.environment['HOME']);
    call.io.print(`${hosts[host].title} ${changed ? 'is no longer' : 'was not'} connected: ${shown}`);
  }
  return exitCodes.pass;
}

/** Shows the changes and asks for a yes. */
async function agree(call: Call, all: readonly FileChange[]): Promise<void> {
  if (!all.some(isChange)) return;
  if (!call.flag('json')) showChanges(call, all);
  if (!call.flag('yes')) await agreeToWrite();
}
