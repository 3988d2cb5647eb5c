// The parsers load if they are installed, and report clearly if they are not.

import { describe, expect, it } from 'vitest';
import { BudgetExceeded } from '../core/index.ts';
import type { PythonNode } from '../guards/command/python/tree.ts';
import type { ParserMissing } from './packages.ts';
import { loadJavascript } from './parsers.ts';
import { loadPython, runtimeIn } from './tree-sitter.ts';

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

  it.skipIf(!installed)('call what was missed or not understood an error', () => {
    if (typeof python === 'string') return;
    const typesIn = (node: PythonNode): readonly string[] => [node.type, ...node.children.flatMap(typesIn)];
    expect(typesIn(python('f(a'))).toContain('ERROR');
    expect(typesIn(python('a = = b'))).toContain('ERROR');
    expect(typesIn(python('f(a)'))).not.toContain('ERROR');
  });

  it.skipIf(!installed)('read a tree that is deeper than calls may go', () => {
    if (typeof python === 'string') return;
    let depth = 0;
    for (let node = python(`${'-'.repeat(20_000)}a`); node.children.length > 0; depth++)
      node = node.children.at(-1) ?? node;
    expect(depth).toBeGreaterThan(20_000);
  });

  it.skipIf(!installed)('read nothing at all', () => {
    if (typeof python === 'string') return;
    expect(python('')).toMatchObject({ type: 'module', start: 0, end: 0, children: [] });
  });

  it.skipIf(!installed)('are loaded beside others that use the same package', async () => {
    const another = await loadPython({ folders });
    expect([another('a').type, typeof python === 'string' || python('a').type]).toEqual(['module', 'module']);
  });

  it('are not used in a version that has other functions', () => {
    expect(() => runtimeIn({ _ts_parser_parse_wasm: () => 0 })).toThrow(
      /of a version without _ts_tree_root_node_wasm/,
    );
  });

  it.skipIf(!installed)('give up on code that would take seconds, and read the next', async () => {
    const hasty = await loadPython({ folders, patience: 5 });
    expect(() => hasty(':;+'.repeat(700))).toThrow(BudgetExceeded);
    expect(hasty('a').end).toBe(1);
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
