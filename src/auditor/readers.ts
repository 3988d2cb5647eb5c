// The parsers that an audit reads with, each loaded when a file first needs it.

import { once } from '../core/index.ts';
import { loadModules } from '../decide/parsers.ts';
import type { Readers } from './program.ts';

const treeSitter = () => import('../decide/tree-sitter.ts');

export function parserReaders(): Readers {
  return {
    go: once(async () => (await treeSitter()).loadGo()),
    modules: once(async () => loadModules()),
    python: once(async () => (await treeSitter()).loadPython()),
  };
}
