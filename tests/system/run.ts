// npm run system [-- --quick] [--json]: starts a daemon with an account of its own, for real, on a throw-away machine with
// two users, attacks it as the account whose agents it guards, and makes the same attempts against a daemon of that account.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isInstalled, machineCommand, machineMissing } from '../support/machine.ts';
import { type Attack, attacks, emptyLoot } from './attacks.ts';
import { type Check, checks } from './checks.ts';
import { makeAccounts, OwnVictim, SystemVictim, type Victim } from './victim.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const usage = `Usage: npm run system [-- --quick] [--json]
  --quick         a part of the attempts
  --program FILE  attack this build of the command line instead of the source
  --json          one object a line
It needs root on Linux. Example: npm run system -- --quick`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    program: { type: 'string', default: join(root, 'bin', 'sallyport.cjs') },
    /** Set by this script for the process on the throw-away machine. */
    inside: { type: 'boolean', default: false },
  },
});

/** One line of the result. `control` is how the same attempt ended against a daemon of the same user. */
export type Row =
  | {
      readonly kind: 'attempt';
      readonly group: string;
      readonly name: string;
      readonly system: 'refused' | 'succeeded' | 'not run';
      readonly control: 'refused' | 'succeeded' | 'not run';
      readonly detail: string;
    }
  | { readonly kind: 'check'; readonly name: string; readonly holds: boolean; readonly detail: string };

if (values.help) process.stdout.write(`${usage}\n`);
else if (values.inside) await inside();
else await outside();

/** Starts this script again on a throw-away machine, and shows what it found. */
async function outside(): Promise<void> {
  const missing = machineMissing(root);
  if (missing !== null) {
    process.stderr.write(`nothing was tried: ${missing}\n`);
    process.exit(2);
  }
  const program = realpathSync(resolve(values.program));
  const own = [
    fileURLToPath(import.meta.url),
    '--inside',
    '--program',
    program,
    ...(values.quick ? ['--quick'] : []),
  ];
  const [command, args] = machineCommand(root, [process.execPath, ...own]);
  const rows = await rowsOf(command, args);
  for (const row of rows) process.stdout.write(values.json ? `${JSON.stringify(row)}\n` : `${lineOf(row)}\n`);
  const made = rows.filter((row) => row.kind === 'attempt');
  const count = (side: 'system' | 'control', outcome: string) =>
    made.filter((row) => row[side] === outcome).length;
  const held = rows.filter((row) => row.kind === 'check' && row.holds).length;
  const summary = [
    `${made.length} attempts against a daemon of another user: ${count('system', 'refused')} refused, ${count('system', 'succeeded')} succeeded, ${count('system', 'not run')} not run`,
    `the same against a daemon of the same user: ${count('control', 'succeeded')} succeeded, ${count('control', 'refused')} refused`,
    `${rows.length - made.length} checks: ${held} hold`,
  ];
  if (!values.json) process.stdout.write(`${summary.join('\n')}\n`);
  const good =
    made.length === part(attacks).length &&
    count('system', 'refused') === made.length &&
    count('control', 'succeeded') === made.length &&
    // One more looks whether the daemon is still there.
    held === part(checks).length + 1;
  process.exitCode = good ? 0 : 1;
}

function lineOf(row: Row): string {
  if (row.kind === 'check')
    return `${row.holds ? 'holds' : 'FAILS'}  ${row.name}${row.detail === '' ? '' : `  [${row.detail}]`}`;
  const detail = row.detail === '' ? '' : `  [${row.detail}]`;
  return `${row.system.padEnd(9)}  control ${row.control.padEnd(9)}  ${row.group.padEnd(6)}  ${row.name}${detail}`;
}

function rowsOf(program: string, args: readonly string[]): Promise<readonly Row[]> {
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

function part<T extends { readonly quick?: boolean }>(all: readonly T[]): readonly T[] {
  return values.quick ? all.filter(({ quick }) => quick === true) : all;
}

/** Makes every attempt and prints a row each. */
async function inside(): Promise<void> {
  makeAccounts();
  const program = [process.execPath, values.program];
  const sudo = isInstalled('sudo');
  const system = new SystemVictim(program, sudo);
  const control = new OwnVictim(
    process.execPath,
    dirname(dirname(values.program)),
    join(root, 'node_modules'),
  );
  const print = (row: Row) => process.stdout.write(`${JSON.stringify(row)}\n`);
  await system.install();
  for (const check of part(checks)) print(await held(check, system));
  for (const attack of part(attacks)) print(await attempt(attack, system, control));
  // After all of it, the daemon is the one that it was.
  const { pid } = await system.whole();
  print({
    kind: 'check',
    name: 'the daemon is well after every attempt',
    holds: existsSync(`/proc/${pid}`),
    detail: `process ${pid}`,
  });
  await control.stop();
  process.exit(0);
}

async function held({ name, holds }: Check, system: SystemVictim): Promise<Row> {
  try {
    const said = await holds(system);
    return { kind: 'check', name, holds: said === null, detail: said ?? '' };
  } catch (error) {
    return { kind: 'check', name, holds: false, detail: String(error) };
  }
}

async function attempt(attack: Attack, system: Victim, control: Victim): Promise<Row> {
  const row = { kind: 'attempt', group: attack.group, name: attack.name } as const;
  const lacking = attack.needs.filter((name) => !isInstalled(name));
  const traced = attack.group === 'trace' && yamaForbids();
  if (lacking.length > 0) {
    return { ...row, system: 'not run', control: 'not run', detail: `${lacking.join(', ')}: not installed` };
  }
  const against = async (victim: Victim) => {
    const target = await victim.whole();
    emptyLoot();
    const succeeded = await attack.attempt(target);
    if (succeeded) victim.spoil();
    return succeeded ? 'succeeded' : 'refused';
  };
  const detail = traced
    ? 'the kernel forbids tracing on this machine (ptrace_scope), so the control shows nothing'
    : '';
  return { ...row, system: await against(system), control: await against(control), detail };
}

/** Whether no process may trace another on this machine, whoever it belongs to. */
function yamaForbids(): boolean {
  const file = '/proc/sys/kernel/yama/ptrace_scope';
  return existsSync(file) && readFileSync(file, 'utf8').trim() !== '0';
}
