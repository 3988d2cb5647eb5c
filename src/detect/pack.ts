// Reads a pack of rules in our own form, strictly: an unknown key, a pattern that cannot be used or an example that
// does not come out as written is a refusal with its reason.

import { detectionRule } from '../config/detection.ts';
import { messageOf } from '../core/index.ts';
import { list, object, readShape } from '../core/shape.ts';
import { compileRule, ownLimits, userLimits } from './compile.ts';
import { type Generators, runRuleExamples } from './examples.ts';
import type { CompiledRule, PackName, RuleSource } from './rule.ts';
import { createRuleset } from './ruleset.ts';

/** A rule or a pack that is refused. */
class PackError extends Error {
  override readonly name = 'PackError';
}

const pack = object({ rules: list(detectionRule) });

/** Reads the rules of a pack from its values, as TOML gives them. */
export function readPack(value: unknown): readonly RuleSource[] {
  const { rules } = readShape(pack, value);
  const ids = new Set<string>();
  for (const { id, examples } of rules) {
    if (ids.has(id)) throw new PackError(`there are two rules "${id}"`);
    ids.add(id);
    if (examples.hit.length === 0 || examples.miss.length === 0) {
      throw new PackError(`rule ${id}: it needs an example that hits and one that misses`);
    }
  }
  return rules;
}

/** Compiles a pack; throws with the reason for every rule that is refused. */
export function compilePack(rules: readonly RuleSource[], name: PackName): readonly CompiledRule[] {
  const limits = name === 'user' ? { ...ownLimits, ways: userLimits.ways } : ownLimits;
  const refused: string[] = [];
  const compiled = rules.flatMap((source) => {
    try {
      return [compileRule(source, name, limits)];
    } catch (error) {
      refused.push(`rule ${source.id}: ${messageOf(error)}`);
      return [];
    }
  });
  if (refused.length > 0) throw new PackError(refused.join('\n'));
  return compiled;
}

/** What is wrong with the examples of a pack's rules, each run against its own rule. */
export function packProblems(
  rules: readonly RuleSource[],
  compiled: readonly CompiledRule[],
  generators: Generators = {},
): readonly string[] {
  return rules.flatMap((source, index) => {
    const own = compiled[index];
    return own === undefined ? [] : runRuleExamples(source, createRuleset([own]), generators);
  });
}
