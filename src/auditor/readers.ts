// The parsers that an audit reads with, each loaded when a file first needs it.

import { once } from '../core/index.ts';
import { loadModules } from '../decide/parsers.ts';
import { loadPython } from '../decide/python.ts';
import type { Readers } from './program.ts';

export function parserReaders(): Readers {
  return { python: once(() => loadPython()), modules: once(async () => loadModules()) };
}
