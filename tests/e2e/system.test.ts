// The boundary of a system daemon, in part; `npm run system` makes every attempt.

import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cliEntry } from '../support/bundle.ts';
import { jsonLines } from '../support/cli.ts';
import { machineMissing } from '../support/machine.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const missing = machineMissing(root);
if (missing !== null) process.stderr.write(`skipped: the boundary of a system daemon: ${missing}\n`);

describe.skipIf(missing !== null)('a daemon of another user', () => {
  it('refuses what one of the same user allows, and answers its agents', () => {
    const args = [join(root, 'tests/system/run.ts'), '--quick', '--json', '--program', cliEntry()];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    const rows = jsonLines(stdout);
    const attempts = rows.filter(({ kind }) => kind === 'attempt');
    const wrong = rows.filter(
      ({ system, control, holds }) =>
        holds === false || system === 'succeeded' || control === 'refused' || system === 'not run',
    );
    expect(wrong, stderr).toEqual([]);
    expect(attempts.length).toBeGreaterThan(10);
    expect(rows.length - attempts.length).toBeGreaterThan(10);
    expect(status).toBe(0);
  }, 300_000);
});
