// sallyport sources add and refresh, with every kind of source: what is written, what is not, and what is said.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { buildSchema, graphqlSync } from 'graphql';
import { createConnection } from 'mysql2/promise';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cli, newPlace, type Place } from '../support/cli.ts';
import { asOwner } from '../support/live-source.ts';
import { mariadbMissing, startMariadb } from '../support/mariadb.ts';
import { postgresMissing, sharedPostgres } from '../support/postgres.ts';

const configOf = (place: Place) => readFileSync(join(place.home, 'sallyport.toml'), 'utf8');
const schemaOf = (place: Place, file: string) => readFileSync(join(place.home, 'schemas', file), 'utf8');

/** INVARIANT of every test here: what was written is in order, and another add writes nothing. */
async function expectInOrder(place: Place, args: readonly string[], environment = {}): Promise<void> {
  const before = configOf(place);
  expect(await cli(place, ['config', 'check'], { environment })).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('in order'),
  });
  const again = await cli(place, ['sources', 'add', ...args, '--yes'], { environment });
  expect(again).toMatchObject({ status: 0, stdout: expect.stringContaining('is there already') });
  expect(configOf(place)).toBe(before);
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

describe('SQLite', () => {
  function shop(place: Place): string {
    const file = join(place.workspace, 'shop.db');
    const database = new DatabaseSync(file);
    database.exec(`CREATE TABLE users (id INTEGER PRIMARY KEY, org_id INT, email TEXT, ssn TEXT,
        password_hash TEXT DEFAULT 'ghp_x7Kq2Lm9Rt4Vw8Zb3Nc6Pd1Fs5Gh0JyAeUiQ' /* ask bob.miller@exemplo.net */);
      CREATE TABLE orders (id INTEGER, org_id INT, total INT);
      CREATE VIEW cards AS SELECT id, ssn AS code FROM users -- for Ann
      ; INSERT INTO users VALUES (1, 1, 'ann@example.com', '111-22-3333', 'x')`);
    database.close();
    return file;
  }

  it('writes the schema without data and a section with blocks, and asks before it does', async () => {
    const place = newPlace();
    const file = shop(place);
    const unasked = await cli(place, ['sources', 'add', 'shop.db']);
    expect(unasked).toMatchObject({ status: 2, stderr: expect.stringContaining('add --yes') });
    expect(existsSync(join(place.home, 'sallyport.toml'))).toBe(false);
    const printed = await cli(place, ['sources', 'add', 'shop.db', '--json']);
    expect(JSON.parse(printed.stdout)).toMatchObject({ name: 'shop', kind: 'sqlite', written: false });
    expect(existsSync(join(place.home, 'schemas'))).toBe(false);
    const added = await cli(place, ['sources', 'add', 'shop.db', '--yes']);
    expect(added.status).toBe(0);
    expect(added.stdout).toContain('"args":["mcp","query","--source","shop"]');
    const config = configOf(place);
    expect(config).toContain(`url = "${file}"`);
    expect(config).toContain('sql_blocked_columns = ["users.password_hash", "users.ssn"]');
    expect(config).toContain('sensitive_fields = ["users.email"]');
    expect(config).toContain('# tenant_column = "org_id"');
    const schema = schemaOf(place, 'shop.sql');
    expect(schema).toContain('CREATE VIEW cards AS SELECT id, ssn AS code FROM users;');
    expect(schema).not.toMatch(/ghp_|bob\.miller|for Ann|ann@example/);
    await expectInOrder(place, ['shop.db']);
    expect(await cli(place, ['sources', 'check'])).toMatchObject({ status: 0 });
  });

  it('refuses a name that another source has', async () => {
    const place = newPlace();
    shop(place);
    writeFileSync(join(place.workspace, 'other.graphql'), 'type Query { a: Int }');
    expect((await cli(place, ['sources', 'add', 'shop.db', '--yes'])).status).toBe(0);
    const other = await cli(place, ['sources', 'add', 'other.graphql', '--name', 'shop', '--yes']);
    expect(other).toMatchObject({ status: 1, stderr: expect.stringContaining('--name NAME') });
  });

  it('names what it cannot add', async () => {
    const place = newPlace();
    writeFileSync(join(place.workspace, 'note.txt'), 'hello');
    expect((await cli(place, ['sources', 'add', 'none.db', '--yes'])).stderr).toContain('there is no file');
    expect((await cli(place, ['sources', 'add', 'note.txt', '--yes'])).stderr).toContain('is not a SQLite');
    expect((await cli(place, ['sources', 'add'])).status).toBe(2);
    for (const address of [
      'https://ann:geheim@127.0.0.1:1/graphql',
      'postgres://ann:geh/eim@127.0.0.1:1/x',
    ]) {
      const refused = await cli(place, ['sources', 'add', address, '--yes']);
      expect(refused.status).toBe(2);
      expect(refused.stderr).not.toMatch(/geheim|geh\/eim/);
    }
    expect(existsSync(join(place.home, 'sallyport.toml'))).toBe(false);
  });
});

