// Ways that a program may take: each is walked from the same beginning, and what they leave is joined.

import type { Machine } from './machine.ts';
import type { Completion } from './program.ts';
import { type Cell, join, same, type Thing, widen } from './things.ts';

/** Walks each way from the same beginning, and joins what they leave. */
export function walkWays(machine: Machine, ways: readonly (() => Completion)[]): Completion {
  const kept: Map<Cell, Map<string, Thing>>[] = [];
  const touched = new Map<Cell, Map<string, Thing | undefined>>();
  const completions: Completion[] = [];
  machine.recording++;
  for (const way of ways) {
    const mark = machine.trail.length;
    const completion = way();
    completions.push(completion);
    const after = new Map<Cell, Map<string, Thing>>();
    const alive = completion !== 'return' && completion !== 'raise';
    for (let index = machine.trail.length - 1; index >= mark; index--) {
      const change = machine.trail[index];
      if (!change) continue;
      const { cell, key, before } = change;
      if (alive) {
        const keys = after.get(cell) ?? new Map<string, Thing>();
        const now = cell.get(key);
        if (!keys.has(key) && now) keys.set(key, now);
        after.set(cell, keys);
      }
      if (before) cell.set(key, before);
      else cell.delete(key);
      if (alive) {
        const keys = touched.get(cell) ?? new Map<string, Thing | undefined>();
        keys.set(key, before);
        touched.set(cell, keys);
      }
    }
    machine.trail.length = mark;
    if (alive) kept.push(after);
  }
  machine.recording--;
  for (const [cell, keys] of touched) {
    for (const key of keys.keys()) {
      const before = cell.get(key);
      let joined: Thing | undefined;
      for (const after of kept) {
        const value = after.get(cell)?.get(key) ?? before;
        if (value) joined = joined ? join(joined, value) : value;
      }
      if (joined) machine.set(cell, key, joined);
    }
  }
  const alive = completions.filter((completion) => completion !== 'return' && completion !== 'raise');
  if (alive.length === 0) return completions.includes('return') ? 'return' : 'raise';
  if (alive.includes('next')) return 'next';
  return alive.every((completion) => completion === 'break') ? 'break' : 'continue';
}

/** Walks what may happen any number of times. */
export function repeat(machine: Machine, round: () => Completion): void {
  machine.rounds++;
  walkWays(machine, [
    () => 'next',
    () => {
      const mark = machine.trail.length;
      let completion = round();
      const first = new Map<Cell, Map<string, Thing | undefined>>();
      for (const { cell, key, before } of machine.trail.slice(mark)) {
        const keys = first.get(cell) ?? new Map<string, Thing | undefined>();
        if (!keys.has(key)) keys.set(key, before);
        first.set(cell, keys);
      }
      let changed = false;
      for (const [cell, keys] of first) {
        for (const [key, before] of keys) {
          const after = cell.get(key);
          if (!before || !after || same(before, after)) continue;
          machine.set(cell, key, widen(before, after));
          changed = true;
        }
      }
      if (changed && machine.rounds <= 3 && completion !== 'return' && completion !== 'raise')
        completion = round();
      return completion === 'return' || completion === 'raise' ? completion : 'next';
    },
  ]);
  machine.rounds--;
}
