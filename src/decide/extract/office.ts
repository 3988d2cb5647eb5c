// Reads DOCX and related formats: the texts of every part of the package; those that Word does not show are separate.

import type { ExtractedText, HidingPlace } from '../../core/index.ts';
import type { Packed } from './archive.ts';
import { nearColours } from './html.ts';
import { tokens } from './markup.ts';
import { isSentence, Texts } from './texts.ts';

/** Whether an archive is a document of an office program. */
export function isOffice(files: readonly Packed[]): boolean {
  const names = new Set(files.map(({ name }) => name));
  return names.has('[Content_Types].xml') || (names.has('mimetype') && names.has('content.xml'));
}

/** The name of such a document's format. */
export function officeType(files: readonly Packed[]): string {
  const has = (start: string) => files.some(({ name }) => name.startsWith(start));
  if (has('word/')) return 'docx';
  if (has('xl/')) return 'xlsx';
  return has('ppt/') ? 'pptx' : 'odf';
}

/** Parts without text for a reader: styles, and relations between parts. */
const silent =
  /(?:^|\/)(?:_rels\/|theme\/|styles\.xml|fontTable|webSettings|settings\.xml|numbering\.xml|\[Content_Types\]|META-INF\/|calcChain|manifest)|\.rels$/;

const comments = /comments|threadedComment|notesSlide|annotation/i;
const properties = /^(?:docProps\/|customXml\/|meta\.xml)/;

/** The texts of the parts that are XML. */
export function readOffice(files: readonly Packed[]): readonly ExtractedText[] {
  const texts = new Texts();
  for (const { name, bytes } of files) {
    if (!name.endsWith('.xml') || silent.test(name)) continue;
    const source = new TextDecoder().decode(bytes);
    if (properties.test(name)) readProperties(source, texts);
    else readPart(source, placeOf(name), comments.test(name) ? 'comment' : undefined, texts);
  }
  return texts.all;
}

function placeOf(name: string): string {
  const part = (name.split('/').at(-1) ?? name).replace(/\d*\.xml$/, '');
  if (part === 'document' || part === 'content') return 'the text';
  return `the part ${part}`;
}

/** Titles are short; a sentence in an unseen place is hidden. */
function readProperties(source: string, texts: Texts): void {
  for (const token of tokens(source)) {
    if (token.kind !== 'text') continue;
    texts.aside(token.text, 'the properties', isSentence(token.text) ? 'metadata' : undefined);
  }
}

/** Elements that end a line. */
const lines: ReadonlySet<string> = new Set([
  'w:p',
  'a:p',
  'w:br',
  'w:cr',
  'text:p',
  'text:h',
  'row',
  'w:tr',
  'si',
  'c',
]);
/** Elements whose text is stored but not shown: deleted text, and the code of fields. */
const unshown: ReadonlySet<string> = new Set(['w:deltext', 'w:instrtext', 'w:delinstrtext']);

function readPart(source: string, place: string, always: HidingPlace | undefined, texts: Texts): void {
  let run: HidingPlace | undefined;
  let inProperties = false;
  let element: HidingPlace | undefined;
  for (const token of tokens(source)) {
    switch (token.kind) {
      case 'text':
        // Line breaks of the file itself are not part of the text.
        if (token.text.trim() !== '' || !token.text.includes('\n'))
          texts.add(token.text, place, always ?? element ?? run);
        break;
      case 'comment':
        texts.aside(token.text, 'a comment in the markup', 'comment');
        break;
      case 'close':
        if (token.name === 'w:r' || token.name === 'a:r') run = undefined;
        if (token.name === 'w:rpr' || token.name === 'a:rpr') inProperties = false;
        if (unshown.has(token.name)) element = undefined;
        if (lines.has(token.name)) texts.line();
        break;
      case 'open': {
        const { name, attributes } = token;
        if (name === 'w:r' || name === 'a:r') run = undefined;
        if (name === 'w:rpr' || name === 'a:rpr') inProperties = !token.empty;
        if (unshown.has(name) && !token.empty) element = 'invisible';
        if (lines.has(name)) texts.line();
        if (name === 'w:tab') texts.add(' ', place, always ?? run);
        if (inProperties || name === 'a:rpr') run ??= hidingOf(name, attributes);
        for (const key of ['descr', 'title', 'alt'] as const) {
          const words = attributes.get(key) ?? '';
          if (isSentence(words)) texts.aside(words, 'the description of a picture', 'alternative_text');
          else texts.aside(words, 'the attributes');
        }
      }
    }
  }
}

/** How a property of a run hides it. */
function hidingOf(name: string, attributes: ReadonlyMap<string, string>): HidingPlace | undefined {
  const value = attributes.get('w:val') ?? attributes.get('val');
  if (/^w:(?:vanish|webhidden|specvanish)$/.test(name)) {
    return value === '0' || value === 'false' ? undefined : 'invisible';
  }
  // Half points; PowerPoint counts in hundredths.
  if (name === 'w:sz' && Number(value) < 4) return 'size';
  if (name === 'a:rpr' && Number(attributes.get('sz') ?? 1800) < 200) return 'size';
  if ((name === 'w:color' || name === 'a:srgbclr') && /^[0-9a-f]{6}$/i.test(value ?? '')) {
    const parts = [0, 2, 4].map((at) => Number.parseInt((value ?? '').slice(at, at + 2), 16));
    if (parts.every((part) => 255 - part <= nearColours)) return 'colour';
  }
  return undefined;
}
