// Reverting changes: one by its snapshot, files by their names, all of a session, or the last; and redoing them.

import { count, type Infer, listOf, optional, reply, texts, words } from '../core/shape.ts';
import type { Reader } from '../ledger/index.ts';
import {
  type Chosen,
  Conflict,
  type Snapshot,
  type Snapshots,
  shownPath,
  UnknownSnapshot,
} from '../ledger/snapshots/index.ts';
import { takeBack } from './apply.ts';
import type { ReceiptOptions } from './receipt.ts';

/** The selection of changes to revert. */
export type What =
  | { readonly snapshot: string }
  | { readonly run: string }
  /** The session of the last change. */
  | { readonly lastRun: true }
  | { readonly last: true }
  /** The last change of each of these files, or of the files below a folder. */
  | { readonly files: readonly string[] }
  /** The last undo. */
  | { readonly redo: true };

/** The reverted changes, the latest first, and the obstacles for the rest. */
export const rolledBack = reply({
  /** The change that performed the revert. */
  undone: listOf(
    reply({
      ...texts('snapshot', 'by', 'receipt'),
      files: count,
      /** Files that were left, because they were changed since. */
      left: listOf(reply(texts('path', 'why'))),
    }),
  ),
  conflict: optional(reply({ ...texts('snapshot', 'error'), paths: listOf(words), hint: optional(words) })),
});
export type RolledBack = Infer<typeof rolledBack>;

/** A snapshot to revert, or some of its files. */
export interface Choice {
  readonly snapshot: Snapshot;
  readonly chosen?: Chosen;
}

/**
 * Reverts changes that are visible to the reader. A file that was changed since is left; if that leaves nothing of a
 * change, it and older changes stay.
 */
export async function rollBack(what: What, options: ReceiptOptions, reader: Reader): Promise<RolledBack> {
  return await takeBackAll(chosenSnapshots(options.snapshots, what, reader), options);
}

/** Reverts the selected changes. */
export async function takeBackAll(choices: readonly Choice[], options: ReceiptOptions): Promise<RolledBack> {
  const undone: RolledBack['undone'][number][] = [];
  for (const {
    snapshot: { id },
    chosen,
  } of choices) {
    try {
      const { snapshot, receipt, left } = await takeBack(id, options, chosen);
      const files = snapshot.steps.length;
      const named = left.map(({ path, why }) => ({ path: shownPath(path), why }));
      undone.push({ snapshot: id, by: snapshot.id, receipt: receipt.receipt_id, files, left: named });
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      const { paths, message, hint } = error;
      const more = hint === undefined ? {} : { hint };
      const conflict = { snapshot: id, paths: paths.map(shownPath), error: message, ...more };
      // Older changes in the same session have other files, which may still be restored.
      if (choices.length === 1) return { undone, conflict };
      undone.push({
        ...{ snapshot: id, by: '', receipt: '', files: 0 },
        left: conflict.paths.map((path) => ({ path, why: message })),
      });
    }
  }
  return { undone };
}

/** The changes to revert, the latest first. */
export function chosenSnapshots(snapshots: Snapshots, what: What, reader: Reader): readonly Choice[] {
  const mine = ({ tenant, user, agent }: Snapshot) =>
    (reader.tenant ?? tenant) === tenant &&
    (reader.user ?? user) === user &&
    (reader.agent ?? agent) === agent;
  if ('snapshot' in what) {
    const found = snapshots.find(what.snapshot);
    if (!mine(found)) throw new UnknownSnapshot(`there is no snapshot ${what.snapshot} of this workspace`);
    return [{ snapshot: found }];
  }
  const all = snapshots.list().filter(mine);
  const history = new History(all);
  if ('redo' in what)
    return all
      .filter((one) => history.isUndo(one))
      .slice(0, 1)
      .map((snapshot) => ({ snapshot }));
  const open = all.filter((one) => history.isOpen(one));
  if ('files' in what) return filesOf(what.files, open, history);
  if ('run' in what) return open.filter(({ run }) => run === what.run).map((snapshot) => ({ snapshot }));
  const [last] = open;
  if ('last' in what) return last === undefined ? [] : [{ snapshot: last }];
  return open.filter(({ run }) => run === last?.run).map((snapshot) => ({ snapshot }));
}

/** Which changes are in effect, and which were reverted, by the snapshots of both. */
class History {
  /** The undos of each change that were not reverted themselves. */
  readonly #undos = new Map<string, Snapshot[]>();
  readonly #byId: ReadonlyMap<string, Snapshot>;

  /** `latestFirst`: so that a reverted undo is recognized before it counts. */
  constructor(latestFirst: readonly Snapshot[]) {
    this.#byId = new Map(latestFirst.map((one) => [one.id, one]));
    for (const one of latestFirst) {
      if (one.of === undefined || this.#isUndone(one)) continue;
      const others = this.#undos.get(one.of);
      if (others === undefined) this.#undos.set(one.of, [one]);
      else others.push(one);
    }
  }

  #isUndone(one: Snapshot): boolean {
    const undos = this.#undos.get(one.id) ?? [];
    if (undos.some(({ partial }) => partial !== true)) return true;
    return undos.length > 0 && one.steps.every(({ path }) => this.isUndone(one, path));
  }

  /** Whether a file of a change was reverted. */
  isUndone({ id }: Snapshot, path: string): boolean {
    return (this.#undos.get(id) ?? []).some(({ steps }) => steps.some((step) => step.path === path));
  }

  /** A change in effect. */
  isOpen(one: Snapshot): boolean {
    return one.action !== 'rollback' && !this.#isUndone(one);
  }

  /** An undo in effect that is not a redo. */
  isUndo(one: Snapshot): boolean {
    const of = one.of === undefined ? undefined : this.#byId.get(one.of);
    return one.action === 'rollback' && of?.action !== 'rollback' && !this.#isUndone(one);
  }
}

/** The last change in effect for each file. */
function filesOf(names: readonly string[], open: readonly Snapshot[], history: History): readonly Choice[] {
  const taken = new Set<string>();
  const isMeant = (path: string) =>
    names.some((name) =>
      [path, shownPath(path)].some((shown) => shown === name || shown.startsWith(`${name}/`)),
    );
  return open.flatMap((snapshot): readonly Choice[] => {
    const paths = snapshot.steps.flatMap(({ path }) =>
      isMeant(path) && !taken.has(path) && !history.isUndone(snapshot, path) ? [path] : [],
    );
    for (const path of paths) taken.add(path);
    const chosen = new Set(paths);
    return paths.length === 0 ? [] : [{ snapshot, chosen: (path) => chosen.has(path) }];
  });
}
