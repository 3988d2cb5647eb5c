// A clone runs the bundle of exactly its sources, made by a process that no command waits for.

import { existsSync, mkdirSync, readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from './support/ledger.ts';

interface SourceBundle {
  stateOf(root: string): { readonly key: string; readonly newest: number };
  sourceBundle(root: string): string | null;
}

const { stateOf, sourceBundle }: SourceBundle = createRequire(import.meta.url)(
  '../scripts/source-bundle.cjs',
);

/** A clone whose build makes a bundle of one file, and that nobody edited for an hour. */
function newClone(): string {
  const root = temporaryFolder();
  for (const folder of ['src/a', 'scripts', 'node_modules'])
    mkdirSync(join(root, folder), { recursive: true });
  const build = `import { mkdirSync, writeFileSync, appendFileSync } from 'node:fs';
const [, folder] = process.argv.slice(2);
mkdirSync(folder);
appendFileSync('${root}/made', 'once ');
writeFileSync(folder + '/cli.cjs', '');`;
  write(root, 'scripts/build.mjs', build);
  write(root, 'package-lock.json', '{}');
  write(root, 'src/a/one.ts', 'export const one = 1;');
  write(root, 'src/a/one.test.ts', '');
  return root;
}

function write(root: string, name: string, text: string, hoursAgo = 1): void {
  const file = join(root, name);
  writeFileSync(file, text);
  const time = new Date(Date.now() - hoursAgo * 3_600_000);
  utimesSync(file, time, time);
}

describe('the state of the sources', () => {
  it.each<[string, (root: string) => void]>([
    ['another content', (root) => write(root, 'src/a/one.ts', 'export const one = 22;')],
    ['another time', (root) => write(root, 'src/a/one.ts', 'export const one = 1;', 2)],
    ['another name', (root) => renameSync(join(root, 'src/a/one.ts'), join(root, 'src/a/two.ts'))],
    ['a new file', (root) => write(root, 'src/b.ts', '')],
    ['other packages', (root) => write(root, 'package-lock.json', '{ }')],
  ])('is another with %s', (_, change) => {
    const root = newClone();
    const before = stateOf(root).key;
    expect(stateOf(root).key).toBe(before);
    change(root);
    expect(stateOf(root).key).not.toBe(before);
  });

  it('is the same with another test', () => {
    const root = newClone();
    const before = stateOf(root);
    write(root, 'src/a/one.test.ts', 'more', 0);
    expect(stateOf(root)).toEqual(before);
  });
});

describe('the bundle of a clone', () => {
  it('is made behind, once, and is there for the next command', async () => {
    vi.stubEnv('CI', '');
    const root = newClone();
    expect(sourceBundle(root)).toBeNull();
    expect(sourceBundle(root)).toBeNull();
    await vi.waitFor(() => expect(sourceBundle(root)).not.toBeNull(), { timeout: 30_000, interval: 50 });
    const folder = sourceBundle(root)!;
    expect(folder.endsWith(stateOf(root).key)).toBe(true);
    expect(readdirSync(folder)).toEqual(['cli.cjs']);
    write(root, 'src/a/one.ts', 'export const one = 2;');
    expect(sourceBundle(root)).toBeNull();
  });

  it('is not made while somebody edits, nor in a pipeline', () => {
    vi.stubEnv('CI', '');
    const edited = newClone();
    write(edited, 'src/a/one.ts', 'export const one = 3;', 0);
    expect(sourceBundle(edited)).toBeNull();
    vi.stubEnv('CI', 'true');
    const piped = newClone();
    expect(sourceBundle(piped)).toBeNull();
    for (const root of [edited, piped]) expect(existsSync(join(root, 'node_modules/.cache'))).toBe(false);
  });
});
