// npm run equality -- --base COMMIT|FOLDER [--corpora FOLDER] [--only PATTERN] [--text PATTERN] [--list verdict,words,facts]:
// whether the working tree decides as another checkout does. Judges every rule's examples, the project's fixtures,
// generated and harmless commands, some command lines, and corpora where they are given; prints what is equal and every
// difference.

import { spawnSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isJsonObject } from '../../src/core/index.ts';
import { type Case, type Outcome, union } from './cases.ts';
import { aspects, compare } from './compare.ts';
import { corpusCases } from './corpora.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const usage =
  'Usage: npm run equality -- --base COMMIT|FOLDER [--corpora FOLDER] [--only PATTERN] [--text PATTERN] [--list verdict,words,facts]\n';

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

const { values } = readArguments();
if (values.base === undefined) fail(usage.trimEnd());
const listed = new Set(values.list.split(','));
for (const name of listed)
  if (!aspects.some((known) => known === name)) fail(`--list takes ${aspects.join(', ')}`);

const work = mkdtempSync(join(tmpdir(), 'sallyport-equality-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
process.on('SIGINT', () => process.exit(130));

const base = checkout(values.base);
const corpora =
  values.corpora === undefined ? { cases: [], unread: [] } : corpusCases(resolve(values.corpora));
const wanted = new RegExp(values.only);
const mentions = new RegExp(values.text);
const cases = union([...own(root), ...corpora.cases], own(base)).filter(
  ({ id, asked }) => wanted.test(id) && (values.text === '' || mentions.test(JSON.stringify(asked))),
);
if (cases.length === 0) fail('no case has an id that fits --only and a text that fits --text');
for (const name of corpora.unread) process.stdout.write(`no case in ${name}\n`);
const file = join(work, 'cases.jsonl');
writeFileSync(file, cases.map((found) => `${JSON.stringify(found)}\n`).join(''));
const before = judge(base, 'base');
const after = judge(root, 'working tree');
const { sets, differences } = compare(before, after);

for (const { id, of, base: one, tree: other } of differences.filter((found) => listed.has(found.of))) {
  const found = cases.find((one) => one.id === id)?.asked;
  const shown = JSON.stringify(found).slice(0, 400);
  process.stdout.write(
    `${id} differs in ${of}\n  case  ${shown}\n  base  ${JSON.stringify(one)}\n  tree  ${JSON.stringify(other)}\n`,
  );
}
const width = Math.max(...[...sets.keys()].map((name) => name.length));
for (const [name, set] of sets) {
  process.stdout.write(`${name.padEnd(width)}  ${set.equal} of ${set.cases} verdicts equal\n`);
}
for (const { id, words } of after.filter(
  (outcome) => isJsonObject(outcome.verdict) && 'error' in outcome.verdict,
)) {
  process.stdout.write(`${id} could not be judged: ${JSON.stringify(words)}\n`);
}
const count = (aspect: string) => differences.filter(({ of }) => of === aspect).length;
const equal = [...sets.values()].reduce((sum, set) => sum + set.equal, 0);
process.stdout.write(
  `${cases.length} cases: ${equal} verdicts equal, ${count('verdict')} different; ` +
    `${count('words')} differ in words, ${count('facts')} in facts\n`,
);
process.exitCode = count('verdict') === 0 ? 0 : 1;

function readArguments() {
  try {
    return parseArgs({
      options: {
        base: { type: 'string' },
        corpora: { type: 'string' },
        only: { type: 'string', default: '' },
        text: { type: 'string', default: '' },
        list: { type: 'string', default: 'verdict' },
      },
    });
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : error}\n${usage.trimEnd()}`);
  }
}

/** The folder of the other checkout: one that is there, or a copy of a commit with the packages of this one. */
function checkout(named: string): string {
  if (existsSync(named) && statSync(named).isDirectory()) return resolve(named);
  const folder = join(work, 'base');
  mkdirSync(folder);
  const options = { cwd: root, maxBuffer: 1_000_000_000 };
  const archive = spawnSync('git', ['archive', '--format=tar', named], options);
  if (archive.status !== 0)
    fail(`there is no folder and no commit "${named}": ${String(archive.stderr).trim()}`);
  const unpacked = spawnSync('tar', ['-x', '-C', folder], { input: archive.stdout });
  if (unpacked.status !== 0) fail(`the commit could not be unpacked: ${String(unpacked.stderr).trim()}`);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  if (
    readFileSync(join(folder, 'package-lock.json'), 'utf8') !==
    readFileSync(join(root, 'package-lock.json'), 'utf8')
  ) {
    process.stdout.write(
      'the packages of the working tree are used for both, though the base locks others\n',
    );
  }
  // A commit from before this check is judged by the files of this one.
  if (!existsSync(join(folder, 'tests/equality'))) {
    for (const path of ['tests/equality', 'src/decide/examples.ts']) {
      cpSync(join(root, path), join(folder, path), { recursive: true });
    }
  }
  return folder;
}

/** The cases that a checkout brings. */
function own(folder: string): readonly Case[] {
  return lines<Case>(run(folder, ['list'], null));
}

function judge(folder: string, name: string): readonly Outcome[] {
  const started = performance.now();
  const found = lines<Outcome>(run(folder, ['judge', join(work, 'place')], file));
  const seconds = Math.round((performance.now() - started) / 1000);
  process.stderr.write(`${name}: ${found.length} cases in ${seconds} s\n`);
  return found;
}

/** Runs a checkout's own part of the check; gives the file with what it printed. */
function run(folder: string, task: readonly string[], input: string | null): string {
  const printed = join(work, 'printed.jsonl');
  const from = input === null ? null : openSync(input, 'r');
  const to = openSync(printed, 'w');
  const { status } = spawnSync(process.execPath, [join(folder, 'tests/equality/judge.ts'), ...task], {
    cwd: folder,
    stdio: [from ?? 'ignore', to, 'inherit'],
  });
  closeSync(to);
  if (from !== null) closeSync(from);
  if (status !== 0) fail(`${folder} could not ${task[0]} the cases`);
  return printed;
}

function lines<Line>(path: string): readonly Line[] {
  const text = readFileSync(path, 'utf8').trimEnd();
  return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line));
}
