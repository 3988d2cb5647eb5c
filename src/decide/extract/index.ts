// Reads uploads on a separate thread: their parsers meet hostile files, and are terminated if they do not finish.

import type { Extraction, Upload } from '../../core/index.ts';
import { WorkerPool } from '../worker-pool.ts';
import { limits } from './limits.ts';

/** Location of the thread's code: beside this file, or beside the bundle whose chunk this file is in. */
function threadCode(): URL {
  const here = import.meta.url;
  return here.endsWith('.ts') ? new URL('./worker.ts', here) : new URL('../extract-worker.cjs', here);
}

const shared = new WorkerPool<Uint8Array>({
  thread: threadCode(),
  deadline: limits.time,
  most: limits.waiting,
  idle: 60_000,
});

/** The texts of an upload. INVARIANT: never throws; a part that was not read has a problem. */
export function extract(upload: Upload): Promise<Extraction> {
  return extractOn(shared, upload);
}

/** The same on a given thread. */
export async function extractOn(
  thread: Pick<WorkerPool<Uint8Array>, 'ask'>,
  { contentBase64 }: Upload,
): Promise<Extraction> {
  const bytes = bytesOf(contentBase64);
  if (bytes === null) return { problem: 'broken', detail: 'it is no base64' };
  if (bytes.length > limits.bytes) {
    return { problem: 'too_large', detail: `at most ${limits.bytes} bytes are read` };
  }
  const asked = await thread.ask(bytes);
  if ('answer' in asked) return asked.answer as Extraction;
  switch (asked.failed) {
    case 'late':
      return { problem: 'too_slow', detail: `at most ${limits.time / 1000} seconds` };
    case 'busy':
      return { problem: 'busy' };
    case 'ended':
      return { problem: 'broken', detail: 'its reader failed' };
  }
}

/** INVARIANT: returns exactly the bytes that every other reader of the base64 gets. */
function bytesOf(base64: string): Uint8Array | null {
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return null;
  return Buffer.from(base64, 'base64');
}
