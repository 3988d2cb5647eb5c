// sallyport setup: everything that a person needs on this machine, shown first and asked once.

import { readApprover } from '../../config/index.ts';
import { type ExitCode, exitCodes, NotAllowed, UsageError, visible } from '../../core/index.ts';
import { type HostName, hostNames } from '../../surfaces/hooks/index.ts';
import { askDaemon } from '../client.ts';
import type { Call, Command } from '../command.ts';
import { onlyWords } from '../command.ts';
import { openHome } from '../open.ts';
import { ownCommand } from '../own.ts';
import { carryOut } from '../setup/carry-out.ts';
import { type Choices, changesOf, planLines, planSetup, type SetupPlan } from '../setup/plan.ts';
import { setUpSystem } from '../setup/system.ts';
import { NoTerminal, openTerminal, type Terminal } from '../terminal.ts';
import { command as doctor } from './doctor.ts';

export const command: Command = {
  usage: [
    'setup [--hosts NAMES] [--answer] [--transactional] [--passkey] [--managed] [--no-service] [--yes]',
    'setup --dry-run [--json]',
    'setup --system [--hosts NAMES]',
  ],
  about:
    'Finds the agent hosts on this machine, shows every change, and asks once. Then it sets the passphrase, connects the\n' +
    'hosts, installs the service (systemd or launchd), starts the daemon and runs the doctor. It can be run again. Without a\n' +
    "terminal it needs --yes; set the passphrase later with 'sallyport passphrase'. 'sallyport uninstall' removes everything.",
  examples: [
    'setup',
    'setup --dry-run',
    'setup --hosts claude,codex --answer --yes',
    'sudo sallyport setup --system',
  ],
  options: {
    hosts: {
      value: 'NAMES',
      help: `connect these, such as claude,codex; none: no host; default: all found`,
    },
    answer: {
      help: "answer the hosts' own prompts for harmless or reversible calls (docs/hosts.md)",
    },
    transactional: {
      help: 'run commands of Claude Code on an overlay and judge what they changed before it counts (Linux, docs/exec.md)',
    },
    passkey: { help: 'add a passkey to the passphrase: approve with a touch in the browser' },
    managed: {
      help: 'hooks in machine-wide settings; prints the command for sudo',
    },
    service: { help: 'install the service (default, if there is a service manager)' },
    'no-service': { help: 'install no service: hosts start the daemon' },
    system: { help: 'run the daemon under another user id (docs/system.md); needs root' },
    yes: { help: 'do not ask' },
    'dry-run': { help: 'show the changes, and make none' },
  },
  async run(call) {
    onlyWords(call, []);
    if (call.flag('service') && call.flag('no-service'))
      throw new UsageError('--service or --no-service, not both');
    const names = hostsNamed(call);
    if (call.flag('system')) return await setUpSystem(call, names);
    const choices: Choices = {
      answer: call.flag('answer'),
      transactional: call.flag('transactional'),
      passkey: call.flag('passkey'),
      service: !call.flag('no-service'),
      managed: call.flag('managed'),
    };
    const plan = await planSetup(call, names, choices);
    if (call.flag('dry-run')) return showOnly(call, plan);
    if (!call.flag('json')) for (const line of planLines(call, plan)) call.io.print(line);
    const chosen = call.flag('yes') ? plan : await agreed(call, plan, names);
    const notes = await carryOut(call, chosen);
    return await finish(call, chosen, notes);
  },
};

/** The hosts that the call names; undefined where it names none. */
function hostsNamed(call: Call): readonly HostName[] | undefined {
  const value = call.value('hosts');
  if (value === undefined) return undefined;
  if (value === 'none') return [];
  return value.split(',').map((name) => {
    const host = hostNames.find((known) => known === name.trim());
    if (host !== undefined) return host;
    throw new UsageError(`unknown host "${name}"`, `known hosts: ${hostNames.join(', ')}, or none`);
  });
}

function showOnly(call: Call, plan: SetupPlan): ExitCode {
  if (!call.flag('json')) {
    for (const line of planLines(call, plan, true)) call.io.print(line);
    call.io.print('Nothing was done.');
    return exitCodes.pass;
  }
  call.io.json({
    hosts: plan.states,
    changes: changesOf(plan).map(({ file, wanted }) => ({ file, text: wanted })),
    choices: plan.choices,
    service: plan.service === null ? null : { manager: plan.service.manager, file: plan.service.file },
    passphrase: plan.passphrase,
    missing: plan.missing,
  });
  return exitCodes.pass;
}

