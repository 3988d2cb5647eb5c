// The MCP server of one source: its schema as far as it may be seen, and two tools, one to have a query judged and one
// to run it with the token of that.

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
import { flag, json, object, optional, readShape, record, text } from '../../core/shape.ts';
import { languages } from '../../guards/query/languages.ts';
import { shownSchema } from '../../guards/query/shown.ts';
import { TokenError } from '../../ledger/query-token.ts';
import {
  databaseOf,
  type QueryAnswer,
  type QueryPipeline,
  QueryRefused,
  violationOf,
} from '../../run/query/index.ts';
import { asksByForm, asksByUrl } from './asking.ts';

export interface QueryServerParts {
  readonly source: Source;
  readonly pipeline: QueryPipeline;
  readonly world: World;
  /** Who asks, from the session and never from what a client says. */
  readonly context: Context;
  readonly version: string;
}

const query = text({ min: 1 });
const variables = optional(record(json()));
const inputs = {
  validate: object({ query, variables, dry_run: optional(flag()) }),
  execute: object({ query, variables, approval_token: text({ min: 1, max: 4096 }) }),
};

/** Makes the server; nothing is registered for a source that takes no queries. */
export async function createQueryServer(parts: QueryServerParts): Promise<McpServer> {
  const { McpServer, fromJsonSchema, inputRequired } = await import('@modelcontextprotocol/server');
  const { source, pipeline, context, world } = parts;
  const server = new McpServer({ name: `sallyport-${source.name}`, version: parts.version });
  if (!source.mode.enabled) return server;
  const language = languages[source.kind];
  const uri = `${language}://schema`;
  const schema = async (): Promise<string> => {
    const path = source.schema;
    // Without a file the database is asked.
    const live = async () => (await databaseOf(source)?.schema())?.text ?? null;
    const found = path === null ? await live() : (world.schemaText ?? world.readText)(path);
    if (found === null && path !== null) throw new SallyportError('the schema of the source cannot be read');
    return await shownSchema(source, found, world.readers);
  };

  server.registerResource(
    'schema',
    uri,
    { title: `Schema of ${source.name}`, description: 'What may be asked for.', mimeType: 'text/plain' },
    async () => ({ contents: [{ uri, mimeType: 'text/plain', text: await schema() }] }),
  );

  server.registerPrompt(
    'start_code_mode',
    { title: 'Write a query', description: `How queries to ${source.name} are written, approved and run.` },
    async () => ({
      messages: [
        { role: 'user', content: { type: 'text', text: `${instructions(source)}\n\n${await schema()}` } },
      ],
    }),
  );

  server.registerTool(
    'validate_query',
    {
      title: 'Have a query judged',
      description: `Judges a query to ${source.name} in ${spoken[source.kind]}, says what it does, and gives the token that execute_query needs. Nothing is run.`,
      inputSchema: fromJsonSchema<JsonObject>(inputs.validate.schema()),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async (input, ctx) => {
      const given = readShape(inputs.validate, input);
      const asked = { target: source.name, text: given.query, variables: given.variables ?? {} };
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
      description: `Runs a query to ${source.name} that validate_query gave a token for, exactly as it was judged, once.`,
      inputSchema: fromJsonSchema<JsonObject>(inputs.execute.schema()),
      annotations: annotationsOf(source),
    },
    async (input, ctx) => {
      const given = readShape(inputs.execute, input);
      const asked = { target: source.name, text: given.query, variables: given.variables ?? {} };
      try {
        const found = await pipeline.execute(asked, given.approval_token, context, ctx.mcpReq.signal);
        return result({ ...found, redactions: { ...found.redactions } }, false);
      } catch (error) {
        return failure(error);
      }
    },
  );
  return server;
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

function instructions({ name, kind }: Source): string {
  return [
    `You write queries to ${name} in ${spoken[kind]}. What may be asked for stands below.`,
    'Have each query judged by validate_query first. If it is not valid, its violations say what to leave out.',
    'Show the explanation to the user and get their yes before you execute anything, reads of low risk included.',
    'Where the answer holds an approval and no token, a person has to answer it first: show them how, and validate again.',
    'Then run execute_query with the same query, the same variables and the token. A token counts once.',
  ].join('\n');
}

/** INVARIANT: a tool is called read-only only where the source lets nothing be changed. */
function annotationsOf({ kind, mode: { graphql, sql, rest } }: Source) {
  const changes =
    kind === 'graphql'
      ? graphql.allowMutations
      : kind === 'rest'
        ? rest.writes || rest.deletes || rest.allowedWrites.length > 0 || rest.allowedDeletes.length > 0
        : sql.writes || sql.deletes || sql.ddl;
  return { readOnlyHint: !changes, destructiveHint: changes, idempotentHint: false, openWorldHint: true };
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

/** An error as a model is told it: by its name, and nothing of what stands behind it. */
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
