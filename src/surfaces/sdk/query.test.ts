// Queries from a program of the user's own.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeShop } from '../../../examples/shop/shop.ts';
import { temporaryFolder } from '../../../tests/support/ledger.ts';
import { prepareHome } from '../../config/index.ts';
import { createQueryPipeline } from './query.ts';

async function shop() {
  const folder = temporaryFolder();
  const home = join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
  prepareHome(home);
  const file = join(folder, 'shop.db');
  makeShop(file);
  const schema = join(folder, 'schema.graphql');
  writeFileSync(schema, 'type Query { me: Int }');
  writeFileSync(
    join(home, 'sallyport.toml'),
    `[sources.tables]\nkind = "sqlite"\nurl = "${file}"\n[sources.graph]\nkind = "graphql"\nschema = "${schema}"\n`,
  );
  const queries = await createQueryPipeline({ home });
  onTestFinished(() => queries.close());
  return queries;
}

const ann = { userId: 'ann', source: 'tables', workspace: '/' };

describe('the pipeline of a program', () => {
  it('validates and runs', async () => {
    const { validateSqlQuery, executeQuery } = await shop();
    const text = 'SELECT total FROM orders WHERE id = :id';
    const variables = { id: 3 };
    const { isValid, valid, approval_token: token } = await validateSqlQuery(text, ann, { variables });
    expect({ isValid, valid }).toEqual({ isValid: true, valid: true });
    const other = executeQuery(text, token ?? '', { ...ann, userId: 'bob' }, variables);
    await expect(other).rejects.toMatchObject({ problem: 'UserMismatch' });
    expect(await executeQuery(text, token ?? '', ann, variables)).toMatchObject({ data: [{ total: 1500 }] });
  });

  it('says what is wrong, and gives nothing in a dry run', async () => {
    const { validateSqlQuery, validateGraphqlQuery } = await shop();
    expect(await validateSqlQuery('DELETE FROM orders', ann)).toMatchObject({
      isValid: false,
      violations: [{ rule: 'deletes_disabled' }, { rule: 'missing_where' }],
    });
    expect(await validateGraphqlQuery('{ me }', { ...ann, source: 'graph' }, { dryRun: true })).toMatchObject(
      {
        isValid: true,
        approval_token: null,
      },
    );
  });

  it('refuses a source of another language, one that is not there, and nobody', async () => {
    const { validateGraphqlQuery, validateRestRequest, validateSqlQuery } = await shop();
    await expect(validateGraphqlQuery('{ me }', ann)).rejects.toThrow(/asked in sql/);
    expect(await validateRestRequest('{}', { ...ann, source: 'none' })).toMatchObject({ isValid: false });
    await expect(validateSqlQuery('SELECT 1', { ...ann, userId: '' })).rejects.toThrow(/has a user/);
  });
});
