// How the daemon was started last, so that the client of a host can start it again in the same way.

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { type HomePaths, writePrivate } from '../config/index.ts';
import { parseJson } from '../core/index.ts';
import { list, object, readShape, text } from '../core/shape.ts';
import type { Call } from './command.ts';

/** What a start takes over from the one before. */
interface LastStart {
  /** The options that were given. */
  readonly options: readonly string[];
  /** Where the daemon finds programs: a client of a host has no PATH of its own. */
  readonly path: string;
}

const word = text({ min: 1, max: 4096 });
const shape = object({ options: list(word, { max: 20 }), path: text({ max: 100_000 }) });

/** Notes how the daemon is started now; a person wants it to run from here on. */
export function noteStart(call: Call, paths: HomePaths): void {
  const given = (name: string, value: string | undefined) =>
    value === undefined ? [] : [`--${name}`, value];
  const config = call.value('config');
  const options = [
    ...given('port', call.value('port')),
    ...given('log', call.value('log')),
    ...given('config', config === undefined ? undefined : resolve(call.io.folder(), config)),
  ];
  writeStart(paths, { options, path: call.io.environment['PATH'] ?? '' });
  rmSync(paths.stopped, { force: true });
}

/** Notes where programs are found, for a daemon that was never started by a person. */
export function notePath(call: Call, paths: HomePaths): void {
  if (!existsSync(paths.start)) writeStart(paths, { options: [], path: call.io.environment['PATH'] ?? '' });
}

function writeStart(paths: HomePaths, start: LastStart): void {
  writePrivate(paths.start, `${JSON.stringify(start)}\n`);
}

/** How the daemon was started last; nothing special where that is not known. */
export function lastStart({ start: file }: HomePaths): LastStart {
  try {
    return readShape(shape, parseJson(readFileSync(file, 'utf8')));
  } catch {
    return { options: [], path: '' };
  }
}
