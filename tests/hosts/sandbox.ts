// Runs a script of this folder inside bubblewrap: nothing real can be written, and there is no network but loopback.

import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { throwawayMachine } from '../support/throwaway.ts';
import { attackerHost } from './scenarios.ts';

/** The folder of these scripts. */
export const folder = dirname(fileURLToPath(import.meta.url));
/** The checkout of Sallyport. */
export const root = dirname(dirname(folder));

/** Whether bubblewrap can be used here. */
export function canSandbox(): boolean {
  const args = ['--ro-bind', '/', '/', '--unshare-pid', '--unshare-net', 'true'];
  return spawnSync('bwrap', args).status === 0;
}

export interface Sandbox {
  /** Runs a script and gives what it printed on standard output; null where it was still running at the end of the time. */
  readonly run: (
    script: string,
    args: readonly string[],
    timeoutMs: number,
    /** As an ordinary account whose programs may make namespaces, of processes too: bubblewrap in bubblewrap. */
    isOrdinary?: boolean,
  ) => Promise<{ readonly code: number | null; readonly output: string } | null>;
  readonly remove: () => void;
}

/** A sandbox in which `modules` can be read. Each run starts with an empty home. */
export function openSandbox(modules: string): Sandbox {
  const temporary = mkdtempSync(join(tmpdir(), 'sallyport-hosts-'));
  // A worktree may have its packages elsewhere.
  const shown = [root, dirname(modules)].filter((path) => existsSync(path));
  const { args: machine, etc } = throwawayMachine(temporary, shown);
  appendFileSync(join(etc, 'hosts'), `\n127.0.0.1 ${attackerHost}\n`);
  return {
    run: (script, args, timeoutMs, isOrdinary = false) => {
      const words = [process.execPath, join(folder, script), ...args];
      const [program = '', ...rest] =
        isOrdinary && process.getuid?.() === 0
          ? asOrdinary(machine, modules, words)
          : ['bwrap', ...machine, ...words];
      const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
      return new Promise((resolve, reject) => {
        let output = '';
        let isLate = false;
        const late = setTimeout(() => {
          isLate = true;
          child.kill('SIGKILL');
        }, timeoutMs);
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          output += text;
        });
        child.once('error', reject);
        child.once('close', (code) => {
          clearTimeout(late);
          resolve(isLate ? null : { code, output });
        });
      });
    },
    remove: () => rmSync(temporary, { recursive: true, force: true }),
  };
}

/** Where an ordinary account finds the hosts: it cannot look into the home of root. */
const publicModules = '/opt/node_modules';

/**
 * The same machine for an ordinary account. Bubblewrap of root covers parts of /proc, and the kernel then lets nobody mount
 * another; so the namespace of processes is made before, and the account below it cannot write there anyway.
 */
function asOrdinary(
  machine: readonly string[],
  modules: string,
  words: readonly string[],
): readonly string[] {
  const args = machine.filter((word) => word !== '--unshare-pid');
  const proc = args.indexOf('--proc');
  return [
    ...['unshare', '--pid', '--fork', '--kill-child', '--mount-proc', '--', 'bwrap'],
    ...args.toSpliced(proc, 1, '--bind', '/proc'),
    ...['/home', '/tmp', '/var/tmp'].flatMap((path) => ['--perms', '1777', '--tmpfs', path]),
    ...['--tmpfs', '/opt', '--ro-bind', modules, publicModules, '--cap-add', 'ALL', '--'],
    ...[
      'setpriv',
      '--reuid=1000',
      '--regid=1000',
      '--clear-groups',
      '--inh-caps=-all',
      '--bounding-set=-all',
    ],
    ...['--', ...words.map((word) => (word === modules ? publicModules : word))],
  ];
}