describe.skipIf(postgresMissing !== null)('PostgreSQL', () => {
  async function shop() {
    const { url, name, server } = await sharedPostgres();
    await asOwner(
      url,
      'CREATE TABLE users (id int PRIMARY KEY, tenant_id int, "e mail" text, birth_date date)',
      'CREATE TABLE orders (id int PRIMARY KEY, tenant_id int, total numeric)',
      'CREATE TABLE tags (id int PRIMARY KEY)',
      "COMMENT ON TABLE users IS 'first one is bob.miller@exemplo.net'",
      "COMMENT ON TABLE orders IS 'one row for each order'",
      'CREATE FUNCTION add_tax(n numeric) RETURNS numeric IMMUTABLE LANGUAGE sql AS $$ SELECT round(n * 1.2, 2) $$',
      'CREATE FUNCTION born(n int) RETURNS date IMMUTABLE LANGUAGE sql AS $$ SELECT birth_date FROM users WHERE id = n $$',
      'CREATE FUNCTION twice(n int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN n * 2; END $$',
      'CREATE FUNCTION refund(n int) RETURNS int LANGUAGE sql SECURITY DEFINER AS $$ SELECT n $$',
      // A call without a schema would reach the server's own.
      "CREATE FUNCTION pg_sleep(n text) RETURNS text IMMUTABLE LANGUAGE sql AS $$ SELECT 'x' $$",
      "INSERT INTO users VALUES (1, 1, 'ann@example.com', '1990-01-01')",
    );
    const role = `reader_${name}`;
    await asOwner(server.superuserUrl(name), `CREATE ROLE ${role} LOGIN PASSWORD 'p@ss w0rd'`);
    const reader = new URL(url);
    [reader.username, reader.password] = [role, 'p@ss w0rd'];
    const grant = `GRANT USAGE ON SCHEMA public TO ${role}; GRANT SELECT ON users, orders TO ${role}; GRANT CONNECT ON DATABASE ${name} TO ${role}`;
    return { url, reader: reader.href, grant, superuser: server.superuserUrl(name) };
  }

  it('writes no password, allows only functions that compute, and can be asked at once', async () => {
    const place = newPlace();
    const { reader, grant, superuser } = await shop();
    await asOwner(superuser, grant);
    const { password } = new URL(reader);
    const added = await cli(place, ['sources', 'add', reader, '--name', 'shop', '--yes']);
    expect(added).toMatchObject({ status: 0 });
    expect(added.stdout).toContain("export SHOP_PASSWORD='…'");
    expect(added.stderr).toContain('may not read 1 of the 3 tables');
    const config = configOf(place);
    const environment = { SHOP_PASSWORD: password };
    expect(`${config}${added.stdout}${added.stderr}`).not.toContain(password);
    expect(config).toContain(':${SHOP_PASSWORD}@127.0.0.1');
    expect(config).toContain('sql_blocked_columns = ["users.birth_date"]');
    expect(config).toContain('sensitive_fields = ["users.e mail"]');
    expect(config).toContain('sql_allowed_functions = ["add_tax"]');
    expect(config).toMatch(/# {3}refund: volatile, with the rights of its owner/);
    expect(config).toMatch(/# {3}twice: immutable, in plpgsql/);
    expect(config).toMatch(/# {3}born: immutable, in sql/);
    expect(config).toMatch(/# {3}pg_sleep: .*name of a function of PostgreSQL/);
    expect(config).toContain('# tenant_tables = ["users", "orders"]');
    const schema = schemaOf(place, 'shop.sql');
    expect(schema).toContain("IS 'one row for each order'");
    expect(schema).not.toContain('bob.miller');
    expect((await cli(place, ['config', 'check'])).stdout).toContain('SHOP_PASSWORD');
    const named = reader.replace(`:${password}@`, ':${SHOP_PASSWORD}@');
    await expectInOrder(place, [named, '--name', 'shop'], environment);
    expect(await cli(place, ['sources', 'check'], { environment })).toMatchObject({ status: 0 });
    const asked = await cli(place, ['sources', 'ask', 'shop', 'SELECT add_tax(10) AS t FROM users'], {
      environment,
    });
    expect(asked).toMatchObject({ status: 0, stdout: expect.stringContaining('{"t":12}') });
    const blocked = await cli(place, ['sources', 'ask', 'shop', 'SELECT born(1)'], { environment });
    expect(blocked).toMatchObject({ status: 1, stdout: expect.stringContaining('a call of born') });
  });

  it('takes the address from a variable, and refreshes what changed', async () => {
    const place = newPlace();
    const { url, reader, grant, superuser } = await shop();
    await asOwner(superuser, grant);
    const environment = { SHOP_URL: reader };
    const args = ['env:SHOP_URL', '--name', 'shop'];
    expect(await cli(place, ['sources', 'add', ...args, '--yes'], { environment })).toMatchObject({
      status: 0,
    });
    expect(configOf(place)).toContain('url = "env:SHOP_URL"');
    await expectInOrder(place, args, environment);
    await asOwner(url, 'ALTER TABLE orders ADD COLUMN note text');
    expect((await cli(place, ['sources', 'check'], { environment })).stdout).toContain('orders has note');
    const refreshed = await cli(place, ['sources', 'refresh', 'shop'], { environment });
    expect(refreshed).toMatchObject({ status: 0, stdout: expect.stringContaining('orders has note') });
    expect(await cli(place, ['sources', 'check'], { environment })).toMatchObject({ status: 0 });
  });

  it('says why it cannot: no server, no account, no rights, too many rights', async () => {
    const place = newPlace();
    const { reader, superuser } = await shop();
    const refusal = async (url: string) => {
      const { status, stderr } = await cli(place, ['sources', 'add', url, '--yes']);
      expect(status).toBe(1);
      expect(stderr).not.toContain(new URL(reader).password);
      return stderr;
    };
    expect(await refusal('postgres://a:b@127.0.0.1:1/none')).toContain(
      'cannot connect to postgres://127.0.0.1:1/none',
    );
    const wrong = new URL(reader);
    wrong.password = 'other';
    expect(await refusal(wrong.href)).toContain('does not accept the account or its password');
    const nowhere = new URL(superuser);
    nowhere.pathname = '/none';
    expect(await refusal(nowhere.href)).toContain('has no database of this name');
    await asOwner(superuser, `GRANT CONNECT ON DATABASE ${new URL(superuser).pathname.slice(1)} TO PUBLIC`);
    expect(await refusal(reader)).toMatch(/may read none of the 3 tables[\s\S]*GRANT SELECT/);
    expect(await refusal(superuser)).toMatch(/is a superuser[\s\S]*CREATE ROLE/);
    expect(existsSync(join(place.home, 'sallyport.toml'))).toBe(false);
  });
});

describe.skipIf(mariadbMissing)('MySQL', () => {
  it('reads tables, keys, views and functions of a real server', async () => {
    const place = newPlace();
    const { url, port } = await startMariadb();
    const root = await createConnection({ uri: url, multipleStatements: true });
    await root
      .query(`CREATE TABLE users (id int unsigned AUTO_INCREMENT PRIMARY KEY, email varchar(99) COMMENT 'bob.miller@exemplo.net',
        api_key varchar(99) DEFAULT 'x', kind enum('a','b'), full_label varchar(200) AS (concat(email, '!')) STORED, more json CHECK (json_valid(more)));
      CREATE TABLE orders (id int PRIMARY KEY, user_id int unsigned, at timestamp DEFAULT current_timestamp, FOREIGN KEY (user_id) REFERENCES users (id)) PARTITION BY HASH (id);`)
      .catch(async () => {
        // Partitioned tables have no foreign keys.
        await root.query(
          'CREATE TABLE orders (id int PRIMARY KEY, user_id int unsigned, FOREIGN KEY (user_id) REFERENCES users (id))',
        );
      });
    await root.query(`CREATE VIEW cards AS SELECT id, api_key AS code FROM users;
      CREATE FUNCTION twice(n int) RETURNS int DETERMINISTIC NO SQL RETURN n * 2;
      CREATE USER reader@'%' IDENTIFIED BY 'secret-1'; GRANT SELECT, SHOW VIEW, EXECUTE ON shop.* TO reader@'%'`);
    const reader = `mysql://reader:secret-1@127.0.0.1:${port}/shop`;
    const added = await cli(place, ['sources', 'add', reader, '--yes']);
    expect(added).toMatchObject({ status: 0, stdout: expect.stringContaining('judged, and not run') });
    const config = configOf(place);
    expect(config).toContain('mysql://reader:${SHOP_PASSWORD}@127.0.0.1');
    expect(config).not.toContain('secret-1');
    expect(config).toContain('sql_blocked_columns = ["users.api_key"]');
    expect(config).toContain('sensitive_fields = ["users.email"]');
    expect(config).toContain('#   twice: deterministic');
    const schema = schemaOf(place, 'shop.sql');
    expect(schema).not.toContain('bob.miller');
    expect(schema).toContain('FOREIGN KEY (`user_id`) REFERENCES `users` (`id`)');
    expect(schema).toMatch(/CREATE VIEW `cards` \(`id`, `code`\) AS/);
    const environment = { SHOP_PASSWORD: 'secret-1' };
    await expectInOrder(place, [reader], environment);
    const query = (text: string) => cli(place, ['sources', 'ask', 'shop', text, '--json'], { environment });
    expect(JSON.parse((await query('SELECT id FROM cards')).stdout)).toMatchObject({ valid: true });
    expect(JSON.parse((await query('SELECT code FROM cards')).stdout)).toMatchObject({ valid: false });
    await root.query('ALTER TABLE orders ADD COLUMN note text');
    await root.end();
    expect((await cli(place, ['sources', 'check'], { environment })).stdout).toContain('orders has note');
    expect((await cli(place, ['sources', 'refresh', 'shop'], { environment })).status).toBe(0);
    expect(await cli(place, ['sources', 'check'], { environment })).toMatchObject({ status: 0 });
  }, 60_000);

  it('says that it cannot connect', async () => {
    const place = newPlace();
    const failed = await cli(place, ['sources', 'add', 'mysql://a:geheim@127.0.0.1:1/x', '--yes']);
    expect(failed).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('cannot connect to mysql://127.0.0.1:1/x'),
    });
    expect(failed.stderr).not.toContain('geheim');
  });
});

const sdl = `"""A user, such as bob.miller@exemplo.net"""
type User { id: ID!, email: String, passwordHash: String }
input UserFilter { email: String }
type Query { users(filter: UserFilter): [User!]! }
type Mutation { createToken: String }`;

describe('GraphQL', () => {
  it('introspects a server, with a credential that is not written', async () => {
    const place = newPlace();
    let schema = buildSchema(sdl);
    const url = await serve((request, response) => {
      if (request.headers.authorization !== 'Bearer abc-123') return void response.writeHead(401).end();
      let body = '';
      request.on('data', (part) => {
        body += part;
      });
      request.on('end', () => {
        if (request.method !== 'POST') return void response.writeHead(405).end('<html>');
        response.setHeader('content-type', 'application/json');
        const { query } = JSON.parse(body);
        response.end(
          JSON.stringify(graphqlSync({ schema, source: query, rootValue: { users: [{ id: '1' }] } })),
        );
      });
    });
    const environment = { SHOP_TOKEN: 'Bearer abc-123' };
    const alone = await cli(place, ['sources', 'add', `${url}/graphql`, '--name', 'shop', '--yes']);
    expect(alone).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("--header 'authorization: env:"),
    });
    const literal = [
      'sources',
      'add',
      `${url}/graphql`,
      '--header',
      'authorization: Bearer abc-123',
      '--yes',
    ];
    expect((await cli(place, literal)).status).toBe(2);
    const args = [`${url}/graphql`, '--name', 'shop', '--header', 'authorization: env:SHOP_TOKEN'];
    expect(await cli(place, ['sources', 'add', ...args, '--yes'], { environment })).toMatchObject({
      status: 0,
    });
    const config = configOf(place);
    expect(config).toContain('headers = { "authorization" = "env:SHOP_TOKEN" }');
    expect(config).toContain('blocked_fields = ["User.passwordHash"]');
    expect(config).toContain('sensitive_fields = ["User.email"]');
    expect(config).not.toContain('abc-123');
    expect(schemaOf(place, 'shop.graphql')).not.toContain('bob.miller');
    await expectInOrder(place, args, environment);
    const asked = await cli(place, ['sources', 'ask', 'shop', '{ users { id } }'], { environment });
    expect(asked).toMatchObject({ status: 0, stdout: expect.stringContaining('{"users":[{"id":"1"}]}') });
    schema = buildSchema(`${sdl} extend type User { phone: String }`);
    expect((await cli(place, ['sources', 'check'], { environment })).stdout).toContain('User has phone');
    expect((await cli(place, ['sources', 'refresh', 'shop'], { environment })).status).toBe(0);
    expect(await cli(place, ['sources', 'check'], { environment })).toMatchObject({ status: 0 });
  });

  it('reads an SDL file, and reads it again', async () => {
    const place = newPlace();
    const file = join(place.workspace, 'shop.graphql');
    writeFileSync(file, sdl);
    const args = ['shop.graphql', '--url', 'http://127.0.0.1:1/graphql', '--name', 'shop'];
    expect((await cli(place, ['sources', 'add', ...args, '--yes'])).status).toBe(0);
    expect(configOf(place)).toContain(`schema_from = "${file}"`);
    expect(configOf(place)).toContain('url = "http://127.0.0.1:1/graphql"');
    await expectInOrder(place, args);
    writeFileSync(file, `${sdl} extend type User { phone: String }`);
    const refreshed = await cli(place, ['sources', 'refresh', 'shop']);
    expect(refreshed).toMatchObject({ status: 0, stdout: expect.stringContaining('User has phone') });
  });
});

