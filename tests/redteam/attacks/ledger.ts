// The store is removed, replaced or cut, under a running daemon and while it is stopped.
// The attacker needs no permission for this: it is what a process of the same account can do. It must be noticed.

import {
  copyFileSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Attack, quick } from '../attack.ts';
import type { Victim } from '../victim.ts';

const storeFiles = ({ places }: Victim) =>
  readdirSync(places.home)
    .filter((name) => name.startsWith('ledger.db'))
    .map((name) => join(places.home, name));

const store = ({ places }: Victim) => join(places.home, 'ledger.db');

/** An action that is blocked, so that its record is on disk before the answer. */
const destructive = ({ project }: Victim) => ({ kind: 'shell', command: 'rm -rf /', cwd: project });

/** Takes the store apart beneath the running daemon. It succeeds if a decision passes afterwards. */
function running(name: string, tamper: (victim: Victim) => void, before?: (victim: Victim) => void): Attack {
  return {
    name: `running daemon: ${name}`,
    attempt: async (victim) => {
      const token = victim.token();
      before?.(victim);
      for (let count = 0; count < 3; count++) await victim.harmless(token);
      await victim.decide(destructive(victim));
      victim.spoil();
      tamper(victim);
      victim.decisions.length = 0;
      for (let count = 0; count < 3; count++) {
        const decision = await victim.harmless(token);
        if (decision === 'pass') return true;
      }
      return false;
    },
  };
}

/** Takes the store apart while the daemon is stopped. It succeeds if the records verify and the daemon lets a command pass. */
function stopped(name: string, tamper: (victim: Victim) => void, before?: (victim: Victim) => void): Attack {
  return {
    name: `stopped daemon: ${name}`,
    attempt: async (victim) => {
      before?.(victim);
      for (let count = 0; count < 3; count++) await victim.decide(destructive(victim));
      await victim.stop();
      tamper(victim);
      victim.decisions.length = 0;
      const verified = victim.sallyport(['log', 'verify']).status === 0;
      const started = await victim.start().then(
        () => true,
        () => false,
      );
      return verified && started && (await victim.harmless(victim.token())) === 'pass';
    },
  };
}

/** Cuts the newest entries off and makes the counters fit, as far as somebody without the key can. */
function cutTail(victim: Victim): void {
  const database = new DatabaseSync(store(victim));
  try {
    const triggers = database.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all();
    for (const { name } of triggers) database.exec(`DROP TRIGGER "${String(name)}"`);
    for (const { chain, last } of database
      .prepare('SELECT chain, max(seq) AS last FROM audit GROUP BY chain')
      .all()) {
      const keep = Number(last) - 2;
      database.prepare('DELETE FROM audit WHERE chain = ? AND seq > ?').run(chain ?? null, keep);
      database.prepare('DELETE FROM heads WHERE chain = ? AND size > ?').run(chain ?? null, keep);
      const { hash } =
        database.prepare('SELECT hash FROM audit WHERE chain = ? AND seq = ?').get(chain ?? null, keep) ?? {};
      database
        .prepare('UPDATE chains SET size = ?, hash = ? WHERE chain = ?')
        .run(keep, hash ?? '', chain ?? null);
    }
  } finally {
    database.close();
  }
}

const copy = (victim: Victim) => `${victim.places.loot[0]}/older.db`;

function keepCopy(victim: Victim): void {
  const database = new DatabaseSync(store(victim));
  database.exec(`VACUUM INTO '${copy(victim)}'`);
  database.close();
}

export const ledgerAttacks: readonly Attack[] = [
  quick(
    running('rm ledger.db and its companions', (victim) => {
      for (const file of storeFiles(victim)) rmSync(file);
    }),
  ),
  running('rm ledger.db alone', (victim) => unlinkSync(store(victim))),
  running('mv an older copy over it', (victim) => renameSync(copy(victim), store(victim)), keepCopy),
  running(
    'cp an older copy over it',
    (victim) => {
      copyFileSync(copy(victim), store(victim));
      for (const file of storeFiles(victim)) if (file.endsWith('-wal')) truncateSync(file, 0);
    },
    keepCopy,
  ),
  running('move it away', (victim) => renameSync(store(victim), `${store(victim)}.gone`)),
  running('delete the newest rows', cutTail),
  stopped('rm ledger.db and its companions', (victim) => {
    for (const file of storeFiles(victim)) rmSync(file);
  }),
  stopped(
    'roll back to an older copy',
    (victim) => {
      for (const file of storeFiles(victim)) rmSync(file);
      renameSync(copy(victim), store(victim));
    },
    keepCopy,
  ),
  stopped('delete the newest rows', cutTail),
  stopped('truncate it to nothing', (victim) => {
    for (const file of storeFiles(victim))
      if (existsSync(file) && statSync(file).isFile()) truncateSync(file, 0);
  }),
];
