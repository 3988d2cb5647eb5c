// npm run rules [pack…]: compiles the packs in rules/ to src/detect/packs/, which is what the product loads.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'smol-toml';
import type { BuiltinPack } from '../src/detect/builtin.ts';
import { generators } from '../src/detect/checks/generators.ts';
import { compilePack, packProblems, readPack } from '../src/detect/pack.ts';
import type { RuleSource } from '../src/detect/rule.ts';

export const builtinPacks: readonly BuiltinPack[] = ['secrets', 'pii', 'paths'];

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Names the rules of one pack, in the order that decides who names a find: the generic ones stand last. */
export function readRules(name: BuiltinPack): readonly RuleSource[] {
  const folder = join(root, 'rules', name);
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.toml'))
    .sort((a, b) => Number(a === 'generic.toml') - Number(b === 'generic.toml') || (a < b ? -1 : 1));
  return files.flatMap((file) => {
    try {
      return readPack(parse(readFileSync(join(folder, file), 'utf8')));
    } catch (error) {
      throw new Error(`rules/${name}/${file}: ${error instanceof Error ? error.message : error}`);
    }
  });
}

/** The module that holds a pack. */
export function packModule(name: BuiltinPack): string {
  const compiled = compilePack(readRules(name), name);
  const json = JSON.stringify(JSON.stringify(compiled));
  return `// Made by \`npm run rules\` from rules/${name}/; do not edit.\nimport type { CompiledRule } from '../rule.ts';\n\nexport const ${name}: readonly CompiledRule[] = JSON.parse(\n  ${json},\n);\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const wanted = process.argv.slice(2);
  for (const name of builtinPacks) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const code = packModule(name);
    writeFileSync(join(root, 'src', 'detect', 'packs', `${name}.ts`), code);
    const rules = readRules(name);
    const problems = packProblems(rules, compilePack(rules, name), generators);
    for (const problem of problems) process.stderr.write(`${problem}\n`);
    process.stdout.write(
      `${name}: ${rules.length} rules, ${Math.round(code.length / 1024)} KiB, ${problems.length} examples fail\n`,
    );
    if (problems.length > 0) process.exitCode = 1;
  }
}
