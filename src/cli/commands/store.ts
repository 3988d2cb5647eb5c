// sallyport store: maintenance of the store of records, and moving it elsewhere.

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type LedgerConfig, prepareHome, readApprover } from '../../config/index.ts';
import {
  type ExitCode,
  exitCodes,
  type MaybePromise,
  SallyportError,
  UsageError,
  visible,
} from '../../core/index.ts';
import { backUp } from '../../ledger/backup.ts';
import { NotEmpty } from '../../ledger/copy-checks.ts';
import {
  type HeadPinOptions,
  type Ledger,
  operatorKeyFrom,
  operatorKeyIn,
  type Verification,
} from '../../ledger/index.ts';
import {
  csvHeader,
  csvLine,
  type Erased,
  erasePerson,
  exportEntries,
  retain,
  sizeOf,
  tidy,
} from '../../ledger/maintenance.ts';
import { type Moved, moveStore } from '../../ledger/migrate-engine.ts';
import { headPinOf, openLedger } from '../../ledger/open.ts';
import { HeadFile, type PinnedHead } from '../../ledger/pinned-head.ts';
import { restoreStore } from '../../ledger/restore.ts';
import { schemaVersion } from '../../ledger/schema.ts';
import { type Store, StoreError } from '../../ledger/store.ts';
import { AlreadyRunning, lockHome } from '../../surfaces/http/lock.ts';
import { type Call, type Command, onlyWords, timeOption, wholeNumber } from '../command.ts';
import { localAsker, type Opened, openConfig } from '../open.ts';
import { Cancelled, confirm } from '../terminal.ts';
import { type Recorder, unlockHere } from '../unlock.ts';

/** The daemon of this home runs, and would be pulled the store from under its feet. */
export class DaemonRuns extends SallyportError {}

/** A store that is larger than this is worth a word. */
const largeBytes = 1024 ** 3;
/** How long one statement of housekeeping may take on a database server, in milliseconds. */
const patience = 3_600_000;
const longestRetention = 36_500;

export const command: Command = {
  usage: [
    'store check',
    'store migrate',
    'store export [--format jsonl|csv] [--since TIME] [--until TIME] [--tenant T]',
    'store erase --user NAME [--tenant T]',
    'store retain --days N',
    'store backup FILE',
    'store restore FILE [--force]',
    'store accept-loss',
    'store move --to postgres://… | sqlite [--to-key-env VARIABLE] [--force]',
    'store tidy [--force]',
    'store rotate-key',
  ],
  about:
    'check prints the size and state of the store, migrate updates its tables. export prints all entries with their proofs. erase\n' +
    'removes the data of a person, retain the contents older than N days; the log stays verifiable. backup copies an embedded\n' +
    'store in use, restore puts a copy back. accept-loss continues with a store that was removed, replaced or truncated. move\n' +
    'copies everything to an empty store of the other kind. tidy reclaims disk space. rotate-key replaces the signing key.\n' +
    'Commands that erase, rotate, restore or accept a loss ask for the passphrase.',
  examples: ['store check', 'store backup ledger-copy.db', 'store export --format csv --since 8h'],
  options: {
    format: { value: 'FORMAT', help: 'jsonl (default) or csv' },
    since: { value: 'TIME', help: 'from this time on: 2026-11-15 or 2026-11-15T10:00:00Z' },
    until: { value: 'TIME', help: 'before this time' },
    tenant: { value: 'TENANT', help: 'only this tenant' },
    user: { value: 'NAME', help: 'who is erased' },
    days: { value: 'N', help: 'days to keep the content of entries' },
    to: { value: 'STORE', help: 'an empty store: postgres://user:password@host/database, or sqlite' },
    'to-key-env': {
      value: 'VARIABLE',
      help: 'environment variable with a new store key (64 hexadecimal digits)',
    },
    force: { help: 'restore: lose entries; move: with problems; tidy: while the daemon runs' },
  },
  async run(call) {
    const [verb = ''] = call.words;
    const act = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
    if (act === undefined) {
      throw new UsageError(
        verb === '' ? 'say what to do with the store' : `unknown word "${verb}"`,
        "see 'sallyport store --help'",
      );
    }
    return await act(call);
  },
};

