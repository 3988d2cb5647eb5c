// What the console does about hosts, by the commands that a person would type: each in a process of its own.

import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HomePaths } from '../config/index.ts';
import { SallyportError } from '../core/index.ts';
import { choice, flag, list, object, readShape, text } from '../core/shape.ts';
import type { HostDesk } from '../surfaces/http/index.ts';
import { wiredHosts } from './hosts.ts';

/** A command that the console called did not end well. */
class CommandFailed extends SallyportError {}

const patienceMs = 60_000;
const mostOutput = 1_048_576;

const doctorShape = object({
  healthy: flag(),
  checks: list(object({ name: text(), state: choice(['ok', 'note', 'fail']), says: text() }), { max: 1000 }),
});

/** The desk of a home. */
export function hostDesk(paths: HomePaths): HostDesk {
  return {
    wired: () => wiredHosts(paths),
    examine: async () =>
      readShape(doctorShape, JSON.parse(await ownCommand(['doctor', '--json'], [0, 1]))).checks,
    wire: async (host) => {
      await ownCommand(['init', host, '--yes', '--json'], [0]);
    },
  };
}

/** The folder that holds this program. */
function programFolder(): string {
  return dirname(dirname(realpathSync(process.argv[1] ?? '')));
}

/** Where the page of the console is, once it is built. */
export function consoleFolder(): string {
  return join(programFolder(), 'dist', 'console');
}

function ownCommand(args: readonly string[], good: readonly number[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [realpathSync(process.argv[1] ?? ''), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: patienceMs,
    });
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (piece: string) => {
        said[name] = (said[name] + piece).slice(0, mostOutput);
      });
    }
    child.on('error', reject);
    child.on('close', (code) => {
      if (code !== null && good.includes(code)) resolve(said.stdout);
      else reject(new CommandFailed(messageIn(said.stdout) ?? `'sallyport ${args[0]}' ended with ${code}`));
    });
  });
}

function messageIn(stdout: string): string | undefined {
  try {
    const { error } = JSON.parse(stdout);
    return typeof error === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}
