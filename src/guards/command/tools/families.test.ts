import { beforeAll, expect, it } from 'vitest';
import { loadParts } from '../need.ts';
import { families, knownTo } from './families.ts';
import { namesIn } from './names.ts';

beforeAll(loadParts);

it.each(Object.entries(families))(
  'the family %s knows the programs that are listed for it',
  (family, part) => {
    const names = Object.keys(part.content).sort().join(' ');
    expect({ [family]: names }).toMatchObject({
      [family]: Object.entries(namesIn).find(([name]) => name === family)?.[1],
    });
  },
);

it('no program is known to two families', () => {
  const names = Object.values(namesIn).flatMap((list) => list.split(' '));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

it('two names that stand side by side in a list are no program', () => {
  const [first = '', second = ''] = namesIn.files.split(' ');
  expect([knownTo(first), knownTo(`${first} ${second}`), knownTo('')]).toEqual([
    'files',
    undefined,
    undefined,
  ]);
});