const verbs: Readonly<Record<string, (call: Call) => Promise<ExitCode>>> = {
  check,
  migrate,
  export: handOut,
  erase,
  retain: keepDays,
  backup,
  restore,
  'accept-loss': acceptLoss,
  move,
  tidy: tidyUp,
  'rotate-key': rotateKey,
};

async function check(call: Call): Promise<ExitCode> {
  onlyWords(call, ['check']);
  const size = await withStore(call, ({ store }) => sizeOf(store), 'show');
  const large = size.bytes > largeBytes;
  if (call.flag('json')) {
    call.io.json({ ...size, warnings: large ? ['large'] : [] });
    return exitCodes.pass;
  }
  const day = (time: number | null) => (time === null ? '-' : new Date(time).toISOString());
  const erased = size.erased === 0 ? '' : `, ${size.erased} of them erased`;
  const rows = [
    ['engine', size.engine],
    ['place', visible(size.place)],
    ['schema', String(size.schema)],
    ['entries', `${size.entries}${erased}`],
    ['chains', String(size.chains)],
    ['heads', String(size.heads)],
    ['bytes', String(size.bytes)],
    ['oldest', day(size.oldest)],
    ['newest', day(size.newest)],
  ];
  for (const [name = '', value] of rows) call.io.print(`${name.padEnd(8)} ${value}`);
  if (large) {
    call.io.warn("The store is larger than 1 GiB. 'sallyport store retain' and then 'tidy' make it smaller.");
  }
  return exitCodes.pass;
}

async function migrate(call: Call): Promise<ExitCode> {
  onlyWords(call, ['migrate']);
  // Opening it is what brings it up to date.
  const { engine, schema } = await withStore(call, ({ store }) => sizeOf(store));
  if (call.flag('json')) call.io.json({ engine, schema, known: schemaVersion });
  else call.io.print(`The ${engine} store has schema ${schema}, the newest that this Sallyport knows.`);
  return exitCodes.pass;
}

async function handOut(call: Call): Promise<ExitCode> {
  onlyWords(call, ['export']);
  const format = call.value('format') ?? 'jsonl';
  if (format !== 'jsonl' && format !== 'csv') throw new UsageError('--format is jsonl or csv');
  const since = timeOption(call, 'since');
  const until = timeOption(call, 'until');
  const tenant = call.value('tenant');
  const filter = {
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(tenant === undefined ? {} : { tenant }),
  };
  await withStore(
    call,
    async ({ store }) => {
      // A line of CSV ends in CR LF; printing adds the LF.
      if (format === 'csv') call.io.print(`${csvHeader}\r`);
      await exportEntries(store, filter, async (page) => {
        const lines = page.map((entry) => (format === 'csv' ? `${csvLine(entry)}\r` : JSON.stringify(entry)));
        call.io.print(lines.join('\n'));
        // A slow reader is waited for, or all of the log would wait for it in memory.
        if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
      });
    },
    'show',
  );
  return exitCodes.pass;
}

async function erase(call: Call): Promise<ExitCode> {
  onlyWords(call, ['erase']);
  const user = call.value('user');
  const tenant = call.value('tenant');
  if (user === undefined || user === '') throw new UsageError('--user is missing: who is to be erased?');
  await askPassphrase(call);
  const erased = await withStore(call, (ledger, { world }) => {
    const person = { user, ...(tenant === undefined ? {} : { tenant }) };
    return erasePerson(ledger, person, localAsker(), world.now(), counting(call, 'erased'));
  });
  return sayErased(call, erased);
}

async function keepDays(call: Call): Promise<ExitCode> {
  onlyWords(call, ['retain']);
  const days = wholeNumber(call, 'days', 1, longestRetention);
  if (days === undefined) throw new UsageError('--days is missing: how long is content kept?');
  await askPassphrase(call);
  const erased = await withStore(call, (ledger, { world }) =>
    retain(ledger, days, localAsker(), world.now(), counting(call, 'erased')),
  );
  return sayErased(call, erased);
}

