// The user's own detection rules: those of the configuration and of files that it names, compiled.

import { dirname, isAbsolute, join } from 'node:path';
import { ConfigError, type Settings } from '../config/index.ts';
import { loadTomlParser } from '../config/toml.ts';
import { isJsonObject, type JsonObject, messageOf, visible, type World } from '../core/index.ts';
import { isGitleaks, readGitleaks } from '../detect/gitleaks.ts';
import type { CompiledRule, RuleSource } from '../detect/index.ts';
import { compilePack, packProblems, readPack } from '../detect/pack.ts';

export type OwnRules = Pick<Settings, 'detect' | 'egress'>;
type Reader = Pick<World, 'readText'>;

/** Most files that one pack may include. */
const longestChain = 5;

/** The user's own rules, compiled; throws `ConfigError` with every reason why one cannot be used. */
export async function ownRules(
  { detect, egress }: OwnRules,
  world: Reader,
): Promise<readonly CompiledRule[]> {
  const packs = await Promise.all(detect.packs.map((path) => readPackFile(path, world)));
  return [...compiled('egress.redaction_rules', egress.rules), ...packs.flat()];
}

/** Reads a file of rules, in our format or in that of gitleaks. */
async function readPackFile(
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

/** Errors in a file name that file. */
function inFile<T>(shown: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new ConfigError(`${shown}: ${messageOf(error)}`, { cause: error });
  }
}
