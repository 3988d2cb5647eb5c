// What the commands on changes stand on: the workspace, its snapshots, and the way to a receipt.

import { resolve } from 'node:path';
import {
  type Context,
  type ExitCode,
  exitCodes,
  InputError,
  namedId,
  shortestId,
  visible,
} from '../core/index.ts';
import { type Cleared, createDecider } from '../decide/index.ts';
import type { Ledger } from '../ledger/index.ts';
import {
  atOnce,
  type Idle,
  inTurns,
  isGitData,
  type Snapshot,
  type Snapshots,
  shownPath,
} from '../ledger/snapshots/index.ts';
import { leavePendingReceipts } from '../run/apply.ts';
import { beatWhile } from '../run/call-watch.ts';
import type { Capture, Integrity, ReceiptOptions, ReviewOptions } from '../run/index.ts';
import { doingOf } from '../run/integrity/doing.ts';
import { type Choice, chosenSnapshots, type RolledBack, takeBackAll, type What } from '../run/rollback.ts';
import { optionsIn, snapshotsOf, type WorkspaceParts } from '../run/workspace.ts';
import type { Call, Option } from './command.ts';
import type { Io } from './io.ts';
import { withLedger } from './ledger.ts';
import { localAsker, type Opened, openConfig } from './open.ts';
import { confirm } from './terminal.ts';

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
  await leavePendingReceipts(all);
  return all;
}

/** What changes stand on in any workspace. */
export function partsOf({ paths, config, world }: Opened, ledger: Ledger): WorkspaceParts {
  return { store: paths.snapshots, config, world, decider: createDecider({ config, world, ledger }) };
}

export const yesOption: Readonly<Record<string, Option>> = {
  yes: { help: 'do not ask' },
};

/** The session or run that an id, or a beginning of one, names. A run may have changed nothing here. */
export function runIn(snapshots: Snapshots, given: string, what: 'run' | 'session'): string {
  const runs = snapshots.list().map(({ run }) => run);
  if (what === 'run' && !runs.some((run) => run.startsWith(given))) return given;
  return namedId(given, runs, {
    what,
    hint: "'sallyport snapshots' lists the changes of this workspace with their sessions",
  });
}

/** Takes changes back and says so. At a terminal it shows the files first and asks, unless `--yes` says not to. */
export async function takeBackAndSay(
  call: Call,
  whatIn: What | ((options: ReviewOptions, ledger: Ledger) => Promise<What>),
  asks = false,
): Promise<ExitCode> {
  const opened = await openConfig(call);
  return await withLedger(call, async (ledger) => {
    const options = await changeOptions(call, opened, ledger);
    const what = typeof whatIn === 'function' ? await whatIn(options, ledger) : whatIn;
    const { snapshots } = options;
    const idle = 'last' in what ? snapshots.idleSince() : null;
    const choices = idle === null ? chosenSnapshots(snapshots, what, {}) : [];
    if (idle !== null && !call.flag('json')) {
      sayIdle(call.io, idle, chosenSnapshots(snapshots, what, {})[0]?.snapshot);
      return exitCodes.pass;
    }
    if (asks && choices.length > 0 && !call.flag('json') && !(await wantsBack(call, choices, snapshots))) {
      call.io.print('Nothing was changed.');
      return exitCodes.failed;
    }
    const done = await takeBackAll(choices, options);
    if (call.flag('json')) call.io.json(done);
    else sayTakenBack(call.io, done, what);
    const isDone = done.conflict === undefined && done.undone.every(({ left }) => left.length === 0);
    return isDone ? exitCodes.pass : exitCodes.failed;
  });
}

/** Shows what would be taken back, and asks where a person is there to answer. */
async function wantsBack(call: Call, choices: readonly Choice[], snapshots: Snapshots): Promise<boolean> {
  for (const { snapshot, chosen } of choices) {
    const { steps, left } = snapshots.preview(snapshot.id, chosen);
    call.io.print(call.io.paint('bold', snapshotLine(snapshot, snapshot.id.slice(0, shortestId))));
    const words = steps.map(({ path, before, after }) => {
      const what = after === null ? 'bring back' : before === null ? 'delete' : 'put back';
      return { path, text: `  ${what}  ${shown(path)}` };
    });
    for (const text of withoutRepositories(words)) call.io.print(text);
    for (const { path, why } of left) call.io.print(`  leave  ${shown(path)}: ${why}`);
  }
  if (call.flag('yes') || process.stdin.isTTY !== true) return true;
  return await confirm('Do it?');
}

