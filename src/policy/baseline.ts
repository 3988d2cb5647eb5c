// The policies that are always in force: what the guards let through is permitted, and the law that no policy lifts.

import type { PolicySource } from '../config/index.ts';

/** The policy that `default = "deny"` takes away. */
export const permitByDefault = 'permit_by_default';

export const baseline: PolicySource = {
  name: 'built in',
  workspace: false,
  text: `// What the guards let through is permitted; default = "deny" takes this policy away.
@id("${permitByDefault}")
permit (principal, action, resource);

@id("plan_is_reversible")
@reason("in plan mode nothing is done that cannot be taken back")
forbid (principal, action in Action::"irreversible", resource)
when { context.mode == "plan" };

// The tool guard asks for these itself; this holds where it did not.
@id("irreversible_asks")
@decision("approve")
@reason("what cannot be taken back needs a person's yes, in every mode")
forbid (principal, action in Action::"irreversible", resource)
unless { context.contracts.containsAny(["AG-TOOL-3", "AG-TOOL-4"]) };
`,
};
