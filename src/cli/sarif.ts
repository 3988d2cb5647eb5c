// What every log in SARIF 2.1.0 begins with, and how it names files.

import { bytesOf } from './scan/file.ts';

export const sarifHead = {
  $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
  version: '2.1.0',
};

/** `path` goes from the root of the sources, or is absolute; bytes as characters. */
export function artifact(path: string): { readonly uri: string; readonly uriBaseId?: string } {
  return path.startsWith('/')
    ? { uri: `file://${encoded(path)}` }
    : { uri: encoded(path), uriBaseId: '%SRCROOT%' };
}

/** A path as a URI: every byte that is not plain is escaped, so names in any encoding come through. */
function encoded(path: string): string {
  return [...bytesOf(path)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[\w./~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}