function sayErased(call: Call, erased: Erased): ExitCode {
  call.io.progress('');
  if (call.flag('json')) {
    call.io.json(erased);
    return exitCodes.pass;
  }
  const { settled, ...counts } = erased;
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  if (parts.length === 0) call.io.print('There was nothing to erase.');
  else call.io.print(`Erased: ${parts.map(([what, count]) => `${count} ${what}`).join(', ')}.`);
  if (parts.length > 0 && !settled) {
    call.io.print("Old bytes may lie in the store's files until 'sallyport store tidy'.");
  }
  return exitCodes.pass;
}

async function backup(call: Call): Promise<ExitCode> {
  const [, name] = onlyWords(call, ['backup', 'FILE']);
  const file = resolve(call.io.folder(), name);
  const done = await withStore(
    call,
    (ledger, { config }) => {
      refuseServer(config.ledger, 'pg_dump --format=custom --file=FILE "$STORE"');
      return backUp(ledger.store, file, () => ledger.publicKeys(), counting(call, 'verified'));
    },
    'show',
  );
  call.io.progress('');
  if (call.flag('json')) call.io.json({ ...done, clean: done.verification.problems.length === 0 });
  else {
    call.io.print(`Backed up: ${visible(done.file)}, ${done.bytes} bytes.`);
    call.io.print(
      'It holds the records and, wrapped, their keys; keys/ledger.key in the home opens them. Keep a copy of that apart.',
    );
  }
  return sayVerified(call, done.verification);
}

async function restore(call: Call): Promise<ExitCode> {
  const [, name] = onlyWords(call, ['restore', 'FILE']);
  const opened = await openConfig(call);
  const { home, paths, config, world } = opened;
  refuseServer(config.ledger, 'pg_restore --clean --if-exists --dbname="$STORE" FILE');
  prepareHome(home);
  const release = holdHome(opened);
  try {
    await askPassphrase(call);
    const done = await restoreStore({
      file: resolve(call.io.folder(), name),
      into: paths.ledger,
      operatorKey: operatorKeyOf(opened),
      now: world.now(),
      kept: pinnedHead(opened),
      force: call.flag('force'),
      progress: counting(call, 'verified'),
    });
    call.io.progress('');
    // The passphrase was given, and what is lost is known: the chain goes on from here.
    await (await openLedger(home, config.ledger, { acceptedBy: whoAccepts() })).close();
    if (call.flag('json')) call.io.json({ ...done, clean: done.verification.problems.length === 0 });
    else {
      call.io.print(`Restored: ${visible(paths.ledger)}.`);
      if (done.kept !== null) call.io.print(`The previous store is saved as ${visible(done.kept)}.`);
      if (done.lost > 0) call.io.print(`Entries that it has and the backup has not: ${done.lost}.`);
    }
    if (done.erasuresUndone > 0) {
      call.io.warn('Content was erased since the backup and is back now: erase it again.');
    }
    return sayVerified(call, done.verification);
  } finally {
    release();
  }
}

/** Goes on with what is left of a store; only for a person who knows why it is less than it was. */
async function acceptLoss(call: Call): Promise<ExitCode> {
  onlyWords(call, ['accept-loss']);
  const opened = await openConfig(call);
  prepareHome(opened.home);
  const release = holdHome(opened);
  try {
    await askPerson(call, 'Go on with the ledger as it is, and record that entries are lost?');
    const ledger = await openLedger(opened.home, opened.config.ledger, { acceptedBy: whoAccepts() });
    const { accepted } = ledger;
    await ledger.close();
    if (call.flag('json')) call.io.json({ accepted: accepted?.message ?? null });
    else if (accepted === null)
      call.io.print('Nothing is lost: the ledger holds all that this home knows of.');
    else call.io.print(`Recorded as chain_restarted. ${visible(accepted.message)}.`);
    return exitCodes.pass;
  } finally {
    release();
  }
}

function whoAccepts(): { readonly user: string; readonly tenant: string } {
  const { user, tenant } = localAsker();
  return { user, tenant };
}

/** The newest entry that this home knows of. */
function pinnedHead(opened: Opened): PinnedHead | undefined {
  const { file, place } = headPinOf(opened.home, opened.config.ledger);
  const { heads } = new HeadFile(file).read();
  return heads.find((head) => head.place === place);
}

