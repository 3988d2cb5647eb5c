// The OpenAPI document of the HTTP surface.

import { actionSchema, type JsonObject, modes, verdictSchema } from '../../../core/index.ts';
import { hostNames } from '../../hooks/index.ts';
import { endingShape, passkeyShape } from '../approvers.ts';
import { challengeShape, claimShape, signInShape } from '../sign-in.ts';
import { endShape, finishShape, openShape, pushShape, stopShape } from '../streams.ts';
import { changePaths } from './changes.ts';
import {
  approvalSchema,
  components,
  entrySchema,
  grantSchema,
  streamEndSchema,
  streamOpenedSchema,
  streamPieceSchema,
  withReferences,
} from './components.ts';
import { answer, id, listOf, operation, parameter, text } from './operation.ts';
import { policyPaths } from './policies.ts';

const wait = parameter(
  'wait',
  'query',
  { type: 'integer', minimum: 0, maximum: 600 },
  'Seconds to wait for a person',
);

const hostName = parameter('host', 'path', { enum: hostNames }, 'The host');
const event = parameter('event', 'query', text, "The host's name of the moment, where the body has none");
const replySchema: JsonObject = {
  type: 'object',
  properties: { stdout: text, stderr: text, exit: { enum: [0, 2] } },
  required: ['stdout', 'stderr', 'exit'],
};

function proxied(api: string): JsonObject {
  return operation(
    `${api}, through the proxy (scope decide)`,
    { 200: answer('What the model says, as far as it may be shown, in the form of the provider') },
    { body: { type: 'object' } },
  );
}

/** The routes of texts that flow. */
const streamPaths: JsonObject = {
  '/v1/streams': {
    post: operation(
      'Open a stream: a text that is judged while it flows (scope decide)',
      { 200: answer('The stream', streamOpenedSchema) },
      { body: openShape.schema() },
    ),
  },
  '/v1/streams/{id}/push': {
    post: operation(
      'Feed a stream: what may be shown now (the credential that opened it)',
      { 200: answer('What may be shown, and what was found', streamPieceSchema) },
      { parameters: [id], body: pushShape.schema() },
    ),
  },
  '/v1/streams/{id}/finish': {
    post: operation(
      'End one text of a stream: what may be shown of its rest',
      { 200: answer('What may be shown, and what was found', streamPieceSchema) },
      { parameters: [id], body: finishShape.schema() },
    ),
  },
  '/v1/streams/{id}/stop': {
    post: operation(
      'Stop a stream: nothing more of it is shown',
      { 200: answer('That it is blocked', streamPieceSchema) },
      { parameters: [id], body: stopShape.schema() },
    ),
  },
  '/v1/streams/{id}/end': {
    post: operation(
      'End a stream: what may be shown of the rest, and the verdict on the whole',
      { 200: answer('The end', streamEndSchema) },
      { parameters: [id], body: endShape.schema() },
    ),
  },
};

const consolePaths: JsonObject = {
  '/v1/session/link': {
    post: operation(
      'Open the session of a page, to be claimed once within a minute',
      { 200: answer('The secret of the link') },
      { body: signInShape.schema(), open: true },
    ),
  },
  '/v1/session/claim': {
    post: operation(
      'Claim the session of a link',
      { 200: answer('A token that lives while it is used, at most 12 hours') },
      { body: claimShape.schema(), open: true },
    ),
  },
  '/v1/session/login': {
    get: operation('Whether users can sign in by name', { 200: answer('Whether') }, { open: true }),
  },
  '/v1/session/challenge': {
    post: operation(
      'Ask for a challenge, as the owner or by name; it is signed with the key that comes of the passphrase',
      { 200: answer('The challenge, how the passphrase is stretched, and the ids of passkeys') },
      { body: challengeShape.schema(), open: true },
    ),
  },
  '/v1/approvers': {
    get: operation('Whose approval counts, since when, and who vouched for them', {
      200: answer('All keys, and the reset that waits'),
    }),
  },
  '/v1/approvers/passkeys': {
    post: operation(
      'Add a passkey; the call is signed by the key that vouches for it (a session)',
      { 201: answer('The key') },
      { body: passkeyShape.schema() },
    ),
  },
  '/v1/approvers/end': {
    post: operation(
      'End a key, such as a passkey; the call is signed by a key that may end it (a session)',
      { 200: answer('The key') },
      { body: endingShape.schema() },
    ),
  },
  '/v1/approvers/veto': {
    post: operation(
      'Stop the reset of a passphrase that waits; the call is signed by a key that counts (a session)',
      { 200: answer('The key that will not count') },
      { body: endingShape.schema() },
    ),
  },
  '/v1/events': {
    get: operation('New audit entries as they come (scopes approve and admin, or a session)', {
      200: { description: 'Server-sent events', content: { 'text/event-stream': { schema: text } } },
    }),
  },
  '/v1/overview': {
    get: operation(
      'Decisions by time, guard and rule, how long they take, and what waits',
      { 200: answer('The counts') },
      {
        parameters: [
          parameter('minutes', 'query', { type: 'integer', minimum: 5, maximum: 10_080 }, 'How far back'),
        ],
      },
    ),
  },
  '/v1/log/verify': {
    get: operation('Check every chain of the log (scope admin)', { 200: answer('What was found') }),
  },
  '/v1/try': {
    post: operation(
      'What would be decided; nothing runs, nothing is recorded (a session)',
      { 200: answer('The verdict, the facts, and what was read in a command') },
      { body: actionSchema },
    ),
  },
  '/v1/hosts': {
    get: operation('Which agent hosts are wired in (a session)', { 200: answer('The hosts') }),
  },
  '/v1/hosts/check': {
    post: operation('Provoke a block through every part (a session)', { 200: answer('What was checked') }),
  },
  '/v1/hosts/{host}/wire': {
    post: operation('Wire a host in (a session)', { 200: answer('It is') }, { parameters: [hostName] }),
  },
};

