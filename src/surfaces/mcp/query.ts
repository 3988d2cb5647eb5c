// The MCP server of sources: their schemas as far as they may be seen, with tools to search them, and two tools for
// queries, one to have a query judged and one to run it with the token of that.

import type {
  CallToolResult,
  ClientCapabilities,
  InputRequest,
  inputRequired as InputRequired,
  McpServer,
} from '@modelcontextprotocol/server';
import type { Source } from '../../config/sources.ts';
import {
  type Context,
  type JsonObject,
  messageOf,
  SallyportError,
  visible,
  type World,
} from '../../core/index.ts';
import {
  choice,
  describe,
  flag,
  integer,
  json,
  list,
  object,
  optional,
  readShape,
  record,
  text,
} from '../../core/shape.ts';
import { TokenError } from '../../ledger/query-token.ts';
import { type QueryAnswer, type QueryPipeline, QueryRefused, violationOf } from '../../run/query/index.ts';
import { asksByForm, asksByUrl } from './asking.ts';
import { instructions, serverName } from './query-hello.ts';
import { QuerySchema } from './query-schema.ts';

export interface QueryServerParts {
  /** What queries may go to; where there are several, each call names one. */
  readonly sources: readonly Source[];
  /** The name of the source where the server is for one; null where it is for all. */
  readonly only: string | null;
  readonly pipeline: QueryPipeline;
  readonly world: World;
  /** Who asks, from the session and never from what a client says. */
  readonly context: Context;
  readonly version: string;
}

const query = describe('The query, in the language of the source.', text({ min: 1 }));
const variables = describe('The values of its variables.', optional(record(json())));
/** Names that one call has described, and entries that one search finds, at most. */
const mostNames = 20;
const mostFound = 50;
const usuallyFound = 15;

const fields = {
  validate: {
    query,
    variables,
    dry_run: describe('Judge it only: no approval request, and no token.', optional(flag())),
  },
  execute: {
    query,
    variables,
    approval_token: describe('The token that validate_query gave.', text({ min: 1, max: 4096 })),
    page: describe(
      'The next_page of the result before, to read on; nothing runs again.',
      optional(text({ min: 1, max: 100 })),
    ),
  },
  search: {
    words: describe('What to look for, in plain words; empty for everything.', text({ max: 1000 })),
    limit: describe(
      `The maximum number of entries; default ${usuallyFound}.`,
      optional(integer(1, mostFound)),
    ),
  },
  describe: {
    names: describe(
      'Names of tables, types, fields or operations.',
      list(text({ min: 1, max: 256 }), { max: mostNames }),
    ),
  },
};

/** The shapes of the tools' arguments: with the name of the source where there are several. */
function inputsFor(names: readonly string[]) {
  const [first = '', ...others] = names;
  const source = describe('Which source it is about.', choice(names));
  const shape = <const F extends Parameters<typeof object>[0]>(own: F) => {
    const plain = object(own);
    if (others.length === 0) {
      return {
        schema: plain.schema(),
        read: (input: JsonObject) => ({ name: first, given: readShape(plain, input) }),
      };
    }
    return {
      schema: object({ source, ...own }).schema(),
      read({ source: named, ...rest }: JsonObject) {
        return { name: readShape(source, named), given: readShape(plain, rest) };
      },
    };
  };
  return {
    validate: shape(fields.validate),
    execute: shape(fields.execute),
    search: shape(fields.search),
    describe: shape(fields.describe),
  };
}