async function move(call: Call): Promise<ExitCode> {
  onlyWords(call, ['move']);
  const to = call.value('to');
  if (to === undefined || !/^(?:sqlite$|postgres(?:ql)?:\/\/.)/.test(to)) {
    throw new UsageError('--to is missing: postgres://user:password@host/database, or sqlite');
  }
  const variable = call.value('to-key-env');
  const newKey = variable === undefined ? undefined : call.io.environment[variable];
  if (variable !== undefined && newKey === undefined) {
    throw new UsageError(`--to-key-env: the environment variable ${variable} is not set`);
  }
  const toKey = newKey === undefined ? undefined : operatorKeyFrom(newKey);
  const opened = await openConfig(call);
  const { home, config, world } = opened;
  if (to === 'sqlite' && config.ledger.postgres === null) {
    throw new UsageError('the store is the embedded one already');
  }
  prepareHome(home);
  const release = holdHome(opened);
  try {
    const source = await openLedger(home, { ...config.ledger, statementTimeoutMs: patience });
    let target: Store | undefined;
    try {
      target = await openTarget(to, opened);
      const fromKey = operatorKeyOf(opened);
      const moved = await moveStore(source.store, target, {
        fromKey,
        toKey: toKey ?? fromKey,
        now: world.now(),
        force: call.flag('force'),
        progress: (what, count) => call.io.progress(`${what}: ${count} …`),
      });
      call.io.progress('');
      sayMoved(call, opened, to === 'sqlite' ? to : target.place, moved);
      return sayVerified(call, moved.verification);
    } finally {
      await target?.close();
      await source.close();
    }
  } finally {
    release();
  }
}

function sayMoved(call: Call, { paths }: Opened, to: string, moved: Moved): void {
  const { io } = call;
  if (call.flag('json')) {
    io.json({ to, ...moved, clean: moved.verification.problems.length === 0 });
    return;
  }
  const rows = Object.values(moved.rows).reduce((sum, count) => sum + count, 0);
  const variable = call.value('to-key-env');
  io.print(`Moved: ${rows} rows, ${moved.rows['audit'] ?? 0} of them entries, to ${visible(to)}.

Put this into ${visible(paths.config)}, the first line above all sections:

store = ${JSON.stringify(to)}`);
  if (variable !== undefined) io.print(`\n[ledger]\nkey = "env:${variable}"`);
  if (to.includes('…')) {
    io.print(`\nWrite the password in place of …; "\${NAME}" takes it from the environment.`);
  }
  io.print(
    '\nThe store it came from is as it was. Use only one of them: an approval in both would count twice.',
  );
}

async function openTarget(to: string, { config, paths }: Opened): Promise<Store> {
  if (to === 'sqlite') {
    const { SqliteStore } = await import('../../ledger/sqlite.ts');
    return await SqliteStore.open(paths.ledger);
  }
  if (to === config.ledger.postgres) throw new NotEmpty('the store is there already');
  const { PostgresStore } = await import('../../ledger/postgres.ts');
  const { ca } = config.ledger;
  return await PostgresStore.open({
    url: to,
    poolSize: 2,
    statementTimeoutMs: patience,
    ...(ca === '' ? {} : { ca }),
  });
}

async function tidyUp(call: Call): Promise<ExitCode> {
  onlyWords(call, ['tidy']);
  const opened = await openConfig(call);
  prepareHome(opened.home);
  let release = () => {};
  let whole = true;
  try {
    release = holdHome(opened);
  } catch (error) {
    if (!(error instanceof DaemonRuns)) throw error;
    // Rewriting the file keeps the daemon from recording, and what it cannot record it refuses.
    whole = call.flag('force') || opened.config.ledger.postgres !== null;
  }
  try {
    const { before, after, settled } = await withStore(call, async ({ store }) => {
      const { bytes } = await sizeOf(store);
      const done = await tidy(store, whole);
      return { before: bytes, after: (await sizeOf(store)).bytes, ...done };
    });
    if (call.flag('json')) call.io.json({ before, after, whole, settled });
    else {
      call.io.print(`Tidied: ${before} bytes before, ${after} after.`);
      if (!whole)
        call.io.print('The daemon runs, so the file was not rewritten; use --force to do it anyway.');
      if (!settled) call.io.print('A reader still uses the write-ahead log; tidy again later.');
    }
    return exitCodes.pass;
  } finally {
    release();
  }
}

