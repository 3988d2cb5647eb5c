// Every rule of the built-in packs: its examples come out as written, and cutting them anywhere changes nothing.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { builtinPacks as names, packModule, readRules, shorthandModule } from '../../scripts/rules.ts';
import { oneOf } from '../../tests/support/share.ts';
import { generators } from './checks/generators.ts';
import { fillExample, randomFrom } from './examples.ts';
import { builtin, createRedactor, redact } from './index.ts';
import { compilePack, packProblems } from './pack.ts';

describe.each(names)('the %s pack', (name) => {
  const rules = readRules(name);

  it('is built from rules/ as it stands; otherwise run `npm run rules`', () => {
    const built = readFileSync(new URL(`./packs/${name}.ts`, import.meta.url), 'utf8');
    expect(built === packModule(name)).toBe(true);
  });

  it('has one rule on each line, so that two changes of the pack can be merged', () => {
    const ids = packModule(name)
      .split('\n')
      .flatMap((line) => /^\{"id":"([^"]+)"/.exec(line)?.[1] ?? []);
    expect(ids).toEqual(rules.map(({ id }) => id));
  });

  it('has examples that come out as written, each against its own rule', () => {
    expect(packProblems(rules, compilePack(rules, name), generators)).toEqual([]);
  });

  it('finds every example that hits with all rules together', () => {
    const all = builtin(...names);
    const missed = rules.flatMap(({ id, path, examples: { hit } }) =>
      path !== undefined
        ? []
        : hit.filter((example) => {
            const { text, span } = fillExample(example, id, generators);
            const { matches } = redact(text, all);
            return !matches.some(({ start, end }) => span === null || (start <= span[0] && end >= span[1]));
          }),
    );
    expect(missed).toEqual([]);
  });
});

it('has the parts that stored patterns share; otherwise run `npm run rules`', () => {
  const built = readFileSync(new URL('./packs/shorthand.ts', import.meta.url), 'utf8');
  expect(built === shorthandModule()).toBe(true);
});

it('has at least 200 kinds of secrets, with different ids', () => {
  const ids = names.flatMap((name) => readRules(name).map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
  expect(readRules('secrets').length).toBeGreaterThanOrEqual(200);
});

/** Hundreds of thousands of streams, also on a busy machine. */
const patience = 180_000;

describe('wherever a text is cut', { timeout: patience }, () => {
  const all = builtin(...names);
  const texts = names.flatMap((name) =>
    readRules(name).flatMap(({ id, examples: { hit, miss } }) =>
      [...hit, ...miss].map((example) => fillExample(example, `${id} cut`, generators).text),
    ),
  );
  const through = (pieces: readonly (string | Uint8Array)[]) => {
    const redactor = createRedactor(all);
    return pieces.map((piece) => redactor.push(piece)).join('') + redactor.flush();
  };

  it('comes out the same from two pieces, for places all over every example', () => {
    let splits = 0;
    const different: string[] = [];
    const step = oneOf(10);
    for (const [index, text] of texts.entries()) {
      const whole = redact(text, all).text;
      for (let at = index % step; at <= text.length; at += step) {
        splits++;
        if (through([text.slice(0, at), text.slice(at)]) !== whole) different.push(`${at}: ${text}`);
      }
    }
    process.stdout.write(`splits in two: ${splits}, in ${texts.length} texts\n`);
    expect(different.slice(0, 5)).toEqual([]);
    expect(splits).toBeGreaterThan(10_000);
  });

  it('comes out the same unit by unit, in random pieces, and byte by byte, between other texts', () => {
    const random = randomFrom('pieces');
    const encoder = new TextEncoder();
    let splits = 0;
    const different: string[] = [];
    const step = oneOf(10);
    for (const [index, example] of texts.entries()) {
      if (index % step !== 0) continue;
      const text = `${texts[(index * 7 + 1) % texts.length]} São 🦀 ${example}\n${texts[(index * 13 + 5) % texts.length]}`;
      const whole = redact(text, all).text;
      const units = Array.from({ length: text.length }, (_, at) => text.charAt(at));
      const bytes = encoder.encode(text);
      const ways: (readonly (string | Uint8Array)[])[] = [units];
      const cut = <T>(length: number, slice: (from: number, to: number) => T): T[] => {
        const places = Array.from({ length: 1 + Math.floor(random() * 8) }, () =>
          Math.floor(random() * length),
        );
        const sorted = [0, ...places.sort((a, b) => a - b), length];
        return sorted.slice(1).map((to, at) => slice(sorted[at] ?? 0, to));
      };
      for (let round = 0; round < 3; round++) {
        ways.push(cut(text.length, (from, to) => text.slice(from, to)));
        ways.push(cut(bytes.length, (from, to) => bytes.subarray(from, to)));
      }
      for (const way of ways) {
        splits += way.length - 1;
        if (through(way) !== whole) different.push(text);
      }
    }
    process.stdout.write(`splits in many: ${splits}\n`);
    expect(different.slice(0, 5)).toEqual([]);
  });
});
