// The processes that a host starts for a call. Monitoring them shows when a command of an agent ran, and so which
// changes are not its work.

import { readdirSync, readFileSync } from 'node:fs';

/** The result of a scan: a process of the call is running, none is, or the host itself has exited. */
export type Liveness = 'busy' | 'quiet' | 'gone';

/** Maximum age of a shell that was started to call our client through another script, in seconds. */
const youngShell = 3;
/** How many levels of shells between the client and its host are skipped. */
const mostShells = 4;
/** The most processes of a host that are counted. */
const mostProcesses = 512;

interface Process {
  readonly id: number;
  readonly parent: number;
  readonly name: string;
  /** When it started, in clock ticks of the system. */
  readonly born: number;
  /** Its session id: it stays the same when its parent has exited. */
  readonly session: number;
}

export class CallProcesses {
  readonly #host: Process;
  readonly #before: ReadonlySet<number>;
  readonly #clients: string;
  /** The processes of the call that were seen, with their start times. */
  readonly #seen = new Map<number, number>();
  /** Sessions that the processes of the call created. */
  readonly #sessions = new Set<number>();
  /** Those that had no command line at the last scan. */
  #wordless: ReadonlySet<number> = new Set();

  private constructor(host: Process, clients: string) {
    this.#host = host;
    this.#clients = clients;
    this.#before = new Set(descendants(host.id, () => false));
  }

  /**
   * The processes of the host that called our client from this process; null if the system does not show them.
   * `clients`: the folder of our clients, which hosts start for every hook; `youngest`: a shell of at most so many
   * seconds belongs to the hook.
   */
  static calledFrom(id: number, clients: string, youngest = youngShell): CallProcesses | null {
    let host = processOf(id);
    const isHooks = (one: Process) => isHookShell(one, clients, youngest);
    for (let count = 0; host !== null && count < mostShells && isHooks(host); count++) {
      host = processOf(host.parent);
    }
    return host === null || host.id <= 1 ? null : new CallProcesses(host, clients);
  }

  look(): Liveness {
    if (processOf(this.#host.id)?.born !== this.#host.born) return 'gone';
    const host = textAt(`/proc/${this.#host.id}/cmdline`);
    const wordless = new Set<number>();
    const started: number[] = [];
    const isClient = (id: number) => {
      if (this.#before.has(id)) return false;
      const words = textAt(`/proc/${id}/cmdline`);
      if (words === null || words.includes(this.#clients)) return true;
      // A forked copy of the host has not called exec yet, and a process without a command line is just calling it:
      // each may become a client. Without a command line in two scans, it hides it.
      if (words === '' && !this.#wordless.has(id)) wordless.add(id);
      else if (words !== host) started.push(id);
      return false;
    };
    descendants(this.#host.id, isClient);
    this.#wordless = wordless;
    for (const id of started) this.#remember(processOf(id));
    return started.length > 0 ? 'busy' : 'quiet';
  }

  #remember(process: Process | null): void {
    if (process === null) return;
    this.#seen.set(process.id, process.born);
    if (process.session !== this.#host.session) this.#sessions.add(process.session);
  }

  /** The ids of the call's processes that are still running, including orphaned ones. */
  survivors(): readonly number[] {
    this.look();
    if (this.#seen.size === 0) return [];
    return everyProcess()
      .filter(({ id, born, session }) => this.#seen.get(id) === born || this.#sessions.has(session))
      .map(({ id }) => id);
  }
}

/** The running processes of the machine, by id. */
function everyProcess(): readonly Process[] {
  try {
    return readdirSync('/proc').flatMap((name) =>
      /^\d+$/.test(name) ? (processOf(Number(name)) ?? []) : [],
    );
  } catch {
    return [];
  }
}

/**
 * A shell that a host started only for a hook: it names our client, or it is recent, which is unreliable on a busy
 * machine.
 */
function isHookShell({ id, name, born }: Process, clients: string, youngest: number): boolean {
  if (!/^(?:sh|dash|bash|zsh|ash|ksh)$/.test(name)) return false;
  if (textAt(`/proc/${id}/cmdline`)?.includes(clients) === true) return true;
  const uptime = Number(textAt('/proc/uptime')?.split(' ')[0] ?? '0');
  return uptime - born / ticks < youngest;
}

/** Clock ticks per second: the same on every Linux that runs Node. */
const ticks = 100;

function processOf(id: number): Process | null {
  const stat = textAt(`/proc/${id}/stat`);
  if (stat === null) return null;
  const end = stat.lastIndexOf(')');
  const fields = stat.slice(end + 2).split(' ');
  // A zombie process does not count.
  if (fields[0] === 'Z' || fields[0] === 'X') return null;
  return {
    id,
    parent: Number(fields[1]),
    name: stat.slice(stat.indexOf('(') + 1, end),
    born: Number(fields[19]),
    session: Number(fields[3]),
  };
}

/** All running descendants of a process, without some of them and their descendants. */
function descendants(id: number, isLeftOut: (id: number) => boolean): readonly number[] {
  const found: number[] = [];
  const open = [id];
  for (let next = open.pop(); next !== undefined && found.length < mostProcesses; next = open.pop()) {
    const children = childrenOf(next).filter((child) => processOf(child) !== null && !isLeftOut(child));
    found.push(...children);
    open.push(...children);
  }
  return found;
}

function childrenOf(id: number): readonly number[] {
  try {
    return readdirSync(`/proc/${id}/task`).flatMap((thread) =>
      (textAt(`/proc/${id}/task/${thread}/children`) ?? '')
        .split(' ')
        .flatMap((word) => (word === '' ? [] : [Number(word)])),
    );
  } catch {
    return [];
  }
}

function textAt(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
