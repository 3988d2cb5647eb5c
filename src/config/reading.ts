// Reads the files of a configuration; what goes wrong says which file it was.

import { messageOf } from '../core/index.ts';
import { ConfigError } from './errors.ts';
import { type ConfigWorld, maxConfigBytes } from './home.ts';

/** Where a path really leads; null where nothing is. Throws `ConfigError`. */
export function realPath(world: Pick<ConfigWorld, 'realPath'>, path: string, shown: string): string | null {
  try {
    return world.realPath(path);
  } catch (error) {
    throw new ConfigError(`${shown}: ${messageOf(error)}`, { file: shown, cause: error });
  }
}

/** What a file holds; null where there is none. Throws `ConfigError`. */
export function readText(world: Pick<ConfigWorld, 'readText'>, path: string, shown: string): string | null {
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
