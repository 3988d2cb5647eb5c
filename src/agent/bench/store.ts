// Where results are kept: one file each in the home, under an id that sorts by time.

import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writePrivate } from '../../config/index.ts';
import { InputError, messageOf, parseJson, SallyportError, visible } from '../../core/index.ts';
import { type BenchResult, readResult } from './result.ts';

/** A result that was asked for is not there. */
export class ResultMissing extends SallyportError {
  constructor(message: string, hint: string) {
    super(message, { hint, exitCode: 2 });
  }
}

/** Largest file of a result or a pack that is read. */
const mostBytes = 67_108_864;
const idForm = /^\d{8}T\d{9}Z-[0-9a-f]{6}$/;

/** An id for a run that begins now. */
export function newBenchId(now: number): string {
  return `${new Date(now).toISOString().replace(/[-:.]/g, '')}-${randomBytes(3).toString('hex')}`;
}

/** The text of a file that a caller named; throws `InputError`. */
export function readNamed(file: string): string {
  try {
    const found = statSync(file);
    if (!found.isFile()) throw new InputError('it is not a regular file');
    if (found.size > mostBytes) throw new InputError(`it has more than ${mostBytes} bytes`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new InputError(`${visible(file)} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** The results in one folder. */
export class ResultStore {
  readonly #folder: string;
  /** The folder that paths are named from. */
  readonly #from: string;

  constructor(folder: string, from: string) {
    this.#folder = folder;
    this.#from = from;
  }

  /** Keeps a result; throws `HomeError`. */
  save(result: BenchResult): string {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const file = this.#file(result.bench_id);
    writePrivate(file, `${JSON.stringify(result, null, 1)}\n`, { exclusive: true });
    return file;
  }

  /** The ids of all results, the oldest first. */
  ids(): readonly string[] {
    let names: readonly string[];
    try {
      names = readdirSync(this.#folder);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
      throw error;
    }
    return names
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -'.json'.length))
      .filter((id) => idForm.test(id))
      .sort();
  }

  /** A result by its id, by the path of its file, or `latest`; throws `ResultMissing` and `InputError`. */
  find(name: string): BenchResult {
    if (name === 'latest') {
      const id = this.ids().at(-1);
      if (id === undefined) throw new ResultMissing('nothing was benched yet', "see 'sallyport bench run'");
      return this.#read(this.#file(id));
    }
    if (idForm.test(name)) {
      if (!this.ids().includes(name)) throw missing(name);
      return this.#read(this.#file(name));
    }
    const file = resolve(this.#from, name);
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) throw missing(name);
    return this.#read(file);
  }

  /** The newest result before another, of the same preset; throws `ResultMissing`. */
  previous({ bench_id: id, preset }: BenchResult): BenchResult {
    for (const before of this.ids().toReversed()) {
      if (before >= id) continue;
      const found = this.#read(this.#file(before));
      if (found.preset === preset) return found;
    }
    throw new ResultMissing(
      `there is no earlier run of the preset "${visible(preset, 60)}"`,
      'run it once more, or name a baseline',
    );
  }

  /** The newest result of each strategy, of the preset and the cases that were run last; throws `ResultMissing`. */
  newestOfEach(): readonly BenchResult[] {
    const latest = this.find('latest');
    const found = new Map([[latest.strategy, latest]]);
    const digests = JSON.stringify(latest.cases.map(({ case_digest: digest }) => digest));
    for (const id of this.ids().toReversed()) {
      const one = this.#read(this.#file(id));
      const same = one.preset === latest.preset && !found.has(one.strategy);
      if (same && JSON.stringify(one.cases.map(({ case_digest: digest }) => digest)) === digests) {
        found.set(one.strategy, one);
      }
    }
    return [...found.values()].toReversed();
  }

  #file(id: string): string {
    return join(this.#folder, `${id}.json`);
  }

  #read(file: string): BenchResult {
    const text = readNamed(file);
    try {
      return readResult(parseJson(text));
    } catch (error) {
      throw new InputError(`${visible(file)} is no result of a bench: ${messageOf(error)}`, { cause: error });
    }
  }
}

function missing(name: string): ResultMissing {
  return new ResultMissing(
    `there is no result "${visible(name, 100)}"`,
    "'sallyport bench list' shows those that there are",
  );
}
