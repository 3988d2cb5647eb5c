// The OpenAPI document of the HTTP surface.

import { actionSchema, type JsonObject, modes, verdictSchema } from '../../core/index.ts';
import { hostNames } from '../hooks/index.ts';
import { applyShape, decisionShape, proposalShape, rollbackShape } from './changes.ts';
import {
  approvalSchema,
  components,
  entrySchema,
  errorSchema,
  grantSchema,
  streamEndSchema,
  streamOpenedSchema,
  streamPieceSchema,
  withReferences,
} from './components.ts';
import { claimShape, linkShape } from './console.ts';
import { loginShape } from './login.ts';
import { dryRunShape, newPolicyShape, policyShape } from './policies.ts';
import { endShape, finishShape, openShape, pushShape, stopShape } from './streams.ts';

function jsonContent(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } };
}

function answer(description: string, schema: JsonObject = { type: 'object' }): JsonObject {
  return { description, content: jsonContent(schema) };
}

function operation(
  summary: string,
  responses: JsonObject,
  more: { body?: JsonObject; parameters?: readonly JsonObject[]; open?: boolean } = {},
): JsonObject {
  return {
    summary,
    ...(more.parameters === undefined ? {} : { parameters: more.parameters }),
    ...(more.body === undefined ? {} : { requestBody: { required: true, content: jsonContent(more.body) } }),
    ...(more.open === true ? { security: [] } : {}),
    responses: { ...responses, default: answer('What was refused, and why', errorSchema) },
  };
}

function parameter(
  name: string,
  place: 'query' | 'path',
  schema: JsonObject,
  description: string,
): JsonObject {
  return { name, in: place, required: place === 'path', schema, description };
}

const text: JsonObject = { type: 'string' };
const id = parameter('id', 'path', text, 'The id');
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

const guardOutcome: JsonObject = { enum: ['pass', 'warn', 'fail'] };
const chipsSchema: JsonObject = {
  type: 'object',
  properties: { write: guardOutcome, hallucination: guardOutcome, egress: guardOutcome },
  required: ['write', 'hallucination', 'egress'],
};
const hashed: JsonObject = { type: ['string', 'null'] };
const hashedFiles: JsonObject = {
  type: 'array',
  items: {
    type: 'object',
    properties: { path: text, before_hash: hashed, after_hash: hashed },
    required: ['path', 'before_hash', 'after_hash'],
  },
};
const hunkSchema: JsonObject = {
  type: 'object',
  properties: {
    number: { type: 'integer', minimum: 1 },
    kind: { enum: ['lines', 'create', 'delete', 'rename', 'mode'] },
    decision: { enum: ['accept', 'reject', null] },
    diff: { type: 'string', description: 'Without secrets' },
  },
  required: ['number', 'kind', 'decision', 'diff'],
};
const changeSchema: JsonObject = {
  type: 'object',
  properties: {
    id: text,
    state: { enum: ['staged', 'applied', 'rejected', 'expired'] },
    agent: text,
    workspace: text,
    run: text,
    expiresAt: text,
    reason: { type: 'string', description: 'Why a person is asked' },
    suggest: { type: 'boolean', description: 'Nothing will be written' },
    files: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          path: text,
          to: hashed,
          op: { enum: ['create', 'edit', 'delete', 'rename'] },
          guards: chipsSchema,
          hunks: { type: 'array', items: hunkSchema },
        },
        required: ['path', 'op', 'guards'],
      },
    },
    result: {
      type: 'object',
      description: 'What applying would write now; its hash is what an apply is bound to',
      properties: { hash: hashed, files: hashedFiles, stale: { type: 'array', items: text } },
      required: ['hash', 'files', 'stale'],
    },
  },
  required: ['id', 'state'],
};
const receiptSchema: JsonObject = {
  type: 'object',
  properties: {
    receipt_id: text,
    timestamp: text,
    action: { enum: ['apply', 'rollback', 'reject'] },
    applied: { type: 'boolean' },
    files: hashedFiles,
    guards: chipsSchema,
    snapshot_id: hashed,
    prev_receipt_hash: text,
    self_hash: text,
  },
  required: ['receipt_id', 'action', 'applied', 'files', 'guards', 'prev_receipt_hash', 'self_hash'],
};
const endSchema: JsonObject = {
  type: 'object',
  properties: {
    state: { enum: ['applied', 'rejected'] },
    snapshot: hashed,
    receipt: receiptSchema,
    verdict: { type: ['object', 'null'], description: 'Without the action' },
  },
  required: ['state', 'snapshot', 'receipt', 'verdict'],
};

