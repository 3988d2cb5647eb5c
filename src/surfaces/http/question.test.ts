// What a person is shown of a question: the action as it would run.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testDaemon } from '../../../tests/support/daemon.ts';

const configuration = (workspace: string) => {
  const schema = join(workspace, 'schema.sql');
  writeFileSync(schema, 'CREATE TABLE orders (id INTEGER, total INTEGER);');
  return `[sources.shop]
kind = "sqlite"
schema = "${schema}"
url = "${join(workspace, 'shop.db')}"
[sources.shop.code_mode]
enabled = true
sql_allow_writes = true
`;
};

it('shows a query as it would run, and the answer is for that query alone', async () => {
  const { call, credential, session, workspace } = await testDaemon({
    passphrase: true,
    configuration,
  });
  const token = await credential({ agent: 'claude', user: 'owner', tenant: 'local' });
  const ask = async (text: string) => {
    const body = { kind: 'query', target: 'shop', language: 'sql', text, context: { workspace } };
    return (await call('/v1/decide', { token, body })).body;
  };
  const text = 'UPDATE orders SET total = 1 WHERE id = 2';
  const { decision, approval } = await ask(text);
  expect(decision).toBe('approve');
  const person = await session();
  const { body } = await call('/v1/approvals', { token: person });
  expect(JSON.parse(body.approvals[0].text).action.text).toBe(text);
  const answered = await call(`/v1/approvals/${approval.id}/answer`, {
    token: person,
    body: { answer: 'approve' },
  });
  expect(answered.status).toBe(200);
  expect((await ask(text)).decision).toBe('pass');
  expect((await ask(text.replace('2', '3'))).decision).toBe('approve');
});
