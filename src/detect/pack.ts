// Reads a pack of rules in our own form, strictly: an unknown key, a pattern that cannot be used or an example that
// does not come out as written is a refusal with its reason.

import { messageOf } from '../core/index.ts';
import {
  choice,
  flag,
  type Infer,
  list,
  object,
  optional,
  readShape,
  type Shape,
  text,
} from '../core/shape.ts';
import { compileRule, ownLimits } from './compile.ts';
import { type Generators, runRuleExamples } from './examples.ts';
import type { CompiledRule, PackName, RuleSource } from './rule.ts';
import { createRuleset } from './ruleset.ts';

/** A rule or a pack that is refused. */
export class PackError extends Error {
  override readonly name = 'PackError';
}

const words = (max = 60) => list(text({ min: 1, max }), { max: 60 });
const number: Shape<number> = {
  schema: { type: 'number', minimum: 0, maximum: 8 },
  optional: false,
  read(value, path, report) {
    if (typeof value !== 'number' || !(value >= 0 && value <= 8)) {
      report({ path, message: 'must be a number between 0 and 8' });
    }
    return value as number;
  },
};

const rule = object({
  id: text({ pattern: /^[a-z0-9]+(?:-[a-z0-9]+)*$/, max: 60, what: 'an id such as "acme-token"' }),
  name: text({ min: 1, max: 120 }),
  kind: text({ pattern: /^[a-z0-9]+(?:-[a-z0-9]+)*$/, max: 40, what: 'a kind such as "api-key"' }),
  keywords: optional(words()),
  anchor: optional(choice(['digit'])),
  pattern: optional(text({ min: 1, max: 2000 })),
  assigned: optional(words()),
  value: optional(text({ min: 1, max: 1000 })),
  loose: optional(flag()),
  check: optional(words()),
  entropy: optional(number),
  allow: optional(words(1000)),
  near: optional(words()),
  within: optional(number96()),
  gate: optional(words()),
  swallow: optional(choice(['pem'])),
  common: optional(flag()),
  path: optional(text({ min: 1, max: 1000 })),
  examples: object({ hit: list(text({ min: 1, max: 8000 })), miss: list(text({ min: 1, max: 8000 })) }),
});

function number96(): Shape<number> {
  return {
    ...number,
    schema: { type: 'integer', minimum: 1, maximum: 96 },
    read(value, path, report) {
      if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > 96) {
        report({ path, message: 'must be a whole number between 1 and 96' });
      }
      return value as number;
    },
  };
}

const pack = object({ rules: list(rule) });

/** Reads the rules of a pack from its values, as TOML gives them. */
export function readPack(value: unknown): readonly RuleSource[] {
  const { rules }: Infer<typeof pack> = readShape(pack, value);
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
  const refused: string[] = [];
  const compiled = rules.flatMap((source) => {
    try {
      return [compileRule(source, name, ownLimits)];
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
