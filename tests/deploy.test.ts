// What is handed to other machines says what it must: containers, the action, hooks of pre-commit, the list of parts.
// No engine runs these here, so what can be read is read.

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { allCommands } from '../scripts/docs.ts';
import { inThePage, makeSbom } from '../scripts/sbom.ts';
import { commonOptions } from '../src/cli/command.ts';
import { ruleChecks } from '../src/cli/open.ts';
import { optionalParts } from '../src/cli/parts.ts';
import { loadConfig } from '../src/config/index.ts';
import { cli, newPlace } from './support/cli.ts';
import { temporaryFolder } from './support/ledger.ts';
import { postgresMissing, sharedPostgres } from './support/postgres.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(read('package.json'));
const commands = allCommands();

/** Throws unless these words call our command line with a command and options that it has. */
async function expectCommand(words: readonly string[]): Promise<void> {
  const [program, name, ...rest] = words;
  expect(program).toBe('sallyport');
  const command = (await commands).find((one) => one.name === name)?.command;
  expect(command, name).toBeDefined();
  const options = Object.keys({ ...command?.options, ...commonOptions });
  for (const word of rest) if (word.startsWith('--')) expect(options).toContain(word.slice(2));
}

/** A base is named by its full version, and not by a word that moves. */
const pinned = /^[a-z]+:\d+\.\d+(\.\d+)?-[a-z]+(-slim)?$/;

describe('the bridge of the examples', () => {
  const { services, networks } = parse(read('examples/bridge/compose.yaml'));

  it('has a user of its own and a root that it cannot write to', () => {
    expect(services.bridge).toMatchObject({
      user: expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/),
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      tmpfs: [expect.stringMatching(/noexec.*nosuid/)],
    });
    expect(services.bridge).not.toHaveProperty('volumes');
    expect(services.bridge).not.toHaveProperty('privileged');
  });

  it('has no network but that of the tools, and limits', () => {
    expect(services.bridge.networks).toEqual(['tools']);
    expect(networks).toEqual({ tools: { internal: true } });
    expect(services.bridge).not.toHaveProperty('ports');
    expect(services.bridge).not.toHaveProperty('network_mode');
    expect(services.bridge).toMatchObject({
      mem_limit: expect.any(String),
      cpus: expect.any(Number),
      pids_limit: expect.any(Number),
      ulimits: { nofile: expect.any(Number) },
    });
  });

  it('is the one that its page starts', () => {
    expect(read('docs/codemode.md')).toContain('"run", "--rm", "-T", "bridge"]');
    expect(Object.keys(services)).toEqual(['bridge']);
  });
});

describe('the container', () => {
  const lines = read('deploy/Containerfile')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ word: line.split(' ')[0] ?? '', rest: line.slice(line.indexOf(' ') + 1).trim() }));
  const all = (word: string) => lines.filter((line) => line.word === word).map(({ rest }) => rest);

  it('stands on the Node that the project is tested with, named by its version', () => {
    for (const from of all('FROM')) {
      const [image = ''] = from.split(' ');
      expect(image).toMatch(pinned);
      expect(image.startsWith(`node:${manifest.devDependencies.node}-`)).toBe(true);
    }
    expect(all('FROM').length).toBe(2);
  });

  it('runs as nobody in particular, in a home of its own', () => {
    expect(all('USER').at(-1)).toMatch(/^[1-9]\d+:[1-9]\d+$/);
    // Nothing is installed or copied once the account has changed.
    const user = lines.findLastIndex(({ word }) => word === 'USER');
    expect(lines.slice(user).map(({ word }) => word)).toEqual([
      'USER',
      'ENV',
      'VOLUME',
      'HEALTHCHECK',
      'CMD',
    ]);
    expect(all('VOLUME')).toEqual(['/home/sallyport/.sallyport']);
    expect(all('ENV')).toEqual(['SALLYPORT_HOME=/home/sallyport/.sallyport']);
  });

  it('holds no secret, fetches nothing by address, and runs no script of a package', () => {
    const text = lines.map(({ word, rest }) => `${word} ${rest}`).join('\n');
    expect(text).not.toMatch(/^ARG|^ADD|password|secret|token|https?:/im);
    expect(text).toMatch(/npm install --global --ignore-scripts/);
    const left = read('.dockerignore').split('\n');
    expect(left).toEqual(expect.arrayContaining(['.git', 'node_modules', 'dist']));
  });

  it('starts and looks after itself with commands that there are', async () => {
    await expectCommand(JSON.parse(all('CMD').at(-1) ?? ''));
    await expectCommand(JSON.parse(/CMD (\[.*\])$/.exec(all('HEALTHCHECK')[0] ?? '')?.[1] ?? ''));
  });
});

