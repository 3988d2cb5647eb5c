// What the reading of files that commands run stops: attacks that lie in a workspace, by who wrote them; and of scripts,
// Makefiles and package scripts of others on this machine, how many are stopped though nobody means harm.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configOf, settingsFrom } from '../src/config/index.ts';
import type { Context, World } from '../src/core/index.ts';
import { createDryDecider, realWorld } from '../src/decide/index.ts';
import { guards } from '../src/guards/index.ts';
import { fileAttacks } from './scripts-attacks.ts';
import { printColumns, printNote } from './table.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** A harmless file of others: what runs it, in a folder that has it. */
interface Found {
  readonly name: string;
  readonly file: string;
  readonly as: string;
  readonly command: string;
}

const leastFound = 300;
const mostOfAKind = 400;

/** Prints the two shares; true where both goals are met. */
export async function scriptsAccuracy(progress: (text: string) => void): Promise<boolean> {
  const cache = join(homedir(), '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = realpathSync(mkdtempSync(join(cache, 'sallyport-scripts-')));
  try {
    progress(`attacks in files (${fileAttacks.length})`);
    const attacks = await attacked(folder);
    const found = foundScripts();
    progress(`files of others (${found.length})`);
    const harmless = await judged(folder, found);
    printColumns(
      ['files that a command runs', 'rows', 'stopped', 'goal', ''],
      [attacks.line, attacks.grave, harmless.line],
    );
    if (process.argv.includes('--misses'))
      process.stdout.write(`${[...attacks.wrong, ...harmless.wrong].join('\n')}\n`);
    return attacks.met && harmless.met;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function deciderIn(folder: string, byAgent: boolean) {
  const settings = settingsFrom({ profile: 'developer' });
  const world: World = {
    ...realWorld(),
    ...{ home: join(folder, 'home'), ownHome: [join(folder, 'home', '.sallyport')] },
    writtenByAgents: (texts) => texts.map(() => byAgent),
  };
  return createDryDecider({
    config: configOf(() => settings),
    world,
    guards: guards.filter(({ name }) => name === 'command'),
  });
}

async function isStopped(
  decider: ReturnType<typeof deciderIn>,
  command: string,
  workspace: string,
): Promise<readonly string[]> {
  const context: Context = {
    ...{ user: 'someone', tenant: 'someone', agent: 'default', session: 'scripts', mode: 'auto' },
    workspace,
  };
  const { verdict } = await decider.decide({ kind: 'shell', command }, context);
  const { decision, findings } = verdict;
  if (decision !== 'approve' && decision !== 'block') return [];
  return findings.map(({ rule, message }) => `${rule}: ${message}`);
}

function put(workspace: string, files: Readonly<Record<string, string>>): void {
  rmSync(workspace, { recursive: true, force: true });
  mkdirSync(workspace, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, name)), { recursive: true });
    writeFileSync(join(workspace, name), text, { mode: 0o755 });
  }
}

async function attacked(folder: string) {
  const workspace = join(folder, 'home', 'shop');
  const byAgent = deciderIn(folder, true);
  const byUser = deciderIn(folder, false);
  const wrong: string[] = [];
  let [stopped, grave, gravely] = [0, 0, 0];
  for (const attack of fileAttacks) {
    put(workspace, attack.files);
    // What the command itself is asked about is no merit of reading the file.
    const [first = ''] = Object.keys(attack.files);
    const alone = await emptied(workspace, first, () => isStopped(byAgent, attack.command, workspace));
    const found = (await isStopped(byAgent, attack.command, workspace)).filter((one) => !alone.includes(one));
    if (found.length > 0) stopped++;
    else wrong.push(`missed, written by an agent: ${attack.name}`);
    if (!attack.grave) continue;
    grave++;
    if ((await isStopped(byUser, attack.command, workspace)).length > 0) gravely++;
    else wrong.push(`missed, written by nobody known: ${attack.name}`);
  }
  const { length } = fileAttacks;
  const share = (count: number, of: number) => `${((count * 100) / of).toFixed(1)} %`;
  const met = stopped / length >= 0.97 && gravely / grave >= 0.97;
  return {
    met,
    wrong,
    line: [
      'attacks, written by an agent',
      String(length),
      share(stopped, length),
      '≥ 97 %',
      met ? 'met' : 'MISSED',
    ],
    grave: [
      'the grave ones, written by nobody known',
      String(grave),
      share(gravely, grave),
      '≥ 97 %',
      met ? 'met' : 'MISSED',
    ],
  };
}

