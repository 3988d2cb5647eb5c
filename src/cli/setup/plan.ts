// What setting up would change on this machine: found out first, and shown before anything is written.

import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter } from 'node:path';
import { displayPath, paths, readApprover } from '../../config/index.ts';
import { UsageError } from '../../core/index.ts';
import { findSandbox } from '../../run/sandbox.ts';
import { type HostName, hosts } from '../../surfaces/hooks/index.ts';
import { managedFile } from '../../surfaces/hooks/managed.ts';
import { askDaemon } from '../client.ts';
import type { Call } from '../command.ts';
import { type Extension, extendedConfig } from '../config-file.ts';
import {
  type Addition,
  type FileChange,
  isChange,
  planAddition,
  showChanges,
  summaryOf,
} from '../host-connection.ts';
import { programOnPath, settingsFile, startsShell } from '../hosts.ts';
import { type HostState, hostLines, hostStates } from '../installed.ts';
import { openHome } from '../open.ts';
import { missingParts } from '../parts.ts';
import { type Service, serviceHere, stateOf } from '../service/index.ts';
import { needsRoot, systemHere } from '../system/here.ts';

/** What a person chooses. */
export interface Choices {
  /** Sallyport answers the hosts' own prompts for what is harmless or can be undone. */
  readonly answer: boolean;
  /** Claude Code's commands run as transactions. */
  readonly transactional: boolean;
  readonly passkey: boolean;
  readonly service: boolean;
  /** Hooks in the settings of the whole machine. */
  readonly managed: boolean;
}

export interface SetupPlan {
  readonly choices: Choices;
  readonly states: readonly HostState[];
  /** The hosts that are connected, and what that changes. */
  readonly additions: readonly Addition[];
  /** The hosts whose hooks go into the settings of the machine. */
  readonly managed: readonly HostName[];
  /** Other files that change: the configuration, the service. */
  readonly files: readonly FileChange[];
  readonly config: Extension | null;
  /** The service that is installed or started; null: none. */
  readonly service: Service | null;
  /** Whether a passphrase is to be chosen. */
  readonly passphrase: boolean;
  readonly running: boolean;
  /** Packages of optional parts that are not installed. */
  readonly missing: readonly string[];
  readonly canAnswer: boolean;
  readonly canTransact: boolean;
  readonly canServe: boolean;
  /** How a person calls this program. */
  readonly program: string;
}

/** Hosts whose own prompts can be answered for the user. */
const answering: ReadonlySet<HostName> = new Set<HostName>(['claude', 'codex', 'copilot']);

/** Finds out what would change; `names`: the hosts that are meant, all that are found unless given. */
export async function planSetup(
  call: Call,
  names: readonly HostName[] | undefined,
  choices: Choices,
): Promise<SetupPlan> {
  refusePassingCopy();
  const here = systemHere(call.io.environment);
  if (here !== null) throw needsRoot(['setup', '--system'], here.daemon);
  const { home, paths: own } = openHome(call);
  const states = hostStates(call, own);
  const wanted = states.filter(({ host, found, files }) =>
    names === undefined ? found !== null || files.length > 0 : names.includes(host),
  );
  const managed = choices.managed
    ? wanted.map(({ host }) => host).filter((host) => managedFile(host, process.platform) !== undefined)
    : [];
  const users = wanted.filter((one) => !managed.includes(one.host) && !one.managed);
  const additions: Addition[] = [];
  for (const { host } of users) {
    const file = settingsFile(host, 'user', { environment: call.io.environment, folder: call.io.folder() });
    const isChosen = choices.transactional && startsShell(host);
    additions.push(
      await planAddition(call, { host, file, scope: 'user', ...(isChosen ? { shell: true } : {}) }),
    );
  }
  const answerable = wanted.map(({ host }) => host).filter((host) => answering.has(host));
  const canTransact = wanted.some(({ host }) => startsShell(host)) && 'program' in (await findSandbox());
  if (choices.transactional && !canTransact) {
    throw new UsageError(
      'commands cannot run as transactions here',
      'that needs Linux, bubblewrap and Claude Code: leave out --transactional',
    );
  }
  const sections = [
    ...(choices.transactional ? [transactions] : []),
    ...(choices.answer ? answerable.map(answersOf) : []),
  ];
  const config = await extensionFor(call, sections);
  const manager = serviceHere(call);
  const service = choices.service ? manager : null;
  return {
    ...{ choices, states, additions, managed, config, service },
    files: [
      ...(config === null ? [] : [changeOf(config)]),
      ...(service === null
        ? []
        : [{ file: service.file, found: textOf(service.file), wanted: service.text }]),
    ],
    passphrase: readApprover(home) === null,
    running: (await askDaemon(own.ask, 'GET /livez')) !== null,
    missing: missingParts().flatMap(({ names: packages }) => packages),
    canAnswer: answerable.length > 0,
    canTransact,
    canServe: manager !== null,
    program: programName(call),
  };
}

