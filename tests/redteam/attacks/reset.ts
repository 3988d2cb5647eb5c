// Resetting the passphrase without the old one or the recovery code: it must not count before the owner had a day to
// stop it, and nothing that the attacker writes may shorten that day or end the owner's say.

import { copyFileSync, existsSync, linkSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Attack, quick } from '../attack.ts';
import { clock } from '../clock.ts';
import type { Way } from '../tools/forge.ts';
import { asOwner, type Victim } from '../victim.ts';
import { forge, ownersKeyCounts } from './approve-unguarded.ts';
import { asAttacker, secondHome } from './own-home.ts';

type Variables = Readonly<Record<string, string>>;

/** Asks for a new passphrase by whatever this checkout offers to those who have lost the old one. */
async function reset(victim: Victim, environment: Variables = {}): Promise<void> {
  const shown = await victim.atTerminal(['passphrase', '--reset', '--without-code'], asAttacker, environment);
  if (!/unknown option|Unknown option/.test(shown)) return;
  // An older version has no reset: whoever moves the key away chooses anew.
  const home = environment['SALLYPORT_HOME'] ?? victim.places.home;
  rmSync(join(home, 'approver.json'), { force: true });
  await victim.atTerminal(['passphrase'], asAttacker, environment);
}

interface Resetting {
  /** Variables of the process that asks for the reset. */
  readonly environment?: (victim: Victim) => Variables;
  /** What happens between the reset and the attacker's answer. */
  readonly between?: (victim: Victim) => void | Promise<void>;
  /** Variables of the process that answers. */
  readonly answering?: Variables;
}

/** The attacker resets, then answers with the new passphrase. */
function resets(name: string, { environment, between, answering = {} }: Resetting): Attack {
  return {
    name,
    attempt: async (victim) => {
      const id = await victim.ask();
      const made = environment?.(victim) ?? {};
      await reset(victim, made);
      await between?.(victim);
      const { SALLYPORT_HOME } = made;
      const place = SALLYPORT_HOME === undefined ? {} : { SALLYPORT_HOME };
      await victim.atTerminal(['approve', id], asAttacker, { ...place, ...answering });
      return await victim.passes();
    },
  };
}

/** Writes to the store what would make a reset count, and answers. */
function forges(way: Way): Attack {
  return {
    name: `store key in hand: ${way}`,
    control: ownersKeyCounts,
    attempt: async (victim) => {
      const id = await victim.ask();
      forge(victim, { id, way });
      return await victim.passes();
    },
  };
}

/** Something that must not take the owner's say away: the owner stops the reset and approves as before. */
function robs(name: string, attack: (victim: Victim) => void | Promise<void>): Attack {
  return {
    name: `${name}: the owner can no longer stop it or approve`,
    attempt: async (victim) => {
      const id = await victim.ask();
      await attack(victim);
      await victim.atTerminal(['approvers', 'veto'], asOwner);
      await victim.atTerminal(['approve', id], asOwner);
      return !(await victim.passes());
    },
  };
}

const killed = async (victim: Victim) => {
  await victim.stop('SIGKILL');
  await victim.start();
};

/** Puts the key that waits in the place of the owner's. */
function useWaiting({ places: { home } }: Victim): void {
  const waiting = join(home, 'approver-next.json');
  if (existsSync(waiting)) copyFileSync(waiting, join(home, 'approver.json'));
}

/** A home of the attacker's own on the victim's store, which has everything that the victim's has. */
function ownHome(victim: Victim): Variables {
  const { home } = victim.places;
  const evil = secondHome(victim);
  mkdirSync(join(evil, 'keys'), { recursive: true, mode: 0o700 });
  for (const name of [
    'sallyport.toml',
    'approver.json',
    'keys/ledger.key',
    'keys/chain.id',
    'keys/head.json',
  ]) {
    if (existsSync(join(home, name))) copyFileSync(join(home, name), join(evil, name));
  }
  for (const name of ['ledger.db', 'ledger.db-wal', 'ledger.db-shm']) {
    if (existsSync(join(home, name))) linkSync(join(home, name), join(evil, name));
  }
  return { SALLYPORT_HOME: evil };
}

export const resetAttacks: readonly Attack[] = [
  quick(resets('reset without a code, answered at once', {})),
  resets('reset without a code, the key that waits put into use', { between: useWaiting }),
  resets('reset without a code, daemon killed and started again', { between: killed }),
  resets('reset without a code, by a process whose clock is 25 hours back', {
    environment: () => clock(-25),
  }),
  resets('reset without a code, answered by a process whose clock is 25 hours ahead', {
    answering: clock(25),
  }),
  resets('reset without a code, with its entries deleted', {
    between: (victim) => void forge(victim, { id: '', way: 'forget resets' }),
  }),
  resets('reset without a code, stopped by the owner, the veto deleted, key put into use', {
    between: async (victim) => {
      await victim.atTerminal(['approvers', 'veto'], asOwner);
      forge(victim, { id: '', way: 'forget vetoes' });
      useWaiting(victim);
    },
  }),
  resets('reset without a code, twice', { between: (victim) => reset(victim) }),
  resets('reset without a code, then vouched for by itself', {
    between: async (victim) => {
      useWaiting(victim);
      await victim.atTerminal(['approvers', 'vouch', 'root'], asAttacker);
    },
  }),
  resets('reset without a code, from a second home', { environment: ownHome }),
  {
    name: 'reset with a guessed recovery code',
    attempt: async (victim) => {
      const id = await victim.ask();
      const shown = await victim.atTerminal(['passphrase', '--reset'], asAttacker);
      if (/unknown option|Unknown option/.test(shown)) await reset(victim);
      await victim.atTerminal(['approve', id], asAttacker);
      return await victim.passes();
    },
  },
  forges('reset entry'),
  forges('reset entry, backdated'),
  forges('reset entry, backdated, in a chain of its own'),
  forges('reset entry, times of the log set back'),
  forges('reset entry, then one of tomorrow'),
  robs('reset without a code', (victim) => reset(victim)),
  robs(
    'reset entry, then one of tomorrow',
    (victim) => void forge(victim, { id: 'none', way: 'reset entry, then one of tomorrow' }),
  ),
  robs('reset without a code, daemon killed', async (victim) => {
    await reset(victim);
    await killed(victim);
  }),
];
