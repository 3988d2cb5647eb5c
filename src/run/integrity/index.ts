// Checks the workspace after every call that may have changed something: changes that disconnect or weaken Sallyport
// are reverted at once, and other changes of protected files are reported, and asked about before the session runs or
// sends anything more.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { diffLines, showHunk } from '../../core/diff.ts';
import {
  type Context,
  canonicalJson,
  type HostName,
  hostNames,
  type JsonObject,
  type MaybePromise,
  type Unreviewed,
  visible,
  type World,
  whenReady,
} from '../../core/index.ts';
import { protectionOf, protections } from '../../detect/protect.ts';
import type { Ledger } from '../../ledger/index.ts';
import {
  type Cause,
  type Content,
  inTurns,
  type Snapshot,
  type Snapshots,
} from '../../ledger/snapshots/index.ts';
import { type Review, SnapshotStore } from '../../ledger/snapshots/snapshot-store.ts';
import { allDataFolders } from '../repositories.ts';
import { GitFiles } from './git-files.ts';
import { Tips } from './history.ts';
import { contentAt, isContent, Replaced, writeBack } from './restore.ts';
import { type Judged, judgeSteps } from './steps.ts';
import type { WithoutOurs } from './unhook.ts';

export { textContent } from './restore.ts';

// ── Unreviewed changes of protected files: stored with the snapshot of the previous state, shown as a difference, and
// resolved once the user has answered with that displayed.

/** How many characters of the differences of all files are shown. */
const mostShown = 32_768;
const mostWorkspaces = 100;

type Reviewing = Review & { readonly id: string };

class Reviews {
  readonly #store: string;
  readonly #redact: (text: string, workspace: string) => Promise<string>;
  /** The pending changes of each queried workspace. */
  readonly #waiting = new Map<string, readonly Reviewing[]>();

  /** `store`: the location of the snapshots of all workspaces. */
  constructor(store: string, redact: (text: string, workspace: string) => Promise<string>) {
    this.#store = store;
    this.#redact = redact;
  }

  add(snapshots: Snapshots, id: string, review: Review): void {
    const waiting = this.#load(snapshots.workspace);
    snapshots.needReview(id, review);
    this.#waiting.set(snapshots.workspace, [...waiting, { ...review, id }]);
  }

  /** The changes that must be reviewed for a session. */
  of(workspace: string, session: string, snapshots: () => Snapshots): MaybePromise<readonly Unreviewed[]> {
    const own = this.#own(workspace, session);
    return own.length === 0 ? [] : this.#shown(own, snapshots());
  }