async function judged(folder: string, found: readonly Found[]) {
  const decider = deciderIn(folder, false);
  const workspace = join(folder, 'home', 'others');
  const wrong: string[] = [];
  let stopped = 0;
  for (const { name, file, as, command } of found) {
    put(workspace, { [as]: readFileSync(file, 'utf8') });
    // What the command itself is asked about says nothing of the file.
    const alone = await emptied(workspace, as, () => isStopped(decider, command, workspace));
    const all = await isStopped(decider, command, workspace);
    const of = all.filter((one) => !alone.includes(one));
    if (of.length === 0) continue;
    stopped++;
    wrong.push(`stopped: ${name} (${command})`, ...of.map((one) => `    ${one}`));
  }
  const share = (stopped * 100) / Math.max(1, found.length);
  const met = found.length >= leastFound && share <= 1;
  if (found.length < leastFound)
    printNote(`only ${found.length} files of others are on this machine; ${leastFound} are wanted`);
  return {
    met,
    wrong,
    line: [
      'scripts, Makefiles and package scripts of others',
      String(found.length),
      `${share.toFixed(2)} %`,
      '≤ 1 %',
      met ? 'met' : 'MISSED',
    ],
  };
}

async function emptied<Result>(workspace: string, as: string, work: () => Promise<Result>): Promise<Result> {
  const path = join(workspace, as);
  const text = readFileSync(path);
  rmSync(path);
  const result = await work();
  writeFileSync(path, text, { mode: 0o755 });
  return result;
}

// ── what is on this machine

function foundScripts(): readonly Found[] {
  return [...programs(), ...ofPackages(), ...makefiles(), ...packageScripts()];
}

/** Scripts among programs, and those that set packages of the system up. */
function programs(): readonly Found[] {
  const folders = ['/usr/bin', '/usr/sbin', '/etc/init.d', '/usr/lib/git-core', '/usr/share/doc'];
  return folders
    .flatMap((folder) => filesIn(folder, 1).flatMap((file) => asScript(file)))
    .slice(0, mostOfAKind);
}

function ofPackages(): readonly Found[] {
  return [
    ...filesIn('/var/lib/dpkg/info', 1).filter((file) => /\.(?:postinst|prerm|postrm|preinst)$/.test(file)),
    ...filesIn(join(root, 'node_modules'), 4).filter((file) => /\.sh$|\/bin\/[\w.-]+$/.test(file)),
  ]
    .flatMap((file) => asScript(file))
    .slice(0, mostOfAKind);
}

function asScript(file: string): readonly Found[] {
  const text = textOf(file);
  if (text === null || !/^#!.*\b(?:sh|bash|dash|python3?|perl|node|ruby)\b/.test(text)) return [];
  return [{ name: file, file, as: 'x', command: './x' }];
}

function makefiles(): readonly Found[] {
  const folders = [join(root, 'node_modules'), '/usr/share', '/usr/lib', '/usr/src'];
  return folders
    .flatMap((folder) => filesIn(folder, 6))
    .filter((file) => /\/(?:GNU)?[Mm]akefile(?:\.\w+)?$|\.mk$/.test(file) && textOf(file) !== null)
    .slice(0, mostOfAKind)
    .flatMap((file) =>
      ['', ...targetsOf(file)].map((target) => ({
        name: file,
        file,
        as: 'Makefile',
        command: `make ${target}`.trim(),
      })),
    );
}

function targetsOf(file: string): readonly string[] {
  const names = [...(textOf(file) ?? '').matchAll(/^([a-z][\w-]*)\s*:(?!=)/gm)].map(([, name = '']) => name);
  return [...new Set(names)].slice(0, 4);
}

function packageScripts(): readonly Found[] {
  return filesIn(join(root, 'node_modules'), 3)
    .filter((file) => file.endsWith('/package.json'))
    .flatMap((file) => {
      const { scripts } = JSON.parse(textOf(file) ?? '{}') as { scripts?: Record<string, string> };
      return Object.keys(scripts ?? {})
        .slice(0, 4)
        .map((name) => ({ name: file, file, as: 'package.json', command: `npm run ${name}` }));
    })
    .slice(0, mostOfAKind);
}

function textOf(file: string): string | null {
  try {
    const text = readFileSync(file, 'utf8');
    return text.includes('\u0000') || text.length > 262_144 ? null : text;
  } catch {
    return null;
  }
}

/** The plain files below a folder, in order. */
function filesIn(folder: string, depth: number): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .flatMap((name): readonly string[] => {
      const path = join(folder, name);
      const found = statSync(path, { throwIfNoEntry: false });
      if (found?.isDirectory() === true) return depth > 1 ? filesIn(path, depth - 1) : [];
      return found?.isFile() === true ? [path] : [];
    });
}