const receiptsSchema: JsonObject = {
  type: 'object',
  properties: {
    receipts: { type: 'array', items: receiptSchema },
    next: {
      type: ['integer', 'null'],
      description: 'The place before which the next ones stand; null where there are no more',
    },
  },
  required: ['receipts', 'next'],
};

/** A list of one schema under a name. */
function listOf(name: string, items: JsonObject): JsonObject {
  return { type: 'object', properties: { [name]: { type: 'array', items } }, required: [name] };
}

/** The routes of texts that flow. */
const streamPaths: JsonObject = {
  '/v1/streams': {
    post: operation(
      'Open a stream: a text that is judged while it flows (scope decide)',
      { 200: answer('The stream', streamOpenedSchema) },
      { body: openShape.schema },
    ),
  },
  '/v1/streams/{id}/push': {
    post: operation(
      'Feed a stream: what may be shown now (the credential that opened it)',
      { 200: answer('What may be shown, and what was found', streamPieceSchema) },
      { parameters: [id], body: pushShape.schema },
    ),
  },
  '/v1/streams/{id}/finish': {
    post: operation(
      'End one text of a stream: what may be shown of its rest',
      { 200: answer('What may be shown, and what was found', streamPieceSchema) },
      { parameters: [id], body: finishShape.schema },
    ),
  },
  '/v1/streams/{id}/stop': {
    post: operation(
      'Stop a stream: nothing more of it is shown',
      { 200: answer('That it is blocked', streamPieceSchema) },
      { parameters: [id], body: stopShape.schema },
    ),
  },
  '/v1/streams/{id}/end': {
    post: operation(
      'End a stream: what may be shown of the rest, and the verdict on the whole',
      { 200: answer('The end', streamEndSchema) },
      { parameters: [id], body: endShape.schema },
    ),
  },
};

/** The routes of a Changes panel. */
const changePaths: JsonObject = {
  '/v1/changes': {
    get: operation('The proposed changes that wait', { 200: answer('Those that the caller may see') }),
    post: operation(
      'Propose a change (scope decide)',
      { 200: answer('Whether it is staged, applied or refused', { type: 'object' }) },
      { body: proposalShape.schema },
    ),
  },
  '/v1/changes/{id}': {
    get: operation(
      'One proposed change, with its hunks and what guards say; an agent sees no lines',
      { 200: answer('The change', changeSchema) },
      { parameters: [id] },
    ),
  },
  '/v1/changes/{id}/decisions': {
    post: operation(
      'Accept or reject hunks, files or all (a session)',
      { 200: answer('The change as it is decided now', changeSchema) },
      { parameters: [id], body: decisionShape.schema },
    ),
  },
  '/v1/changes/{id}/apply': {
    post: operation(
      'Write what is accepted (a session)',
      { 200: answer('How it ended', endSchema) },
      { parameters: [id], body: applyShape.schema },
    ),
  },
  '/v1/changes/{id}/reject': {
    post: operation(
      'Give a proposed change up (a session)',
      { 200: answer('How it ended', endSchema) },
      { parameters: [id] },
    ),
  },
  '/v1/rollback': {
    post: operation(
      'Take changes back: one, those of a run, or the last (a session)',
      { 200: answer('What was taken back'), 409: answer('What was in the way') },
      { body: rollbackShape.schema },
    ),
  },
  '/v1/receipts': {
    get: operation(
      'Receipts, newest first',
      { 200: answer('Those that the caller may see', receiptsSchema) },
      {
        parameters: [
          parameter('limit', 'query', { type: 'integer', minimum: 1, maximum: 1000 }, 'How many at the most'),
          parameter(
            'before',
            'query',
            { type: 'integer', minimum: 1 },
            'Only those before this place: the "next" of the answer before',
          ),
        ],
      },
    ),
  },
  '/v1/receipts/verify': {
    get: operation('Check all receipts and the log (scope admin)', { 200: answer('What was found') }),
  },
  '/v1/receipts/chain-head': {
    get: operation('The newest receipt, and signed heads that cover it', { 200: answer('To be kept') }),
  },
  '/v1/receipts/{id}': {
    get: operation('One receipt', { 200: answer('The receipt', receiptSchema) }, { parameters: [id] }),
  },
  '/v1/receipts/{id}/export': {
    get: operation(
      'A receipt as a signed in-toto statement (scopes approve and admin, or a session)',
      { 200: answer('A DSSE envelope') },
      { parameters: [id] },
    ),
  },
};