/** The keys that change a choice. */
const toggles = { a: 'answer', t: 'transactional', s: 'service', k: 'passkey' } as const;

/** Lets the person change the choices and say yes; throws `NotAllowed` for a no, `UsageError` without a terminal. */
async function agreed(
  call: Call,
  plan: SetupPlan,
  names: readonly HostName[] | undefined,
): Promise<SetupPlan> {
  let terminal: Terminal;
  try {
    terminal = openTerminal('the question is asked at a terminal');
  } catch (error) {
    if (!(error instanceof NoTerminal)) throw error;
    throw new UsageError('nothing was done', 'add --yes to do it without being asked, or --dry-run to look');
  }
  let choices = plan.choices;
  let shown = plan;
  try {
    for (;;) {
      terminal.write(`${choiceLine(plan, choices)}\nDo this? [y/n] `);
      const key = await answer(terminal, plan);
      terminal.write(`${key}\n`);
      if (key === 'n') throw new NotAllowed('nothing was done');
      if (key === 'y') return shown;
      if (key === 'd') {
        for (const line of planLines(call, shown, true)) terminal.write(`${visible(line)}\n`);
        continue;
      }
      choices = { ...choices, [toggles[key]]: !choices[toggles[key]] };
      shown = await planSetup(call, names, choices);
    }
  } finally {
    terminal.close();
  }
}

async function answer(terminal: Terminal, { canAnswer, canTransact, canServe }: SetupPlan) {
  for (;;) {
    const key = (await terminal.key())?.toLowerCase();
    if (key === 'y' || key === 'n' || key === 'd' || key === 'k') return key;
    if (key === 'a' && canAnswer) return key;
    if (key === 't' && canTransact) return key;
    if (key === 's' && canServe) return key;
  }
}

function choiceLine({ canAnswer, canTransact, canServe }: SetupPlan, choices: Choices): string {
  const shown = (key: string, says: string, isOn: boolean) => `${key}: ${says} (${isOn ? 'on' : 'off'})`;
  const keys = [
    ...(canAnswer ? [shown('a', 'answer harmless prompts of the hosts for me', choices.answer)] : []),
    ...(canTransact ? [shown('t', 'run Claude Code commands as transactions', choices.transactional)] : []),
    ...(canServe ? [shown('s', 'start with my sign-in', choices.service)] : []),
    shown('k', 'approve by passkey as well', choices.passkey),
    'd: show every line that changes',
  ];
  return `Change a choice with its key: ${keys.join('  ')}`;
}

/** Lets the doctor prove it, and says what to try. */
async function finish(call: Call, plan: SetupPlan, notes: readonly string[]): Promise<ExitCode> {
  const { paths, home } = openHome(call);
  const running = (await askDaemon(paths.ask, 'GET /healthz')) !== null;
  if (call.flag('json')) {
    const checked = JSON.parse(await ownCommand(['doctor', '--json'], { good: [0, 1] }));
    call.io.json({ connected: plan.additions.map(({ host }) => host), running, notes, doctor: checked });
    return checked.healthy === true ? exitCodes.pass : exitCodes.failed;
  }
  call.io.print('\nThe doctor looks whether it blocks:');
  const code = await doctor.run(call, {});
  if (notes.length > 0) call.io.print(`\nLeft to you:\n${notes.map((note) => `  ${note}`).join('\n')}`);
  const us = plan.program;
  const lines = [
    [`${us} demo`, 'ten attacks on a throwaway workspace, in a minute'],
    [`${us} test 'git push --force'`, 'a verdict, explained; nothing is run'],
    readApprover(home) === null
      ? [`${us} passphrase`, 'choose what approving takes']
      : [`${us} approvals --watch`, 'answer what waits for you, with one key'],
  ];
  const width = Math.max(...lines.map(([left = '']) => left.length));
  call.io.print('\nTry:');
  for (const [left = '', right] of lines) call.io.print(`  ${left.padEnd(width)}  ${right}`);
  return code === exitCodes.pass ? exitCodes.pass : exitCodes.failed;
}
