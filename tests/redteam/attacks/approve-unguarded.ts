// Self-approval below the guard: the attacker's process simply runs, with every file and variable of the user at hand.
// What a person has to approve must not pass without the owner's key, whatever is written to store, home or settings.

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Attack, quick, type StoreKind } from '../attack.ts';
import { type Forgery, harmlessCommand, refused, type Way } from '../tools/forge.ts';
import { appendUser, asOwner, ownerPassphrase, type Victim } from '../victim.ts';
import {
  allKeys,
  asAttacker,
  attackerPhrase,
  payload,
  payloadLimitMs,
  type SecondHome,
  secondHome,
} from './own-home.ts';

/** Another action that a person is asked about, and one that takes a grant. */
const otherCommand = 'git push --force origin release';
const grantableCommand = 'frobnicate --everything';

/**
 * Runs the forging process; gives what it printed. What the attacked code refused has no effect, which is what counts;
 * a tool that breaks for another reason proves nothing, so that throws.
 */
export function forge(victim: Victim, forgery: Omit<Forgery, 'source' | 'home' | 'keyFile'>): string {
  victim.spoil();
  const { source, home } = victim.places;
  const keyFile = `${victim.places.loot[0]}/attacker.pem`;
  const tool = join(import.meta.dirname, '..', 'tools', 'forge.ts');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', tool, JSON.stringify({ source, home, keyFile, ...forgery })],
    { env: victim.environment(), encoding: 'utf8', timeout: 60_000 },
  );
  if (process.env['REDTEAM_VERBOSE'] !== undefined) process.stderr.write(stderr);
  if (status !== 0 && status !== refused)
    throw new Error(`forging "${forgery.way}" broke off: ${stderr.slice(0, 400)}`);
  return stdout;
}

/** The control: with the owner's own key the same way counts. */
export async function ownersKeyCounts(victim: Victim): Promise<boolean> {
  const id = await victim.ask();
  forge(victim, { id, way: 'owner', passphrase: ownerPassphrase });
  return await victim.passes();
}

/** Writes to the store what would make an answer count. */
function forges(way: Way, command?: string): Attack {
  return {
    name: `store key in hand: ${way}`,
    control: ownersKeyCounts,
    attempt: async (victim) => {
      const id = await victim.ask(command);
      forge(victim, { id, way });
      return await victim.passes(command);
    },
  };
}

/** The same, and the daemon starts again before the answer is given. */
function forgesAndRestarts(way: Way): Attack {
  return {
    name: `store key in hand: ${way}, daemon restarted`,
    control: ownersKeyCounts,
    attempt: async (victim) => {
      const id = await victim.ask();
      forge(victim, { id: 'none', way });
      await restart(victim);
      forge(victim, { id, way: 'unknown key' });
      return await victim.passes();
    },
  };
}

/** Chooses a passphrase in the victim's own home, and approves with it. */
function chooses(name: string, before: (victim: Victim) => void | Promise<void>): Attack {
  return {
    name,
    attempt: async (victim) => {
      const id = await victim.ask();
      await before(victim);
      await victim.atTerminal(['passphrase'], asAttacker);
      await victim.atTerminal(['approve', id], asAttacker);
      return await victim.passes();
    },
  };
}

const remove = (victim: Victim, ...names: readonly string[]) => {
  for (const name of names) rmSync(join(victim.places.home, name), { force: true });
};

/** Puts a key of the attacker's where the owner's is. */
async function swapKey(victim: Victim): Promise<void> {
  const evil = `${secondHome(victim)}-alone`;
  mkdirSync(evil, { recursive: true, mode: 0o700 });
  await victim.atTerminal(['passphrase'], asAttacker, { SALLYPORT_HOME: evil });
  copyFileSync(join(evil, 'approver.json'), join(victim.places.home, 'approver.json'));
}

async function restart(victim: Victim): Promise<void> {
  await victim.stop('SIGKILL');
  await victim.start();
}

/** A question that the owner approved, and that was then used. */
async function answeredBefore(victim: Victim, command: string): Promise<string> {
  const id = await victim.ask(command);
  await victim.atTerminal(['approve', id], asOwner);
  if (!(await victim.passes(command))) throw new Error("the owner's own yes does not count");
  return id;
}

/** The owner approves what the terminal shows; true if that was harmless, and something else passes. */
async function ownerIsDeceived(victim: Victim, id: string, real: string): Promise<boolean> {
  const shown = await victim.atTerminal(['approve', id], asOwner);
  return shown.includes(harmlessCommand) && !shown.includes(real) && (await victim.passes(real));
}

/** The second home, made by the program that the guarded attempts write. */
function second(name: string, store: StoreKind, made: SecondHome): Attack {
  return {
    name: `second home: ${name}`,
    store,
    needs: 'python3',
    attempt: async (victim) => {
      const id = await victim.ask();
      victim.plant('own.py', payload(victim, made));
      await victim.execute(`python3 own.py ${id}`, victim.project, payloadLimitMs);
      return await victim.passes();
    },
  };
}

/** A user whom the attacker writes into the settings; the daemon is started again, as a crash would do. */
function addsUser(role: 'approver' | 'admin'): Attack {
  return {
    name: `[users.mallory] with role ${role} in sallyport.toml, daemon restarted`,
    control: ownersKeyCounts,
    attempt: async (victim) => {
      const id = await victim.ask();
      appendUser(victim, 'mallory', role, attackerPhrase);
      await restart(victim);
      forge(victim, { id, way: 'user', passphrase: attackerPhrase });
      return await victim.passes();
    },
  };
}

