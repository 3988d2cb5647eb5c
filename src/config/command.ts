// The shape of a user-defined command rule, in [[rules]] of sallyport.toml.

import { type EffectKind, effectKinds } from '../core/effect.ts';
import {
  checked,
  choice,
  describe,
  either,
  flag,
  type Infer,
  integer,
  list,
  object,
  optional,
  otherwise,
  type Path,
  type Problem,
  type Shape,
  text,
} from '../core/shape.ts';

const ruleScopes = ['all', 'bash', 'python'] as const;

/** The criteria of a user-defined command rule. */
export type RuleCondition =
  | { readonly is: 'pattern'; readonly pattern: string }
  | {
      readonly is: 'effect';
      readonly kind: EffectKind;
      readonly detail?: string;
      /** A pattern of paths, hosts or names. */
      readonly target?: string;
      readonly recursive?: boolean;
    }
  | {
      readonly is: 'command';
      readonly names: readonly string[];
      /** The words of the subcommand; none: any. */
      readonly subcommand: readonly string[];
      /** One of these; none: any. */
      readonly flags: readonly string[];
    };

/** A command rule of the user's own. */
export interface OwnRule {
  readonly id: string;
  readonly guard: 'command';
  readonly layer: 1 | 2 | 3;
  readonly decision: 'block' | 'approve' | 'warn';
  readonly reason: string;
  readonly suggestion?: string;
  readonly scope: (typeof ruleScopes)[number];
  /** Only commands of this agent. */
  readonly agent?: string;
  readonly when: RuleCondition;
  /** Commands that the rule must and must not hit; a rule whose examples fail does not load. */
  readonly examples: { readonly hit: readonly string[]; readonly miss: readonly string[] };
}

const program = text({
  min: 1,
  max: 128,
  pattern: /^[^\s/]+$/,
  what: 'the name of a program, without a path',
});
const commands = list(text({ min: 1, max: 2000 }), { max: 20 });

/** The name of a user-defined rule. */
export const ruleId = describe(
  'The name of the rule in findings.',
  text({ max: 64, pattern: /^[a-z][a-z0-9_]*$/, what: 'a name of small letters, digits and "_"' }),
);

const fields = object({
  id: ruleId,
  guard: describe('The guard.', choice(['command'])),
  layer: describe('1: effects, 2: paths, 3: commands and flags.', otherwise(1, integer(1, 3))),
  decision: describe('Decision if it matches.', choice(['block', 'approve', 'warn'])),
  reason: describe('Why, in one plain sentence.', text({ min: 1, max: 500 })),
  suggestion: describe(
    'What to do instead; a command in backquotes must not match.',
    optional(text({ min: 1, max: 500 })),
  ),
  scope: describe('All actions, shell commands or Python programs.', otherwise('all', choice(ruleScopes))),
  agent: describe('Only commands of this agent.', optional(text({ min: 1, max: 128 }))),
  pattern: describe(
    'A regular expression for the start of a resolved command.',
    optional(text({ min: 1, max: 1000 })),
  ),
  effect: describe(
    'An effect.',
    optional(
      object({
        kind: choice(effectKinds),
        detail: optional(text({ min: 1, max: 64 })),
        target: optional(text({ min: 1, max: 256 })),
        recursive: optional(flag()),
      }),
    ),
  ),
  command: describe('A program, or a list of them.', optional(either(program, list(program, { max: 50 })))),
  subcommand: describe(
    'With "command": the subcommand.',
    optional(
      text({ max: 128, pattern: /^[^\s-]\S*(?: [^\s-]\S*)*$/, what: 'words with one blank between them' }),
    ),
  ),
  flags: describe(
    'With "command": at least one of these flags.',
    optional(
      list(text({ max: 64, pattern: /^--?[^\s=-][^\s=]*$/, what: 'a flag such as "-f" or "--force"' }), {
        max: 50,
      }),
    ),
  ),
  examples: describe(
    'Commands that must match (`hit`) and must not (`miss`); otherwise the rule does not load.',
    object({
      hit: describe(
        'At least one.',
        checked(commands, (given, path, report) => {
          if (given.length === 0)
            report({ path, message: 'must have at least one command that the rule hits' });
        }),
      ),
      miss: otherwise([], commands),
    }),
  ),
});

