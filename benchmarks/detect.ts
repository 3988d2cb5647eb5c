// Detection: how fast texts are read beside the tools that people use, what streams wait for, what loading takes.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { builtin, createRedactor, type Ruleset, redact, scan } from '../src/detect/index.ts';
import { readLanes } from '../src/detect/lanes.ts';
import { resolveState } from '../src/detect/ruleset.ts';
import { injectionRows } from './injection.ts';
import { installPeers } from './peers.ts';
import { type Benchmark, type Row, short } from './table.ts';
import { mixedText, type Text } from './texts.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const rounds = 8;

export const detect: Benchmark = async (progress) => {
  installPeers(progress);
  const texts = mixedText();
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  try {
    progress('scanning, beside the peers');
    const rows: Row[] = [...(await scanning(texts))];
    progress('adversarial texts');
    rows.push(adversarial());
    progress('streams');
    rows.push(...streaming(texts));
    progress('loading');
    rows.push(await loading(folder));
    progress('one gigabyte through a stream');
    rows.push(await memory(folder));
    progress('injection');
    rows.push(...(await injectionRows(progress)));
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** The keyword pass and nothing else. */
function wordsOnly({ automaton }: Ruleset, text: string): number {
  const { classes, next, shift, firstEnd, unknown } = automaton;
  let ends = 0;
  let { at, state } = readLanes(automaton, text, 0, 0, () => ends++);
  for (; at < text.length; at++) {
    const unit = classes[text.charCodeAt(at)] as number;
    const before = state;
    state = next[(before << shift) | unit] as number;
    if (state === unknown) state = resolveState(automaton, before, unit);
    if (state >= firstEnd) ends++;
  }
  return ends;
}

interface Secretlint {
  lintSource(given: unknown): Promise<{ readonly messages: readonly unknown[] }>;
}
interface OpenAiGuardrails {
  secretKeysCheck(context: object, text: string, config: object): Promise<unknown>;
}

async function scanning(texts: readonly Text[]): Promise<readonly Row[]> {
  const secrets = builtin('secrets');
  const all = builtin('secrets', 'pii');
  const load = async (name: string): Promise<unknown> => import(name);
  const { lintSource } = (await load('@secretlint/core')) as Secretlint;
  const { creator } = (await load('@secretlint/secretlint-rule-preset-recommend')) as { creator: unknown };
  const { secretKeysCheck } = (await load('@openai/guardrails')) as OpenAiGuardrails;
  const config = {
    rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator, options: {} }],
  };
  const characters = (list: readonly Text[]) => list.reduce((sum, { text }) => sum + text.length, 0);
  const slowSample = texts.filter((_, index) => index % 40 === 0);
  const runs: Readonly<Record<string, { list: readonly Text[]; run: (given: Text) => unknown }>> = {
    words: { list: texts, run: ({ text }) => wordsOnly(secrets, text) },
    secrets: { list: texts, run: ({ text }) => scan(text, secrets) },
    all: { list: texts, run: ({ text }) => scan(text, all) },
    secretlint: {
      list: texts,
      run: ({ text }) =>
        lintSource({
          source: { filePath: 'a.txt', content: text, contentType: 'text', ext: '.txt' },
          options: { config, noPhysicFilePath: true },
        }),
    },
    openai: { list: slowSample, run: ({ text }) => secretKeysCheck({}, text, { threshold: 'balanced' }) },
  };
  const best: Record<string, number> = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, { list, run }] of Object.entries(runs)) {
      const start = performance.now();
      for (const text of list) await run(text);
      const speed = characters(list) / 1000 / (performance.now() - start);
      best[name] = Math.max(best[name] ?? 0, speed);
    }
  }
  const { words = 0, secrets: ours = 0, all: everything = 0, secretlint = 0, openai = 0 } = best;
  const megabytes = short(characters(texts) / 1e6);
  const row = (what: string, mine: number, other: number, name: string, goal: number): Row => ({
    what,
    ours: `${short(mine)} MB/s`,
    floor: `${short(other)} MB/s (${name})`,
    ratio: short(mine / other),
    goal: `≥ ${goal}`,
    met: mine / other >= goal,
  });
  return [
    row(`secrets in ${megabytes} MB`, ours, secretlint, 'secretlint', 8),
    row('secrets', ours, openai, '@openai/guardrails, a part of the text', 100),
    row('secrets', ours, words, 'the keyword pass alone', 0.4),
    row('secrets and PII', everything, secretlint, 'secretlint, secrets only', 2),
  ];
}

/** Twenty kilobytes of what makes patterns slow. */
function adversarial(): Row {
  const all = builtin('secrets', 'pii');
  const seeds = [
    'a',
    '=',
    'secret=',
    'secret===',
    'key',
    'password password ',
    'eyJ',
    '-----BEGIN ',
    '1',
    '1.',
    '12 ',
    '+',
    '@',
    'a@',
    ' a.',
    '://',
    'http://a:',
    'token: ',
    '"key":"',
    'AKIA',
    'sk-',
    '0x',
    '1234-',
    '_',
    'apikeysecrettokenpassword',
    'Authorization: Bearer ',
    'x'.repeat(160),
    'ghp_',
    ':',
    '::',
    'cpf ',
    '(11) ',
    'a1B2',
    '\\n',
    '<',
    '{',
    '$',
    '\n',
    'BEGIN',
    'nuget',
  ];
  let worst = 0;
  let name = '';
  for (const seed of seeds) {
    const text = seed.repeat(Math.ceil(20_000 / seed.length)).slice(0, 20_000);
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 5; round++) {
      const start = performance.now();
      scan(text, all);
      best = Math.min(best, performance.now() - start);
    }
    if (best > worst) {
      worst = best;
      name = seed.slice(0, 20);
    }
  }
  return {
    what: `20 KB of ${seeds.length} adversarial kinds, the worst`,
    ours: `${short(worst)} ms`,
    floor: JSON.stringify(name),
    ratio: '',
    goal: '≤ 10 ms',
    met: worst <= 10,
  };
}

