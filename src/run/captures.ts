// Stores what an agent's tools may change, from the moment before a call to the moment after it, and leaves a receipt
// of their actual changes. Calls whose end the agent's host never reports are ended with the session, or by the
// daemon's maintenance rounds.

import { dirname, join, relative, resolve } from 'node:path';
import type { Config, Settings } from '../config/index.ts';
import { processesIn } from '../core/guard.ts';
import {
  type Context,
  canonicalJson,
  type JsonObject,
  type Kind,
  SallyportError,
  symbolCheckOf,
  symbolFacts,
  type ToolEffect,
  type Verdict,
  visible,
  type World,
} from '../core/index.ts';
import type { Decided } from '../decide/index.ts';
import { pathRules } from '../decide/judge.ts';
import { isAllowed } from '../guards/write/rules/user.ts';
import type { Ledger } from '../ledger/index.ts';
import {
  type Cause,
  hashOf,
  inTurns,
  type Judged,
  type NotCaptured,
  type PreImage,
  Snapshots,
  shownPath,
  workspacesIn,
} from '../ledger/snapshots/index.ts';
import { editsIn, leavePendingReceipts, refusalOf } from './apply.ts';
import { beatWhile, CallWatch } from './call-watch.ts';
import { doingOf } from './integrity/doing.ts';
import { type Alarm, Integrity, type Notice } from './integrity/index.ts';
import { outcomesOf } from './outcomes.ts';
import { CallProcesses } from './processes.ts';
import type { ReceiptOptions } from './receipt.ts';

/** The files that a call would change could not be stored, so the call is refused. */
export class CaptureFailed extends SallyportError {}

export interface CapturesOptions {
  /** Where snapshots are stored. */
  readonly store: string;
  readonly personHome: string;
  readonly config: Pick<Config, 'settingsFor' | 'snapshots'>;
  readonly ledger: Pick<Ledger, 'receipts' | 'fingerprint' | 'newId' | 'audit' | 'authored'>;
  readonly world: World;
  /** Receives each changed file if the change disconnects or weakens Sallyport. */
  readonly alarmed?: (alarm: Alarm) => void;
  /** Receives failures after a call, which are retried with the next maintenance round. */
  readonly report: (event: string, error: unknown) => void;
}

/** A tool call at one of its stages. */
export interface CallMoment {
  readonly tool: string;
  readonly server?: string;
  readonly arguments: JsonObject;
  /** The agent's own id of this one call, by which its end is recognized. */
  readonly call?: string;
  /**
   * The process that reported the call, if a host runs it: its processes are monitored. Null if that is unknown; absent
   * if we run the call ourselves.
   */
  readonly parent?: number | null;
}

/** The pre-image of a call. */
export type CapturedCall = Pick<PreImage, 'complete' | 'unkept'>;

/** A call that changes nothing, or whose files are stored. */
const wholeCall: CapturedCall = { complete: true, unkept: [] };

/** The facts about a judged call. */
export interface JudgedCall extends Pick<Decided, 'parts'> {
  readonly verdict: Pick<Verdict, 'decisionId' | 'findings'>;
}

/** A call that has begun and has not been reported since. */
interface OpenCall {
  readonly session: string;
  readonly workspace: string;
  /** The names of its pre-images. */
  readonly kept: readonly string[];
  readonly cause: Cause;
  /** Whether it may change anything, so that the workspace is scanned again when it ends. */
  isOpaque: boolean;
  /** Records which of its processes are still running; absent if they are not monitored. */
  leaves?: () => Promise<void>;
  readonly call: string | undefined;
  readonly tool: string;
  readonly input: string;
  readonly time: number;
}

/** The interval of the daemon's maintenance rounds, and the maximum duration of a call, in milliseconds. */
const roundEvery = 3_600_000;
const longestCall = 6 * 3_600_000;
const longestSilence = 1_800_000;
const day = 86_400_000;
/** How long after a call its changes may be detected: a change of a file is noticed with a delay. */
const afterwardsMs = 2000;
/** The number of workspaces whose scan is cached. */
const mostKnown = 4;

