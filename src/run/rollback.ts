// Taking changes back: one by its snapshot, all of a run, or the last.

import { count, listOf, reply, texts, words } from '../core/replies.ts';
import { type Infer, optional } from '../core/shape.ts';
import type { Reader } from '../ledger/index.ts';
import { Conflict, type Snapshot, type Snapshots, UnknownSnapshot } from '../ledger/snapshots/index.ts';
import { takeBack } from './apply.ts';
import type { ReceiptOptions } from './receipt.ts';

/** What shall be taken back. */
export type What = { readonly snapshot: string } | { readonly run: string } | { readonly last: true };

/** What was taken back, the latest first, and what was in the way of the rest. */
export const rolledBack = reply({
  /** By which change that the taking back itself is. */
  undone: listOf(reply({ ...texts('snapshot', 'by', 'receipt'), files: count })),
  conflict: optional(reply({ ...texts('snapshot', 'error'), paths: listOf(words), hint: optional(words) })),
});
export type RolledBack = Infer<typeof rolledBack>;

/** Takes changes back that the reader may see; where a file has changed since, it and what is older stay. */
export async function rollBack(what: What, options: ReceiptOptions, reader: Reader): Promise<RolledBack> {
  const undone: RolledBack['undone'][number][] = [];
  for (const { id } of chosenSnapshots(options.snapshots, what, reader)) {
    try {
      const { snapshot, receipt } = await takeBack(id, options);
      const files = snapshot.steps.length;
      undone.push({ snapshot: id, by: snapshot.id, receipt: receipt.receipt_id, files });
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      const { paths, message, hint } = error;
      const more = hint === undefined ? {} : { hint };
      return { undone, conflict: { snapshot: id, paths, error: message, ...more } };
    }
  }
  return { undone };
}

/** What shall be taken back, the latest first. */
export function chosenSnapshots(snapshots: Snapshots, what: What, reader: Reader): readonly Snapshot[] {
  const mine = ({ tenant, user, agent }: Snapshot) =>
    (reader.tenant ?? tenant) === tenant &&
    (reader.user ?? user) === user &&
    (reader.agent ?? agent) === agent;
  if ('snapshot' in what) {
    const found = snapshots.find(what.snapshot);
    if (!mine(found)) throw new UnknownSnapshot(`there is no snapshot ${what.snapshot} of this workspace`);
    return [found];
  }
  const all = snapshots.list().filter(mine);
  const undone = new Set(all.flatMap(({ of }) => of ?? []));
  const open = all.filter((snapshot) => snapshot.action !== 'rollback' && !undone.has(snapshot.id));
  return 'run' in what ? open.filter((snapshot) => snapshot.run === what.run) : open.slice(0, 1);
}
