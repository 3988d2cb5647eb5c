// npm run redteam [GROUP…] [-- --source DIR] [--json]: attacks the daemon, its home and its sandbox as a process of the
// user's own account would, really, inside bubblewrap, and shows which attempts had their effect.
// With --source the same attempts are made against another checkout: the control that shows that they are real.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { throwawayMachine } from '../support/throwaway.ts';
import { type Attack, type GroupName, groupNames, type Row } from './attack.ts';
import { attachAttacks } from './attacks/attach.ts';
import { execAttacks } from './attacks/exec.ts';
import { homeAttacks } from './attacks/home.ts';
import { ledgerAttacks } from './attacks/ledger.ts';
import { workspaceAttacks } from './attacks/workspace.ts';
import { type Places, Victim } from './victim.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const attacks: Readonly<Record<GroupName, readonly Attack[]>> = {
  workspace: workspaceAttacks,
  ledger: ledgerAttacks,
  home: homeAttacks,
  attach: attachAttacks,
  exec: execAttacks,
};

/** Where the home of Sallyport lies in a run of a group: the protection must not hang on its name. */
const homes: Readonly<Record<GroupName, readonly string[]>> = {
  workspace: ['/home/dev/.sallyport'],
  ledger: ['/home/dev/.sallyport'],
  home: ['/home/dev/.sallyport', '/srv/guard/state'],
  attach: ['/home/dev/.sallyport'],
  exec: ['.sallyport'],
};

const usage = `Usage: npm run redteam [GROUP…] [-- --source DIR] [--json]
  GROUP         ${groupNames.join(', ')}; all of them where none is named
  --source DIR  attack another checkout, as a control
  --json        one object a line
Example: npm run redteam home attach`;

function misuse(message: string): never {
  process.stderr.write(`${message}\n${usage}\n`);
  process.exit(2);
}

function isGroup(name: string): name is GroupName {
  return groupNames.some((known) => known === name);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    source: { type: 'string', default: root },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    /** Set by this script for the process inside the sandbox: the home of Sallyport there. */
    inside: { type: 'string' },
    person: { type: 'string', default: '/home/dev' },
  },
});
if (values.help) {
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}
const groups = positionals.map((name) => (isGroup(name) ? name : misuse(`there is no group "${name}"`)));
const source = realpathSync(resolve(values.source));

if (values.inside !== undefined) await attackFromInside(groups, values.inside);
else await attackAll(groups.length > 0 ? groups : groupNames);

/** Makes the attempts of groups in this process, which the sandbox holds, and prints a row each. */
async function attackFromInside(names: readonly GroupName[], home: string): Promise<void> {
  const places: Places = { source, person: values.person, home, loot: lootFolders(values.person) };
  for (const group of names) {
    const victim = new Victim(places);
    try {
      for (const attack of attacks[group]) {
        process.stdout.write(`${JSON.stringify(await rowOf(victim, group, attack))}\n`);
      }
    } finally {
      await victim.stop('SIGKILL');
    }
  }
}

/** Folders beside the user's own that attempts write to. */
function lootFolders(person: string): string[] {
  const beside = join(dirname(person), 'loot');
  return person === '/home/dev' ? [beside, '/tmp/redteam-loot'] : [beside];
}

async function rowOf(victim: Victim, group: GroupName, attack: Attack): Promise<Row> {
  const row = { group, home: victim.places.home, name: attack.name };
  if (attack.needs !== undefined && !isInstalled(attack.needs)) {
    return { ...row, outcome: 'not run', detail: `${attack.needs} is not installed` };
  }
  await victim.prepare();
  const succeeded = await attack.attempt(victim);
  return { ...row, outcome: succeeded ? 'succeeded' : 'stopped', detail: victim.decisions.join(' ') };
}

function isInstalled(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}

/** Runs each group in a sandbox of its own and prints the table. */
async function attackAll(names: readonly GroupName[]): Promise<void> {
  if (!isInstalled('bwrap')) {
    process.stderr.write('nothing was tried: bubblewrap (bwrap) is not installed\n');
    process.exit(2);
  }
  const rows: Row[] = [];
  for (const group of names) {
    for (const home of homes[group]) {
      process.stderr.write(`${group}, home ${home}: ${attacks[group].length} attempts …\n`);
      const made = await sandboxed(group, home);
      rows.push(...made);
      if (made.length < attacks[group].length) misuse(`${group} ended after ${made.length} attempts`);
    }
  }
  for (const row of rows) process.stdout.write(values.json ? `${JSON.stringify(row)}\n` : `${lineOf(row)}\n`);
  const count = (outcome: Row['outcome']) => rows.filter((row) => row.outcome === outcome).length;
  const summary = `${rows.length} attempts: ${count('stopped')} stopped, ${count('succeeded')} succeeded, ${count('not run')} not run`;
  process.stdout.write(values.json ? '' : `${summary}\n`);
  process.exitCode = count('succeeded') === 0 && count('not run') === 0 ? 0 : 1;
}

function lineOf({ group, name, outcome, detail, home }: Row): string {
  return `${outcome.padEnd(9)}  ${group.padEnd(9)}  ${name}  [${home}; ${detail || 'no decision'}]`;
}

/** Starts this script again where only a throw-away home can be written to. */
async function sandboxed(group: GroupName, home: string): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-redteam-'));
  try {
    const [program, args] = group === 'exec' ? unwrapped(folder, home) : wrapped(folder, home);
    const own = [fileURLToPath(import.meta.url), group, '--source', source];
    return await rowsOf(program, [...args, ...own, ...insideArguments(group, folder, home)]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function insideArguments(group: GroupName, folder: string, home: string): string[] {
  if (group !== 'exec') return ['--inside', home];
  const person = join(folder, 'home', 'dev');
  return ['--person', person, '--inside', join(person, home)];
}

function wrapped(folder: string, home: string): [string, string[]] {
  const { args, etc } = throwawayMachine(folder, [root, source]);
  mkdirSync(join(etc, 'cron.d'), { recursive: true });
  return ['bwrap', [...args, '--dir', dirname(home), process.execPath]];
}

/** The sandbox of `exec` cannot be made inside another one: these attempts reach a throw-away folder and nothing else. */
function unwrapped(folder: string, home: string): [string, string[]] {
  mkdirSync(join(folder, 'home', 'dev', dirname(home)), { recursive: true });
  return [process.execPath, []];
}

function rowsOf(program: string, args: readonly string[]): Promise<Row[]> {
  return new Promise((settle, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      if (process.stderr.isTTY) process.stderr.write('.');
    });
    child.once('error', reject);
    child.once('close', () => {
      const lines = printed.split('\n').filter((line) => line !== '');
      settle(lines.map((line): Row => JSON.parse(line)));
    });
  });
}
