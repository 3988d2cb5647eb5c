// Makes documents for tests: PDF, DOCX, ZIP, tar, pictures with drawn words. Small and whole, as real programs write them.

import { crc32, deflateRawSync, deflateSync } from 'node:zlib';

export interface PdfOptions {
  /** What the page shows, at 12 points in black. */
  readonly text?: string;
  /** Operators that draw more. */
  readonly draw?: string;
  readonly info?: Readonly<Record<string, string>>;
  /** A note on the page. */
  readonly note?: string;
  /** The name and the content of an attached file. */
  readonly attached?: readonly [string, string];
  /** The attached file hangs on a note, and not on the document. */
  readonly pinned?: boolean;
  readonly pages?: number;
  /** Pixels of a grey picture on the page. */
  readonly picture?: Drawn;
  readonly encrypted?: boolean;
}

/** A document of one page, or of more that are alike. */
export function pdf(options: PdfOptions = {}): Uint8Array {
  const { text = '', draw = '', info = {}, note, attached, pages = 1, picture } = options;
  const { encrypted = false, pinned = false } = options;
  const shown = picture === undefined ? '' : 'q 280 0 0 60 10 100 cm /I1 Do Q';
  const content = `BT /F1 12 Tf 10 180 Td (${text}) Tj ET ${draw} ${shown}`;
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${attached === undefined || pinned ? '' : '/Names << /EmbeddedFiles << /Names [(a) 8 0 R] >> >>'} >>`,
    `<< /Type /Pages /Kids [${Array.from({ length: pages }, () => '3 0 R').join(' ')}] /Count ${pages} >>`,
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> /XObject << /I1 7 0 R >> /ExtGState << /Clear << /ca 0 >> >> >> ${note === undefined && !pinned ? '' : '/Annots [6 0 R]'} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    streamOf('', content),
    `<< /Type /Annot /Subtype ${pinned ? '/FileAttachment /FS 8 0 R' : '/Text'} /Rect [0 0 10 10] /Contents (${note ?? ''}) >>`,
    picture === undefined
      ? '<< >>'
      : streamOf(
          `/Type /XObject /Subtype /Image /Width ${picture.width} /Height ${picture.height} /ColorSpace /DeviceGray /BitsPerComponent 8`,
          Buffer.from(picture.pixels).toString('latin1'),
        ),
    `<< /Type /Filespec /F (${attached?.[0] ?? ''}) /UF (${attached?.[0] ?? ''}) /EF << /F 9 0 R >> >>`,
    streamOf('/Type /EmbeddedFile', attached?.[1] ?? ''),
    `<< ${Object.entries(info)
      .map(([key, value]) => `/${key} (${value})`)
      .join(' ')} >>`,
  ];
  const locked = `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> /P -4 >> /ID [<00> <00>]`;
  let out = '%PDF-1.4\n';
  const places = objects.map((object, index) => {
    const at = out.length;
    out += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  out += `xref\n0 ${size}\n0000000000 65535 f \n${places.join('')}trailer\n<< /Size ${size} /Root 1 0 R /Info 10 0 R ${encrypted ? locked : ''} >>\nstartxref\n${out.length}\n%%EOF\n`;
  return Buffer.from(out, 'latin1');
}

function streamOf(entries: string, content: string): string {
  return `<< ${entries} /Length ${content.length} >>\nstream\n${content}\nendstream`;
}

export interface Entry {
  readonly name: string;
  readonly content: Uint8Array | string;
  /** As its own header says, where that is to differ. */
  readonly localName?: string;
  readonly encrypted?: boolean;
  /** The size that it claims to have. */
  readonly claimed?: number;
  readonly method?: number;
}

/** A ZIP of files. */
export function zip(entries: readonly Entry[]): Uint8Array {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content, localName = name, encrypted = false, claimed, method = 8 } of entries) {
    const bytes = Buffer.from(content);
    const packed = method === 8 ? deflateRawSync(bytes) : bytes;
    const header = (signature: number, named: string, more: number, extra: Buffer) => {
      const made = Buffer.alloc(26 + more);
      made.writeUInt32LE(signature, 0);
      const place = 4 + (more === 16 ? 2 : 0);
      made.writeUInt16LE(20, place);
      made.writeUInt16LE(encrypted ? 1 : 0, place + 2);
      made.writeUInt16LE(method, place + 4);
      made.writeUInt32LE(crc32(bytes), place + 10);
      made.writeUInt32LE(packed.length, place + 14);
      made.writeUInt32LE(claimed ?? bytes.length, place + 18);
      made.writeUInt16LE(Buffer.byteLength(named), place + 22);
      return Buffer.concat([made, extra, Buffer.from(named)]);
    };
    const local = header(0x0403_4b50, localName, 4, Buffer.alloc(0));
    const offset = Buffer.alloc(4);
    offset.writeUInt32LE(at);
    directory.push(header(0x0201_4b50, name, 16, offset));
    parts.push(local, packed);
    at += local.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, listed, end]);
}

export interface DocxOptions {
  /** The body's paragraphs. */
  readonly text?: string;
  /** Runs beside it, as XML. */
  readonly runs?: string;
  /** Further parts, by their names. */
  readonly parts?: Readonly<Record<string, string | Uint8Array>>;
}

/** A document of Word. */
export function docx({ text = '', runs = '', parts = {} }: DocxOptions = {}): Uint8Array {
  const body = `<?xml version="1.0"?><w:document xmlns:w="w"><w:body><w:p><w:r><w:t>${text}</w:t></w:r>${runs}</w:p></w:body></w:document>`;
  return zip([
    { name: '[Content_Types].xml', content: '<?xml version="1.0"?><Types/>' },
    { name: 'word/document.xml', content: body },
    ...Object.entries(parts).map(([name, content]) => ({ name, content })),
  ]);
}

/** A part of a Word document that holds one text. */
export function part(text: string): string {
  return `<?xml version="1.0"?><w:part xmlns:w="w"><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:part>`;
}

/** A tar of files. */
export function tar(files: Readonly<Record<string, string>>): Uint8Array {
  const blocks = Object.entries(files).flatMap(([name, text]) => {
    const content = Buffer.from(text);
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write('0000644\u0000', 100);
    header.write(`${content.length.toString(8).padStart(11, '0')}\u0000`, 124);
    header.write('        ', 148);
    header.write('0', 156);
    header.write('ustar\u000000', 257);
    const sum = header.reduce((one, byte) => one + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148);
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

// ── pictures

/** Grey pixels, row by row. */
export interface Drawn {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** The strokes of each sign on a grid of five by seven: lines from point to point, apart by commas. */
const strokes: Readonly<Record<string, string>> = {
  A: '06 20 46,14 34',
  B: '00 06 36 45 44 33 03,33 42 41 30 00',
  C: '41 30 10 01 05 16 36 45',
  D: '00 06 26 44 42 20 00',
  E: '40 00 06 46,03 33',
  F: '40 00 06,03 33',
  G: '41 30 10 01 05 16 36 45 43 23',
  H: '00 06,40 46,03 43',
  I: '10 30,20 26,16 36',
  J: '30 35 26 16 05',
  K: '00 06,40 03 46',
  L: '00 06 46',
  M: '06 00 23 40 46',
  N: '06 00 46 40',
  O: '10 30 41 45 36 16 05 01 10',
  P: '06 00 30 41 42 33 03',
  Q: '10 30 41 45 36 16 05 01 10,24 46',
  R: '06 00 30 41 42 33 03,23 46',
  S: '41 30 10 01 02 13 33 44 45 36 16 05',
  T: '00 40,20 26',
  U: '00 05 16 36 45 40',
  V: '00 26 40',
  W: '00 16 22 36 40',
  X: '00 46,40 06',
  Y: '00 23 40,23 26',
  Z: '00 40 06 46',
  '0': '10 30 41 45 36 16 05 01 10',
  '1': '11 20 26',
  '2': '01 10 30 41 42 06 46',
  '3': '01 10 30 41 42 33 23,33 44 45 36 16 05',
  '4': '36 30 04 44',
  '5': '40 00 03 33 44 45 36 16 05',
  '6': '41 30 10 01 05 16 36 45 44 33 13 04',
  '7': '00 40 16',
  '8': '10 30 41 42 33 13 02 01 10,13 04 05 16 36 45 44 33',
  '9': '42 33 13 02 01 10 30 41 42 26',
  '.': '26 26',
  '-': '13 33',
};

/** Lines of words in capitals, drawn with a round pen. */
export function drawn(lines: readonly string[], ink = 0): Drawn {
  const unit = 6;
  const [advance, height, margin] = [6 * unit, 11 * unit, 4 * unit];
  const width = Math.max(...lines.map(({ length }) => length)) * advance + 2 * margin;
  const total = lines.length * height + 2 * margin;
  const pixels = new Uint8Array(width * total).fill(255);
  for (const [row, line] of lines.entries()) {
    for (const [column, sign] of [...line].entries()) {
      const [left, top] = [margin + column * advance, margin + row * height];
      for (const [from, to] of segments(strokes[sign] ?? '')) {
        for (let y = -unit; y < 8 * unit; y++) {
          for (let x = -unit; x < advance; x++) {
            const far = distance(x / unit, y / unit, from, to) * unit;
            const cover = Math.min(1, Math.max(0, unit * 0.45 + 0.5 - far));
            const at = (top + y) * width + left + x;
            pixels[at] = Math.min(pixels[at] ?? 255, Math.round(255 - (255 - ink) * cover));
          }
        }
      }
    }
  }
  return { width, height: total, pixels };
}

type Point = readonly [number, number];

function segments(sign: string): readonly (readonly [Point, Point])[] {
  return sign.split(',').flatMap((stroke) => {
    const points = stroke
      .split(' ')
      .flatMap((pair): Point[] => (pair === '' ? [] : [[Number(pair[0]), Number(pair[1])]]));
    return points.slice(1).map((point, index) => [points[index] ?? point, point] as const);
  });
}

function distance(x: number, y: number, [x1, y1]: Point, [x2, y2]: Point): number {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / length));
  return Math.hypot(x - x1 - along * dx, y - y1 - along * dy);
}

/** A picture as PNG; `claimed` writes other sides into its header, `more` are further chunks by kind. */
export function png(
  { width, height, pixels }: Drawn,
  claimed: readonly [number, number] = [width, height],
  more: readonly (readonly [string, string | Uint8Array])[] = [],
): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(claimed[0], 0);
  header.writeUInt32BE(claimed[1], 4);
  header.set([8, 0, 0, 0, 0], 8);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) rows.set(pixels.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    ...more.map(([kind, data]) => chunk(kind, Buffer.from(data))),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const made = Buffer.alloc(body.length + 8);
  made.writeUInt32BE(data.length, 0);
  made.set(body, 4);
  made.writeUInt32BE(crc32(body), body.length + 4);
  return made;
}
