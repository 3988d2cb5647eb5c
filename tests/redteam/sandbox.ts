// Starts the attempts of a round where only a throw-away home can be written to.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { rowsOf, throwawayMachine } from '../support/throwaway.ts';
import type { Row } from './attack.ts';
import { attemptsOf, type Round } from './groups.ts';
import type { Order } from './inside.ts';

/** This checkout. */
export const root = dirname(dirname(import.meta.dirname));

/** What is attacked: a checkout, and the folder with the program, where that was built from it. */
export interface Target {
  readonly source: string;
  readonly program?: string;
}

/** Makes the attempts of a round; throws if the process ended before all were made. */
export async function attack(
  round: Round,
  { source, program: folderOfProgram = source }: Target,
  seen?: (row: Row) => void,
): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-redteam-'));
  try {
    const aimed = { ...round, source, program: folderOfProgram };
    // The sandbox of `exec` cannot be made inside another one: its attempts reach a throw-away folder and nothing else.
    const { before, order } = round.groups.includes('exec')
      ? unwrapped(folder, aimed)
      : wrapped(folder, aimed);
    const inside = join(import.meta.dirname, 'inside.ts');
    const [program = '', ...args] = [...before, process.execPath, inside, JSON.stringify(order)];
    const rows = await rowsOf<Row>(program, args, seen);
    const missing = attemptsOf(round).length - rows.length;
    if (missing > 0)
      throw new Error(`${round.groups.join(', ')}: the process ended before ${missing} attempts were made`);
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Start {
  /** The words before the program. */
  readonly before: readonly string[];
  readonly order: Order;
}

function wrapped(folder: string, round: Omit<Order, 'person'>): Start {
  const { args, etc } = throwawayMachine(folder, [root, round.source]);
  mkdirSync(join(etc, 'cron.d'), { recursive: true });
  return {
    before: ['bwrap', ...args, '--dir', dirname(round.home)],
    order: { ...round, person: '/home/dev' },
  };
}

function unwrapped(folder: string, round: Omit<Order, 'person'>): Start {
  const person = join(folder, 'home', 'dev');
  const home = join(person, round.home);
  mkdirSync(dirname(home), { recursive: true });
  return { before: [], order: { ...round, person, home } };
}
