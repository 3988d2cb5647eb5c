// Debian's Chromium, without a screen: what a page has become once it is open.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ended } from './cli.ts';
import { temporaryFolder } from './ledger.ts';

const program = '/usr/bin/chromium';

/** Why no page can be opened here; null where one can. */
export const browserMissing: string | null = existsSync(program)
  ? null
  : "pages are opened by Debian's Chromium, which is not installed";
if (browserMissing !== null) process.stderr.write(`Skipped: ${browserMissing}.\n`);

/** Opens a file; gives the document as the browser understood it, and what it complained of. */
export async function openPage(
  file: string,
): Promise<{ readonly dom: string; readonly errors: readonly string[] }> {
  const profile = join(temporaryFolder(), 'profile');
  const { status, stdout, stderr } = await ended(
    spawn(
      program,
      [
        ...['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--enable-logging=stderr'],
        ...[`--user-data-dir=${profile}`, '--dump-dom', pathToFileURL(file).href],
      ],
      { timeout: 55_000, env: { PATH: process.env['PATH'], HOME: profile } },
    ),
  );
  if (status !== 0) throw new Error(`the browser ended with ${status}: ${stderr.slice(-500)}`);
  return { dom: stdout, errors: stderr.split('\n').filter((line) => line.includes(':CONSOLE')) };
}
