// Every rule that exists proves itself: its examples hit and miss as it says, through the one path.

import { describe, expect, it } from 'vitest';
import { configOf, settingsFrom } from '../src/config/index.ts';
import { stringAt } from '../src/core/action-text.ts';
import type { Rule } from '../src/core/index.ts';
import { createDryDecider, pathRules, runExamples } from '../src/decide/index.ts';
import { guards as listed, loadGuards } from '../src/guards/index.ts';
import { context, stillWorld } from './support/decide.ts';

const guards = await loadGuards();
const rules = guards.flatMap((guard) => guard.rules);

describe('rules', () => {
  it.each(rules.map((rule): [string, Rule] => [`${rule.guard}/${rule.id}`, rule]))(
    '%s does what its examples say',
    async (_, rule) => {
      expect(rule.examples.hit.length).toBeGreaterThan(0);
      expect(rule.examples.miss.length).toBeGreaterThan(0);
      expect(await runExamples([rule])).toEqual([]);
    },
  );

  it('stand under guards that are listed by their own names and kinds', () => {
    const told = ({ name, kinds }: (typeof listed)[number] | (typeof guards)[number]) => [name, kinds];
    expect(listed.map(told)).toEqual(guards.map(told));
  });

  it('have ids of their own, a reason, and the name of their guard', () => {
    const all = [...rules, ...Object.values(pathRules)];
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    for (const guard of guards) {
      for (const rule of guard.rules) expect([rule.id, rule.guard]).toEqual([rule.id, guard.name]);
    }
    expect(all.filter(({ id, reason }) => !/^[a-z][a-z0-9_]*$/.test(id) || reason.length < 10)).toEqual([]);
  });

  it('are found out when an example is wrong', async () => {
    const [rule] = rules;
    const swapped = { ...rule!, examples: { hit: rule!.examples.miss, miss: rule!.examples.hit } };
    const failures = await runExamples([swapped]);
    expect(failures).toHaveLength(rule!.examples.hit.length + rule!.examples.miss.length);
  });

  it('mark only what stands in the string that they point at', async () => {
    const config = configOf(() => settingsFrom({}));
    const decider = createDryDecider({ config, world: stillWorld() });
    const wrong: unknown[] = [];
    let marks = 0;
    for (const { examples } of rules) {
      for (const { action } of examples.hit) {
        const { verdict } = await decider.decide(action, context);
        for (const { guard, rule, pointer, span } of verdict.findings) {
          if (span === undefined) continue;
          marks++;
          const length = stringAt(action, pointer ?? '/')?.length ?? -1;
          const [start, end] = span;
          if (!(0 <= start && start <= end && end <= length))
            wrong.push([guard, rule, pointer, span, action]);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(marks).toBeGreaterThan(100);
  });

  it('suggest nothing that would itself be refused', async () => {
    // A suggestion that holds a URL must lead somewhere that at most asks.
    const config = configOf(() => settingsFrom({}));
    const decider = createDryDecider({ config, world: stillWorld() });
    const urls: string[] = [];
    for (const { examples } of rules) {
      for (const { action } of examples.hit) {
        const { verdict } = await decider.decide(action, context);
        urls.push(
          ...verdict.findings.flatMap(({ suggestion }) => suggestion?.match(/https?:\/\/\S+\/\S*/g) ?? []),
        );
      }
    }
    for (const url of urls) {
      expect([url, (await decider.decide({ kind: 'fetch', url }, context)).verdict.decision]).not.toContain(
        'block',
      );
    }
  });
});
