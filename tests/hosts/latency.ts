// npm run hosts:latency [-- --runs N]: ten `ls` in a real Claude Code, without a guard and with Sallyport in turn, and the
// median of each.

import { parseArgs } from 'node:util';
import { installPinned, versionOf } from './install.ts';
import { canSandbox, openSandbox } from './sandbox.ts';
import type { Session } from './session.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '5' } } });
const runs = Number(values.runs);
if (!Number.isInteger(runs) || runs < 1 || !canSandbox()) {
  process.stderr.write('Usage: npm run hosts:latency [-- --runs N]; it needs bubblewrap (bwrap)\n');
  process.exit(2);
}

const calls = 10;
const modules = installPinned();
const sandbox = openSandbox(modules);
const seconds = { none: [] as number[], sallyport: [] as number[] };
try {
  for (let run = 0; run < runs; run++) {
    for (const guard of ['none', 'sallyport'] as const) {
      const commands = Array.from({ length: calls }, () => 'ls');
      const ended = await sandbox.run('session.ts', [guard, modules, 'open', 'off', ...commands], 200_000);
      if (ended?.code !== 0) throw new Error(`the session with ${guard} did not end well`);
      const session: Session = JSON.parse(ended.output);
      const ran = session.results.filter((text) => text.includes('README.md')).length;
      if (ran !== calls) throw new Error(`only ${ran} of ${calls} commands ran with ${guard}`);
      seconds[guard].push(session.seconds);
    }
  }
} finally {
  sandbox.remove();
}
const median = (all: readonly number[]): number =>
  [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
const [alone, guarded] = [median(seconds.none), median(seconds.sallyport)];
const list = (all: readonly number[]) => all.map((value) => value.toFixed(2)).join(' ');
process.stdout.write(`claude ${versionOf(modules, '@anthropic-ai/claude-code')}, ${calls} ls, ${runs} runs
without a guard  ${alone.toFixed(2)} s   (${list(seconds.none)})
with Sallyport   ${guarded.toFixed(2)} s   (${list(seconds.sallyport)})
${(((guarded - alone) * 1000) / calls).toFixed(0)} ms a call
`);