export class Captures {
  /** Scans again after each call. */
  readonly integrity: Integrity;
  readonly #options: CapturesOptions;
  /** Workspaces that cannot be restored completely, and the entries concerned. */
  readonly #short = new Map<string, readonly NotCaptured[]>();
  readonly #known = new Map<string, Snapshots>();
  readonly #clients: string;
  #open: readonly OpenCall[] = [];
  /** When a call that may change anything ended last. */
  #endedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();
  /** The guards' queries about the workspaces of agents. */
  readonly forGuards: Required<Pick<World, 'restorable' | 'unkept' | 'unreviewed'>> = {
    restorable: (workspace) => this.covers(workspace),
    unkept: (workspace) =>
      (this.#short.get(workspace) ?? []).map(({ path, why }) => `${shownPath(path)} (${why})`),
    unreviewed: (context) => this.unreviewed(context),
  };

  constructor(options: CapturesOptions) {
    this.#options = options;
    const { store, personHome, ledger, world, report, alarmed } = options;
    this.#clients = join(dirname(store), 'bin');
    this.integrity = new Integrity({
      ...{ store, ledger, world, report },
      ...(alarmed === undefined ? {} : { alarmed }),
      userHome: personHome,
      redact: async (text, workspace) => (await this.#redactorFor(workspace))(text).text,
      isAllowed: async (path, workspace) =>
        isAllowed({ names: path.split('/') }, (await this.#settingsFor(workspace)).write),
    });
  }

  /** Unreviewed changes of protected files that a session made. */
  unreviewed(context: Context): ReturnType<Integrity['unreviewed']> {
    return this.integrity.unreviewed(context, () => this.snapshotsOf(context.workspace));
  }

  /** Whether all changes in a workspace can be reverted, by the latest scan. */
  covers(workspace: string): boolean {
    return !this.#short.has(workspace);
  }

  /**
   * Stores what an allowed call could change; throws `CaptureFailed` if its files cannot be stored. Returns what is
   * then on disk: whether undo reverts all changes that the call may make, and which it does not. Callers may rely on
   * this, and on nothing weaker, to skip questions about actions that can be undone.
   */
  async begin(call: CallMoment, context: Context, decided: JudgedCall): Promise<CapturedCall> {
    this.#settleReview(context, decided);
    const { files, opaque } = reachOf(decided.parts);
    if (files.length === 0 && opaque === null) return wholeCall;
    const { workspace } = context;
    const kept: string[] = [];
    const cause = causeOf(call, context, decided);
    const time = this.#options.world.now();
    const entry: OpenCall = { ...entryOf(call, context), workspace, kept, cause, isOpaque: false, time };
    if (files.length > 0) {
      kept.push(await this.#hold(files, { ...cause, action: 'apply' }, decided.parts));
      this.#open = [...this.#open, entry];
    }
    if (opaque === null) return wholeCall;
    try {
      const snapshots = this.snapshotsOf(workspace);
      const watching = call.parent === undefined ? {} : { watched: true as const };
      const processes = call.parent == null ? null : CallProcesses.calledFrom(call.parent, this.#clients);
      const preImage = await inTurns(snapshots.before({ ...cause, action: opaque }, watching));
      kept.push(preImage.id);
      // Changes by a call that is still running are its own, and not attributed to the next one.
      if (!this.#runsIn(workspace)) await this.integrity.before(snapshots);
      entry.isOpaque = true;
      if (processes !== null) entry.leaves = () => this.#noteSurvivors(processes, context);
      if (files.length === 0) this.#open = [...this.#open, entry];
      this.#follow(entry, preImage.id, processes);
      if (preImage.complete) this.#short.delete(workspace);
      else this.#short.set(workspace, preImage.unkept);
      await this.#leaveReceipts(snapshots);
      return preImage;
    } catch (error) {
      this.#options.report('snapshot_failed', error);
      const why = error instanceof SallyportError ? error.message : 'an error of ours';
      const unkept = [{ path: 'everything', why }];
      this.#short.set(workspace, unkept);
      return { complete: false, unkept };
    }
  }

  /** Whether a call that may change anything is running in any workspace, or has just ended. */
  isBusy(): boolean {
    return performance.now() - this.#endedAt < afterwardsMs || this.#running().length > 0;
  }

  /** Whether a call that may change anything is running in a workspace. */
  #runsIn(workspace: string): boolean {
    return this.#running().some((call) => call.workspace === workspace);
  }

  /** Calls that may change anything; one without reports for long has lost its host. */
  #running(): readonly OpenCall[] {
    const since = this.#options.world.now() - longestSilence;
    return this.#open.filter((call) => call.isOpaque && call.time >= since);
  }

  /** A call that required a review of changes is allowed only after the user saw them. */
  #settleReview(context: Context, { verdict }: JudgedCall): void {
    if (verdict.findings.some(({ rule }) => rule === pathRules.unreviewedChange.id)) {
      this.integrity.reviewed(context, () => this.snapshotsOf(context.workspace));
    }
  }

  /** Monitors the processes of a call: changes while none of them is running are not attributed to it. */
  #follow(entry: OpenCall, id: string, processes: CallProcesses | null): void {
    const isOpen = () => this.#open.includes(entry);
    const lives = (lived?: readonly [number, number | null]) =>
      this.snapshotsOf(entry.workspace).lives(id, lived);
    if (processes === null) {
      beatWhile(isOpen, lives);
      return;
    }
    const watch = new CallWatch(processes, {
      isOpen,
      lives,
      isAlone: () => !this.#open.some((other) => other !== entry && other.isOpaque),
      // Changes until then are recorded before any caller continues.
      isOver: () => this.#settle(entry.workspace),
      isGone: () => this.#end([entry], false),
    });
    watch.start();
  }

  /** Records which processes a call leaves running: its session may terminate them. INVARIANT: never throws. */
  async #noteSurvivors(processes: CallProcesses, context: Context): Promise<void> {
    const { ledger, world, report } = this.#options;
    try {
      const left = new Set(processes.survivors());
      if (left.size === 0) return;
      const running = processesIn(world)?.filter(({ pid, own }) => own && left.has(pid)) ?? [];
      await ledger.authored.addProcesses(running, context);
    } catch (error) {
      report('processes_not_noted', error);
    }
  }

  /** INVARIANT: never throws; unrecorded changes are on disk, and a later round records them. */
  async #settle(workspace: string): Promise<void> {
    try {
      const snapshots = this.snapshotsOf(workspace);
      await inTurns(snapshots.catchUp());
      await this.#leaveReceipts(snapshots);
    } catch (error) {
      this.#options.report('snapshot_failed', error);
    }
  }

  async #hold(
    files: readonly string[],
    cause: Cause & { readonly workspace: string },
    parts: Decided['parts'],
  ): Promise<string> {
    const { workspace, ...rest } = cause;
    try {
      const snapshots = this.snapshotsOf(workspace);
      // The writes of an earlier call without a report are attributed to that call.
      if (snapshots.settle().length > 0) await this.#leaveReceipts(snapshots);
      return snapshots.hold(files, { ...rest, expected: expectedOf(parts, snapshots) });
    } catch (error) {
      const why = error instanceof SallyportError ? error.message : 'an error of ours';
      throw new CaptureFailed(
        `what stands there cannot be kept, so it could not be undone: ${visible(why, 200)}`,
        {
          cause: error,
        },
      );
    }
  }

