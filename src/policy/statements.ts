// Finds the policies in a Cedar file: each ends with a semicolon outside of strings and comments.

export interface Statement {
  readonly text: string;
  /** UTF-16 offset in the file. */
  readonly start: number;
}

/** What stands between policies or hides a semicolon; anything else is skipped one character at a time. */
const token = /"(?:[^"\\]|\\.)*"?|\/\/[^\n]*|;|\s+|./gs;

/** The policies of a file, in order, as they stand there; what follows the last semicolon counts as one too. */
export function statementsOf(file: string): readonly Statement[] {
  const statements: Statement[] = [];
  let start: number | undefined;
  for (const { 0: found, index } of file.matchAll(token)) {
    const idle = found.startsWith('//') || found.trim() === '';
    if (start === undefined && !idle) start = index;
    if (found !== ';' || start === undefined) continue;
    statements.push({ text: file.slice(start, index + 1), start });
    start = undefined;
  }
  if (start !== undefined) statements.push({ text: file.slice(start), start });
  return statements;
}

const annotation = /"(?:[^"\\]|\\.)*"?|\/\/[^\n]*|@\s*([A-Za-z_]\w*)|./gs;

/** The UTF-16 offset of an annotation in a policy; 0 where it is not found. */
export function annotationAt(policy: string, name: string): number {
  for (const { 1: found, index } of policy.matchAll(annotation)) if (found === name) return index;
  return 0;
}

/** Line and column, from 1, of a UTF-16 offset. */
export function placeOf(file: string, offset: number): { readonly line: number; readonly column: number } {
  const before = file.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/** The UTF-16 offset of an offset in UTF-8 bytes, which is how the engine counts. */
export function fromBytes(text: string, bytes: number): number {
  return Buffer.from(text).subarray(0, bytes).toString().length;
}