/** Most lines of files that are shown of one change. */
const mostLines = 40;

/** Lines about files; those about the data of git become one for each repository. */
function withoutRepositories(
  lines: readonly { readonly path: string; readonly text: string }[],
): readonly string[] {
  const counts = new Map<string, number>();
  const own = lines.flatMap(({ path, text }) => {
    if (!isGitData(path)) return [text];
    const repository = repositoryOf(path);
    counts.set(repository, (counts.get(repository) ?? 0) + 1);
    return [];
  });
  const rest = own.length > mostLines ? [`  and ${own.length - mostLines} more`] : [];
  const repositories = Array.from(
    counts,
    ([path, count]) => `  put back  ${shown(path)} (git: ${count} file(s))`,
  );
  return [...own.slice(0, mostLines), ...rest, ...repositories];
}

/** The `.git` that a path is in; for data elsewhere the path up to it. */
function repositoryOf(path: string): string {
  return /^.*?(?:^|\/)\.git(?=\/|$)/.exec(path)?.[0] ?? path;
}

function shown(path: string): string {
  return visible(shownPath(path), 200);
}

/** The files of a change in a few words: the first names, and how many there are. */
export function filesLine(paths: readonly string[], most = 3): string {
  const own = [...new Set(paths.map((path) => (isGitData(path) ? repositoryOf(path) : path)))];
  const named = own.slice(0, most).map((path) => visible(shownPath(path), 60));
  return `${named.join(', ')}${own.length > most ? ` and ${own.length - most} more` : ''}`;
}

function sayIdle(io: Io, { tool, time }: Idle, last: Snapshot | undefined): void {
  io.print(
    `There is nothing to undo: the last call (${visible(tool, 60)}, ${whenOf(time)}) changed nothing here.`,
  );
  if (last === undefined) return;
  const files = filesLine(last.steps.map(({ path }) => path));
  io.print(`The change before it was ${files}: sallyport undo ${last.id.slice(0, shortestId)}`);
}

/** Says what was taken back, and what was in the way. */
export function sayTakenBack(io: Io, { undone, conflict }: RolledBack, what: What = { last: true }): void {
  const isRedo = 'redo' in what;
  for (const { snapshot, by, files, left } of undone) {
    const again = isRedo ? 'to undo it' : 'to redo it';
    if (files > 0)
      io.print(
        `${isRedo ? 'Redone:' : 'Undone:'} ${snapshot.slice(0, shortestId)} (${files} file(s)); ${again}: sallyport undo ${by.slice(0, shortestId)}`,
      );
    if (left.length > 0) io.warn('sallyport: left as they are:');
    for (const { path, why } of left) io.warn(`  ${visible(path, 200)}: ${why}`);
  }
  if (conflict !== undefined) {
    const { snapshot, paths, error, hint } = conflict;
    io.warn(`sallyport: ${error}, so ${snapshot.slice(0, shortestId)} was not undone:`);
    for (const path of paths) io.warn(`  ${visible(path)}`);
    if (hint !== undefined) io.warn(`  ${hint}`);
  } else if (undone.length === 0) {
    io.print(
      isRedo ? 'There is nothing to redo in this workspace.' : 'There is nothing to undo in this workspace.',
    );
  }
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
  const { id, complete: whole, unkept } = await inTurns(snapshots.before(cause));
  await integrity.before(snapshots);
  let isOpen = true;
  beatWhile(
    () => isOpen,
    () => snapshots.lives(id),
  );
  const end = async () => {
    isOpen = false;
    await inTurns(snapshots.after(id));
    const notices = await integrity.after(snapshots, cause);
    await leavePendingReceipts(options);
    return notices.map(({ forPerson }) => forPerson);
  };
  const named = filesLine(unkept.map(({ path, why }) => `${path} (${why})`));
  return { whole, end, ...(whole ? {} : { unkept: `undo could not bring back ${named}` }) };
}

/** One snapshot in a line. */
export function snapshotLine({ id, time, action, agent, run, steps, of }: Snapshot, shortId = id): string {
  const what = of === undefined ? action : `${action} of ${of.slice(0, shortestId)}`;
  const files = filesLine(steps.map(({ path }) => path));
  return `${shortId}  ${whenOf(time)}  ${what.padEnd(20)} ${files}  ${visible(agent)} (${visible(run, 40)})`;
}

function whenOf(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replace('T', ' ');
}
