// The wire format as JSON Schema, and the verdict as it is written there.

import { actionSchemas } from './action.ts';
import type { JsonObject } from './json.ts';
import { described } from './shape.ts';
import { uncheckedReasons } from './symbols.ts';
import { type Decision, decisions, type Finding, guardNames, type Verdict } from './verdict.ts';

const text: JsonObject = { type: 'string' };

const decisionSchema: JsonObject = { title: 'Decision', enum: decisions };
const weightSchema: JsonObject = { title: 'Weight', enum: [...decisions, 'warn'] };

const findingSchema: JsonObject = {
  title: 'Finding',
  type: 'object',
  properties: {
    rule: text,
    guard: { enum: [...guardNames, 'policy', 'path'] },
    decision: weightSchema,
    message: text,
    contract: text,
    layer: { enum: [1, 2, 3] },
    pointer: text,
    span: { type: 'array', items: { type: 'integer', minimum: 0 }, minItems: 2, maxItems: 2 },
    suggestion: text,
    confidence: { type: 'number', minimum: 0, maximum: 1 },
    grant: text,
    shows: text,
  },
  required: ['rule', 'guard', 'decision', 'message'],
  additionalProperties: false,
};

export const actionSchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Action',
  /** Made on demand: most programs only read actions. */
  get oneOf() {
    return actionSchemas();
  },
};

const approvalNoticeSchema: JsonObject = {
  title: 'ApprovalNotice',
  type: 'object',
  properties: { id: text, expiresAt: { type: 'string', format: 'date-time' }, how: text },
  required: ['id', 'expiresAt', 'how'],
  additionalProperties: false,
};

const uncheckedSchema: JsonObject = {
  title: 'Unchecked',
  type: 'object',
  properties: { path: text, why: { enum: uncheckedReasons } },
  required: ['path', 'why'],
  additionalProperties: false,
};

export const verdictSchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Verdict',
  type: 'object',
  properties: {
    id: { type: ['string', 'integer'] },
    decision: decisionSchema,
    findings: { type: 'array', items: findingSchema },
    explanation: text,
    action: { type: 'object' },
    decisionId: text,
    approval: { anyOf: [approvalNoticeSchema, { type: 'null' }] },
    unchecked: {
      description: 'Written files whose references were not looked up, which is no pass; absent for none',
      type: 'array',
      items: uncheckedSchema,
    },
  },
  required: ['decision', 'findings', 'explanation', 'action', 'decisionId', 'approval'],
  additionalProperties: false,
};

/** The verdict with the request's id in front, as one wire object. */
export function toWire(verdict: Verdict, id?: string | number): Verdict & { id?: string | number } {
  return id === undefined ? verdict : { id, ...verdict };
}

export const decisionShape = described<Decision>(() => decisionSchema);
export const findingShape = described<Finding>(() => findingSchema);
export const verdictShape = described<ReturnType<typeof toWire>>(() => verdictSchema);
