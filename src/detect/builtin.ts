// The packs that come with the product, prebuilt from rules/ by `npm run rules`.

import { paths } from './packs/paths.ts';
import { pii } from './packs/pii.ts';
import { secrets } from './packs/secrets.ts';
import type { CompiledRule } from './rule.ts';
import { createRuleset, type Ruleset } from './ruleset.ts';

export type BuiltinPack = 'secrets' | 'pii' | 'paths';

const packs: Readonly<Record<BuiltinPack, readonly CompiledRule[]>> = { secrets, pii, paths };
const ready = new Map<string, Ruleset>();

/** The built-in rules of one or more packs, made ready when first asked for. */
export function builtin(...names: readonly BuiltinPack[]): Ruleset {
  const key = names.join();
  let ruleset = ready.get(key);
  if (ruleset === undefined) {
    ruleset = createRuleset(names.flatMap((name) => packs[name]));
    ready.set(key, ruleset);
  }
  return ruleset;
}
