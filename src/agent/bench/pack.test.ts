// Packs: each form is read, and what is not understood is refused with its place.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/ledger.ts';
import { presetNamed, readPack } from './pack.ts';

function file(name: string, text: string): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, text);
  return path;
}

const one = { id: 'a', task: 'Count.', expect: [{ answer: { contains: '3' } }] };
const pack = { presets: { small: { description: 'Small.', cases: [one] } } };
const yaml = `presets:
  small:
    description: Small.
    cases:
      - id: a
        task: Count.
        expect:
          - answer: { contains: "3" }
`;

describe('a pack', () => {
  it.each([
    ['p.json', JSON.stringify(pack)],
    ['p.yaml', yaml],
    ['p.YML', yaml],
    ['p.jsonl', `${JSON.stringify(pack)}\n\n`],
  ])('is read from %s', async (name, text) => {
    expect(await readPack(file(name, text))).toEqual([
      { name: 'small', description: 'Small.', cases: [one] },
    ]);
  });

  it('may be a case on each line', async () => {
    const lines = [one, { ...one, id: 'b' }, { ...one, preset: 'other' }].map((line) => JSON.stringify(line));
    const presets = await readPack(file('mine.jsonl', lines.join('\n')));
    expect(presets.map(({ name, cases }) => [name, cases.map(({ id }) => id)])).toEqual([
      ['mine', ['a', 'b']],
      ['other', ['a']],
    ]);
  });

  const withCase = (more: object) => JSON.stringify({ presets: { p: { cases: [{ ...one, ...more }] } } });
  it.each([
    ['p.json', '{"presets":{}}', 'it has no preset'],
    ['p.json', '{"presets":{"p":{"cases":[]}}}', 'the preset "p" has no cases'],
    ['p.json', JSON.stringify({ presets: { p: { cases: [one, one] } } }), 'has the case "a" twice'],
    ['p.json', withCase({ taks: 1 }), '/presets/p/cases/0/taks: unknown key "taks"; did you mean "task"?'],
    ['p.json', withCase({ expect: [{}] }), 'must have exactly one of completed, answer'],
    [
      'p.json',
      withCase({ expect: [{ completed: true, error: { contains: 'x' } }] }),
      'must have exactly one',
    ],
    ['p.json', withCase({ expect: [{ answer: {} }] }), 'must have exactly one of equals, contains'],
    [
      'p.json',
      withCase({ attack: [{ file: { path: 'etc/x', exists: true } }] }),
      'must begin with "workspace/"',
    ],
    ['p.json', withCase({ files: { '../x': '' } }), 'must be a path below a folder'],
    ['p.json', withCase({ outside: { '/etc/x': '' } }), 'must be a path below a folder'],
    ['p.json', withCase({ servers: ['file'] }), 'did you mean "files"?'],
    ['p.json', '{"presets":{"p":{"cases":[]},"p":{"cases":[]}}}', 'stands twice'],
    ['p.jsonl', `${JSON.stringify(one)}\n{"id":1}`, 'line 2: '],
    ['p.yaml', 'presets:\n  p: 1\n  p: 2\n', 'no YAML that can be read'],
    ['p.yaml', 'presets: &a [*a]\n', 'presets'],
    ['p.yaml', '__proto__: {}\npresets: {}\n', '__proto__'],
    ['p.yaml', '', 'must be a table'],
    ['p.toml', '', 'a pack is a file in .yaml, .json or .jsonl'],
  ])('is refused: %s %s', async (name, text, message) => {
    await expect(readPack(file(name, text))).rejects.toThrow(message);
    await expect(readPack(file(name, text))).rejects.toMatchObject({ name: 'InputError', exitCode: 2 });
  });

  it('that is not there is told by its name', async () => {
    await expect(readPack('/nowhere/p.json')).rejects.toThrow('/nowhere/p.json cannot be read');
  });

  it('has presets by name', async () => {
    const presets = await readPack(file('p.json', JSON.stringify(pack)));
    expect(presetNamed(presets, 'small').cases).toHaveLength(1);
    expect(() => presetNamed(presets, 'smal')).toThrow('there is no preset "smal"; did you mean "small"?');
  });
});
