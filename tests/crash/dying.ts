// A process that makes one change set and kills itself at one of its steps: what crash:changes starts once for each kill.
// It loads no more than that needs, and waits for its task on standard input, so that it can be started ahead of time.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  atOnce,
  type Change,
  type Commit,
  type Content,
  Snapshots,
  stateOf,
} from '../../src/ledger/snapshots/index.ts';

export const cause = {
  action: 'apply',
  user: 'u',
  tenant: 't',
  agent: 'a',
  run: 'r',
  decisionId: 'd',
} as const;

/**
 * How a set is made: by us as one, by a host's write tool, by a command that a host runs, or by the transactional shell,
 * which commits what a command made aside: one that we run, or one that a host runs through its prefix, whose pre-image
 * goes before.
 */
export const ways = ['ours', 'write', 'command', 'commit', 'prefix'] as const;
export type Way = (typeof ways)[number];

/** What the process is told: where, which set, how, and before which of its steps it dies. */
export interface Task {
  readonly folder: string;
  readonly number: number;
  readonly way: Way;
  readonly step: number;
}

/** A change set by its number: some files are made, some changed, some deleted. */
export function setOf(number: number): {
  readonly before: Readonly<Record<string, string>>;
  readonly changes: readonly Change[];
} {
  const before: Record<string, string> = {};
  const changes: Change[] = [];
  const files = 1 + (number % 5);
  for (let index = 0; index < files; index++) {
    const path = `${index % 2 === 0 ? '' : `d${number % 3}/`}f${index}.txt`;
    const kind = (number + index) % 3;
    if (kind > 0) before[path] = `old ${number} ${index}\n`.repeat(1 + ((number * 7 + index) % 50));
    const to: Content = {
      type: 'file',
      bytes: Buffer.from(`new ${number} ${index}\n`.repeat(1 + (index % 9))),
      mode: 0o644,
    };
    changes.push({ path, to: kind === 2 ? null : to });
  }
  return { before, changes };
}

const text = (bytes: string): Content => ({ type: 'file', bytes: Buffer.from(bytes), mode: 0o644 });
const folder: Content = { type: 'folder', bytes: new Uint8Array(), mode: 0o755 };

/** A change set that a command made aside: also folders in the place of files, files in the place of folders, and links. */
export function commitOf(number: number): {
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
  readonly commits: readonly Commit[];
} {
  const { before, changes } = setOf(number);
  const swapped: readonly Change[] = [
    { path: 'folder/in', to: null },
    { path: 'folder', to: text('flat\n') },
  ];
  const link: Change = { path: 'link', to: { type: 'link', bytes: Buffer.from('kept'), mode: 0o777 } };
  const all: readonly Change[] = [
    ...changes,
    { path: 'file', to: folder },
    { path: 'file/in', to: text('in\n') },
    ...(number % 2 === 0 ? swapped : []),
    ...(number % 3 === 0 ? [link] : []),
  ];
  const old = { ...before, file: 'a file\n', 'folder/in': 'was in it\n', kept: 'kept\n' };
  return {
    before: old,
    after: afterOf(old, all),
    commits: all.map(({ path, to }) => ({ path, to, after: to === null ? null : stateOf(to, path) })),
  };
}

/** What files hold after changes; a link holds what it leads to. */
export function afterOf(
  before: Readonly<Record<string, string>>,
  changes: readonly Change[],
): Readonly<Record<string, string>> {
  const after: Record<string, string> = { ...before };
  for (const { path, to } of changes) {
    if (to === null || to.type === 'folder') delete after[path];
    else if (to.type === 'link') after[path] = before[Buffer.from(to.bytes).toString()] ?? '';
    else after[path] = Buffer.from(to.bytes).toString();
  }
  return after;
}

export function open(folder: string, onStep?: (step: string) => void): Snapshots {
  return new Snapshots({
    store: join(folder, 'store'),
    workspace: join(folder, 'work'),
    personHome: '/home/nobody',
    now: Date.now,
    ...(onStep === undefined ? {} : { onStep }),
  });
}

function dieAt({ folder, number, way, step }: Task): void {
  let left = step;
  const tick = () => {
    if (left-- === 0) process.kill(process.pid, 'SIGKILL');
  };
  const snapshots = open(folder, tick);
  const { changes } = setOf(number);
  if (way === 'ours') {
    atOnce(snapshots.change(changes, cause));
    return;
  }
  if (way === 'prefix') {
    const { id } = atOnce(snapshots.before({ ...cause, action: 'shell' }, { watched: true }));
    tick();
    atOnce(snapshots.release(id));
    tick();
  }
  if (way === 'commit' || way === 'prefix') {
    atOnce(snapshots.commit(commitOf(number).commits, { ...cause, action: 'shell' }, () => true));
    return;
  }
  const paths = changes.map(({ path }) => path);
  const id =
    way === 'write'
      ? snapshots.hold(paths, cause)
      : atOnce(snapshots.before({ ...cause, action: 'shell' })).id;
  // What the host does, by itself and not as one.
  for (const { path, to } of changes) {
    tick();
    const place = join(folder, 'work', path);
    mkdirSync(join(place, '..'), { recursive: true });
    if (to === null) rmSync(place);
    else writeFileSync(place, to.bytes);
  }
  tick();
  atOnce(snapshots.after(id));
}

// INVARIANT: the task is written by crash:changes. Nothing at all means that it has ended, and so does this.
if (import.meta.main) {
  const task = readFileSync(0, 'utf8');
  if (task !== '') dieAt(JSON.parse(task) as Task);
}
