// A person at a terminal of their own, who types an answer at each prompt.

import { spawnSync } from 'node:child_process';
import { userInfo } from 'node:os';
import { expect } from 'vitest';
import { leastCost, prepareHome } from '../../src/config/index.ts';
import { makeOwner } from '../../src/ledger/open.ts';
import { type CliOptions, ended, type Place, startCli } from './cli.ts';
import { terminalWrapper, typeAnswers } from './typing.ts';

export const noTerminals = spawnSync('script', ['-qec', 'true', '/dev/null']).status !== 0;
if (noTerminals)
  process.stderr.write("Skipped: tests at a terminal need the program 'script' (util-linux).\n");

export const passphrase = 'correct horse battery';

/**
 * Runs a command at a terminal of its own, types one answer at each prompt, and presses a key once a text is shown;
 * `look` sees what stands there since the last answer.
 */
export async function atTerminal(
  place: Place & Pick<CliOptions, 'environment'>,
  args: readonly string[],
  answers: readonly string[],
  press?: { readonly at: string; readonly key: string },
  look?: (shown: string) => void,
) {
  const child = startCli(place, args, {
    wrapper: terminalWrapper,
    ...(place.environment === undefined ? {} : { environment: place.environment }),
  });
  const left = [...answers];
  let pressed = false;
  const watch = (seen: string) => {
    look?.(seen);
    if (press === undefined || pressed || !seen.includes(press.at)) return;
    pressed = true;
    child.stdin?.write(press.key);
  };
  typeAnswers(child, () => left.shift(), watch);
  const result = await ended(child);
  return { ...result, unasked: left.length };
}

/** Chooses the passphrase, at a terminal. */
export async function choose(place: Place): Promise<void> {
  const chosen = await atTerminal(place, ['passphrase'], [passphrase, passphrase]);
  expect(chosen.stdout).toContain('The passphrase is set.');
}

/** Leaves a passphrase that was chosen before, and that costs as little as one may. */
export async function chose(place: Place): Promise<void> {
  prepareHome(place.home);
  await makeOwner(place.home, passphrase, { user: userInfo().username, tenant: 'local' }, leastCost);
}
