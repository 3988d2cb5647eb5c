// What goes wrong while the load runs: daemons, servers and programs that are killed, a store that restarts, a disk that is
// full, a provider that hangs, a clock that jumps.

import type { ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../metamorphic/random.ts';
import { type DaemonSeries, gone, startScript } from './daemon-series.ts';

export interface FaultTargets {
  readonly daemons: DaemonSeries;
  readonly random: Random;
  readonly clock: string;
  readonly mood: string;
  /** The file in which the program's process ids stand. */
  readonly programs: string;
  /** A small disk that the home is on; null where there is none. */
  readonly disk: string | null;
  /** The store's server; null where the store is a file. */
  readonly postgres: { restart(how: 'fast' | 'immediate' | 'kill'): Promise<void> } | null;
  /** The MCP server over HTTP. */
  server: ChildProcess;
  readonly serverArgs: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

export interface Fault {
  readonly name: string;
  /** Whether it ends a daemon, or keeps it from its work. */
  readonly ends: boolean;
  happen(targets: FaultTargets): Promise<boolean>;
}

/** Starts a daemon, again and again: what kept it from starting goes by. */
export async function startAgain(daemons: DaemonSeries): Promise<void> {
  for (let tries = 0; !(await daemons.start()); tries++) {
    if (tries === 20) throw new Error(`the daemon does not start: ${daemons.lastWords}`);
    await sleep(500);
  }
}

/** A daemon that ended by itself is told of, and replaced, so that the rest is still judged. */
export async function lookAfter(daemons: DaemonSeries): Promise<void> {
  if (!daemons.isUp) await startAgain(daemons);
}

const killDaemon: Fault = {
  name: 'daemon killed',
  ends: true,
  async happen({ daemons }) {
    await daemons.kill();
    await startAgain(daemons);
    return true;
  },
};

const killServer: Fault = {
  name: 'MCP server killed',
  ends: false,
  async happen(targets) {
    targets.server.kill('SIGKILL');
    await gone(targets.server);
    await sleep(500);
    targets.server = await startScript('upstream.ts', targets.serverArgs, targets.env);
    return true;
  },
};

const killProgram: Fault = {
  name: 'MCP program killed',
  ends: false,
  async happen({ programs }) {
    const file = `${programs}.pid`;
    const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').trim().split('\n').at(-1)) : 0;
    // INVARIANT: only what is still that program is killed; its number may be another's by now.
    if (pid === 0 || !existsSync(`/proc/${pid}/cmdline`)) return false;
    if (!readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(programs)) return false;
    process.kill(pid, 'SIGKILL');
    return true;
  },
};

const setClock: Fault = {
  name: 'clock set',
  ends: false,
  async happen({ clock, random }) {
    const hours = random.pick([-30, -2, -1 / 60, 1 / 60, 2, 30]);
    writeFileSync(clock, String(Math.round(hours * 3_600_000)));
    return true;
  },
};

const moody: Fault = {
  name: 'provider hung',
  ends: false,
  async happen({ mood, random }) {
    writeFileSync(mood, random.pick(['slow', 'hanging', 'hanging', 'broken']));
    await sleep(3000);
    writeFileSync(mood, 'well');
    return true;
  },
};

const fillDisk: Fault = {
  name: 'disk full',
  ends: true,
  async happen({ disk, daemons, random }) {
    if (disk === null) return false;
    const file = join(disk, 'filler');
    fill(file);
    try {
      await sleep(1500);
      if (random.chance(0.5)) {
        await daemons.kill();
        // A daemon that cannot write may refuse to start.
        await daemons.start();
      }
      await sleep(500);
    } finally {
      rmSync(file);
    }
    await lookAfter(daemons);
    return true;
  },
};

function fill(file: string): void {
  const handle = openSync(file, 'w');
  try {
    for (let size = 1 << 20; size >= 512; ) {
      try {
        if (writeSync(handle, Buffer.alloc(size)) < size) size >>= 1;
      } catch {
        size >>= 1;
      }
    }
  } finally {
    closeSync(handle);
  }
}

const restartPostgres: Fault = {
  name: 'PostgreSQL restarted',
  ends: true,
  async happen({ postgres, random }) {
    if (postgres === null) return false;
    await postgres.restart(random.pick(['fast', 'immediate', 'kill']));
    return true;
  },
};

/** Those that can happen to these targets. */
export function faultsFor({ disk, postgres }: Pick<FaultTargets, 'disk' | 'postgres'>): readonly Fault[] {
  return [
    killDaemon,
    killServer,
    setClock,
    killProgram,
    moody,
    ...(disk === null ? [] : [fillDisk]),
    ...(postgres === null ? [] : [restartPostgres]),
  ];
}
