// Backslash escapes of echo, printf and `$'…'`, and the directives of printf.

const simple: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
};

const escaped =
  /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|(0?[0-7]{1,3})|c(.?)|([\s\S]))/g;

/** The text with its escapes decoded; `\c` ends it where `stops` says so. */
export function decodeEscapes(text: string, stops = false): string {
  let ended = -1;
  const decoded = text.replace(
    escaped,
    (
      whole,
      hex?: string,
      short?: string,
      long?: string,
      octal?: string,
      control?: string,
      other?: string,
      at?: unknown,
    ) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      const point = short ?? long;
      if (point !== undefined) {
        const number = Number.parseInt(point, 16);
        return number > 0x10ffff ? '' : String.fromCodePoint(number);
      }
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
      if (other !== undefined) return simple[other] ?? whole;
      if (stops && ended === -1 && typeof at === 'number') ended = at;
      return stops ? '' : String.fromCharCode((control ?? '').charCodeAt(0) & 0x1f);
    },
  );
  return ended === -1 ? decoded : decodeEscapes(text.slice(0, ended));
}

/** What `printf` would print; null where it cannot be known. */
export function formatPrintf(format: string, args: readonly string[]): string | null {
  let result = '';
  let next = 0;
  for (let round = 0; round < 256; round++) {
    const before = next;
    let rest = format;
    while (rest !== '') {
      const directive = /^%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+))?(?:[hlLjzt]*)(\([^)]*\)T|[%a-zA-Z])/.exec(rest);
      if (directive === null) {
        const plain = /^(?:[^%\\]+|\\[\s\S]|%|\\)/.exec(rest)?.[0] ?? rest;
        const escaped = /^\\(?:x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[0-7]{1,3})/.exec(
          rest,
        )?.[0];
        const taken = escaped ?? plain;
        result += decodeEscapes(taken);
        rest = rest.slice(taken.length);
        continue;
      }
      const [taken, flags = '', width, precision, conversion = ''] = directive;
      rest = rest.slice(taken.length);
      if (conversion === '%') {
        result += '%';
        continue;
      }
      const size = width === '*' ? Number(args[next++] ?? '0') : Number(width ?? '0');
      const digits =
        precision === '*' ? Number(args[next++] ?? '0') : precision === undefined ? null : Number(precision);
      const text = convert(conversion, args[next++] ?? '', digits, flags);
      if (text === null || !(size <= 4096)) return null;
      result += flags.includes('-')
        ? text.padEnd(size)
        : text.padStart(size, flags.includes('0') ? '0' : ' ');
    }
    if (next >= args.length || next === before || result.length > 65_536) return result;
  }
  return null;
}

function convert(conversion: string, argument: string, digits: number | null, flags: string): string | null {
  switch (conversion) {
    case 's':
      return digits === null ? argument : argument.slice(0, digits);
    case 'b':
      return decodeEscapes(argument, true);
    case 'q':
      return /^[\w./:=@%+,-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
    case 'c':
      return argument.slice(0, 1);
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o': {
      const number = /^['"]/.test(argument) ? argument.charCodeAt(1) : Number(octalAware(argument));
      if (Number.isNaN(number)) return null;
      const base = conversion === 'o' ? 8 : conversion.toLowerCase() === 'x' ? 16 : 10;
      const text = Math.trunc(number)
        .toString(base)
        .padStart(digits ?? 0, '0');
      const prefixed = flags.includes('#') && base === 16 ? `0x${text}` : text;
      return conversion === 'X' ? prefixed.toUpperCase() : prefixed;
    }
    default:
      return null;
  }
}

function octalAware(text: string): string {
  if (text === '') return '0';
  return /^0[0-7]+$/.test(text) ? String(Number.parseInt(text, 8)) : text;
}
