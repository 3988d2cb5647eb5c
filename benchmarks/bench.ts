// npm run bench [name]: runs benchmarks and prints one table each: ours, the peer or floor, the ratio, in one run.

import { audit } from './audit.ts';
import { changes } from './changes.ts';
import { codemode } from './codemode.ts';
import { commands } from './commands.ts';
import { detect } from './detect.ts';
import { gateway } from './gateway.ts';
import { hooks } from './hooks.ts';
import { ledger } from './ledger.ts';
import { llm } from './llm.ts';
import { policy } from './policy.ts';
import { query } from './query.ts';
import { spine } from './spine.ts';
import { type Benchmark, printTable } from './table.ts';
import { tool } from './tool.ts';

const benchmarks: Readonly<Record<string, Benchmark>> = {
  spine,
  ledger,
  detect,
  commands,
  hooks,
  policy,
  tool,
  changes,
  llm,
  query,
  codemode,
  gateway,
  audit,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(benchmarks, name));
if (unknown.length > 0 || wanted.includes('--help')) {
  process.stderr.write(`Usage: npm run bench [name…]   names: ${Object.keys(benchmarks).join(', ')}\n`);
  process.exit(wanted.includes('--help') ? 0 : 2);
}
let missed = 0;
for (const [name, benchmark] of Object.entries(benchmarks)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  process.stderr.write(`${name} …\n`);
  missed += printTable(name, await benchmark((text) => process.stderr.write(`  ${text}\n`)));
}
process.exitCode = missed === 0 ? 0 : 1;
