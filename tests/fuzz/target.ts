// What is fuzzed: a reader of foreign text, and the invariant that holds for every text.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configOf, settingsFrom } from '../../src/config/index.ts';
import type { Action, Context, JsonObject, Verdict, World } from '../../src/core/index.ts';
import { createDryDecider, type Decider, realWorld } from '../../src/decide/index.ts';
import { guardOf } from '../../src/decide/judge.ts';
import { guards } from '../../src/guards/index.ts';
import { seeded } from '../metamorphic/random.ts';

/** What a reader made of a text; the same text must give the same. Whatever it throws is a fault. */
export type Reader = (text: string) => string | Promise<string>;

export interface Target {
  readonly name: string;
  /** What holds for every text, beside: nothing is thrown, and the same text gives the same. */
  readonly invariant: string;
  /** Words of the grammar. */
  readonly words: readonly string[];
  /** Texts to bend, beside those in `seeds/NAME`. */
  readonly seeds: readonly string[];
  /** Texts that are read as they are, before any bent one. */
  readonly shapes?: readonly string[];
  /** The text stands for bytes, a sign for each. */
  readonly bytes?: true;
  /** Longest text; 4096 signs unless it says otherwise. */
  readonly largest?: number;
  /** Milliseconds that one text may take; 50 unless it says otherwise. */
  readonly limit?: number;
  /** Microseconds that one text takes, about; a long run has as many texts of each as they are cheap. */
  readonly cost: number;
  open(): Reader | Promise<Reader>;
}

const folder = fileURLToPath(new URL('./seeds/', import.meta.url));

/** The texts that are kept for a target: what it reads every day, and what it once failed on. */
export function storedSeeds({ name, bytes }: Pick<Target, 'name' | 'bytes'>): readonly string[] {
  const own = join(folder, name);
  if (!existsSync(own)) return [];
  return readdirSync(own)
    .sort()
    .map((file) => readFileSync(join(own, file), bytes ? 'latin1' : 'utf8'));
}

/** The invariant does not hold. */
export class InvariantBroken extends Error {}

export function invariant(holds: boolean, otherwise: string): void {
  if (!holds) throw new InvariantBroken(otherwise);
}

/** What a reader gives, or the name of the error of ours that it refuses with; any other error goes on. */
export function orRefusal(
  work: () => string,
  ...refusals: readonly (new (
    ...parts: never[]
  ) => Error)[]
): string {
  try {
    return work();
  } catch (error) {
    const named = refusals.find((type) => error instanceof type);
    if (named === undefined) throw error;
    return `refused by ${named.name}`;
  }
}

export const context: Context = {
  user: 'ann',
  tenant: 'acme',
  agent: 'default',
  session: 'fuzz',
  workspace: '/workspace',
  // The mode that adds no question of its own.
  mode: 'auto',
};

const { readers, schemas } = realWorld();

/** A world that stands still, with readers and files that are given. */
export function stillWorld(files: Readonly<Record<string, string>> = {}): World {
  return {
    now: () => 0,
    resolve: async () => [],
    realPath: (path) => path,
    readText: (path) => files[path] ?? null,
    look: () => null,
    home: '/home/user',
    ...(readers === undefined ? {} : { readers }),
    ...(schemas === undefined ? {} : { schemas }),
  };
}

/** A decider that leaves no trace, with the guards of some names. */
export function deciderOf(
  names: readonly string[],
  {
    agent = {},
    sources = {},
    files = {},
  }: { agent?: JsonObject; sources?: JsonObject; files?: Record<string, string> },
): Decider {
  const settings = settingsFrom(agent, { sources });
  return createDryDecider({
    config: configOf(() => settings),
    world: stillWorld(files),
    guards: guards.filter(({ name }) => names.includes(name)),
  });
}

/** What became of an action, in words that can be compared; a guard that failed is a fault. */
export function verdictText({ decision, findings }: Pick<Verdict, 'decision' | 'findings'>): string {
  const rules = findings.map(({ rule, span }) => `${rule}${span === undefined ? '' : ` ${span.join('-')}`}`);
  const failed = findings.find(({ rule }) => rule === 'guard_error');
  invariant(failed === undefined, `a guard threw: ${failed?.message}`);
  return `${decision}: ${rules.join(', ')}`;
}

/** The texts of one kind that the rules of a guard carry as examples. */
export async function exampleActions(guard: string): Promise<readonly Action[]> {
  const listed = guards.find(({ name }) => name === guard);
  const rules = listed === undefined ? [] : (await guardOf(listed)).rules;
  return rules.flatMap(({ examples }) => [...examples.hit, ...examples.miss].map(({ action }) => action));
}

/** A text in pieces, the same for the same text. */
export function cut(text: string): readonly string[] {
  const random = seeded(text.length);
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const size = 1 + random.below(random.chance(0.5) ? 4 : 200);
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return pieces;
}
