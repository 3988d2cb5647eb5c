// npm run metamorphic [COUNT [SEED]]: makes so many dangerous commands, proves each in the sandbox, and shows which
// of the proven ones the guard lets pass.

import { commandJudge, shellAction } from '../support/command-judge.ts';
import { composedCases, singleCases } from './generator.ts';
import { createOracle, oracleProblem } from './oracle.ts';

const [count = 2000, seed = 1] = process.argv.slice(2).map(Number);
if (!Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(seed)) {
  process.stderr.write('Usage: npm run metamorphic [COUNT [SEED]]\n');
  process.exit(2);
}
const problem = oracleProblem();
if (problem !== null) {
  process.stderr.write(`nothing was proven: ${problem}\n`);
  process.exit(2);
}
const judge = commandJudge();
const oracle = createOracle();
try {
  const single = singleCases(8, seed);
  const composed = composedCases(Math.max(0, count - single.length), seed);
  const cases = [...single, ...composed].slice(0, count);
  const shown = process.stderr.isTTY ? 100 : 5000;
  const proven = await oracle.prove(cases, (done) => {
    if (done % shown === 0)
      process.stderr.write(`${process.stderr.isTTY ? '\r' : ''}${done} of ${cases.length} run\n`);
  });
  const verdicts = { pass: 0, ask: 0, block: 0 };
  for (const { command, payload, through } of proven) {
    const { stop } = await judge(shellAction(command));
    verdicts[stop]++;
    if (stop !== 'pass') continue;
    const names = through.map(({ name }) => name).join(' > ');
    process.stdout.write(`passed: ${payload.name}, ${names}\n  ${JSON.stringify(command)}\n`);
  }
  const unproven = Math.round(((cases.length - proven.length) * 1000) / cases.length) / 10;
  process.stdout.write(
    `seed ${seed}: ${cases.length} generated, ${proven.length} proven (${unproven} % did not do what they say and do not count), ` +
      `${verdicts.block} blocked, ${verdicts.ask} asked, ${verdicts.pass} passed\n`,
  );
  process.exitCode = verdicts.pass === 0 ? 0 : 1;
} finally {
  oracle.close();
}
