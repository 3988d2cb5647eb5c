// The real world, as guards receive it: clock, name resolution, files, parsers, and a thread for long code.

import { type Dir, lstatSync, opendirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import {
  account,
  type Config,
  diskWorld,
  isOwnDescriptor,
  isOwnPlace,
  ownFolders,
  readRegularFile,
  worksForAnother,
} from '../config/index.ts';
import { realPathIn } from '../core/guard.ts';
import {
  type Code,
  type Extraction,
  type Listed,
  lazily,
  type ModuleReader,
  type Readers,
  SallyportError,
  type Schemas,
  type Standing,
  type Symbols,
  type Upload,
  type World,
} from '../core/index.ts';
import { namesInArchive } from './archive-names.ts';
import { gunzip } from './gunzip.ts';
import { nextTurn } from './long.ts';
import { openPorts, runningProcesses } from './processes.ts';
import { stateOf } from './state-of.ts';
import { jsonOfYaml } from './yaml.ts';

/** Timeout of a name resolution, in milliseconds. */
const resolveTimeout = 5000;

/** The name server did not answer in time or refused. */
class ResolutionFailed extends SallyportError {}

export interface WorldOptions {
  /** The folder of the symbol indexes; without it no index is used. */
  readonly symbols?: string;
  /** The home folder that this guard uses. */
  readonly ownHome?: string;
}

/** Reads files and names of this machine. */
export function realWorld({ symbols, ownHome }: WorldOptions = {}): World {
  const known = {
    ...diskWorld,
    look,
    list,
    namesInArchive,
    gunzip,
    processes: runningProcesses,
    portUses: openPorts,
    resolve,
    readers,
    schemas,
    schemaText,
    stateOf: (name: string) => stateOf(name),
    followIsolated,
    extract,
    turn: nextTurn,
    home: realHome(),
    ownHome: [...(ownHome === undefined ? [] : pathsOf(ownHome)), ...ownFolders()],
    isolation: {
      ...(symbols === undefined ? {} : { symbols }),
      ...(ownHome === undefined ? {} : { ownHome }),
    },
  };
  return symbols === undefined ? known : { ...known, symbols: symbolsIn(symbols) };
}

/** Reading files in a system daemon: the files of its own account are closed, as they are to agents. */
const closedFiles: Pick<World, 'readText' | 'look' | 'list' | 'namesInArchive' | 'stateOf'> = {
  // It starts no programs, so it queries no container engine either.
  stateOf: (name) => {
    const path = name.replace(/^\w+ /, '');
    return name.startsWith('image ') || isOwnPlace(realPathIn(diskWorld, path) ?? path)
      ? null
      : stateOf(name);
  },
  namesInArchive: (path) => (isOwnPlace(realPathIn(diskWorld, path) ?? path) ? [] : namesInArchive(path)),
  readText: (path) => readRegularFile(path, isOwnDescriptor),
  // Checks the link itself, not its target.
  look: (path) =>
    isOwnPlace(join(realPathIn(diskWorld, dirname(path)) ?? dirname(path), basename(path)))
      ? unseen
      : look(path),
  list: (folder) => (isOwnPlace(realPathIn(diskWorld, folder) ?? folder) ? null : list(folder)),
};

/**
 * The world as guards see it in a system daemon: the files of its own account are closed to them, as they are to
 * agents. All other files that agents cannot open are closed to the daemon by the kernel.
 */
export function closedWorld(world: World): World {
  return worksForAnother() ? { ...world, ...closedFiles } : world;
}

/** Whether every synchronous answer of a world equals that of `closedWorld(realWorld())` on another thread. */
export function isReal(world: World): boolean {
  const files = worksForAnother() ? closedFiles : { readText: diskWorld.readText, look, list };
  const { readText, realPath, processes, portUses } = world;
  const disk = realPath === diskWorld.realPath && readText === files.readText && world.look === files.look;
  const more = world.list === files.list && processes === runningProcesses && world.schemaText === schemaText;
  const asksNothing = world.database === undefined && portUses === openPorts;
  return disk && more && asksNothing && world.readers === readers && world.schemas === schemas;
}

/** Whether names are resolved as `realWorld` does. */
export function resolvesHere(world: World): boolean {
  return world.resolve === resolve;
}

/** The world with a tracer of the work, if the configuration enables it. */
export async function withTelemetry(
  world: World,
  { telemetry: { enabled, propagateTo } }: Pick<Config, 'telemetry'>,
): Promise<World> {
  if (!enabled) return world;
  const { openTelemetry } = await import('./telemetry.ts');
  return { ...world, telemetry: await openTelemetry(propagateTo) };
}

/** Queries the existing index, and creates none: a single check must not wait for it. */
function symbolsIn(store: string): Symbols {
  const open = once(async () => {
    const { SymbolStore } = await import('../ledger/symbols/index.ts');
    return new SymbolStore({ store, reader: parseModules });
  });
  return {
    of: async (workspace, reader) => (await (await open())?.of(workspace, reader)) ?? null,
    lists: async (file, names) => (await (await open())?.lists(file, names)) ?? null,
  };
}

/** The reader of modules; null if it is not installed. */
export async function parseModules(): Promise<ModuleReader | null> {
  return (await readers.modules?.()) ?? null;
}

/**
 * Location of the code of the threads that read files for an index: beside this file, or beside the bundle's chunks.
 */
export function symbolsThread(): URL {
  const here = import.meta.url;
  return here.endsWith('.ts') ? new URL('./symbols-worker.ts', here) : new URL('../symbols-worker.cjs', here);
}

/** Errors for a path through a folder that this user may not read, or through a loop of links. */
const unseen: Standing = { type: 'other', links: 1, device: -1, setId: false };
const unseenCodes: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'ELOOP']);

