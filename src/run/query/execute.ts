// Runs a cleared query on its source, and hands on of the answer what may be handed on.

import {
  type ActionOf,
  type Context,
  canonicalJson,
  type JsonValue,
  SallyportError,
  spanned,
  type World,
} from '../../core/index.ts';
import { type Cleared, takeClearance } from '../../decide/cleared.ts';
import { egressIn } from '../../decide/egress.ts';
import type { Redactions } from '../../guards/egress/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import { warningOf } from '../output.ts';
import { QueryFailed } from './errors.ts';
import { type Page, type Pages, pagesOf } from './pages.ts';
import { withoutPersonalData } from './personal.ts';
import type { ExecuteOptions, Raw } from './result.ts';

/** The redacted result of a query. */
export interface QueryResult {
  readonly data: JsonValue;
  /** Rows of this page, or how many a change touched; null if it has no rows. */
  readonly rows: number | null;
  /** Rows of all pages, where there are several. */
  readonly total_rows?: number;
  /** Reads the next page; absent on the last one. */
  readonly next_page?: string;
  /** Whether there was more than may be read. */
  readonly truncated: boolean;
  readonly warnings: readonly string[];
  /** How many of each kind were taken out. */
  readonly redactions: Redactions;
}

/** The context for querying a source, and the store for the pages after the first; without it they are omitted. */
interface RunOptions extends ExecuteOptions {
  readonly pages?: Pages;
}

/** Runs a query and hands on its first page; throws `QueryFailed`, `QueryTimedOut`, `PostureRefused` and what a guarded fetch throws. */
export async function runQuery(cleared: Cleared<'query'>, options: RunOptions): Promise<QueryResult> {
  takeClearance(cleared);
  const { world, source, pages } = options;
  const { context, decisionId } = cleared;
  let raw: Raw;
  try {
    const about = {
      'sallyport.kind': 'query',
      'sallyport.decision_id': decisionId,
      'sallyport.source': source.name,
    };
    raw = await spanned(world.telemetry, 'sallyport.execute', about, () => answerOf(cleared, options));
  } catch (error) {
    if (!(error instanceof QueryFailed)) throw error;
    const egress = await egressIn(options.settings, world, context);
    throw new QueryFailed((await egress.text(error.message)).text);
  }
  const [first, ...rest] = pagesOf(raw, source.mode);
  const about = { total: raw.rows, isCut: raw.truncated, decisionId };
  const bound = boundTo(cleared.action, context, options);
  const next =
    pages?.store.keep({ ...about, pages: rest, bound }, world.now(), source.mode.tokenTtlMs) ?? null;
  const isCut = raw.truncated || (rest.length > 0 && next === null);
  return await delivered(
    { ...first, warnings: [...raw.warnings, ...first.warnings] },
    { ...about, isCut, next },
    context,
    options,
  );
}

/** A page of a result that was run before, for who has the query and the token that it ran with. */
export async function readPage(
  handle: string,
  action: ActionOf<'query'>,
  context: Context,
  options: ExecuteOptions & { readonly pages: Pages },
): Promise<QueryResult> {
  const { page, ...about } = options.pages.store.find(
    handle,
    boundTo(action, context, options),
    options.world.now(),
  );
  return await delivered(page, about, context, options);
}

/** The context for reading a page: the query, its token, the session that ran it, and the rules that it ran under. */
function boundTo(
  { text, variables = {} }: ActionOf<'query'>,
  { user, tenant, agent, session }: Context,
  { source, settings, pages }: RunOptions,
): string {
  const token = pages?.token ?? '';
  return canonicalJson([text, variables, token, user, tenant, agent, session, source.name, settings.version]);
}

/** A page as a model reads it: without secrets, without personal data where that is configured, with a warning. */
async function delivered(
  page: Page,
  about: {
    readonly next: string | null;
    readonly total: number | null;
    /** Whether the source had more than may be read. */
    readonly isCut: boolean;
    readonly decisionId: string;
  },
  context: Context,
  options: ExecuteOptions,
): Promise<QueryResult> {
  const { settings, world, ledger, source } = options;
  const egress = await egressIn(settings, world, context);
  const { value, redactions: secrets } = await egress.value({ data: page.data });
  const clean = value['data'] ?? null;
  const { data, redactions: personal } = source.mode.redactPersonal
    ? withoutPersonalData(clean)
    : { data: clean, redactions: {} };
  const redactions = { ...secrets, ...personal };
  if (Object.keys(redactions).length > 0)
    await recordRedactions({ context, decisionId: about.decisionId }, redactions, ledger, world);
  return {
    data,
    rows: page.rows,
    ...(about.total === null || about.total === page.rows ? {} : { total_rows: about.total }),
    ...(about.next === null ? {} : { next_page: about.next }),
    truncated: about.isCut || about.next !== null,
    warnings: [
      ...page.warnings,
      ...(about.next !== null ? [paged] : about.isCut ? [cut] : []),
      ...(await noteOn(context, data, options)),
    ],
    redactions,
  };
}

const paged =
  'The result was cut to a page: run execute_query again with the same query, variables and token and with page, the next_page of this result.';
const cut = 'The result was cut: ask for the rest with a condition, or with LIMIT and OFFSET.';

/** The note for a model on rows that try to command it: others wrote them. */
async function noteOn(
  context: Context,
  data: JsonValue,
  { decider, source }: ExecuteOptions,
): Promise<readonly string[]> {
  const action = { kind: 'prompt', text: JSON.stringify(data), origin: 'tool', name: source.name } as const;
  const { verdict } = await decider.under({ dry: true }).decide(action, context);
  const note = warningOf(verdict, { isRecorded: false });
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
      throw new SallyportError('a source of the kind "mysql" is judged, not run');
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
