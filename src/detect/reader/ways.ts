// The ways in which a text is read beside as it stands: without its markup, with its lines joined, and as the bytes
// that runs of base64 or hex in it are. Each gives every unit that it reads the place in the source where it begins.

/** How a text is read. */
export type Way = 'plain' | 'unmarked' | 'joined' | 'base64' | 'hex' | 'gzip' | 'spelled';

/** What a way makes of a piece. */
export interface Units {
  readonly text: string;
  /** Where in the source the first unit begins. */
  readonly at: number;
  /** Where each of them begins; null where they follow one another as in the source. */
  readonly origins: readonly number[] | null;
}

/** Reads a text piece by piece. */
export interface Decoder {
  push(piece: string, last: boolean): Units;
  /** From here on the source is not read yet: more of it decides what it is. */
  readonly open: number;
}

/** Reads a text without its markup; with its lines joined where one may end inside of a token. */
export function unmarkedOf(way: 'unmarked' | 'joined'): Decoder {
  return new Unmarked(way === 'joined');
}

/** A decoder whose units a second reading takes as well, after the first. */
export class SharedDecoder implements Decoder {
  readonly #decoder: Decoder;
  #units: Units = { text: '', at: 0, origins: null };

  constructor(decoder: Decoder) {
    this.#decoder = decoder;
  }

  get open(): number {
    return this.#decoder.open;
  }

  push(piece: string, last: boolean): Units {
    this.#units = this.#decoder.push(piece, last);
    return this.#units;
  }

  /** What reads the same units again; each piece is handed to it after the first reading took it. */
  get second(): Decoder {
    const units = () => this.#units;
    const open = () => this.open;
    return {
      push: units,
      get open() {
        return open();
      },
    };
  }
}

/** Reads runs as bytes; these may begin at any letter of a run, so each place in a group has its own decoder. */
export function bytesOf(way: 'base64' | 'hex'): readonly BytesDecoder[] {
  return way === 'base64'
    ? [0, 1, 2, 3].map((skip) => new Bytes(base64Values, 6, skip))
    : [0, 1].map((skip) => new Bytes(hexValues, 4, skip));
}

/** A decoder that need not be shown what stands between runs. */
export interface BytesDecoder extends Decoder {
  /** Goes on behind so much of the source, which holds no run that is long enough. */
  skip(length: number): void;
}

/** Runs shorter than this hold no secret: the shortest that is known has 16 letters. */
export const shortestRun = 20;

/** Whether bytes may be written with a unit; the letters of hex are among those of base64. */
export function isRunLetter(unit: number): boolean {
  return (base64Values[unit] ?? -1) >= 0;
}

/** Longer than any sign below, so that one which is cut is waited for and nothing else is. */
const longestSign = 64;

/** The seam between two texts of one message; what comes behind it may be a string in an argument of a call. */
export const seam = '\u2063';

/**
 * What stands in a text for other letters, or for none: escapes of strings, URLs and HTML; emphasis; characters
 * that are not shown; tags that only change how a word looks; letters in another width; and the seam between two parts of
 * a string, two strings of a list, two members of an object, or two texts of a message.
 */