async function rotateKey(call: Call): Promise<ExitCode> {
  onlyWords(call, ['rotate-key']);
  await askPassphrase(call);
  const { user, tenant } = localAsker();
  const key = await withStore(call, (ledger, { world }) => ledger.rotateKey({ user, tenant }, world.now()));
  if (call.flag('json')) call.io.json({ key });
  else call.io.print(`The log is signed with the new key ${key} from now on. See 'sallyport log keys'.`);
  return exitCodes.pass;
}

/** Opens the store that the configuration names, and no other, and closes it whatever happens. */
async function withStore<T>(
  call: Call,
  work: (ledger: Ledger, opened: Opened) => MaybePromise<T>,
  loss: HeadPinOptions['loss'] = 'refuse',
): Promise<T> {
  const opened = await openConfig(call);
  const slow = { ...opened.config.ledger, statementTimeoutMs: patience };
  const ledger = await openLedger(opened.home, slow, loss);
  try {
    return await work(ledger, opened);
  } finally {
    await ledger.close();
  }
}

/** Asks for the passphrase, if somebody chose one. */
async function askPassphrase(call: Call): Promise<void> {
  const opened = await openConfig(call);
  if (readApprover(opened.home) === null) return;
  const command = `store ${call.words[0] ?? ''}`.trim();
  (await unlockHere(call, command, recorderFor(call, opened))).forget();
}

/** Writes into the store, where there is one that can be written: one that is lost or replaced takes no entry. */
function recorderFor(call: Call, { paths, config }: Opened): Recorder {
  return async (write) => {
    if (config.ledger.postgres === null && !existsSync(paths.ledger)) return;
    try {
      await withStore(call, write);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      call.io.warn(`sallyport: this use of the passphrase is not on record (${error.message})`);
    }
  };
}

/** Asks for the passphrase; where nobody chose one, for a yes at the terminal. */
async function askPerson(call: Call, question: string): Promise<void> {
  if (readApprover((await openConfig(call)).home) !== null) await askPassphrase(call);
  else if (!(await confirm(question))) throw new Cancelled('nothing was changed');
}

/** Holds the lock that a daemon of this home holds while it runs; throws `DaemonRuns` if one does. */
function holdHome({ paths }: Opened): () => void {
  try {
    return lockHome(paths.lock);
  } catch (error) {
    if (!(error instanceof AlreadyRunning)) throw error;
    throw new DaemonRuns('the daemon runs, and uses the store', {
      hint: "stop it before: 'sallyport down'",
      cause: error,
    });
  }
}

function operatorKeyOf({ config, paths }: Opened): Uint8Array {
  return config.ledger.key === '' ? operatorKeyIn(paths.keys) : operatorKeyFrom(config.ledger.key);
}

/** What belongs to the database server is left to its own tools. */
function refuseServer({ postgres }: LedgerConfig, instead: string): void {
  if (postgres === null) return;
  throw new UsageError('the store is a PostgreSQL database: use its own tools for this', instead);
}

function counting(call: Call, what: string): (count: number) => void {
  return (count) => call.io.progress(`${count} entries ${what} …`);
}

/** Says what verifying found, and gives the exit code for it. */
function sayVerified(call: Call, { entries, heads, problems }: Verification): ExitCode {
  if (!call.flag('json')) {
    for (const { chain, seq, problem } of problems) {
      call.io.print(`entry ${seq} of chain ${chain}: ${problem}`);
    }
    call.io.print(
      problems.length === 0
        ? `${call.io.paint('green', 'clean')}: ${entries} entries, ${heads} signed heads`
        : `${call.io.paint('red', 'damaged')}: ${problems.length} found`,
    );
  }
  return problems.length === 0 ? exitCodes.pass : exitCodes.failed;
}
