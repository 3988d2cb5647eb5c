// node tests/integration/guardrails/run.ts [--url URL --token-file FILE --user NAME --tenant NAME] [FIXTURE…]
// Runs the fixtures of the agent contract in this process, or against any endpoint that speaks POST /v1/decide.
// The endpoint has the tools and the agent of sallyport.toml beside this file.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadConfig } from '../../../src/config/index.ts';
import { canonicalJson, type Finding, type JsonObject, modeFromHost } from '../../../src/core/index.ts';
import { createDecider, readRequest, realWorld } from '../../../src/decide/index.ts';
import { openLedger } from '../../../src/ledger/open.ts';
import { type Caller, type Fixture, fixtureFiles, readFixtures } from './fixture.ts';

const folder = dirname(fileURLToPath(import.meta.url));

/** What an endpoint answered. */
export interface Answer {
  readonly decision: string;
  readonly rules: readonly string[];
  readonly text?: string;
  readonly arguments?: JsonObject;
  /** Names of what was recorded. */
  readonly events: readonly string[];
}

/** Anything that fixtures can be run against. */
export interface Endpoint {
  ask(fixture: Fixture): Promise<Answer>;
  close(): Promise<void>;
}

/** One fixture's outcome: nothing, or what was not as expected. */
export interface Outcome {
  readonly fixture: Fixture;
  readonly problems: readonly string[];
}

/** Runs fixtures one after the other. */
export async function runFixtures(
  fixtures: readonly Fixture[],
  endpoint: Endpoint,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const fixture of fixtures) {
    try {
      outcomes.push({ fixture, problems: compare(fixture, await endpoint.ask(fixture)) });
    } catch (error) {
      outcomes.push({
        fixture,
        problems: [`no answer: ${error instanceof Error ? error.message : String(error)}`],
      });
    }
  }
  return outcomes;
}

function compare({ expect, input }: Fixture, answer: Answer): readonly string[] {
  const problems: string[] = [];
  const differ = (what: string, wanted: string, got: string) => {
    if (wanted !== got) problems.push(`${what}: expected ${wanted}, got ${got}`);
  };
  differ('decision', expect.decision, answer.decision);
  if (expect.rule !== undefined && !answer.rules.includes(expect.rule)) {
    problems.push(`rule: expected ${expect.rule} among [${answer.rules.join(', ')}]`);
  }
  if (expect.text !== undefined && (answer.text !== undefined || !('chunks' in input))) {
    differ('text', expect.text, answer.text ?? '');
  }
  if (expect.arguments !== undefined) {
    differ('arguments', canonicalJson(expect.arguments), canonicalJson(answer.arguments ?? null));
  }
  if (expect.event_type !== undefined && !answer.events.includes(expect.event_type)) {
    problems.push(`event: expected ${expect.event_type} among [${answer.events.join(', ')}]`);
  }
  return problems;
}

/** The one path in this process, on a home that is gone when it is closed. */
export async function inProcess(): Promise<Endpoint> {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-guardrails-')));
  const home = join(place, 'home');
  const workspace = join(place, 'workspace');
  for (const made of [home, workspace]) mkdirSync(made, { mode: 0o700 });
  cpSync(join(folder, 'sallyport.toml'), join(home, 'sallyport.toml'));
  const world = { ...realWorld(), resolve: async () => ['93.184.215.14'] };
  const config = await loadConfig({ home, environment: {}, world });
  const ledger = await openLedger(home, config.ledger);
  const decider = createDecider({ config, ledger, world });
  return {
    async ask({ input, layer, user, tenant, agent, mode }) {
      const asker = { user: user ?? '', tenant: tenant ?? '', agent: null };
      const chunks = input['chunks'];
      const whole = Array.isArray(chunks)
        ? { kind: layer === 'input' ? 'prompt' : 'response', text: '' }
        : input;
      const request = await readRequest(wire(whole, { agent, mode }), {
        asker,
        folder: workspace,
        config,
        world,
      });
      if (Array.isArray(chunks)) {
        const stream = await decider.decideStream(layer === 'input' ? 'prompt' : 'response', request.context);
        let shown = '';
        for (const chunk of chunks) shown += (await stream.push(String(chunk))).emit;
        const { emit, verdict } = await stream.end();
        return { ...answerOf(verdict), text: shown + emit, events: await eventsOf(verdict.decisionId) };
      }
      const { verdict } = await decider.decide(request.action, request.context);
      return { ...answerOf(verdict), events: await eventsOf(verdict.decisionId) };
    },
    async close() {
      await ledger.close();
      rmSync(place, { recursive: true, force: true });
    },
  };

  async function eventsOf(decisionId: string): Promise<readonly string[]> {
    await ledger.audit.drain();
    return (await ledger.audit.list({ decisionId })).map(({ event_type: type }) => type);
  }
}

