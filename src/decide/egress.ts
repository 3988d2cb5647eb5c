// Redacts texts before they leave, also by the user's own rules: synchronously, or on a worker thread if they are long.

import {
  BudgetExceeded,
  type JsonObject,
  lazily,
  type MaybePromise,
  type World,
  whenReady,
} from '../core/index.ts';
import { createRuleset, type Ruleset } from '../detect/index.ts';
import { createEgress, type Egress } from '../guards/egress/index.ts';
import { type EgressPlace, egressRuleset } from './detection.ts';
import { isLong } from './long.ts';
import type { OwnRules } from './own-rules.ts';

/**
 * The egress guard without streams. INVARIANT: returned values have passed it; if that cannot be ensured, it throws.
 */
export type TextEgress = {
  readonly [name in 'text' | 'value']: (
    ...given: Parameters<Egress[name]>
  ) => MaybePromise<ReturnType<Egress[name]>>;
};

/** Loaded with the first long text. */
const isolated = lazily(() => import('./isolated.ts'));

/** The egress guard for one destination; throws `ConfigError` if the user's own rules cannot be used. */
export function egressIn(
  settings: OwnRules,
  world: Pick<World, 'readText' | 'isolation'>,
  place: EgressPlace,
): MaybePromise<TextEgress> {
  return whenReady(egressHere(settings, world, place), (here) =>
    world.isolation === undefined ? here : whereItFits(here, settings, world.isolation, place),
  );
}

function whereItFits(
  here: Egress,
  { detect, egress }: OwnRules,
  isolation: NonNullable<World['isolation']>,
  { workspace, folders = [], part = 'all' }: EgressPlace,
): TextEgress {
  const elsewhere = async <Given extends string | JsonObject>(given: Given) => {
    const settings = { detect, egress };
    const answer = await isolated(({ redactIsolated }) =>
      redactIsolated({ settings, isolation, workspace, folders, part, given }),
    );
    if (answer === null) throw new BudgetExceeded('it is too long to be searched for secrets in time');
    if (answer === 'clean') return { left: given, redactions: {} };
    // INVARIANT: a text stays a text, and a value stays a value.
    return { left: answer.left as Given, redactions: answer.redactions };
  };
  return {
    text: (text) =>
      isLong(text)
        ? elsewhere(text).then(({ left, redactions }) => ({ text: left, redactions }))
        : here.text(text),
    value: (value) =>
      isLong(value)
        ? elsewhere(value).then(({ left, redactions }) => ({ value: left, redactions }))
        : here.value(value),
  };
}

/** The same, on the calling thread only. */
export function egressHere(
  settings: OwnRules,
  world: Pick<World, 'readText'>,
  { workspace, folders = [], part = 'all' }: EgressPlace,
): MaybePromise<Egress> {
  return whenReady(egressRuleset(settings, world), (all) =>
    createEgress({ workspace, folders, ruleset: part === 'all' ? all : secretsOf(all) }),
  );
}

/** Rule sets without the rules about paths, each compiled once. */
const withoutPaths = new WeakMap<Ruleset, Ruleset>();

function secretsOf(all: Ruleset): Ruleset {
  let ruleset = withoutPaths.get(all);
  if (ruleset === undefined) {
    ruleset = createRuleset(all.rules.filter(({ pack }) => pack !== 'paths'));
    withoutPaths.set(all, ruleset);
  }
  return ruleset;
}