  /** Marks the changes of a session as reviewed. */
  settle(workspace: string, session: string, snapshots: () => Snapshots): void {
    const own = new Set(this.#own(workspace, session).map(({ id }) => id));
    for (const id of own) snapshots().reviewed(id);
    const rest = (this.#waiting.get(workspace) ?? []).filter(({ id }) => !own.has(id));
    this.#waiting.set(workspace, rest);
  }

  count(): number {
    return [...this.#waiting.values()].flat().reduce((sum, { paths }) => sum + paths.length, 0);
  }

  #own(workspace: string, session: string): readonly Reviewing[] {
    return this.#load(workspace).filter(({ sessions }) => sessions.includes(session));
  }

  /** Reads only the store: the content of snapshots is read only if there is something to show. */
  #load(workspace: string): readonly Reviewing[] {
    const known = this.#waiting.get(workspace);
    if (known !== undefined) return known;
    const found = attempt(() => new SnapshotStore(this.#store, workspace).reviews()) ?? [];
    this.#waiting.set(workspace, found);
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > mostWorkspaces && oldest !== undefined) this.#waiting.delete(oldest);
    return found;
  }

  async #shown(reviews: readonly Reviewing[], snapshots: Snapshots): Promise<readonly Unreviewed[]> {
    let room = mostShown;
    const shown: Unreviewed[] = [];
    for (const { id, paths } of reviews) {
      for (const path of paths) {
        const before = attempt(() => snapshots.contentBefore(id, path)) ?? null;
        const now = attempt(() => snapshots.look(path)) ?? null;
        // It is as it was, so there is nothing to look at.
        if (before === null ? now === null : now !== null && Buffer.from(now.bytes).equals(before)) continue;
        const diff = await this.#redact(differenceOf(path, before, now), snapshots.workspace);
        room -= diff.length;
        const protection = protectionOf(path.toLowerCase().split('/')) ?? 'hook';
        shown.push({
          path,
          what: protections[protection].text,
          diff:
            room < 0
              ? `${diff.slice(0, Math.max(0, room + diff.length))}\n… the rest of ${visible(path)} is not shown; sallyport diff ${id.slice(0, 8)} shows it (${digestOf(diff)})\n`
              : diff,
        });
      }
    }
    return shown;
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function attempt<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** The difference between two versions of a file, as tools of the trade show it. */
function differenceOf(path: string, before: Uint8Array | null, now: Content | null): string {
  const head = `--- ${before === null ? '/dev/null' : `a/${path}`}\n+++ ${now === null ? '/dev/null' : `b/${path}`}\n`;
  const texts = [before, now?.bytes ?? null].map((bytes) => Buffer.from(bytes ?? []));
  if (texts.some((bytes) => bytes.includes(0))) {
    return `${head}Binary: ${texts.map((bytes) => `${bytes.length} bytes, sha256 ${digestOf(bytes.toString('latin1'))}`).join(' → ')}\n`;
  }
  const [old = '', fresh = ''] = texts.map((bytes) => bytes.toString('utf8'));
  return (
    head +
    diffLines(old, fresh)
      .map((hunk) => showHunk(hunk))
      .join('')
  );
}

// ── what looks again

/** The owner of the control that a file affects. */
type Of = HostName | 'sallyport' | 'git';

/** A file was changed so that it unhooks or loosens us. */
export interface Alarm {
  readonly time: number;
  readonly of: Of;
  readonly file: string;
  readonly why: string;
  /** Whether the file is as it should be again. */
  readonly restored: boolean;
  /** The location of the replaced version; null if there is none. */
  readonly kept: string | null;
}

/** The report about a call: for the model, and for the user with the details that only the user needs. */
export interface Notice {
  readonly text: string;
  readonly forPerson: string;
}

interface IntegrityOptions {
  /** The folder of snapshots. */
  readonly store: string;
  /** The home folder of the user. */
  readonly userHome: string;
  readonly ledger: Pick<Ledger, 'audit'>;
  readonly world: Pick<World, 'now'>;
  /** Receives what failed after a call. */
  readonly report: (event: string, error: unknown) => void;
  /** Receives each alarm as it is raised. */
  readonly alarmed?: (alarm: Alarm) => void;
  /** Redacts a text for the user. */
  readonly redact: (text: string, workspace: string) => Promise<string>;
  /** Files that the user's own settings let agents change. */
  readonly isAllowed: (path: string, workspace: string) => Promise<boolean>;
}

type Who = Pick<Cause, 'user' | 'tenant' | 'agent' | 'run' | 'decisionId'>;

/** A file that is to be put back. */
interface Wrong {
  readonly of: Of;
  readonly file: string;
  readonly why: string;
}

/** A file that the agent's next run is asked about. */
interface Contested {
  /** The host whose file it is; empty if it is everybody's. */
  readonly agent: string;
  readonly what: string;
}

const nobody: Who = { user: '', tenant: '', agent: '', run: '', decisionId: '' };

const mostAlarms = 100;
/**
 * A file that is changed again and again while no call runs is restored each time. After this many times only every
 * doubling is recorded, and the agent's next run is asked about.
 */
const mostRecorded = 20;

export class Integrity {
  readonly #options: IntegrityOptions;
  readonly #replaced: Replaced;
  readonly #git: GitFiles;
  readonly #tips = new Tips();
  readonly #reviews: Reviews;
  readonly #restorations = new Map<string, number>();
  /** Files that stay changed, or that something changes again and again, by path. */
  readonly #contested = new Map<string, Contested>();
  /** Tips of repositories before the calls that run, by the workspace. */
  readonly #before = new Map<string, ReadonlyMap<string, readonly string[]>>();
  #alarms: readonly Alarm[] = [];
  #withoutOurs: WithoutOurs | undefined;

  constructor(options: IntegrityOptions) {
    this.#options = options;
    this.#replaced = new Replaced(options.store);
    this.#git = new GitFiles(options.userHome, (workspace) => this.#fileOf(workspace));
    this.#reviews = new Reviews(options.store, options.redact);
  }

  /** Identifies our own hooks in the settings of hosts. */
  know(withoutOurs: WithoutOurs): void {
    this.#withoutOurs = withoutOurs;
  }

  /** The alarms since the process started, newest last. */
  alarms(): readonly Alarm[] {
    return this.#alarms;
  }

  /** The number of unreviewed changes of protected files. */
  waiting(): number {
    return this.#reviews.count() + this.#contested.size;
  }

  /**
   * Scans before a call that may change anything, if no other is running. INVARIANT: never throws; failures are
   * reported.
   */
  async before(snapshots: Snapshots): Promise<void> {
    const { workspace, repositories } = snapshots;
    try {
      const noted = this.#git.before(workspace, repositories);
      this.#before.set(
        workspace,
        new Map(dataIn(workspace, repositories).map((data) => [data, this.#tips.of(data)])),
      );
      // No call changed these files: they stay.
      const why = 'it starts programs, and no call of an agent changed it';
      for (const file of noted) await this.note(file, why, nobody);
    } catch (error) {
      this.#options.report('integrity_failed', error);
    }
  }

  /**
   * Checks after a call that has ended, once its changes are in a snapshot: that one, and those that another process
   * took while it ran. INVARIANT: never throws; failures are reported.
   */
  async after(snapshots: Snapshots, cause: Cause): Promise<readonly Notice[]> {
    const { workspace, repositories } = snapshots;
    try {
      const alarms = [...(await this.#putBackGit(workspace, repositories, cause))];
      const asked: Judged[] = [];
      for (const snapshot of snapshots.unjudged()) {
        const judged = await this.#judge(snapshots, snapshot);
        snapshots.judged(snapshot.id);
        alarms.push(...judged.put);
        asked.push(...judged.asked);
      }
      return noticesOf(alarms, asked);
    } catch (error) {
      this.#options.report('integrity_failed', error);
      return [];
    }
  }

  /** Restores the stored scan of a dead process from before its calls. */
  recall(workspace: string): void {
    try {
      this.#git.recall(workspace, readFileSync(this.#fileOf(workspace), 'utf8'));
    } catch {
      // Nothing was seen before.
    }
  }

  tidy(since: number): void {
    this.#replaced.tidy(since);
  }

  /** Changes that must be reviewed before this session continues. */
  unreviewed(context: Context, snapshots: () => Snapshots): MaybePromise<readonly Unreviewed[]> {
    const found = this.#reviews.of(context.workspace, sessionKey(context, context.session), snapshots);
    const fought = this.#contestedFor(context).map(([path, { what }]) => ({ path, what, diff: '' }));
    return fought.length === 0 ? found : whenReady(found, (changes) => [...changes, ...fought]);
  }

  /** Marks them as reviewed. */
  reviewed(context: Context, snapshots: () => Snapshots): void {
    this.#reviews.settle(context.workspace, sessionKey(context, context.session), snapshots);
    for (const [file] of this.#contestedFor(context)) {
      this.#contested.delete(file);
      this.#restorations.delete(file);
    }
  }

  #contestedFor({ agent }: Context): readonly (readonly [string, Contested])[] {
    return [...this.#contested].filter(([, { agent: of }]) => of === '' || of === agent);
  }

  /**
   * Makes a file what it should be, keeps what it was, and raises an alarm. `isUncalled`: no call made us look, so that a
   * program which changes the file again and again does not fill the log. INVARIANT: the file is restored every time.
   */
  async putBack(
    wrong: Wrong & { readonly right: Content | null | undefined },
    who: Who,
    isUncalled = false,
  ): Promise<Alarm> {
    const { right, ...rest } = wrong;
    const { file, why } = wrong;
    const count = (this.#restorations.get(file) ?? 0) + 1;
    this.#restorations.set(file, count);
    const isRecorded = !isUncalled || count <= mostRecorded || Number.isInteger(Math.log2(count));
    let kept: string | null = null;
    let restored = right !== undefined;
    try {
      if (isRecorded && right !== undefined) kept = this.#replaced.keep(file);
      if (right !== undefined) writeBack(file, right);
    } catch (error) {
      this.#options.report('integrity_failed', error);
      restored = false;
    }
    if (!restored) this.#contested.set(file, { agent: who.agent, what: notRestored(why) });
    else if (isUncalled && count > mostRecorded) {
      const what = `was restored ${count} times, and something keeps changing it: ${why}`;
      this.#contested.set(file, { agent: who.agent, what });
    } else this.#contested.delete(file);
    const alarm = { ...rest, restored, kept };
    return isRecorded ? await this.#raise(alarm, who) : { time: this.#options.world.now(), ...alarm };
  }

  /** Records a change of a protected file that stays. */
  async note(file: string, why: string, who: Who): Promise<void> {
    await this.#record({ file, why, outcome: 'noted' }, who);
  }

  async #putBackGit(workspace: string, dotGits: readonly string[], cause: Cause): Promise<readonly Alarm[]> {
    const { doing } = cause;
    const named = { hooks: doing?.persists === true, deletes: doing?.deletes === true };
    const alarms: Alarm[] = [];
    const started = this.#git.after(workspace, dotGits, named);
    for (const { file, why, right, isNamed } of started) {
      if (isNamed) await this.note(file, why, cause);
      else alarms.push(await this.putBack({ of: 'git', file, why, right }, cause));
    }
    if (started.length > 0) this.#git.settle(workspace, dotGits);
    return alarms;
  }

  /** Judges the files of the workspace that a call changed. */
  async #judge(
    snapshots: Snapshots,
    snapshot: Snapshot,
  ): Promise<{ readonly put: readonly Alarm[]; readonly asked: readonly Judged[] }> {
    const { workspace } = snapshots;
    const judged = await judgeSteps({
      snapshots,
      snapshot,
      tips: this.#before.get(workspace) ?? new Map(),
      isAllowed: (path) => this.#options.isAllowed(path, workspace),
      withoutOurs: this.#withoutOurs,
    });
    const put: Alarm[] = [];
    const asked: Judged[] = [];
    for (const one of judged) {
      if (one.outcome === 'restore') put.push(...(await this.#putBackStep(one, snapshots, snapshot)));
      else {
        if (one.outcome === 'ask') asked.push(one);
        const outcome = one.outcome === 'ask' ? 'asks' : 'noted';
        await this.#record({ file: join(workspace, one.path), why: one.why, outcome }, snapshot);
      }
    }
    if (asked.length > 0) {
      const sessions = [snapshot.run, ...(snapshot.during ?? []).map(({ run }) => run)];
      const paths = asked.map(({ path }) => path);
      const keys = [...new Set(sessions.map((session) => sessionKey(snapshot, session)))];
      this.#reviews.add(snapshots, snapshot.id, { paths, sessions: keys });
    }
    return { put, asked };
  }

  async #putBackStep(
    { path, why, of = 'sallyport', right }: Judged,
    snapshots: Snapshots,
    snapshot: Snapshot,
  ): Promise<readonly Alarm[]> {
    const file = join(snapshots.workspace, path);
    // The watch over files of hosts was faster, and has raised the alarm.
    if (isContent(file, right ?? null)) return [];
    let kept: string | null = null;
    let restored = false;
    try {
      // An entry that cannot be stored as a file is thereby moved away.
      const there = contentAt(file);
      kept = this.#replaced.keep(file);
      restored = there === 'other' || (await inTurns(snapshots.putBack(snapshot.id, path, right ?? null)));
      if (there === 'other' && right !== undefined) writeBack(file, right);
    } catch (error) {
      this.#options.report('integrity_failed', error);
    }
    if (!restored) this.#contested.set(file, { agent: snapshot.agent, what: notRestored(why) });
    return [await this.#raise({ of, file, why, restored, kept }, snapshot)];
  }

  async #raise(alarm: Omit<Alarm, 'time'>, { user, tenant, agent, run, decisionId }: Who): Promise<Alarm> {
    const { audit } = this.#options.ledger;
    const raised = { time: this.#options.world.now(), ...alarm };
    this.#alarms = [...this.#alarms, raised].slice(-mostAlarms);
    this.#options.alarmed?.(raised);
    const { of, file, why, restored, kept } = alarm;
    const isHost = hostNames.some((host) => host === of);
    const details: JsonObject = {
      ...(isHost ? { host: of } : { of }),
      ...{ file, why, restored, kept, session: run },
    };
    const id = decisionId === '' ? {} : { decision_id: decisionId };
    await audit.append({
      time: raised.time,
      event_type: 'guard_unhooked',
      user,
      tenant,
      agent,
      ...id,
      details,
    });
    return raised;
  }

  /** Writes a change of a protected file down that is not put back. */
  async #record(
    change: { readonly file: string; readonly why: string; readonly outcome: 'asks' | 'noted' },
    { user, tenant, agent, run, decisionId }: Who,
  ): Promise<void> {
    const { ledger, world } = this.#options;
    await ledger.audit.append({
      time: world.now(),
      event_type: 'protected_change',
      ...{ user, tenant, agent },
      ...(decisionId === '' ? {} : { decision_id: decisionId }),
      details: { ...change, session: run },
    });
  }

  #fileOf(workspace: string): string {
    const folder = join(this.#options.store, 'git');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return join(folder, `${createHash('sha256').update(workspace).digest('hex').slice(0, 32)}.json`);
  }
}

function notRestored(why: string): string {
  return `could not be restored: ${why}`;
}

function dataIn(workspace: string, dotGits: readonly string[]): readonly string[] {
  return dotGits.flatMap((dotGit) => allDataFolders(join(workspace, dotGit)));
}

function sessionKey(
  { user, tenant, agent }: Pick<Who, 'user' | 'tenant' | 'agent'>,
  session: string,
): string {
  return canonicalJson([user, tenant, agent, session]);
}

/** The text for a model and for the user. */
function noticesOf(alarms: readonly Alarm[], asked: readonly Judged[]): readonly Notice[] {
  const restored = alarms.filter((alarm) => alarm.restored);
  const failed = alarms.filter((alarm) => !alarm.restored);
  const named = (some: readonly Alarm[]) =>
    some.map(({ file, why }) => `${visible(file, 200)} (${why})`).join('; ');
  const notices: Notice[] = [];
  if (restored.length > 0) {
    const text = `This call changed files that unhook or loosen Sallyport, or that start programs later. They were put back: ${named(restored)}.`;
    const kept = restored.flatMap(({ kept: copy, file }) =>
      copy === null ? [] : [`cp '${copy}' '${file}'`],
    );
    const how =
      kept.length === 0
        ? ''
        : ` If a change was yours, copy it back while no agent works: ${kept.join('; ')}`;
    notices.push({ text, forPerson: `${text}${how}` });
  }
  if (failed.length > 0) {
    const text = `This call changed files that unhook or loosen Sallyport, and they could not be put back: ${named(failed)}. Stop, and ask the user to run sallyport doctor.`;
    notices.push({ text, forPerson: text });
  }
  if (asked.length > 0) {
    const files = asked.map(({ path, why }) => `${visible(path, 200)} (${why})`).join('; ');
    const text = `This call changed protected files that it did not name: ${files}. Before the next call that runs or sends something, a person is asked with the difference.`;
    notices.push({ text, forPerson: text });
  }
  return notices;
}
