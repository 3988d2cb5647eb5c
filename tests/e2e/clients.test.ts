// The clients in other languages pass the fixtures of the contract through a real daemon, and fail closed without one.

import { type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { staleFiles } from '../../scripts/contract.ts';
import { stdioAgent } from '../../src/cli/fixtures/agents.ts';
import { chunksOf, contractFolder, readFixtures, settingFile } from '../../src/cli/fixtures/fixture.ts';
import type { Agent, Outcome } from '../../src/cli/fixtures/run.ts';
import { type JsonObject, modeFromHost, type Verdict } from '../../src/core/index.ts';
import { ended } from '../support/cli.ts';
import { testDaemon } from '../support/daemon.ts';
import { failures } from '../support/fixtures.ts';
import { temporaryFolder } from '../support/ledger.ts';

const clients = fileURLToPath(new URL('../../clients/', import.meta.url));
const caller = { user: 'carol', tenant: 'globex' };
const fixtures = readFixtures([contractFolder()], caller);
/** Reading a picture for the first time takes a while on a machine with other work. */
const patient = { timeoutMs: 150_000 };
const long = { timeout: 240_000 };

/** A daemon that has what the fixtures speak of, and where it is reached. */
async function fixtureDaemon() {
  const { daemon, credential, workspace, home, paths, call } = await testDaemon({
    configuration: readFileSync(settingFile(), 'utf8'),
    world: { resolve: async () => ['93.184.215.14'] },
  });
  const token = await credential(caller);
  const url = `http://127.0.0.1:${daemon.port}`;
  writeFileSync(join(paths.keys, 'decide.token'), `${token}\n`);
  const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ');
  return {
    call,
    token,
    workspace,
    /** A command that ends in where the daemon is and who asks. */
    tcp: (...words: string[]) => quoted([...words, url, token, workspace]),
    unix: (...words: string[]) => quoted([...words, daemon.socket, token, workspace]),
    /** Where a program finds the daemon that is named nowhere. */
    place: {
      cwd: workspace,
      env: { ...process.env, SALLYPORT_HOME: home, PYTHONPATH: join(clients, 'python') },
    },
  };
}

/** What the example agents print. */
const turn = `to the model: My CPF is <redacted:cpf>, is it valid?
to the user: The token is 
stopped by secret_in_response
not run: mass_deletion
`;

/** Runs a program beside the daemon that it asks, which lives in this process. */
async function printed(program: string, args: readonly string[], place: SpawnOptions): Promise<string> {
  const { stdout, stderr } = await ended(spawn(program, args, place));
  return stdout + stderr;
}

/** What clients stand on, called by hand. */
function apiAgent({ call, token: own, workspace }: Awaited<ReturnType<typeof fixtureDaemon>>): Agent {
  return {
    async ask(trial) {
      const { userId, agent, permissionMode: word } = trial.context;
      const token = userId === null ? 'nobody' : own;
      const context = { workspace, agent, ...(word === undefined ? {} : { mode: modeFromHost(word) }) };
      const post = async (path: string, body: object) => (await call(path, { token, body })).body;
      const told = async ({ decision, findings, decisionId, action }: Verdict): Promise<Outcome> => {
        // Whoever is not known is turned away at the door, and that is no verdict.
        if (decision === undefined) return { decision: 'block' };
        const { entries } = (await call(`/v1/log?decision_id=${decisionId}`, { token })).body;
        const { text, arguments: given } = action as { text?: string; arguments?: JsonObject };
        return {
          decision,
          rules: findings.map(({ rule }) => rule),
          events: entries.map((entry: { event_type: string }) => entry.event_type),
          ...(text === undefined ? {} : { text }),
          ...(given === undefined ? {} : { arguments: given }),
        };
      };
      const chunks = chunksOf(trial);
      if (chunks === null) return await told(await post('/v1/decide', { ...trial.input, context }));
      const kind = trial.layer === 'input' ? 'prompt' : 'response';
      const { id } = await post('/v1/streams', { kind, context });
      let shown = '';
      for (const piece of chunks) shown += (await post(`/v1/streams/${id}/push`, { piece })).emit;
      const { emit, verdict } = await post(`/v1/streams/${id}/end`, {});
      return { ...(await told(verdict)), text: shown + emit };
    },
    close: async () => undefined,
  };
}

it('have an API that passes every fixture', long, async () => {
  expect(await failures(fixtures, apiAgent(await fixtureDaemon()))).toEqual([]);
});

function missing(program: string, ...args: string[]): boolean {
  if (spawnSync(program, args).status === 0) return false;
  process.stderr.write(`Skipped: the tests of a client that need the program '${program}'.\n`);
  return true;
}

it('have types that are those of the OpenAPI document', () => {
  expect(staleFiles(), 'run npm run contract').toEqual([]);
});

describe.skipIf(missing('python3', '--version'))('the Python client', () => {
  const agent = join(clients, 'python/tests/fixture_agent.py');

  it.each(['sync', 'async'])('passes every fixture (%s)', long, async (way) => {
    const daemon = await fixtureDaemon();
    const at = way === 'sync' ? daemon.tcp : daemon.unix;
    expect(await failures(fixtures, stdioAgent(at('python3', agent, way), patient))).toEqual([]);
  });

  it('guards the turn of the example', async () => {
    const { place } = await fixtureDaemon();
    const example = join(clients, 'python/examples/agent.py');
    expect(await printed('python3', [example], place)).toBe(turn);
  });

  it('passes its own tests', () => {
    const { status, stderr } = spawnSync('python3', ['-m', 'unittest', 'discover', '-s', 'tests'], {
      cwd: join(clients, 'python'),
      encoding: 'utf8',
    });
    expect(stderr).toMatch(/Ran \d\d+ tests/);
    expect(status, stderr).toBe(0);
  });
});

describe.skipIf(missing('go', 'version'))('the Go client', () => {
  const folder = join(clients, 'go');
  const go = (...args: string[]) => {
    const environment = { ...process.env, GOFLAGS: '-mod=readonly', GOTOOLCHAIN: 'local', GOPROXY: 'off' };
    return spawnSync('go', args, { cwd: folder, encoding: 'utf8', env: environment });
  };

  it('passes every fixture', long, async () => {
    const program = join(temporaryFolder(), 'agent');
    const built = go('build', '-o', program, './internal/fixtureagent');
    expect(built.status, built.stderr).toBe(0);
    for (const way of ['tcp', 'unix'] as const) {
      const daemon = await fixtureDaemon();
      expect(await failures(fixtures, stdioAgent(daemon[way](program), patient))).toEqual([]);
    }
  });

  it('guards the turn of the example', long, async () => {
    const { place } = await fixtureDaemon();
    const program = join(temporaryFolder(), 'example');
    const built = go('build', '-o', program, './examples/agent');
    expect(built.status, built.stderr).toBe(0);
    expect(await printed(program, [], place)).toBe(turn);
  });

  it('passes its own tests, and is as gofmt writes it', long, () => {
    for (const check of [
      ['vet', './...'],
      ['test', '-count=1', './...'],
    ]) {
      const { status, stdout, stderr } = go(...check);
      expect(status, stdout + stderr).toBe(0);
    }
    expect(spawnSync('gofmt', ['-l', folder], { encoding: 'utf8' }).stdout).toBe('');
  });
});
