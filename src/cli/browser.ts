// Opens a page in the browser of the person at this machine.

import { spawn } from 'node:child_process';
import { isProgram } from './hosts.ts';
import type { Io } from './io.ts';

const openers = ['/usr/bin/xdg-open', '/usr/bin/open'];

/** Starts the browser that BROWSER names, or that of the desktop; false where there is none. */
export function openInBrowser(target: string, environment: Io['environment']): boolean {
  const own = environment['BROWSER'];
  const program = [...(own === undefined || own.includes('%') ? [] : [own]), ...openers].find(isProgram);
  if (program === undefined) return false;
  const child = spawn(program, [target], { stdio: 'ignore', detached: true });
  child.once('error', () => undefined);
  child.unref();
  return true;
}