const signs = new RegExp(
  [
    String.raw`\\u\{[0-9A-Fa-f]{1,6}\}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2}`,
    '&#[0-9]{1,7};|&#[xX][0-9A-Fa-f]{1,6};|&(?:amp|lt|gt|quot|apos|nbsp|shy|lowbar|hyphen|ZeroWidthSpace);',
    String.raw`\\(?:r\\n|[nrt]|\r?\n|[\\!-/:-@[-\x60{-~])`,
    String.raw`\r?\n[ \t]{0,16}(?:[>|#*+-]{1,3}[ \t]{0,4})?`,
    String.raw`(?:["'\x60][ \t\r\n]{0,8}[}\]]{0,3}|[}\]]{1,3})?\u2063[{[ \t\r\n]{0,8}(?:"[\w.-]{1,32}"[ ]{0,2}:[ ]{0,2})?"?`,
    String.raw`["'\x60][ \t\r\n]{0,8},[ \t\r\n]{0,8}["'][\w.-]{1,24}["'][ \t]{0,2}:[ \t]{0,2}["']`,
    String.raw`["'\x60]\x60?[ \t]{0,8}(?:\+|\.{1,2}|&|<>|\|\||,)?[ \t]{0,8}(?:\\?\r?\n[ \t]{0,16})?(?:\+|\.{1,2}|&|<>|\|\|)?[ \t]{0,4}["'\x60]`,
    String.raw`(?:["'\x60]\})?\$\{["'\x60]`,
    String.raw`</?(?:b|i|u|em|strong|code|wbr|span|mark|font|kbd|tt|br)(?:[ \t][^<>\r\n]{0,40})?/?>|<!--[^<>\r\n]{0,40}-->`,
    String.raw`[*~\x60]+|[\uff01-\uff5e]|\p{Default_Ignorable_Code_Point}`,
  ].join('|'),
  'gu',
);

/** How one of the signs may begin that the end of a text can cut: \\ % & " ' ` $ ] } < the seam, and the ends of lines. */
function isOpening(unit: number): boolean {
  return (
    unit === 92 ||
    unit === 37 ||
    unit === 38 ||
    unit === 34 ||
    unit === 39 ||
    unit === 96 ||
    unit === 36 ||
    unit === 93 ||
    unit === 125 ||
    unit === 0x2063 ||
    unit === 60 ||
    unit === 10 ||
    unit === 13
  );
}

/** The units with which no sign begins, of ASCII alone: whatever is made of them is read as it stands. */
const calm = Uint8Array.from({ length: 128 }, (_, unit) =>
  isOpening(unit) || /[*~\x60]/.test(String.fromCharCode(unit)) ? 0 : 1,
);

function isCalm(piece: string): boolean {
  for (let at = 0; at < piece.length; at++) if (calm[piece.charCodeAt(at)] !== 1) return false;
  return true;
}

const named: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&nbsp;': ' ',
  '&lowbar;': '_',
  '&hyphen;': '-',
};

class Unmarked implements Decoder {
  readonly #joins: boolean;
  #rest = '';
  /** The end of what was read before. */
  #before = '';
  /** Where `#rest` begins in the source. */
  open = 0;

  constructor(joins: boolean) {
    this.#joins = joins;
  }

  push(piece: string, last: boolean): Units {
    const base = this.open;
    // Most pieces have nothing in them that could stand for anything else.
    if (this.#rest === '' && isCalm(piece)) {
      this.open += piece.length;
      this.#remember(piece);
      return { text: piece, at: base, origins: null };
    }
    const source = this.#rest + piece;
    const end = last ? source.length : cutBefore(source);
    signs.lastIndex = 0;
    let sign = signs.exec(source);
    const plain = sign === null || sign.index >= end;
    const origins: number[] = [];
    let text = plain ? source.slice(0, end) : '';
    const copy = (from: number, to: number) => {
      text += source.slice(from, to);
      for (let at = from; at < to; at++) origins.push(base + at);
    };
    let at = plain ? end : 0;
    for (; sign !== null && sign.index < end; sign = signs.exec(source)) {
      copy(at, sign.index);
      at = sign.index + sign[0].length;
      const meant = this.#meant(sign[0], text);
      text += meant;
      for (let unit = 0; unit < meant.length; unit++) origins.push(base + sign.index);
    }
    const stop = Math.max(at, end);
    if (!plain) copy(at, stop);
    this.#rest = source.slice(stop);
    this.open = base + stop;
    this.#remember(text);
    return { text, at: base, origins: plain ? null : origins };
  }

