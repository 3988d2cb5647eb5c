import { chmodSync, chownSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/ledger.ts';
import { changeablePart } from './program.ts';

/** A group of the account that is looked at, and one that is not. */
const group = 65_533;
const otherGroup = 65_532;

/** A program as npm installs it for a whole machine. */
function program() {
  const root = realpathSync(temporaryFolder());
  chmodSync(root, 0o755);
  const packages = join(root, 'lib', 'node_modules');
  const own = join(packages, 'sallyport');
  for (const folder of ['bin', 'node_modules/inner']) mkdirSync(join(own, folder), { recursive: true });
  mkdirSync(join(packages, 'hoisted'));
  const files = {
    entry: join(own, 'bin', 'sallyport.cjs'),
    node: join(root, 'node'),
    inner: join(own, 'node_modules', 'inner', 'index.js'),
    hoisted: join(packages, 'hoisted', 'index.js'),
  };
  for (const file of Object.values(files)) writeFileSync(file, '', { mode: 0o755 });
  const look = () => changeablePart(files, { groups: [group] }, root);
  return { root, own, packages, ...files, look };
}

type Made = ReturnType<typeof program>;

it('whose folders somebody else can change is found out', () => {
  const { entry, node } = program();
  // Folders for temporary files are open to everybody, and so is what lies in them, one step up.
  expect(changeablePart({ entry, node }, { groups: [] })).toMatchObject({ why: expect.any(String) });
});

describe.runIf(process.geteuid?.() === 0)('the program of a system daemon', () => {
  it('is sound where everything is root’s', () => {
    expect(program().look()).toBeNull();
  });

  it('may be writable for a group that the account is not in', () => {
    const made = program();
    chownSync(made.entry, 0, otherGroup);
    chmodSync(made.entry, 0o775);
    expect(made.look()).toBeNull();
  });

  it('may link to itself', () => {
    const made = program();
    symlinkSync('../bin/sallyport.cjs', join(made.own, 'node_modules', 'link'));
    expect(made.look()).toBeNull();
  });

  const open = (path: string) => chmodSync(path, 0o757);
  const given = (path: string) => chownSync(path, 1000, 1000);
  const shared = (path: string) => {
    chownSync(path, 0, group);
    chmodSync(path, 0o775);
  };
  const parts: readonly (readonly [string, (made: Made) => string])[] = [
    ['the entry', ({ entry }) => entry],
    ['its folder', ({ own }) => join(own, 'bin')],
    ['the package', ({ own }) => own],
    ['a package in it', ({ inner }) => inner],
    ['a package beside it', ({ hoisted }) => hoisted],
    ['the folder of packages', ({ packages }) => packages],
    ['a folder above', ({ root }) => join(root, 'lib')],
    ['Node', ({ node }) => node],
    ['the folder of Node', ({ root }) => root],
  ];
  it.each(
    parts.flatMap(([name, part]) =>
      (
        [
          ['open to everybody', open],
          ['somebody’s', given],
          ['a group’s', shared],
        ] as const
      ).map(([how, change]) => [name, how, part, change] as const),
    ),
  )('is not sound where %s is %s', (_name, _how, part, change) => {
    const made = program();
    change(part(made));
    expect(made.look()).toMatchObject({ path: part(made) });
  });

  it('is not sound where a link leads to nothing', () => {
    const made = program();
    const link = join(made.own, 'node_modules', 'inner', 'link.js');
    symlinkSync('missing.js', link);
    expect(made.look()).toEqual({ path: link, why: 'leads to nothing' });
  });

  it('is as sound as what its links lead to', () => {
    const made = program();
    const other = join(made.root, 'other');
    mkdirSync(join(other, 'deep'), { recursive: true });
    symlinkSync(other, join(made.own, 'node_modules', 'linked'));
    expect(made.look()).toBeNull();
    given(join(other, 'deep'));
    expect(made.look()).toMatchObject({ path: join(other, 'deep') });
  });
});
