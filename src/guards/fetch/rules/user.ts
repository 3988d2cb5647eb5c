// Rule: a rule of the user's own adds a finding where its pattern hits the host or an address behind it; it never
// takes one away.

import type { FetchRule } from '../../../config/sections/guards.ts';
import { type Destination, hitsTarget, parseDestination, type Target } from '../../../core/destination.ts';
import type { Finding } from '../../../core/index.ts';
import type { Span } from '../facts.ts';
import { contract } from './finding.ts';

type Parsed = readonly (readonly [FetchRule, Destination])[];

const parsedRules = new WeakMap<readonly FetchRule[], Parsed>();

function patternsOf(rules: readonly FetchRule[]): Parsed {
  let parsed = parsedRules.get(rules);
  if (parsed === undefined) {
    parsed = rules.map((rule) => [rule, parseDestination(rule.host)] as const);
    parsedRules.set(rules, parsed);
  }
  return parsed;
}

/** What the user's rules find on any of these targets: the host itself, or the addresses that it resolved to. */
export function userFindings(
  rules: readonly FetchRule[],
  targets: readonly Target[],
  span: Span | undefined,
): readonly Finding[] {
  return patternsOf(rules)
    .filter(([, pattern]) => targets.some((target) => hitsTarget(pattern, target)))
    .map(([rule]) => ({
      rule: rule.id,
      guard: 'fetch',
      decision: rule.decision,
      message: rule.reason,
      contract,
      pointer: '/url',
      ...(span === undefined ? {} : { span }),
    }));
}
