// What an installation may leave out, and which of it is missing here.

import { find } from '../decide/packages.ts';

/** What an installation may leave out, and the packages that it takes. */
export const optionalParts: Readonly<Record<string, readonly string[]>> = {
  Python: ['web-tree-sitter', 'tree-sitter-python'],
  JavaScript: ['oxc-parser'],
  'code that calls tools': ['quickjs-wasi'],
  MCP: ['@modelcontextprotocol/client', '@modelcontextprotocol/server'],
  SQL: ['libpg-query', '@guanmingchiu/sqlparser-ts'],
  documents: ['unpdf'],
  pictures: ['tesseract.js', '@tesseract.js-data/eng', '@tesseract.js-data/por'],
  YAML: ['yaml'],
  'audits of Go': ['tree-sitter-go'],
};

/** The parts that are not installed, each with the packages that it lacks. */
export function missingParts(): readonly { readonly what: string; readonly names: readonly string[] }[] {
  return Object.entries(optionalParts)
    .map(([what, names]) => ({ what, names: names.filter(isMissing) }))
    .filter(({ names }) => names.length > 0);
}

function isMissing(name: string): boolean {
  try {
    find(name, {});
    return false;
  } catch {
    return true;
  }
}
