// npm run mutate [COUNT] [-- --seed NUMBER --card FILE --list]: changes one word, option or effect of the program cards at a
// time and looks whether the examples of the cards notice. Prints every change that none noticed.
// Changes that mean the same are listed in equivalent.txt, each with the reason; they do not count.

import { readdirSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Card } from '../../src/guards/command/programs/card.ts';
import { problemsOf } from '../../src/guards/command/programs/check.ts';
import { seeded } from '../metamorphic/random.ts';
import { type Mutant, mutantsOf, mutated } from './mutants.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    card: { type: 'string', default: '' },
    least: { type: 'string', default: '0.95' },
  },
});
const count = positionals[0] === undefined ? Number.POSITIVE_INFINITY : Number(positionals[0]);
const seed = Number(values.seed);
if (Number.isNaN(count) || count < 1 || !Number.isSafeInteger(seed)) {
  process.stderr.write('Usage: npm run mutate [COUNT] [-- --seed NUMBER --card FILE --least SHARE]\n');
  process.exit(2);
}

const folder = new URL('../../src/guards/command/programs/', import.meta.url);
/** The frame is code with tests of its own, and no knowledge of programs. */
const frame = /^(?:card|check|deeds|files|index|names|notation|options)\.ts$/;
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !frame.test(name))
  .sort();
const sources = new Map(files.map((file) => [file, readFileSync(new URL(file, folder), 'utf8')]));

/** The source of each mutant, by its number: a card that is loaded with it loads the files that it shares with others anew. */
const changes = new Map<string, Mutant>();

function fileOf(url: string): string | undefined {
  const path = url.split('?')[0] ?? '';
  const file = path.startsWith(folder.href) ? path.slice(folder.href.length) : '';
  return sources.has(file) ? file : undefined;
}

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const [, number] = context.parentURL?.split('?mutant=') ?? [];
    if (number === undefined || found.url.includes('?') || fileOf(found.url) === undefined) return found;
    return { ...found, url: `${found.url}?mutant=${number}` };
  },
  load(url, context, next) {
    const file = fileOf(url);
    const change = changes.get(url.split('?mutant=')[1] ?? '');
    if (file === undefined || change?.file !== file) return next(url, context);
    const source = mutated(sources.get(file) ?? '', change);
    return { format: 'module-typescript', source, shortCircuit: true };
  },
});

/** The file with the cards that a file below `cards/` is part of: in a folder `index.ts`. */
function cardFileOf(file: string): string {
  return file.replace(/^(cards\/.*\/).*$/, '$1index.ts');
}

/** The cards that a file is part of: its own, or all that import it, or a file that does. */
function cardFilesOf(file: string, seen: readonly string[] = []): readonly string[] {
  if (file.startsWith('cards/')) return [cardFileOf(file)];
  const name = file.slice(file.lastIndexOf('/') + 1);
  const importing = files.filter(
    (other) => !seen.includes(other) && sources.get(other)?.includes(`/${name}'`) === true,
  );
  return [...new Set(importing.flatMap((other) => cardFilesOf(other, [...seen, file])))];
}

/** Whether the examples of the cards notice a change. */
async function notices(number: number, mutant: Mutant): Promise<boolean> {
  changes.set(String(number), mutant);
  try {
    for (const file of cardFilesOf(mutant.file)) {
      const url = new URL(`${file}?mutant=${number}`, folder).href;
      const module: { readonly cards: readonly Card[] } = await import(url);
      if (module.cards.flatMap(problemsOf).length > 0) return true;
    }
    return false;
  } catch {
    // What does not load, or fails, is noticed.
    return true;
  } finally {
    changes.delete(String(number));
  }
}

const listed = readFileSync(new URL('equivalent.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const equivalent = new Set(listed.map((line) => line.split(' -- ')[0]));
const keyOf = ({ file, change }: Mutant): string => `${file}: ${change}`;

const all = files
  .filter((file) => file.includes(values.card))
  .flatMap((file) => mutantsOf(file, sources.get(file) ?? ''));
const random = seeded(seed);
const chosen = all
  .filter((mutant) => !equivalent.has(keyOf(mutant)))
  .map((mutant) => ({ mutant, place: random.below(2 ** 32) }))
  .sort((one, other) => one.place - other.place)
  .slice(0, count)
  .map(({ mutant }) => mutant);

let caught = 0;
for (const [number, mutant] of chosen.entries()) {
  if (await notices(number, mutant)) caught += 1;
  else
    process.stdout.write(
      `missed  ${fileURLToPath(new URL(mutant.file, folder)).split('/src/')[1]}:${mutant.line}  ${keyOf(mutant)}\n`,
    );
}
const stale =
  values.card === '' ? [...equivalent].filter((key) => !all.some((mutant) => keyOf(mutant) === key)) : [];
for (const key of stale) process.stdout.write(`equivalent.txt names a change that there is not: ${key}\n`);
const share = chosen.length === 0 ? 1 : caught / chosen.length;
process.stdout.write(
  `seed ${seed}: ${chosen.length} of ${all.length} changes made, ${caught} caught, ${chosen.length - caught} missed ` +
    `(${(share * 100).toFixed(1)} % caught); ${equivalent.size} listed as equivalent\n`,
);
process.exitCode = share >= Number(values.least) && stale.length === 0 ? 0 : 1;
