// The settings of the guards: sections that a workspace file may have too, to narrow what is allowed.

import {
  targetOf as destinationOf,
  hitsTarget,
  parseDestination,
  type Target,
} from '../../core/destination.ts';
import {
  checked,
  choice,
  describe,
  flag,
  type Infer,
  integer,
  list,
  object,
  otherwise,
  text,
} from '../../core/shape.ts';
import { ownRules, readOwnRule, ruleId, stopping, withOwnIds } from '../command.ts';
import { detectionRule, guidelineShape, readGuidelines } from '../detection.ts';
import { added, key, keyWith, lower, only, same } from '../key.ts';
import { destination, writable } from './agents.ts';

const fetchRuleFields = object({
  id: ruleId,
  host: describe('The destination that the rule is about, as in an allowlist.', destination),
  decision: describe('Decision if it matches.', choice(['block', 'approve', 'warn'])),
  reason: describe('Why, in one plain sentence.', text({ min: 1, max: 500 })),
  examples: describe(
    'URLs that must match (`hit`) and must not (`miss`); otherwise the rule does not load.',
    object({
      hit: describe(
        'At least one.',
        checked(list(text({ min: 1, max: 4096 }), { max: 100 }), (urls, path, report) => {
          if (urls.length === 0) report({ path, message: 'must have at least one URL that the rule hits' });
        }),
      ),
      miss: otherwise([], list(text({ min: 1, max: 4096 }), { max: 100 })),
    }),
  ),
});

/** A rule of the user's own about destinations. */
export type FetchRule = Infer<typeof fetchRuleFields>;

/** A rule whose examples fail is not the rule that the user intended, so it does not load. */
const fetchRule = checked(fetchRuleFields, ({ host, examples }, path, report) => {
  for (const expected of ['hit', 'miss'] as const) {
    for (const [index, url] of examples[expected].entries()) {
      const at = [...path, 'examples', expected, index];
      const target = targetOf(url);
      if (target === undefined) report({ path: at, message: 'is not a URL that a request could go to' });
      else if (hitsTarget(parseDestination(host), target) !== (expected === 'hit')) {
        const message = expected === 'hit' ? 'the rule does not hit this URL' : 'the rule hits this URL';
        report({ path: at, message: `${message}, against its example` });
      }
    }
  }
});

function targetOf(url: string): Target | undefined {
  const parsed = URL.parse(url);
  return parsed === null ? undefined : destinationOf(parsed);
}

const fetchRules = withOwnIds(list(fetchRule, { max: 1000 }));

/** A budget that `autonomous` has to fit in. */
const most = <Name extends string>(to: Name, fallback: number, says: string) =>
  key({ says, shape: integer(0, 1_000_000_000), fallback, to, tighten: lower });

/** The budgets of `[changes]` for one run of `autonomous`. */
export const runBudget = {
  run_files: most('files', 50, 'Most files that "autonomous" changes in one run.'),
  run_bytes: most('bytes', 1_048_576, 'Most bytes that "autonomous" writes in one run.'),
  run_cost_cents: most('costCents', 500, 'Cost of one run before "autonomous" asks, in US cents.'),
};

/** Its budgets for one day. */
export const dayBudget = {
  day_files: most('files', 500, 'Most files that "autonomous" changes in a workspace within 24 hours.'),
  day_bytes: most('bytes', 10_485_760, 'Most bytes that "autonomous" writes in a workspace within 24 hours.'),
  day_cost_cents: most('costCents', 5000, 'Cost within 24 hours before "autonomous" asks, in US cents.'),
};

/** Its settings beside the budgets. */
export const changes = {
  undecided: key({
    says: 'Undecided hunks when the rest is applied.',
    shape: choice(['reject', 'accept']),
    fallback: 'reject',
    tighten: only('reject'),
  }),
  suggest_only: key({
    says: 'Review proposed changes, and never write them.',
    shape: flag(),
    fallback: false,
    tighten: only(true),
  }),
};

/** `[fetch]`. */
export const fetch = {
  timeout_ms: key({
    says: 'Time limit of one request.',
    shape: integer(100, 600_000),
    fallback: 30_000,
    tighten: lower,
  }),
  max_response_bytes: key({
    says: 'Largest response body.',
    shape: integer(1, 1_073_741_824),
    fallback: 10_485_760,
    tighten: lower,
  }),
  max_redirects: key({
    says: 'Most redirects; each is judged again.',
    shape: integer(0, 20),
    fallback: 5,
    tighten: lower,
  }),
  rules: added(
    { says: 'Rules of your own about destinations.', shape: fetchRules, fallback: [] },
    same,
    stopping(fetchRules),
  ),
};

/** `[egress]`. */
export const egress = {
  redaction_rules: added(
    {
      says: 'Your own redaction rules.',
      shape: list(detectionRule, { max: 1000 }),
      fallback: [],
      to: 'rules',
    },
    same,
  ),
};

/** `[guidelines]`. */
export const guidelines = {
  refusal: key({
    says: 'Text instead of a response that violates a guideline.',
    shape: text({ min: 1, max: 2000 }),
    fallback: 'I cannot help with that.',
  }),
  categories: added(
    { says: 'Guidelines of your own, by name.', shape: guidelineShape, fallback: {}, to: 'own' },
    readGuidelines,
  ),
};

const paths = list(text({ min: 1, max: 4096, what: 'a path' }), { max: 1000 });

/** `[write]`. */
export const write = {
  blocked_paths: added(
    {
      says: 'Files and folders that agents never write, relative to the workspace.',
      shape: paths,
      fallback: [],
    },
    same,
  ),
  blocked_patterns: added(
    {
      says: 'Patterns of such files: `*` within a name, `**` across names.',
      shape: paths,
      fallback: [],
    },
    same,
  ),
  allowed_paths: key({
    says: 'Absolute: further folders that may be written. Relative: protected files that agents may write.',
    shape: writable,
    fallback: [],
    tighten: { apply: inBoth },
  }),
};

/** The folders that both lists allow: of two nested ones, the inner one. */
function inBoth(below: readonly string[], value: readonly string[]): readonly string[] {
  const within = (some: readonly string[], others: readonly string[]) =>
    some.filter((path) =>
      others.some((folder) => `${path}/`.startsWith(folder === '/' ? '/' : `${folder}/`)),
    );
  return [...new Set([...within(below, value), ...within(value, below)])];
}

/** `[[rules]]`. */
export const rules = added(
  { says: 'Your own rules about commands.', shape: ownRules, fallback: [] },
  (values) => values.map(readOwnRule),
  stopping(ownRules),
);

/** The files with policies: the user's own, and those of the workspace, which may only forbid. */
export interface PolicyFiles {
  readonly own: readonly string[];
  readonly workspace: readonly string[];
}

const policyFiles = list(text({ min: 1, max: 4096, what: 'a path' }), { max: 50 });
const withWorkspaceFiles = (below: PolicyFiles, workspace: readonly string[]) => ({ ...below, workspace });

/** `[policy]`. */
export const policy = {
  files: keyWith<readonly string[], PolicyFiles>(
    {
      says: 'Files with Cedar policies: absolute paths; for a workspace, paths inside it.',
      shape: policyFiles,
      fallback: [],
      tighten: { apply: withWorkspaceFiles },
    },
    (own) => ({ own, workspace: [] }),
    withWorkspaceFiles,
  ),
  default: key({
    says: 'Actions that the guards allow and no policy of yours permits.',
    shape: choice(['permit', 'deny']),
    fallback: 'permit',
    tighten: only('deny'),
  }),
};
