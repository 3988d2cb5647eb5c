// The files as the calls of a history found them, as far as that can be known: what earlier calls wrote lies over what is
// on the disk today. Nothing is written.

import { dirname, resolve } from 'node:path';
import type { Action, Context, Standing, World } from '../../core/index.ts';
import { loadAnalyses } from '../../guards/command/index.ts';
import { withParts } from '../../guards/command/need.ts';

/** One file or folder that a command writes; the text where that is known. */
export interface Writing {
  readonly path: string;
  readonly isFolder: boolean;
  readonly text: string | null;
}

/** What a command writes by its own text. */
export async function writingsOf(
  command: string,
  { cwd, home }: { readonly cwd: string; readonly home: string | null },
  world: Pick<World, 'readers'>,
): Promise<readonly Writing[]> {
  const { shell } = await loadAnalyses({ kind: 'shell', source: command }, world.readers);
  const facts = await withParts(() => shell(command, { cwd, home, spend: () => undefined }));
  return facts.effects.flatMap(({ kind, target, detail, content }): readonly Writing[] => {
    if (kind !== 'write' || target.kind !== 'path' || target.path.kind !== 'literal') return [];
    const name = target.path.text;
    const text = content?.kind === 'text' && content.text.kind === 'literal' ? content.text.text : null;
    return [{ path: resolve(cwd, name), isFolder: detail === 'folder', text }];
  });
}

/** The past of one history, and the world as its calls find it. */
export class Past {
  readonly world: World;
  readonly #real: World;
  /** Files by their paths, with what calls wrote into them. */
  readonly #files = new Map<string, string>();
  readonly #folders = new Set<string>();
  readonly #written = new Set<string>();
  /** The session that made a file. */
  readonly #makers = new Map<string, string>();

  constructor(real: World) {
    this.#real = real;
    this.world = {
      ...real,
      readText: (path) => this.#files.get(path) ?? real.readText(path),
      look: (path) => this.#standing(path) ?? real.look(path),
      realPath: (path) => (this.#standing(path) === null ? real.realPath(path) : path),
      // Where Sallyport is installed it keeps a pre-image of what a call may change.
      restorable: () => true,
      writtenByAgents: (texts) => texts.map((text) => this.#written.has(text)),
      madeBySession: (files, { session, workspace }) =>
        files.every(({ path }) => this.#makers.get(resolve(workspace, path)) === session),
    };
  }

  /** Makes room for an edit of a file that has become another since: what the call replaced stands in it. */
  prepare(action: Action, context: Context): void {
    const { path, old } = editIn(action);
    if (path === null || old === null) return;
    const place = resolve(context.cwd ?? context.workspace, path);
    const now = this.#files.get(place) ?? this.#real.readText(place);
    if (now?.includes(old) !== true) this.#put(place, old);
  }

  /** What a call wrote, since it really ran. */
  async apply(action: Action, context: Context): Promise<void> {
    const cwd = context.cwd ?? context.workspace;
    const { path, content } = editIn(action);
    if (path !== null && content !== null) return this.#write(resolve(cwd, path), content, context);
    const command = commandIn(action);
    if (command === null || !/[>|]|\b(?:tee|touch|mkdir|cp|mv)\b/.test(command)) return;
    const home = this.#real.home ?? null;
    for (const { path: place, isFolder, text } of await writingsOf(command, { cwd, home }, this.#real)) {
      if (isFolder) this.#folders.add(place);
      else this.#write(place, text ?? '', context);
    }
  }

  #write(path: string, text: string, { session }: Context): void {
    if (!this.#files.has(path) && this.#real.look(path) === null) this.#makers.set(path, session);
    this.#put(path, text);
    this.#written.add(text);
  }

  #put(path: string, text: string): void {
    this.#files.set(path, text);
    for (let at = dirname(path); at !== dirname(at) && !this.#folders.has(at); at = dirname(at))
      this.#folders.add(at);
  }

  /** What stands at a path because a call wrote it; null where the disk is to be asked. */
  #standing(path: string): Standing | null {
    const isFile = this.#files.has(path);
    if (!isFile && !this.#folders.has(path)) return null;
    const now = this.#real.look(path);
    if (now !== null) return isFile ? { ...now, type: 'file' } : null;
    return { type: isFile ? 'file' : 'folder', links: 1, device: this.#deviceOf(path), setId: false };
  }

  /** The file system of the nearest folder that is there. */
  #deviceOf(path: string): number {
    for (let at = dirname(path); ; at = dirname(at)) {
      const found = this.#real.look(at);
      if (found !== null) return found.device;
      if (at === dirname(at)) return 0;
    }
  }
}

/** The command of a call, whichever tool runs it; null where it is none. */
export function commandIn(action: Action): string | null {
  if (action.kind === 'shell') return action.command;
  if (action.kind !== 'tool') return null;
  const { command, cmd } = action.arguments ?? {};
  const given = command ?? cmd;
  if (Array.isArray(given)) return given.map(String).at(-1) ?? null;
  return typeof given === 'string' ? given : null;
}

/** The file that a call writes or edits; null for what it does not name. */
function editIn(action: Action): {
  readonly path: string | null;
  readonly content: string | null;
  readonly old: string | null;
} {
  const given = action.kind === 'tool' ? (action.arguments ?? {}) : {};
  const text = (name: string) => (typeof given[name] === 'string' ? given[name] : null);
  return { path: text('file_path'), content: text('content'), old: text('old_string') };
}
