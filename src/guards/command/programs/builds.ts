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
  pathTarget,
  textOf,
  write,
} from '../tools/tool.ts';
import type { Examples, Fact } from './card.ts';
import { loadedPaths } from './loading.ts';

/** What a build does by its words alone. */
function builds(call: Call): readonly Effect[] {
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

/** Subcommands of compilers and runtimes that run a file of code, which they build first. */
const running = /^(?:run|r|e|script|fsi|eval|-script|exec)$/;
const source =
  /^(?:\/|~|\.\.\/).*\.(?:go|dart|cs|csx|fsx|zig|nim|cr|v|rs|swift|kts|kt|scala|sc|exs|ml|hs|nims)$/;

/** Files of code from elsewhere that a compiler or a runtime runs. */
export function runsElsewhere(call: Call): readonly Effect[] {
  const words = call.args.map(beginningOf);
  // Code that is a word of the call, in a language that nothing here reads.
  if (call.program === 'crystal' && words[0] === 'eval')
    return [
      effect(call, 'run', { detail: 'script', target: nameTarget(literal('eval')), origins: ['unknown'] }),
    ];
  return words.some((word) => running.test(word)) || call.program === 'swift'
    ? call.args
        .filter((word) => source.test(textOf(word) ?? ''))
        .map((path) => effect(call, 'run', { detail: 'script', target: pathTarget(path) }))
    : [];
}

/** The code that options of a tool of projects load from elsewhere. */
function loadedByOptions(call: Call): readonly Effect[] {
  const words = call.args.map((word) => textOf(word) ?? '');
  return loadedPaths(call.program, words).map((path) =>
    effect(call, 'run', { detail: 'loaded', target: pathTarget(literal(path)), origins: [] }),
  );
}

/** The fact that a tool of projects loads what some of its options name. */
export function loadingOptions(program: string): Fact {
  return {
    what: 'loads configuration or plugins that are code',
    effects: (call) => [...loadedByOptions(call), ...runsElsewhere(call)],
    examples: {
      hit: {
        [`${program} --<config config-file plugin require rulesdir> /tmp/a.js b`]: 'run /tmp/a.js (loaded)',
        [`${program} -c ../a.js`]: 'run ../a.js (loaded)',
        [`${program} <run r script fsi eval -script> /tmp/a.kts`]: 'run /tmp/a.kts (script)',
        [`${program} --plugin=~/a.js b`]: 'run ~/a.js (loaded)',
      },
      miss: [`${program} --config a.js`, `${program} --output /tmp/a`, `${program} /tmp/a`],
    },
  };
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