  /** Leaves the receipt of a blocked call, if it named files to write. */
  async refuse(call: CallMoment, context: Context, decided: Decided): Promise<void> {
    const { files } = reachOf(decided.parts);
    if (files.length === 0) return;
    const { ledger, world, report } = this.#options;
    try {
      const snapshots = this.snapshotsOf(context.workspace);
      const redact = await this.#redactorFor(context.workspace);
      const cause = causeOf(call, context, decided);
      await refusalOf(files, cause, { snapshots, ledger, context, redact, now: () => world.now() });
    } catch (error) {
      report('receipt_failed', error);
    }
  }

  /** Records the changes of a call, with a receipt, and judges them again; returns what to report about that. */
  async end(call: CallMoment, context: Context): Promise<readonly Notice[]> {
    const { session, tool, input } = entryOf(call, context);
    const own = this.#open.filter((entry) => entry.session === session && entry.tool === tool);
    const named = own.find((entry) => entry.call !== undefined && entry.call === call.call);
    const ended =
      named ?? (call.call === undefined ? (own.find((entry) => entry.input === input) ?? own[0]) : undefined);
    return ended === undefined ? [] : await this.#end([ended], true);
  }

  /** A call runs on an overlay: nothing in the real workspace is its work, and its pre-image is deleted. */
  async setAside(call: string, context: Context): Promise<void> {
    const session = sessionOf(context);
    const entry = this.#open.find((one) => one.session === session && one.call === call);
    if (entry === undefined) return;
    this.#open = this.#open.filter((one) => one !== entry);
    const snapshots = this.snapshotsOf(entry.workspace);
    for (const id of entry.kept) await inTurns(snapshots.release(id));
  }

