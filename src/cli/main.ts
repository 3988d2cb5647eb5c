// The command line: finds the command, loads only that one, and turns its end into an exit code.

import { type ExitCode, exitCodes, messageOf, nearest, SallyportError, UsageError } from '../core/index.ts';
import { type Command, helpOf, readCall } from './command.ts';
import { type Io, processIo } from './io.ts';
import { placeCommand, type SystemNeed } from './system/here.ts';
import { version } from './version.ts';

interface Listed {
  readonly summary: string;
  /** What it needs where there is a system daemon; its store unless said otherwise. */
  readonly system?: SystemNeed;
  readonly load: () => Promise<{ readonly command: Command }>;
}

export const commands: Readonly<Record<string, Listed>> = {
  setup: {
    system: 'free',
    summary: 'set up hosts, passphrase and service; shows every change first',
    load: () => import('./commands/setup.ts'),
  },
  demo: {
    system: 'free',
    summary: 'ten attacks on a throwaway workspace, in a minute',
    load: () => import('./commands/demo.ts'),
  },
  up: { system: 'ask', summary: 'start the daemon', load: () => import('./commands/up.ts') },
  down: { system: 'ask', summary: 'stop the daemon', load: () => import('./commands/down.ts') },
  console: {
    summary: 'link to the console',
    load: () => import('./commands/console.ts'),
  },
  status: {
    system: 'ask',
    summary: 'whether the daemon runs',
    load: () => import('./commands/status.ts'),
  },
  upgrade: {
    system: 'ask',
    summary: 'bring the daemon, clients and service to this version',
    load: () => import('./commands/upgrade.ts'),
  },
  uninstall: {
    system: 'ask',
    summary: 'remove everything; asks about the records',
    load: () => import('./commands/uninstall.ts'),
  },
  init: {
    system: 'ask',
    summary: 'connect an agent host, so that it asks before every tool call',
    load: () => import('./commands/init.ts'),
  },
  doctor: {
    system: 'ask',
    summary: 'check the installation, with a real block',
    load: () => import('./commands/doctor.ts'),
  },
  try: {
    system: 'free',
    summary: 'judge your own history before you install anything',
    load: () => import('./commands/try.ts'),
  },
  test: {
    summary: 'explain one verdict; run and record nothing',
    load: () => import('./commands/test.ts'),
  },
  explain: {
    summary: 'show the card of a program, with examples',
    load: () => import('./commands/explain.ts'),
  },
  decide: {
    system: 'ask',
    summary: 'judge actions in JSON, recorded',
    load: () => import('./commands/decide.ts'),
  },
  exec: {
    system: 'never',
    summary: 'run a command in a sandbox, if its verdict allows it',
    load: () => import('./commands/exec.ts'),
  },
  shell: {
    system: 'never',
    summary: 'run a command on an overlay, and judge its changes before they count',
    load: () => import('./commands/shell.ts'),
  },
  run: {
    system: 'never',
    summary: 'let a model work on a task, under guard',
    load: () => import('./commands/run.ts'),
  },
  runs: { summary: 'list runs; runs show ID', load: () => import('./commands/runs.ts') },
  mcp: {
    system: 'never',
    summary: 'serve MCP to an agent host: the gateway, the CodeMode bridge, or a source of queries',
    load: () => import('./commands/mcp.ts'),
  },
  audit: {
    system: 'free',
    summary: "prove that an agent's sources use the guards",
    load: () => import('./commands/audit.ts'),
  },
  scan: {
    system: 'free',
    summary: 'secrets and personal data in files',
    load: () => import('./commands/scan.ts'),
  },
  log: { summary: 'decisions; log verify checks the chain', load: () => import('./commands/log.ts') },
  why: { summary: 'one decision, explained', load: () => import('./commands/why.ts') },
  digest: {
    summary: "summary of agents' work since yesterday, by session",
    load: () => import('./commands/digest.ts'),
  },
  approvals: {
    system: 'person',
    summary: 'list waiting approvals',
    load: () => import('./commands/approvals.ts'),
  },
  approve: {
    system: 'person',
    summary: 'approve a waiting action, with the passphrase',
    load: () => import('./commands/approve.ts'),
  },
  deny: { system: 'person', summary: 'deny a waiting action', load: () => import('./commands/deny.ts') },
  chains: { summary: 'list paused code', load: () => import('./commands/chains.ts') },
  allow: { summary: 'make a permission', load: () => import('./commands/allow.ts') },
  permissions: {
    summary: 'list permissions; permissions revoke ID',
    load: () => import('./commands/permissions.ts'),
  },
  apply: {
    summary: 'apply a patch: judged, snapshotted, with a receipt',
    load: () => import('./commands/apply.ts'),
  },
  changes: {
    summary: 'review what agents propose: list, show, accept, reject, apply',
    load: () => import('./commands/changes.ts'),
  },
  undo: {
    summary: 'undo the last change, or one by its id, files, or a session',
    load: () => import('./commands/undo.ts'),
  },
  redo: { summary: 'redo the change that undo reverted', load: () => import('./commands/redo.ts') },
  rollback: {
    summary: 'undo a change, a run or the last, for scripts',
    load: () => import('./commands/rollback.ts'),
  },
  snapshots: {
    summary: 'list changes that can be undone',
    load: () => import('./commands/snapshots.ts'),
  },
  diff: { summary: 'show what one change did', load: () => import('./commands/diff.ts') },
  receipts: {
    summary: 'list, show, verify or export receipts',
    load: () => import('./commands/receipts.ts'),
  },
  symbols: {
    system: 'free',
    summary: 'check the references of files',
    load: () => import('./commands/symbols.ts'),
  },
  bench: {
    system: 'free',
    summary: 'run cases with a model, compare and validate runs',
    load: () => import('./commands/bench.ts'),
  },
  rules: { summary: 'list, show or test the rules', load: () => import('./commands/rules.ts') },
  fixtures: {
    system: 'free',
    summary: 'test an agent with the fixtures of the contract',
    load: () => import('./commands/fixtures.ts'),
  },
  policy: {
    summary: 'check policies, or explain which of them decide',
    load: () => import('./commands/policy.ts'),
  },
  sources: {
    summary: 'add, ask, list, check or refresh the sources of queries',
    load: () => import('./commands/sources.ts'),
  },
  config: {
    summary: 'show, check, trust or describe configuration',
    load: () => import('./commands/config.ts'),
  },
  passphrase: { summary: 'choose or change the passphrase', load: () => import('./commands/passphrase.ts') },
  approvers: { summary: 'list whose approval counts', load: () => import('./commands/approvers.ts') },
  user: {
    system: 'free',
    summary: 'hash the passphrase of a user of the console',
    load: () => import('./commands/user.ts'),
  },
  credentials: {
    summary: 'list, add or revoke credentials',
    load: () => import('./commands/credentials.ts'),
  },
  completion: {
    system: 'free',
    summary: 'completion for bash, zsh or fish',
    load: () => import('./commands/completion.ts'),
  },
  store: {
    summary: 'check, migrate, move, back up or tidy the store',
    load: () => import('./commands/store.ts'),
  },
};

