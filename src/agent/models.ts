// Finds the model of a task by its name: a file of turns, or a provider of the configuration and what it calls the model.

import type { Config } from '../config/index.ts';
import { UsageError, visible, type World } from '../core/index.ts';
import type { Model } from './model.ts';
import type { ProviderParts } from './provider.ts';

export interface ModelParts extends ProviderParts {
  readonly config: Pick<Config, 'providers'>;
  readonly world: World;
}

const scriptPrefix = 'script:';

/** The model of a name; throws `UsageError` where there is none, and `InputError` for a script that cannot be read. */
export async function openModel(name: string, parts: ModelParts): Promise<Model> {
  const { config, world } = parts;
  if (name.startsWith(scriptPrefix)) {
    const { openScript } = await import('./scripted.ts');
    return openScript(name.slice(scriptPrefix.length), world);
  }
  const slash = name.indexOf('/');
  const known = config.providers.map((provider) => provider.name);
  const provider = config.providers.find((one) => one.name === name.slice(0, slash));
  if (slash < 1 || provider === undefined || name.length === slash + 1) {
    throw new UsageError(
      `"${visible(name, 100)}" names no model`,
      `a model is PROVIDER/MODEL, with one of ${known.join(', ')}, or script:FILE`,
    );
  }
  const { openProvider } = await import('./provider.ts');
  return await openProvider(provider, name.slice(slash + 1), parts);
}
