// Several daemons on one PostgreSQL: approvals cross, chains witness each other, and a restart loses nothing.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sendCall } from '../../src/cli/client.ts';
import { prepareHome } from '../../src/config/index.ts';
import { cli, ended, newPlace, type Place, startCli } from '../support/cli.ts';
import { temporaryFolder } from '../support/ledger.ts';
import { ownerOf, personAt } from '../support/person.ts';
import { postgresMissing, sharedPostgres } from '../support/postgres.ts';

const passphrase = 'correct horse battery';
const environment = { SALLYPORT_STORE_KEY: 'ab'.repeat(32) };

/** A home whose store is the given database. */
function homeOn(url: string, more = ''): Place {
  const place = newPlace();
  mkdirSync(place.home, { mode: 0o700 });
  prepareHome(place.home);
  const text = `store = "${url}"\n[ledger]\nkey = "env:SALLYPORT_STORE_KEY"\n${more}`;
  writeFileSync(join(place.home, 'sallyport.toml'), text);
  return place;
}

async function up(place: Place) {
  const child = startCli(place, ['up', '--port', '0', '--json', '--log', 'error'], { environment });
  const end = ended(child);
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout?.once('data', (text: string) => {
      const said = JSON.parse(text);
      if ('pid' in said) resolve(said.port);
      else reject(new Error(said.error));
    });
  });
  const socket = join(place.home, 'run', 'sallyport.sock');
  const token = readFileSync(join(place.home, 'keys', 'decide.token'), 'utf8').trim();
  const body = {
    kind: 'fetch',
    url: 'https://example.com/',
    context: { workspace: place.workspace, session: 's' },
  };
  const decide = async (path = '/v1/decide', url = body.url) =>
    (await sendCall(socket, path, { token, timeoutMs: 30_000, body: { ...body, url } }))?.body as {
      decision: string;
      approval: { id: string } | null;
      decisionId: string;
    };
  return { child, end, socket, decide, port, token };
}

