// Changes of protected files that nobody has looked at yet: kept with the snapshot that has what was before, shown as a
// difference, and settled once a person has answered with that in sight.

import { createHash } from 'node:crypto';
import { diffLines, showHunk } from '../../core/diff.ts';
import { type MaybePromise, type Unreviewed, visible } from '../../core/index.ts';
import { protectionOf, protectionTexts } from '../../detect/protect.ts';
import type { Content, Review, Snapshots } from '../../ledger/snapshots/index.ts';

/** How many characters of the differences of all files are shown. */
const mostShown = 32_768;
const mostWorkspaces = 100;

type Reviewing = Review & { readonly id: string };

export class Reviews {
  readonly #redact: (text: string, workspace: string) => Promise<string>;
  /** What waits in each workspace that was asked about. */
  readonly #waiting = new Map<string, readonly Reviewing[]>();

  constructor(redact: (text: string, workspace: string) => Promise<string>) {
    this.#redact = redact;
  }

  add(snapshots: Snapshots, id: string, review: Review): void {
    const waiting = this.#load(snapshots.workspace, () => snapshots);
    snapshots.needReview(id, review);
    this.#waiting.set(snapshots.workspace, [...waiting, { ...review, id }]);
  }

  /** What a session must have looked at. */
  of(workspace: string, session: string, snapshots: () => Snapshots): MaybePromise<readonly Unreviewed[]> {
    const own = this.#own(workspace, session, snapshots);
    return own.length === 0 ? [] : this.#shown(own, snapshots());
  }

  /** Says that somebody has looked at what a session must have looked at. */
  settle(workspace: string, session: string, snapshots: () => Snapshots): void {
    const own = new Set(this.#own(workspace, session, snapshots).map(({ id }) => id));
    for (const id of own) snapshots().reviewed(id);
    const rest = (this.#waiting.get(workspace) ?? []).filter(({ id }) => !own.has(id));
    this.#waiting.set(workspace, rest);
  }

  count(): number {
    return [...this.#waiting.values()].flat().reduce((sum, { paths }) => sum + paths.length, 0);
  }

  #own(workspace: string, session: string, snapshots: () => Snapshots): readonly Reviewing[] {
    return this.#load(workspace, snapshots).filter(({ sessions }) => sessions.includes(session));
  }

  #load(workspace: string, snapshots: () => Snapshots): readonly Reviewing[] {
    const known = this.#waiting.get(workspace);
    if (known !== undefined) return known;
    const found = attempt(() => snapshots().reviews()) ?? [];
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
          what: protectionTexts[protection],
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
