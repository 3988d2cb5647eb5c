// The process inside the sandbox: makes the attempts of one round against a victim and prints a row for each.

import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { messageOf } from '../../src/core/index.ts';
import type { Attack, GroupName, Row } from './attack.ts';
import { Database } from './database.ts';
import { attemptsOf, type Round } from './groups.ts';
import { Victim } from './victim.ts';

/** What the process is told to do. */
export interface Order extends Round {
  readonly source: string;
  readonly program: string;
  /** The user's own home folder. */
  readonly person: string;
}

/** Controls that were tried, and whether the tool worked. */
const controls = new Map<NonNullable<Attack['control']>, boolean>();

export function isInstalled(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}

async function carryOut(order: Order): Promise<void> {
  const { source, program, person, home, store } = order;
  const database = store === 'postgres' ? await Database.start() : null;
  const victim = new Victim({ source, program, person, home, loot: lootFolders(person), database });
  try {
    for (const { group, attack } of attemptsOf(order)) {
      const told = await outcomeOf(victim, attack).catch((error) =>
        notRun(`it broke off: ${messageOf(error)}`),
      );
      process.stdout.write(`${JSON.stringify({ ...nameOf(order, group, attack), ...told })}\n`);
    }
  } finally {
    await victim.stop('SIGKILL');
    await database?.stop();
  }
}

function nameOf(
  { home, store }: Round,
  group: GroupName,
  { name }: Attack,
): Pick<Row, 'group' | 'home' | 'store' | 'name'> {
  return { group, home, store, name };
}

type Outcome = Pick<Row, 'outcome' | 'detail'>;

function notRun(detail: string): Outcome {
  return { outcome: 'not run', detail };
}

async function outcomeOf(victim: Victim, { needs, control, attempt }: Attack): Promise<Outcome> {
  if (needs !== undefined && !isInstalled(needs)) return notRun(`${needs} is not installed`);
  if (control !== undefined) {
    if (!controls.has(control)) {
      await victim.prepare();
      controls.set(control, await control(victim));
    }
    if (controls.get(control) !== true)
      return notRun('its tool does not work on this checkout: the control has no effect');
  }
  await victim.prepare();
  const succeeded = await attempt(victim);
  return { outcome: succeeded ? 'succeeded' : 'stopped', detail: victim.decisions.join(' ') };
}

/** Folders beside the user's own that attempts write to. */
function lootFolders(person: string): string[] {
  const beside = join(dirname(person), 'loot');
  return person === '/home/dev' ? [beside, '/tmp/redteam-loot'] : [beside];
}

if (import.meta.main) {
  const order: Order = JSON.parse(process.argv[2] ?? '');
  await carryOut(order);
}
