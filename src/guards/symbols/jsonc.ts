// Reads JSON as configuration files write it: with comments and with commas before a closing bracket.

import { isJsonObject, type JsonObject } from '../../core/json.ts';

/**
 * Texts come first, so that what looks like a comment or an end inside of one stays. What nothing closes goes to the end, or its
 * end would be looked for again from every place behind it.
 */
const comments = /"(?:[^"\\]|\\[\s\S])*"?|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/g;
const commas = /"(?:[^"\\]|\\[\s\S])*"?|,(?=\s*[}\]])/g;

function without(text: string, pieces: RegExp): string {
  return text.replace(pieces, (piece) => {
    const open = piece.startsWith('/*') && !/^\/\*[\s\S]*\*\/$/.test(piece);
    return piece.startsWith('"') || open ? piece : ' ';
  });
}

/** The object in a text; null where there is none that can be read. */
export function readJsonc(text: string | null): JsonObject | null {
  if (text === null) return null;
  try {
    // A file of the workspace is data here: what it names is only looked for.
    const value: unknown = JSON.parse(without(without(text.replace(/^\ufeff/, ''), comments), commas));
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
