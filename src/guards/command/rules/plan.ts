// Law: plan mode reads and changes nothing.

import { type Finding, modeDecision } from '../../../core/index.ts';
import type { Effect } from '../effects.ts';
import { sends } from './network.ts';
import { type CommandRule, hit, placesOf, type RuleInput, shell } from './rule.ts';

const planModeChange: CommandRule = {
  id: 'plan_mode_change',
  guard: 'command',
  layer: 1,
  decision: 'block',
  reason: 'Plan mode reads and changes nothing.',
  suggestion: 'Leave plan mode before running this; reading is still allowed.',
  contract: 'AG-TOOL-1',
  examples: {
    hit: [shell('touch a.txt', { mode: 'plan' }), shell('npm install', { mode: 'plan' })],
    miss: [shell('git diff', { mode: 'plan' }), shell('cat a.txt', { mode: 'plan' }), shell('touch a.txt')],
  },
};

/** The rule of plan mode. */
export const planRules: readonly CommandRule[] = [planModeChange];

/** Details of effects that look and leave everything as it is. */
const looks: ReadonlySet<string> = new Set(['read', 'list', 'status', 'dry-run']);

/** Whether an effect changes something when it happens. */
export function changes(effect: Effect, ruleInput: RuleInput): boolean {
  switch (effect.kind) {
    case 'read':
    case 'secret':
    case 'inert':
      return false;
    case 'connect':
      return sends(effect);
    case 'write': {
      const places = placesOf(effect, ruleInput);
      return places.length === 0 || places.some(({ zone }) => zone !== 'stream');
    }
    case 'privilege':
      return effect.program !== 'sudo' && effect.program !== 'doas';
    default:
      return !looks.has(effect.detail ?? '');
  }
}

/** What plan mode refuses: the first change of each segment. */
export function planFindings(ruleInput: RuleInput): readonly Finding[] {
  if (modeDecision('run', ruleInput.mode) !== 'block') return [];
  return ruleInput.facts.effects
    .filter((effect) => changes(effect, ruleInput))
    .map(({ span }) => hit(ruleInput, planModeChange, { span, why: 'it changes something' }));
}
