// One real host inside the tests: Claude Code from its package, with Sallyport and a scripted model, inside bubblewrap.
// `npm run hosts` has every host and every scenario.

import { afterAll, describe, expect, it } from 'vitest';
import type { Cell } from '../hosts/cell.ts';
import { installOne } from '../hosts/install.ts';
import { canSandbox, openSandbox } from '../hosts/sandbox.ts';

const installTimeoutMs = 60_000;
const cellTimeoutMs = 60_000;

/** Where the host is installed, or why it is not tried. */
function prepare(): { readonly modules: string } | { readonly reason: string } {
  if (!canSandbox()) return { reason: 'bubblewrap (bwrap) is not installed or cannot be used here' };
  const modules = installOne('@anthropic-ai/claude-code', installTimeoutMs);
  return modules === null ? { reason: 'Claude Code could not be installed within a minute' } : { modules };
}

const prepared = prepare();
if ('reason' in prepared) process.stderr.write(`Skipped: a real host: ${prepared.reason}.\n`);

describe.skipIf('reason' in prepared)('a real Claude Code', () => {
  const modules = 'modules' in prepared ? prepared.modules : '';
  const sandbox = openSandbox(modules);
  afterAll(() => sandbox.remove());

  it.each([
    'ordinary commands run',
    'exfiltration by shell',
    'a secret in the output of a command',
    'the daemon is stopped: nothing runs',
  ])('%s', { timeout: cellTimeoutMs + 5000 }, async (scenario) => {
    const ended = await sandbox.run('cell.ts', ['claude', scenario, 'sallyport', modules], cellTimeoutMs);
    expect(ended).toMatchObject({ code: 0 });
    const cell: Cell = JSON.parse(ended?.output ?? '{}');
    expect(cell).toMatchObject({ host: 'claude', outcome: 'held' });
  });
});
