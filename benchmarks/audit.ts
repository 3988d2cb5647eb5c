// The auditor on a tree of 2,000 files of TypeScript, beside the compiler that only checks its types.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agents } from './audit-accuracy.ts';
import { original } from './audit-marks.ts';
import { type Benchmark, median, short } from './table.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const many = 2000;
/** Every so many files there is an agent. */
const every = 50;
const rounds = 3;
const goals = { ratio: 1, megabytes: 500 };

/** A module like any other: types, a class, and uses of its neighbours. */
function ordinary(index: number): string {
  const before = index === 0 ? '' : `import { Store${index - 1} } from './module${index - 1}.ts';\n`;
  const uses = index === 0 ? 'null' : `new Store${index - 1}().total()`;
  const methods = Array.from(
    { length: 8 },
    (_, at) => `  sort${at}(order: 'up' | 'down' = 'up'): readonly Item${index}[] {
    const sign = order === 'up' ? 1 : -1;
    return [...this.items].sort((a, b) => (a.price - b.price) * sign).filter(({ price }) => price > ${at});
  }`,
  );
  return `${before}export interface Item${index} { readonly name: string; readonly price: number }
export class Store${index} {
  readonly items: Item${index}[] = [];
  add(item: Item${index}): void {
    if (item.price < 0) throw new RangeError(item.name);
    this.items.push(item);
  }
  total(): number {
    let sum = 0;
    for (const { price } of this.items) sum += price;
    return sum;
  }
  before(): number | null {
    return ${uses};
  }
${methods.join('\n')}
}
`;
}

function makeTree(folder: string): void {
  mkdirSync(join(folder, 'src'));
  const correct = agents().filter(({ language, marked }) => language === 'typescript' && / AG-/.test(marked));
  for (let index = 0; index < many; index++) {
    const agent = index % every === 0 ? correct[(index / every) % correct.length] : undefined;
    const text =
      agent === undefined ? ordinary(index) : `// @ts-nocheck\n${original(agent.marked)}\n${ordinary(index)}`;
    writeFileSync(join(folder, 'src', `module${index}.ts`), text);
  }
  const options = {
    target: 'es2024',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    types: [],
  };
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, include: ['src'] }),
  );
}

interface Measured {
  readonly seconds: number;
  readonly megabytes: number;
}

function run(folder: string, words: readonly string[]): Measured {
  const [program = '', ...rest] = words;
  const started = performance.now();
  const { stderr, error } = spawnSync('/usr/bin/time', ['-f', 'peak %M', program, ...rest], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, SALLYPORT_HOME: join(folder, 'home') },
  });
  if (error !== undefined) throw error;
  const seconds = (performance.now() - started) / 1000;
  return { seconds, megabytes: Number(/peak (\d+)/.exec(stderr)?.[1] ?? Number.NaN) / 1024 };
}

export const audit: Benchmark = async (progress) => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-bench-'));
  try {
    makeTree(folder);
    const ours: Measured[] = [];
    const theirs: Measured[] = [];
    for (let round = 0; round < rounds; round++) {
      progress(`round ${round + 1} of ${rounds}`);
      theirs.push(run(folder, [join(root, 'node_modules/.bin/tsc'), '--noEmit']));
      ours.push(
        run(folder, [
          process.execPath,
          join(root, 'bin/sallyport.cjs'),
          'audit',
          'policies',
          'agent-guardrails',
          '--json',
          'src',
        ]),
      );
    }
    const [mine, floor] = [
      median(ours.map(({ seconds }) => seconds)),
      median(theirs.map(({ seconds }) => seconds)),
    ];
    const memory = Math.max(...ours.map(({ megabytes }) => megabytes));
    return [
      {
        what: `${many} files of TypeScript, beside tsc --noEmit`,
        ours: `${short(mine)} s`,
        floor: `${short(floor)} s`,
        ratio: short(mine / floor),
        goal: `≤ ${goals.ratio}`,
        met: mine / floor <= goals.ratio,
      },
      {
        what: 'memory of it at most',
        ours: `${short(memory)} MB`,
        floor: `${short(Math.max(...theirs.map(({ megabytes }) => megabytes)))} MB`,
        ratio: '',
        goal: `≤ ${goals.megabytes} MB`,
        met: memory <= goals.megabytes,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
