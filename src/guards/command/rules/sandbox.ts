// Law: a command that would run without a sandbox goes only with a person's own yes, each time.

import type { Finding } from '../../../core/index.ts';
import { type CommandRule, hit, python, type Scene, shell } from './rule.ts';

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

/** The rules on how a command would run. */
export const sandboxRules: readonly CommandRule[] = [noSandbox];

/** Asks about a command that nothing would hold. No grant covers it. */
export function sandboxFindings(scene: Scene): readonly Finding[] {
  if (!scene.unsandboxed) return [];
  const span = [0, scene.source.length] as const;
  return [hit(scene, noSandbox, { span, why: 'it would run without a sandbox' })];
}
