// The thread that follows long code: takes one piece after the other, and gives the facts of each.
// It answers for nothing that throws: the error ends it, and whoever asked hears of that.

import { parentPort } from 'node:worker_threads';
import { Budget, type Code } from '../core/index.ts';
import { stepBudget } from './judge.ts';
import { realWorld } from './world.ts';

const { readers } = realWorld();

parentPort?.on('message', async (code: Code) => {
  const { kind, source, cwd, home } = code;
  const { loadAnalyses } = await import('../guards/command/load.ts');
  const { withParts } = await import('../guards/command/need.ts');
  const analyses = await loadAnalyses(code, readers);
  const facts = await withParts(() => {
    const budget = new Budget(stepBudget);
    return analyses[kind](source, { cwd, home, spend: (steps) => budget.spend(steps) });
  });
  parentPort?.postMessage(facts);
});
