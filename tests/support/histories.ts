// Sample histories of agents and shells, as their hosts write them.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A call in a transcript of Claude Code, with the folder that it is made in. */
export type ClaudeCall = readonly [tool: string, input: object, cwd?: string];

/** Lines of a transcript of Claude Code. */
export function claudeLines(
  session: string,
  workspace: string,
  calls: readonly ClaudeCall[],
): readonly string[] {
  const entry = (index: number, more: object, cwd = workspace) =>
    JSON.stringify({
      ...{ sessionId: session, cwd, version: '2.1.0', uuid: `${session}-${index}` },
      timestamp: new Date(Date.UTC(2026, 9, 1 + index, 12)).toISOString(),
      ...more,
    });
  return [
    JSON.stringify({ type: 'summary', summary: 'Fix the tests', leafUuid: 'x' }),
    entry(0, { type: 'user', message: { role: 'user', content: 'fix the tests' } }),
    ...calls.map(([name, input, cwd], index) =>
      entry(
        index,
        {
          type: 'assistant',
          message: {
            role: 'assistant',
            content: [
              { type: 'text', text: 'I look.' },
              { type: 'tool_use', id: `${session}-call-${index}`, name, input },
            ],
          },
        },
        cwd,
      ),
    ),
  ];
}

/** Lines of a rollout of Codex: one call of each form that its versions write. */
export function codexLines(workspace: string): readonly string[] {
  const line = (type: string, payload: object) =>
    JSON.stringify({ timestamp: '2026-10-05T12:00:00.000Z', type, payload });
  const called = (name: string, input: object, id: string) =>
    line('response_item', { type: 'function_call', name, arguments: JSON.stringify(input), call_id: id });
  return [
    line('session_meta', { id: 'c0de', cwd: workspace, originator: 'codex_cli_rs' }),
    line('turn_context', { cwd: workspace, approval_policy: 'never' }),
    called('shell', { command: ['bash', '-lc', 'git status'], workdir: workspace }, 'a'),
    called('exec_command', { cmd: 'git push --force origin main', workdir: workspace }, 'b'),
    line('response_item', {
      ...{ type: 'local_shell_call', call_id: 'c' },
      action: { type: 'exec', command: ['ls', '-la'], working_directory: workspace },
    }),
    line('response_item', {
      ...{ type: 'custom_tool_call', call_id: 'd', name: 'apply_patch' },
      input: '*** Begin Patch\n*** Add File: src/new.ts\n+export const one = 1;\n*** End Patch\n',
    }),
    line('event_msg', { type: 'agent_message', message: 'done' }),
  ];
}

/** Writes a history below a home. */
export function writeHistory(home: string, name: string, lines: readonly string[]): string {
  const file = join(home, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}
