// Queries inside the user's own program: validated and run as the MCP server does it, on the user's own home.

import { homeFolder, loadConfig } from '../../config/index.ts';
import { InputError, type JsonObject, modeFromHost } from '../../core/index.ts';
import { createDecider, readRequest, realWorld, withTelemetry } from '../../decide/index.ts';
import { languages } from '../../guards/query/languages.ts';
import { openLedger } from '../../ledger/open.ts';
import {
  createQueryPipeline as createPipeline,
  type QueryAnswer,
  type QueryResult,
} from '../../run/query/index.ts';
import type { CallContext } from './index.ts';

export { TokenError, type TokenProblem } from '../../ledger/query-token.ts';
export {
  PageGone,
  PostureRefused,
  type QueryAnswer,
  QueryFailed,
  QueryRefused,
  type QueryResult,
  QueryTimedOut,
  type Violation,
} from '../../run/query/index.ts';
export type { CallContext } from './index.ts';

/** How the pipeline is opened. */
export interface QueryPipelineOptions {
  /** Where keys, records and configuration are; default: $SALLYPORT_HOME, else ~/.sallyport. */
  readonly home?: string;
  /** Read instead of the home's sallyport.toml. */
  readonly file?: string;
}

/** Who asks, from the program's own session, and which source. A query without a user is refused. */
export interface QueryContext extends CallContext {
  readonly userId: string;
  /** By its name in the configuration. */
  readonly source: string;
}

/** What goes with a query. */
export interface ValidateOptions {
  readonly variables?: JsonObject;
  /** Asks nobody, records nothing, gives no token. */
  readonly dryRun?: boolean;
}

/** What became of a query. */
export interface QueryValidation extends QueryAnswer {
  readonly isValid: boolean;
}

type Validate = (query: string, context: QueryContext, options?: ValidateOptions) => Promise<QueryValidation>;

/** Validates queries, and runs those that have a token. */
export interface Queries {
  readonly validateGraphqlQuery: Validate;
  readonly validateSqlQuery: Validate;
  /** The query is a JSON object with method, url, headers and body. */
  readonly validateRestRequest: Validate;
  /** Runs what a validation gave a token for, once. */
  executeQuery(
    query: string,
    token: string,
    context: QueryContext,
    variables?: JsonObject,
    signal?: AbortSignal,
  ): Promise<QueryResult>;
  /** The next page of a result, by its `next_page`, with the query and the token of its run. Throws `PageGone`. */
  nextPage(
    query: string,
    token: string,
    page: string,
    context: QueryContext,
    variables?: JsonObject,
  ): Promise<QueryResult>;
  /** Writes what waits and closes the store. */
  close(): Promise<void>;
}

/** Opens the pipeline; throws `ConfigError` where the configuration cannot be used. */
export async function createQueryPipeline({
  home: named,
  file,
}: QueryPipelineOptions = {}): Promise<Queries> {
  const environment = process.env;
  const home = named ?? homeFolder(environment);
  const plain = realWorld({ ownHome: home });
  const config = await loadConfig({
    home,
    environment,
    world: plain,
    ...(file === undefined ? {} : { file }),
  });
  const world = await withTelemetry(plain, config);
  const ledger = await openLedger(home, config.ledger);
  const pipeline = createPipeline({ decider: createDecider({ config, ledger, world }), ledger, world });

  async function contextOf(given: QueryContext) {
    const { userId, tenantId = 'local', sessionId, agent, workspace, permissionMode, source } = given;
    if (userId === '') throw new InputError('a query has a user', { pointer: '/userId' });
    const said = {
      ...(sessionId === undefined ? {} : { session: sessionId }),
      ...(agent === undefined ? {} : { agent }),
      ...(workspace === undefined ? {} : { workspace }),
      ...(permissionMode === undefined ? {} : { mode: modeFromHost(permissionMode) }),
    };
    const { context } = await readRequest(
      { kind: 'query', target: source, language: 'sql', text: '', context: said },
      { asker: { user: userId, tenant: tenantId, agent: null }, folder: process.cwd(), config, world },
    );
    return context;
  }

  const validateIn =
    (language: (typeof languages)[keyof typeof languages]): Validate =>
    async (text, given, { variables = {}, dryRun = false } = {}) => {
      const context = await contextOf(given);
      const { sources } = await config.settingsFor(context);
      const source = sources.find(({ name }) => name === given.source);
      if (source !== undefined && languages[source.kind] !== language) {
        throw new InputError(`the source "${source.name}" is asked in ${languages[source.kind]}`);
      }
      const answer = await pipeline.validate({ target: given.source, text, variables }, context, { dryRun });
      return { ...answer, isValid: answer.valid };
    };

  return {
    validateGraphqlQuery: validateIn('graphql'),
    validateSqlQuery: validateIn('sql'),
    validateRestRequest: validateIn('rest'),
    async executeQuery(text, token, given, variables = {}, signal) {
      return await pipeline.execute(
        { target: given.source, text, variables },
        token,
        await contextOf(given),
        signal,
      );
    },
    async nextPage(text, token, page, given, variables = {}) {
      const query = { target: given.source, text, variables };
      return await pipeline.nextPage(query, token, page, await contextOf(given));
    },
    close: () => ledger.close(),
  };
}