/** Makes the server; nothing is registered for a source that takes no queries. */
export async function createQueryServer(parts: QueryServerParts): Promise<McpServer> {
  const { McpServer, ResourceTemplate, fromJsonSchema, inputRequired } = await import(
    '@modelcontextprotocol/server'
  );
  const { pipeline, context, world } = parts;
  const sources = parts.sources.filter(({ mode }) => mode.enabled);
  const { only } = parts;
  const server = new McpServer(
    { name: serverName(only), version: parts.version },
    { instructions: instructions(only) },
  );
  if (sources.length === 0) return server;
  const schemas = new Map(
    sources.map((source) => [source.name, new QuerySchema(source, world, only !== null)]),
  );
  const inputs = inputsFor(sources.map(({ name }) => name));
  const schemaOf = (name: string): QuerySchema => {
    const found = schemas.get(name);
    if (found === undefined) throw new SallyportError(`there is no source "${name}"`);
    return found;
  };
  const shown = sources.map((source) => `${source.name} (${spoken[source.kind]})`).join('; ');
  const mimeType = 'text/plain';

  for (const schema of schemas.values()) {
    const { name } = schema.source;
    const own = only === null ? `schema of ${name}` : 'schema';
    server.registerResource(
      own,
      schema.uri,
      { title: `Schema of ${name}`, description: 'What may be asked for.', mimeType },
      async () => ({ contents: [{ uri: schema.uri, mimeType, text: await schema.text() }] }),
    );
    server.registerResource(
      `part of the ${own}`,
      new ResourceTemplate(`${schema.uri}/{name}`, { list: undefined }),
      { title: `Part of the schema of ${name}`, description: 'One table, type or operation.', mimeType },
      async (uri, given) => {
        const [part = ''] = [given['name'] ?? []].flat();
        return { contents: [{ uri: uri.href, mimeType, text: await schema.part(decodeURIComponent(part)) }] };
      },
    );
  }

  server.registerPrompt(
    'start_code_mode',
    {
      title: 'Write a query',
      description: `How queries to ${sources.map(({ name }) => name).join(', ')} are written, approved and run.`,
    },
    async () => {
      const [first] = schemas.values();
      // Several schemas at once would crowd out the task; the tools find what it needs.
      const schema = schemas.size === 1 ? `\n\n${await first?.text()}` : '';
      const all = `${instructions(only)}\n\n${shown}${schema}`;
      return { messages: [{ role: 'user', content: { type: 'text', text: all } }] };
    },
  );

  server.registerTool(
    'validate_query',
    {
      title: 'Have a query judged',
      description: `Judges a query to ${shown}, says what it does, and gives the token that execute_query needs. Nothing is run.`,
      inputSchema: fromJsonSchema<JsonObject>(inputs.validate.schema),
      annotations: looks,
    },
    async (input, ctx) => {
      const { name, given } = inputs.validate.read(input);
      const asked = { target: name, text: given.query, variables: given.variables ?? {} };
      const dryRun = given.dry_run ?? false;
      try {
        const answer = await pipeline.validate(asked, context, { dryRun });
        // Asking the client only tells the person where to look; what counts is the answer that they give there.
        const told = ctx.mcpReq.inputResponses?.['approve'] !== undefined;
        const approve = told
          ? null
          : questionFor(answer, given.query, server.server.getClientCapabilities(), inputRequired);
        if (approve !== null) return inputRequired({ inputRequests: { approve } });
        return result({ ...answer }, !answer.valid);
      } catch (error) {
        return failure(error);
      }
    },
  );

  server.registerTool(
    'execute_query',
    {
      title: 'Run a query',
      description: `Runs a query to ${sources.map(({ name }) => name).join(' or ')} that validate_query gave a token for, exactly as it was judged, once.`,
      inputSchema: fromJsonSchema<JsonObject>(inputs.execute.schema),
      annotations: annotationsOf(sources),
    },
    async (input, ctx) => {
      const { name, given } = inputs.execute.read(input);
      const asked = { target: name, text: given.query, variables: given.variables ?? {} };
      try {
        const { approval_token: token, page } = given;
        // A client that drops its request has gone, whether or not it says so.
        const { signal } = ctx.mcpReq;
        const gone = ctx.http?.req === undefined ? signal : AbortSignal.any([signal, ctx.http.req.signal]);
        const found =
          page === undefined
            ? await pipeline.execute(asked, token, context, gone)
            : await pipeline.nextPage(asked, token, page, context);
        return result({ ...found, redactions: { ...found.redactions } }, false);
      } catch (error) {
        return failure(error);
      }
    },
  );

  server.registerTool(
    'search_schema',
    {
      title: 'Search the schema',
      description: `Finds what may be asked for in ${shown} by plain words: tables, columns, types and operations, the best first.`,
      inputSchema: fromJsonSchema<JsonObject>(inputs.search.schema),
      annotations: looks,
    },
    async (input) => {
      const { name, given } = inputs.search.read(input);
      return await answered(() => schemaOf(name).search(given.words, given.limit ?? usuallyFound));
    },
  );

  server.registerTool(
    'describe',
    {
      title: 'Describe parts of the schema',
      description:
        'Tells of tables, types or operations by their names: types, keys, values that are allowed, comments, how they hang together, and a query to begin with.',
      inputSchema: fromJsonSchema<JsonObject>(inputs.describe.schema),
      annotations: looks,
    },
    async (input) => {
      const { name, given } = inputs.describe.read(input);
      return await answered(() => schemaOf(name).describe(given.names));
    },
  );
  return server;
}

