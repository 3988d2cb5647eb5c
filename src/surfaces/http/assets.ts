// The files of the console, served from memory under a policy that lets a page load nothing but them.

import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly packed: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** Its name changes with its content. */
  readonly lasting: boolean;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
};

/** INVARIANT: no script, style or request that does not come from or go to this daemon, and no frame around it. */
const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
};

/** Serves the files below a folder as they were when they were first asked for. */
export class Assets {
  readonly #folder: string;
  #files: ReadonlyMap<string, Asset> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The file of a path below the console; undefined where there is none. */
  answer(path: string, acceptsGzip: boolean): Response | undefined {
    this.#files ??= filesIn(this.#folder);
    const asset = this.#files.get(path === '' ? 'index.html' : path);
    if (asset === undefined) return undefined;
    const { bytes, packed, type, lasting } = asset;
    return new Response(acceptsGzip ? packed : bytes, {
      headers: {
        ...pageHeaders,
        'content-type': type,
        'cache-control': lasting ? 'private, max-age=31536000, immutable' : 'no-store',
        ...(acceptsGzip ? { 'content-encoding': 'gzip' } : {}),
        vary: 'accept-encoding',
      },
    });
  }
}

function filesIn(folder: string): ReadonlyMap<string, Asset> {
  const found = new Map<string, Asset>();
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const type = types[extname(entry)];
    if (type === undefined) continue;
    const bytes = new Uint8Array(readFileSync(join(folder, entry)));
    const name = entry.replaceAll(sep, '/');
    const packed = new Uint8Array(gzipSync(bytes, { level: 9 }));
    found.set(name, { bytes, packed, type, lasting: name.startsWith('assets/') });
  }
  return found;
}
