// Law: a command that would run without a sandbox, or where no snapshot could take back what it changes, goes only with a
// person's own yes, each time.

import type { Finding } from '../../../core/index.ts';
import { type CommandRule, hit, python, type RuleInput, shell } from './rule.ts';

const noSandbox: CommandRule = {
  id: 'no_sandbox',
  guard: 'command',
  layer: 3,
  decision: 'approve',
  reason: 'Outside of a sandbox a command can do whatever you can, whatever was seen in it.',
  suggestion: 'Install bubblewrap, so that commands run in a sandbox.',
  examples: {
    hit: [
      { action: { kind: 'shell', command: 'ls -la', sandbox: 'none' } },
      { action: { kind: 'python', source: 'print(1)', sandbox: 'none' } },
      {
        action: { kind: 'shell', command: 'ls -la', sandbox: 'none' },
        given: { agent: { profile: 'strict' }, mode: 'auto' },
      },
    ],
    miss: [shell('ls -la'), python('print(1)')],
  },
};

const noUndo: CommandRule = {
  id: 'no_undo',
  guard: 'command',
  layer: 3,
  decision: 'approve',
  reason:
    'The workspace holds more than snapshots keep, so what a command changes there may be lost for good.',
  suggestion:
    'Work in a smaller folder, or let snapshots keep more: max_megabytes under [snapshots] in your own file.',
  examples: {
    hit: [
      { action: { kind: 'shell', command: 'npm run build', undo: 'none' } },
      { action: { kind: 'python', source: 'print(1)', undo: 'none' } },
      {
        action: { kind: 'shell', command: 'ls -la', undo: 'none' },
        given: { agent: { profile: 'strict' }, mode: 'auto' },
      },
    ],
    miss: [shell('npm run build'), python('print(1)')],
  },
};

/** The rules on how a command would run. */
export const sandboxRules: readonly CommandRule[] = [noSandbox, noUndo];

/** Asks about a command that nothing would hold, or that nothing could take back. No grant covers it. */
export function sandboxFindings(ruleInput: RuleInput): readonly Finding[] {
  const span = [0, ruleInput.source.length] as const;
  return [
    ...(ruleInput.unsandboxed
      ? [hit(ruleInput, noSandbox, { span, why: 'it would run without a sandbox' })]
      : []),
    ...(ruleInput.undoable
      ? []
      : [hit(ruleInput, noUndo, { span, why: 'what it changes could not be undone' })]),
  ];
}