describe.skipIf(postgresMissing !== null)('two daemons on one PostgreSQL', () => {
  it('free a call that waits on one when a person answers on the other', async () => {
    const { url } = await sharedPostgres();
    const [placeA, placeB] = [homeOn(url), homeOn(url)];
    await ownerOf(placeB, passphrase, environment);
    const [a, b] = [await up(placeA), await up(placeB)];
    const waiting = a.decide('/v1/decide?wait=25');
    const person = await personAt(b.socket, passphrase);
    let pending: { id: string }[] = [];
    while (pending.length === 0) {
      const answer = await person.call('/v1/approvals');
      pending = (answer as unknown as { approvals: { id: string }[] }).approvals;
    }
    const path = `/v1/approvals/${pending[0]?.id}/answer`;
    expect(await person.call(path, { body: { answer: 'approve' } })).toMatchObject({ state: 'approved' });
    expect(await waiting).toMatchObject({ decision: 'pass' });
    expect(await a.decide()).toMatchObject({ decision: 'approve' });
    for (const { child, end } of [a, b]) {
      child.kill('SIGTERM');
      expect((await end).status).toBe(0);
    }
    const verified = JSON.parse((await cli(placeA, ['log', 'verify', '--json'], { environment })).stdout);
    expect(verified).toMatchObject({ clean: true, problems: [] });
    expect(verified.chains).toHaveLength(2);
  });

  it('let the token of a query run on one of them, once', async () => {
    const { url } = await sharedPostgres();
    const folder = temporaryFolder();
    const [file, schema] = [join(folder, 'shop.db'), join(folder, 'schema.sql')];
    writeFileSync(schema, 'CREATE TABLE orders (id INTEGER PRIMARY KEY, total INTEGER);');
    const database = new DatabaseSync(file);
    database.exec(`${readFileSync(schema, 'utf8')} INSERT INTO orders VALUES (1, 10)`);
    database.close();
    const source = `[sources.shop]\nkind = "sqlite"\nschema = "${schema}"\nurl = "${file}"\n`;
    const [a, b] = [await up(homeOn(url, source)), await up(homeOn(url, source))];
    const clientOf = async ({ port }: { port: number }) => {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
      const headers = { authorization: `Bearer ${a.token}` };
      const place = new URL(`http://127.0.0.1:${port}/mcp/query/shop`);
      await client.connect(new StreamableHTTPClientTransport(place, { requestInit: { headers } }));
      onTestFinished(() => client.close());
      return async (name: string, given: Record<string, unknown>) =>
        // biome-ignore lint/suspicious/noExplicitAny: a test reads what the server says as it comes
        (await client.callTool({ name, arguments: given })).structuredContent as any;
    };
    const [onA, onB] = [await clientOf(a), await clientOf(b)];
    const query = 'SELECT total FROM orders';
    const { approval_token: first } = await onA('validate_query', { query });
    expect(await onA('execute_query', { query, approval_token: first })).toMatchObject({ rows: 1 });
    expect(await onB('execute_query', { query, approval_token: first })).toMatchObject({
      error: 'AlreadyUsed',
    });
    const { approval_token: second } = await onA('validate_query', { query });
    expect(await onB('execute_query', { query, approval_token: second })).toMatchObject({ rows: 1 });
    expect(await onA('execute_query', { query, approval_token: second })).toMatchObject({
      error: 'AlreadyUsed',
    });
    for (const { child, end } of [a, b]) {
      child.kill('SIGTERM');
      await end;
    }
  });

  it('decide at once by a policy that a person kept on the other', async () => {
    const { url } = await sharedPostgres();
    const [placeA, placeB] = [homeOn(url), homeOn(url)];
    await ownerOf(placeB, passphrase, environment);
    const [a, b] = [await up(placeA), await up(placeB)];
    expect((await a.decide()).decision).toBe('approve');
    const person = await personAt(b.socket, passphrase);
    const body = { id: 'no_fetch', text: 'forbid (principal, action == Action::"fetch", resource);' };
    expect(await person.call('/v1/policies', { body })).toMatchObject({ id: 'no_fetch' });
    expect(await a.decide()).toMatchObject({ decision: 'block', findings: [{}, { rule: 'no_fetch' }] });
    for (const { child, end } of [a, b]) {
      child.kill('SIGTERM');
      await end;
    }
  });

  it('witness each other: a chain that is cut with its heads is still missed', async () => {
    const { url, server, name } = await sharedPostgres();
    const often = 'head_every_seconds = 1\n';
    const [placeA, placeB] = [homeOn(url, often), homeOn(url, often)];
    const [a, b] = [await up(placeA), await up(placeB)];
    await a.decide();
    await b.decide();
    let seen = '';
    while (!seen.includes('heads_seen')) {
      seen = (await cli(placeA, ['log', '--type', 'heads_seen', '--json'], { environment })).stdout;
    }
    for (const { child, end } of [a, b]) {
      child.kill('SIGTERM');
      await end;
    }
    const { default: pg } = await import('pg');
    const client = new pg.Client(server.superuserUrl(name));
    await client.connect();
    const { rows } = await client.query(
      "SELECT chain, body FROM audit WHERE event_type = 'heads_seen' LIMIT 1",
    );
    const victim = JSON.parse(rows[0].body).details.heads[0].chain;
    await client.query('DROP TRIGGER audit_append_only ON audit');
    for (const table of ['audit', 'chains', 'heads'])
      await client.query(`DELETE FROM ${table} WHERE chain = $1`, [victim]);
    await client.end();
    const verified = await cli(placeA, ['log', 'verify'], { environment });
    expect(verified.status).toBe(1);
    expect(verified.stdout).toContain('that a signed head covers are gone');
  });

  it('refuses while the server is away, and goes on when it is back', async () => {
    const { url, server } = await sharedPostgres();
    const place = homeOn(url);
    const { decide } = await up(place);
    const before = await decide();
    expect(before.decision).toBe('approve');
    await server.kill();
    const refused = await decide('/v1/decide', 'http://10.0.0.1/');
    expect(refused?.decision ?? 'refused').not.toBe('pass');
    await server.start();
    let after = await decide();
    while (after?.decision !== 'approve') after = await decide();
    expect(after.approval?.id).toBe(before.approval?.id);
    const verified = JSON.parse((await cli(place, ['log', 'verify', '--json'], { environment })).stdout);
    expect(verified).toMatchObject({ clean: true });
  });

  it('refuses a store whose keys another key wraps', async () => {
    const { url } = await sharedPostgres();
    const place = homeOn(url);
    expect((await cli(place, ['log'], { environment })).status).toBe(0);
    const other = { SALLYPORT_STORE_KEY: 'cd'.repeat(32) };
    const refused = await cli(place, ['log'], { environment: other });
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('does not open the keys') });
  });

  it('says where it cannot reach the store, without the password', async () => {
    const place = homeOn('postgres://someone:hunter2@127.0.0.1:1/nothing');
    const refused = await cli(place, ['log'], { environment });
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain('cannot be reached');
    expect(refused.stderr).not.toContain('hunter2');
  });
});
