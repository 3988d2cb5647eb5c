// npm run rules: compiles the packs in rules/ to src/detect/packs/, which is what the product loads.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'smol-toml';
import { generators } from '../src/detect/checks/generators.ts';
import { compileRule, ownLimits } from '../src/detect/compile.ts';
import type { BuiltinPack } from '../src/detect/index.ts';
import { compilePack, packProblems, readPack } from '../src/detect/pack.ts';
import type { RuleSource } from '../src/detect/rule.ts';
import { shortened } from '../src/detect/ruleset.ts';

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

// Patterns of secrets look like secrets to a scanner.
const head = '// Made by `npm run rules` from rules/; do not edit. sallyport:allow-file\n';

/** The module that holds a pack. */
export function packModule(name: BuiltinPack): string {
  const parts = sharedParts();
  const compiled = compilePack(readRules(name), name).map((rule) => ({
    ...rule,
    source: shortened(rule.source, parts),
    partial: shortened(rule.partial, parts),
  }));
  const json = oneALine(compiled).replace(/[\\`]|\$(?=\{)/g, '\\$&');
  return `${head}import type { CompiledRule } from '../rule.ts';\n\nexport const ${name}: readonly CompiledRule[] = JSON.parse(\`${json}\`);\n`;
}

/** The module that holds the parts that stored patterns share. */
export function shorthandModule(): string {
  return `${head}export const shorthand: readonly string[] = ${oneALine(sharedParts())};\n`;
}

/** JSON with one item on each line, so that a changed rule is one changed line. */
function oneALine(items: readonly unknown[]): string {
  return `[\n${items.map((item) => JSON.stringify(item)).join(',\n')}\n]`;
}

/** What two rules of each form have in common around what is their own, longest first. */
function sharedParts(): readonly string[] {
  const form = { name: 'x', kind: 'x' };
  const compile = (fields: object) => compileRule({ id: 'x', ...form, ...fields }, 'secrets', ownLimits);
  const pairs = [
    [compile({ keywords: ['q'], pattern: 'q[0-9]' }), compile({ keywords: ['q'], pattern: 'q[a-z]' })],
    [compile({ assigned: ['q'], value: '[0-9]' }), compile({ assigned: ['q'], value: '[a-z]' })],
  ] as const;
  const parts = pairs.flatMap(([one, other]) =>
    (['source', 'partial'] as const).flatMap((field) => commonEnds(one[field], other[field])),
  );
  return [...new Set(parts)].filter(({ length }) => length > 12).sort((a, b) => b.length - a.length);
}

/** What two texts begin and end with alike, without the word that is their own. */
function commonEnds(a: string, b: string): readonly string[] {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const word = /\(\?:\[Qq\]\)|q/;
  const pieces = [a.slice(0, start), a.slice(a.length - end)];
  return pieces.flatMap((piece) => piece.split(word));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // All or nothing: packs and the parts that they share belong together.
  const modules = builtinPacks.map((name) => [name, packModule(name)] as const);
  const place = (name: string) => join(root, 'src', 'detect', 'packs', `${name}.ts`);
  writeFileSync(place('shorthand'), shorthandModule());
  for (const [name, code] of modules) {
    writeFileSync(place(name), code);
    const rules = readRules(name);
    const problems = packProblems(rules, compilePack(rules, name), generators);
    for (const problem of problems) process.stderr.write(`${problem}\n`);
    process.stdout.write(
      `${name}: ${rules.length} rules, ${Math.round(code.length / 1024)} KiB, ${problems.length} examples fail\n`,
    );
    if (problems.length > 0) process.exitCode = 1;
  }
}
