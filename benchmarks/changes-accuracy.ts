// How often the guards on changes are right: the write guard about labelled paths and contents, with a real folder for
// each row, and the guard on references.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { settingsFrom } from '../src/config/index.ts';
import { readAction } from '../src/core/index.ts';
import { deciderFor } from './parts.ts';
import { symbolsAccuracy } from './symbols-accuracy.ts';
import { printColumns, printNote } from './table.ts';
import { corpus } from './texts.ts';

interface Row {
  readonly id: string;
  readonly group: string;
  readonly path: string;
  readonly expect: 'allow' | 'deny' | 'confirm' | 'any';
  readonly reason: string;
  readonly setup?: readonly (readonly (string | number)[])[];
  readonly content_b64?: string;
}

const wanted: Readonly<Record<string, string>> = { allow: 'pass', deny: 'block', confirm: 'approve' };

/** Runs the corpus of writes and the replays of references; true when all of it is right. */
export async function changesAccuracy(progress: (text: string) => void): Promise<boolean> {
  const writes = await writeAccuracy(progress);
  return (await symbolsAccuracy(progress)) && writes;
}

async function writeAccuracy(progress: (text: string) => void): Promise<boolean> {
  const rows = corpus<Row>('write/write_guard.jsonl');
  if (rows.length === 0) {
    printNote('the labelled writes are not at ../shared/corpora: skipped');
    return true;
  }
  progress(`write corpus (${rows.length})`);
  const groups = new Map<string, { rows: number; right: number; skipped: number }>();
  const wrong: string[] = [];
  for (const row of rows) {
    const group = groups.get(row.group) ?? { rows: 0, right: 0, skipped: 0 };
    groups.set(row.group, group);
    const decision = await judge(row);
    if (decision === null) {
      group.skipped++;
      continue;
    }
    group.rows++;
    if (row.expect === 'any' ? decision !== 'error' : decision === wanted[row.expect]) group.right++;
    else
      wrong.push(
        `${row.id} ${JSON.stringify(row.path).slice(0, 60)}: ${row.expect} (${row.reason}), we ${decision}`,
      );
  }
  printColumns(
    ['write guard', 'rows', 'right', 'left to other tests'],
    [...groups].map(([name, { rows: all, right, skipped }]) => [
      name,
      `${all}`,
      `${right}`,
      skipped === 0 ? '' : `${skipped}`,
    ]),
  );
  for (const line of wrong) process.stdout.write(`wrong: ${line}\n`);
  return wrong.length === 0;
}

/** The decision on one row; null for a row that races, which the write engine's own test does. */
async function judge(row: Row): Promise<string | null> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-write-')));
  const root = join(folder, 'workspace');
  const outside = join(folder, 'outside');
  mkdirSync(root);
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret'), 'secret');
  const close: (() => void)[] = [];
  const name = (text: string | number | undefined) =>
    String(text ?? '')
      .replaceAll('$ROOT', root)
      .replaceAll('$OUT', outside);
  const at = (text: string | number | undefined) => resolve(root, name(text));
  let content: { content: string } | { contentBase64: string } =
    row.content_b64 === undefined ? { content: 'x\n' } : { contentBase64: row.content_b64 };
  try {
    for (const [what, first, second] of row.setup ?? []) {
      if (what === 'race-dir-symlink') return null;
      if (what === 'write') {
        mkdirSync(dirname(at(first)), { recursive: true });
        writeFileSync(at(first), String(second));
      } else if (what === 'mkdir') mkdirSync(at(first), { recursive: true });
      else if (what === 'chmod') chmodSync(at(first), Number.parseInt(String(second), 8));
      else if (what === 'symlink') symlinkSync(name(first), at(second));
      else if (what === 'hardlink') linkSync(at(first), at(second));
      else if (what === 'fifo') spawnSync('mkfifo', [at(first)]);
      else if (what === 'socket') {
        const server = createServer();
        await new Promise<void>((ready) => server.listen(at(first), ready));
        close.push(() => server.close());
      } else if (what === 'content-size') content = { content: 'a'.repeat(Number(first)) };
      else if (what === 'content-repeat') content = { content: String(first).repeat(Number(second)) };
      else throw new Error(`${row.id} needs ${what}`);
    }
    // The labels are those of strict: what agents read and what holds credentials is asked about in developer.
    const decider = deciderFor(settingsFrom({ profile: 'strict' }));
    const context = {
      user: 'u',
      tenant: 't',
      agent: 'default',
      session: 's',
      workspace: root,
      mode: 'auto',
    } as const;
    let action: ReturnType<typeof readAction>['action'];
    try {
      ({ action } = readAction({ kind: 'write', path: name(row.path), ...content }));
    } catch {
      // What is no action at all is refused before any guard.
      return 'block';
    }
    return (await decider.decide(action, context)).verdict.decision;
  } finally {
    for (const end of close) end();
    rmSync(folder, { recursive: true, force: true });
  }
}