const consolePaths: JsonObject = {
  '/v1/session/link': {
    post: operation(
      'Open the session of a page, to be claimed once within a minute',
      { 200: answer('The secret of the link') },
      { body: linkShape.schema, open: true },
    ),
  },
  '/v1/session/claim': {
    post: operation(
      'Claim the session of a link',
      { 200: answer('A token that lives while it is used, at most 12 hours') },
      { body: claimShape.schema, open: true },
    ),
  },
  '/v1/session/login': {
    get: operation('Whether users can come in by name', { 200: answer('Whether') }, { open: true }),
    post: operation(
      'Open the session of a user of the configuration',
      { 200: answer('A token that lives while it is used, at most 12 hours') },
      { body: loginShape.schema, open: true },
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

const policySchema: JsonObject = {
  type: 'object',
  properties: {
    id: text,
    text: { type: 'string', description: 'One policy in Cedar' },
    version: { type: 'string', description: 'What If-Match names' },
    updatedAt: text,
    updatedBy: { type: ['string', 'null'] },
  },
  required: ['id', 'text', 'version', 'updatedAt', 'updatedBy'],
};
const ifMatch: JsonObject = {
  name: 'if-match',
  in: 'header',
  required: true,
  schema: text,
  description: 'The ETag of the policy that was seen',
};
const changedSince: JsonObject = {
  412: answer('Somebody changed it since', errorSchema),
  428: answer('If-Match is missing', errorSchema),
};

/** The policies that are kept outside of files. */
const policyPaths: JsonObject = {
  '/v1/policies': {
    get: operation('The policies that are kept (scope admin)', {
      200: answer('All of them, and whether a person signed them', {
        type: 'object',
        properties: {
          engine: { enum: ['cedar', 'avp'] },
          version: text,
          signed: { type: 'boolean' },
          policies: { type: 'array', items: policySchema },
        },
        required: ['engine', 'version', 'signed', 'policies'],
      }),
    }),
    post: operation(
      'Keep a policy (a session); it counts at the next decision of every daemon on the store',
      { 201: answer('The policy', policySchema), 409: answer('There is one of that id', errorSchema) },
      { body: newPolicyShape.schema },
    ),
  },
  '/v1/policies/check': {
    post: operation(
      'What is wrong with a policy, and how it should be laid out; nothing is kept (scope admin)',
      { 200: answer('Its id, its problems, and its text as the formatter has it') },
      { body: newPolicyShape.schema },
    ),
  },
  '/v1/policies/dry-run': {
    post: operation(
      'Which recent decisions would have been others; nothing is kept (scope admin)',
      { 200: answer('How many, from what to what, and which') },
      { body: dryRunShape.schema },
    ),
  },
  '/v1/policy-versions': {
    get: operation('The versions that were kept, newest first (scope admin)', {
      200: answer('The versions'),
    }),
  },
  '/v1/policy-versions/{version}/restore': {
    post: operation(
      'Bring an older version back as a new one (a session)',
      { 200: answer('The new version'), ...changedSince },
      { parameters: [parameter('version', 'path', { type: 'integer' }, 'Which'), ifMatch] },
    ),
  },
  '/v1/policies/{id}': {
    get: operation('One policy (scope admin)', { 200: answer('It', policySchema) }, { parameters: [id] }),
    put: operation(
      'Change a policy (a session)',
      { 200: answer('The policy', policySchema), ...changedSince },
      { parameters: [id, ifMatch], body: policyShape.schema },
    ),
    delete: operation(
      'Take a policy away (a session)',
      { 200: answer('It is gone'), ...changedSince },
      { parameters: [id, ifMatch] },
    ),
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
        get: operation('Whether the daemon is up', { 200: answer('It is') }, { open: true }),
      },
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
          'Open a session with the passphrase',
          { 200: answer('A token that lives a quarter of an hour') },
          {
            body: { type: 'object', properties: { passphrase: text }, required: ['passphrase'] },
            open: true,
          },
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
          'Answer an approval (a session)',
          { 200: answer('The answered approval', approvalSchema) },
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
