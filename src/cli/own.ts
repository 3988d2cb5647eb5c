// Our own commands, called as a person would type them: each in a process of its own.

import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { SallyportError } from '../core/index.ts';

/** A command of ours did not end well. */
class CommandFailed extends SallyportError {}

export interface OwnCommand {
  /** The exit codes that it may end with; 0 alone unless given. */
  readonly good?: readonly number[];
  /** Where it is called; here unless given. */
  readonly folder?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** In a group of its own, which no key of the terminal stops. */
  readonly detached?: boolean;
}

const patienceMs = 60_000;
const mostOutput = 1_048_576;

/** Calls a command to its end and gives what it printed; throws `CommandFailed` with its own words. */
export function ownCommand(args: readonly string[], options: OwnCommand = {}): Promise<string> {
  const { good = [0], folder, environment = process.env, detached = false } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [realpathSync(process.argv[1] ?? ''), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: patienceMs,
      env: environment,
      detached,
      ...(folder === undefined ? {} : { cwd: folder }),
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
