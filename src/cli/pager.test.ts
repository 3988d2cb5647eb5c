// Pages hold every character once, each page fits its screen, and the end is only reached by turning all of them.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { pagesOf, readWhole } from './pager.ts';
import type { Terminal } from './terminal.ts';

it('cuts lines into screens and loses nothing', () => {
  const line = fc.string({ unit: fc.constantFrom('a', ' ', 'é', '漢', '😀'), maxLength: 300 });
  const size = fc.record({ rows: fc.nat(60), columns: fc.nat(200) });
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 40 }), size, (lines, { rows, columns }) => {
      const pages = pagesOf([...lines, 'end'], { rows, columns }, '');
      const text = pages.map((page) => page.text).join('');
      expect(text.replaceAll('\n', '')).toBe([...lines, 'end'].join(''));
      expect(pages.at(-1)?.left).toBe(0);
      const [tall, wide] = [Math.max(10, rows || 24) - 3, Math.max(40, columns || 80)];
      for (const page of pages) {
        const shown = page.text.split('\n').slice(0, -1);
        expect(shown.length).toBeLessThanOrEqual(tall);
        for (const row of shown) expect([...row].length).toBeLessThanOrEqual(wide);
      }
    }),
  );
});

it('goes on below a long line, behind the indent', () => {
  const [page] = pagesOf(['x'.repeat(90)], { rows: 24, columns: 80 }, '    ');
  expect(page?.text).toBe(`${'x'.repeat(80)}\n    ${'x'.repeat(10)}\n`);
});

it.each([
  [['z', '\r', ' '], true, 'line 49'],
  [['\r', 'q'], false, 'line 41'],
  [['Q'], false, 'line 20'],
] as const)('with the keys %j: %s', async (keys, whole, last) => {
  const left: string[] = [...keys];
  let shown = '';
  const terminal: Terminal = {
    write: (text) => {
      shown += text;
    },
    size: () => ({ rows: 0, columns: 0 }),
    key: async (withinMs) => (withinMs === 0 ? null : (left.shift() ?? null)),
    close: () => undefined,
  };
  const lines = Array.from({ length: 50 }, (_, at) => `line ${at}`);
  expect(await readWhole(terminal, lines, '')).toBe(whole);
  expect(shown.match(/line \d+/g)?.at(-1)).toBe(last);
  expect(left).toEqual([]);
});
