// A file that a scan writes: it appears whole under its name, or not at all.

import { randomBytes } from 'node:crypto';
import { closeSync, lstatSync, openSync, realpathSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SallyportError, UsageError, visible } from '../../core/index.ts';
import { codeOf, reasonOf } from './file.ts';

/** What the scan found could not be written down. */
class OutputFailed extends SallyportError {}

export class OutputFile {
  readonly #path: string;
  /** Where it is written until it is whole. */
  readonly temporary: string;
  readonly #descriptor: number;
  #waiting = '';
  #closed = false;

  /** Throws `UsageError` where the file cannot be written, before anything is scanned. */
  constructor(path: string) {
    this.#path = path;
    const name = `.${basename(path)}.${randomBytes(6).toString('hex')}`;
    const status = lstatSync(path, { throwIfNoEntry: false });
    if (status !== undefined && !status.isFile()) {
      throw new UsageError(`${visible(path)} is not a file, so it is not written to`);
    }
    try {
      this.temporary = join(realpathSync(dirname(path)), name);
      this.#descriptor = openSync(this.temporary, 'wx');
    } catch (error) {
      const why = codeOf(error) === 'ENOENT' ? 'there is no such folder' : reasonOf(error);
      throw new UsageError(`${visible(path)} cannot be written: ${why}`);
    }
  }

  write(text: string): void {
    this.#waiting += text;
    if (this.#waiting.length > 1 << 16) this.#send();
  }

  /** Puts the file under its name. */
  finish(): void {
    this.#send();
    this.#close();
    this.#attempt(() => renameSync(this.temporary, this.#path));
  }

  /** Leaves no trace. */
  abandon(): void {
    this.#close();
    rmSync(this.temporary, { force: true });
  }

  #send(): void {
    const bytes = Buffer.from(this.#waiting);
    this.#waiting = '';
    this.#attempt(() => {
      for (let written = 0; written < bytes.length; ) written += writeSync(this.#descriptor, bytes, written);
    });
  }

  #close(): void {
    if (!this.#closed) closeSync(this.#descriptor);
    this.#closed = true;
  }

  #attempt(act: () => void): void {
    try {
      act();
    } catch (error) {
      throw new OutputFailed(`${visible(this.#path)} cannot be written: ${reasonOf(error)}`);
    }
  }
}
