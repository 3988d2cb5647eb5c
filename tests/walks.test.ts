// The walks of docs/architecture.md are true: every file that they name is there, and has the function beside it.

import { existsSync, readFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';

const page = readFileSync('docs/architecture.md', 'utf8');
const start = page.indexOf('## Five walks');
const section = page.slice(start, page.indexOf('\n## ', start + 1));

interface Step {
  readonly file: string;
  readonly name: string;
}

/** The walks by their headings, and the steps of each. */
const walks = section
  .split('\n### ')
  .slice(1)
  .map((text) => {
    const steps = [...text.matchAll(/^\| `(\S+)` *\| `(\w+)` *\| .+ \|$/gm)].map(
      ([, file = '', name = '']): Step => ({ file, name }),
    );
    return { title: text.slice(0, text.indexOf('\n')), steps };
  });

/** The names of everything that a file declares and that can be called: functions, classes, methods. */
function callableIn(file: string): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) {
      for (const one of node) visit(one);
      return;
    }
    const { type, id, key, value, init } = node as Record<string, unknown>;
    const isFunction = (one: unknown) => /Function/.test(String((one as { type?: string } | null)?.type));
    const nameOf = (one: unknown) => String((one as { name?: string } | null)?.name);
    if (type === 'FunctionDeclaration' || type === 'ClassDeclaration') names.add(nameOf(id));
    if (type === 'MethodDefinition' || (type === 'Property' && isFunction(value))) names.add(nameOf(key));
    if (type === 'PropertyDefinition' && isFunction(value)) names.add(nameOf(key));
    if (type === 'VariableDeclarator' && isFunction(init)) names.add(nameOf(id));
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseAst(readFileSync(file, 'utf8'), { lang: 'ts' }).body);
  return names;
}

it('walks five ways, each from a surface to the ledger or to what runs', () => {
  expect(walks).toHaveLength(5);
  for (const { steps } of walks) {
    expect(steps.length).toBeGreaterThan(10);
    expect(steps[0]?.file).toMatch(/^src\/(surfaces|cli)\//);
    expect(steps.map(({ file }) => file)).toContain('src/decide/decide.ts');
  }
  // Every row of every table is a step: none is left unread because of its form.
  const rows = [...section.matchAll(/^\| (?!file|-)/gm)].length;
  expect(walks.flatMap(({ steps }) => steps)).toHaveLength(rows);
});

describe.each(walks)('$title', ({ steps }) => {
  it.each(steps)('$file has $name', ({ file, name }) => {
    expect(existsSync(file), file).toBe(true);
    expect(callableIn(file)).toContain(name);
  });
});
