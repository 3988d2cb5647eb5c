// Queries: reading and judging them beside the parsers alone, tokens beside JWT, a whole validation, and bombs.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configOf, settingsFrom } from '../src/config/index.ts';
import { codeModeFrom } from '../src/config/sources.ts';
import { Budget, type JsonObject, type World } from '../src/core/index.ts';
import { createDecider, realWorld } from '../src/decide/index.ts';
import { readGraphql } from '../src/guards/query/graphql/read.ts';
import { schemaFrom } from '../src/guards/query/graphql/schema.ts';
import { readSql } from '../src/guards/query/sql/read.ts';
import { type Bound, QueryTokens } from '../src/ledger/query-token.ts';
import { createQueryPipeline } from '../src/run/query/index.ts';
import { avpEnvironment, serveAvp } from '../tests/support/avp-server.ts';
import { context, deciderFor, openLedger } from './parts.ts';
import { installPeers } from './peers.ts';
import { type Benchmark, median, type Row, short } from './table.ts';
import { corpora, corpus } from './texts.ts';

const rounds = 9;
const root = dirname(dirname(fileURLToPath(import.meta.url)));

export const query: Benchmark = async (progress) => {
  installPeers(progress);
  const rows: Row[] = [];
  progress('GraphQL');
  rows.push(...(await graphqlRows()));
  progress('SQL');
  rows.push(...(await sqlRows()));
  progress('a whole validation of GraphQL');
  rows.push(...(await dryRows()));
  progress('policy store');
  rows.push(await policyStoreRow());
  progress('the stdio server');
  rows.push(await stdioRow());
  progress('tokens');
  rows.push(await tokenRow());
  progress('validation');
  rows.push(await validationRow());
  progress('bombs');
  rows.push(...(await bombRows()));
  return rows;
};

/**
 * How long each of two takes for one piece of work on average, measured in turns for every piece, so that both meet the
 * same machine; of the rounds that was taken whose ratio is in the middle.
 */
async function sideBySide<T>(
  inputs: readonly T[],
  one: (input: T) => unknown,
  other: (input: T) => unknown,
): Promise<readonly [number, number]> {
  const measured: (readonly [number, number])[] = [];
  for (let round = 0; round <= rounds; round++) {
    const taken: [number, number] = [0, 0];
    for (const [place, input] of inputs.entries()) {
      // Whoever comes second finds the machine warm: they take turns at that too.
      const order = (round + place) % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
      for (const at of order) {
        const work = at === 0 ? one : other;
        const start = performance.now();
        await work(input);
        taken[at] += performance.now() - start;
      }
    }
    // The first round is for the compiler.
    if (round > 0) measured.push([taken[0] / inputs.length, taken[1] / inputs.length]);
  }
  measured.sort(([a, b], [c, d]) => a / b - c / d);
  return measured[Math.floor(measured.length / 2)] ?? [Number.NaN, Number.NaN];
}

function ratioRow(what: string, [ours, floor]: readonly [number, number], peer: string, most: number): Row {
  return {
    what,
    ours: `${short(ours)} ms`,
    floor: `${short(floor)} ms (${peer})`,
    ratio: short(ours / floor),
    goal: `≤ ${most}`,
    met: ours / floor <= most,
  };
}

const wide = codeModeFrom(
  { max_field_count: 1000, max_cost: 1_000_000, max_depth: 20, sql_max_joins: 20, max_query_length: 100_000 },
  'bench',
);

async function graphqlRows(): Promise<readonly Row[]> {
  const world = realWorld();
  const text = world.schemaText?.(join(corpora, 'query/schemas/github.graphql')) ?? null;
  const queries = corpus<GraphqlQuery>('query/benign_graphql_github_generated.jsonl');
  if (text === null || queries.length === 0) return [];
  const { graphql, schema } = await schemaFrom(text);
  const measured = await sideBySide(
    queries,
    ({ query: document, variables = {} }) =>
      readGraphql(graphql, { text: document, variables, schema, mode: wide, budget: new Budget(2_000_000) }),
    ({ query: document }) => graphql.validate(schema, graphql.parse(document)),
  );
  return [ratioRow('GraphQL, facts and validation', measured, 'graphql-js, parse and validate', 1.5)];
}

