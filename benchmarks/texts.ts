// Real text to measure on: sources and documentation of this project and of what it is built with, and, where they
// are at hand, the harmless texts of the corpora beside the project.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { corpora } from '../scripts/corpora.ts';

export { corpora } from '../scripts/corpora.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

export interface Text {
  readonly name: string;
  readonly text: string;
}

/** The rows of a corpus file, or none where it is missing. */
export function corpus<Row>(name: string): readonly Row[] {
  const path = join(corpora, name);
  if (!existsSync(path)) return [];
  const bytes = readFileSync(path);
  const lines = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Row);
}

const readable =
  /\.(?:[cm]?[jt]s|md|json|ya?ml|css|html|txt|toml|py|sh|c|h|go|rs|java)$|^(?:LICEN[CS]E|README|CHANGELOG)/i;

/** Files under a folder, in order, up to a number of characters each and in all. */
export function filesUnder(folder: string, most: number, each = 200_000): readonly Text[] {
  const texts: Text[] = [];
  let total = 0;
  const visit = (path: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      if (total >= most) return;
      const inner = join(path, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== '.git' && entry.name !== 'dist') visit(inner);
      } else if (entry.isFile() && readable.test(entry.name)) {
        const text = readFileSync(inner, 'utf8').slice(0, each);
        total += text.length;
        texts.push({ name: inner, text });
      }
    }
  };
  if (existsSync(folder)) visit(folder);
  return texts;
}

/** At least four megabytes of sources, documentation and prose. */
export function mixedText(): readonly Text[] {
  const modules = join(root, 'node_modules');
  const packages = [
    'hono',
    'undici',
    'fast-check',
    'vitest',
    'smol-toml',
    'pg',
    '@types/node',
    'typescript/lib',
  ];
  return [
    ...filesUnder(join(root, 'src'), 1_500_000).filter(({ name }) => !/packs|model\.json/.test(name)),
    ...filesUnder(join(root, 'docs'), 300_000),
    ...packages.flatMap((name) => filesUnder(join(modules, name), 500_000, 60_000)),
    ...proseText().slice(0, 900),
  ];
}

interface Harmless {
  readonly text: string;
  readonly label: string;
}

/** Harmless prose, documentation and code of the corpora, in English and Portuguese. */
export function proseText(): readonly Text[] {
  const names = [
    'react_pt',
    'dair_guide',
    'tm_dialog_md',
    'cursorrules',
    'promptfoo_sec',
    'piarena_benign',
    't0',
    'gpteacher_code',
    'gpteacher_out',
    'acp',
  ];
  return names.flatMap((name) =>
    corpus<Harmless>(`injection/${name}.jsonl.gz`)
      .filter(({ label }) => label === 'benign')
      .map(({ text }, index) => ({ name: `${name}:${index}`, text })),
  );
}
