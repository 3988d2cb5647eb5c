// Verifies the user's own command rules when they load: a rule whose examples fail is not the rule that the user
// intended.

import type { OwnRule } from '../config/index.ts';
import type { Example, Rule } from '../core/index.ts';
import type { Problem } from '../core/shape.ts';
import { PatternError } from '../detect/pattern.ts';
import { runExamples } from './examples.ts';

/** The problems of the rules, each with its position in the list. */
export async function ruleProblems(rules: readonly OwnRule[]): Promise<readonly Problem[]> {
  const { patternOf, ruleOf } = await import('../guards/command/rules/user.ts');
  const problems: Problem[] = [];
  for (const [index, rule] of rules.entries()) {
    const found = patternProblems(rule, patternOf);
    problems.push(
      ...(found.length > 0 ? found : await exampleProblems(rule, ruleOf(rule))).map(({ path, message }) => ({
        path: [index, ...path],
        message,
      })),
    );
  }
  return problems;
}

function patternProblems({ when }: OwnRule, compile: (pattern: string) => unknown): readonly Problem[] {
  if (when.is !== 'pattern') return [];
  try {
    compile(when.pattern);
    return [];
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return [{ path: ['pattern'], message: `the pattern cannot be used: ${error.message}` }];
  }
}

async function exampleProblems(rule: OwnRule, shown: Rule): Promise<readonly Problem[]> {
  // A command that a rule suggests instead must not be stopped by the same rule.
  const suggested = [...(rule.suggestion ?? '').matchAll(/`([^`]+)`/g)].map(
    ([, command = '']): Example => ({ action: { kind: 'shell', command } }),
  );
  const withSuggested: Rule = {
    ...shown,
    examples: { hit: shown.examples.hit, miss: [...shown.examples.miss, ...suggested] },
  };
  const failures = await runExamples([withSuggested], undefined, [rule]);
  return failures.map(({ expected, example }): Problem => {
    if (suggested.includes(example)) {
      return { path: ['suggestion'], message: 'the rule hits what it suggests instead' };
    }
    const message = expected === 'hit' ? 'the rule does not hit this command' : 'the rule hits this command';
    return {
      path: ['examples', expected, shown.examples[expected].indexOf(example)],
      message: `${message}, against its example`,
    };
  });
}
