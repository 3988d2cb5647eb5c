// The public texts that the model learns from and is measured on, and which of them have a common origin.

import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { corpora } from '../corpora.ts';

export interface Text {
  readonly text: string;
  readonly attack: boolean;
  readonly kind: string;
  readonly source: string;
  readonly lang: string;
}

/** Sources that share texts, authors or templates: none of a group may be learned from when another is measured. */
export const lineages: Readonly<Record<string, readonly string[]>> = {
  jailbreaks: ['verazuo_itw', 'promptfoo_pi', 'gptfuzz'],
  injecagent: ['injecagent', 'injecagent_benign'],
  piarena: ['piarena', 'piarena_benign'],
  gpteacher: ['gpteacher_code', 'gpteacher_out', 'gpteacher_role', 'gpteacher_tool'],
  acp: ['acp'],
  clinc150: ['clinc150'],
  cursorrules: ['cursorrules'],
  dair_guide: ['dair_guide'],
  promptfoo_sec: ['promptfoo_sec'],
  react_pt: ['react_pt'],
  t0: ['t0'],
  tm_dialog_md: ['tm_dialog_md'],
};

const folder = `${corpora}/injection/`;

export const hasCorpus = (): boolean => existsSync(folder);

interface StoredText {
  readonly text: string;
  readonly label: 'attack' | 'benign';
  readonly kind?: string;
  readonly source?: string;
  readonly lang: string;
}

export function readTexts(lines: string, name: string): Text[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => {
      const { text, label, kind = name, lang } = JSON.parse(line) as StoredText;
      return { text, attack: label === 'attack', kind, source: name, lang };
    });
}

export function corpus(): Text[] {
  return Object.values(lineages)
    .flat()
    .flatMap((name) => readTexts(gunzipSync(readFileSync(`${folder}${name}.jsonl.gz`)).toString(), name));
}

export function lineageOf(source: string): string {
  return Object.entries(lineages).find(([, sources]) => sources.includes(source))?.[0] ?? source;
}

/** Texts in which a bare wish stands that wording cannot tell from an honest one: neither learned nor counted as missed. */
export function isBare({ kind }: Text): boolean {
  return kind.startsWith('indirect-raw');
}