/** Runs one command line and sets the exit code. */
export async function main(args: readonly string[]): Promise<void> {
  const io = processIo();
  process.exitCode = await run(args, io);
  // Where nothing is left to wait for, taking the process apart piece by piece would only take time.
  if (process.getActiveResourcesInfo().length === 0) process.exit();
}

async function run(args: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = args;
  // What comes after -- is another program's.
  const own = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  try {
    if (name === 'help' && rest[0] !== undefined) return await run([rest[0], '--help'], io);
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
      io.print(overview());
      return name === undefined ? exitCodes.usage : exitCodes.pass;
    }
    if (name === '--version' || name === '-v') {
      io.print(version);
      return exitCodes.pass;
    }
    const listed = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (listed === undefined) {
      const near = nearest(name, Object.keys(commands));
      throw new UsageError(
        `unknown command "${name}"${near === undefined ? '' : `; did you mean "${near}"?`}`,
        "see 'sallyport --help'",
      );
    }
    const { command } = await listed.load();
    if (own.includes('--help') || own.includes('-h')) {
      io.print(helpOf(command));
      return exitCodes.pass;
    }
    const call = readCall(name, command, rest, io);
    const placed = await placeCommand(name, rest, listed.system ?? 'store', io);
    return 'exitCode' in placed ? placed.exitCode : await command.run({ ...call, io: placed.io }, commands);
  } catch (error) {
    return report(error, own.includes('--json'), io, name);
  }
}

/** Says what went wrong and what to do next: where wrong use does not say it, the help page of the command. */
function report(error: unknown, json: boolean, io: Io, name: string | undefined): ExitCode {
  const known = error instanceof SallyportError;
  const help =
    error instanceof UsageError && name !== undefined ? `see 'sallyport ${name} --help'` : undefined;
  const hint = (known ? error.hint : undefined) ?? help;
  if (json) {
    io.json({
      error: messageOf(error),
      name: known ? error.name : 'InternalError',
      ...(hint === undefined ? {} : { hint }),
    });
  } else {
    io.warn(`sallyport: ${known ? '' : 'an error of ours: '}${messageOf(error)}`);
    if (hint !== undefined) io.warn(`  ${hint}`);
    if (!known && error instanceof Error && io.environment['SALLYPORT_DEBUG']) io.warn(error.stack ?? '');
  }
  return known ? error.exitCode : exitCodes.failed;
}

function overview(): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  return [
    'Usage: sallyport COMMAND [ARGUMENTS]',
    '',
    'The guarded door between AI agents and everything they touch.',
    '',
    ...Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'Every command takes --json and --help. Exit code: 0 pass, 1 blocked or failed, 2 wrong use, 3 waits for approval.',
  ].join('\n');
}
