// Reads the files that policies stand in: the user's by absolute path, a workspace's only from inside of it.

import { isAbsolute, resolve } from 'node:path';
import { visible } from '../core/index.ts';
import { ConfigError, displayPath } from './errors.ts';
import { type ConfigWorld, type Environment, isInside } from './home.ts';
import { readText, realPath } from './reading.ts';
import type { PolicyFiles } from './sections/guards.ts';
import type { PolicySource } from './settings.ts';

/** Where no file is named; one list for all, so that what is made of it is made once. */
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