export const unguardedApprovals: readonly Attack[] = [
  second('hard links to the store, ledger.key copied', 'sqlite', {}),
  second('symbolic links to the store, ledger.key copied', 'sqlite', { link: 'symbolic' }),
  quick(second('hard links to the store, all keys copied', 'sqlite', { keys: allKeys })),
  second('symbolic links to the store, all keys copied', 'sqlite', { link: 'symbolic', keys: allKeys }),
  second('hard links to the store, the loss of its head accepted', 'sqlite', { first: 'store accept-loss' }),
  second('settings and store key copied', 'postgres', {}),
  second('settings, store key and all keys copied', 'postgres', { keys: allKeys }),
  forges('unknown key'),
  forges('no signature'),
  quick(forges('approvers row')),
  forges('approvers row of this home'),
  forges('only approvers row'),
  forges('people row, approver'),
  forges('people row, admin'),
  quick(forges('entry, vouched by itself')),
  forges('entry, taken over from an older version'),
  forges('entry, the owner named as voucher'),
  forges("entry in the place of the owner's"),
  forges('entry, a recovery key'),
  forges('entry, a passkey'),
  forges('entry and row'),
  forges('entry in a chain of its own'),
  forges('first entry rewritten'),
  forgesAndRestarts('first entry rewritten'),
  forges('first entry and kept head rewritten'),
  forgesAndRestarts('first entry and kept head rewritten'),
  forges('entries deleted, own entry added'),
  forgesAndRestarts('entries deleted, own entry added'),
  forges('entries deleted, own entry added, kept head rewritten'),
  forgesAndRestarts('entries deleted, own entry added, kept head rewritten'),
  forges('grant', grantableCommand),
  {
    name: 'store key in hand: credential of scope admin, answered over HTTP',
    attempt: async (victim) => {
      const id = await victim.ask();
      const token = forge(victim, { id, way: 'credential' });
      await victim.post(`/v1/approvals/${id}/answer`, token, { answer: 'approve' });
      return await victim.passes();
    },
  },
  addsUser('approver'),
  addsUser('admin'),
  quick(
    chooses('approver.json removed, passphrase chosen anew', (victim) => remove(victim, 'approver.json')),
  ),
  chooses('approver.json and rows of approvers removed, passphrase chosen anew', (victim) => {
    forge(victim, { id: '', way: 'forget approvers' });
    remove(victim, 'approver.json');
  }),
  chooses('approver.json, rows of approvers and the kept head removed, passphrase chosen anew', (victim) => {
    forge(victim, { id: '', way: 'forget approvers' });
    remove(victim, 'approver.json', 'keys/head.json');
  }),
  chooses('approver.json, kept head and chain.id removed, passphrase chosen anew', (victim) =>
    remove(victim, 'approver.json', 'keys/head.json', 'keys/chain.id'),
  ),
  chooses(
    'approver.json, rows of approvers and the kept head removed, loss accepted, passphrase chosen anew',
    async (victim) => {
      forge(victim, { id: '', way: 'forget approvers' });
      remove(victim, 'approver.json', 'keys/head.json');
      await victim.stop('SIGKILL');
      await victim.atTerminal(['store', 'accept-loss'], asAttacker);
      await victim.start();
    },
  ),
  chooses('approver.json removed, passphrase chosen anew, daemon restarted', async (victim) => {
    remove(victim, 'approver.json');
    await restart(victim);
  }),
  {
    name: "approver.json replaced by the attacker's",
    attempt: async (victim) => {
      const id = await victim.ask();
      await swapKey(victim);
      await victim.atTerminal(['approve', id], asAttacker);
      return await victim.passes();
    },
  },
  {
    name: "approver.json replaced by the attacker's, daemon restarted, then put back",
    attempt: async (victim) => {
      const id = await victim.ask();
      const own = join(victim.places.home, 'approver.json');
      copyFileSync(own, `${own}.kept`);
      await swapKey(victim);
      await restart(victim);
      await victim.atTerminal(['approve', id], asAttacker);
      const passed = await victim.passes();
      if (existsSync(`${own}.kept`)) copyFileSync(`${own}.kept`, own);
      return passed;
    },
  },
  quick({
    name: 'replay: an answer that was used is made fresh',
    attempt: async (victim) => {
      const other = await answeredBefore(victim, otherCommand);
      forge(victim, { id: '', other, way: 'used answer, made fresh' });
      return await victim.passes(otherCommand);
    },
  }),
  {
    name: 'replay: the signature of another answer',
    attempt: async (victim) => {
      const other = await answeredBefore(victim, otherCommand);
      const id = await victim.ask();
      forge(victim, { id, other, way: 'signature of another answer' });
      return await victim.passes();
    },
  },
  quick({
    name: 'the sealed question is swapped for a harmless one',
    attempt: async (victim) => {
      const id = await victim.ask();
      forge(victim, { id, way: 'question swapped' });
      return await ownerIsDeceived(victim, id, 'git push --force origin main');
    },
  }),
  {
    name: 'a harmless question is given the binding of another',
    attempt: async (victim) => {
      const other = await victim.ask(`frobnicate; ${harmlessCommand}`);
      const id = await victim.ask();
      forge(victim, { id, other, way: 'binding swapped' });
      return await ownerIsDeceived(victim, other, 'git push --force origin main');
    },
  },
];
