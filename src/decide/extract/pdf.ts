// Reads PDF: all text of all pages, the text that a reader of the page does not see, notes, properties, pictures and
// attached files.

import type { HidingPlace } from '../../core/index.ts';
import { nearColours } from './html.ts';
import { limits, Unreadable } from './limits.ts';
import { readPixels } from './ocr.ts';
import { load } from './packages.ts';
import { isSentence, type Texts } from './texts.ts';

interface Unpdf {
  getDocumentProxy(data: Uint8Array, options: object): Promise<Document>;
  getResolvedPDFJS(): Promise<{ readonly OPS: Readonly<Record<string, number>> }>;
  extractImages(document: Document, page: number): Promise<readonly Picture[]>;
}

interface Document {
  readonly numPages: number;
  getPage(number: number): Promise<Page>;
  getMetadata(): Promise<{ readonly info: object; readonly metadata?: { getRaw(): string } | null }>;
  getAttachments(): Promise<ReadonlyMap<string, { readonly filename: string }> | null>;
  getAttachmentContent(id: string): Promise<Uint8Array | null>;
  readonly loadingTask: { destroy(): Promise<void> };
}

interface Page {
  readonly view: readonly number[];
  getTextContent(): Promise<{
    readonly items: readonly { readonly str?: string; readonly hasEOL?: boolean }[];
  }>;
  getOperatorList(): Promise<Operators>;
  getAnnotations(): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

interface Operators {
  readonly fnArray: readonly number[];
  readonly argsArray: readonly unknown[];
}

interface Picture {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly channels: number;
}

/** A picture with fewer pixels to a side contains no sentence. */
const smallestSide = 40;

/** A file that is attached to a document. */
export interface Attached {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Adds the texts of a document; returns the files that are attached to it. */
export async function readPdf(bytes: Uint8Array, texts: Texts): Promise<readonly Attached[]> {
  const { getDocumentProxy, getResolvedPDFJS, extractImages } = load<Unpdf>('unpdf');
  const { OPS: codes } = await getResolvedPDFJS();
  // The parser takes ownership of the bytes.
  const document = await getDocumentProxy(new Uint8Array(bytes), {
    verbosity: 0,
    isEvalSupported: false,
    useWorkerFetch: false,
    stopAtErrors: false,
  }).catch((error: unknown) => {
    const locked = error instanceof Error && error.name === 'PasswordException';
    throw new Unreadable(locked ? 'encrypted' : 'broken', locked ? undefined : 'no sound PDF');
  });
  try {
    if (document.numPages > limits.pages) {
      throw new Unreadable('too_many_pages', `at most ${limits.pages} are read`);
    }
    await readProperties(document, texts);
    const pinned: string[] = [];
    for (let number = 1; number <= document.numPages; number++) {
      const page = await document.getPage(number);
      pinned.push(...(await readPage(page, texts)));
      const operators = await page.getOperatorList();
      for (const { text, hidden } of hiddenRuns(operators, codes, page.view)) {
        texts.add(text, `page ${number}`, hidden);
      }
      for (const picture of await extractImages(document, number)) {
        const { data, width, height, channels } = picture;
        if (width < smallestSide || height < smallestSide) continue;
        texts.picture(await readPixels(data, width, height, channels), `a picture on page ${number}`);
      }
    }
    return await attached(document, pinned);
  } finally {
    await document.loadingTask.destroy();
  }
}

/** Adds the texts of a page; returns the ids of files that are attached to it. */
async function readPage(page: Page, texts: Texts): Promise<readonly string[]> {
  const pinned: string[] = [];
  for (const { str = '', hasEOL = false } of (await page.getTextContent()).items) {
    texts.add(hasEOL ? `${str}\n` : str, 'the pages');
  }
  texts.line();
  for (const note of await page.getAnnotations()) {
    if (typeof note['fileId'] === 'string') pinned.push(note['fileId']);
    for (const value of [note['contentsObj'], note['richText'], note['titleObj']]) {
      const text = value !== null && typeof value === 'object' && 'str' in value ? value.str : undefined;
      if (typeof text === 'string') texts.aside(text, 'a note', 'comment');
    }
    for (const key of ['fieldValue', 'alternativeText', 'contents', 'unsafeUrl']) {
      const value = note[key];
      const isShown = key === 'fieldValue' && note['hidden'] !== true;
      if (typeof value === 'string') texts.aside(value, 'a field or note', isShown ? undefined : 'comment');
    }
  }
  return pinned;
}

/** Properties that are numbers, dates or file names, and the lines of their XML that are. */
const technical = /date|version|^Is|Name$|Id$/i;
const numbers = /^[\d\s:.TZ+'/-]*$|^(?:uuid|xmp\.\w+):/;

async function readProperties(document: Document, texts: Texts): Promise<void> {
  const { info, metadata } = await document.getMetadata();
  const raw = (metadata?.getRaw() ?? '').replaceAll(/<[^>]*>/g, '\n');
  const said = Object.entries(info).filter(([key]) => !technical.test(key));
  for (const value of [...said.map(([, one]: [string, unknown]) => one), raw]) {
    if (typeof value !== 'string') continue;
    for (const line of value.split('\n').filter((one) => !numbers.test(one.trim()))) {
      texts.aside(line, 'the properties', isSentence(line) ? 'metadata' : undefined);
    }
  }
}

async function attached(document: Document, pinned: readonly string[]): Promise<readonly Attached[]> {
  const named = await document.getAttachments();
  const files: Attached[] = [];
  for (const [id, { filename }] of named ?? []) files.push(await attachment(document, id, filename));
  for (const id of pinned) files.push(await attachment(document, id, 'a pinned file'));
  return files;
}

async function attachment(document: Document, id: string, name: string): Promise<Attached> {
  const bytes = await document.getAttachmentContent(id);
  if (bytes === null) throw new Unreadable('broken', 'an attached file cannot be read');
  return { name, bytes };
}

type Matrix = readonly [number, number, number, number, number, number];
type Colour = readonly number[];

/** The graphics state at one moment. */
interface Pen {
  readonly matrix: Matrix;
  readonly fill: Colour;
  readonly stroke: Colour;
  readonly opacity: number;
  /** Bit 0 of the mode paints inside, 3 paints nothing, 7 only clips. */
  readonly mode: number;
  readonly size: number;
}

/** A filled area behind everything that is drawn later. */
interface Filled {
  readonly box: readonly [number, number, number, number];
  /** Null for a picture, because its colours are unknown. */
  readonly colour: Colour | null;
}

const white: Colour = [255, 255, 255];
const identity: Matrix = [1, 0, 0, 1, 0, 0];

/** The text of a page that is invisible because of how it is drawn. */
function* hiddenRuns(
  { fnArray, argsArray }: Operators,
  codes: Readonly<Record<string, number>>,
  view: readonly number[],
): Generator<{ readonly text: string; readonly hidden: HidingPlace }> {
  const names = new Map(Object.entries(codes).map(([name, code]) => [code, name]));
  let pen: Pen = { matrix: identity, fill: [0, 0, 0], stroke: [0, 0, 0], opacity: 1, mode: 0, size: 0 };
  const saved: Pen[] = [];
  const behind: Filled[] = [];
  let text: Matrix = identity;
  let line: Matrix = identity;
  for (const [index, code] of fnArray.entries()) {
    const args = argsOf(argsArray[index]);
    const [first] = args;
    switch (names.get(code)) {
      case 'save':
      case 'paintFormXObjectBegin':
        saved.push(pen);
        if (isMatrix(first)) pen = { ...pen, matrix: times(first, pen.matrix) };
        break;
      case 'restore':
      case 'paintFormXObjectEnd':
        pen = saved.pop() ?? pen;
        break;
      case 'transform':
        if (isMatrix(args)) pen = { ...pen, matrix: times(args, pen.matrix) };
        break;
      case 'setFillRGBColor':
        pen = { ...pen, fill: colourOf(first) };
        break;
      case 'setStrokeRGBColor':
        pen = { ...pen, stroke: colourOf(first) };
        break;
      case 'setTextRenderingMode':
        pen = { ...pen, mode: Number(first) };
        break;
      case 'setFont':
        pen = { ...pen, size: Number(args[1]) };
        break;
      case 'setGState':
        for (const [key, value] of pairs(first)) if (key === 'ca') pen = { ...pen, opacity: Number(value) };
        break;
      case 'beginText':
        text = line = identity;
        break;
      case 'setTextMatrix':
        if (isMatrix(first)) text = line = first;
        break;
      case 'moveText':
      case 'setLeadingMoveText':
        text = line = times([1, 0, 0, 1, Number(args[0]), Number(args[1])], line);
        break;
      case 'constructPath':
        if (isNumbers(args[2], 4)) behind.push({ box: boxOf(args[2], pen.matrix), colour: pen.fill });
        break;
      case 'paintImageXObject':
      case 'paintInlineImageXObject':
        behind.push({ box: boxOf([0, 0, 1, 1], pen.matrix), colour: null });
        break;
      case 'showText':
      case 'nextLineShowText': {
        const written = wordsOf(first);
        const hidden = hidingOf(pen, times(text, pen.matrix), behind, view);
        if (hidden !== undefined && written.trim() !== '') yield { text: `${written} `, hidden };
        break;
      }
      default:
    }
  }
}

/** How a run drawn in this state at this position is hidden. */
function hidingOf(
  { fill, stroke, opacity, mode, size }: Pen,
  place: Matrix,
  behind: readonly Filled[],
  [left = 0, bottom = 0, right = 0, top = 0]: readonly number[],
): HidingPlace | undefined {
  if (mode === 3 || mode === 7 || opacity < 0.06) return 'invisible';
  const points = Math.abs(size) * Math.hypot(place[2], place[3]);
  if (points < 2) return 'size';
  const [x, y] = [place[4], place[5]];
  if (x < left - points || x > right || y < bottom - points || y > top) return 'off_page';
  const background = behind.findLast(({ box }) => x >= box[0] && y >= box[1] && x <= box[2] && y <= box[3]);
  const colour = background === undefined ? white : background.colour;
  if (colour === null) return undefined;
  const drawn = mode === 1 ? stroke : fill;
  return drawn.every((part, at) => Math.abs(part - (colour[at] ?? 0)) <= nearColours) ? 'colour' : undefined;
}

function argsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isNumbers(value: unknown, count: number): value is ArrayLike<number> {
  if (!Array.isArray(value) && !(value instanceof Float32Array)) return false;
  return value.length === count && value.every((part: unknown) => typeof part === 'number');
}

function isMatrix(value: unknown): value is Matrix {
  return isNumbers(value, 6);
}

function times(inner: Matrix, outer: Matrix): Matrix {
  const [a, b, c, d, e, f] = inner;
  const [A, B, C, D, E, F] = outer;
  return [a * A + b * C, a * B + b * D, c * A + d * C, c * B + d * D, e * A + f * C + E, e * B + f * D + F];
}

function boxOf(box: ArrayLike<number>, [a, b, c, d, e, f]: Matrix): Filled['box'] {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = [box[0], box[1], box[2], box[3]];
  const corners = [x1, x2].flatMap((x) =>
    [y1, y2].map((y) => [a * x + c * y + e, b * x + d * y + f] as const),
  );
  const xs = corners.map(([x]) => x);
  const ys = corners.map(([, y]) => y);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

function colourOf(value: unknown): Colour {
  if (typeof value !== 'string') return [0, 0, 0];
  return [1, 3, 5].map((at) => Number.parseInt(value.slice(at, at + 2), 16) || 0);
}

function pairs(value: unknown): readonly (readonly [unknown, unknown])[] {
  return argsOf(value).map((pair) => [argsOf(pair)[0], argsOf(pair)[1]]);
}

/** The words of a run: its glyphs, and a space where the pen jumps. */
function wordsOf(glyphs: unknown): string {
  return argsOf(glyphs)
    .map((glyph) => {
      if (typeof glyph === 'number') return glyph < -200 ? ' ' : '';
      const sign = glyph !== null && typeof glyph === 'object' && 'unicode' in glyph ? glyph.unicode : '';
      return typeof sign === 'string' ? sign : '';
    })
    .join('');
}
