// Changes that agents propose, as the document tells of them.

import type { JsonObject } from '../../../core/index.ts';
import { applyShape, decisionShape, proposalShape, rollbackShape } from '../changes.ts';
import { answer, id, operation, parameter, text } from './operation.ts';

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

/** The routes of a Changes panel. */
export const changePaths: JsonObject = {
  '/v1/changes': {
    get: operation('The proposed changes that wait', { 200: answer('Those that the caller may see') }),
    post: operation(
      'Propose a change (scope decide)',
      { 200: answer('Whether it is staged, applied or refused', { type: 'object' }) },
      { body: proposalShape.schema() },
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
      { parameters: [id], body: decisionShape.schema() },
    ),
  },
  '/v1/changes/{id}/apply': {
    post: operation(
      'Write what is accepted (a session)',
      { 200: answer('How it ended', endSchema) },
      { parameters: [id], body: applyShape.schema() },
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
      { body: rollbackShape.schema() },
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