/** The criterion of a rule; each rule has one of them. */
const conditions = ['pattern', 'effect', 'command'] as const;

const ownRule = checked(fields, (rule, path, report) => {
  const given = conditions.filter((name) => rule[name] !== undefined);
  if (given.length !== 1) {
    const found = given.length === 0 ? 'none' : given.join(' and ');
    report({ path, message: `a rule has one of ${conditions.join(', ')}; here: ${found}` });
  }
  for (const name of ['subcommand', 'flags'] as const) {
    if (rule[name] !== undefined && rule.command === undefined) {
      report({ path: [...path, name], message: `"${name}" goes with "command"` });
    }
  }
  if (Array.isArray(rule.command) && rule.command.length === 0) {
    report({ path: [...path, 'command'], message: 'must name at least one program' });
  }
  if (rule.flags?.length === 0) report({ path: [...path, 'flags'], message: 'must name at least one flag' });
});

/** A rule as it is written. */
export type OwnRuleValue = Infer<typeof fields>;

/** Reports examples that have too much text together: each is judged whenever the file loads, and agents write such files. */
export function checkExamples(
  all: readonly { readonly hit: readonly string[]; readonly miss: readonly string[] }[],
  path: Path,
  report: (problem: Problem) => void,
): void {
  const most = 65_536;
  const size = all.flatMap(({ hit, miss }) => [...hit, ...miss]).reduce((sum, text) => sum + text.length, 0);
  if (size > most) report({ path, message: `the examples have more than ${most} characters together` });
}

/** Rules with unique ids. */
export function withOwnIds<R extends { readonly id: string }>(
  rules: Shape<readonly R[]>,
): Shape<readonly R[]> {
  return checked(rules, (all, path, report) => {
    const seen = new Set<string>();
    for (const [index, { id }] of all.entries()) {
      if (seen.has(id)) report({ path: [...path, index, 'id'], message: `the id "${id}" stands twice` });
      seen.add(id);
    }
  });
}

/** What an untrusted workspace file may contain: rules that block or ask. */
export function stopping<R extends { readonly decision: string }>(
  rules: Shape<readonly R[]>,
): Shape<readonly R[]> {
  return checked(rules, (all, path, report) => {
    for (const [index, { decision }] of all.entries()) {
      if (decision === 'warn') {
        const message = 'must be approve or block in a workspace file that is not trusted';
        report({ path: [...path, index, 'decision'], message });
      }
    }
  });
}

/** Rules of the user's own. The guard proves their examples. */
export const ownRules = checked(withOwnIds(list(ownRule, { max: 200 })), (rules, path, report) =>
  checkExamples(
    rules.map(({ examples }) => examples),
    path,
    report,
  ),
);

const layers = [1, 2, 3] as const;

/** The rule as the guard has it. */
export function readOwnRule(rule: OwnRuleValue): OwnRule {
  const { id, guard, layer, decision, reason, suggestion, scope, agent, examples } = rule;
  return {
    id,
    guard,
    layer: layers[layer - 1] ?? 1,
    decision,
    reason,
    ...(suggestion === undefined ? {} : { suggestion }),
    scope,
    ...(agent === undefined ? {} : { agent }),
    when: conditionOf(rule),
    examples,
  };
}

function conditionOf({ pattern = '', effect, command, subcommand, flags }: OwnRuleValue): OwnRule['when'] {
  if (effect !== undefined) return { is: 'effect', ...effect };
  if (command === undefined) return { is: 'pattern', pattern };
  const names = typeof command === 'string' ? [command] : command;
  return { is: 'command', names, subcommand: subcommand?.split(' ') ?? [], flags: flags ?? [] };
}
