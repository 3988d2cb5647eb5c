// Runs commands as the account of a system daemon: root starts the script that drops its rights.

import { type StdioOptions, spawn } from 'node:child_process';
import { type SystemDaemon, systemPlaces } from '../../config/index.ts';
import { SallyportError } from '../../core/index.ts';
import { passedOn } from './files.ts';

/** A command that ran as the daemon's account did not end well. */
class InsideFailed extends SallyportError {}

/** What a command printed that ran as the daemon's account; its complaints go to this terminal. */
export function outputInside(daemon: SystemDaemon, args: readonly string[]): Promise<string> {
  return new Promise((settle, reject) => {
    const child = startInside(daemon, args, ['ignore', 'pipe', 'inherit']);
    let said = '';
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      said += piece;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) settle(said);
      else reject(new InsideFailed(`'${args[0]}' failed as the user ${daemon.as}`));
    });
  });
}

/** Of the environment only what a terminal needs: root may have been given the rest by the account. */
export function terminalVariables(): Record<string, string> {
  return Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function startInside({ user, node, program }: SystemDaemon, args: readonly string[], stdio: StdioOptions) {
  return spawn(systemPlaces(user).enter, [node, program, ...args], { stdio, env: terminalVariables() });
}

/** Runs a command as the daemon's account, with this terminal; gives its exit code. */
export function runInside(daemon: SystemDaemon, args: readonly string[]): Promise<number> {
  return new Promise((settle, reject) => {
    const child = startInside(daemon, args, 'inherit');
    // The terminal tells both; the command decides what it means.
    const leave = () => undefined;
    process.on('SIGINT', leave);
    child.once('error', reject);
    child.once('close', (code) => {
      process.off('SIGINT', leave);
      settle(code ?? 1);
    });
  });
}
