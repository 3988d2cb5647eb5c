// Calls the real command line in a process of its own, with a home of its own.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { cliEntry } from './bundle.ts';
import { temporaryFolder } from './ledger.ts';

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Place {
  readonly home: string;
  readonly workspace: string;
}

/** A home and a workspace that are gone when the test is over. */
export function newPlace(): Place {
  const folder = temporaryFolder();
  const place = { home: join(folder, 'home'), workspace: join(folder, 'workspace') };
  mkdirSync(place.workspace);
  return place;
}

export interface CliOptions {
  readonly input?: string | Uint8Array;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Words to put before the command, such as a wrapper program. */
  readonly wrapper?: readonly string[];
}

/** Starts `sallyport …`; the process is ended with the test if it still runs. */
export function startCli(place: Place, args: readonly string[], options: CliOptions = {}): ChildProcess {
  const [program = '', ...rest] = [...(options.wrapper ?? []), process.execPath, cliEntry(), ...args];
  const child = spawn(program, rest, {
    cwd: place.workspace,
    env: {
      PATH: process.env['PATH'],
      HOME: place.home,
      SALLYPORT_HOME: place.home,
      ...options.environment,
    },
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  });
  child.stdin?.on('error', () => undefined);
  return child;
}

/** Runs `sallyport …` to its end. */
export function cli(place: Place, args: readonly string[], options: CliOptions = {}): Promise<Ended> {
  const child = startCli(place, args, options);
  child.stdin?.end(options.input ?? '');
  return ended(child);
}

/** What a process printed, once it has ended. */
export function ended(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve, reject) => {
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });
}

/** The lines of a text as JSON. */
export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
