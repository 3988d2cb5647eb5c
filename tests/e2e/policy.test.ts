// Policies on the real command line: what each word prints, and how it ends.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig, unlockApprover } from '../../src/config/index.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { avpEnvironment, avpServer } from '../support/avp.ts';
import { cli, jsonLines, newPlace, type Place } from '../support/cli.ts';
import { ownerOf } from '../support/person.ts';

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

it('config check and policy check name what the schema of a source does not have', async () => {
  const place = placeWith(forbidsCurl);
  const schema = join(place.home, 'shop.sql');
  writeFileSync(schema, 'CREATE TABLE public.suppliers (id int, phone text);');
  const config = (table: string) =>
    writeFileSync(
      join(place.home, 'sallyport.toml'),
      `[sources.shop]\nkind = "postgres"\nschema = "${schema}"\n[sources.shop.code_mode]\nsql_blocked_tables = ["${table}"]\n`,
    );
  config('public.supliers');
  const message =
    'sources.shop: sql_blocked_tables has "public.supliers", which its schema does not; did you mean "suppliers"?';
  for (const word of ['config', 'policy']) {
    const { status, stdout } = await cli(place, [word, 'check']);
    expect([status, stdout]).toEqual([1, expect.stringContaining(message)]);
  }
  config('public.suppliers');
  for (const word of ['config', 'policy']) expect((await cli(place, [word, 'check'])).status).toBe(0);
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

describe('policy format', () => {
  const crooked = '// why\n@id("a") forbid(principal,action,resource)when{context.changes};\n';
  const straight = '// why\n@id("a")\nforbid (principal, action, resource)\nwhen { context.changes };\n';

  it('prints a file as it should be, and writes it where it is told to', async () => {
    const place = newPlace();
    const file = join(place.workspace, 'own.cedar');
    writeFileSync(file, crooked);
    const printed = await cli(place, ['policy', 'format', 'own.cedar']);
    expect([printed.status, printed.stdout, readFileSync(file, 'utf8')]).toEqual([1, straight, crooked]);
    const written = await cli(place, ['policy', 'format', '--write', 'own.cedar']);
    expect([written.status, written.stdout, readFileSync(file, 'utf8')]).toEqual([
      0,
      'own.cedar: formatted\n',
      straight,
    ]);
    const again = await cli(place, ['policy', 'format', '--json', 'own.cedar']);
    expect([again.status, JSON.parse(again.stdout)]).toEqual([
      0,
      { file: 'own.cedar', formatted: true, text: straight },
    ]);
  });

  it('leaves alone what is no policy', async () => {
    const place = newPlace();
    const file = join(place.workspace, 'own.cedar');
    writeFileSync(file, 'forbid (');
    expect((await cli(place, ['policy', 'format', '--write', 'own.cedar'])).status).toBe(2);
    expect(readFileSync(file, 'utf8')).toBe('forbid (');
    expect((await cli(place, ['policy', 'format'])).status).toBe(2);
    expect((await cli(place, ['policy', 'format', 'none.cedar'])).status).toBe(2);
  });
});

describe('policy test', () => {
  const policies =
    '@id("guests_read") forbid (principal in Tenant::"guests", action in [CodeMode::Action::"Write", CodeMode::Action::"Delete"], resource);\n';
  const shop = (place: Place) => {
    const schema = join(place.home, 'schema.sql');
    writeFileSync(schema, 'CREATE TABLE orders (id INTEGER, total INTEGER);');
    return `[sources.shop]\nkind = "sqlite"\nschema = "${schema}"\n[sources.shop.code_mode]\nsql_allow_writes = true\n`;
  };
  const run = async (tests: string, ...more: string[]) => {
    const place = placeWith(policies);
    const config = join(place.home, 'sallyport.toml');
    writeFileSync(config, `${readFileSync(config, 'utf8')}${shop(place)}`);
    writeFileSync(join(place.workspace, 'tests.toml'), tests);
    return await cli(place, ['policy', 'test', 'tests.toml', ...more]);
  };
  const change =
    'source = "shop"\nquery = "UPDATE orders SET total = :t WHERE id = 1"\nvariables = { t = 1 }\n';
  const good = `[[test]]
name = "guests do not write"
${change}tenant = "guests"
expect = "block"
rules = ["guests_read"]
[[test]]
${change}expect = "approve"
[[test]]
name = "everybody reads"
source = "shop"
query = "SELECT id FROM orders"
tenant = "guests"
expect = "pass"
[[test]]
action = { kind = "shell", command = "rm -rf /" }
mode = "auto"
agent = "nightly"
expect = "block"
`;

  it('passes where every action gets the decision that is expected', async () => {
    const { status, stdout } = await run(good);
    expect([status, stdout]).toEqual([
      0,
      'ok     guests do not write\nok     test 2: UPDATE orders SET total = :t WHERE id = 1\nok     everybody reads\nok     test 4\nAll 4 pass.\n',
    ]);
  });

  it('fails where one does not, or another rule hit, and says so', async () => {
    const wrong = `[[test]]\n${change}expect = "pass"\n[[test]]\n${change}expect = "approve"\nrules = ["guests_read"]\n`;
    const { status, stdout } = await run(wrong);
    expect(status).toBe(1);
    expect(stdout).toContain('expected PASS, got APPROVE by query_changes');
    expect(stdout).toContain('these did not hit: guests_read');
    expect(stdout).toContain('2 of 2 fail.');
    const { stdout: json } = await run(wrong, '--json');
    expect(JSON.parse(json)).toMatchObject({
      ok: false,
      tests: 2,
      failed: 2,
      outcomes: [{ ok: false, expected: 'pass', decision: 'approve' }, { missing: ['guests_read'] }],
    });
  });

  it.each([
    ['no test', 'test = []', 'there is no test in it'],
    ['nothing', '', '"test" is missing'],
    ['an unknown key', `[[test]]\n${change}expect = "pass"\nrule = "x"`, 'rule'],
    ['an unknown decision', `[[test]]\n${change}expect = "allow"`, 'expect'],
    ['no such source', '[[test]]\nsource = "none"\nquery = "x"\nexpect = "pass"', 'there is no source'],
    ['neither of both', '[[test]]\nexpect = "pass"', 'an action, or a source and a query'],
    [
      'both',
      `[[test]]\n${change}action = { kind = "shell", command = "ls" }\nexpect = "pass"`,
      'an action, or',
    ],
    ['no TOML', '[[test', 'tests.toml'],
  ])('fails for a file with %s', async (_, tests, message) => {
    const { status, stderr } = await run(tests);
    expect([status, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});

describe('policies that are kept', () => {
  it('are listed, checked and explained with the files', async () => {
    const place = placeWith(forbidsCurl);
    const empty = await cli(place, ['policy', 'list']);
    expect([empty.status, empty.stdout]).toEqual([0, 'The ledger has no policies.\n']);
    await ownerOf(place, 'correct horse battery');
    const { ledger: options } = await loadConfig({ home: place.home, environment: {} });
    const ledger = await openLedger(place.home, options);
    const signer = await unlockApprover(place.home, 'correct horse battery');
    const by = { user: 'ann', tenant: 'local', now: 1, sign: signer.sign };
    await ledger.policies.create('no_ls', 'forbid (principal, action == Action::"shell", resource);', by);
    await ledger.close();
    const listed = await cli(place, ['policy', 'list']);
    expect(listed.stdout).toBe(
      'no_ls  version 1, by ann\n  forbid (principal, action == Action::"shell", resource);\n',
    );
    const explained = await cli(place, ['policy', 'explain', '{"kind":"shell","command":"ls"}']);
    expect([explained.status, explained.stdout]).toEqual([1, expect.stringContaining('BLOCK no_ls')]);
    expect((await cli(place, ['policy', 'check'])).stdout).toContain('kept/no_ls: 1 policy');
    const { status } = await cli(place, ['decide', '{"kind":"shell","command":"ls"}']);
    expect(status).toBe(1);
  });
});

it('policy list shows those of a policy store, and fails where it is gone', async () => {
  const server = await avpServer('PSlist');
  const place = newPlace();
  mkdirSync(place.home, { mode: 0o700 });
  const named = 'policy_engine = "avp"\npolicy_store_id = "PSlist"\nregion = "eu-west-1"\n';
  writeFileSync(join(place.home, 'sallyport.toml'), `[code_mode]\n${named}`);
  const statement = 'forbid (principal, action, resource is CodeMode::Server);';
  server.policies.set('P1', { statement, createdDate: 1, lastUpdatedDate: 1 });
  const environment = avpEnvironment(server.url);
  const listed = await cli(place, ['policy', 'list'], { environment });
  expect([listed.status, listed.stdout]).toEqual([
    0,
    `P1  version 1970-01-01T00:00:01.000Z\n  ${statement}\n`,
  ]);
  await server.stop();
  const gone = await cli(place, ['policy', 'list'], { environment });
  expect([gone.status, gone.stderr]).toEqual([1, expect.stringContaining('cannot be asked')]);
});

it('policy schema prints what check holds policies to', async () => {
  expect((await cli(newPlace(), ['policy', 'schema'])).stdout).toContain('entity Agent in [User];');
});
