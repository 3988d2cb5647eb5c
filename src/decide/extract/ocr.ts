// Reads the words in a picture, in English and Portuguese, with installed language data: nothing is downloaded.

import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../core/index.ts';
import { limits, Unreadable } from './limits.ts';
import { folderOf, load } from './packages.ts';
import { type ImageType, viewOf } from './sniff.ts';

interface Tesseract {
  createWorker(
    languages: readonly string[],
    engine: number,
    options: {
      readonly langPath: string;
      readonly cacheMethod: 'none';
      readonly gzip: true;
      readonly errorHandler: () => void;
    },
  ): Promise<Recognizer>;
}

interface Recognizer {
  recognize(image: Uint8Array): Promise<{ readonly data: { readonly text: string } }>;
}

const languages = ['eng', 'por'] as const;

let started: Promise<Recognizer> | undefined;

/** One for the lifetime of the thread: it takes two seconds to start. */
function recognizer(): Promise<Recognizer> {
  started ??= start();
  return started;
}

async function start(): Promise<Recognizer> {
  const { createWorker } = load<Tesseract>('tesseract.js');
  const files = languages.map((code) => {
    const name = `${code}.traineddata.gz`;
    return { name, path: join(folderOf(`@tesseract.js-data/${code}`), '4.0.0_best_int', name) };
  });
  // It looks for all languages in one folder, but each is installed in its own.
  const langPath = mkdtempSync(join(tmpdir(), 'sallyport-ocr-'));
  try {
    for (const { name, path } of files) symlinkSync(path, join(langPath, name));
    const options = { langPath, cacheMethod: 'none', gzip: true, errorHandler: () => undefined } as const;
    return await createWorker(languages, 1, options);
  } finally {
    rmSync(langPath, { recursive: true, force: true });
  }
}

/** The words in a picture. */
export async function readImage(bytes: Uint8Array, type: ImageType): Promise<string> {
  checkPixels(sizeOf(bytes, type));
  const reader = await recognizer();
  try {
    return (await reader.recognize(bytes)).data.text;
  } catch (error) {
    throw new Unreadable('broken', `the picture cannot be read (${messageOf(error).slice(0, 80)})`);
  }
}

/** The words in a picture given as pixels: bytes for red, green and blue, or for grey. */
export async function readPixels(
  data: Uint8Array,
  width: number,
  height: number,
  channels: number,
): Promise<string> {
  checkPixels({ width, height });
  return await readImage(bitmap(data, width, height, channels), 'bmp');
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function checkPixels({ width, height }: Size): void {
  if (width * height > limits.pixels) {
    throw new Unreadable('too_many_pixels', `at most ${limits.pixels} are read`);
  }
}

/** The size that a picture declares; a picture that does not declare one in the right place is malformed. */
function sizeOf(bytes: Uint8Array, type: ImageType): Size {
  const view = viewOf(bytes);
  try {
    switch (type) {
      case 'png':
        return { width: view.getUint32(16), height: view.getUint32(20) };
      case 'gif':
        return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
      case 'bmp':
        return { width: Math.abs(view.getInt32(18, true)), height: Math.abs(view.getInt32(22, true)) };
      case 'webp':
        return webpSize(bytes, view);
      case 'jpeg':
        return jpegSize(view);
    }
  } catch (error) {
    if (error instanceof RangeError) throw new Unreadable('broken', 'the picture is cut off');
    throw error;
  }
}

function webpSize(bytes: Uint8Array, view: DataView): Size {
  const form = String.fromCharCode(...bytes.subarray(12, 16));
  if (form === 'VP8X') {
    const three = (at: number) => view.getUint16(at, true) + (view.getUint8(at + 2) << 16) + 1;
    return { width: three(24), height: three(27) };
  }
  if (form === 'VP8L') {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

function jpegSize(view: DataView): Size {
  for (let at = 2; ; ) {
    const marker = view.getUint16(at);
    if (marker >> 8 !== 0xff) throw new Unreadable('broken', 'the picture is not sound');
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + (marker === 0xffff ? -1 : view.getUint16(at + 2));
  }
}

/** A picture in a format that every reader supports, from pixels. */
function bitmap(data: Uint8Array, width: number, height: number, channels: number): Uint8Array {
  const row = Math.ceil((width * 3) / 4) * 4;
  const bytes = new Uint8Array(54 + row * height);
  const view = viewOf(bytes);
  bytes.set([0x42, 0x4d]);
  view.setUint32(2, bytes.length, true);
  view.setUint32(10, 54, true);
  view.setUint32(14, 40, true);
  view.setInt32(18, width, true);
  view.setInt32(22, height, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, 24, true);
  const colour = channels >= 3;
  for (let y = 0; y < height; y++) {
    // The rows are stored bottom up, blue before red.
    let to = 54 + (height - 1 - y) * row;
    for (let x = 0; x < width; x++, to += 3) {
      const from = (y * width + x) * channels;
      bytes[to] = data[colour ? from + 2 : from] ?? 0;
      bytes[to + 1] = data[colour ? from + 1 : from] ?? 0;
      bytes[to + 2] = data[from] ?? 0;
    }
  }
  return bytes;
}