  /** Ends every call of a session: the host has continued without reporting them. */
  async endAll(context: Context): Promise<readonly Notice[]> {
    const session = sessionOf(context);
    return await this.#end(
      this.#open.filter((entry) => entry.session === session),
      false,
    );
  }

  /**
   * Ends calls; `isReported`: the host reported that they have ended. INVARIANT: never throws; calls that could not be
   * ended are on disk, and are ended by a later round.
   */
  async #end(calls: readonly OpenCall[], isReported: boolean): Promise<readonly Notice[]> {
    this.#open = this.#open.filter((entry) => !calls.includes(entry));
    if (calls.some(({ isOpaque }) => isOpaque)) this.#endedAt = performance.now();
    const notices: Notice[] = [];
    for (const { workspace, kept, cause, isOpaque, leaves } of calls) {
      await leaves?.();
      try {
        const snapshots = this.snapshotsOf(workspace);
        for (const id of kept) await inTurns(snapshots.after(id, isReported));
        if (isOpaque) notices.push(...(await this.integrity.after(snapshots, cause)));
        await this.#leaveReceipts(snapshots);
      } catch (error) {
        this.#options.report('snapshot_failed', error);
      }
    }
    return notices;
  }

  /** Starts the rounds: ends the calls that a dead daemon left, leaves pending receipts, deletes old snapshots. */
  start(): void {
    const round = () => {
      this.#round = this.#round.then(() => this.#once());
    };
    round();
    this.#timer = setInterval(round, roundEvery).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#round;
    for (const snapshots of this.#known.values()) snapshots.close();
    this.#known.clear();
  }

  /** INVARIANT: never throws; a failure is reported and retried with the next round. */
  async #once(): Promise<void> {
    const { config, world, report } = this.#options;
    const now = world.now();
    await this.#end(
      this.#open.filter(({ time }) => time < now - longestCall),
      false,
    );
    for (const workspace of this.#workspaces()) {
      try {
        const snapshots = this.snapshotsOf(workspace);
        snapshots.recover();
        const [abandoned] = snapshots.abandoned();
        await inTurns(snapshots.catchUp());
        if (abandoned !== undefined) {
          this.integrity.recall(workspace);
          await this.integrity.after(snapshots, abandoned);
        }
        await this.#leaveReceipts(snapshots);
        snapshots.tidy({ since: now - config.snapshots.keepDays * day });
      } catch (error) {
        report('snapshots_failed', error);
      }
    }
    this.integrity.tidy(now - config.snapshots.keepDays * day);
  }

  #workspaces(): readonly string[] {
    try {
      return workspacesIn(this.#options.store);
    } catch (error) {
      this.#options.report('snapshots_failed', error);
      return [];
    }
  }

  async #leaveReceipts(snapshots: Snapshots): Promise<void> {
    if (snapshots.owed().length === 0) return;
    await leavePendingReceipts(await this.#receiptsIn(snapshots));
  }

  /** The snapshots and receipts of a workspace. */
  async receiptsOf(context: Context): Promise<ReceiptOptions> {
    return { context, ...(await this.#receiptsIn(this.snapshotsOf(context.workspace))) };
  }

  async #receiptsIn(snapshots: Snapshots): Promise<Omit<ReceiptOptions, 'context'>> {
    const { ledger, world } = this.#options;
    const redact = await this.#redactorFor(snapshots.workspace);
    return { snapshots, ledger, redact, now: () => world.now() };
  }

  /** Loaded with the first receipt: a daemon that serves no hooks does not need it. */
  async #redactorFor(workspace: string) {
    const { world } = this.#options;
    const { egressRuleset } = await import('../decide/detection.ts');
    const { createEgress } = await import('../guards/egress/index.ts');
    const settings = await this.#settingsFor(workspace);
    return createEgress({ workspace, ruleset: await egressRuleset(settings, world) }).text;
  }

  async #settingsFor(workspace: string): Promise<Settings> {
    return await this.#options.config.settingsFor({ agent: 'default', workspace });
  }

  /** The snapshots of a workspace; the scans of the last few stay cached. */
  snapshotsOf(workspace: string): Snapshots {
    const { store, personHome, config, world } = this.#options;
    const limits = { bytes: config.snapshots.maxBytes };
    const found =
      this.#known.get(workspace) ??
      new Snapshots({
        store,
        workspace,
        personHome,
        own: world.ownHome ?? [],
        limits,
        now: () => world.now(),
      });
    this.#known.delete(workspace);
    this.#known.set(workspace, found);
    for (const [oldest, snapshots] of this.#known) {
      if (this.#known.size <= mostKnown) break;
      this.#known.delete(oldest);
      snapshots.close();
    }
    return found;
  }
}

