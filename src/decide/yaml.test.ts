// The schema of a source may be YAML; all code that reads it expects JSON.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../tests/support/ledger.ts';
import { apiFrom } from '../guards/query/rest/api.ts';
import { realWorld } from './world.ts';

it('reads an OpenAPI document in YAML as the same in JSON', () => {
  const file = join(temporaryFolder(), 'api.yaml');
  writeFileSync(
    file,
    `openapi: 3.0.3
info: { title: Shop, version: "1" }
servers: [{ url: https://api.example/v1 }]
paths:
  /orders:
    get:
      operationId: listOrders
      responses:
        200: { description: orders }
`,
  );
  const text = realWorld().schemaText?.(file) ?? '';
  expect(apiFrom(text).operations).toMatchObject([{ id: 'listOrders', method: 'GET', path: '/orders' }]);
  writeFileSync(file, 'a: 1\na: 2\n');
  expect(() => realWorld().schemaText?.(file)).toThrow('is not YAML that can be read');
});
