// Asks the command guard alone, through the one path, in a world that stands still and leaves no trace.

import { configOf, settingsFrom } from '../../src/config/index.ts';
import type { ActionOf, Context, Finding, World } from '../../src/core/index.ts';
import { createDryDecider, realWorld } from '../../src/decide/index.ts';
import { guards } from '../../src/guards/index.ts';

export type CommandAction = ActionOf<'shell' | 'python'>;

/** `ask` is what waits for approval. */
export type Stop = 'pass' | 'ask' | 'block';

export interface CommandVerdict {
  readonly stop: Stop;
  readonly findings: readonly Finding[];
}

export type CommandJudge = (action: CommandAction) => Promise<CommandVerdict>;

export const workspace = '/workspace/project';

const context: Context = {
  user: 'someone',
  tenant: 'someone',
  agent: 'default',
  session: 'commands',
  workspace,
  // The mode that adds no question of its own: what stops here, the guard stops.
  mode: 'auto',
};

/** Readers and the thread touch nothing but the text that they are given. */
const { readers, followIsolated } = realWorld();

const world: World = {
  now: () => 0,
  resolve: async () => [],
  realPath: (path) => path,
  readText: () => null,
  look: () => null,
  ...(readers === undefined ? {} : { readers }),
  ...(followIsolated === undefined ? {} : { followIsolated }),
};

const commandGuards = guards.filter(({ name }) => name === 'command');

/** Whether there is a guard to ask. */
export const hasCommandGuard = commandGuards.length > 0;

/** The command guard with the developer's profile. */
export function commandJudge(): CommandJudge {
  if (!hasCommandGuard) throw new Error('no guard judges commands yet');
  const settings = settingsFrom({ profile: 'developer' });
  const decider = createDryDecider({
    config: configOf(() => settings),
    world,
    guards: commandGuards,
  });
  return async (action) => {
    const { verdict } = await decider.decide(action, context);
    const { decision, findings } = verdict;
    return { stop: decision === 'approve' ? 'ask' : decision === 'block' ? 'block' : 'pass', findings };
  };
}

/** A shell command in the workspace. */
export function shellAction(command: string): CommandAction {
  return { kind: 'shell', command, cwd: workspace };
}
