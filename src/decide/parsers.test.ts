// The parsers load where they are installed, and say clearly where they are not.

import { describe, expect, it } from 'vitest';
import type { ParserMissing } from './packages.ts';
import { loadJavascript, loadPython } from './parsers.ts';

const folders = (process.env['NODE_PATH'] ?? '').split(':').filter((folder) => folder !== '');
const python = await loadPython({ folders }).catch((error: ParserMissing) => error.message);
const installed = typeof python !== 'string';
if (!installed) console.warn(`Skipped: ${python}`);

describe('parsers', () => {
  it.skipIf(installed)('name the package that is missing', () => {
    expect(python).toMatch(/web-tree-sitter is not installed/);
  });

  it.skipIf(!installed)('read Python with offsets in UTF-16', () => {
    if (typeof python === 'string') return;
    const root = python("é = '𝒙'\nx");
    const [, last] = root.children;
    expect([root.type, last?.type, last?.text, last?.start]).toEqual([
      'module',
      'expression_statement',
      'x',
      9,
    ]);
    expect(root.children[0]?.children[0]?.field('left')?.text).toBe('é');
  });

  it.skipIf(!installed)('read Python that makes their memory grow', () => {
    if (typeof python === 'string') return;
    const { children } = python('a = b\n'.repeat(40_000));
    const last = children.at(-1)?.children[0];
    expect([children.length, last?.start, last?.field('right')?.text]).toEqual([40_000, 239_994, 'b']);
  });

  it.skipIf(!installed)('name the first child of a field', () => {
    if (typeof python === 'string') return;
    const [statement] = python('if a:\n  b\nelif c:\n  d\nelse:\n  e\n').children;
    expect(statement?.field('alternative')?.text).toBe('elif c:\n  d');
    expect(statement?.field('body')).toBeNull();
  });

  it.skipIf(!installed)('read JavaScript as script, module or TypeScript', () => {
    const parse = loadJavascript({ folders });
    expect(parse('return 1').errors).toEqual([]);
    expect(parse("import a from 'a'; await a").errors).toEqual([]);
    expect(parse('const a: string = b as string').errors).toEqual([]);
    expect(parse('rm -rf /').errors).not.toEqual([]);
  });
});
