// npm run contract [-- --check]: writes what others build on: the schema of a fixture, and the types of the clients,
// which are made from the OpenAPI document alone.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fixtureSchema } from '../src/cli/fixtures/fixture.ts';
import { version } from '../src/cli/version.ts';
import type { JsonObject } from '../src/core/index.ts';
import { openApi } from '../src/surfaces/http/index.ts';
import { formatted } from './pages.ts';
import { goTypes } from './types/go.ts';
import { pythonTypes } from './types/python.ts';
import { typescriptTypes } from './types/typescript.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Every file, and what must stand in it. */
export function contractFiles(): ReadonlyMap<string, string> {
  // As it comes from a daemon, so that nothing is used that the document does not say.
  const document: JsonObject = JSON.parse(JSON.stringify(openApi(version)));
  return new Map([
    ['tests/integration/guardrails/fixture.schema.json', `${JSON.stringify(fixtureSchema, null, 2)}\n`],
    ['clients/python/sallyport/types.py', pythonTypes(document)],
    ['clients/go/types.go', goTypes(document)],
    ['console/src/routes.ts', formatted('console/src/routes.ts', typescriptTypes(document))],
  ]);
}

/** The files that are not as they must be. */
export function staleFiles(): readonly string[] {
  return [...contractFiles()].filter(([path, wanted]) => found(path) !== wanted).map(([path]) => path);
}

function found(path: string): string | null {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return null;
  }
}

function main(args: readonly string[]): void {
  const check = args.includes('--check');
  if (args.some((argument) => argument !== '--check')) {
    process.stderr.write('Usage: npm run contract [-- --check]\n');
    process.exitCode = 2;
    return;
  }
  const files = contractFiles();
  const stale = staleFiles();
  for (const path of stale) {
    if (!check) writeFileSync(join(root, path), files.get(path) ?? '');
    process.stdout.write(`${path}: ${check ? 'not current' : 'written'}\n`);
  }
  if (stale.length === 0) process.stdout.write('The contract is current.\n');
  process.exitCode = check && stale.length > 0 ? 1 : 0;
}

if (import.meta.main) main(process.argv.slice(2));
