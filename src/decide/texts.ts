// The user's own rules about texts, loaded where there are any: commands that need none start sooner.

import type { Settings } from '../config/index.ts';
import type { World } from '../core/index.ts';

type Detection = typeof import('./detection.ts');

let loaded: Detection | undefined;

/** What searches texts. */
export async function detection(): Promise<Detection> {
  loaded ??= await import('./detection.ts');
  return loaded;
}

/** What may be written down of some texts; a promise only where something has to be loaded or read first. */
export function recordable(
  ...given: Parameters<Detection['recordable']>
): ReturnType<Detection['recordable']> {
  return loaded === undefined
    ? detection().then((own) => own.recordable(...given))
    : loaded.recordable(...given);
}

/** The settings with rules of the user's own made ready; throws `ConfigError` if one of them cannot be used. */
export function withOwnRules(settings: Settings, world: World): Settings | Promise<Settings> {
  const { detect, egress, guidelines } = settings;
  const any = detect.packs.length + egress.rules.length + guidelines.own.length > 0;
  return any ? detection().then(({ prepare }) => prepare(settings, world)) : settings;
}
