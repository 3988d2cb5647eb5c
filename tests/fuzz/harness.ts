// Reads so many bent texts with one target, and says what broke its invariant, what threw, what changed its mind and what was late.

import { seeded } from '../metamorphic/random.ts';
import { bent, type Material, shortened } from './mutate.ts';
import { InvariantBroken, storedSeeds, type Target } from './target.ts';

export type Kind = 'threw' | 'unlawful' | 'fickle' | 'late';

export interface Fault {
  readonly kind: Kind;
  readonly what: string;
  readonly text: string;
}

export interface Report {
  readonly target: string;
  readonly inputs: number;
  /** The first of each kind and message, in the shortest form that was found. */
  readonly faults: readonly Fault[];
  /** How many texts were at fault. */
  readonly faulty: number;
  /** Microseconds of one text in the middle, and milliseconds of the slowest. */
  readonly each: number;
  readonly worst: number;
  /** How many different answers there were; one alone would mean that nothing is read at all. */
  readonly answers: number;
}

export interface RunOptions {
  readonly count: number;
  readonly seed: number;
  /** False where nothing is timed, as in a test. */
  readonly timed: boolean;
  readonly progress?: (done: number, faulty: number) => void;
}

const mostListed = 10;
/** Every so many-th text is read twice. */
const again = 4;
const mostAnswers = 10_000;
const progressEvery = 1000;
const warmUp = 300;

/** Milliseconds that this thread has worked; what else the machine does stays out of it. */
function busy(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The material that a target's texts are made of. */
export function materialOf(target: Target): Material {
  return {
    seeds: [...storedSeeds(target), ...target.seeds],
    words: target.words,
    bytes: target.bytes === true,
    largest: target.largest ?? 4096,
  };
}

/** The text of a number: the same for the same seed, whatever came before it. */
export function textOf(material: Material, seed: number, number: number): string {
  return bent(seeded(Math.imul(seed, 0x9e37_79b1) + number), material);
}

export async function runTarget(target: Target, options: RunOptions): Promise<Report> {
  const { count, seed, timed, progress } = options;
  const read = await target.open();
  const material = materialOf(target);
  const limit = target.limit ?? 50;
  const found = new Map<string, Fault>();
  const answers = new Set<string>();
  let faulty = 0;
  let worst = 0;

  /** What is wrong with a text, if anything is. */
  async function faultOf(text: string, twice: boolean): Promise<Omit<Fault, 'text'> | null> {
    const start = timed ? busy() : 0;
    try {
      const said = await read(text);
      if (answers.size < mostAnswers) answers.add(said);
      if (twice) {
        const then = await read(text);
        if (then !== said) return { kind: 'fickle', what: 'it says something else the second time' };
      }
    } catch (error) {
      if (error instanceof InvariantBroken) return { kind: 'unlawful', what: error.message };
      const [name, message] = error instanceof Error ? [error.name, error.message] : ['', String(error)];
      return { kind: 'threw', what: `${name}: ${message.slice(0, 120)}` };
    }
    if (!timed) return null;
    let took = (busy() - start) / (twice ? 2 : 1);
    // The collector or the compiler may have been in the way: what is slow is slow thrice.
    for (let times = 0; took > limit / 2 && took < limit * 20 && times < 2; times++) {
      const next = busy();
      await read(text);
      took = Math.min(took, busy() - next);
    }
    worst = Math.max(worst, took);
    return took > limit ? { kind: 'late', what: `over ${limit} ms` } : null;
  }

  async function one(text: string, twice: boolean): Promise<void> {
    const fault = await faultOf(text, twice);
    if (fault === null) return;
    faulty++;
    // What is late is so for many reasons, of which its first words tell something.
    const told = fault.kind === 'late' ? text.slice(0, 12) : fault.what.replace(/\d+/g, '0');
    const key = `${fault.kind} ${told}`;
    if (found.has(key) || found.size >= mostListed) return;
    found.set(key, { ...fault, text });
    const same = async (shorter: string): Promise<boolean> => {
      const now = await faultOf(shorter, fault.kind === 'fickle');
      return now?.kind === fault.kind && now.what.replace(/\d+/g, '0') === fault.what.replace(/\d+/g, '0');
    };
    found.set(key, { ...fault, text: await shortened(text, same) });
  }

  const fixed = [...storedSeeds(target), ...(target.shapes ?? [])];
  // The compiler has seen the reader before anything is timed; what is wrong is met again.
  if (timed) for (const text of material.seeds.slice(0, warmUp)) await faultOf(text, false);
  worst = 0;
  for (const text of fixed) await one(text, true);
  const started = busy();
  for (let number = 0; number < count; number++) {
    await one(textOf(material, seed, number), number % again === 0);
    if ((number + 1) % progressEvery === 0) progress?.(number + 1, faulty);
  }
  return {
    target: target.name,
    inputs: fixed.length + count,
    faults: [...found.values()],
    faulty,
    each: ((busy() - started) * 1000) / Math.max(1, count),
    worst,
    answers: answers.size,
  };
}
