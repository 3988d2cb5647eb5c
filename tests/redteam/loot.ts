// What an attacker holds after an attempt, and whether a secret is in it in any form; what a protected place is.

import type { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** How much of an output or a file is looked at. */
export const lootLimit = 64 * 1024 * 1024;

/** Adds the content of every file below a folder, and what compressed ones hold; leaves the home itself out. */
export function collect(folder: string, home: string, seen: Buffer[]): void {
  if (folder === home || !existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) collect(path, home, seen);
    if (!entry.isFile() || lstatSync(path).size > lootLimit) continue;
    const bytes = readFileSync(path);
    seen.push(bytes);
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) seen.push(unzipped(bytes));
  }
}

function unzipped(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes);
  } catch {
    return Buffer.alloc(0);
  }
}

/** True if bytes hold a secret as it is, in hexadecimal, reversed, or in base64 at any offset. */
export function contains(bytes: Buffer, secret: string): boolean {
  if (bytes.includes(secret)) return true;
  const text = bytes.toString('latin1').replace(/\s+/g, '');
  const forms = [secret, Buffer.from(secret).toString('hex'), [...secret].reverse().join('')];
  for (const lead of ['', 'x', 'xx']) {
    // The first and last characters depend on what stands around the secret.
    forms.push(Buffer.from(`${lead}${secret}`).toString('base64').slice(4, -4));
  }
  return forms.some((form) => text.includes(form));
}

/** Adds names, kinds and contents below a path; of the store only that it is there, since the daemon writes to it. */
export function addPlace(path: string, hash: ReturnType<typeof createHash>): void {
  hash.update(`${path}\n`);
  if (!existsSync(path) && !isLink(path)) return void hash.update('absent\n');
  const stat = lstatSync(path);
  hash.update(`${stat.mode} ${path.endsWith('.db') ? stat.ino : ''}\n`);
  if (stat.isSymbolicLink()) hash.update(readlinkSync(path));
  else if (stat.isDirectory()) for (const name of readdirSync(path).sort()) addPlace(join(path, name), hash);
  else if (!path.endsWith('.db')) hash.update(readFileSync(path));
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}
