// Reads one upload completely: by its type, and every file inside it by its own type.

import type { ExtractedText, Extraction } from '../../core/index.ts';
import { gunzip, type Packed, untar, unzip } from './archive.ts';
import { readHtml } from './html.ts';
import { Allowance, limits, Unreadable } from './limits.ts';
import { readImage } from './ocr.ts';
import { isOffice, officeType, readOffice } from './office.ts';
import { readPdf } from './pdf.ts';
import { propertiesOf } from './properties.ts';
import { decoded, type FileType, sniff } from './sniff.ts';
import { Texts } from './texts.ts';

/** The texts of an upload, or the reason why it is not read. Any error other than `Unreadable` is a bug in a reader. */
export async function read(bytes: Uint8Array): Promise<Extraction> {
  try {
    const { type, texts } = await readFile(bytes, new Allowance(), 0);
    return { problem: null, type, texts };
  } catch (error) {
    if (!(error instanceof Unreadable)) return { problem: 'broken', detail: 'its reader failed' };
    const { problem, detail } = error;
    return { problem, ...(detail === undefined ? {} : { detail }) };
  }
}

interface Read {
  readonly type: string;
  readonly texts: readonly ExtractedText[];
}

async function readFile(bytes: Uint8Array, allowance: Allowance, depth: number): Promise<Read> {
  if (bytes.length > limits.bytes && depth === 0) {
    throw new Unreadable('too_large', `at most ${limits.bytes} bytes are read`);
  }
  const type = sniff(bytes);
  const result = await readAs(type, bytes, allowance, depth);
  for (const { text } of result.texts) allowance.text(text.length);
  return result;
}

async function readAs(type: FileType, bytes: Uint8Array, allowance: Allowance, depth: number): Promise<Read> {
  switch (type) {
    case 'text':
      return { type, texts: [{ text: decoded(bytes) ?? '', place: 'the text' }] };
    case 'html':
      return { type, texts: readHtml(decoded(bytes) ?? '') };
    case 'pdf': {
      const texts = new Texts();
      const files = await readPdf(bytes, texts);
      return { type, texts: [...texts.all, ...(await readInside(files, allowance, depth))] };
    }
    case 'zip':
      return await readZip([...unzip(bytes, allowance)], allowance, depth);
    case 'tar':
      return { type, texts: await readInside([...untar(bytes, allowance)], allowance, depth) };
    case 'gzip': {
      const inside = { name: 'the gzip', bytes: gunzip(bytes, allowance) };
      return { type, texts: await readInside([inside], allowance, depth) };
    }
    default:
      return {
        type,
        texts: [
          { text: await readImage(bytes, type), place: 'the picture', drawn: true },
          ...propertiesOf(bytes, type),
        ],
      };
  }
}

/** An office document is a ZIP, but any other file may be a ZIP too. */
async function readZip(files: readonly Packed[], allowance: Allowance, depth: number): Promise<Read> {
  if (!isOffice(files)) return { type: 'zip', texts: await readInside(files, allowance, depth) };
  const media = files.filter(({ name }) => /\/(?:media|embeddings)\/|^Pictures\//.test(name));
  const inside = await readInside(media, allowance, depth);
  return { type: officeType(files), texts: [...readOffice(files), ...inside] };
}

async function readInside(
  files: readonly Packed[],
  allowance: Allowance,
  depth: number,
): Promise<ExtractedText[]> {
  if (files.length > 0 && depth >= limits.depth) {
    throw new Unreadable('too_deep', `at most ${limits.depth} archives in one another are read`);
  }
  const texts: ExtractedText[] = [];
  for (const { name, bytes } of files) {
    if (bytes.length === 0) continue;
    const inside = await readFile(bytes, allowance, depth + 1);
    texts.push(...inside.texts.map((text) => ({ ...text, place: `${text.place} of ${name.slice(0, 80)}` })));
  }
  return texts;
}
