// How often secrets and personal data are found, and how often something harmless is taken for them. The labelled
// texts stand beside the project; ordinary text is what the project is made of and built with.

import { join } from 'node:path';
import {
  builtin,
  type CompiledRule,
  createRuleset,
  placeholderOf,
  redact,
  scan,
} from '../src/detect/index.ts';
import { injectionAccuracy } from './injection.ts';
import { printColumns, printNote } from './table.ts';
import { corpus, filesUnder, proseText, type Text } from './texts.ts';

interface Labelled {
  readonly text: string;
  readonly expect: 'secret' | 'pii' | 'clean';
  readonly type: string;
  readonly path?: string;
}

interface Measure {
  readonly name: string;
  readonly rows: readonly Labelled[];
  readonly rules: readonly CompiledRule[];
  readonly recall: number;
  readonly falseAlarms?: number;
}

/** Types of presidio's that have a structure to check. */
const structured = /^(?:credit_card|iban|email|phone|ip|crypto)$/;

export async function detectAccuracy(progress: (text: string) => void): Promise<boolean> {
  const secrets = builtin('secrets').rules;
  const pii = builtin('pii').rules;
  const presidio = corpus<Labelled>('secrets/presidio_half.jsonl.gz');
  const gitleaks = corpus<Labelled>('secrets/gitleaks.jsonl.gz');
  const measures: readonly Measure[] = [
    { name: 'gitleaks', rows: gitleaks.filter(({ text }) => text !== ''), rules: secrets, recall: 0.97 },
    { name: 'secretlint', rows: corpus('secrets/secretlint.jsonl.gz'), rules: secrets, recall: 0.95 },
    { name: 'detect-secrets', rows: corpus('secrets/detect-secrets.jsonl.gz'), rules: secrets, recall: 0.85 },
    {
      name: 'Brazilian PII',
      rows: corpus('secrets/br_pii.jsonl.gz'),
      rules: pii,
      recall: 0.99,
      falseAlarms: 0.01,
    },
    {
      name: 'presidio, structured',
      rows: presidio.filter(({ type }) => structured.test(type)),
      rules: pii,
      recall: 0.95,
      falseAlarms: 0.05,
    },
    { name: 'presidio, all', rows: presidio, rules: pii, recall: 0 },
  ];
  let good = true;
  if (presidio.length === 0)
    printNote('the corpora are not at ../shared/corpora: the labelled texts are skipped');
  else {
    progress('labelled texts');
    good = labelled(measures);
  }
  progress('ordinary text');
  good = ordinary([...secrets, ...pii]) && good;
  return (await injectionAccuracy(progress)) && good;
}

const percent = (share: number) => (Number.isNaN(share) ? '–' : `${(share * 100).toFixed(1)} %`);

function labelled(measures: readonly Measure[]): boolean {
  let good = true;
  const missed: string[] = [];
  const lines = measures.map(({ name, rows, rules, recall, falseAlarms }) => {
    const ruleset = createRuleset(rules);
    const finds = ({ text, path }: Labelled) =>
      scan(text, ruleset, path === undefined ? {} : { path }).length > 0;
    const positives = rows.filter(({ expect }) => expect !== 'clean');
    const negatives = rows.filter(({ expect }) => expect === 'clean');
    const share = (list: readonly Labelled[]) => list.filter(finds).length / list.length;
    const found = share(positives);
    const alarms = share(negatives);
    const met = found >= recall && (falseAlarms === undefined || alarms <= falseAlarms);
    good &&= met;
    if (recall > 0) for (const row of positives) if (!finds(row)) missed.push(`${name}: ${row.type}`);
    return [
      name,
      String(positives.length),
      percent(found),
      recall === 0 ? '' : `≥ ${percent(recall)}`,
      String(negatives.length),
      percent(alarms),
      falseAlarms === undefined ? 'said of one rule only' : `≤ ${percent(falseAlarms)}`,
      met ? 'met' : 'MISSED',
    ];
  });
  printColumns(['labelled texts', 'positives', 'found', 'goal', 'clean', 'found', 'goal', ''], lines);
  const counts = new Map<string, number>();
  for (const line of missed) counts.set(line, (counts.get(line) ?? 0) + 1);
  if (counts.size > 0) {
    process.stdout.write(
      `not found: ${[...counts].map(([line, count]) => `${line} ×${count}`).join('; ')}\n\n`,
    );
  }
  return good;
}

/** The groups of ordinary text. */
function ordinaryText(): Readonly<Record<string, readonly Text[]>> {
  const root = join(import.meta.dirname, '..');
  const modules = join(root, 'node_modules');
  // Not its rules, its tests and its documentation: they hold what must be found.
  const own = filesUnder(join(root, 'src'), 6e6);
  const outside = filesUnder(modules, 12e6, 300_000);
  return {
    'sources of this project': own.filter(({ name }) => !/packs|\/rules\/|\.test\.ts$/.test(name)),
    'documentation of packages': outside.filter(({ name }) =>
      /\.md$|README|CHANGELOG|LICEN[CS]E/i.test(name),
    ),
    'sources of packages': outside.filter(({ name }) => /\.[cm]?[jt]s$|\.json$/.test(name)),
    'prose and code, English and Portuguese': proseText(),
  };
}

/** Every finding is listed, and counts as false: whoever reads the list may judge it milder. */
function ordinary(rules: readonly CompiledRule[]): boolean {
  const rare = createRuleset(rules.filter(({ common }) => common !== true));
  const everyday = createRuleset(rules.filter(({ common }) => common === true));
  const all = createRuleset(rules);
  const listed: string[] = [];
  let characters = 0;
  let findings = 0;
  const lines = Object.entries(ordinaryText()).map(([group, texts]) => {
    let size = 0;
    let found = 0;
    let daily = 0;
    for (const { name, text } of texts) {
      size += text.length;
      daily += scan(text, everyday).length;
      for (const match of scan(text, rare)) {
        found++;
        const from = Math.max(0, match.start - 30);
        const around = `${text.slice(from, match.start)}${placeholderOf(match)}`;
        listed.push(`${match.rule}  ${name.slice(-50)}  ${JSON.stringify(redact(around, all).text)}`);
      }
    }
    characters += size;
    findings += found;
    return [group, (size / 1e6).toFixed(1), String(found), (found / (size / 1e6)).toFixed(2), String(daily)];
  });
  const rate = findings / (characters / 1e6);
  const met = rate <= 0.5;
  lines.push([
    'all',
    (characters / 1e6).toFixed(1),
    String(findings),
    rate.toFixed(2),
    met ? 'met' : 'MISSED',
  ]);
  printColumns(['ordinary text', 'MB', 'findings', 'per MB (≤ 0.5)', 'e-mail, phone, IP'], lines);
  process.stdout.write(`${listed.join('\n')}\n\n`);
  return met;
}
