// The walks as docs/architecture.md tells them, and where the functions that they name stand in their files.

import { readFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';

export interface Step {
  readonly file: string;
  readonly name: string;
}

export interface Walk {
  readonly title: string;
  readonly steps: readonly Step[];
}

/** The part of the page that holds the walks. */
export function sectionOf(page: string): string {
  const start = page.indexOf('## Five walks');
  return page.slice(start, page.indexOf('\n## ', start + 1));
}

/** The walks by their headings, and the steps of each. */
export function walksIn(section: string): readonly Walk[] {
  return section
    .split('\n### ')
    .slice(1)
    .map((text) => {
      const steps = [...text.matchAll(/^\| `(\S+)` *\| `(\w+)` *\| .+ \|$/gm)].map(
        ([, file = '', name = '']): Step => ({ file, name }),
      );
      return { title: text.slice(0, text.indexOf('\n')), steps };
    });
}

/** The counts of one walk: its steps, the files in its table, and the files in which a function was called. */
export interface Counts {
  readonly steps: number;
  readonly named: number;
  /** Files called at the commit that the page compares with. */
  readonly before: number;
  readonly called: number;
}

const countsRow = /^(\| \[.+?\]\(#.+?\) *\|) *(\d+) *\| *(\d+) *\| *(\d+) *\| *(\d+) *\|$/gm;

/** The counts of the walks, as the table at the head of the section says them. */
export function countsIn(section: string): readonly Counts[] {
  return [...section.matchAll(countsRow)].map(([, , steps, named, before, called]) => ({
    steps: Number(steps),
    named: Number(named),
    before: Number(before),
    called: Number(called),
  }));
}

/** The page with other counts. */
export function withCounts(page: string, counts: readonly Omit<Counts, 'before'>[]): string {
  let at = 0;
  return page.replace(countsRow, (...[, title, , , before = '']: readonly string[]) => {
    const { steps, named, called } = counts[at++] ?? { steps: 0, named: 0, called: 0 };
    const cells = [`${steps}`.padEnd(5), `${named}`.padEnd(18), before.padEnd(19), `${called}`.padEnd(16)];
    return `${title} ${cells.join(' | ')} |`;
  });
}

/** From where to where something stands in its file. */
export type Range = readonly [from: number, to: number];

/** Everything that a file declares and that can be called, by name: functions, classes, methods. */
export function callableIn(file: string): ReadonlyMap<string, readonly Range[]> {
  const found = new Map<string, Range[]>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) {
      for (const one of node) visit(one);
      return;
    }
    const { type, id, key, value, init, start, end } = node as Record<string, unknown>;
    const isFunction = (one: unknown) => /Function/.test(String((one as { type?: string } | null)?.type));
    const add = (one: unknown) => {
      const name = String((one as { name?: string } | null)?.name);
      found.set(name, [...(found.get(name) ?? []), [Number(start), Number(end)]]);
    };
    if (type === 'FunctionDeclaration' || type === 'ClassDeclaration') add(id);
    if (type === 'MethodDefinition' || (type === 'Property' && isFunction(value))) add(key);
    if (type === 'PropertyDefinition' && isFunction(value)) add(key);
    if (type === 'VariableDeclarator' && isFunction(init)) add(id);
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseAst(readFileSync(file, 'utf8'), { lang: 'ts' }).body);
  return found;
}
