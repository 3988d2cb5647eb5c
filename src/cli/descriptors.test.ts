// What a long-running command closes of the descriptors that it was started with.

import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../tests/support/ledger.ts';

const module = fileURLToPath(new URL('./descriptors.ts', import.meta.url));
const script = `
  import { readdirSync, readlinkSync } from 'node:fs';
  import { closeInherited } from ${JSON.stringify(module)};
  closeInherited();
  const targetOf = (number) => { try { return readlinkSync('/proc/self/fd/' + number); } catch { return ''; } };
  console.log(JSON.stringify(readdirSync('/proc/self/fd').map(targetOf)));
`;

it.skipIf(process.platform !== 'linux')(
  'closes what was inherited, and no certificates, which another thread may be reading',
  () => {
    const folder = temporaryFolder();
    const [secret, extra, other] = ['secret', 'extra.pem', 'other.pem'].map((name) => join(folder, name));
    const files = [secret, extra, other].map((file = '') => {
      writeFileSync(file, '');
      return openSync(file, 'r');
    });
    const shown = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      // Node keeps the first sixteen to itself.
      stdio: ['ignore', 'pipe', 'ignore', ...Array<'ignore'>(20).fill('ignore'), ...files],
      env: { ...process.env, NODE_EXTRA_CA_CERTS: extra, SSL_CERT_DIR: undefined, SSL_CERT_FILE: other },
    });
    for (const file of files) closeSync(file);
    const open: readonly string[] = JSON.parse(shown);
    expect([secret, extra, other].map((file = '') => open.includes(file))).toEqual([false, true, true]);
  },
);
