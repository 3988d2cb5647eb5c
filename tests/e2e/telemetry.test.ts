// Telemetry as an operator gets it: a provider that is registered before Sallyport starts, and told of the work.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { cli, jsonLines, newPlace } from '../support/cli.ts';
import { sandboxMissing } from '../support/command.ts';

/** Calls a command with the provider of the docs, under a configuration. */
function called(configuration: string, args: readonly string[]) {
  const place = newPlace();
  mkdirSync(place.home, { mode: 0o700 });
  writeFileSync(join(place.home, 'sallyport.toml'), configuration);
  const provider = resolve('examples/telemetry/otel.mjs');
  return cli(place, args, { environment: { NODE_OPTIONS: `--import ${provider}` } });
}

const rm = ['decide', '{"kind":"shell","command":"rm -rf /"}'];

it('prints a decision as a span and as numbers, without what was decided about', async () => {
  const { status, stdout, stderr } = await called('[telemetry]\nenabled = true\n', rm);
  expect(status).toBe(1);
  const { decisionId } = JSON.parse(stdout);
  const lines = jsonLines(stderr);
  expect(lines.find(({ span }) => span === 'sallyport.decide')).toMatchObject({
    attributes: {
      'sallyport.kind': 'shell',
      'sallyport.decision': 'block',
      'sallyport.rules': ['mass_deletion'],
      'sallyport.decision_id': decisionId,
    },
  });
  expect(lines.map(({ metric }) => metric)).toEqual(
    expect.arrayContaining(['sallyport.decisions', 'sallyport.decision.duration']),
  );
  expect(stderr).not.toContain('rm -rf');
});

it('tells nobody anything unless it is asked for', async () => {
  const { status, stderr } = await called('', rm);
  expect(status).toBe(1);
  expect(stderr).toBe('');
});

it.skipIf(sandboxMissing !== null)('shows a command that ran under its decision', async () => {
  const args = ['exec', '--json', '-c', 'echo a word of ann'];
  const { stdout, stderr } = await called('[telemetry]\nenabled = true\n', args);
  expect(JSON.parse(stdout)).toMatchObject({ exit_code: 0, stdout: 'a word of ann\n' });
  expect(jsonLines(stderr).find(({ span }) => span === 'sallyport.execute')).toMatchObject({
    attributes: { 'sallyport.kind': 'shell', 'sallyport.sandboxed': true, 'process.exit.code': 0 },
  });
  expect(stderr).not.toContain('word of ann');
});
