// What the guard read in a command, as a person is shown it: programs, effects and flows. Holds the payload.

import type { CommandView } from '../../core/index.ts';
import type { Effect, EffectKind, Origin, Target, Value } from './effects.ts';
import { placesOf, type RuleInput } from './rules/rule.ts';

/** The facts of a rule input, argument by argument. */
export function viewOf(judged: RuleInput): CommandView {
  const { facts, source, pathScope } = judged;
  // Looking on must not use up what judging may take.
  const ruleInput: RuleInput = { ...judged, pathScope: { ...pathScope, spend: () => undefined } };
  const placed = (span: Effect['span']) => ({ span, text: source.slice(...span) });
  return {
    parsed: facts.invocations.map(({ program, args, through, builtin, span }) => ({
      program,
      arguments: args.map(shownValue),
      through,
      builtin,
      ...placed(span),
    })),
    effects: facts.effects.map((effect) => ({ ...effectView(effect, ruleInput), ...placed(effect.span) })),
    flows: flowsOf(facts.effects).map(({ span, ...flow }) => ({ ...flow, ...placed(span) })),
    unknowns: facts.unknowns.map(({ what, span }) => ({ what, ...placed(span) })),
    errors: facts.errors,
  };
}

function effectView(
  effect: Effect,
  ruleInput: RuleInput,
): Omit<CommandView['effects'][number], 'span' | 'text'> {
  const { kind, target, detail, program, through } = effect;
  const [place] = placesOf(effect, ruleInput);
  return {
    kind,
    target: shownTarget(target),
    ...(place?.path == null ? {} : { path: place.path }),
    ...(place === undefined ? {} : { zone: place.zone }),
    ...(detail === undefined ? {} : { detail }),
    recursive: effect.recursive === true,
    force: effect.force === true,
    reversible: effect.reversible === true,
    program,
    through,
  };
}

/** Where data may end. */
const ends: Readonly<Partial<Record<EffectKind, string>>> = {
  connect: 'network',
  message: 'message',
  cloud: 'cloud',
  deploy: 'deployment',
  write: 'file',
  persist: 'file',
  run: 'code',
  database: 'database',
};

/** Which effects data of an origin begins with. */
const beginnings: Readonly<Partial<Record<Origin, EffectKind>>> = { secret: 'secret', network: 'connect' };

/** Data that an effect carries, from its source to its destination. */
function flowsOf(effects: readonly Effect[]): readonly Omit<CommandView['flows'][number], 'text'>[] {
  return effects.flatMap((effect) =>
    (effect.origins ?? []).map((origin) => {
      const sources = effects
        .filter((other) => other !== effect && other.kind === beginnings[origin])
        .flatMap(({ target }) => shownTarget(target) ?? []);
      return {
        from: origin,
        sources: [...new Set(sources)],
        to: ends[effect.kind] ?? effect.kind,
        target: shownTarget(effect.target),
        program: effect.program,
        span: effect.span,
      };
    }),
  );
}

function shownTarget(target: Target): string | null {
  if (target.kind === 'none') return null;
  if (target.kind === 'path') return shownValue(target.path);
  return shownValue(target.kind === 'host' ? target.host : target.name);
}

/** A text as far as it is known; `…` is what is not. */
function shownValue(value: Value): string {
  if (value.kind === 'choice') return value.texts.join('|');
  if (value.kind === 'unknown') return '…';
  return value.kind === 'prefix' ? `${value.text}…` : value.text;
}
