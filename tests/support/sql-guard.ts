// Asks the query guard about one statement of SQL, with a schema in memory.

import { settingsFrom } from '../../src/config/index.ts';
import { Budget, type JsonObject } from '../../src/core/index.ts';
import { realWorld } from '../../src/decide/index.ts';
import { queryGuard } from '../../src/guards/query/index.ts';

const world = realWorld();

export interface SqlAsked {
  readonly kind?: 'postgres' | 'mysql' | 'sqlite';
  readonly mode?: JsonObject;
  /** Null for a source without a schema. */
  readonly schema: string | null;
  readonly url?: string;
}

/** The judgement of the guard; the caller is of the tenant `acme`. */
export async function askGuard(text: string, { kind = 'postgres', mode = {}, url, schema }: SqlAsked) {
  const source = {
    kind,
    code_mode: mode,
    ...(schema === null ? {} : { schema: '/schema' }),
    ...(url === undefined ? {} : { url }),
  };
  const settings = settingsFrom({}, { sources: { shop: source } });
  return await queryGuard.check(
    { kind: 'query', target: 'shop', language: 'sql', text },
    {
      settings,
      world: { ...world, schemaText: () => schema },
      budget: new Budget(2_000_000),
      context: { user: 'ann', tenant: 'acme', agent: 'a', session: 's', workspace: '/', mode: 'default' },
      granted: () => false,
    },
  );
}
