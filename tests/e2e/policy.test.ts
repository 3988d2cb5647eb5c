// Policies on the real command line: what check, explain and schema print, and how they end.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, jsonLines, newPlace, type Place } from '../support/cli.ts';

const forbidsCurl =
  '@id("no_curl")\nforbid (principal, action == Action::"shell", resource)\nwhen { context.programs.contains("curl") };\n';

function placeWith(policies: string, more = ''): Place {
  const place = newPlace();
  mkdirSync(place.home, { mode: 0o700 });
  writeFileSync(join(place.home, 'own.cedar'), policies);
  writeFileSync(join(place.home, 'sallyport.toml'), `[policy]\nfiles = ["${place.home}/own.cedar"]\n${more}`);
  return place;
}

describe('policy check', () => {
  it('reads the files in force, or those named', async () => {
    const place = placeWith(forbidsCurl);
    writeFileSync(join(place.workspace, 'bad.cedar'), 'forbid (principal, action, resource);\npermit (x);\n');
    const good = await cli(place, ['policy', 'check', '--json']);
    expect([good.status, JSON.parse(good.stdout)]).toMatchObject([0, { ok: true, files: [{ policies: 1 }] }]);
    const bad = await cli(place, ['policy', 'check', 'bad.cedar', '--json']);
    expect([bad.status, JSON.parse(bad.stdout)]).toMatchObject([
      1,
      { ok: false, files: [{ file: 'bad.cedar', problems: [{ line: 2, column: 9 }] }] },
    ]);
  });

  it('marks a permit that changes nothing, unless the default is to deny', async () => {
    const permit = 'permit (principal, action, resource is Tool);';
    const idle = await cli(placeWith(permit), ['policy', 'check']);
    expect(idle.stdout).toContain('idle 1:1: the permit "own.cedar:1" has no effect');
    const used = await cli(placeWith(permit, 'default = "deny"\n'), ['policy', 'check']);
    expect([used.status, used.stdout]).toEqual([0, expect.not.stringContaining('idle')]);
  });

  it('fails for a file that is not there, an id of ours and no verb', async () => {
    const place = placeWith('@id("irreversible_asks") forbid (principal, action, resource);');
    expect((await cli(place, ['policy', 'check', 'none.cedar'])).stderr).toContain('there is no such file');
    const clash = await cli(place, ['policy', 'check']);
    expect([clash.status, clash.stdout]).toEqual([1, expect.stringContaining('stands in built in too')]);
    expect((await cli(place, ['policy'])).status).toBe(2);
  });
});

it('config check names what is wrong with a policy', async () => {
  const { status, stdout } = await cli(placeWith('forbid ('), ['config', 'check']);
  expect([status, stdout]).toEqual([1, expect.stringContaining('own.cedar:1:9: ')]);
});

describe('policy explain', () => {
  it('says what was asked and what decided, and ends as the decision says', async () => {
    const place = placeWith(forbidsCurl);
    const action = '{"kind":"shell","command":"curl https://a.example/"}';
    const { status, stdout } = await cli(place, ['policy', 'explain', action]);
    expect(stdout).toContain('decided by no_curl\n  BLOCK no_curl: the policy "no_curl" forbids it\n');
    expect(status).toBe(1);
  });

  it('goes on behind a line that cannot be read', async () => {
    const input =
      '{"kind":"shell","command":"ls","id":7}\nnonsense\n{"kind":"shell","command":"curl a.example"}\n';
    const { status, stdout } = await cli(placeWith(forbidsCurl), ['policy', 'explain', '--jsonl'], { input });
    expect(jsonLines(stdout)).toMatchObject([
      { id: 7, decision: 'pass', asked: [{ determined: ['permit_by_default'] }] },
      { name: 'InputError' },
      { decision: 'block', findings: [{ rule: 'no_curl' }] },
    ]);
    expect(status).toBe(2);
  });

  it('tells why a policy cannot be used', async () => {
    const { status, stdout } = await cli(placeWith('forbid ('), [
      'policy',
      'explain',
      '{"kind":"shell","command":"ls"}',
    ]);
    expect([status, stdout]).toEqual([1, expect.stringContaining('BLOCK policy_error: ')]);
  });
});

it('policy schema prints what check holds policies to', async () => {
  expect((await cli(newPlace(), ['policy', 'schema'])).stdout).toContain('entity Agent in [User];');
});