describe('the daemons on one PostgreSQL', () => {
  const text = read('deploy/compose.yaml');
  const { services, volumes, networks } = parse(text, { merge: true });
  const { postgres, ...daemons } = services;

  it('take every secret from the environment, and do not start without it', () => {
    for (const { environment } of Object.values<{ environment: Record<string, string> }>(services))
      for (const value of Object.values(environment)) expect(value).toMatch(/^\$\{[A-Z_]+:\?[^}]*\}$/);
  });

  it('hold what they may do to the least', async () => {
    expect(Object.keys(daemons)).toEqual(['first', 'second']);
    for (const daemon of Object.values<Record<string, unknown>>(daemons)) {
      expect(daemon).toMatchObject({
        user: '10001:10001',
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        pids_limit: expect.any(Number),
        mem_limit: expect.any(String),
        depends_on: { postgres: { condition: 'service_healthy' } },
      });
      for (const key of ['privileged', 'ports', 'network_mode']) expect(daemon).not.toHaveProperty(key);
      const { command, healthcheck } = daemon as { command: string[]; healthcheck: { test: string[] } };
      await expectCommand(command);
      await expectCommand(healthcheck.test.slice(1));
    }
  });

  it('keep what must survive in volumes, each home its own', () => {
    const named = Object.values<{ volumes: string[] }>(services)
      .flatMap(({ volumes: own }) => own.map((volume) => volume.split(':')[0] ?? ''))
      .filter((name) => !name.startsWith('.'));
    expect(named.toSorted()).toEqual(Object.keys(volumes).toSorted());
    expect(new Set(named).size).toBe(named.length);
  });

  it('reach a database that nobody else reaches, by its version', () => {
    expect(postgres.image).toMatch(pinned);
    expect(postgres.networks).toEqual(['store']);
    expect(networks.store).toEqual({ internal: true });
    expect(postgres).not.toHaveProperty('ports');
    expect(postgres.healthcheck.test).toContain('pg_isready');
  });

  it('read a configuration that loads', async () => {
    const home = temporaryFolder();
    writeFileSync(join(home, 'sallyport.toml'), read('deploy/sallyport.toml'));
    const environment = { SALLYPORT_DB_PASSWORD: 'a', SALLYPORT_STORE_KEY: '0'.repeat(64) };
    const { file } = await loadConfig({ home, environment, ...ruleChecks() });
    expect(file).not.toBeNull();
    // Without the secrets it does not.
    await expect(loadConfig({ home, environment: {}, ...ruleChecks() })).rejects.toThrow();
  });

  it.skipIf(postgresMissing !== null)(
    'have a role that is no superuser, and a store that works',
    async () => {
      const { server } = await sharedPostgres();
      const text = /<<'END'\n([\s\S]*)\nEND/.exec(read('deploy/database.sh'))?.[1] ?? '';
      const password = randomBytes(12).toString('base64url');
      // The server of the tests has a role of this name already.
      const statements = text
        .replaceAll('sallyport', 'deployed')
        .replace(":'password'", `'${password}'`)
        .split('\n');
      const administrator = new Client({ connectionString: server.superuserUrl() });
      await administrator.connect();
      for (const statement of statements) await administrator.query(statement);
      const { rows } = await administrator.query(
        "SELECT rolsuper, rolbypassrls, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname = 'deployed'",
      );
      await administrator.end();
      expect(rows).toEqual([
        { rolsuper: false, rolbypassrls: false, rolcreatedb: false, rolcreaterole: false },
      ]);
      const place = newPlace();
      const url = new URL(server.superuserUrl());
      const config = read('deploy/sallyport.toml').replace('sallyport:', 'deployed:');
      mkdirSync(place.home, { mode: 0o700 });
      writeFileSync(
        join(place.home, 'sallyport.toml'),
        config.replace('@postgres/sallyport', `@${url.host}/deployed`),
      );
      const environment = { SALLYPORT_DB_PASSWORD: password, SALLYPORT_STORE_KEY: 'ab'.repeat(32) };
      const answer = await cli(place, ['decide', '{"kind":"fetch","url":"http://10.0.0.1/"}'], {
        environment,
      });
      expect(answer.status).toBe(1);
      const verified = await cli(place, ['log', 'verify'], { environment });
      expect(verified.stdout).toContain('clean: 1 entry');
    },
  );
});

