// Commands run for tests: in a workspace of their own, cleared by a path without guards, so that the sandbox alone
// holds them.

import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { type SandboxSettings, settingsFrom } from '../../src/config/index.ts';
import type { ActionOf, Facts } from '../../src/core/index.ts';
import type { Cleared } from '../../src/decide/index.ts';
import { realWorld } from '../../src/decide/index.ts';
import {
  type CommandKind,
  type CommandOptions,
  type CommandResult,
  findSandbox,
  runCommand,
} from '../../src/run/index.ts';
import { context, guardOf, judgement, testDecider } from './decide.ts';
import { temporaryFolder } from './ledger.ts';

const found = await findSandbox();

/** Why nothing can be run in a sandbox here; null where it can. */
export const sandboxMissing = 'program' in found ? null : found.problem;
if (sandboxMissing !== null) process.stderr.write(`Skipped: tests that run commands: ${sandboxMissing}.\n`);

/** The folders of one test: a workspace, Sallyport's own, and the home of a person with a key in it. */
export interface CommandPlace {
  readonly folder: string;
  readonly workspace: string;
  readonly home: string;
  readonly person: string;
}

export function commandPlace(): CommandPlace {
  const folder = realpathSync(temporaryFolder());
  const place = {
    folder,
    workspace: join(folder, 'workspace'),
    home: join(folder, 'sallyport'),
    person: join(folder, 'person'),
  };
  for (const path of [place.workspace, place.home, join(place.person, '.ssh')])
    mkdirSync(path, { recursive: true });
  writeFileSync(join(place.home, 'keys'), 'the key of the house');
  writeFileSync(join(place.person, '.ssh/id'), 'the key of the person');
  vi.stubEnv('HOME', place.person);
  return place;
}

/** Clears an action that no guard has looked at; facts are what one would have read in it. */
export async function clearFor(
  action: ActionOf<CommandKind>,
  { workspace }: CommandPlace,
  facts: Facts = {},
): Promise<Cleared<CommandKind>> {
  const decider = testDecider({ guards: [guardOf(['shell', 'python'], () => judgement({ facts }))] });
  const { cleared } = await decider.decide(action, { ...context, workspace });
  if (cleared === null) throw new Error('the action was not cleared');
  return cleared;
}

export interface Attempt extends Partial<Omit<CommandOptions, 'settings' | 'world' | 'home'>> {
  readonly limits?: Partial<SandboxSettings>;
  readonly facts?: Facts;
}

/** Runs a command, or an action, in the sandbox as it comes. */
export async function attempt(
  place: CommandPlace,
  command: string | ActionOf<CommandKind>,
  { limits = {}, facts, ...options }: Attempt = {},
): Promise<CommandResult> {
  const action = typeof command === 'string' ? ({ kind: 'shell', command } as const) : command;
  const settings = settingsFrom({});
  return await runCommand(await clearFor(action, place, facts), {
    settings: { ...settings, sandbox: { ...settings.sandbox, ...limits } },
    world: realWorld(),
    home: place.home,
    ...options,
  });
}

/** How many processes of this machine have a text in their command line. */
export function running(text: string): number {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(text);
      } catch {
        return false;
      }
    }).length;
}
