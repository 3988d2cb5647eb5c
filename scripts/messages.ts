// npm run messages [-- --check]: lists every text that a person or a model may read, by the file that says it. The list is
// kept, so that a change of words is seen in a review, and words that the style refuses are refused by a test.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { type Page, writePages } from './pages.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const path = 'tests/fixtures/messages.txt';

/** Data: texts that are read or compared, and said to nobody. */
const data =
  /\.test\.tsx?$|\.d\.ts$|^src\/detect\/|^src\/auditor\/(roles|lower|calls|flow)|^src\/guards\/command\/(programs|bash|tools|python)\/|^src\/run\/code\/builtins|\/generated\/|^src\/guards\/(prompt|response)\/(words|patterns|phrases)/;

/** Properties whose values are examples or grammar, not words to a person. */
const examples = new Set(['examples', 'hit', 'miss', 'source', 'pattern', 'sql', 'text', 'example']);

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** The texts of a source, in order; a hole in a template is shown as `…`. */
export function messagesIn(file: string, source: string): readonly string[] {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one);
    else if (isNode(value)) {
      const text = textOf(value);
      if (text !== null && isSentence(text)) found.push(text.replaceAll(/\s+/g, ' ').trim());
      if (!isSkipped(value)) for (const one of Object.values(value)) visit(one);
    }
  };
  visit(parseSync(file, source).program);
  return found;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

function textOf(node: Node): string | null {
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  if (node.type === 'JSXText' && typeof node['value'] === 'string') return node['value'];
  if (node.type !== 'TemplateLiteral' || !Array.isArray(node['quasis'])) return null;
  return node['quasis'].map((quasi) => quasi.value.cooked ?? '').join('…');
}

/** At least three words, and no code. */
function isSentence(text: string): boolean {
  return (
    /[A-Za-z]{2,}[,;:]? [a-z…][A-Za-z…]*[,;:]? [A-Za-z…]+/.test(text) &&
    !/^\s*(SELECT|INSERT|CREATE|UPDATE|DELETE|PRAGMA|ALTER|WITH)\b|=>|\{\{|<\/?[a-z]+>/.test(text)
  );
}

function isSkipped(node: Node): boolean {
  if (node.type === 'ImportDeclaration' || node.type.startsWith('TS'))
    return node.type !== 'TSAsExpression' && node.type !== 'TSSatisfiesExpression';
  const key = node['key'];
  return node.type === 'Property' && isNode(key) && examples.has(String(key['name'] ?? key['value']));
}

export function makeMessages(): Page {
  const files = ['src', 'console/src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((name) => /\.tsx?$/.test(name) && !data.test(name)),
  );
  const parts = files.toSorted().flatMap((file) => {
    const texts = messagesIn(file, readFileSync(join(root, file), 'utf8'));
    return texts.length === 0 ? [] : [`${file}\n${texts.map((text) => `  ${text}\n`).join('')}`];
  });
  let found = '';
  try {
    found = readFileSync(join(root, path), 'utf8');
  } catch {
    // It is not there yet.
  }
  return { path, found, wanted: parts.join('') };
}

if (import.meta.main) writePages('messages', [makeMessages()]);
