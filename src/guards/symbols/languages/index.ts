// The languages whose references are looked up, one row each.

import type { ModuleReader, SourceTree } from '../../../core/index.ts';
import type { Answer, Reference, References } from '../reference.ts';
import { goFile, goReferences } from './go.ts';
import { findGo } from './go-names.ts';
import { pythonFile } from './python.ts';
import { findPython } from './python-names.ts';
import { pythonReferences } from './python-references.ts';
import { typescriptFile, typescriptReferences } from './typescript.ts';
import { findTypescript } from './typescript-names.ts';

export interface Language {
  readonly name: 'TypeScript' | 'Python' | 'Go';
  /** The names of its files. */
  readonly files: RegExp;
  /** Whether its files are read by the optional parser of modules. */
  readonly needsReader: boolean;
  /** What a text refers to; null where it cannot be read. */
  read(text: string, path: string, reader: ModuleReader | null): References | null;
  /** Looks one reference up. */
  find(reference: Reference, from: string, root: string, tree: SourceTree): Answer;
}

export const languages: readonly Language[] = [
  {
    name: 'TypeScript',
    files: typescriptFile,
    needsReader: true,
    read: (text, path, reader) => (reader === null ? null : scriptReferences(text, path, reader)),
    find: findTypescript,
  },
  { name: 'Python', files: pythonFile, needsReader: false, read: pythonReferences, find: findPython },
  { name: 'Go', files: goFile, needsReader: false, read: goReferences, find: findGo },
];

/** The language of a file; null where it has no index. */
export function languageOf(path: string): Language | null {
  return languages.find(({ files }) => files.test(path)) ?? null;
}

/** Null too where the tree is deeper than it can be walked. */
function scriptReferences(text: string, path: string, reader: ModuleReader): References | null {
  try {
    return typescriptReferences(text, path, reader);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
