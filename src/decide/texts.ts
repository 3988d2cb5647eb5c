// The user's own rules about texts, loaded where there are any: commands that need none start sooner.

import type { Settings } from '../config/index.ts';
import { lazily, type World } from '../core/index.ts';

/** What searches texts. */
export const detection = lazily(() => import('./detection.ts'));

/** The settings with rules of the user's own made ready; throws `ConfigError` if one of them cannot be used. */
export function withOwnRules(settings: Settings, world: World): Settings | Promise<Settings> {
  const { detect, egress, guidelines } = settings;
  const any = detect.packs.length + egress.rules.length + guidelines.own.length > 0;
  return any ? detection(({ prepare }) => prepare(settings, world)) : settings;
}
