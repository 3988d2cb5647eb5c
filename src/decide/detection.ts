// Detection with the user's own rules, and the texts of records: a text passes the egress guard before it is stored.

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

/** The rule sets for outgoing texts, by the settings that they were made for. */
const made = new Map<string, Promise<Ruleset>>();
const mostMade = 16;

/** The rules for outgoing texts, with the user's own; throws `ConfigError` if those cannot be used. */
export function egressRuleset(settings: OwnRules, world: Reader): MaybePromise<Ruleset> {
  if (settings.detect.packs.length + settings.egress.rules.length === 0) return egressRules();
  const key = keyOf(settings);
  let rules = made.get(key);
  if (rules === undefined) {
    rules = compiledRules(settings, world).then(egressRules);
    if (made.size >= mostMade) made.clear();
    made.set(key, rules);
    // A file that could not be read may exist next time.
    rules.catch(() => made.delete(key));
  }
  return rules;
}

/** The user's own rules, compiled: the compiler is loaded only for users who have such rules. */
async function compiledRules(settings: OwnRules, world: Reader): Promise<readonly CompiledRule[]> {
  const { ownRules } = await import('./own-rules.ts');
  return await ownRules(settings, world);
}

const keys = new WeakMap<OwnRules, string>();

/** The key of the rule sets; serialized once, since every outgoing text needs it. */
function keyOf(settings: OwnRules): string {
  let key = keys.get(settings);
  if (key === undefined) {
    key = JSON.stringify([settings.detect, settings.egress]);
    keys.set(settings, key);
  }
  return key;
}

/** Settings that contain rules of the user's own, and their compiled form for the guards that read texts. */
export type WithSecrets = Settings & { readonly secrets: Ruleset };

const prepared = new WeakMap<Settings, Promise<WithSecrets>>();

/** Compiles the user's own rules in the settings; throws `ConfigError` if one of them cannot be used. */
export function prepare(settings: Settings, world: Reader): Promise<WithSecrets> {
  let made = prepared.get(settings);
  if (made === undefined) {
    made = prepareOnce(settings, world);
    prepared.set(settings, made);
    // A file that could not be read may exist next time.
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

/**
 * The matches of the user's own rules in texts; undefined if there are none. Throws `ConfigError` like the rule set.
 */
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

/** By the rule set for outgoing texts: the user's part of it. */
const finders = new WeakMap<Ruleset, Ruleset>();

/**
 * Removes from a record what must not be stored. If the user's rules cannot be used, the action has been refused; the
 * record of that is redacted by the built-in rules.
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
} /** `secrets` omits the rules about paths: a user may see where a file is. */
export type EgressPart = 'all' | 'secrets';

export interface EgressPlace {
  /** Real path of the folder that may be named in texts; empty: none. */
  readonly workspace: string;
  /** Other folders that may be named. */
  readonly folders?: readonly string[];
  readonly part?: EgressPart;
}
