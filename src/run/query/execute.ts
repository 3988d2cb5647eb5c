// Runs a cleared query on its source, and hands on of the answer what may be handed on.

import { type Context, type JsonValue, SallyportError, spanned, type World } from '../../core/index.ts';
import { type Cleared, takeClearance } from '../../decide/cleared.ts';
import { egressIn } from '../../decide/egress.ts';
import type { Redactions } from '../../guards/egress/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import { warningOf } from '../output.ts';
import { QueryFailed } from './errors.ts';
import type { ExecuteOptions, Raw } from './result.ts';

/** What a query gave, redacted. */
export interface QueryResult {
  readonly data: JsonValue;
  readonly rows: number | null;
  readonly truncated: boolean;
  readonly warnings: readonly string[];
  /** How many of each kind were taken out. */
  readonly redactions: Redactions;
}

/** Runs a query; throws `QueryFailed`, `QueryTimedOut`, `PostureRefused` and what a guarded fetch throws. */
export async function runQuery(cleared: Cleared<'query'>, options: ExecuteOptions): Promise<QueryResult> {
  takeClearance(cleared);
  const { settings, world, ledger } = options;
  const egress = await egressIn(settings, world, cleared.context);
  let raw: Raw;
  try {
    const about = {
      'sallyport.kind': 'query',
      'sallyport.decision_id': cleared.decisionId,
      'sallyport.source': options.source.name,
    };
    raw = await spanned(world.telemetry, 'sallyport.execute', about, () => answerOf(cleared, options));
  } catch (error) {
    throw error instanceof QueryFailed ? new QueryFailed((await egress.text(error.message)).text) : error;
  }
  const { value, redactions } = await egress.value({ data: raw.data });
  if (Object.keys(redactions).length > 0) await recordRedactions(cleared, redactions, ledger, world);
  const data = value['data'] ?? null;
  const warnings = [
    ...raw.warnings,
    ...(raw.truncated ? [cut] : []),
    ...(await noteOn(cleared, data, options)),
  ];
  return { ...raw, warnings, data, redactions };
}

const cut = 'The result was cut: ask for the rest with a condition, or with LIMIT and OFFSET.';

/** What a model is told of rows that try to command it: they are text of others. */
async function noteOn(
  { context }: Cleared<'query'>,
  data: JsonValue,
  { decider, source }: ExecuteOptions,
): Promise<readonly string[]> {
  const action = { kind: 'prompt', text: JSON.stringify(data), origin: 'tool', name: source.name } as const;
  const { verdict } = await decider.under({ dry: true }).decide(action, context);
  const note = warningOf(verdict, false);
  return note === undefined ? [] : [note];
}

async function answerOf(cleared: Cleared<'query'>, options: ExecuteOptions): Promise<Raw> {
  const { source } = options;
  switch (source.kind) {
    case 'postgres':
      return await (await import('./postgres.ts')).runPostgres(cleared, options);
    case 'sqlite':
      return await (await import('./sqlite.ts')).runSqlite(cleared, options);
    case 'graphql':
      return await (await import('./http.ts')).runGraphql(cleared, options);
    case 'rest':
      return await (await import('./http.ts')).runRest(cleared, options);
    case 'mysql':
      throw new SallyportError('a source of the kind "mysql" is judged, and not run');
  }
}

async function recordRedactions(
  { context, decisionId }: { readonly context: Context; readonly decisionId: string },
  redactions: Redactions,
  ledger: Ledger,
  world: World,
): Promise<void> {
  const { user, tenant, agent } = context;
  const who = { time: world.now(), user, tenant, agent, decision_id: decisionId };
  await ledger.record({ ...who, event_type: 'output_redacted', details: { redactions } }, true);
}
