// The built-in policies: actions that the guards allow are permitted, and the rules that no policy lifts. Which queries
// are permitted is defined in the configuration of their source.

import type { PolicySource } from '../config/index.ts';
import { closedList } from '../core/index.ts';

/** The policy that `default = "deny"` takes away. */
export const permitByDefault = 'permit_by_default';

/** A limit of a source, which its guard holds too; queries of the other languages have none of it. */
function limit(rule: string, amount: string, language?: string): string {
  const only = language === undefined ? '' : `context.language == "${language}" && `;
  const [asked, most] = [`context.${amount}`, `context.limits.${amount}`];
  const known = amount === 'rows' ? 'context has rows && ' : '';
  return `
@id("${rule}")
@reason("the query exceeds a limit of the source")
forbid (principal, action, resource is CodeMode::Server)
when { ${only}${known}${asked} > ${most} };
`;
}

const clauses = JSON.stringify([...closedList.keys()]).replaceAll(',', ', ');

export const baseline: PolicySource = {
  name: 'built in',
  level: 'baseline',
  workspace: false,
  text: `// What the guards let through is permitted; default = "deny" takes this policy away.
@id("${permitByDefault}")
permit (principal, action, resource)
unless { resource is CodeMode::Server };

@id("plan_is_reversible")
@reason("plan mode allows nothing irreversible")
forbid (principal, action in Action::"irreversible", resource)
when { context.mode == "plan" };

// The tool guard asks for these itself; this holds where it did not.
@id("irreversible_asks")
@decision("approve")
@reason("irreversible actions need approval in every mode")
forbid (principal, action in Action::"irreversible", resource)
unless { context.contracts.containsAny(${clauses}) };

@id("subscription")
@reason("subscriptions are not supported")
forbid (principal, action, resource is CodeMode::Server)
when { context.flags.contains("subscription") };
${[
  limit('excessive_depth', 'depth', 'graphql'),
  limit('excessive_fields', 'selections', 'graphql'),
  limit('excessive_aliases', 'aliases', 'graphql'),
  limit('excessive_directives', 'directives', 'graphql'),
  limit('excessive_joins', 'joins', 'sql'),
  limit('excessive_rows', 'rows', 'sql'),
  limit('excessive_cost', 'cost'),
].join('')}`,
};
