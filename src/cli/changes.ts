// What the commands on changes stand on: the workspace, its snapshots, and the way to a receipt.

import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { type Context, InputError, visible } from '../core/index.ts';
import type { Cleared } from '../decide/index.ts';
import { createEgress } from '../guards/egress/index.ts';
import { onlyReads } from '../guards/tool/reading.ts';
import type { Ledger } from '../ledger/index.ts';
import { atOnce, inTurns, type Snapshot, Snapshots } from '../ledger/snapshots/index.ts';
import { type ApplyOptions, leaveOwed } from '../run/index.ts';
import type { Call, Option } from './command.ts';
import { localAsker, type openConfig } from './open.ts';

export const workspaceOption: Readonly<Record<string, Option>> = {
  workspace: { value: 'FOLDER', help: 'the workspace; default: the current folder' },
};

/** The snapshots of the workspace; what a process that died left half done is put right first. */
export function openSnapshots(call: Call, opened: Awaited<ReturnType<typeof openConfig>>): Snapshots {
  const folder = resolve(call.io.folder(), call.value('workspace') ?? '.');
  const workspace = opened.world.realPath(folder);
  if (workspace === null) throw new InputError(`the workspace ${visible(folder)} does not exist`);
  const snapshots = new Snapshots({
    store: opened.paths.snapshots,
    workspace,
    personHome: homedir(),
    now: opened.world.now,
    limits: { bytes: opened.config.snapshots.maxBytes },
  });
  for (const path of snapshots.recover()) {
    call.io.warn(`sallyport: ${visible(path)} was changed after a crash; it is left as it is`);
  }
  atOnce(snapshots.catchUp());
  return snapshots;
}

/** What applying and taking back need beside the decider. */
export async function changeOptions(
  call: Call,
  opened: Awaited<ReturnType<typeof openConfig>>,
  ledger: Ledger,
): Promise<Omit<ApplyOptions, 'decider'>> {
  const snapshots = openSnapshots(call, opened);
  const { user, tenant } = localAsker();
  const { workspace } = snapshots;
  const agent = call.value('agent') ?? 'default';
  const settings = await opened.config.settingsFor({ agent, workspace });
  const session = call.value('run') ?? 'terminal';
  const context: Context = { user, tenant, agent, session, workspace, mode: settings.mode };
  const egress = createEgress({ workspace });
  const options = { snapshots, ledger, context, redact: egress.text, now: opened.world.now };
  await leaveOwed(options);
  return options;
}

/** Remembers the workspace before a command runs, and leaves a snapshot and a receipt of what it changed. */
export async function captureChanges(
  { action, context, facts, decisionId }: Cleared<'shell' | 'python'>,
  options: Omit<ApplyOptions, 'decider'>,
): Promise<() => Promise<void>> {
  if (onlyReads(action, facts)) return async () => {};
  const { user, tenant, agent, session: run } = context;
  const { snapshots } = options;
  const { id } = await inTurns(snapshots.before({ action: 'shell', user, tenant, agent, run, decisionId }));
  return async () => {
    await inTurns(snapshots.after(id));
    await leaveOwed(options);
  };
}

/** One snapshot in a line. */
export function snapshotLine({ id, time, action, agent, run, steps, of }: Snapshot): string {
  const when = new Date(time).toISOString().slice(0, 19).replace('T', ' ');
  const what = of === undefined ? action : `${action} of ${of.slice(0, 8)}`;
  return `${id.slice(0, 8)}  ${when}  ${what.padEnd(20)} ${String(steps.length).padStart(4)} file(s)  ${visible(agent)} (${visible(run, 40)})`;
}
