// Finds the model of a task by its name: a file of turns, or a provider of the configuration and what it calls the model.

import type { Config } from '../config/index.ts';
import { UsageError, visible, type World } from '../core/index.ts';
import type { Records } from '../decide/index.ts';
import type { Model } from './model.ts';

export interface ModelParts {
  readonly config: Pick<Config, 'providers'>;
  readonly ledger: Records;
  readonly world: World;
}

const scriptPrefix = 'script:';

/** The model of a name; throws `UsageError` where there is none, and `InputError` for a script that cannot be read. */
export async function openModel(name: string, { world }: ModelParts): Promise<Model> {
  if (name.startsWith(scriptPrefix)) {
    const { openScript } = await import('./scripted.ts');
    return openScript(name.slice(scriptPrefix.length), world);
  }
  throw new UsageError(`there is no model ${visible(name, 100)}`);
}
