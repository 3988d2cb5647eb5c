// The state that changes in one workspace need: its snapshots, its current settings, and the redaction for its records.

import { account, type Config } from '../config/index.ts';
import { ConflictError, type Context, type World } from '../core/index.ts';
import type { Decider } from '../decide/types.ts';
import { Snapshots } from '../ledger/snapshots/index.ts';
import type { OptionsFor } from './review.ts';

/** The folder was deleted, or leads to another location by now. */
class WorkspaceGone extends ConflictError {}

export interface WorkspaceParts {
  /** The folder of all snapshots. */
  readonly store: string;
  readonly config: Pick<Config, 'settingsFor' | 'snapshots'>;
  readonly world: World;
  readonly decider: Decider;
}

/** The snapshots of a workspace; interrupted changes of dead processes are completed or reverted first. */
export function snapshotsOf(
  { store, world, config }: Omit<WorkspaceParts, 'decider'>,
  workspace: string,
  leftAlone: (path: string) => void = () => undefined,
): Snapshots {
  // INVARIANT: a workspace is named by its real path, so one that resolves to another path is not the intended one.
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

/** The context for proposing, reviewing and reverting in a workspace. */
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