/** Deltas of 16 characters, as a model's answer comes: the time for each, and how far the output lags behind. */
function streaming(texts: readonly Text[]): readonly Row[] {
  const text = texts
    .map((one) => one.text.slice(0, 4000))
    .join('\n')
    .slice(0, 1_000_000);
  const measure = (ruleset: Ruleset) => {
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3; round++) {
      const redactor = createRedactor(ruleset);
      const start = performance.now();
      for (let at = 0; at < text.length; at += 16) redactor.push(text.slice(at, at + 16));
      best = Math.min(best, ((performance.now() - start) * 1000) / (text.length / 16));
    }
    return best;
  };
  const lag = (ruleset: Ruleset) => {
    // Of texts without finds, so that what is out is comparable with what went in.
    const clean = redact(text.slice(0, 300_000), ruleset, { placeholder: () => '' }).text;
    const redactor = createRedactor(ruleset, { placeholder: () => '' });
    let out = 0;
    let sum = 0;
    let most = 0;
    for (let at = 0; at < clean.length; at++) {
      out += redactor.push(clean.charAt(at)).length;
      const held = at + 1 - out - redactor.matches.reduce((all, { start, end }) => all + end - start, 0);
      sum += Math.max(0, held);
      most = Math.max(most, held);
    }
    return { mean: sum / clean.length, most };
  };
  const sets = { secrets: builtin('secrets'), 'secrets and PII': builtin('secrets', 'pii') };
  const goals = { secrets: 1.5, 'secrets and PII': 5 };
  return Object.entries(sets).flatMap(([name, ruleset]) => {
    const time = measure(ruleset);
    const { mean, most } = lag(ruleset);
    const goal = goals[name as keyof typeof goals];
    return [
      {
        what: `stream of 16-character deltas, ${name}`,
        ours: `${short(time)} µs`,
        floor: 'per delta',
        ratio: '',
        goal: '≤ 10 µs',
        met: time <= 10,
      },
      {
        what: `held back, ${name}`,
        ours: `${short(mean)} characters`,
        floor: `at most ${most}`,
        ratio: '',
        goal: `≤ ${goal}, at most 160`,
        met: mean <= goal && most <= 160,
      },
    ];
  });
}

/** A file that holds the detection alone, as the product's bundle does. */
async function bundle(folder: string): Promise<string> {
  const { output } = await build({
    cwd: root,
    input: 'src/detect/index.ts',
    platform: 'node',
    write: false,
    output: { format: 'cjs', minify: true, codeSplitting: false },
  });
  const path = join(folder, 'detect.cjs');
  writeFileSync(path, output[0].code);
  return path;
}

function runNode(args: readonly string[]): Record<string, number> {
  const { stdout, status, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 24,
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, number>;
}

async function loading(folder: string): Promise<Row> {
  const path = await bundle(folder);
  const code = `const start = performance.now(); const { builtin, scan } = require(${JSON.stringify(path)}); scan('nothing here', builtin('secrets', 'pii')); console.log(JSON.stringify({ ms: performance.now() - start }));`;
  const times = Array.from({ length: 7 }, () => runNode(['-e', code])['ms'] ?? Number.NaN).sort(
    (a, b) => a - b,
  );
  const middle = times[3] ?? Number.NaN;
  return {
    what: 'loading all packs, until the first text is read',
    ours: `${short(middle)} ms`,
    floor: `${builtin('secrets', 'pii').rules.length} rules`,
    ratio: '',
    goal: '≤ 60 ms',
    met: middle <= 60,
  };
}

async function memory(folder: string): Promise<Row> {
  const path = await bundle(folder);
  const texts = join(folder, 'texts.json');
  writeFileSync(
    texts,
    JSON.stringify(
      mixedText()
        .map(({ text }) => text.slice(0, 20_000))
        .slice(0, 400),
    ),
  );
  const code = `
    const { builtin, createRedactor } = require(${JSON.stringify(path)});
    const texts = require(${JSON.stringify(texts)});
    const redactor = createRedactor(builtin('secrets', 'pii'));
    let taken = 0, at = 0, early = 0;
    const used = () => { gc(); gc(); return process.memoryUsage().heapUsed; };
    while (taken < 1e9) {
      const text = texts[at++ % texts.length];
      for (let from = 0; from < text.length; from += 4096) redactor.push(text.slice(from, from + 4096));
      taken += text.length;
      if (early === 0 && taken > 1e8) { redactor.matches.length = 0; early = used(); }
    }
    redactor.matches.length = 0;
    console.log(JSON.stringify({ early, late: used() }));`;
  const { early = 0, late = 0 } = runNode(['--expose-gc', '-e', code]);
  return {
    what: 'memory after 1 GB of one stream',
    ours: `${short(late / 1e6)} MB`,
    floor: `${short(early / 1e6)} MB after 0.1 GB`,
    ratio: short(late / early),
    goal: '≤ 1.1',
    met: late / early <= 1.1,
  };
}