/** The whole pipeline, dry and warm, on a large schema: beside what graphql-js takes to parse and validate the same. */
async function dryRows(): Promise<readonly Row[]> {
  const path = join(corpora, 'query/schemas/github.graphql');
  const world = realWorld();
  const text = world.schemaText?.(path) ?? null;
  const queries = corpus<GraphqlQuery>('query/benign_graphql_github_generated.jsonl').flatMap((row) => [
    row,
    ...withVariables(row),
  ]);
  if (text === null || queries.length === 0) return [];
  const code = { max_field_count: 1000, max_cost: 1_000_000, max_depth: 20, max_query_length: 100_000 };
  const sources = { shop: { kind: 'graphql', schema: path, code_mode: code } };
  const settings = settingsFrom({}, { sources });
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  const ledger = await openLedger(folder);
  try {
    const decider = createDecider({ config: configOf(async () => settings), ledger, world });
    const pipeline = createQueryPipeline({ decider, ledger, world });
    const { graphql, schema } = await schemaFrom(text);
    const taken: { ours: number[]; peer: number[] } = { ours: [], peer: [] };
    for (let round = 0; round < 12; round++) {
      for (const { query, variables = {} } of queries) {
        // No text comes twice.
        const document = query.replace('{', `{ round${round}: __typename `);
        const start = performance.now();
        await pipeline.validate({ target: 'shop', text: document, variables }, context, { dryRun: true });
        const middle = performance.now();
        graphql.validate(schema, graphql.parse(document));
        // The first rounds are for the compiler.
        if (round < 3) continue;
        taken.ours.push(middle - start);
        taken.peer.push(performance.now() - middle);
      }
    }
    const measured = [median(taken.ours), median(taken.peer)] as const;
    const what = `GraphQL, a whole validation, dry, p50 of ${queries.length} queries`;
    return [ratioRow(what, measured, 'graphql-js, parse and validate', 1.5)];
  } finally {
    await ledger.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface GraphqlQuery {
  readonly query: string;
  readonly variables?: JsonObject;
}

/** A document that asks as clients do: its numbers are variables, and a directive decides on its first field. */
function withVariables({ query }: GraphqlQuery): readonly GraphqlQuery[] {
  const variables: Record<string, number | boolean> = {};
  const rest = query.replaceAll(/\bfirst: (\d+)/g, (_, size: string) => {
    const name = `size${Object.keys(variables).length}`;
    variables[name] = Number(size);
    return `first: $${name}`;
  });
  const sizes = Object.keys(variables);
  if (sizes.length === 0) return [];
  const declared = sizes.map((name) => `$${name}: Int`).join(', ');
  const parametrised = rest.replace(/^query (\w+) \{/, `query $1With($wanted: Boolean!, ${declared}) {`);
  const asked = parametrised.replace(/^( {2}\w+(?:\(.*\))?) \{$/m, '$1 @include(if: $wanted) {');
  return asked === parametrised ? [] : [{ query: asked, variables: { ...variables, wanted: true } }];
}

/** How often a policy store with a thousand policies is asked for one validation. */
async function policyStoreRow(): Promise<Row> {
  const id = 'PSbench';
  const server = await serveAvp(id);
  Object.assign(process.env, avpEnvironment(server.url));
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  const ledger = await openLedger(folder);
  try {
    const schema = join(folder, 'schema.sql');
    writeFileSync(schema, tables);
    const settings = settingsFrom({}, { sources: { shop: { kind: 'postgres', schema } } });
    const world = realWorld();
    const config = { ...configOf(async () => settings), policyStore: { id, region: 'eu-west-1' } };
    const pipeline = createQueryPipeline({
      decider: createDecider({ config, ledger, world }),
      ledger,
      world,
    });
    for (let at = 0; at < 1000; at++) {
      const statement = `forbid (principal, action, resource == CodeMode::Server::"other${at}");`;
      server.policies.set(`p${at}`, {
        statement,
        createdDate: 1_700_000_000,
        lastUpdatedDate: 1_700_000_000,
      });
    }
    const { valid } = await pipeline.validate({ target: 'shop', text: 'SELECT id FROM orders' }, context);
    if (!valid) throw new Error('the query was not valid');
    const calls = server.calls.length;
    return {
      what: 'calls of a policy store with 1,000 policies, one validation',
      ours: `${calls} (${server.calls.join(', ')})`,
      floor: '2 (a stamp, an authorization)',
      ratio: short(calls / 2),
      goal: '≤ 1',
      met: calls <= 2,
    };
  } finally {
    await ledger.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const hello = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
};

/** How long a host waits for the first answer of the server that it starts, from the bundle, against an empty Node. */
async function stdioRow(): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  try {
    for (const part of ['bin', 'package.json'])
      cpSync(join(root, part), join(folder, part), { recursive: true });
    spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), join(folder, 'dist')], { cwd: root });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const home = join(folder, 'home');
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(folder, 'schema.sql'), tables);
    const schema = JSON.stringify(join(folder, 'schema.sql'));
    writeFileSync(join(home, 'sallyport.toml'), `[sources.shop]\nkind = "postgres"\nschema = ${schema}\n`);
    const environment = { PATH: process.env['PATH'], HOME: home, SALLYPORT_HOME: home };
    const args = [join(folder, 'bin/sallyport.cjs'), 'mcp', 'query', '--source', 'shop'];
    const times: { ours: number[]; empty: number[] } = { ours: [], empty: [] };
    for (let at = 0; at < 25; at++) {
      times.ours.push(await firstAnswer(args, environment));
      const start = performance.now();
      spawnSync(process.execPath, ['-e', '0']);
      times.empty.push(performance.now() - start);
    }
    const measured = [median(times.ours), median(times.empty)] as const;
    return ratioRow('mcp query answers initialize, from the bundle', measured, 'node -e 0', 2);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function firstAnswer(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(child, 'close');
  child.stdin.write(`${JSON.stringify(hello)}\n`);
  const [chunk] = await once(child.stdout, 'data');
  const took = performance.now() - start;
  if (!String(chunk).includes('"serverInfo"')) throw new Error('the server did not answer');
  child.stdin.end();
  child.kill('SIGTERM');
  await ended;
  return took;
}

async function sqlRows(): Promise<readonly Row[]> {
  const { readers } = realWorld();
  const require = createRequire(import.meta.url);
  const { Parser } = require('node-sql-parser') as { Parser: new () => Peer };
  const parser = new Parser();
  const read = (text: string) =>
    readSql('postgres', {
      text,
      schema: null,
      live: null,
      mode: wide,
      budget: new Budget(2_000_000),
      readers,
      tenant: 'bench',
    });
  const astify = (text: string) => parser.astify(text, { database: 'PostgreSQL' });
  const texts: string[] = [];
  for (const { query: text, lang } of corpus<{ query: string; lang: string }>(
    'query/benign_sql_defog.jsonl',
  )) {
    if (lang !== 'sql:postgres' || texts.length >= 150) continue;
    // Only what the peer reads too: where it gives up early it is fast.
    try {
      astify(text);
    } catch {
      continue;
    }
    if ('facts' in (await read(text))) texts.push(text);
  }
  if (texts.length === 0) return [];
  const measured = await sideBySide(texts, read, astify);
  return [ratioRow('SQL, parsed and facts', measured, 'node-sql-parser, parse', 0.5)];
}

interface Peer {
  astify(text: string, options: { readonly database: string }): unknown;
}

async function tokenRow(): Promise<Row> {
  const secret = Buffer.alloc(32, 7);
  const tokens = new QueryTokens([{ id: 'k', secret, until: null }]);
  const bound: Bound = {
    language: 'sql',
    canonical: 'SELECT id FROM orders',
    text: 'SELECT id FROM orders',
    variables: { id: 1 },
    ...{ user: 'ann', tenant: 'acme', client: 's', target: 'shop', server: 'shop', schema: 'a'.repeat(43) },
    ...{ policy: 'b'.repeat(43), action: 'read', risk: 'low' },
  };
  const now = Date.now();
  const { SignJWT, jwtVerify } = (await import(
    createRequire(import.meta.url).resolve('jose')
  )) as typeof import('jose');
  const issue = { purpose: 'execute', approver: null, now, ttlMs: 300_000 } as const;
  const measured = await sideBySide(
    Array.from({ length: 2000 }, (_, at) => at),
    () => tokens.verify(tokens.sign(bound, issue), bound, now, 300_000),
    async () => {
      const token = await new SignJWT({ ...bound })
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime('5m')
        .sign(secret);
      await jwtVerify(token, secret);
    },
  );
  return ratioRow('token, signed and verified', measured, 'jose, HS256', 0.2);
}

const tables =
  'CREATE TABLE orders (id int, customer_id int, total int); CREATE TABLE customers (id int, name text);';

async function validationRow(): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  const schema = join(folder, 'schema.sql');
  writeFileSync(schema, tables);
  // A source that cannot run gives no token; validating does not open the file.
  const url = join(folder, 'shop.db');
  const settings = settingsFrom({}, { sources: { shop: { kind: 'sqlite', schema, url } } });
  const ledger = await openLedger(folder);
  try {
    const world = realWorld();
    const decider = createDecider({ config: configOf(async () => settings), ledger, world });
    const pipeline = createQueryPipeline({ decider, ledger, world });
    const taken: number[] = [];
    for (let at = 0; at < 600; at++) {
      const text = `SELECT o.id, o.total, c.name FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.total > ${at} ORDER BY o.total DESC LIMIT 20`;
      const start = performance.now();
      const { approval_token: token } = await pipeline.validate({ target: 'shop', text }, context);
      if (token === null) throw new Error('the query was not valid');
      taken.push(performance.now() - start);
    }
    const ours = median(taken.slice(100));
    return {
      what: 'a whole validation with its token and record, p50',
      ours: `${short(ours)} ms`,
      floor: '2 ms',
      ratio: short(ours / 2),
      goal: '≤ 1',
      met: ours <= 2,
    };
  } finally {
    await ledger.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const friends = 'type Query { me: User } type User { id: ID! friends(first: Int): [User!]! }';

async function bombRows(): Promise<readonly Row[]> {
  const world: World = { ...realWorld(), schemaText: () => friends };
  const settings = settingsFrom({}, { sources: { shop: { kind: 'graphql', schema: '/schema' } } });
  const decider = deciderFor(settings, { world });
  const decide = async (text: string) =>
    (await decider.decide({ kind: 'query', target: 'shop', language: 'graphql', text }, context)).verdict;
  const small = '{ me { id friends(first: 3) { id friends(first: 3) { id } } } }';
  const doubling = Array.from(
    { length: 25 },
    (_, at) => `fragment F${at} on User { ...F${at + 1} ...F${at + 1} }`,
  );
  const bombs = [
    ['2^25 fragments', `{ me { ...F0 } } ${doubling.join(' ')} fragment F25 on User { id }`],
    ['20,000 tokens', `{ me { ${'a:id '.repeat(6_667)} } }`],
  ] as const;
  const rows: Row[] = [];
  for (const [name, text] of bombs) {
    if ((await decide(text)).decision !== 'block') throw new Error('a bomb was not refused');
    const measured = await sideBySide(
      Array(50).fill(0),
      () => decide(text),
      () => decide(small),
    );
    rows.push(ratioRow(`${name}, refused`, measured, 'a small query', 10));
  }
  return rows;
}
