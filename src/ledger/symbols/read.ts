// Reads the table of a file, as JSON: tables are many, and most are never used again.

import { readFileSync } from 'node:fs';
import type { ModuleReader } from '../../core/index.ts';
import { largestText, tableOf } from '../../guards/symbols/tables.ts';

/** `null` in JSON if the file cannot be read. */
export function readTable(path: string, reader: ModuleReader | null): string {
  const text = readText(path);
  return JSON.stringify(text === null || text.length > largestText ? null : tableOf(text, path, reader));
}

export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
