// What changes in one workspace stand on: its snapshots, the settings in force there, and what its records must not hold.

import { account, type Config } from '../config/index.ts';
import { ConflictError, type Context, type World } from '../core/index.ts';
import type { Decider } from '../decide/types.ts';
import { Snapshots } from '../ledger/snapshots/index.ts';
import type { OptionsFor } from './review.ts';

/** The folder is gone, or leads somewhere else by now. */
class WorkspaceGone extends ConflictError {}

export interface WorkspaceParts {
  /** The folder of all snapshots. */
  readonly store: string;
  readonly config: Pick<Config, 'settingsFor' | 'snapshots'>;
  readonly world: World;
  readonly decider: Decider;
}

/** The snapshots of a workspace; what a process that died left half done is put right first. */
export function snapshotsOf(
  { store, world, config }: Omit<WorkspaceParts, 'decider'>,
  workspace: string,
  leftAlone: (path: string) => void = () => undefined,
): Snapshots {
  // INVARIANT: a workspace is named by its real path, so one that resolves to anything else is not the one that was meant.
  if (world.realPath(workspace) !== workspace)
    throw new WorkspaceGone('the workspace is not there any more, or is a link now');
  const limits = { bytes: config.snapshots.maxBytes };
  const own = world.ownHome ?? [];
  const snapshots = new Snapshots({
    store,
    workspace,
    personHome: account().home,
    own,
    now: world.now,
    limits,
  });
  for (const path of snapshots.recover()) leftAlone(path);
  return snapshots;
}

/** What proposing, reviewing and taking back need in a workspace. */
export async function optionsIn(
  parts: WorkspaceParts,
  context: Pick<Context, 'agent' | 'workspace'>,
  snapshots: Snapshots = snapshotsOf(parts, context.workspace),
): ReturnType<OptionsFor> {
  const { config, world, decider } = parts;
  const settings = await config.settingsFor(context);
  // Loaded with the first change: commands that change nothing start sooner.
  const [{ egressRuleset }, { createEgress }] = await Promise.all([
    import('../decide/detection.ts'),
    import('../guards/egress/index.ts'),
  ]);
  const { workspace } = context;
  const egress = createEgress({ workspace, ruleset: await egressRuleset(settings, world) });
  return { decider, snapshots, settings, redact: (text) => egress.text(text) };
}
