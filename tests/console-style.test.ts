// The look of the console is decided in one file: no colour and no size stands anywhere else.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const sources = fileURLToPath(new URL('../console/src/', import.meta.url));
const tokensFile = 'styles/tokens.css';

const colour = /#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|hwb|oklch|oklab|lab|lch|color)\(/i;
const named = /:\s*(?:black|white|red|green|blue|gr[ae]y|orange|yellow|purple)\b/i;
const size = /(?<![\w-])\d*\.?\d+(?:px|rem|pt|cm|mm|in)\b/;

/** A line of a style sheet that names a colour or a size itself; the widths at which the layout changes cannot be named. */
function literalIn(line: string): boolean {
  if (line.trimStart().startsWith('@media')) return false;
  return colour.test(line) || named.test(line) || size.test(line);
}

const files = readdirSync(sources, { recursive: true, encoding: 'utf8' });
const sheets = files.filter((name) => name.endsWith('.css') && name !== tokensFile);
const code = files.filter((name) => name.endsWith('.tsx'));
const linesOf = (name: string) => readFileSync(join(sources, name), 'utf8').split('\n');

describe('the look', () => {
  it('finds what it looks for', () => {
    for (const line of ['color: #fff;', 'gap: 4px;', 'width: 2.5rem', 'fill: rgb(0 0 0)', 'color: red;'])
      expect([line, literalIn(line)]).toEqual([line, true]);
    for (const line of [
      'color: var(--text);',
      'flex: 1 1 50%;',
      '@media (max-width: 48rem) {',
      'top: 0.45em;',
    ])
      expect([line, literalIn(line)]).toEqual([line, false]);
    expect(sheets.length).toBeGreaterThan(2);
  });

  it.each(sheets)('%s has no colour and no size of its own', (name) => {
    expect(linesOf(name).filter(literalIn)).toEqual([]);
  });

  it('stands in style sheets and not in pages', () => {
    const own = code.flatMap((name) =>
      linesOf(name).flatMap((line) =>
        // What is drawn to data has its numbers from the data.
        /(?:color|background|fill|fontSize|padding|margin)=?['"]?:?\s*['"{]?['"]?#|\d(?:px|rem)\b/.test(line)
          ? [`${name}: ${line.trim()}`]
          : [],
      ),
    );
    expect(own).toEqual([]);
  });

  it('uses every token, and names none that is not there', () => {
    const tokens = linesOf(tokensFile).flatMap((line) => /^\s+(--[\w-]+):/.exec(line)?.[1] ?? []);
    const used = new Set(
      [...sheets, tokensFile].flatMap((name) =>
        linesOf(name).flatMap((line) => [...line.matchAll(/var\((--[\w-]+)/g)].map(([, token]) => token)),
      ),
    );
    const scripted = code.flatMap(linesOf).join('\n');
    expect(tokens.filter((token) => !used.has(token) && !scripted.includes(token))).toEqual([]);
    expect(
      [...used].filter((token) => !tokens.includes(String(token)) && !/^--diff-/.test(String(token))),
    ).toEqual([]);
  });
});