function sessionOf({ user, tenant, agent, session }: Context): string {
  return canonicalJson([user, tenant, agent, session]);
}

function entryOf({ call, tool, server, arguments: input }: CallMoment, context: Context) {
  return {
    session: sessionOf(context),
    call,
    tool: server === undefined ? tool : `${server} ${tool}`,
    input: canonicalJson(input),
  };
}

function causeOf({ tool }: CallMoment, context: Context, { verdict, parts }: JudgedCall) {
  const { user, tenant, agent, session: run, workspace } = context;
  const { decisionId, findings } = verdict;
  const judged: Judged = {
    findings: findings.map(({ guard, decision }) => ({ guard, decision })),
    // Of all files of the call: the receipt states which of them were looked up.
    facts: symbolFacts(symbolCheckOf(parts.map(({ facts }) => facts))),
  };
  const writes = writesOf(parts, workspace);
  const known = writes === null ? {} : { writes };
  const named = { tool: visible(tool, 80), judged, doing: doingOf(parts), ...known };
  return { action: 'tool', user, tenant, agent, run, workspace, decisionId, ...named } as const;
}

/** All paths that the commands of a call change, relative to the workspace, if that is certain. */
function writesOf(parts: Decided['parts'], workspace: string): readonly string[] | null {
  const commands = parts.filter(({ action }) => action.kind === 'shell' || action.kind === 'python');
  if (commands.length === 0) return null;
  const found: string[] = [];
  for (const { action, writes } of commands) {
    if (writes === undefined) return null;
    const folder = resolve(workspace, ('cwd' in action ? action.cwd : undefined) ?? '.');
    for (const path of writes) {
      const inside = relative(workspace, resolve(folder, path));
      if (inside === '' || inside.startsWith('..')) return null;
      found.push(inside);
    }
  }
  return found;
}

/** The content of the files after a call, as far as declared: other content found there is another author's work. */
function expectedOf(parts: Decided['parts'], snapshots: Snapshots): Readonly<Record<string, string | null>> {
  const expected: Record<string, string | null> = {};
  for (const { action } of parts) {
    if (action.kind !== 'write') continue;
    try {
      for (const { path, after } of outcomesOf(editsIn(action), snapshots)) {
        expected[plainWay(path)] = after === null ? null : hashOf(Buffer.from(after));
      }
    } catch (error) {
      if (!(error instanceof SallyportError)) throw error;
      // A form that only the host's own tools have: then there is no expected content.
    }
  }
  return expected;
}

// ── the possible changes of a call

/** Tools that change nothing in the workspace by themselves, and the child actions that describe all other changes. */
const declaredKinds: Readonly<Partial<Record<ToolEffect, readonly Kind[]>>> = {
  write: ['write'],
  shell: ['shell'],
  python: ['python'],
  code: ['code'],
  query: ['query'],
  fetch: ['fetch'],
  calls: ['tool'],
};

/** The files that a call names for writing, and how it may change anything else; null if it changes nothing. */
export function reachOf(parts: Decided['parts']): {
  readonly files: readonly string[];
  readonly opaque: 'shell' | 'tool' | null;
} {
  const files = parts.flatMap(({ action }) => {
    if (action.kind !== 'write') return [];
    const changed = action.changes?.flatMap(({ path, to }) => (to === undefined ? [path] : [path, to]));
    // Paths outside the workspace are in no snapshot; the question about them says so.
    return (changed ?? [action.path ?? '']).filter((path) => !/^~?\//.test(path)).map(plainWay);
  });
  const runs = parts.some(
    ({ action, facts }) =>
      (action.kind === 'shell' || action.kind === 'python') && facts['reads_only'] !== true,
  );
  const unknown = parts.some((part) => {
    if (part.action.kind === 'code') return true;
    if (part.action.kind !== 'tool') return false;
    const effect = part.facts['effect'] as ToolEffect | undefined;
    if (effect === 'read' || effect === 'own') return false;
    const kinds = effect === undefined ? [] : (declaredKinds[effect] ?? []);
    return !parts.some(
      ({ pointer, action }) => pointer.startsWith(`${part.pointer}/`) && kinds.includes(action.kind),
    );
  });
  return { files, opaque: runs ? 'shell' : unknown ? 'tool' : null };
}

/** The path of a file without redundant components. */
function plainWay(path: string): string {
  return path
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .join('/');
}
