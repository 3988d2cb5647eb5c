// Tools of projects: what they make stands in the project, unless their output is sent elsewhere.

import type { Effect } from '../effects.ts';
import {
  beginningOf,
  type Call,
  effect,
  inert,
  literal,
  mapValue,
  nameTarget,
  textOf,
  write,
} from '../tools/tool.ts';
import type { Examples, Fact } from './card.ts';

/** What a build does by its words alone. */
export function builds(call: Call): readonly Effect[] {
  const elsewhere = call.args.flatMap((argument, index) => {
    const output = mapValue(argument, (text) => text.replace(/^(?:-o|--output=|--out=)(?=[/~]|\.\.\/)/, ''));
    const separate = /^(?:-o|--output|--out)$/.test(textOf(call.args[index - 1] ?? literal('')) ?? '');
    const named = separate || beginningOf(output) !== beginningOf(argument);
    return named && /^(?:[/~]|\.\.\/)/.test(beginningOf(output))
      ? write(call, output, { detail: 'overwrite' })
      : [];
  });
  return elsewhere.length > 0 ? elsewhere : inert(call, 'project');
}

/** The fact that a program is a tool of projects. */
export function building(program: string): Fact {
  return {
    what: 'builds, checks or runs what the project has',
    always: true,
    effects: builds,
    examples: {
      hit: {
        [`${program} a`]: 'inert (project)',
        [`${program} -o dist/a`]: 'inert (project)',
        [`${program} -o /tmp/a`]: 'write /tmp/a (overwrite)',
        [`${program} --output ~/a`]: 'write ~/a (overwrite)',
        [`${program} --output=../a`]: 'write ../a (overwrite)',
        [`${program} --out=/tmp/a`]: 'write /tmp/a (overwrite)',
        [`${program} --out ../a`]: 'write ../a (overwrite)',
        [`${program} -o/tmp/a`]: 'write /tmp/a (overwrite)',
      },
      miss: [],
    },
  };
}

/** The fact that some first words of a tool of projects reach others: what was built is published, or a table changes. */
export function reaching(
  what: string,
  words: RegExp,
  done: { readonly kind: 'deploy' | 'database' | 'cloud'; readonly detail: string },
  examples: Examples,
): Fact {
  return {
    what,
    effects: (call, given) => {
      const said = given.operands.slice(0, 4).map(beginningOf).join(' ');
      if (given.has('dry-run', 'dryRun', 'dry') || !words.test(said)) return [];
      const target = nameTarget(literal(`${call.program} ${said}`));
      return [effect(call, done.kind, { detail: done.detail, target })];
    },
    examples,
  };
}