/** A daemon, or anything else that speaks its HTTP API. */
export function overHttp(url: string, token: string, workspace: string): Endpoint {
  const call = async (path: string, init: RequestInit, authenticated: boolean) => {
    const headers = {
      'content-type': 'application/json',
      ...(authenticated ? { authorization: `Bearer ${token}` } : {}),
    };
    return await fetch(new URL(path, url), { ...init, headers });
  };
  return {
    async ask({ input, layer, user, agent, mode }) {
      const chunks = input['chunks'];
      const whole = Array.isArray(chunks)
        ? { kind: layer === 'input' ? 'prompt' : 'response', text: chunks.join('') }
        : input;
      const body = JSON.stringify(wire(whole, { agent, mode, workspace }));
      const response = await call('/v1/decide', { method: 'POST', body }, user !== null);
      // Whoever is not known is turned away at the door, before any rule.
      if (user === null && response.status === 401)
        return { decision: 'block', rules: ['no_user'], events: [] };
      if (!response.ok)
        throw new Error(`status ${response.status}: ${(await response.text()).slice(0, 200)}`);
      const verdict = (await response.json()) as Told;
      const log = await call(`/v1/log?decision_id=${verdict.decisionId}`, {}, true);
      const { entries = [] } = (await log.json()) as { entries?: readonly { readonly event_type: string }[] };
      const { text, ...answer } = answerOf(verdict);
      return {
        ...answer,
        // Of a stream that was sent in one piece it cannot be said what would have been shown of it.
        ...(text === undefined || Array.isArray(chunks) ? {} : { text }),
        events: entries.map(({ event_type: type }) => type),
      };
    },
    close: async () => undefined,
  };
}

/** What of a verdict counts here. */
interface Told {
  readonly decision: string;
  readonly findings: readonly Pick<Finding, 'rule'>[];
  readonly action: object;
  readonly decisionId: string;
}

function answerOf({ decision, findings, action }: Told): Omit<Answer, 'events'> {
  const { arguments: given, text } = action as { readonly arguments?: JsonObject; readonly text?: string };
  return {
    decision,
    rules: findings.map(({ rule }) => rule),
    ...(given === undefined ? {} : { arguments: given }),
    ...(text === undefined ? {} : { text }),
  };
}

function wire(
  input: JsonObject,
  { agent, mode, workspace }: { agent?: string | undefined; mode?: string | undefined; workspace?: string },
): JsonObject {
  return {
    ...input,
    context: {
      ...(agent === undefined ? {} : { agent }),
      ...(workspace === undefined ? {} : { workspace }),
      ...(mode === undefined ? {} : { mode: modeFromHost(mode) }),
    },
  };
}

async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      url: { type: 'string' },
      'token-file': { type: 'string' },
      user: { type: 'string', default: 'ann' },
      tenant: { type: 'string', default: 'acme' },
      workspace: { type: 'string', default: realpathSync(tmpdir()) },
    },
  });
  const { url, user, tenant } = values;
  const caller: Caller | undefined = url === undefined ? undefined : { user, tenant };
  const fixtures = readFixtures(positionals.length > 0 ? positionals : fixtureFiles(folder), caller);
  const token = values['token-file'] === undefined ? '' : readFileSync(values['token-file'], 'utf8').trim();
  const endpoint = url === undefined ? await inProcess() : overHttp(url, token, values.workspace);
  try {
    const outcomes = await runFixtures(fixtures, endpoint);
    for (const { fixture, problems } of outcomes) {
      process.stdout.write(
        `${problems.length === 0 ? 'ok  ' : 'FAIL'} ${fixture.layer}/${fixture.name} (${fixture.rule})\n`,
      );
      for (const problem of problems) process.stdout.write(`     ${problem}\n`);
    }
    const failed = outcomes.filter(({ problems }) => problems.length > 0).length;
    process.stdout.write(`${outcomes.length} fixtures, ${failed} failed\n`);
    process.exitCode = failed === 0 && outcomes.length > 0 ? 0 : 1;
  } finally {
    await endpoint.close();
  }
}

if (import.meta.main) await main(process.argv.slice(2));