describe('the action and the hooks', () => {
  const action = parse(read('action.yml'));
  const script: string = action.runs.steps.at(-1).run;

  it('call commands that there are, with options that they have', async () => {
    const words = /node "\$sallyport" (.*)$/m.exec(script)?.[1]?.split(' ') ?? [];
    await expectCommand(['sallyport', ...words]);
    const hooks = parse(read('.pre-commit-hooks.yaml'));
    expect(hooks.length).toBeGreaterThan(0);
    for (const { entry, language } of hooks) {
      await expectCommand(entry.split(' '));
      expect(language).toBe('node');
    }
  });

  it('put nothing that a caller chose into the script itself', () => {
    expect(script).not.toContain('${{');
    const { env } = action.runs.steps.at(-1);
    const given = Object.values<string>(env).map((value) => /^\$\{\{ inputs\.(\w+) \}\}$/.exec(value)?.[1]);
    expect(given.toSorted()).toEqual(Object.keys(action.inputs).toSorted());
    for (const name of Object.keys(env)) expect(script).toContain(`$${name}`);
    expect(spawnSync('bash', ['-n'], { input: script }).status).toBe(0);
  });

  it('fetch no package by a name that is not ours', () => {
    expect(script).not.toMatch(/\b(?:npx|npm)\b/);
    for (const path of script.matchAll(/\$GITHUB_ACTION_PATH\/([\w./-]+)/g))
      expect(read(path[1]!)).not.toBe('');
  });

  it('take the Node that the package needs', () => {
    const [setup] = action.runs.steps;
    expect(setup.uses).toMatch(/^actions\/setup-node@v\d+$/);
    expect(`>=${setup.with['node-version']}`).toBe(manifest.engines.node);
  });
});

describe('the list of parts', () => {
  const sbom = makeSbom();
  const listed = new Set(sbom.components.map(({ name, version }) => `${name}@${version}`));
  const lock = JSON.parse(read('package-lock.json'));

  it('has everything that is installed with the package, and no tool of ours', () => {
    const installed = Object.entries<{
      version: string;
      dev?: boolean;
      devOptional?: boolean;
      peer?: boolean;
    }>(lock.packages)
      .filter(([path, { dev, devOptional, peer }]) => path !== '' && !dev && !devOptional && !peer)
      .map(([path, { version }]) => `${path.replace(/.*node_modules\//, '')}@${version}`);
    expect(installed.length).toBeGreaterThan(30);
    expect(installed.filter((one) => !listed.has(one))).toEqual([]);
    for (const tool of ['vitest', 'typescript', 'node', '@biomejs/biome'])
      expect(listed).not.toContain(`${tool}@${manifest.devDependencies[tool]}`);
    expect(sbom.metadata.component).toMatchObject({ name: 'sallyport', version: manifest.version });
  });

  it('has what the page of the console is made of', () => {
    const sources = readdirSync(join(root, 'console/src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => read(join('console/src', name)));
    const packages = sources
      .flatMap((text) => [...text.matchAll(/(?:from|import) '([^'.][^']*)'/g)].map(([, name = '']) => name))
      .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? '');
    expect([...new Set(packages)].toSorted()).toEqual(inThePage.toSorted());
    for (const name of inThePage) expect(listed).toContain(`${name}@${manifest.devDependencies[name]}`);
  });
});

it('names every optional part of the package in the doctor', () => {
  const named = Object.values(optionalParts).flat();
  expect(named.toSorted()).toEqual(Object.keys(manifest.optionalDependencies).toSorted());
});