const looks = { readOnlyHint: true, openWorldHint: false } as const;

async function answered(work: () => Promise<JsonObject>): Promise<CallToolResult> {
  try {
    return result(await work(), false);
  } catch (error) {
    return failure(error);
  }
}

/** How a client leads its user to the question; null where it cannot, and then it only hears that a person must answer. */
function questionFor(
  { explanation, risk_level: risk, approval }: QueryAnswer,
  text: string,
  capabilities: ClientCapabilities | undefined,
  ask: typeof InputRequired,
): InputRequest | null {
  if (approval === undefined) return null;
  // The query itself decides, and not only what is said of it.
  const about = `${explanation}\nRisk: ${risk}.\n\n${visible(text, 4000)}\n\nTo allow it once,`;
  if (asksByUrl(capabilities) && approval.url !== null) {
    return ask.elicitUrl({ message: `${about} answer on this page.`, url: approval.url });
  }
  if (!asksByForm(capabilities)) return null;
  const message = `${about} run: ${approval.how}\nThen go on here.`;
  return ask.elicit({ message, requestedSchema: { type: 'object', properties: {} } });
}

const spoken: Readonly<Record<Source['kind'], string>> = {
  graphql: 'GraphQL',
  postgres: 'SQL of PostgreSQL, with $1, $2 for the variables "1", "2"',
  mysql: 'SQL of MySQL',
  sqlite: 'SQL of SQLite, with :name for the variable "name"',
  rest: 'JSON: an object with method, url, headers and body',
};

/** INVARIANT: a tool is called read-only only where the source lets nothing be changed. */
function annotationsOf(sources: readonly Source[]) {
  const changes = sources.some(mayChange);
  return { readOnlyHint: !changes, destructiveHint: changes, idempotentHint: false, openWorldHint: true };
}

function mayChange({ kind, mode: { graphql, sql, rest } }: Source): boolean {
  if (kind === 'graphql') return graphql.allowMutations;
  if (kind !== 'rest') return sql.writes || sql.deletes || sql.ddl;
  return rest.writes || rest.deletes || rest.allowedWrites.length > 0 || rest.allowedDeletes.length > 0;
}

/** How long an answer may be that goes out in both of the forms that clients read. */
const longestTwice = 32_768;

function result(content: Readonly<Record<string, unknown>>, isError: boolean): CallToolResult {
  const text = JSON.stringify(content);
  return {
    content: [{ type: 'text', text }],
    // A long one goes out once: every client reads the text.
    ...(text.length > longestTwice ? {} : { structuredContent: content }),
    isError,
  };
}

/** An error as a model sees it: by its name, and nothing of what is behind it. */
function failure(error: unknown): CallToolResult {
  if (error instanceof TokenError) return result({ error: error.problem, message: error.message }, true);
  if (error instanceof QueryRefused) {
    const blocks = error.verdict.findings.filter(({ decision }) => decision === 'block');
    const violations = blocks.map((finding) => ({ ...violationOf(finding) }));
    return result({ error: error.name, message: error.message, violations }, true);
  }
  if (error instanceof SallyportError) {
    return result({ error: error.name, message: messageOf(error) }, true);
  }
  return result({ error: 'InternalError', message: 'the query could not be handled' }, true);
}
