// The lock of a home: one daemon at a time, and let go by the system itself when its process ends.

import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { SallyportError } from '../../core/index.ts';

/** Another daemon serves this home. */
export class AlreadyRunning extends SallyportError {}

/** Holds a lock that the system itself lets go when the process ends, however it ends. */
export function lockHome(file: string): () => void {
  closeSync(openSync(file, 'a', 0o600));
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw new AlreadyRunning('a daemon is running already for this home', {
      hint: "see 'sallyport status'; 'sallyport down' stops it",
      cause: error,
    });
  }
  return () => database.close();
}
