// The command guard as the one path has it: what reads code is loaded with the first command, and long code is
// followed where the search can be stopped.

import type { Settings } from '../../config/settings.ts';
import {
  type ActionOf,
  BudgetExceeded,
  type Code,
  type Guard,
  type GuardInput,
  type Judgement,
  lazily,
} from '../../core/index.ts';
import type { Facts } from './effects.ts';
import { type Analyse, codeOf, type Judging, judgeCommand } from './index.ts';
import { withParts } from './need.ts';
import { allRules } from './rules/index.ts';

type CommandKind = 'shell' | 'python';

export const commandGuard: Guard<CommandKind, Settings> = {
  name: 'command',
  kinds: ['shell', 'python'],
  rules: allRules,
  check: (action, input) => loading((loader) => judgeWith(loader, action, input)),
};

/** Beyond so many UTF-16 units the look before parsing refuses at once, so that no thread is needed. */
const longest = 65_536;

// Kept, since even an import that is done already costs as much as judging a short command.
const loading = lazily(() => import('./load.ts'));

async function judgeWith(
  loader: typeof import('./load.ts'),
  action: ActionOf<CommandKind>,
  input: GuardInput<Settings>,
): Promise<Judgement<CommandKind>> {
  const code = codeOf(action, input);
  const plain = input.observe === undefined && input.settings.command.rules.length === 0;
  const extras = plain ? undefined : await extrasFor(input);
  if (loader.isShort(code) || code.source.length > longest) {
    const analyses = loader.analysesFor(code) ?? (await loader.loadAnalyses(code, input.world.readers));
    return withParts(() => judgeCommand({ ...analyses, ...extras }, action, input));
  }
  const followed = await followedIsolated(code, input);
  const { isKnown } = loader.shellAlone;
  const judging = { shell: followed, python: followed, isKnown, ...extras };
  return withParts(() => judgeCommand(judging, action, input));
}

/** What most commands do without, and so do not load: rules of the user's own, and a person who looks on. */
async function extrasFor({
  settings: { command },
  observe,
}: GuardInput<Settings>): Promise<Pick<Judging, 'own' | 'view'>> {
  const user = command.rules.length > 0 ? await import('./rules/user.ts') : null;
  const view = observe === undefined ? null : await import('./view.ts');
  return {
    ...(user === null ? {} : { own: (ruleInput) => user.userFindings(command.rules, ruleInput) }),
    ...(view === null ? {} : { view: view.viewOf }),
  };
}

async function followedIsolated(code: Code, { world }: GuardInput<Settings>): Promise<Analyse> {
  const facts = await world.followIsolated?.(code);
  if (isFacts(facts)) return () => facts;
  return () => {
    throw new BudgetExceeded('the code is too long to be followed in time');
  };
}

/** What comes from a thread is the guard's own, or nothing. */
function isFacts(value: unknown): value is Facts {
  if (typeof value !== 'object' || value === null) return false;
  const lists: Partial<Record<keyof Facts, unknown>> = value;
  return [lists.effects, lists.invocations, lists.unknowns, lists.errors].every(Array.isArray);
}
