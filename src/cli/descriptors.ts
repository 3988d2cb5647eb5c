// Descriptors that this process was started with: a long-running command closes them, so that no program that it starts
// inherits a folder, a lock or a socket of its parent.

import { closeSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';

/** Set for descriptors that started programs do not inherit; Node opens all of its own like that. */
const closeOnExec = 0o2000000;

/** Closes inherited descriptors other than the standard ones and those that an argument names, as `<(…)` does in bash. */
export function closeInherited(): void {
  const named = process.argv.join('\n');
  const certificates = certificatePaths();
  for (const number of listed()) {
    const target = number > 2 ? inheritedTarget(number) : null;
    if (target === null || new RegExp(`/fd/${number}(?!\\d)`).test(named)) continue;
    if (!certificates.some((path) => target === path || target.startsWith(`${path}/`))) closeSync(number);
  }
}

/**
 * Where certificates are. INVARIANT: their files stay open: a thread of Node reads them while the program starts, without
 * the flag, and a descriptor that is closed under it may be another file by the time that the thread closes it.
 */
function certificatePaths(): readonly string[] {
  const { NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, SSL_CERT_DIR } = process.env;
  const named = [
    NODE_EXTRA_CA_CERTS,
    SSL_CERT_FILE,
    ...(SSL_CERT_DIR ?? '').split(':'),
    '/etc/ssl',
    '/etc/pki',
  ];
  return named.flatMap((path) => {
    try {
      return path === undefined || path === '' ? [] : [realpathSync(path)];
    } catch {
      return [];
    }
  });
}

/** The open descriptors; none where the system does not list them. */
function listed(): readonly number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number);
  } catch {
    return [];
  }
}

/** What an inherited descriptor is open on; null where it is one of our own. */
function inheritedTarget(number: number): string | null {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${number}`, 'utf8'))?.[1];
    const isOurs = flags === undefined || (Number.parseInt(flags, 8) & closeOnExec) !== 0;
    return isOurs ? null : readlinkSync(`/proc/self/fd/${number}`);
  } catch {
    // It was the one that the list was read through.
    return null;
  }
}
