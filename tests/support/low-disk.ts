// Looks at a workspace with a snapshot store on a small disk, before and after most of that disk is taken, and records a
// change in between; prints what came of each look, and how much was begun and not ended.

import { readdirSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../src/core/index.ts';
import { atOnce, Snapshots } from '../../src/ledger/snapshots/index.ts';

const [disk = '', workspace = '', left = '0'] = process.argv.slice(2);
const cause = { action: 'shell', user: 'u', tenant: 't', agent: 'a', run: 'r', decisionId: 'd' } as const;
const store = join(disk, 'store');
const snapshots = new Snapshots({ store, workspace, personHome: '/home/nobody', now: Date.now });

function look() {
  let found: { readonly complete: boolean } | { readonly error: string; readonly message: string };
  try {
    const { id, complete } = atOnce(snapshots.before(cause));
    atOnce(snapshots.after(id));
    found = { complete };
  } catch (error) {
    found = { error: error instanceof Error ? error.name : '', message: messageOf(error) };
  }
  const files = readdirSync(store, { recursive: true, encoding: 'utf8' });
  return { ...found, begun: files.filter((name) => /\.pending$/.test(name)).length };
}

const first = look();
const running = 'error' in first ? null : atOnce(snapshots.before(cause)).id;
const { bavail, bsize } = statfsSync(disk);
writeFileSync(join(disk, 'ballast'), Buffer.alloc(Math.max(0, bavail * bsize - Number(left))));
writeFileSync(join(workspace, 'made'), 'while there was no room');
const recorded = running === null ? 0 : (atOnce(snapshots.catchUp())[0]?.steps.length ?? 0);
if (running !== null) atOnce(snapshots.after(running));
process.stdout.write(JSON.stringify([first, recorded, look()]));
