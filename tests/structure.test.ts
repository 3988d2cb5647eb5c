// The structure of the sources: no import cycles, no repeated code, and a bound on the functions with many branches.
// The bounds may only go down.

import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  clonesOf,
  cyclesOf,
  functionsOf,
  graphOf,
  productFiles,
  type SourceFile,
} from './support/structure.ts';

const at = (folder: string) => fileURLToPath(new URL(`../${folder}/`, import.meta.url));
const source = productFiles(at('src'));
const page = productFiles(at('console/src'));

/** Import cycles that are left where type imports count; lower it when one is gone. */
const mostTypeCycles = 1;
/** A function with a cyclomatic complexity above this has many branches. */
const manyBranches = 20;
/** Most functions with many branches, by where they are; lower a number when one is gone. */
const mostBranching = [
  { where: 'everywhere', most: 74, counts: () => true },
  {
    where: "outside the command guard's shell and tools",
    most: 34,
    counts: (file: string) => !/^guards\/command\/(?:bash|tools)\//.test(file),
  },
  {
    where: 'outside the command guard',
    most: 18,
    counts: (file: string) => !file.startsWith('guards/command/'),
  },
];

describe('the sources', () => {
  const branching = [...source, ...page].flatMap((one) =>
    functionsOf(one).flatMap((found) =>
      found.branches > manyBranches ? [{ file: one.file, ...found }] : [],
    ),
  );

  it('have no import cycles', () => {
    const cycles = [source, page].flatMap((files) => cyclesOf(graphOf(files), ({ types }) => !types));
    expect(cycles.map((files) => files.join(' ')).join('\n')).toBe('');
  });

  it(`have at most ${mostTypeCycles} import cycles with type imports`, () => {
    const cycles = [source, page].flatMap((files) => cyclesOf(graphOf(files), () => true));
    const shown = cycles.map((files) => `${files.length}: ${files.join(' ')}`);
    process.stdout.write(`${shown.length} import cycles with type imports\n`);
    expect(shown.length, shown.join('\n')).toBeLessThanOrEqual(mostTypeCycles);
  });

  it.each(mostBranching)(
    `have at most $most functions with over ${manyBranches} branches $where`,
    (bound) => {
      const found = branching.filter(({ file }) => bound.counts(file));
      process.stdout.write(`${found.length} functions with over ${manyBranches} branches ${bound.where}\n`);
      const shown = found.map(({ file, line, name, branches }) => `${branches} ${file}:${line} ${name}`);
      expect(found.length, shown.join('\n')).toBeLessThanOrEqual(bound.most);
    },
  );

  it('have no repeated code', () => {
    // The packs are generated tables, and the types of calls are generated too.
    const generated = /^(?:detect\/packs\/|routes\.ts$)/;
    const written = [...source, ...page].filter(({ file }) => !generated.test(file));
    expect(clonesOf(written).join('\n')).toBe('');
  });
});

describe('one place', () => {
  const filesWith = (pattern: RegExp) =>
    source.filter(({ code }) => pattern.test(code)).map(({ file }) => file);

  it('knows the usual port of the daemon', () => {
    expect(filesWith(/[=:] 4719\b/)).toEqual(['core/signing.ts']);
  });

  it('knows of values that may be promises', () => {
    expect(filesWith(/instanceof Promise\b/)).toEqual(['core/ready.ts']);
  });

  it('makes the decider of a process: its owner', () => {
    // Commands and programs own their process; everything else is handed the decider.
    const makers = filesWith(/\bcreateDecider\(/);
    const owners = /^(?:cli|surfaces\/sdk|agent\/bench)\//;
    expect(makers.filter((file) => !owners.test(file))).toEqual(['decide/decide.ts', 'run/judge.ts']);
  });
});

describe('the check of the structure itself', () => {
  const files = (...codes: readonly string[]): SourceFile[] =>
    codes.map((code, index) => ({ file: `${'abc'[index]}.ts`, code }));

  it.each([
    ["import { b } from './b.ts';", "import { a } from './a.ts';"],
    ["export { b } from './b.ts';", "import './a.ts';"],
    ["const b = await import('./b.ts');", "import { type T, a } from './a.ts';"],
  ])('finds the cycle of %s and %s', (a, b) => {
    expect(cyclesOf(graphOf(files(a, b, "import './a.ts';")), ({ types }) => !types)).toEqual([
      ['a.ts', 'b.ts'],
    ]);
  });

  it.each([
    ["import type { B } from './b.ts';", "import { a } from './a.ts';"],
    ["import { type B } from './b.ts';", "import { a } from './a.ts';"],
    ["let b: typeof import('./b.ts');", "import { a } from './a.ts';"],
  ])('takes the cycle of %s and %s for one of types', (a, b) => {
    const graph = graphOf(files(a, b));
    expect(cyclesOf(graph, ({ types }) => !types)).toEqual([]);
    expect(cyclesOf(graph, () => true)).toEqual([['a.ts', 'b.ts']]);
  });

  it('finds only the files of the cycle', () => {
    const graph = graphOf(files("import './b.ts';", "import './c.ts';", "import './b.ts'; import './d.ts';"));
    expect(cyclesOf(graph, () => true)).toEqual([['b.ts', 'c.ts']]);
  });

  it.each([
    ['function f() {}', 1],
    ['function f(a) { if (a) return 1; else return 2; }', 2],
    ['const f = (a, b) => (a && b) || (a ?? b);', 4],
    ['function f(a) { switch (a) { case 1: case 2: return; default: } }', 3],
    ['function f(a) { for (const b of a) while (b) try { a ? 1 : 2; } catch { a ||= 1; } }', 6],
    ['function f(a) { return a.map((b) => (b ? 1 : 2)); }', 1],
  ])('counts the branches of %s', (code, branches) => {
    expect(functionsOf({ file: 'a.ts', code }).at(-1)).toMatchObject({ name: 'f', branches });
  });

  it('finds repeated code in any layout, and nothing shorter', () => {
    const lines = Array.from({ length: 10 }, (_, index) => `  total${index} += price[${index}] * count;`);
    const [one, other] = [lines.join('\n'), lines.join('\n\n  // a comment\n')];
    expect(clonesOf(files(`function f() {\n${one}\n}`, `function g() {\n${other}\n}`))).toHaveLength(1);
    expect(clonesOf(files(`${one}\nconst between = 1;\n${one}`))).toHaveLength(1);
    expect(clonesOf(files(lines.slice(0, 4).join('\n'), lines.slice(0, 4).join('\n')))).toEqual([]);
    expect(clonesOf(files(one, one.replaceAll('price', 'weight')))).toEqual([]);
  });
});
