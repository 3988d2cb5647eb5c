// npm run release -- VERSION [--dry-run]: cuts a release. It writes the version wherever it stands, gives the changelog its
// date, and makes the tarball, the bill of materials and their checksums in artifacts/. You commit, tag and publish.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeSbom } from './sbom.ts';
import { pack } from './tarball.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const usage = `Usage: npm run release -- VERSION [--dry-run]
Example: npm run release -- 0.3.0

Writes the version and the date of the changelog, and makes artifacts/VERSION: tarball, SBOM and checksums.
--dry-run only names the files that it would write.
`;

/** Where the version stands, and the text before and after it. */
const places: readonly (readonly [file: string, before: string, after: string])[] = [
  ['package.json', '"version": "', '"'],
  ['src/cli/version.ts', "version = '", "'"],
  ['deploy/compose.yaml', 'image: sallyport:', '\n'],
  ['clients/python/pyproject.toml', '\nversion = "', '"'],
  ['docs/get-started.md', './sallyport-', '.tgz'],
  ['docs/get-started.md', 'Sallyport ', ' on Node'],
];

/** Texts with the version and the date of a release; throws if one lacks its place. */
export function versioned(
  texts: ReadonlyMap<string, string>,
  version: string,
  day: string,
): ReadonlyMap<string, string> {
  const current = JSON.parse(texts.get('package.json') ?? '{}').version;
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`"${version}" is not a version such as 1.2.3`);
  if (!isLater(version, current)) throw new Error(`${version} is not later than ${current}`);
  const changed = new Map<string, string>();
  for (const [file, before, after] of places) {
    const text = changed.get(file) ?? texts.get(file) ?? '';
    const found = `${before}${current}${after}`;
    if (text.split(found).length !== 2) throw new Error(`${file} does not have the version ${current} once`);
    changed.set(file, text.replace(found, `${before}${version}${after}`));
  }
  changed.set(
    'package-lock.json',
    (texts.get('package-lock.json') ?? '').replaceAll(
      new RegExp(`("name": "sallyport",\\s+"version": ")${current}"`, 'g'),
      `$1${version}"`,
    ),
  );
  const log = texts.get('CHANGELOG.md') ?? '';
  if (!log.includes('## Unreleased\n')) throw new Error('CHANGELOG.md has no section "## Unreleased"');
  changed.set('CHANGELOG.md', log.replace('## Unreleased\n', `## Unreleased\n\n## ${version} (${day})\n`));
  return changed;
}

function isLater(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => text.split('.').map(Number));
  const at = a?.findIndex((number, index) => number !== b?.[index]) ?? -1;
  return at >= 0 && (a?.[at] ?? 0) > (b?.[at] ?? 0);
}

function git(...args: readonly string[]): string {
  return spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim();
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

if (import.meta.main) {
  const given = process.argv.slice(2);
  const dry = given.includes('--dry-run');
  const [version, ...more] = given.filter((word) => word !== '--dry-run');
  if (version === undefined || more.length > 0 || version.startsWith('-')) {
    const asked = given.includes('--help');
    (asked ? process.stdout : process.stderr).write(usage);
    process.exit(asked ? 0 : 2);
  }
  if (!dry && git('status', '--porcelain') !== '')
    throw new Error('The working tree has changes: commit or stash them first.');
  const files = [...new Set(places.map(([file]) => file)), 'package-lock.json', 'CHANGELOG.md'];
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  const changed = versioned(texts, version, new Date().toISOString().slice(0, 10));
  for (const [file, text] of changed) {
    if (!dry) writeFileSync(join(root, file), text);
    say(`${dry ? 'would write' : 'wrote'}  ${file}`);
  }
  if (!dry) makeArtifacts(version);
}

function makeArtifacts(version: string): void {
  const folder = join(root, 'artifacts', version);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  pack(folder);
  writeFileSync(join(folder, 'sbom.json'), `${JSON.stringify(makeSbom(), null, 2)}\n`);
  rmSync(join(folder, 'stage'), { recursive: true, force: true });
  const sums = readdirSync(folder)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}  ${name}\n`,
    );
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  for (const line of sums) process.stdout.write(line);
  say(`Everything is in artifacts/${version}. Next:`);
  say(`  npm test && git commit -am 'release ${version}' && git tag v${version}`);
  say(`  npm publish artifacts/${version}/sallyport-${version}.tgz`);
}