const yaml = (server: string) => `openapi: 3.0.3
info: { title: Shop, version: "1", contact: { email: bob.miller@exemplo.net } }
${server}
paths:
  /users:
    get:
      operationId: listUsers
      responses:
        200:
          description: users
          content:
            application/json:
              schema: { type: array, items: { $ref: "#/components/schemas/User" } }
              example: [{ id: 1, email: ann@example.com }]
components:
  schemas:
    User:
      type: object
      properties:
        id: { type: integer, example: 4711 }
        example: { type: string }
        email: { type: string }
        password: { type: string }
`;

describe('OpenAPI', () => {
  it('reads YAML from an address, whose server is where the document is', async () => {
    const place = newPlace();
    let document = yaml('servers: [{ url: /v1 }]');
    const url = await serve((request, response) => {
      if (request.url === '/openapi.yaml') return void response.end(document);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify([{ id: 1, email: 'ann@example.com', password: 'hunter2' }]));
    });
    const args = [`${url}/openapi.yaml`, '--name', 'shop'];
    expect((await cli(place, ['sources', 'add', ...args, '--yes'])).status).toBe(0);
    const config = configOf(place);
    expect(config).toContain(`url = "${url}/v1"`);
    expect(config).toContain(`schema_from = "${url}/openapi.yaml"`);
    expect(config).toContain('openapi_output_blocked_fields = ["User.password"]');
    const written = JSON.parse(schemaOf(place, 'shop.json'));
    expect(JSON.stringify(written)).not.toMatch(/4711|ann@example|bob\.miller/);
    expect(Object.keys(written.components.schemas.User.properties)).toContain('example');
    await expectInOrder(place, args);
    const asked = await cli(place, ['sources', 'ask', 'shop', '{"method":"GET","url":"/users"}', '--json']);
    // It reads what looks like data about a person.
    expect(asked.status).toBe(3);
    document = document.replace(
      'password: { type: string }',
      'password: { type: string }\n        phone: { type: string }',
    );
    expect((await cli(place, ['sources', 'check'])).stdout).toContain('GET /users has User.phone');
    expect((await cli(place, ['sources', 'refresh', 'shop'])).status).toBe(0);
    expect(await cli(place, ['sources', 'check'])).toMatchObject({ status: 0 });
  });

  it('reads JSON from a file, and takes only versions that it knows', async () => {
    const place = newPlace();
    mkdirSync(join(place.workspace, 'api'));
    const json = {
      openapi: '3.1.0',
      info: { title: 'a', version: '1' },
      servers: [{ url: 'http://127.0.0.1:1/v1' }],
      paths: { '/a': { get: { responses: {} } } },
    };
    writeFileSync(join(place.workspace, 'api', 'shop.json'), JSON.stringify(json));
    expect((await cli(place, ['sources', 'add', 'api/shop.json', '--yes'])).status).toBe(0);
    expect(configOf(place)).toContain('[sources.127-0-0-1]');
    await expectInOrder(place, ['api/shop.json']);
    writeFileSync(join(place.workspace, 'old.yaml'), 'swagger: "2.0"\npaths: {}\n');
    const old = await cli(place, ['sources', 'add', 'old.yaml', '--yes']);
    expect(old).toMatchObject({ status: 1, stderr: expect.stringContaining('it is OpenAPI 2.0') });
  });
});
