// Descriptors that this process was started with: a long-running command closes them, so that no program that it starts
// inherits a folder, a lock or a socket of its parent.

import { closeSync, readdirSync, readFileSync } from 'node:fs';

/** Set for descriptors that started programs do not inherit; Node opens all of its own like that. */
const closeOnExec = 0o2000000;

/** Closes inherited descriptors other than the standard ones and those that an argument names, as `<(…)` does in bash. */
export function closeInherited(): void {
  const named = process.argv.join('\n');
  for (const number of listed()) {
    if (number > 2 && isInherited(number) && !new RegExp(`/fd/${number}(?!\\d)`).test(named))
      closeSync(number);
  }
}

/** The open descriptors; none where the system does not list them. */
function listed(): readonly number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number);
  } catch {
    return [];
  }
}

function isInherited(number: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${number}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // It was the one that the list was read through.
    return false;
  }
}
