// How often the auditor is right: correct agents, of which it must say nothing, and the same agents with one guard
// removed or broken, where it must name the rule and the line.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AuditResult, audit, parserReaders, type SourceFile } from '../src/auditor/index.ts';
import type { Language } from '../src/auditor/languages.ts';
import { type Fault, faults } from './audit-faults.ts';
import { original } from './audit-marks.ts';
import { printColumns } from './table.ts';

const folder = fileURLToPath(new URL('../tests/fixtures/agents/', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));
/** Where this repository's own agent is, and what others build theirs with. */
const own = ['src/agent', 'src/surfaces/sdk', 'examples'];

const languages: readonly Language[] = ['typescript', 'python', 'go'];

/** How far a finding's line may be from that of the fault. */
const reach = 3;
const goals = { faults: 100, found: 0.95, false: 0.02, own: 10 };

export interface Agent {
  readonly language: Language;
  readonly path: string;
  readonly marked: string;
}

/** The correct agents with their marks. */
export function agents(): readonly Agent[] {
  return languages.flatMap((language) => {
    const name = language === 'typescript' ? 'ts' : language;
    return readdirSync(join(folder, name))
      .sort()
      .map((file) => ({
        language,
        // A folder of Go is one package, and each of these is its own.
        path: language === 'go' ? `${name}/${file.replace('.go', '')}/${file}` : `${name}/${file}`,
        marked: readFileSync(join(folder, name, file), 'utf8'),
      }));
  });
}

/** Whether a result names the rule at the line. */
export function isFound({ findings }: AuditResult, path: string, { rules, line }: Fault): boolean {
  return findings.some(
    (finding) =>
      finding.answer === 'violated' &&
      finding.file === path &&
      rules.includes(finding.rule) &&
      Math.abs(finding.line - line) <= reach,
  );
}

/** Audits the originals and the seeded agents; true where all goals are met. */
export async function auditAccuracy(progress: (text: string) => void): Promise<boolean> {
  const readers = parserReaders();
  const all = agents();
  const others = all.filter(({ marked }) => !/guard \w+ AG-/.test(marked)).map(fileOf);
  const rows: string[][] = [];
  const misses: string[] = [];
  let good = true;
  for (const language of languages) {
    const tally = new Map<string, { seeded: number; found: number }>();
    let [wrong, judged, seeded, found] = [0, 0, 0, 0];
    for (const agent of all.filter((one) => one.language === language && /guard \w+ AG-/.test(one.marked))) {
      progress(agent.path);
      const clean = await audit({ files: [fileOf(agent), ...others], readers });
      judged += clean.answers.reduce((sum, { proved, violated }) => sum + proved + violated, 0);
      for (const finding of clean.findings.filter(({ answer }) => answer === 'violated')) {
        wrong++;
        misses.push(`false: ${finding.file}:${finding.line} ${finding.rule} ${finding.message}`);
      }
      for (const fault of faults(agent.marked, language)) {
        const result = await audit({ files: [{ path: agent.path, text: fault.text }, ...others], readers });
        const hit = isFound(result, agent.path, fault);
        const row = tally.get(fault.way) ?? { seeded: 0, found: 0 };
        tally.set(fault.way, { seeded: row.seeded + 1, found: row.found + Number(hit) });
        seeded++;
        found += Number(hit);
        if (!hit) {
          const said = result.findings.map((finding) => `${finding.rule}:${finding.line}`).join(' ');
          misses.push(
            `missed: ${agent.path} ${fault.guard} ${fault.way} ${fault.rules} at ${fault.line}; said ${said}`,
          );
        }
      }
    }
    for (const [way, { seeded: many, found: hits }] of tally)
      rows.push([language, way, String(many), `${hits}`]);
    const share = found / seeded;
    const falseShare = wrong / Math.max(1, judged);
    const met = seeded >= goals.faults && share >= goals.found && falseShare <= goals.false;
    good &&= met;
    rows.push([language, 'all', String(seeded), `${found} (${(share * 100).toFixed(1)} %)`]);
    rows.push([
      language,
      'false on the originals',
      String(judged),
      `${wrong} (${(falseShare * 100).toFixed(1)} %) ${met ? 'met' : 'MISSED'}`,
    ]);
  }
  const ours = await audit({ files: ownAgent(), readers });
  const violated = ours.findings.filter(({ answer }) => answer === 'violated');
  const unseen = ours.findings.length - violated.length;
  const proved = ours.answers.reduce((sum, answer) => sum + answer.proved, 0);
  const ofOurs = proved + violated.length + unseen;
  const trusted = ofOurs >= goals.own && violated.length / ofOurs <= goals.false;
  rows.push([
    'typescript',
    "false on this repository's own agent",
    String(ofOurs),
    `${violated.length}; ${proved} proved, ${unseen} cannot tell ${trusted ? 'met' : 'MISSED'}`,
  ]);
  for (const { file, line, rule, message } of violated)
    misses.push(`own: ${file}:${line} ${rule} ${message}`);
  printColumns(['audit', 'fault', 'seeded', 'found'], rows);
  if (process.argv.includes('--misses')) for (const miss of misses) process.stdout.write(`${miss}\n`);
  return good && trusted;
}

function fileOf({ path, marked }: Agent): SourceFile {
  return { path, text: original(marked) };
}

/** This repository's own agent. */
function ownAgent(): readonly SourceFile[] {
  return own.flatMap((place) =>
    readdirSync(join(root, place), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|mjs)$/.test(name) && !/\.test\.ts$/.test(name))
      .map((name) => ({ path: `${place}/${name}`, text: readFileSync(join(root, place, name), 'utf8') })),
  );
}