/** A table of the configuration that setup adds unless the file has it. */
interface Section {
  readonly table: string;
  readonly line: string;
}

const transactions: Section = { table: 'shell', line: 'transactional = true' };

function answersOf(host: HostName): Section {
  return { table: `hosts.${host}`, line: 'answer = "reversible"' };
}

/** The sections that the user's file does not have yet; null where it has all of them. */
async function extensionFor(call: Call, sections: readonly Section[]): Promise<Extension | null> {
  const file = call.value('config') ?? paths(openHome(call).home).config;
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const fresh = sections.filter(({ table }) => {
    const name = table.split('.').join('\\s*\\.\\s*"?');
    return !new RegExp(`^\\s*\\[?\\s*${name}\\b`, 'm').test(text);
  });
  if (fresh.length === 0) return null;
  return await extendedConfig(call, fresh.map(({ table, line }) => `[${table}]\n${line}\n`).join('\n'), {
    hint: `add to the file: ${fresh.map(({ table, line }) => `${line} under [${table}]`).join(', ')}`,
  });
}

function changeOf({ file, before, added }: Extension): FileChange {
  return { file, found: before === '' ? null : before, wanted: before + added };
}

function textOf(file: string): string | null {
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

/** A copy that npx fetched for one call may be gone tomorrow, and hosts would be denied everything. */
function refusePassingCopy(): void {
  const program = realpathSync(process.argv[1] ?? '');
  if (!/[\\/]_npx[\\/]/.test(program)) return;
  throw new UsageError(
    'this copy is in the cache of npx, which may remove it at any time',
    "install it first: 'npm install --global sallyport-VERSION.tgz', then 'sallyport setup'",
  );
}

/** How a person calls this program: by its name where PATH has it, else by npx from where it is installed. */
function programName(call: Call): string {
  const { PATH = '' } = call.io.environment;
  const own = PATH.split(delimiter).filter((folder) => !folder.endsWith('node_modules/.bin'));
  const found = programOnPath({ PATH: own.join(delimiter) }, 'sallyport');
  const program = realpathSync(process.argv[1] ?? '');
  return found !== undefined && realpathSync(found) === program ? 'sallyport' : 'npx sallyport';
}

/** The files that a plan changes. */
export function changesOf({ additions, files }: SetupPlan): readonly FileChange[] {
  return [...additions.flatMap((one) => one.changes), ...files].filter(isChange);
}

/** The plan for a person; the files by name, or line by line. */
export function planLines(call: Call, plan: SetupPlan, everyLine = false): readonly string[] {
  const changes = changesOf(plan);
  const lines = [
    'Agent hosts on this machine:',
    ...hostLines(call, plan.states).map((line) => `  ${line}`),
    '',
    changes.length === 0 ? 'No file changes.' : 'These files change:',
    ...(everyLine ? diffLines(call, changes) : changes.map((change) => `  ${summaryOf(call, change)}`)),
    '',
    'Then:',
    ...stepsOf(call, plan).map((step) => `  ${step}`),
  ];
  if (plan.missing.length > 0) {
    const packages = plan.missing.join(' ');
    lines.push(
      '',
      `Optional parts that are missing; what needs them is refused or asked about: npm install ${packages}`,
    );
  }
  if (!plan.choices.managed) {
    lines.push(
      '',
      `Stronger, with root: '${plan.program} setup --managed' (hooks that no agent can remove), '${plan.program} setup --system' (a daemon that no agent can stop).`,
    );
  }
  return lines;
}

function diffLines(call: Call, changes: readonly FileChange[]): readonly string[] {
  const printed: string[] = [];
  showChanges({ ...call, io: { ...call.io, print: (line) => void printed.push(line) } }, changes);
  return printed.map((line) => `  ${line}`);
}

function stepsOf(call: Call, { passphrase, service, running, managed }: SetupPlan): readonly string[] {
  const steps: string[] = [];
  if (passphrase) steps.push('you choose the passphrase that approving takes, and get its recovery code');
  if (service !== null) {
    const state = stateOf(service) === 'none' ? 'is installed' : 'is there';
    const file = displayPath(service.file, call.io.environment['HOME']);
    steps.push(`the service ${state} (${service.manager}: ${file}); it starts the daemon when you sign in`);
  }
  steps.push(running ? 'the daemon keeps running' : 'the daemon starts');
  for (const host of managed)
    steps.push(`${hosts[host].title}: settings of the whole machine; a command for sudo is printed`);
  return [...steps, 'the doctor looks whether it blocks'];
}
