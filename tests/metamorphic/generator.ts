// Makes dangerous commands in many spellings: payloads × transforms × nesting, the same ones for the same seed.

import { type Form, type Payload, payloads } from './payloads.ts';
import { join } from './quoting.ts';
import { type Random, seeded } from './random.ts';
import { applyTransform, type Family, type Transform, transforms } from './transforms.ts';

export interface Case {
  readonly command: string;
  readonly payload: Payload;
  /** The transforms, innermost first. */
  readonly through: readonly Transform[];
}

/** A command longer than this shows nothing that a shorter one does not. */
const longest = 8 * 1024;

function finish(form: Form): string {
  return form.kind === 'script' ? form.text : join(form.words);
}

/** Every transform on its own, each with some payloads: as many as `each`, taken in turn. */
export function singleCases(each: number, seed = 1): readonly Case[] {
  const random = seeded(seed);
  const cases: Case[] = [];
  let turn = 0;
  for (const transform of transforms) {
    let found = 0;
    for (let tried = 0; tried < payloads.length && found < each; tried++) {
      const payload = payloads[turn++ % payloads.length];
      const form = payload === undefined ? null : suited(payload.form, transform);
      if (payload === undefined || form === null) continue;
      const made = applyTransform(transform, form, random);
      if (made === null) continue;
      cases.push({ command: finish(made), payload, through: [transform] });
      found++;
    }
  }
  return cases;
}

/** The form that a transform takes: words can always be written as a script. */
function suited(form: Form, transform: Transform): Form | null {
  if (form.kind === transform.from) return form;
  return form.kind === 'words' ? { kind: 'script', text: join(form.words) } : null;
}

const families: readonly Family[] = [...new Set(transforms.map(({ family }) => family))];

/** One case with up to `depth` transforms inside one another. */
function composed(random: Random, depth: number): Case {
  const payload = random.pick(payloads);
  const through: Transform[] = [];
  let form = payload.form;
  const wanted = 1 + random.below(depth);
  // A transform may not fit, so there are more tries than transforms.
  for (let tries = 0; tries < wanted * 6 && through.length < wanted; tries++) {
    const family = random.pick(families);
    const transform = random.pick(transforms.filter((one) => one.family === family));
    const given = suited(form, transform);
    if (given === null) continue;
    const made = applyTransform(transform, given, random);
    if (made === null || finish(made).length > longest) continue;
    form = made;
    through.push(transform);
  }
  return { command: finish(form), payload, through };
}

/** So many different cases with up to `depth` transforms each. */
export function composedCases(count: number, seed = 1, depth = 4): readonly Case[] {
  const random = seeded(seed);
  const cases = new Map<string, Case>();
  // Short compositions repeat; the limit ends a run that asks for more than there are.
  for (let tries = 0; tries < count * 20 && cases.size < count; tries++) {
    const made = composed(random, depth);
    if (!cases.has(made.command)) cases.set(made.command, made);
  }
  return [...cases.values()];
}
