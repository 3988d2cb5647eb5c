// npm run words: counts the words of docs/ page by page: written by hand, generated, code and figures. A word has a letter or a
// digit; `wc -w` also counts the bars of tables and other signs.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The pages that `npm run report` writes as a whole. */
const figures = new Set(['docs/accuracy.md', 'docs/comparison.md', 'docs/performance.md']);

export interface Words {
  readonly hand: number;
  readonly generated: number;
  readonly code: number;
  readonly figures: number;
}

/** The words of one page, by who wrote them. Code that is generated counts as generated. */
export function wordsOf(page: string, text: string): Words {
  const all = count(text);
  if (figures.has(page)) return { hand: 0, generated: 0, code: 0, figures: all };
  const own = text.replace(/<!-- generated: .+? -->.*?<!-- end of generated -->/gs, '');
  const prose = own.replace(/^```.*?^```$/gms, '');
  return { hand: count(prose), generated: all - count(own), code: count(own) - count(prose), figures: 0 };
}

function count(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** Every page of docs/ with its words. */
export function countDocs(): readonly (readonly [page: string, words: Words])[] {
  return readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => [`docs/${name}`, wordsOf(`docs/${name}`, readFileSync(join(root, 'docs', name), 'utf8'))]);
}

export function sumOf(counts: readonly Words[]): Words & { readonly total: number } {
  const sum = (key: keyof Words) => counts.reduce((total, words) => total + words[key], 0);
  const [hand, generated, code, figures] = [sum('hand'), sum('generated'), sum('code'), sum('figures')];
  return { hand, generated, code, figures, total: hand + generated + code + figures };
}

if (import.meta.main) {
  const counts = countDocs();
  const line = (name: string, cells: readonly (string | number)[]) =>
    process.stdout.write(`${name.padEnd(36)}${cells.map((cell) => String(cell).padStart(11)).join('')}\n`);
  line('page', ['by hand', 'generated', 'code', 'figures', 'all']);
  const shown = ({ hand, generated, code, figures, total }: ReturnType<typeof sumOf>) => [
    hand,
    generated,
    code,
    figures,
    total,
  ];
  for (const [page, words] of counts) line(page, shown(sumOf([words])));
  line('docs/', shown(sumOf(counts.map(([, words]) => words))));
}
