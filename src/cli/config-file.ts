// Adds sections to the user's sallyport.toml.

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Config, loadConfig, paths, prepareHome, writePrivate } from '../config/index.ts';
import { messageOf, SallyportError } from '../core/index.ts';
import type { Call } from './command.ts';
import { openHome, ruleChecks } from './open.ts';

/** The configuration would not load with what is to be added. */
class CannotExtend extends SallyportError {}

/** The user's file, and what is to be added to it. */
export interface Extension {
  readonly file: string;
  /** Empty where there is no file yet. */
  readonly before: string;
  readonly added: string;
  /** The configuration that it would be. */
  readonly config: Config;
}

/**
 * Puts sections behind the user's file, in memory. INVARIANT: what would not load is refused here, before anything is
 * written. `variables` count as set.
 */
export async function extendedConfig(
  call: Call,
  sections: string,
  { variables = {}, hint }: { readonly variables?: Readonly<Record<string, string>>; readonly hint: string },
): Promise<Extension> {
  const { home, world } = openHome(call);
  const named = call.value('config');
  const file = named === undefined ? paths(home).config : resolve(named);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const added = `${before === '' ? '' : before.endsWith('\n') ? '\n' : '\n\n'}${sections}`;
  const readText = (path: string) => (path === file ? before + added : world.readText(path));
  try {
    const config = await loadConfig({
      home,
      environment: { ...call.io.environment, ...variables },
      world: { ...world, readText },
      ...ruleChecks(),
      ...(named === undefined ? {} : { file: named }),
    });
    return { file, before, added, config };
  } catch (error) {
    throw new CannotExtend(`${file} would not load with the new sections: ${messageOf(error)}`, {
      hint,
      cause: error,
    });
  }
}

export function writeExtension(call: Call, { file, before, added }: Extension): void {
  const { home } = openHome(call);
  if (dirname(file) === home) prepareHome(home);
  if (before === '') writePrivate(file, added);
  else appendFileSync(file, added);
}
