// sallyport sources: what is written down about a database is held against the database.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { cli, newPlace, type Place } from '../support/cli.ts';
import { temporaryFolder } from '../support/ledger.ts';
import { asOwner } from '../support/live-source.ts';
import { postgresMissing, sharedPostgres } from '../support/postgres.ts';

function placeWith(configuration: string): Place {
  const place = newPlace();
  mkdirSync(place.home, { mode: 0o700 });
  writeFileSync(join(place.home, 'sallyport.toml'), configuration);
  return place;
}

function sqlitePlace() {
  const folder = temporaryFolder();
  const [file, schema] = [join(folder, 'shop.db'), join(folder, 'shop.sql')];
  const database = new DatabaseSync(file);
  database.exec(
    'CREATE TABLE users (id INTEGER, ssn TEXT); CREATE VIEW cards AS SELECT id, ssn AS code FROM users',
  );
  database.close();
  writeFileSync(schema, 'CREATE TABLE users (id INTEGER);\n');
  return { file, schema };
}

it('lists, checks and refreshes a SQLite source', async () => {
  const { file, schema } = sqlitePlace();
  const place = placeWith(`[sources.shop]\nkind = "sqlite"\nurl = "${file}"\nschema = "${schema}"\n`);
  expect((await cli(place, ['sources', 'list'])).stdout).toContain('shop  sqlite');
  const before = await cli(place, ['sources', 'check']);
  expect(before.status).toBe(1);
  expect(before.stdout).toContain('users has ssn, which the schema file lacks');
  expect(before.stdout).toContain('cards is not in the schema file');
  expect(before.stdout).toContain('sallyport sources refresh shop');
  const refreshed = await cli(place, ['sources', 'refresh', 'shop']);
  expect(refreshed).toMatchObject({ status: 0, stdout: expect.stringContaining('is written anew') });
  expect(readFileSync(schema, 'utf8')).toContain('CREATE VIEW cards AS SELECT id, ssn AS code FROM users;');
  expect(await cli(place, ['sources', 'check', 'shop'])).toMatchObject({ status: 0 });
  expect((await cli(place, ['sources', 'refresh', 'none'])).stderr).toContain('there is no source "none"');
  expect((await cli(place, ['sources'])).status).toBe(2);
});

it.skipIf(postgresMissing !== null)('refreshes a PostgreSQL source, and shows no password', async () => {
  const { url } = await sharedPostgres();
  await asOwner(
    url,
    'CREATE TABLE users (id int, ssn text)',
    'CREATE VIEW cards AS SELECT id, ssn AS code FROM users',
  );
  const schema = join(temporaryFolder(), 'shop.sql');
  writeFileSync(schema, '');
  const place = placeWith(`[sources.shop]\nkind = "postgres"\nurl = "${url}"\nschema = "${schema}"\n`);
  const listed = await cli(place, ['sources', 'list']);
  expect(listed.stdout).toContain('postgres://127.0.0.1');
  expect(listed.stdout).not.toContain(new URL(url).password);
  expect((await cli(place, ['sources', 'check'])).status).toBe(1);
  expect((await cli(place, ['sources', 'refresh', 'shop', '--json'])).status).toBe(0);
  expect(readFileSync(schema, 'utf8')).toContain('CREATE VIEW public.cards (id, code) AS');
  expect(await cli(place, ['sources', 'check'])).toMatchObject({ status: 0 });
});
