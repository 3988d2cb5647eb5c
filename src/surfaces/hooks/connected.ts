// Which files of hosts hold our hooks, as the home's registry says, and how such files are read and written.

import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { type HomePaths, refuseOwnPlace, writeForAccount, writePrivate } from '../../config/index.ts';
import { InputError, messageOf, parseJson, visible } from '../../core/index.ts';
import { choice, list, object, optional, readShape, text } from '../../core/shape.ts';
import { type HostName, hostNames } from './host.ts';
import { scopes, type WiringScope } from './wiring.ts';

/** One file of a host that names our client. */
export interface ConnectedHost {
  readonly host: HostName;
  readonly file: string;
  /** Absent where an earlier version wrote it down. */
  readonly scope?: WiringScope;
  /** Keyed hash of the client as it was written; absent where an earlier version wrote it. */
  readonly client?: string;
  /** Keyed hash of our hooks in the file as they were written; only the log has it. */
  readonly hooks?: string;
}

const registryShape = object({
  hosts: list(
    object({
      host: choice(hostNames),
      file: text({ min: 1, max: 4096 }),
      scope: optional(choice(scopes)),
      client: optional(text({ min: 1, max: 256 })),
    }),
    { max: 1000 },
  ),
});

/** The files that were wired; throws `InputError` if what is written about them cannot be read. */
export function recordedHosts({ hosts: file }: Pick<HomePaths, 'hosts'>): readonly ConnectedHost[] {
  if (!existsSync(file)) return [];
  try {
    return readShape(registryShape, parseJson(readFileSync(file, 'utf8'))).hosts;
  } catch (error) {
    throw new InputError(`${visible(file)} cannot be read: ${messageOf(error)}`, {
      hint: "move it away and connect your hosts again: 'sallyport init HOST'",
    });
  }
}

/** Writes the registry, whole; without any file in it, it goes. */
export function writeConnectedHosts(
  { hosts: file }: Pick<HomePaths, 'hosts'>,
  wired: readonly ConnectedHost[],
): void {
  if (wired.length === 0) rmSync(file, { force: true });
  else writePrivate(file, registryText(wired));
}

/** The registry as a text. */
export function registryText(wired: readonly ConnectedHost[]): string {
  return `${JSON.stringify({ hosts: wired.map(({ hooks: _, ...one }) => one) }, null, 2)}\n`;
}

/** Writes a settings file whole or not at all, open to those that it was open to; null takes it away. */
export function writeSettings(file: string, content: string | null): void {
  if (content === null) {
    refuseOwnPlace(file);
    rmSync(file, { force: true });
    return;
  }
  writeForAccount(file, content, existsSync(file) ? statSync(file).mode & 0o777 : 0o600);
}
