// Reads JSON as configuration files write it: with comments and with commas before a closing bracket.

import { isJsonObject, type JsonObject } from '../../core/index.ts';

/** Texts come first, so that what looks like a comment inside of one stays. */
const pieces =
  /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*[}\]])/g;

/** The object in a text; null where there is none that can be read. */
export function readJsonc(text: string | null): JsonObject | null {
  if (text === null) return null;
  try {
    // A file of the workspace is data here: what it names is only looked for.
    const plain = text
      .replace(/^\ufeff/, '')
      .replace(pieces, (piece) => (piece.startsWith('"') ? piece : ' '));
    const value: unknown = JSON.parse(plain);
    return typeof value === 'object' && value !== null && isJsonObject(value as JsonObject)
      ? (value as JsonObject)
      : null;
  } catch {
    return null;
  }
}
