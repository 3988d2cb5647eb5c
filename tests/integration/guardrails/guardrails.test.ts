// The contract's fixtures hold on the one path, and in `auto` nothing of the closed list runs unanswered.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import {
  contractFolder,
  fixtureFiles,
  nameOf,
  readFixture,
  readFixtures,
} from '../../../src/cli/fixtures/fixture.ts';
import { ownPath } from '../../../src/cli/fixtures/own.ts';
import { configOf, settingsFrom, withTools } from '../../../src/config/index.ts';
import { type ActionOf, type JsonObject, outwardEffects, type ToolSpec } from '../../../src/core/index.ts';
import { createDecider, realWorld, takeClearance } from '../../../src/decide/index.ts';
import { context } from '../../support/decide.ts';
import { failures } from '../../support/fixtures.ts';
import { openEnrolledLedger, person } from '../../support/ledger.ts';
import { fixtureDocuments } from './documents.ts';

const folder = contractFolder();
const files = fixtureFiles(folder);
const fixtures = readFixtures([folder]);

describe('the fixtures', () => {
  it('are there, each under its own name', () => {
    expect(fixtures.map((fixture) => join(folder, `${nameOf(fixture)}.json`))).toEqual(files);
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
    expect(fixtures.length).toBeGreaterThanOrEqual(49);
    const clauses = ['IN-1', 'IN-2', 'IN-3', 'IN-4', 'OUT-1', 'OUT-2', 'OUT-3', 'OUT-4'];
    for (const clause of [...clauses, 'TOOL-1', 'TOOL-3', 'TOOL-4', 'TOOL-5', 'TOOL-6']) {
      const some = fixtures.filter(({ rule }) => rule === `AG-${clause}`);
      expect(some.length, clause).toBeGreaterThan(2);
    }
  });

  it('fit their schema, as any reader of JSON Schema reads it', () => {
    const schema = JSON.parse(readFileSync(join(folder, 'fixture.schema.json'), 'utf8'));
    const fits = new Ajv2020({ allowUnionTypes: true }).compile(schema);
    for (const file of files) expect(fits(JSON.parse(readFileSync(file, 'utf8'))), file).toBe(true);
    const [first = ''] = files;
    const one = JSON.parse(readFileSync(first, 'utf8'));
    for (const wrong of [
      { ...one, version: 2 },
      { ...one, layer: 'middle' },
      { ...one, input: { text: 'a' } },
      { ...one, input: { chunks: 'a' } },
      { ...one, input: { ...one.input, context: {} } },
      { ...one, expect: {} },
      { ...one, wanted: 1 },
    ]) {
      expect(fits(wrong), JSON.stringify(wrong)).toBe(false);
      expect(() => readFixture(JSON.stringify(wrong)), JSON.stringify(wrong)).toThrow();
    }
  });

  it('hold the documents that are made for them', () => {
    const made = Object.entries(fixtureDocuments);
    expect(made.length).toBeGreaterThan(10);
    for (const [name, { origin, bytes, expect: wanted }] of made) {
      const fixture = fixtures.find((one) => one.name === name);
      const contentBase64 = Buffer.from(bytes).toString('base64');
      expect(fixture, name).toMatchObject({ input: { origin, contentBase64 }, expect: wanted });
    }
  });

  it('hold on the one path', { timeout: 240_000 }, async () => {
    expect(await failures(fixtures, await ownPath())).toEqual([]);
  });
});

describe('what destroys', () => {
  it.each([
    [{ justification: 'The code is old.' }, 'The code is old.'],
    [{}, 'none given'],
  ])('is recorded with why the model wants it: %o', async (said, recorded) => {
    const ledger = await openEnrolledLedger();
    const world = { ...realWorld(), now: () => 1_700_000_000_000, realPath: (path: string) => path };
    const config = configOf(() => settingsFrom({}));
    const decider = createDecider({ config, ledger, world });
    const action: ActionOf<'tool'> = {
      kind: 'tool',
      tool: 'Bash',
      arguments: { command: 'rm -rf src' },
      ...said,
    };
    const { verdict } = await decider.decide(action, { ...context, mode: 'auto' });
    await ledger.audit.drain();
    const entries = await ledger.audit.list({ decisionId: verdict.decisionId });
    expect(verdict.decision).toBe('approve');
    expect(entries).toContainEqual(
      expect.objectContaining({
        event_type: 'decision',
        details: expect.objectContaining({ justification: recorded }),
      }),
    );
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
    const ledger = await openEnrolledLedger();
    const settings = withTools(settingsFrom({ egress_allowlist: ['api.example.com'] }), [...own, request]);
    const decider = createDecider({
      config: configOf(() => settings),
      ledger,
      world: {
        ...realWorld(),
        now: () => 1_700_000_000_000,
        realPath: (path) => path,
        resolve: async () => ['93.184.215.14'],
      },
    });
    // A folder with content would be part of what the approvals are bound to.
    const nowhere = { ...context, workspace: '/nowhere' };
    const ran: string[] = [];
    /** What a harness does: it runs what was cleared, and nothing else. */
    async function attempt(tool: string, given: JsonObject): Promise<string | null> {
      const action: ActionOf<'tool'> = { kind: 'tool', tool, arguments: given };
      const { verdict, cleared } = await decider.decide(action, { ...nowhere, mode: 'auto' });
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
