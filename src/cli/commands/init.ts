// sallyport init: wires an agent host in, so that it asks before every tool, or takes the wires out again.

import { rmSync } from 'node:fs';
import { displayPath, prepareHome } from '../../config/index.ts';
import {
  exitCodes,
  InputError,
  messageOf,
  nearest,
  SallyportError,
  UsageError,
  visible,
} from '../../core/index.ts';
import { type HostName, hostNames, hosts, type WiringScope, wirings } from '../../surfaces/hooks/index.ts';
import { type Call, type Command, onlyWords } from '../command.ts';
import { lineDiff } from '../diff.ts';
import {
  bindCredential,
  clientFiles,
  clientParts,
  credentialIn,
  settingsFile,
  settingsText,
  wiredHosts,
  writeClient,
  writeSettings,
  writeWiredHosts,
} from '../hosts.ts';
import { withLedger } from '../ledger.ts';
import { isManaged, manage } from '../managed.ts';
import { openHome } from '../open.ts';
import { confirm, NoTerminal } from '../terminal.ts';

/** The person said no to the change. */
export class NotWanted extends SallyportError {}

export const command: Command = {
  usage: [
    `init ${hostNames.join('|')} [--project] [--start] [--yes]`,
    'init HOST --remove [--project] [--yes]',
    'init HOST --managed [--start] [--remove]',
  ],
  about:
    'Wires an agent host in: it then asks Sallyport before every tool that it runs. The change is shown first, and what\n' +
    'stands in the file is kept. A small client goes into the home and holds a credential that can ask, and do no more.\n' +
    'With --remove, exactly that is taken back. Then: sallyport doctor.',
  options: {
    user: { help: "in the host's settings for you; this is the default" },
    project: { help: "in the host's settings for the current folder" },
    start: { help: 'let the client start the daemon where it is not running; without, it denies' },
    managed: {
      help: 'in the settings of the whole machine, which no setting of a user or project overrules',
    },
    remove: { help: 'take it out again' },
    yes: { help: 'do not ask' },
  },
  async run(call) {
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
    if (call.flag('managed')) {
      if (call.flag('user') || call.flag('project')) throw new UsageError('--managed stands alone');
      return await manage(call, host);
    }
    const scope = call.flag('project') ? 'project' : 'user';
    return call.flag('remove') ? await remove(call, host, scope) : await add(call, host, scope);
  },
};

function fileOf(call: Call, host: HostName, scope: WiringScope): string {
  return settingsFile(host, scope, { environment: call.io.environment, folder: call.io.folder() });
}

async function add(call: Call, host: HostName, scope: WiringScope) {
  const { home, paths, world } = openHome(call);
  const file = fileOf(call, host, scope);
  const { script } = clientFiles(home, host);
  const found = settingsText(file);
  const wanted = edited(file, () => wirings[host].add(found, script));
  await agree(call, file, found, wanted);
  prepareHome(home);
  // The client stands before anything names it: a host that finds no program would run its tools unasked.
  const proof = await withLedger(call, (ledger) => bindCredential(home, host, ledger, world.now()));
  const { environment } = call.io;
  writeClient(clientParts(home, host, proof, { start: call.flag('start'), environment }));
  const others = wiredHosts(paths).filter((one) => one.file !== file || one.host !== host);
  writeWiredHosts(paths, [...others, { host, file }]);
  if (found !== wanted) writeSettings(file, wanted);
  const changed = found !== wanted;
  if (call.flag('json')) call.io.json({ host, scope, file, client: script, changed });
  else {
    const shown = displayPath(file, call.io.environment['HOME']);
    call.io.print(
      changed
        ? `${hosts[host].title} is wired in: ${shown}`
        : `${hosts[host].title} was wired in already: ${shown}`,
    );
    for (const note of notes[host] ?? []) call.io.print(`  ${note}`);
    call.io.print("  Start the daemon with 'sallyport up'; 'sallyport doctor' proves that it blocks.");
  }
  return exitCodes.pass;
}

const notes: Readonly<Partial<Record<HostName, readonly string[]>>> = {
  codex: ['Codex trusts hooks by their text: open /hooks in it and trust these.'],
  copilot: ['Copilot loads hooks of a project only once its folder is trusted.'],
};

async function remove(call: Call, host: HostName, scope: WiringScope) {
  const { home, paths, world } = openHome(call);
  const file = fileOf(call, host, scope);
  const { script, carrier, header } = clientFiles(home, host);
  const found = settingsText(file);
  const wanted = found === null ? null : edited(file, () => wirings[host].remove(found, script));
  await agree(call, file, found, wanted);
  // The registry first: the daemon puts hooks back that go from a file which it still names.
  const others = wiredHosts(paths).filter((one) => one.file !== file || one.host !== host);
  writeWiredHosts(paths, others);
  if (found !== wanted) writeSettings(file, wanted);
  // As long as another file names the client, it stays: a host that finds no program would run its tools unasked.
  if (!others.some((one) => one.host === host) && !isManaged(host)) {
    await withLedger(call, async (ledger) => {
      const known = await credentialIn(header, ledger);
      if (known?.agent === host) await ledger.credentials.revoke(known.credential, world.now());
    });
    for (const path of [script, header]) rmSync(path, { force: true });
    if (others.length === 0) rmSync(carrier, { force: true });
  }
  const changed = found !== wanted;
  if (call.flag('json')) call.io.json({ host, scope, file, changed });
  else {
    const shown = displayPath(file, call.io.environment['HOME']);
    call.io.print(
      changed
        ? `${hosts[host].title} is no longer wired in: ${shown}`
        : `${hosts[host].title} was not wired in: ${shown}`,
    );
  }
  return exitCodes.pass;
}

/** Errors that arise in a file name it. */
function edited<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const hint = error instanceof SallyportError ? error.hint : undefined;
    throw new InputError(`${visible(file)}: ${messageOf(error)}`, {
      ...(hint === undefined ? {} : { hint }),
      cause: error,
    });
  }
}

/** Shows the change and asks for a yes. */
async function agree(call: Call, file: string, found: string | null, wanted: string | null): Promise<void> {
  if (found === wanted) return;
  if (!call.flag('json')) {
    const gone = wanted === null ? ' (the file goes)' : found === null ? ' (a new file)' : '';
    call.io.print(`${visible(file)}${gone}`);
    for (const line of lineDiff(found ?? '', wanted ?? '')) {
      const colour = line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : 'dim';
      call.io.print(call.io.paint(colour, `  ${visible(line)}`));
    }
  }
  if (call.flag('yes')) return;
  let yes: boolean;
  try {
    yes = await confirm('Write it?');
  } catch (error) {
    if (!(error instanceof NoTerminal)) throw error;
    throw new UsageError('nothing was written', 'add --yes to write it without being asked');
  }
  if (!yes) throw new NotWanted('nothing was written');
}
