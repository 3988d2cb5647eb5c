// What the commands on changes stand on: the workspace, its snapshots, and the way to a receipt.

import { resolve } from 'node:path';
import { type Context, type ExitCode, exitCodes, InputError, visible } from '../core/index.ts';
import { type Cleared, createDecider } from '../decide/index.ts';
import type { Ledger } from '../ledger/index.ts';
import { atOnce, inTurns, type Snapshot, type Snapshots } from '../ledger/snapshots/index.ts';
import {
  type Capture,
  type Integrity,
  leaveOwed,
  optionsIn,
  type ReceiptOptions,
  type ReviewOptions,
  type RolledBack,
  rollBack,
  snapshotsOf,
  type What,
  type WorkspaceParts,
} from '../run/index.ts';
import { doingOf } from '../run/integrity/doing.ts';
import type { Call, Option } from './command.ts';
import type { Io } from './io.ts';
import { withLedger } from './ledger.ts';
import { localAsker, type Opened, openConfig } from './open.ts';

export const workspaceOption: Readonly<Record<string, Option>> = {
  workspace: { value: 'FOLDER', help: 'the workspace; default: the current folder' },
};

/** The snapshots of the workspace; what a process that died left half done is put right first. */
export function openSnapshots(call: Call, opened: Opened): Snapshots {
  const folder = resolve(call.io.folder(), call.value('workspace') ?? '.');
  const workspace = opened.world.realPath(folder);
  if (workspace === null) throw new InputError(`the workspace ${visible(folder)} does not exist`);
  const { paths, world, config } = opened;
  const parts = { store: paths.snapshots, world, config };
  const snapshots = snapshotsOf(parts, workspace, (path) =>
    call.io.warn(`sallyport: ${visible(path)} was changed after a crash; it is left as it is`),
  );
  atOnce(snapshots.catchUp());
  return snapshots;
}

/** What applying, proposing and taking back need in the workspace of a call. */
export async function changeOptions(call: Call, opened: Opened, ledger: Ledger): Promise<ReviewOptions> {
  const snapshots = openSnapshots(call, opened);
  const { user, tenant } = localAsker();
  const { workspace } = snapshots;
  const agent = call.value('agent') ?? 'default';
  const session = call.value('run') ?? 'terminal';
  const parts = partsOf(opened, ledger);
  const options = await optionsIn(parts, { agent, workspace }, snapshots);
  const context: Context = { user, tenant, agent, session, workspace, mode: options.settings.mode };
  const all = { ...options, ledger, context, now: opened.world.now };
  await leaveOwed(all);
  return all;
}

/** What changes stand on in any workspace. */
export function partsOf({ paths, config, world }: Opened, ledger: Ledger): WorkspaceParts {
  return { store: paths.snapshots, config, world, decider: createDecider({ config, world, ledger }) };
}

/** Takes changes back and says so. */
export async function takeBackAndSay(call: Call, what: What): Promise<ExitCode> {
  const opened = await openConfig(call);
  return await withLedger(call, async (ledger) => {
    const done = await rollBack(what, await changeOptions(call, opened, ledger), {});
    if (call.flag('json')) call.io.json(done);
    else sayTakenBack(call.io, done);
    return done.conflict === undefined ? exitCodes.pass : exitCodes.failed;
  });
}

/** Says what was taken back, and what was in the way. */
export function sayTakenBack(io: Io, { undone, conflict }: RolledBack): void {
  for (const { snapshot, by, files } of undone) {
    io.print(
      `Took back ${snapshot.slice(0, 8)} (${files} file(s)); to have it again: sallyport undo ${by.slice(0, 8)}`,
    );
  }
  if (conflict !== undefined) {
    const { snapshot, paths, error, hint } = conflict;
    io.warn(`sallyport: ${error}, so ${snapshot.slice(0, 8)} was not taken back:`);
    for (const path of paths) io.warn(`  ${visible(path)}`);
    if (hint !== undefined) io.warn(`  ${hint}`);
  } else if (undone.length === 0) io.print('There is nothing to take back in this workspace.');
}

/**
 * Remembers the workspace before a command runs, leaves a snapshot and a receipt of what it changed, and looks at that
 * again.
 */
export async function captureChanges(
  { action, context, facts, decisionId }: Cleared<'shell' | 'python'>,
  options: ReceiptOptions,
  integrity: Integrity,
): Promise<Capture> {
  if (facts['reads_only'] === true) return { whole: true, end: async () => [] };
  const { user, tenant, agent, session: run } = context;
  const { snapshots } = options;
  // What had to be looked at before this may run was in sight when a person let it go.
  integrity.reviewed(context, () => snapshots);
  const doing = doingOf([{ action, facts }]);
  const cause = { action: 'shell', user, tenant, agent, run, decisionId, doing } as const;
  const { id, whole } = await inTurns(snapshots.before(cause));
  await integrity.before(snapshots);
  const end = async () => {
    await inTurns(snapshots.after(id));
    const notices = await integrity.after(snapshots, cause);
    await leaveOwed(options);
    return notices.map(({ forPerson }) => forPerson);
  };
  return { whole, end };
}

/** One snapshot in a line. */
export function snapshotLine({ id, time, action, agent, run, steps, of }: Snapshot): string {
  const when = new Date(time).toISOString().slice(0, 19).replace('T', ' ');
  const what = of === undefined ? action : `${action} of ${of.slice(0, 8)}`;
  return `${id.slice(0, 8)}  ${when}  ${what.padEnd(20)} ${String(steps.length).padStart(4)} file(s)  ${visible(agent)} (${visible(run, 40)})`;
}
