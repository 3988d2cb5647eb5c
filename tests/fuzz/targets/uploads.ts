// Uploads that are read without a picture in them: ZIP, documents of Word, tar, gzip, HTML, and PDF.

import { gzipSync } from 'node:zlib';
import { read } from '../../../src/decide/extract/read.ts';
import { docx, part, pdf, tar, zip } from '../../support/documents.ts';
import { invariant, type Target } from '../target.ts';

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** Readers of others may throw what they like, and are met on a thread of their own; ours may not. */
async function readUpload(text: string, ours: boolean): Promise<string> {
  const extraction = await read(Buffer.from(text, 'latin1'));
  if (extraction.problem !== null) {
    const { problem, detail = '' } = extraction;
    invariant(!ours || detail !== 'its reader failed', 'a reader of ours threw');
    return `${problem} ${detail}`;
  }
  return JSON.stringify(extraction);
}

const archive: Target = {
  name: 'archive',
  invariant: 'an archive is read, or has a problem with a name',
  words: [
    'PK\u0003\u0004',
    'PK\u0001\u0002',
    'PK\u0005\u0006',
    'PK\u0006\u0006',
    'ustar',
    '\u001f\u008b',
    '../',
    'word/document.xml',
  ],
  seeds: [
    latin1(
      zip([
        { name: 'a.txt', content: 'hello' },
        { name: 'b/c.txt', content: 'there', method: 0 },
      ]),
    ),
    latin1(docx({ text: 'Hello', runs: '<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>' })),
    latin1(
      docx({
        text: 'Hello',
        parts: { 'word/footnotes.xml': part('a note'), 'docProps/core.xml': part('x') },
      }),
    ),
    latin1(tar({ 'a.txt': 'hello', 'b/c.txt': 'there' })),
    latin1(gzipSync('hello there')),
    latin1(gzipSync(tar({ 'a.txt': 'hello' }))),
    latin1(zip([{ name: 'in.zip', content: zip([{ name: 'a.txt', content: 'deep' }]) }])),
  ],
  bytes: true,
  limit: 200,
  cost: 190,
  open: () => (text) => readUpload(text, !/\u0089PNG|\u00ff\u00d8\u00ff|RIFF|GIF8|^BM|%PDF/.test(text)),
};

const html: Target = {
  name: 'html',
  invariant: 'a page is read, or has a problem with a name',
  words:
    '<html> <body> <div style="display:none"> <p hidden> <script> </script> <style> <!-- --> <![CDATA[ ]]> &lt; &#x41; &#1114112; &nbsp <a href=" <img alt=" <svg> <template> <br/> < > = " \' / </'.split(
      ' ',
    ),
  seeds: [],
  bytes: true,
  cost: 300,
  open: () => (text) => readUpload(`<html>${text}`, true),
};

const pdfs: Target = {
  name: 'pdf',
  invariant: 'a document is read, or has a problem with a name',
  words: [
    'obj',
    'endobj',
    'stream',
    'endstream',
    '<<',
    '>>',
    '/Type',
    '/Kids [1 0 R]',
    'xref',
    'trailer',
    '/Encrypt',
    '%%EOF',
    'Tj',
    '(a)',
  ],
  seeds: [
    latin1(pdf({ text: 'Hello there' })),
    latin1(pdf({ text: 'Hello', note: 'a note', info: { Title: 'A title' } })),
    latin1(pdf({ text: 'Hello', attached: ['a.txt', 'inside'] })),
  ],
  bytes: true,
  limit: 2000,
  cost: 3200,
  open: () => (text) => readUpload(text, false),
};

export const uploadTargets: readonly Target[] = [archive, html, pdfs];
