import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../core/index.ts';
import { hostTools, lookUp, provenVersions } from '../registry.ts';
import { captured } from './captured.ts';

interface Field {
  readonly name: string;
  readonly needed: boolean;
  /** Values of its type; an argument of any type takes one of them at least. */
  readonly samples: readonly JsonValue[];
}

const samples: Readonly<Record<string, readonly JsonValue[]>> = {
  text: ['x'],
  flag: [true, false],
  number: [1, 0.5],
  list: [['x']],
  any: [[], ['x'], 'x', { url: 'https://example.com' }],
};

function fieldsOf(written: string): readonly Field[] {
  return written
    .split(' ')
    .filter(Boolean)
    .map((field) => {
      const [, name = '', mark = '', type = 'text'] = /^([^?:]+)(\??)(?::(\w+))?$/.exec(field) ?? [];
      return { name, needed: mark === '', samples: samples[type] ?? [] };
    });
}

const all = Object.entries(captured).flatMap(([host, { tools }]) =>
  Object.entries(tools).map(([tool, written]) => ({ host, tool, written })),
);

/** What is wrong with a call of a host's tool, or null. */
function problemOf(host: string, tool: string, given: JsonObject): string | null {
  const found = lookUp({ kind: 'tool', tool, server: `host:${host}`, arguments: given }, { tools: [] });
  return found === undefined ? 'unknown' : (found.problem?.message ?? null);
}

describe('the tools that real hosts offered', () => {
  it('are those of seven hosts, with the versions that were run', () => {
    expect(Object.keys(provenVersions())).toEqual([
      'claude',
      'codex',
      'copilot',
      'gemini',
      'kilo',
      'opencode',
      'qwen',
    ]);
    for (const version of Object.values(provenVersions())) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(all.length).toBeGreaterThan(80);
  });

  it('all have an effect', () => {
    const unknown = all.filter(({ host, tool }) => !hostTools(tool).some((one) => one.host === host));
    expect(unknown).toEqual([]);
  });

  it('take every argument that they were offered with', () => {
    const refused = all.flatMap(({ host, tool, written }) => {
      const fields = fieldsOf(written);
      // The patch of a custom tool is no argument of a schema; hooks name it themselves.
      if (fields.length === 0) return [];
      const needed = Object.fromEntries(
        fields.filter((field) => field.needed).map((field) => [field.name, field.samples[0] ?? null]),
      );
      return fields
        .filter(({ name, samples: values }) =>
          values.every((value) => problemOf(host, tool, { ...needed, [name]: value }) !== null),
        )
        .map(({ name }) => `${host} ${tool}.${name}`);
    });
    expect(refused).toEqual([]);
  });

  it.each([
    ['claude', 'Monitor', { command: 'rm -rf /', description: 'd' }, 'shell'],
    ['claude', 'Monitor', { ws: { url: 'wss://example.com' }, description: 'd' }, 'fetch'],
    ['claude', 'ExitWorktree', { action: 'keep' }, 'own'],
    ['claude', 'ExitWorktree', { action: 'remove', discard_changes: true }, 'destructive'],
    ['codex', 'write_stdin', { session_id: 1 }, 'own'],
    ['codex', 'write_stdin', { session_id: 1, chars: 'rm -rf /' }, 'shell'],
    ['kilo', 'background_process', { action: 'start', command: 'rm -rf /' }, 'shell'],
    ['kilo', 'background_process', { action: 'list' }, 'own'],
    ['qwen', 'monitor', { command: 'rm -rf /' }, 'shell'],
    ['qwen', 'exit_worktree', { name: 'w', action: 'keep' }, 'own'],
    ['qwen', 'exit_worktree', { name: 'w', action: 'remove', discard_changes: true }, 'destructive'],
    ['gemini', 'run_shell_command', { command: 'ls', wait_for_previous: true }, 'shell'],
  ])('%s %s %j is %s by its arguments', (host, tool, given, effect) => {
    const found = lookUp({ kind: 'tool', tool, server: `host:${host}`, arguments: given }, { tools: [] });
    expect(found?.problem).toBeNull();
    expect(found?.tool.effect).toBe(effect);
  });
});
