// Whether the transactional shell works on this machine.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Overlay } from '../../src/run/shell/overlay.ts';
import { sandboxMissing } from './command.ts';

/** Why no command can run on an overlay here; null where it can. */
export const overlayMissing = sandboxMissing ?? (await missing());
if (overlayMissing !== null) process.stderr.write(`Skipped: tests on overlays: ${overlayMissing}.\n`);

async function missing(): Promise<string | null> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-overlay-'));
  try {
    const lower = join(folder, 'lower');
    mkdirSync(lower);
    const overlay = new Overlay(folder, [lower]);
    const found = await overlay.problem();
    overlay.remove();
    return found?.problem ?? null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
