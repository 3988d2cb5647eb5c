// sallyport setup --system: the daemon of another user id, the passphrase, and hooks in the settings of the machine, by the
// commands that an administrator would type one after another.

import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { type ExitCode, exitCodes, SallyportError, UsageError } from '../../core/index.ts';
import type { HostName } from '../../surfaces/hooks/index.ts';
import { managedFile } from '../../surfaces/hooks/managed.ts';
import type { Call } from '../command.ts';
import { hostStates } from '../installed.ts';
import { openHome } from '../open.ts';

/** A step ended with an error, which it printed itself. */
class StepFailed extends SallyportError {}

/** Runs the steps as root, at the terminal; with --dry-run, or without root, it names them. */
export async function setUpSystem(call: Call, names: readonly HostName[] | undefined): Promise<ExitCode> {
  const found = () =>
    hostStates(call, openHome(call).paths)
      .filter((one) => one.found !== null)
      .map(({ host }) => host);
  const meant = (names ?? found()).filter((host) => managedFile(host, process.platform) !== undefined);
  const steps = [
    ['up', '--system', '--detach'],
    ['passphrase'],
    ...meant.map((host) => ['init', host, '--managed', '--yes']),
  ];
  if (call.flag('dry-run')) {
    if (call.flag('json')) call.io.json({ commands: steps });
    else for (const step of steps) call.io.print(`sudo sallyport ${step.join(' ')}`);
    return exitCodes.pass;
  }
  if (process.geteuid?.() !== 0) {
    const hosts = meant.length === 0 ? '' : ` --hosts ${meant.join(',')}`;
    throw new UsageError(
      'a daemon of another user id is set up by root',
      `run: sudo sallyport setup --system${hosts}`,
    );
  }
  for (const step of steps) {
    call.io.print(call.io.paint('bold', `sallyport ${step.join(' ')}`));
    const { status } = spawnSync(process.execPath, [realpathSync(process.argv[1] ?? ''), ...step], {
      stdio: 'inherit',
      env: { ...call.io.environment },
    });
    if (status !== 0)
      throw new StepFailed(`'sallyport ${step.join(' ')}' ended with ${status}`, {
        hint: 'what was done before it stays; run the same again',
      });
  }
  call.io.print("Done. As the account itself: 'sallyport doctor'.");
  return exitCodes.pass;
}
