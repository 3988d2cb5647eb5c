// Detection with the user's own rules, and the texts of records: what is written down passes the egress guard.

import type { Config, Settings } from '../config/index.ts';
import {
  attempt,
  type Context,
  type Found,
  type JsonObject,
  type MaybePromise,
  type World,
  whenReady,
} from '../core/index.ts';
import { builtin, type CompiledRule, createRuleset, type Ruleset, scan } from '../detect/index.ts';
import { createEgress, egressRules } from '../guards/egress/index.ts';
import type { OwnRules } from './own-rules.ts';

type Reader = Pick<World, 'readText'>;

/** The rule sets for texts that leave, by the settings that they were made for. */
const made = new Map<string, Promise<Ruleset>>();
const mostMade = 16;

/** The rules for texts that leave, with the user's own; throws `ConfigError` if those cannot be used. */
export function egressRuleset(settings: OwnRules, world: Reader): MaybePromise<Ruleset> {
  if (settings.detect.packs.length + settings.egress.rules.length === 0) return egressRules();
  const key = keyOf(settings);
  let rules = made.get(key);
  if (rules === undefined) {
    rules = compiledRules(settings, world).then(egressRules);
    if (made.size >= mostMade) made.clear();
    made.set(key, rules);
    // A file that could not be read may be there next time.
    rules.catch(() => made.delete(key));
  }
  return rules;
}

/** The user's own rules, compiled: what that takes is loaded for those who have some. */
async function compiledRules(settings: OwnRules, world: Reader): Promise<readonly CompiledRule[]> {
  const { ownRules } = await import('./own-rules.ts');
  return await ownRules(settings, world);
}

const keys = new WeakMap<OwnRules, string>();

/** What rule sets are made for; written once, since every text that leaves asks for it. */
function keyOf(settings: OwnRules): string {
  let key = keys.get(settings);
  if (key === undefined) {
    key = JSON.stringify([settings.detect, settings.egress]);
    keys.set(settings, key);
  }
  return key;
}

/** Settings that hold rules of the user's own, and what those were compiled to for the guards that read texts. */
export type WithSecrets = Settings & { readonly secrets: Ruleset };

const prepared = new WeakMap<Settings, Promise<WithSecrets>>();

/** The settings with the user's own rules made ready; throws `ConfigError` if one of them cannot be used. */
export function prepare(settings: Settings, world: Reader): Promise<WithSecrets> {
  let made = prepared.get(settings);
  if (made === undefined) {
    made = prepareOnce(settings, world);
    prepared.set(settings, made);
    // A file that could not be read may be there next time.
    made.catch(() => prepared.delete(settings));
  }
  return made;
}

async function prepareOnce(settings: Settings, world: Reader): Promise<WithSecrets> {
  await egressRuleset(settings, world);
  const { guidelinesOf } = await import('../guards/response/guidelines/index.ts');
  guidelinesOf(settings.guidelines);
  const own = await compiledRules({ ...settings, egress: { ...settings.egress, rules: [] } }, world);
  const known = builtin('secrets');
  return { ...settings, secrets: own.length === 0 ? known : createRuleset([...own, ...known.rules]) };
}

/** What the user's own rules find in texts; undefined where there are none. Throws `ConfigError` like the rule set. */
export async function ownFinder(
  settings: OwnRules,
  world: Reader,
): Promise<((text: string) => readonly Found[]) | undefined> {
  const ruleset = await egressRuleset(settings, world);
  let own = finders.get(ruleset);
  if (own === undefined) {
    own = createRuleset(ruleset.rules.filter(({ pack }) => pack === 'user'));
    finders.set(ruleset, own);
  }
  const rules = own;
  return rules.rules.length === 0 ? undefined : (text) => scan(text, rules);
}

/** By the rule set for texts that leave: the user's part of it. */
const finders = new WeakMap<Ruleset, Ruleset>();

/**
 * Takes out of a record what must not be kept. Where the user's rules cannot be used, the action has been refused;
 * the record of that passes our own rules.
 */
export function recordable(
  texts: JsonObject,
  context: Context,
  config: Pick<Config, 'settingsFor'>,
  world: Reader,
): MaybePromise<JsonObject> {
  const rules = attempt(
    () => whenReady(config.settingsFor(context), (settings) => egressRuleset(settings, world)),
    () => egressRules(),
  );
  return whenReady(rules, (ruleset) => {
    const { value, redactions } = createEgress({ workspace: context.workspace, ruleset }).value(texts);
    return Object.keys(redactions).length === 0 ? value : { ...value, redactions };
  });
} /** `secrets` leaves the rules about paths out: where something is, its user may see. */
export type EgressPart = 'all' | 'secrets';

export interface EgressPlace {
  /** Real path of the folder that may be spoken of; empty: none. */
  readonly workspace: string;
  /** Other folders that may be. */
  readonly folders?: readonly string[];
  readonly part?: EgressPart;
}
