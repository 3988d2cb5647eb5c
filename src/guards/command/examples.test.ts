// The rules' own examples and suggestions, read by the real analyses. Python's wait for its parser: tests/rules.test.ts.

import { describe, expect, it } from 'vitest';
import { settingsFrom } from '../../config/merge.ts';
import {
  type ActionOf,
  Budget,
  type Example,
  type Judgement,
  type Mode,
  strongest,
} from '../../core/index.ts';
import { createCommandGuard } from './index.ts';
import { createAnalyses } from './languages.ts';
import { loadParts } from './need.ts';
import { allRules } from './rules/index.ts';
import type { CommandRule } from './rules/rule.ts';

await loadParts();

const guard = createCommandGuard(createAnalyses({ python: null, javascript: null }));

function judge(
  command: string | ActionOf<'shell'>,
  strict = false,
  mode: Mode = 'default',
  list: readonly string[] = [],
): Judgement {
  const judgement = guard.check(typeof command === 'string' ? { kind: 'shell', command } : command, {
    context: { user: 'u', tenant: 't', agent: 'a', session: 's', workspace: '/workspace', mode },
    settings: {
      ...settingsFrom({}),
      profile: strict ? 'strict' : 'developer',
      mode: 'default',
      egressAllowlists: [list],
      fetch: { timeoutMs: 1, maxResponseBytes: 1, maxRedirects: 1, rules: [] },
    },
    world: {
      now: () => 0,
      resolve: async () => [],
      realPath: (path) => path,
      readText: () => null,
      look: () => null,
    },
    budget: new Budget(2_000_000),
    granted: () => false,
  });
  if (judgement instanceof Promise) throw new Error('the guard answers at once');
  return judgement;
}

function hits({ id }: CommandRule, { action, given }: Example): boolean | null {
  if (action.kind !== 'shell') return null;
  const strict = given?.agent?.['profile'] === 'strict';
  const list = given?.agent?.['egress_allowlist'];
  const hosts = Array.isArray(list) ? list.map(String) : [];
  return judge(action, strict, given?.mode, hosts).findings.some(({ rule }) => rule === id);
}

describe('examples', () => {
  it.each(allRules.map((rule): [string, CommandRule] => [rule.id, rule]))('%s', (_, rule) => {
    for (const expected of ['hit', 'miss'] as const) {
      for (const example of rule.examples[expected]) {
        const found = hits(rule, example);
        if (found !== null) expect([example.action, found]).toEqual([example.action, expected === 'hit']);
      }
    }
  });
});

describe('suggestions', () => {
  const named = allRules.flatMap(({ suggestion = '' }) =>
    [...suggestion.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text),
  );

  it.each([...new Set(named)])('%s passes', (command) => {
    expect(strongest(judge(command).findings.map(({ decision }) => decision))).toBe('pass');
  });
});
