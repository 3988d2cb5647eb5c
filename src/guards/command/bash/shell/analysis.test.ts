// Tests of the look before parsing: explosive shapes are refused, ordinary scripts are not.

import { describe, expect, it } from 'vitest';
import { factsOf } from '../testing.ts';
import { maxSourceLength, Once, refuseSource } from './analysis.ts';

const fill = (shape: string): string => shape.repeat(Math.floor(maxSourceLength / shape.length));

const explosive = [
  '$[',
  '"$[',
  '$[a[',
  '{a,',
  '{',
  '{,',
  '{a..',
  '{1..',
  '$(',
  '"$(',
  '<(',
  '$((',
  '${a:-',
  '<<a ',
  '\\`',
  'coproc ',
  'if ',
];

describe('refuseSource', () => {
  it.each(explosive)('refuses a script full of %s', (shape) => {
    expect(refuseSource(fill(shape))).not.toBeNull();
  });

  it('refuses what is too long', () => {
    expect(refuseSource('a'.repeat(maxSourceLength + 1))).not.toBeNull();
    expect(refuseSource('a'.repeat(maxSourceLength))).toBeNull();
  });

  it.each([
    'rm -rf /',
    `echo '${'{"a": [1, 2, {"b": "c"}]}, '.repeat(1000)}'`,
    `cat > x.js <<'E'\n${'function f(a) { return `${a}`; }\n'.repeat(800)}E`,
    `cat > x.md <<'E'\n${'1) one :( two :)\n'.repeat(50)}E`,
    'echo $(a $(b $(c $(d "${e:-$(f)}"))))',
    Array.from({ length: 500 }, (_, index) => `echo step ${index} && run "$X" > out.${index}`).join('\n'),
  ])('lets an ordinary script through', (source) => {
    expect(refuseSource(source)).toBeNull();
  });
});

describe('steps', () => {
  const tooMany = 'the command has too many parts to be followed';
  const stepsOf = (source: string) => {
    let steps = 0;
    factsOf(source, { spend: (more) => (steps += more) });
    return steps;
  };
  const notFollowed = (source: string) => factsOf(source).unknowns.map(({ what }) => what);

  it.each([
    ...explosive,
    'a;',
    'a|',
    '$a ',
    '{a,b} ',
    '*',
    'eval "eval a";',
    'sudo ',
    'a=$a$a;',
    '>a ',
    'find . -exec ',
    '"',
    '[[ a == b* ]];',
  ])('stays bounded for a script full of %s', (shape) => {
    const { unknowns, errors, invocations } = factsOf(fill(shape));
    // The most that an analysis may take, and what its last step asked for.
    expect(stepsOf(fill(shape))).toBeLessThan(20_000);
    expect(unknowns.length + errors.length + invocations.length).toBeGreaterThan(0);
  });

  it('counts a pattern in the place of a command, which is tried on all programs', () => {
    // Neither is known to be any program.
    expect(stepsOf('/bin/*zz;'.repeat(100)) - stepsOf('$UNKNOWN;'.repeat(100))).toBeGreaterThanOrEqual(800);
  });

  it.each(['perl -e', 'awk', 'lua -e'])(
    'counts the code of %s, which is searched from every place',
    (program) => {
      const script = (length: number) => `${program} '${'x'.repeat(length)}'\n`.repeat(12);
      expect(notFollowed(script(200))).toEqual([]);
      expect(notFollowed(script(2000))).toContain(tooMany);
    },
  );

  it('counts the words and signs of a program in another language', () => {
    const script = (code: string) => `python3 -c '${code.repeat(2000 / code.length)}'\n`.repeat(8);
    expect(notFollowed(script('aaaa'))).not.toContain(tooMany);
    expect(notFollowed(script('a,'))).toContain(tooMany);
  });

  it('counts every way to choose among the texts that words may be', () => {
    const script = (word: string) => `find a b -exec ls ${`${word} `.repeat(450)}\\;`;
    expect(notFollowed(script('a'))).not.toContain(tooMany);
    expect(notFollowed(script('{}'))).toContain(tooMany);
  });

  it('counts texts that one program hands to the next', () => {
    // What is printed and handed on counts for both programs, and what is divided into words.
    const script = (length: number) => `echo '${'a'.repeat(length)}' | xargs ls`;
    expect(stepsOf(script(12_800)) - stepsOf(script(0))).toBeGreaterThanOrEqual(4 * (12_800 / 64));
  });

  it('says what it did not follow rather than nothing', () => {
    expect(factsOf(`${fill('$[')}`).unknowns).toHaveLength(1);
  });
});

// Facts are kept once, whether or not they share a key.

describe('Once', () => {
  it('takes a fact for new until it is met again, key by key', () => {
    const once = new Once();
    const told = [
      once.isNew('a', { path: '/x' }),
      once.isNew('a', { path: '/y' }),
      once.isNew('a', { path: '/x' }),
      once.isNew('a', { path: '/y' }),
      once.isNew('b', { path: '/x' }),
    ];
    expect(told).toEqual([true, true, false, false, true]);
  });
});
