// Policies, as the document tells of them.

import type { JsonObject } from '../../../core/index.ts';
import { dryRunShape, newPolicyShape, policyShape } from '../policies.ts';
import { errorSchema } from './components.ts';
import { answer, id, operation, parameter, text } from './operation.ts';

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
export const policyPaths: JsonObject = {
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
      { body: newPolicyShape.schema() },
    ),
  },
  '/v1/policies/check': {
    post: operation(
      'What is wrong with a policy, and how it should be laid out; nothing is kept (scope admin)',
      { 200: answer('Its id, its problems, and its text as the formatter has it') },
      { body: newPolicyShape.schema() },
    ),
  },
  '/v1/policies/dry-run': {
    post: operation(
      'Which recent decisions would have been others; nothing is kept (scope admin)',
      { 200: answer('How many, from what to what, and which') },
      { body: dryRunShape.schema() },
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
      { parameters: [id, ifMatch], body: policyShape.schema() },
    ),
    delete: operation(
      'Take a policy away (a session)',
      { 200: answer('It is gone'), ...changedSince },
      { parameters: [id, ifMatch] },
    ),
  },
};
