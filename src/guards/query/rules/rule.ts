// How the rules of queries are made: the rule, and the finding that names what of the query it is about.

import type { Finding, Rule } from '../../../core/index.ts';

/** A rule that blocks, unless it says otherwise. */
export function blockingRule(rule: Omit<Rule, 'guard' | 'decision'> & Partial<Pick<Rule, 'decision'>>): Rule {
  return { guard: 'query', decision: 'block', ...rule };
}

/** One rule's hit; `about` names fields, tables and numbers, and nothing of the values in the query. */
export function found(rule: Rule, about: string, span?: readonly [number, number]): Finding {
  return {
    rule: rule.id,
    guard: 'query',
    decision: rule.decision,
    message: about,
    pointer: '/text',
    ...(rule.contract === undefined ? {} : { contract: rule.contract }),
    ...(rule.suggestion === undefined ? {} : { suggestion: rule.suggestion }),
    ...(span === undefined ? {} : { span }),
  };
}
