// Where histories are kept, whose each one is, and how they are read from where the last reading ended.

import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { SallyportError, visible } from '../../core/index.ts';
import type { HistoryCall, HistoryReader } from './call.ts';
import { type ShellName, shellOfLine, shellReader } from './shells.ts';
import { hostOfLine, transcriptReader } from './transcripts.ts';

/** There is no history where one was named. */
export class NoHistory extends SallyportError {}

/** Longest line that is read: transcripts hold pictures and whole files. */
const longestLine = 64 * 1024 * 1024;
const chunk = 1024 * 1024;
const deepest = 8;

/** The places that hosts and shells use, below the home of a user. */
const transcriptFolders = ['.claude/projects', '.codex/sessions', '.codex/archived_sessions'];
const shellFiles: Readonly<Record<ShellName, readonly string[]>> = {
  bash: ['.bash_history'],
  zsh: ['.zsh_history', '.zhistory'],
  fish: ['.local/share/fish/fish_history'],
};

/** Where a user's histories are looked for, below the home. */
export const historyPlaces: readonly string[] = [...transcriptFolders, ...Object.values(shellFiles).flat()];

/** The histories of a user, or those at a path: one file, or every transcript below a folder. */
export function findHistories(home: string, path: string | null): readonly string[] {
  if (path !== null) {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) throw new NoHistory(`there is no file or folder ${visible(path, 200)}`);
    return found.isDirectory() ? transcriptsBelow(path) : [path];
  }
  const shells = Object.values(shellFiles)
    .flat()
    .map((name) => join(home, name));
  return [
    ...transcriptFolders.flatMap((name) => transcriptsBelow(join(home, name))),
    ...shells.filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true),
  ];
}

/** The transcripts below a folder, the oldest first, and shell histories by their usual names. */
function transcriptsBelow(folder: string, depth = 0): readonly string[] {
  const known = new Set(Object.values(shellFiles).flatMap((names) => names.map((name) => basename(name))));
  const files: { readonly path: string; readonly at: number }[] = [];
  const look = (at: string, level: number): void => {
    for (const entry of entriesOf(at)) {
      const path = join(at, entry.name);
      if (entry.isDirectory() && level < deepest) look(path, level + 1);
      else if (entry.isFile() && (entry.name.endsWith('.jsonl') || known.has(entry.name)))
        files.push({ path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 });
    }
  };
  look(folder, depth);
  return files.sort((a, b) => a.at - b.at).map(({ path }) => path);
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // What is not there, or may not be read, holds no history of this user.
    return [];
  }
}

/** One history file: each `next` gives the calls that were added since the one before. */
export class HistoryFile {
  readonly path: string;
  readonly #seen: Set<string>;
  #reader: HistoryReader | null = null;
  #decoder = new StringDecoder('utf8');
  #position = 0;
  #rest = '';

  /** `seen` holds the calls that were read in other files. */
  constructor(path: string, seen: Set<string>) {
    this.path = path;
    this.#seen = seen;
  }

  /** What is there already is not given by the next reading; the reader still learns the session from it. */
  skip(): void {
    for (const _ of this.next()) {
    }
  }

  /** The calls that were added. A file that became shorter is another one, and read from its start. */
  *next(isWhole = false): Generator<HistoryCall> {
    const size = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
    if (size < this.#position) this.#forget();
    const descriptor = openSync(this.path, 'r');
    try {
      const buffer = Buffer.alloc(chunk);
      for (;;) {
        const count = readSync(descriptor, buffer, 0, chunk, this.#position);
        if (count === 0) break;
        this.#position += count;
        const lines = (this.#rest + this.#decoder.write(buffer.subarray(0, count))).split('\n');
        const rest = lines.pop() ?? '';
        this.#rest = rest.length > longestLine ? '' : rest;
        for (const line of lines) yield* this.#read(line);
      }
    } finally {
      closeSync(descriptor);
    }
    if (!isWhole) return;
    if (this.#rest !== '') yield* this.#read(this.#rest);
    this.#rest = '';
    yield* this.#reader?.end() ?? [];
  }

  #forget(): void {
    this.#position = 0;
    this.#rest = '';
    this.#reader = null;
    this.#decoder = new StringDecoder('utf8');
  }

  #read(line: string): readonly HistoryCall[] {
    this.#reader ??= this.#readerFor(line);
    return this.#reader?.read(line) ?? [];
  }

  /** The reader for a file, by its name and a line; null where the line does not tell, and the next one may. */
  #readerFor(line: string): HistoryReader | null {
    const name = basename(this.path);
    const host = hostOfLine(line);
    if (host !== null) return transcriptReader(host, name.replace(/\.jsonl$/, ''), this.#seen);
    if (name.endsWith('.jsonl')) return null;
    const named = Object.entries(shellFiles).find(([, files]) =>
      files.some((file) => basename(file) === name),
    );
    return shellReader(shellOfLine(line) ?? (named?.[0] as ShellName | undefined) ?? 'bash');
  }
}
