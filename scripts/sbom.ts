// npm run --silent sbom > sbom.json: a CycloneDX document of everything that is in the package or installed with it.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
}

/** The parts of a CycloneDX document that are read here. */
export interface Sbom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** What the console's page is made of: it is in the package, though nobody installs it. */
export const inThePage = ['@noble/hashes', 'react', 'react-dom', 'react-diff-view'];

/**
 * The document, from the lock file alone. npm's own `--omit dev` leaves out what both the package and a tool of ours
 * need, so all of it is asked for, and what can be reached from the package is kept.
 */
export function makeSbom(): Sbom {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`);
  const all: Sbom = JSON.parse(stdout);
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const direct = [
    ...Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }),
    ...inThePage,
  ];
  const below = new Map(all.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const own = all.metadata.component['bom-ref'];
  const first = (below.get(own) ?? []).filter((ref) => direct.includes(ref.slice(0, ref.lastIndexOf('@'))));
  const kept = new Set<string>();
  for (const open = [...first]; open.length > 0; ) {
    const ref = open.pop();
    if (ref === undefined || kept.has(ref)) continue;
    kept.add(ref);
    open.push(...(below.get(ref) ?? []));
  }
  return {
    ...all,
    // npm names it after the folder that it lies in.
    metadata: { ...all.metadata, component: { ...all.metadata.component, name: manifest.name } },
    components: all.components.filter((component) => kept.has(component['bom-ref'])),
    dependencies: [{ ref: own, dependsOn: first }, ...all.dependencies.filter(({ ref }) => kept.has(ref))],
  };
}

if (import.meta.main) process.stdout.write(`${JSON.stringify(makeSbom(), null, 2)}\n`);