  /** Keeps the end of what was read, for the ends of lines; it is cut now and then, and not with every piece. */
  #remember(text: string): void {
    if (!this.#joins) return;
    this.#before += text;
    if (this.#before.length > 8 * longestSign) this.#before = this.#before.slice(-longestSign);
  }

  /** What a sign stands for, behind what was read in this piece. */
  #meant(sign: string, text: string): string {
    const code = codeOf(sign);
    if (code !== undefined) return code > 0x10ffff ? '' : String.fromCodePoint(code);
    const known = named[sign];
    if (known !== undefined) return known;
    if (sign >= '\uff01' && sign <= '\uff5e') return String.fromCharCode(sign.charCodeAt(0) - 0xfee0);
    if (/^(?:\r?\n|\\(?:r\\n|[nr]|\r?\n))/.test(sign)) return this.#joins && this.#isCut(text) ? '' : '\n';
    if (sign === '\\t') return '\t';
    return sign.startsWith('\\') ? sign.slice(1) : '';
  }

  /** Whether a line may end inside of a token: it ends in one, and not in a word or a mark. */
  #isCut(text: string): boolean {
    const line = (text.length < longestSign ? this.#before + text : text).slice(-longestSign);
    return !/(?:^|[^A-Za-z0-9_+/=-])[A-Z]?[a-z]*$/.test(line);
  }
}