/** Every path that the daemon serves, save `/llm/`, where the same is offered for every provider, and `/mcp`, which speaks MCP. */
export function openApi(version: string): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sallyport',
      version,
      description: `One decision path for AI agents. Permission modes: ${modes.join(', ')}.`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    components: { schemas: components, securitySchemes: { credential: { type: 'http', scheme: 'bearer' } } },
    security: [{ credential: [] }],
    paths: withReferences({
      '/healthz': {
        get: operation(
          'Whether the daemon is up and can record',
          {
            200: answer('It is'),
            503: answer('It blocks everything: its ledger was removed, replaced or cut'),
          },
          { open: true },
        ),
      },
      '/livez': { get: operation('Whether the daemon is up', { 200: answer('It is') }, { open: true }) },
      '/openapi.json': { get: operation('This document', { 200: answer('It') }, { open: true }) },
      '/v1/decide': {
        post: operation(
          'Judge one action (scope decide)',
          { 200: answer('The verdict', verdictSchema) },
          { body: actionSchema, parameters: [wait] },
        ),
      },
      '/v1/hook/{host}': {
        post: operation(
          "Answer an agent host's hook in its own words (scope decide)",
          { 200: answer('What the hook prints, and what it ends with', replySchema) },
          { body: { type: 'object' }, parameters: [hostName, event] },
        ),
      },
      '/v1/chat/completions': { post: proxied('OpenAI Chat Completions') },
      '/v1/responses': { post: proxied('OpenAI Responses') },
      '/v1/messages': { post: proxied('Anthropic Messages') },
      '/v1/messages/count_tokens': { post: proxied('Anthropic token counting') },
      '/v1/models': {
        get: operation('The models of OpenAI, through the proxy', { 200: answer('As it says') }),
      },
      '/v1/session': {
        get: operation('Who calls', {
          200: answer('The user, the tenant, the scope, the role, and what a person may call'),
        }),
        delete: operation('Leave the session', { 200: answer('It is over') }),
        post: operation(
          'Open a session with a signed challenge',
          { 200: answer('A token, and for the owner the wrapped key that the passphrase opens') },
          { body: signInShape.schema(), open: true },
        ),
      },
      '/v1/approvals': {
        get: operation('The approvals that wait', {
          200: answer('Those that the caller may see', listOf('approvals', approvalSchema)),
        }),
      },
      '/v1/approvals/{id}': {
        get: operation(
          'One approval, and how it stands',
          { 200: answer('The approval', approvalSchema) },
          { parameters: [id] },
        ),
      },
      '/v1/approvals/{id}/answer': {
        post: operation(
          'Answer an approval (a session); a yes is signed in the header Sallyport-Signature',
          {
            200: answer('The answered approval', approvalSchema),
            428: answer('What has to be signed: payload, at, and the text of the question'),
          },
          {
            parameters: [id],
            body: {
              type: 'object',
              properties: {
                answer: { enum: ['approve', 'deny'] },
                grant_seconds: { type: 'integer', minimum: 60, maximum: 2_592_000 },
              },
              required: ['answer'],
            },
          },
        ),
      },
      ...streamPaths,
      ...changePaths,
      ...policyPaths,
      '/v1/grants': {
        get: operation('The grants that stand', {
          200: answer('Those of the caller', listOf('grants', grantSchema)),
        }),
      },
      '/v1/grants/{id}': {
        delete: operation(
          'Revoke a grant (a session)',
          { 200: answer('The grant', grantSchema) },
          { parameters: [id] },
        ),
      },
      '/v1/log': {
        get: operation(
          'Audit entries, newest first',
          { 200: answer('Those that the caller may see', listOf('entries', entrySchema)) },
          {
            parameters: [
              parameter(
                'limit',
                'query',
                { type: 'integer', minimum: 1, maximum: 1000 },
                'How many at the most',
              ),
              parameter('before', 'query', { type: 'integer', minimum: 1 }, 'Only entries before this one'),
              parameter('decision', 'query', text, 'Only this decision'),
              parameter('event_type', 'query', text, 'Only this event'),
              parameter('decision_id', 'query', text, 'Only this decision id'),
              ...['agent', 'user', 'guard', 'rule'].map((name) =>
                parameter(name, 'query', text, `Only this ${name}`),
              ),
              parameter('text', 'query', text, 'Only entries that hold this text'),
              parameter('since', 'query', { type: 'string', format: 'date-time' }, 'From this time on'),
              parameter('until', 'query', { type: 'string', format: 'date-time' }, 'Before this time'),
            ],
          },
        ),
      },
      ...consolePaths,
    }),
  };
}