/** Throws if the disk cannot be read: a file that was not examined is not judged. */
function look(path: string): Standing | null {
  let found: Stats | undefined;
  try {
    found = lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (noFolder.has(codeOf(error))) return null;
    if (unseenCodes.has(codeOf(error))) return unseen;
    throw error;
  }
  if (found === undefined) return null;
  const { nlink: links, dev: device, mode } = found;
  const type = found.isFile()
    ? 'file'
    : found.isDirectory()
      ? 'folder'
      : found.isSymbolicLink()
        ? 'link'
        : 'other';
  return { type, links, device, setId: (mode & 0o6000) !== 0 };
}

/** A folder with more names than this is not searched. */
const mostNames = 4096;

function list(folder: string): readonly Listed[] | null {
  const found: Listed[] = [];
  let opened: Dir;
  try {
    opened = opendirSync(folder);
  } catch (error) {
    return noFolder.has(codeOf(error)) ? [] : null;
  }
  try {
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
      if (found.length === mostNames) return null;
      found.push({ name: entry.name, link: entry.isSymbolicLink() });
    }
    return found;
  } finally {
    opened.closeSync();
  }
}

const noFolder: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** A folder as it is named, and its real path if that differs. */
function pathsOf(folder: string): readonly string[] {
  try {
    return [...new Set([folder, diskWorld.realPath(folder) ?? folder])];
  } catch {
    return [folder];
  }
}

/** Largest schema of a source that is read. */
const largestSchema = 16_777_216;
const schemaTexts = new Map<string, { readonly stamp: string; readonly text: string }>();

/** Read again only when the file has changed: a large one would cost each query more than its check does. */
function schemaText(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile()) return null;
  if (found.size > largestSchema) throw new SallyportError('the schema of the source is too large');
  const stamp = `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`;
  const kept = schemaTexts.get(path);
  if (kept?.stamp === stamp) return kept.text;
  const written = readFileSync(path, 'utf8');
  const text = /\.ya?ml$/i.test(path) ? jsonOfYaml(written) : written;
  schemaTexts.set(path, { stamp, text });
  return text;
}

/** The home of the account that agents run as; null if it has no usable one, such as the root of the file system. */
function realHome(): string | null {
  try {
    const { home } = account();
    const real = isAbsolute(home) ? diskWorld.realPath(home) : null;
    return real === '/' ? null : real;
  } catch {
    return null;
  }
}

/** The threads, and the code that starts them, are loaded with the first long code. */
async function followIsolated(code: Code): Promise<unknown> {
  const isolated = await import('./isolated.ts');
  return await isolated.followIsolated(code);
}

/** The thread for uploads, and the code that starts it, are loaded with the first one. */
async function extract(upload: Upload): Promise<Extraction> {
  return await (await import('./extract/index.ts')).extract(upload);
}

/** Loaded once, when code of the language first occurs; a parser that is not installed is null. */
const readers: Readers = {
  // A caller waits for the verdict.
  python: once(async () => (await import('./tree-sitter.ts')).loadPython({ patience: 20 })),
  javascript: once(async () => (await import('./parsers.ts')).loadJavascript()),
  modules: once(async () => (await import('./parsers.ts')).loadModules()),
  code: once(async () => (await import('./parsers.ts')).loadCode()),
  postgres: once(async () => await (await import('./sql.ts')).loadPostgres()),
  mysql: once(async () => await (await import('./sql.ts')).loadDialect('mysql')),
  sqlite: once(async () => await (await import('./sql.ts')).loadDialect('sqlite')),
};

/** Compiles schemas; loaded with the first tool that has one. */
const schemas: Schemas = {
  checkFor: (schema) => compiler(({ checkFor }) => checkFor(schema)),
};
const compiler = lazily(() => import('./schemas.ts'));

function once<Reader>(load: () => Promise<Reader>): () => Promise<Reader | null> {
  let loaded: Promise<Reader | null> | undefined;
  return () => {
    loaded ??= load().catch(() => null);
    return loaded;
  };
}

async function resolve(name: string): Promise<readonly string[]> {
  const { lookup } = await import('node:dns/promises');
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ResolutionFailed(`${name} did not resolve in time`)), resolveTimeout);
  });
  try {
    const found = await Promise.race([lookup(name, { all: true, order: 'verbatim' }), late]);
    return found.map(({ address }) => address);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOTFOUND' || code === 'ENODATA') return [];
    if (error instanceof SallyportError) throw error;
    throw new ResolutionFailed(`${name} could not be resolved`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
