// npm run bench [name…] [-- --save]: runs benchmarks and prints one table each: ours, the peer or floor, the ratio,
// in one run. With --save the figures are kept, for npm run report.

import { audit } from './audit.ts';
import { changes } from './changes.ts';
import { codemode } from './codemode.ts';
import { commands } from './commands.ts';
import { day } from './day.ts';
import { detect } from './detect.ts';
import { gateway } from './gateway.ts';
import { hooks } from './hooks.ts';
import { ledger } from './ledger.ts';
import { llm } from './llm.ts';
import { long } from './long.ts';
import { policy } from './policy.ts';
import { query } from './query.ts';
import { takeAll } from './results.ts';
import { spine } from './spine.ts';
import { type Benchmark, printTable } from './table.ts';
import { tool } from './tool.ts';

const benchmarks: Readonly<Record<string, Benchmark>> = {
  spine,
  ledger,
  detect,
  commands,
  hooks,
  day,
  policy,
  tool,
  changes,
  llm,
  long,
  query,
  codemode,
  gateway,
  audit,
};

const takes = Object.entries(benchmarks).map(([name, benchmark]) => {
  const take = async (progress: (text: string) => void) => printTable(name, await benchmark(progress)) === 0;
  return [name, take] as const;
});
await takeAll('bench', Object.fromEntries(takes));
