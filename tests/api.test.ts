// docs/api.md lists the exports of the package, each with a sentence, and its examples run; docs/api.d.ts declares them.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeApiPages } from '../scripts/api.ts';
import { cliEntry } from './support/bundle.ts';
import { temporaryFolder } from './support/ledger.ts';

/** The package as it is published. */
const folder = dirname(dirname(cliEntry()));
const pages = makeApiPages(join(folder, 'dist/types'));
const found = pages[0]?.found ?? '';
const declared = pages[1]?.found ?? '';
/** What is written by hand, and the list of each entry. */
const [written = '', ...made] = found.split(/<!-- generated: (?=exports)/);
const lists = made.map((part) => part.split('<!-- end of generated -->')[0] ?? '');

function blocks(text: string, language: string): readonly string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, block = '']) => block,
  );
}

describe('the list of exports', () => {
  it('is current', () => {
    for (const { path, found, wanted } of pages)
      expect(found, `${path} is not current: run npm run api`).toBe(wanted);
  });

  it('has the values that the entries export, and no others', async () => {
    for (const [at, entry] of ['index', 'ai', 'query'].entries()) {
      const names = Object.keys(await import(join(folder, `dist/${entry}.mjs`)));
      const listed = [...(lists[at] ?? '').matchAll(/^- `(\w+)`:/gm)];
      expect(listed.map(([, name]) => name).sort()).toEqual(names.sort());
    }
  });

  it('says a sentence of each', () => {
    const [exported = ''] = declared.split('// ── Types without an export');
    const bare = [...exported.matchAll(/(?<!\*\/\n)^(?:interface|type|class|const|function) (\w+)/gm)];
    expect(bare.map(([, name]) => name)).toEqual([]);
  });
});

describe('the snippet', () => {
  const snippets = blocks(written, 'ts');
  it.each(snippets.map((snippet, index) => [index + 1, snippet] as const))(
    '%i prints what it says',
    (index, snippet) => {
      const home = temporaryFolder();
      mkdirSync(join(home, 'work'));
      writeFileSync(join(home, 'sallyport.toml'), blocks(written, 'toml').join('\n'), { mode: 0o600 });
      // Inside the package, where its own name leads to it.
      const file = join(folder, `snippet-${index}.mjs`);
      writeFileSync(file, snippet);
      try {
        const { stdout, stderr, status } = spawnSync(process.execPath, [file], {
          cwd: join(home, 'work'),
          env: { PATH: process.env['PATH'], HOME: home, SALLYPORT_HOME: home },
          encoding: 'utf8',
        });
        const said = [...snippet.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text]) => text);
        expect(said.length).toBeGreaterThan(0);
        expect({ stdout: stdout.trimEnd().split('\n'), status, stderr }).toEqual({
          stdout: said,
          status: 0,
          stderr: '',
        });
      } finally {
        rmSync(file);
      }
    },
  );

  it('is there for each entry', () => {
    for (const entry of ['sallyport', 'sallyport/ai', 'sallyport/query'])
      expect(snippets.join('')).toContain(`from '${entry}'`);
  });
});

describe('the listing itself', () => {
  it('changes with a signature, and with a type that one mentions', () => {
    const copy = temporaryFolder();
    spawnSync('cp', ['-r', join(folder, 'dist/types'), join(copy, 'types')]);
    for (const [file, from, to] of [
      ['surfaces/sdk/query.d.ts', 'readonly dryRun?: boolean', 'readonly dryRun: boolean'],
      ['core/json.d.ts', 'readonly JsonValue[]', 'JsonValue[]'],
    ] as const) {
      const path = join(copy, 'types', file);
      const before = readFileSync(path, 'utf8');
      expect(before).toContain(from);
      writeFileSync(path, before.replace(from, to));
      expect(makeApiPages(join(copy, 'types'))[1]?.wanted).not.toBe(declared);
      writeFileSync(path, before);
    }
    expect(makeApiPages(join(copy, 'types'))[1]?.wanted).toBe(declared);
  });
});