/** The number of the character that an escape stands for. */
function codeOf(sign: string): number | undefined {
  const hex = /^(?:\\u\{?|\\x|%|&#[xX])([0-9A-Fa-f]+)[};]?$/.exec(sign)?.[1];
  if (hex !== undefined) return Number.parseInt(hex, 16);
  const decimal = /^&#([0-9]+);$/.exec(sign)?.[1];
  return decimal === undefined ? undefined : Number(decimal);
}

/** The place from which a sign may have begun that the end of the text cuts. */
function cutBefore(text: string): number {
  const from = Math.max(0, text.length - longestSign);
  for (let at = from; at < text.length; at++) {
    if (isOpening(text.charCodeAt(at)) && beginnings.test(text.slice(at))) return at;
  }
  // Half of a character that takes two units is no text yet.
  const final = text.charCodeAt(text.length - 1);
  return final >= 0xd800 && final <= 0xdbff ? text.length - 1 : text.length;
}

/** What a text may be that is the beginning of a sign, or of a longer one. */
const beginnings = new RegExp(
  `^(?:${[
    String.raw`\\(?:u(?:\{[0-9A-Fa-f]{0,6}|[0-9A-Fa-f]{0,3})?|x[0-9A-Fa-f]?|r\\?|\r)?`,
    '%[0-9A-Fa-f]?',
    '&(?:#(?:[0-9]{0,7}|[xX][0-9A-Fa-f]{0,6})|[A-Za-z]{0,14})?',
    String.raw`\r|\r?\n[ \t]{0,16}(?:[>|#*+-]{1,3}[ \t]{0,4})?`,
    String.raw`["'\x60][\x60 \t\r\n+.&<>|\\]{0,60}`,
    String.raw`["'\x60][ \t\r\n]{0,8}(?:,[ \t\r\n]{0,8}(?:["'](?:[\w.-]{0,24}|[\w.-]{1,24}["'](?:[ \t]{0,2}:?[ \t]{0,2})))?)?`,
    String.raw`(?:["'\x60][ \t\r\n]{0,8}[}\]]{0,3}|[}\]]{1,3})?(?:\u2063[{[ \t\r\n]{0,8}(?:"(?:[\w.-]{0,32}|[\w.-]{1,32}"[ ]{0,2}(?::[ ]{0,2})?))?)?`,
    String.raw`(?:["'\x60]\})?\$?\{?`,
    String.raw`<(?:!-{0,2}|!--[^<>\r\n]{0,40}-?|/?[a-z]{0,6}|/?[a-z]{1,6}[ \t][^<>\r\n]{0,40})/?`,
  ].join('|')})$`,
);

/** So few letters hold no secret either; as long as there are no more, they wait. */
const shortestText = 12;

/** The bytes that letters of base64 stand for. */
export function bytesIn(run: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((run.length * 3) / 4));
  let [held, bits, at] = [0, 0, 0];
  for (let index = 0; index < run.length; index++) {
    bits = ((bits << 6) | (base64Values[run.charCodeAt(index)] ?? 0)) & 0xffff;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes[at++] = bits >> held;
    }
  }
  return bytes;
}

class Bytes implements BytesDecoder {
  readonly #values: Int8Array;
  readonly #width: number;
  readonly #skip: number;
  #at = 0;
  /** Letters of the run that is being read; -1 between runs. */
  #length = -1;
  #held = 0;
  #bits = 0;
  /** Where the letter stands that the byte being read begins in. */
  #begun = 0;
  /** Letters that are too few to be a secret, and where each begins. */
  #codes: number[] = [];
  #places: number[] = [];
  /** Whether there were enough of them to be read. */
  #flows = false;

  constructor(values: Int8Array, width: number, skip: number) {
    this.#values = values;
    this.#width = width;
    this.#skip = skip;
  }

  get open(): number {
    return this.#places[0] ?? (this.#held > 0 ? this.#begun : this.#at);
  }

  skip(length: number): void {
    this.#at += length;
  }

  push(piece: string): Units {
    const read = { codes: [] as number[], places: [] as number[] };
    const { length } = piece;
    let index = 0;
    while (index < length) {
      if (this.#valueAt(piece, index) < 0) {
        if (this.#length >= 0) {
          this.#break(this.#at + index, read);
          this.#length = -1;
          this.#held = 0;
        }
        index++;
        continue;
      }
      let end = index + 1;
      while (end < length && this.#valueAt(piece, end) >= 0) end++;
      // A word is not read as bytes if it is seen to be too short for any.
      if (this.#length < 0 && end < length && end - index < shortestRun) index = end;
      for (; index < end; index++) this.#take(this.#valueAt(piece, index), this.#at + index, read);
    }
    this.#at += length;
    if (this.#flows) this.#flow(read);
    return { text: textOf(read.codes), at: this.#at, origins: read.places };
  }

  #valueAt(text: string, index: number): number {
    return this.#values[text.charCodeAt(index)] ?? -1;
  }

  #take(value: number, place: number, read: Read): void {
    this.#length++;
    if (this.#length < this.#skip) return;
    if (this.#held === 0) this.#begun = place;
    this.#bits = ((this.#bits << this.#width) | value) & 0xffff;
    this.#held += this.#width;
    if (this.#held < 8) return;
    this.#held -= 8;
    const code = (this.#bits >> this.#held) & 0xff;
    // Secrets are plain letters; whatever else stands here parts them.
    if (code >= 32 && code < 127) {
      this.#codes.push(code);
      this.#places.push(this.#begun);
      this.#flows ||= this.#codes.length >= shortestText;
    } else this.#break(this.#begun, read);
    this.#begun = place;
  }

  /** Ends a row of letters: what comes next is of another. */
  #break(place: number, read: Read): void {
    if (this.#flows) {
      this.#flow(read);
      read.codes.push(10);
      read.places.push(place);
    }
    this.#flows = false;
    this.#codes = [];
    this.#places = [];
  }

  /** Lets the letters be read. */
  #flow({ codes, places }: Read): void {
    codes.push(...this.#codes);
    places.push(...this.#places);
    this.#codes = [];
    this.#places = [];
  }
}

interface Read {
  readonly codes: number[];
  readonly places: number[];
}

function textOf(codes: readonly number[]): string {
  let text = '';
  for (let at = 0; at < codes.length; at += 4096) text += String.fromCharCode(...codes.slice(at, at + 4096));
  return text;
}

function table(letters: string): Int8Array {
  const values = new Int8Array(128).fill(-1);
  [...letters].forEach((letter, value) => {
    values[letter.charCodeAt(0)] = value;
  });
  return values;
}

const base64Values = table('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
base64Values[45] = 62;
base64Values[95] = 63;

const hexValues = table('0123456789abcdef');
'ABCDEF'.split('').forEach((letter, value) => {
  hexValues[letter.charCodeAt(0)] = value + 10;
});
