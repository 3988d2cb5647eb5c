// Detection with the user's own rules, and the texts of records: what is written down passes the egress guard.

import { dirname, isAbsolute, join } from 'node:path';
import { type Config, ConfigError, type Settings } from '../config/index.ts';
import { loadTomlParser } from '../config/toml.ts';
import {
  attempt,
  type Context,
  type Found,
  isJsonObject,
  type JsonObject,
  type MaybePromise,
  messageOf,
  visible,
  type World,
  whenReady,
} from '../core/index.ts';
import {
  builtin,
  type CompiledRule,
  compilePack,
  createRuleset,
  isGitleaks,
  packProblems,
  type RuleSource,
  type Ruleset,
  readGitleaks,
  readPack,
  scan,
} from '../detect/index.ts';
import { createEgress, egressRules } from '../guards/egress/index.ts';
import { guidelinesOf } from '../guards/response/guidelines/index.ts';

export type OwnRules = Pick<Settings, 'detect' | 'egress'>;
type Reader = Pick<World, 'readText'>;

/** Most files that one pack may lead to. */
const longestChain = 5;

/** The user's own rules, compiled; throws `ConfigError` with every reason why one cannot be used. */
export async function ownRules(
  { detect, egress }: OwnRules,
  world: Reader,
): Promise<readonly CompiledRule[]> {
  const packs = await Promise.all(detect.packs.map((path) => readPackFile(path, world)));
  return [...compiled('egress.redaction_rules', egress.rules), ...packs.flat()];
}

/** Reads a file of rules, in our form or in gitleaks'. */
export async function readPackFile(
  path: string,
  world: Reader,
  chain: readonly string[] = [],
): Promise<readonly CompiledRule[]> {
  const shown = visible(path, 200);
  if (!isAbsolute(path)) throw new ConfigError(`detect.packs: "${shown}" is not an absolute path`);
  if (chain.includes(path) || chain.length >= longestChain) {
    throw new ConfigError(`${shown}: its "extend" leads in a circle or too far`);
  }
  const value = await readTables(path, shown, world);
  if (!isGitleaks(value)) return compiled(shown, sources(shown, value));
  const { rules, refused, extends: base, disabled } = inFile(shown, () => readGitleaks(value));
  if (refused.length > 0) {
    const reasons = refused.map(({ id, reason }) => `rule ${id}: ${reason}`).join('\n');
    throw new ConfigError(`${shown}: ${refused.length} of its rules cannot be used:\n${reasons}`, {
      hint: 'mend them, or name them in disabledRules of [extend]',
    });
  }
  if (base === undefined) return rules;
  const below = await readPackFile(join(dirname(path), base), world, [...chain, path]);
  const replaced = new Set([...rules.map(({ id }) => id), ...disabled]);
  return [...below.filter(({ id }) => !replaced.has(id)), ...rules];
}

async function readTables(path: string, shown: string, world: Reader): Promise<JsonObject> {
  const text = world.readText(path);
  if (text === null) throw new ConfigError(`${shown}: there is no such file`);
  const parse = await loadTomlParser();
  const value = inFile(shown, () => parse(text));
  if (!isJsonObject(value)) throw new ConfigError(`${shown}: it is not a table`);
  return value;
}

function sources(shown: string, value: JsonObject): readonly RuleSource[] {
  return inFile(shown, () => readPack(value));
}

function compiled(shown: string, rules: readonly RuleSource[]): readonly CompiledRule[] {
  return inFile(shown, () => {
    const made = compilePack(rules, 'user');
    const problems = packProblems(rules, made);
    if (problems.length > 0) throw new ConfigError(problems.join('\n'));
    return made;
  });
}

/** Errors that arise in a file name it. */
function inFile<T>(shown: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new ConfigError(`${shown}: ${messageOf(error)}`, { cause: error });
  }
}

/** The rule sets for texts that leave, by the settings that they were made for. */
const made = new Map<string, Promise<Ruleset>>();
const mostMade = 16;

/** The rules for texts that leave, with the user's own; throws `ConfigError` if those cannot be used. */
export function egressRuleset(settings: OwnRules, world: Reader): MaybePromise<Ruleset> {
  if (settings.detect.packs.length + settings.egress.rules.length === 0) return egressRules();
  const key = keyOf(settings);
  let rules = made.get(key);
  if (rules === undefined) {
    rules = ownRules(settings, world).then(egressRules);
    if (made.size >= mostMade) made.clear();
    made.set(key, rules);
    // A file that could not be read may be there next time.
    rules.catch(() => made.delete(key));
  }
  return rules;
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
  guidelinesOf(settings.guidelines);
  const own = await ownRules({ ...settings, egress: { ...settings.egress, rules: [] } }, world);
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
  readonly part?: EgressPart;
}
