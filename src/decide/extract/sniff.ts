// The type of a file, by its content alone: names and declared types are claims of the sender. A file that two programs
// could interpret as two different types has no type.

import { textOfBytes } from '../../core/text.ts';
import { Unreadable } from './limits.ts';

export type FileType = 'pdf' | 'zip' | 'gzip' | 'tar' | ImageType | TextType;
export type ImageType = 'png' | 'jpeg' | 'webp' | 'bmp' | 'gif';
type TextType = 'html' | 'text';

/** Signatures at an offset of the file. */
type Sign = readonly [type: FileType, at: number, bytes: readonly number[] | string];

const signs: readonly Sign[] = [
  ['png', 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['jpeg', 0, [0xff, 0xd8, 0xff]],
  ['gif', 0, 'GIF87a'],
  ['gif', 0, 'GIF89a'],
  ['webp', 8, 'WEBP'],
  ['bmp', 0, 'BM'],
  ['zip', 0, 'PK\u0003\u0004'],
  ['zip', 0, 'PK\u0005\u0006'],
  ['gzip', 0, [0x1f, 0x8b, 0x08]],
  ['tar', 257, 'ustar'],
];

/** How far from the start of the file a PDF reader looks for the signature. */
const pdfReach = 1024;

/** A file's type; throws `Unreadable` if there is none, or more than one. */
export function sniff(bytes: Uint8Array): FileType {
  const found = typeOf(bytes);
  if (found === null) {
    throw new Unreadable(isEncryptedOffice(bytes) ? 'encrypted' : 'unknown_type');
  }
  const others = [
    ...(found !== 'pdf' && indexOf(bytes, '%PDF-', pdfReach) >= 0 && found !== 'text' ? ['PDF'] : []),
    ...(found !== 'zip' && endsAsZip(bytes) ? ['ZIP'] : []),
  ];
  if (others.length > 0) throw new Unreadable('polyglot', `${found} and ${others.join(', ')}`);
  return found;
}

function typeOf(bytes: Uint8Array): FileType | null {
  if (startsWith(bytes, '%PDF-', pdfStart(bytes))) return 'pdf';
  for (const [type, at, sign] of signs) {
    if (!startsWith(bytes, sign, at)) continue;
    // Two letters are too few to tell a picture from a text.
    if (type === 'bmp' && !isBitmap(bytes)) continue;
    return type;
  }
  const text = decoded(bytes);
  if (text === null) return null;
  // Its text differs from what a reader sees: words are split by controls and written in hex.
  if (text.startsWith('{\\rtf')) return null;
  return isMarkup(text) ? 'html' : 'text';
}

/** A byte order mark or empty lines may precede the signature. */
function pdfStart(bytes: Uint8Array): number {
  let at = startsWith(bytes, [0xef, 0xbb, 0xbf], 0) ? 3 : 0;
  while (at < 64 && /\s/.test(String.fromCharCode(bytes[at] ?? 0))) at++;
  return at;
}

function isBitmap(bytes: Uint8Array): boolean {
  const view = viewOf(bytes);
  return bytes.length >= 26 && view.getUint32(6, true) === 0 && view.getUint32(2, true) <= bytes.length;
}

const latin = new TextDecoder('windows-1252');

/** The text of a text file; decoded as Windows-1252 if it is not valid UTF. */
export function decoded(bytes: Uint8Array): string | null {
  const text = textOfBytes(bytes);
  if (text !== null) return text;
  // A NUL or another control character means that it is not text.
  for (const byte of bytes) if (byte < 9 || (byte > 13 && byte < 27)) return null;
  const read = latin.decode(bytes);
  const odd = read.match(/[\x7f-\x9f]/g)?.length ?? 0;
  const foreign = read.match(/[^\x00-\x7f]/g)?.length ?? 0;
  return odd > 0 || foreign * 4 > read.length ? null : read;
}

/** Whether a text is HTML or XML as a whole, rather than a text that contains some. */
function isMarkup(text: string): boolean {
  let rest = text.slice(0, 4096).trimStart();
  while (rest.startsWith('<!--')) {
    const end = rest.indexOf('-->', 4);
    if (end < 0) return false;
    rest = rest.slice(end + 3).trimStart();
  }
  return /^<(?:!doctype|html|head|body|svg|\?xml|[a-z][\w:-]*[\s/>])/i.test(rest);
}

/** Office wraps an encrypted document in a file of its oldest format. */
function isEncryptedOffice(bytes: Uint8Array): boolean {
  if (!startsWith(bytes, [0xd0, 0xcf, 0x11, 0xe0], 0)) return false;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(
    Buffer.from('EncryptedPackage', 'utf16le'),
  );
}

/** Whether a ZIP reader, which starts at the end, would accept it as a ZIP. */
function endsAsZip(bytes: Uint8Array): boolean {
  const view = viewOf(bytes);
  for (let at = bytes.length - 22; at >= Math.max(0, bytes.length - 65_557); at--) {
    if (!startsWith(bytes, 'PK\u0005\u0006', at)) continue;
    const comment = view.getUint16(at + 20, true);
    const size = view.getUint32(at + 12, true);
    if (at + 22 + comment === bytes.length && size <= at) return true;
  }
  return false;
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

function startsWith(bytes: Uint8Array, sign: readonly number[] | string, at: number): boolean {
  if (at + sign.length > bytes.length) return false;
  for (let index = 0; index < sign.length; index++) {
    const wanted = typeof sign === 'string' ? sign.charCodeAt(index) : sign[index];
    if (bytes[at + index] !== wanted) return false;
  }
  return true;
}

function indexOf(bytes: Uint8Array, sign: string, within: number): number {
  const at = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, within)).indexOf(sign);
  return at;
}
