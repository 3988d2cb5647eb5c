// npm run eval:texts -- FOLDER: fetches what coding agents read every day: READMEs, AGENTS.md, CLAUDE.md, SKILL.md, rules and
// prompts of npm packages, and the documents of this machine. `npm run eval prompt -- --texts FOLDER` judges them. By name,
// through npm; nothing of them becomes part of the repository.

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * Packages by what was done with their false alarms: `read.txt` led to rules; those of `held-out.txt` were counted once and
 * never read.
 */
function packagesOf(list: 'read' | 'held-out'): readonly string[] {
  const names = readFileSync(new URL(`data/packages/${list}.txt`, import.meta.url), 'utf8');
  return names.trim().split(/\s+/);
}

/** What agents read without being asked to: documents, instructions for agents, skills, rules and prompts. */
export const readByAgents =
  /(?:^|\/)(?:README[^/]*|CHANGELOG\.md|SECURITY\.md|CONTRIBUTING\.md|AGENTS\.md|CLAUDE\.md|GEMINI\.md|SKILL\.md|copilot-instructions\.md|llms(?:-full)?\.txt|\.cursorrules|[^/]*\.(?:mdc|prompt\.md|instructions\.md|agent\.md|chatmode\.md))$|\/(?:skills?|prompts?|agents?|commands|rules|docs)\/[^/]+(?:\/[^/]+)*\.(?:md|txt)$/i;

/** Of one package so many files are kept, and of the machine's documents. */
const mostOfOne = 40;
const mostDocuments = 600;
const longest = 400_000;

if (process.argv[1]?.endsWith('agent-texts.ts') === true) {
  const [given] = process.argv.slice(2);
  if (given === undefined) {
    process.stderr.write('Usage: npm run eval:texts -- FOLDER\n');
    process.exit(2);
  }
  collect(resolve(given));
}

function collect(folder: string): void {
  for (const [kind, names] of Object.entries({
    npm: packagesOf('read'),
    'held-out': packagesOf('held-out'),
  })) {
    const wanted = names.filter((name) => !existsSync(join(folder, kind, flat(name))));
    for (let at = 0; at < wanted.length; at += 12) fetchPackages(folder, kind, wanted.slice(at, at + 12));
  }
  copyDocuments(join(folder, 'doc'));
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const kept = readdirSync(join(folder, 'npm')).length + readdirSync(join(folder, 'held-out')).length;
  process.stdout.write(`${files.length} files of ${kept} packages and of this machine's documents\n`);
}

function flat(name: string): string {
  return name.replace('/', '+');
}

/** Fetches some packages by one call of npm; where one of them does not exist, each by its own. */
function fetchPackages(folder: string, kind: string, names: readonly string[]): void {
  const into = join(folder, 'fetched');
  rmSync(into, { recursive: true, force: true });
  mkdirSync(into, { recursive: true });
  const { stdout, status } = spawnSync('npm', ['pack', '--json', ...names], { cwd: into, encoding: 'utf8' });
  if (status !== 0) {
    for (const name of names.length > 1 ? names : []) fetchPackages(folder, kind, [name]);
    if (names.length === 1) process.stdout.write(`${names[0]}: not offered\n`);
    return;
  }
  const packed = JSON.parse(stdout) as
    | readonly { name: string; filename: string }[]
    | Readonly<Record<string, { name: string; filename: string }>>;
  for (const { name, filename } of Object.values(packed))
    unpack(join(into, filename), join(folder, kind, flat(name)));
  rmSync(into, { recursive: true });
}

function unpack(archive: string, target: string): void {
  const { stdout } = spawnSync('tar', ['-tzf', archive], { encoding: 'utf8', maxBuffer: 1 << 26 });
  const files = stdout
    .split('\n')
    .filter((file) => readByAgents.test(file) && !file.includes('/node_modules/'))
    .slice(0, mostOfOne);
  mkdirSync(target, { recursive: true });
  if (files.length > 0) spawnSync('tar', ['-xzf', archive, '-C', target, '--strip-components=1', ...files]);
  process.stdout.write(`${target}: ${files.length}\n`);
}

/** Readable documents of Debian packages, as they are on this machine. */
function copyDocuments(target: string): void {
  const root = '/usr/share/doc';
  if (!existsSync(root)) return;
  mkdirSync(target, { recursive: true });
  const documents = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?:^|\/)(?:README[^/]*|NEWS|[^/]*\.(?:md|txt|rst))$/.test(file))
    .sort();
  for (const file of documents.slice(0, mostDocuments)) {
    const source = join(root, file);
    if (!existsSync(source) || !statSync(source).isFile() || statSync(source).size > longest) continue;
    copyFileSync(source, join(target, file.replaceAll('/', '+')));
  }
}

/** A collected file: where it comes from, and its text. */
export interface AgentText {
  /** The package, or the document. */
  readonly source: string;
  readonly file: string;
  readonly text: string;
  /** No rule was looked at with this source. */
  readonly heldOut: boolean;
}

/** Everything that was collected in a folder. */
export function collected(folder: string): readonly AgentText[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .filter((file) => statSync(join(folder, file)).isFile())
    .flatMap((file) => {
      const [kind = '', name = ''] = file.split('/');
      const text = readFileSync(join(folder, file), 'utf8').slice(0, longest);
      const source = kind === 'doc' ? `doc/${name.split('+')[0]}` : name;
      return text.includes('\0') || text.trim() === ''
        ? []
        : { source, file, text, heldOut: kind === 'held-out' };
    });
}
