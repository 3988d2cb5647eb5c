// The user's own rules about texts, loaded where there are any: commands that need none start sooner.

import type { Settings } from '../config/index.ts';
import { type GuardInput, lazily, type MaybePromise, type World } from '../core/index.ts';

/** What searches texts. */
export const detection = lazily(() => import('./detection.ts'));

type Finder = GuardInput<Settings>['find'];

/** What rules of the user's own find; undefined where there are none, and throws where they cannot be used. */
export function ownFinder(settings: Settings, world: World): MaybePromise<Finder> {
  const { detect, egress } = settings;
  if (detect.packs.length + egress.rules.length === 0) return undefined;
  return detection((own) => own.ownFinder(settings, world));
}

/** The settings with rules of the user's own made ready; throws `ConfigError` if one of them cannot be used. */
export function withOwnRules(settings: Settings, world: World): MaybePromise<Settings> {
  const { detect, egress, guidelines } = settings;
  const any = detect.packs.length + egress.rules.length + guidelines.own.length > 0;
  return any ? detection(({ prepare }) => prepare(settings, world)) : settings;
}
