// The contract's fixtures hold in process and over HTTP, and in `auto` nothing of the closed list runs unanswered.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { settingsFrom, withTools } from '../../../src/config/index.ts';
import { type ActionOf, type JsonObject, outwardEffects, type ToolSpec } from '../../../src/core/index.ts';
import { createDecider, realWorld, takeClearance } from '../../../src/decide/index.ts';
import { testDaemon } from '../../support/daemon.ts';
import { context } from '../../support/decide.ts';
import { openTestLedger, person } from '../../support/ledger.ts';
import { fixtureDocuments } from './documents.ts';
import { fixtureFiles, readFixture, readFixtures } from './fixture.ts';
import { inProcess, overHttp, runFixtures } from './run.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const files = fixtureFiles(folder);
const failures = (outcomes: Awaited<ReturnType<typeof runFixtures>>) =>
  outcomes.flatMap(({ fixture, problems }) => problems.map((problem) => `${fixture.name}: ${problem}`));

describe('the fixtures', () => {
  it('are there, each under its own name', () => {
    const fixtures = readFixtures(files);
    expect(fixtures.map(({ name, layer }) => join(folder, layer, `${name}.json`))).toEqual(files);
    expect(fixtures.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'secret_in_response',
        'policy_violation',
        'streaming_secret_mid_chunk',
        'prompt_injection_basic',
        'pii_cpf_in_user_message',
        'jailbreak_instruction_override',
        'destructive_rm_rf',
        'cross_tenant_user_id',
        'non_checkpointable_in_auto_mode',
      ]),
    );
    for (const clause of [1, 3, 4, 5, 6]) {
      expect(fixtures.filter(({ rule }) => rule === `AG-TOOL-${clause}`).length).toBeGreaterThan(1);
    }
    for (const clause of [1, 2, 3, 4]) {
      expect(fixtures.filter(({ rule }) => rule === `AG-OUT-${clause}`).length).toBeGreaterThan(1);
    }
  });

  it('of every clause on input are there, and hold the documents that are made for them', () => {
    const fixtures = readFixtures(files);
    for (const clause of [1, 2, 3, 4]) {
      expect(fixtures.filter(({ rule }) => rule === `AG-IN-${clause}`).length).toBeGreaterThan(1);
    }
    const made = Object.entries(fixtureDocuments);
    expect(made.length).toBeGreaterThan(10);
    for (const [name, { origin, bytes, expect: wanted }] of made) {
      const fixture = fixtures.find((one) => one.name === name);
      const contentBase64 = Buffer.from(bytes).toString('base64');
      expect(fixture, name).toMatchObject({ input: { origin, contentBase64 }, expect: wanted });
    }
  });

  it('hold in process', async () => {
    const endpoint = await inProcess();
    const outcomes = await runFixtures(readFixtures(files), endpoint);
    await endpoint.close();
    expect(failures(outcomes)).toEqual([]);
  });

  it('hold over HTTP, as whoever the credential says', async () => {
    const { daemon, credential, workspace } = await testDaemon({
      configuration: readFileSync(join(folder, 'sallyport.toml'), 'utf8'),
      world: { resolve: async () => ['93.184.215.14'] },
    });
    const caller = { user: 'carol', tenant: 'globex' };
    const token = await credential(caller);
    const endpoint = overHttp(`http://127.0.0.1:${daemon.port}`, token, workspace);
    expect(failures(await runFixtures(readFixtures(files, caller), endpoint))).toEqual([]);
  });

  it('are found out where one does not hold', async () => {
    const fixture = readFixture(
      JSON.stringify({
        version: 1,
        name: 'wrong',
        rule: 'AG-TOOL-1',
        layer: 'tool',
        context: {},
        input: { kind: 'tool', tool: 'nothing', arguments: { a: 1 } },
        expect: {
          decision: 'pass',
          rule: 'no_such_rule',
          text: 'x',
          arguments: { a: 2 },
          event_type: 'cross_tenant',
        },
      }),
    );
    const endpoint = await inProcess();
    const [outcome] = await runFixtures([fixture], endpoint);
    await endpoint.close();
    expect(outcome?.problems.map((problem) => problem.split(':')[0])).toEqual([
      'decision',
      'rule',
      'text',
      'arguments',
      'event',
    ]);
    expect(() => readFixture('{"version":2}')).toThrow();
    const nowhere = overHttp('http://127.0.0.1:9', '', '/');
    expect((await runFixtures([fixture], nowhere))[0]?.problems[0]).toContain('no answer');
  });
});

describe('an agent in auto', () => {
  const own = outwardEffects.map((effect): ToolSpec => ({ name: `do_${effect}`, effect }));
  const request: ToolSpec = {
    name: 'request',
    effect: 'fetch',
    arguments: { '/url': { role: 'url' }, '/method': { role: 'method' } },
  };
  const bash = (command: string): [string, JsonObject] => ['Bash', { command }];
  const attempts: readonly (readonly [string, JsonObject])[] = [
    ...own.map(({ name }): [string, JsonObject] => [name, {}]),
    bash("psql -c 'DELETE FROM users WHERE id = 1'"),
    bash("mysql -e 'UPDATE users SET admin = 1'"),
    bash('kubectl apply -f deploy.yaml'),
    bash('npm publish'),
    bash('terraform apply -auto-approve'),
    bash('git push'),
    bash('git -C . push origin HEAD:main'),
    bash('mail -s hello a@example.com < text'),
    bash('aws ec2 run-instances --image-id ami-1'),
    bash('curl -d a=1 https://api.example.com/orders'),
    bash('X=push; git $X'),
    ['request', { url: 'https://api.example.com/orders', method: 'DELETE' }],
    ['shell', { command: ['git', 'push'] }],
    ['batch', { tool_calls: [{ tool: 'do_billing', parameters: {} }] }],
  ];

  it('runs nothing of the closed list without an answer, and each once with one', async () => {
    const ledger = await openTestLedger();
    const settings = withTools(settingsFrom({ egress_allowlist: ['api.example.com'] }), [...own, request]);
    const decider = createDecider({
      config: { settingsFor: () => settings, approvals: { expirySeconds: 300, maxPending: 100 } },
      ledger,
      world: {
        ...realWorld(),
        now: () => 1_700_000_000_000,
        realPath: (path) => path,
        resolve: async () => ['93.184.215.14'],
      },
    });
    const ran: string[] = [];
    /** What a harness does: it runs what was cleared, and nothing else. */
    async function attempt(tool: string, given: JsonObject): Promise<string | null> {
      const action: ActionOf<'tool'> = { kind: 'tool', tool, arguments: given };
      const { verdict, cleared } = await decider.decide(action, { ...context, mode: 'auto' });
      if (cleared !== null) {
        takeClearance(cleared);
        ran.push(JSON.stringify([tool, given]));
      }
      return verdict.approval?.id ?? null;
    }
    const questions = new Map<string, string>();
    for (const [tool, given] of attempts) {
      const id = await attempt(tool, given);
      expect(id, JSON.stringify([tool, given])).not.toBeNull();
      questions.set(JSON.stringify([tool, given]), id!);
    }
    expect(ran).toEqual([]);
    expect(new Set(questions.values()).size).toBe(attempts.length);
    for (const id of questions.values()) {
      await ledger.approvals.answer(
        id,
        'approve',
        'ann',
        person,
        { tenant: 'acme', user: 'ann' },
        1_700_000_000_000,
      );
    }
    for (const again of [1, 2]) {
      for (const [tool, given] of attempts) await attempt(tool, given);
      expect([again, ran]).toEqual([again, attempts.map((one) => JSON.stringify(one))]);
    }
  });
});
