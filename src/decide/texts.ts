// The user's own rules about texts, loaded where there are any: commands that need none start sooner.

import type { Settings } from '../config/index.ts';
import type { World } from '../core/index.ts';

let loaded: typeof import('./detection.ts') | undefined;

/** What searches texts. */
export async function detection(): Promise<typeof import('./detection.ts')> {
  loaded ??= await import('./detection.ts');
  return loaded;
}

/** The settings with rules of the user's own made ready; throws `ConfigError` if one of them cannot be used. */
export function withOwnRules(settings: Settings, world: World): Settings | Promise<Settings> {
  const { detect, egress, guidelines } = settings;
  const any = detect.packs.length + egress.rules.length + guidelines.own.length > 0;
  return any ? detection().then(({ prepare }) => prepare(settings, world)) : settings;
}
