// Finds and reads the files of a configuration; an error names its file.

import { isAbsolute, join, resolve } from 'node:path';
import { messageOf, visible } from '../core/index.ts';
import type { Problem } from '../core/shape.ts';
import type { OwnRule } from './command.ts';
import { ConfigError, problemsError } from './errors.ts';
import { type ConfigWorld, diskWorld, type Environment, isInside, maxConfigBytes, paths } from './home.ts';
import type { OwnProgram } from './programs.ts';
import type { ConfigFile } from './schema.ts';
import type { PolicyFiles } from './sections/guards.ts';
import type { PolicySource } from './settings.ts';

/** A path for people: the home directory as `~`, deceptive characters escaped. */
export function displayPath(path: string, userHome: string | undefined): string {
  const inside = userHome !== undefined && userHome.length > 1 && path.startsWith(`${userHome}/`);
  return visible(inside ? `~${path.slice(userHome.length)}` : path);
}

/** The real path; null if there is no entry. Throws `ConfigError`. */
function realPath(world: Pick<ConfigWorld, 'realPath'>, path: string, shown: string): string | null {
  try {
    return world.realPath(path);
  } catch (error) {
    throw new ConfigError(`${shown}: ${messageOf(error)}`, { file: shown, cause: error });
  }
}

/** The content of a file; null if there is none. Throws `ConfigError`. */
function readText(world: Pick<ConfigWorld, 'readText'>, path: string, shown: string): string | null {
  let text: string | null;
  try {
    text = world.readText(path);
  } catch (error) {
    throw new ConfigError(`${shown}: ${messageOf(error)}`, { file: shown, cause: error });
  }
  // No text has fewer bytes than characters, so this holds for any world.
  if (text !== null && text.length > maxConfigBytes) {
    throw new ConfigError(`${shown}: is larger than ${maxConfigBytes} bytes`, { file: shown });
  }
  return text;
}

/** The inputs of the configuration. */
export interface ConfigSource {
  readonly home: string;
  /** A file to be read instead of the user's own; it must exist, and is trusted. */
  readonly file?: string;
  readonly environment: Environment;
  readonly world?: ConfigWorld;
  /** The keys whose trust in a workspace file counts, once a ledger is open; until then that of approver.json. */
  readonly approverKeys?: () => readonly string[] | null;
  /** Ids of rules that no rule of a file may have; asked for where a file has rules. */
  readonly reservedIds?: () => Promise<ReadonlySet<string>>;
  /** Runs the examples of command rules; omitted only by callers that judge nothing, such as a reader of the ledger. */
  readonly proveRules?: (rules: readonly OwnRule[]) => Promise<readonly Problem[]>;
  /** Runs the examples of program cards, as those of rules. */
  readonly provePrograms?: (programs: readonly OwnProgram[]) => Promise<readonly Problem[]>;
}

/** A file of one level as it was found. */
export interface FoundFile {
  readonly path: string;
  /** The path as people see it. */
  readonly shown: string;
  readonly text: string;
}

/** How far a file is believed. */
export type Level = 'user' | 'trusted' | 'untrusted';

/** The location of the user's file, or the one named instead of it. */
export function userFileName({ home, file, environment }: ConfigSource): Omit<FoundFile, 'text'> {
  const path = file === undefined ? paths(home).config : resolve(file);
  return { path, shown: displayPath(path, environment['HOME']) };
}

/** The user's file, or the one named instead of it; null if the user has none. */
export function findUserFile(source: ConfigSource): FoundFile | null {
  const { path, shown } = userFileName(source);
  const text = readText(source.world ?? diskWorld, path, shown);
  if (text === null && source.file !== undefined) {
    throw new ConfigError(`${shown}: there is no such file`, { file: shown, hint: 'check the path' });
  }
  return text === null ? null : { path, shown, text };
}

/** The file in the root of a workspace; null if there is none, or if it is the user's own. */
export function findWorkspaceFile(
  { environment, world = diskWorld }: ConfigSource,
  workspace: string,
  userFile: FoundFile | null,
): FoundFile | null {
  if (!isAbsolute(workspace)) {
    throw new ConfigError(`a workspace is an absolute path, not "${visible(workspace, 100)}"`);
  }
  const path = join(workspace, 'sallyport.toml');
  const shown = displayPath(path, environment['HOME']);
  const real = realPath(world, path, shown);
  if (real === null) return null;
  if (userFile !== null && real === realPath(world, userFile.path, userFile.shown)) return null;
  if (!isInside(realPath(world, workspace, shown) ?? workspace, real)) {
    throw problemsError(shown, [{ line: 1, column: 1, message: 'the file is a link out of the workspace' }]);
  }
  const text = readText(world, real, shown);
  return text === null ? null : { path: real, shown, text };
}

/** The ids of the rules in a file. */
export function ruleIds(file: ConfigFile): ReadonlySet<string> {
  return new Set([...(file.fetch?.rules ?? []), ...(file.rules ?? [])].map(({ id }) => id));
}

// ── Reads the files of policies: the user's by absolute path, a workspace's only from inside of it.

/** The value if no file is named; one list for all, so that values derived from it are computed once. */
export const noPolicies: readonly PolicySource[] = [];

/** Reads files of policies, and gives the same object for a file that has not changed. */
export class PolicyReader {
  readonly #world: ConfigWorld;
  readonly #environment: Environment;
  /** The user's own files, which every workspace shares. */
  readonly #own = new Map<string, PolicySource>();

  constructor(world: ConfigWorld, environment: Environment) {
    this.#world = world;
    this.#environment = environment;
  }

  /** The files that count in a workspace; the known list itself if nothing has changed. Throws `ConfigError`. */
  read(files: PolicyFiles, workspace: string, known: readonly PolicySource[]): readonly PolicySource[] {
    if (files.own.length + files.workspace.length === 0) return noPolicies;
    const read = [
      ...files.own.map((path) => this.#readOwn(path)),
      ...files.workspace.map((path) => this.#readInside(workspace, path)),
    ];
    const same = read.length === known.length && read.every((source, at) => isSame(source, known[at]));
    return same ? known : read;
  }

  #readOwn(path: string): PolicySource {
    if (!isAbsolute(path))
      throw new ConfigError(`policy.files: "${visible(path, 200)}" is not an absolute path`);
    const read = readPolicyFile(this.#world, path, displayPath(path, this.#environment['HOME']), false);
    const before = this.#own.get(path);
    if (before !== undefined && isSame(before, read)) return before;
    this.#own.set(path, read);
    return read;
  }

  #readInside(workspace: string, path: string): PolicySource {
    const shown = visible(path, 200);
    const real = realPath(this.#world, resolve(workspace, path), shown);
    if (isAbsolute(path) || (real !== null && !isInside(workspace, real))) {
      throw new ConfigError(`policy.files: "${shown}" does not lie in the workspace`);
    }
    return readPolicyFile(this.#world, real ?? resolve(workspace, path), shown, true);
  }
}

/** One file of policies; throws `ConfigError` if there is none. */
export function readPolicyFile(
  world: Pick<ConfigWorld, 'readText'>,
  path: string,
  name: string,
  workspace: boolean,
): PolicySource {
  const text = readText(world, path, name);
  if (text === null) throw new ConfigError(`${name}: there is no such file`, { file: name });
  return { name, text: text.replace(/^\ufeff/, ''), workspace };
}

function isSame(one: PolicySource, other: PolicySource | undefined): boolean {
  return one.name === other?.name && one.text === other.text && one.workspace === other.workspace;
}
