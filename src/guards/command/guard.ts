// The command guard as the one path has it: what reads code is loaded with the first command that needs it.

import type { Settings } from '../../config/settings.ts';
import type { ActionOf, Guard, GuardInput, Judgement, Readers } from '../../core/index.ts';
import { createCommandGuard } from './index.ts';
import type { Foreign } from './languages.ts';
import { allRules } from './rules/index.ts';

type CommandKind = 'shell' | 'python';

export const commandGuard: Guard<CommandKind, Settings> = {
  name: 'command',
  kinds: ['shell', 'python'],
  rules: allRules,
  check,
};

// Kept, since even an import that is done already costs as much as judging a short command.
let languages: typeof import('./languages.ts') | undefined;
let python: typeof import('./python/index.ts') | undefined;
let javascript: typeof import('./javascript/index.ts') | undefined;

async function check(
  action: ActionOf<CommandKind>,
  input: GuardInput<Settings>,
): Promise<Judgement<CommandKind>> {
  languages ??= await import('./languages.ts');
  const { readers } = input.world;
  const shell = action.kind === 'shell' ? action.command : '';
  const analyses = languages.createAnalyses({
    python: action.kind === 'python' || /py/i.test(shell) ? await loadPython(readers) : null,
    javascript: /node|deno|bun|npx/i.test(shell) ? await loadJavascript(readers) : null,
  });
  return await createCommandGuard(analyses).check(action, input);
}

async function loadPython(readers: Readers | undefined): Promise<Foreign | null> {
  const parse = await readers?.python();
  if (parse === null || parse === undefined) return null;
  python ??= await import('./python/index.ts');
  const { analysePython } = python;
  return (source, surroundings, others) => analysePython(source, surroundings, others, parse);
}

async function loadJavascript(readers: Readers | undefined): Promise<Foreign | null> {
  const parse = await readers?.javascript();
  if (parse === null || parse === undefined) return null;
  javascript ??= await import('./javascript/index.ts');
  const { analyseJavascript } = javascript;
  return (source, surroundings, others) => analyseJavascript(source, surroundings, others, parse);
}
