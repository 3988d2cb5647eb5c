// Pages that scripts make: tables in Markdown, and the one way to write or to check them.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** One page: as it stands, and as it should be. */
export interface Page {
  readonly path: string;
  readonly found: string;
  readonly wanted: string;
}

/** A table; the cells hold Markdown. Its columns are as wide as the formatter makes them. */
export function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  const rows = [head, ...body].map((row) => row.map((cell) => cell.trim().replaceAll('|', '\\|')));
  const widths = head.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [first = [], ...rest] = rows;
  return [line(first), line(widths.map((width) => '-'.repeat(width))), ...rest.map(line)].join('\n');
}

/** Pages with their generated parts made anew; throws if a page lacks a part that is made, or has one that is not. */
export function fillPages(paths: readonly string[], parts: ReadonlyMap<string, string>): readonly Page[] {
  const left = new Set(parts.keys());
  const homes = new Map<string, Set<string>>();
  const pages = paths.map((path): Page => {
    const found = readFileSync(join(root, path), 'utf8');
    const wanted = found.replace(
      /<!-- generated: (.+?) -->\n.*?<!-- end of generated -->/gs,
      (_, name: string) => {
        const part = parts.get(name);
        if (part === undefined) {
          const why = `nothing makes the part "${name}" that ${path} has.`;
          throw new Error(
            `The pages were not written: ${why} Remove its markers there, or correct the name.`,
          );
        }
        left.delete(name);
        homes.set(kindOf(name), (homes.get(kindOf(name)) ?? new Set()).add(path));
        return `<!-- generated: ${name} -->\n\n${part.trim()}\n\n<!-- end of generated -->`;
      },
    );
    return { path, found, wanted };
  });
  for (const name of left) {
    const open = pages.find(({ found }) => found.includes(`<!-- generated: ${name} -->`));
    if (open !== undefined) {
      const why = `the part "${name}" of ${open.path} has no end of its own.`;
      throw new Error(`The pages were not written: ${why} Add the line <!-- end of generated --> behind it.`);
    }
    const page = [...(homes.get(kindOf(name)) ?? paths)].join(' or ');
    const lines = `<!-- generated: ${name} --> and <!-- end of generated -->`;
    throw new Error(
      `The pages were not written: no page has the part "${name}". Add the lines ${lines} to ${page}.`,
    );
  }
  return pages;
}

/** Parts of one kind, such as `command NAME`, usually stand on one page. */
function kindOf(part: string): string {
  return part.split(' ', 1).join('');
}

/** Writes the pages that are not current; with --check only names them, and ends with 1. */
export function writePages(script: string, pages: readonly Page[]): void {
  const given = process.argv.slice(2);
  const check = given.includes('--check');
  if (given.some((argument) => argument !== '--check')) {
    process.stderr.write(`Usage: npm run ${script} [-- --check]\n`);
    process.exitCode = 2;
    return;
  }
  const stale = pages.filter(({ found, wanted }) => found !== wanted);
  for (const { path, wanted } of stale) {
    if (!check) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), wanted);
    }
    process.stdout.write(`${path}: ${check ? 'not current' : 'written'}\n`);
  }
  if (stale.length === 0) process.stdout.write('The generated pages are current.\n');
  process.exitCode = check && stale.length > 0 ? 1 : 0;
}

/** A file as the formatter leaves it, which looks into the code of a page too. */
export function formatted(path: string, text: string): string {
  const formatter = join(root, 'node_modules/@biomejs/biome/bin/biome');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [formatter, 'format', '--stdin-file-path', path],
    { cwd: root, input: text, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`${path} could not be formatted:\n${stderr}`);
  return stdout;
}
