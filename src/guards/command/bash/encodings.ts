// Texts that stand for bytes: base64, base32 and hexadecimal, both ways.

import { inputOf, linesOf, type Printer, type Run, readOptions } from './run.ts';
import { hole } from './values.ts';

const alphabet64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export const alphabet32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function decodeBits(text: string, alphabet: string, size: number): string | null {
  let held = 0;
  let count = 0;
  let result = '';
  for (const character of text) {
    if (character === '=') break;
    if (/\s/.test(character)) continue;
    const value = alphabet.indexOf(character);
    if (value === -1) return null;
    held = ((held << size) | value) & 0xffff;
    count += size;
    if (count >= 8) {
      count -= 8;
      result += String.fromCharCode((held >> count) & 0xff);
    }
  }
  return result;
}

function encodeBits(text: string, alphabet: string, size: number, block: number): string {
  let held = 0;
  let count = 0;
  let result = '';
  for (const character of text) {
    held = ((held << 8) | (character.charCodeAt(0) & 0xff)) & 0xffff;
    count += 8;
    while (count >= size) {
      count -= size;
      result += alphabet[(held >> count) & ((1 << size) - 1)] ?? '';
    }
  }
  if (count > 0) result += alphabet[(held << (size - count)) & ((1 << size) - 1)] ?? '';
  while (result.length % block !== 0) result += '=';
  return result;
}

/** Bytes read as UTF-8 where they are; otherwise they stay as they are. */
function asText(bytes: string): string {
  if (!/[\u0080-\u00ff]/.test(bytes)) return bytes;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(bytes, (character) => character.charCodeAt(0)),
    );
  } catch {
    return bytes;
  }
}

export function base(alphabet: string, size: number, block: number): Printer {
  return (run) => {
    const { options, operands } = readOptions(run.args, 'w');
    const input = inputOf(run, operands);
    if (input === null || input.includes(hole)) return null;
    const decodes = options.has('d') || options.has('D') || options.has('--decode');
    if (!decodes) return `${encodeBits(input, alphabet, size, block)}\n`;
    const lenient = options.has('i') || options.has('--ignore-garbage');
    const kept = lenient ? [...input].filter((character) => alphabet.includes(character)).join('') : input;
    const decoded = decodeBits(kept, alphabet, size);
    return decoded === null ? null : asText(decoded);
  };
}

export const base64 = base(alphabet64, 6, 4);

function fromHex(text: string): string {
  const digits = text.replace(/[^0-9A-Fa-f]/g, '');
  let result = '';
  for (let index = 0; index + 1 < digits.length; index += 2) {
    result += String.fromCharCode(Number.parseInt(digits.slice(index, index + 2), 16));
  }
  return result;
}

export function xxd(run: Run): string | null {
  const { options, operands } = readOptions(run.args, 'cgls');
  const input = inputOf(run, operands.slice(0, 1));
  if (input === null || input.includes(hole)) return null;
  const plain =
    options.has('p') || options.has('ps') || run.args.some((arg) => /^-(?:ps|plain|postscript)$/.test(arg));
  if (options.has('r') || run.args.includes('-revert')) {
    if (plain) return asText(fromHex(input));
    const lines = linesOf(input).map(
      (line) => /^[0-9A-Fa-f]+:\s?((?:[0-9A-Fa-f]{2,4} ?)+)/.exec(line)?.[1] ?? '',
    );
    return asText(fromHex(lines.join('')));
  }
  if (!plain) return null;
  return `${[...input].map((character) => character.charCodeAt(0).toString(16).padStart(2, '0')).join('')}\n`;
}
