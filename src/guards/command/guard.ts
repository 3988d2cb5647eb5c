// The command guard as the one path has it: what reads code is loaded with the first command, not with the program.

import type { Settings } from '../../config/settings.ts';
import type { ActionOf, Guard, GuardInput, Judgement } from '../../core/index.ts';
import { createCommandGuard } from './index.ts';
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
  // Asking the loader again takes longer than reading most commands.
  languages ??= await import('./languages.ts');
  const parsers = await parsersFor(action, input);
  return await createCommandGuard(languages.createAnalyses(() => parsers)).check(action, input);
}

let languages: typeof import('./languages.ts') | undefined;

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
