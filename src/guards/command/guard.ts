// The command guard as the one path has it: what reads code is loaded with the first command, not with the program.

import type { Settings } from '../../config/settings.ts';
import type { ActionOf, Guard, GuardInput, Judgement } from '../../core/index.ts';
import { type CommandGuardOptions, createCommandGuard } from './index.ts';
import type { Parsers } from './languages.ts';
import { allRules } from './rules/index.ts';

type CommandKind = 'shell' | 'python';

export const commandGuard: Guard<CommandKind, Settings> = {
  name: 'command',
  kinds: ['shell', 'python'],
  rules: allRules,
  check,
};

async function check(
  action: ActionOf<CommandKind>,
  input: GuardInput<Settings>,
): Promise<Judgement<CommandKind>> {
  const { createAnalyses } = await import('./languages.ts');
  const parsers = await parsersFor(action, input);
  const guard = createCommandGuard({ ...createAnalyses(() => parsers), ...(await extrasFor(input)) });
  return await guard.check(action, input);
}

/** What most commands do without, and so do not load: rules of the user's own, and a person who looks on. */
async function extrasFor({
  settings: { command },
  observe,
}: GuardInput<Settings>): Promise<Pick<CommandGuardOptions, 'own' | 'view'>> {
  const user = command.rules.length > 0 ? await import('./rules/user.ts') : null;
  const view = observe === undefined ? null : await import('./view.ts');
  return {
    ...(user === null ? {} : { own: (scene) => user.userFindings(command.rules, scene) }),
    ...(view === null ? {} : { view: view.viewOf }),
  };
}

/** The parsers that the code may need; others stay unloaded. */
async function parsersFor(
  action: ActionOf<CommandKind>,
  { world: { readers } }: GuardInput<Settings>,
): Promise<Parsers> {
  const shell = action.kind === 'shell' ? action.command : '';
  const python = action.kind === 'python' || /py/i.test(shell);
  const javascript = /node|deno|bun|npx/i.test(shell);
  return {
    python: python ? ((await readers?.python()) ?? null) : null,
    javascript: javascript ? ((await readers?.javascript()) ?? null) : null,
  };
}
